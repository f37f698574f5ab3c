import { describe, expect, onTestFinished, test } from "vitest";
import { type DetectionFilter, listDetections, readDetection } from "../../src/api/detections.js";
import type { Json } from "../../src/model/json.js";
import {
  accepting,
  answer,
  connection,
  impatient,
  problemOf,
  type Respond,
  refusal,
  serve,
  success,
} from "./serve.js";

const all: DetectionFilter = { hosts: [], statuses: ["active"] };

async function clientOf(respond: Respond) {
  const server = await serve(respond);
  onTestFinished(() => server.close());
  return { ...server, ...impatient(connection(server.baseUrl)) };
}

const record = (n: number) => ({ id: `id${n}`, url: `https://cdn.example/${n}.js`, extra: n });

describe("a list of detections", () => {
  test("is read to the end in pages of 100, with all fields", async () => {
    const { client, seen } = await clientOf((q, r) => {
      const page = Number(new URL(q.url ?? "", "http://x").searchParams.get("page"));
      answer(r, 200, success([record(page)], { page, per_page: 100, total_pages: 3, total_count: 900 }));
    });
    const listed = await listDetections(client, "z", "scripts", all);
    expect(listed).toEqual({
      ok: true,
      value: [1, 2, 3].map((n) => ({ id: `id${n}`, url: `https://cdn.example/${n}.js`, raw: record(n) })),
    });
    expect(seen[2]).toBe("GET /zones/z/page_shield/scripts?status=active&page=3&per_page=100");
  });

  test("asks for encoded hosts and for statuses", async () => {
    const { client, seen } = await clientOf((_, r) => answer(r, 200, success([])));
    const filter: DetectionFilter = { hosts: ["*.shop.example", "a&b"], statuses: ["active", "inactive"] };
    expect(await listDetections(client, "z", "connections", filter)).toEqual({ ok: true, value: [] });
    expect(seen).toEqual([
      "GET /zones/z/page_shield/connections?status=active,inactive&hosts=*.shop.example,a%26b&page=1&per_page=100",
    ]);
  });

  test.each<Json>([null, "x", {}, { id: "a" }, { url: "u" }, { id: "../x", url: "u" }, { id: 1, url: "u" }])(
    "refuses a record like %j",
    async (odd) => {
      const { client } = await clientOf((_, r) => answer(r, 200, success([record(1), odd])));
      expect(await listDetections(client, "z", "scripts", all)).toMatchObject({
        ok: false,
        problems: [{ code: "unexpected_answer" }],
      });
    },
  );

  test.each([
    [403, "unauthorized", true],
    [404, "not_found", false],
    [405, "method_not_allowed", false],
  ])(
    "answered with %d mentions the plan, and a refusal the permission too",
    async (status, code, isDenial) => {
      const { client } = await clientOf(accepting((_, r) => answer(r, status, refusal({ message: "no" }))));
      const { code: given, detail } = problemOf(await listDetections(client, "z", "connections", all));
      expect(given).toBe(code);
      expect(detail).toContain(
        "The zone's Cloudflare plan may lack detected connections: Business and Enterprise have them.",
      );
      expect(detail.includes("the permission group Page Shield Read")).toBe(isDenial);
    },
  );

  test("does not blame the plan for a server error", async () => {
    const { client } = await clientOf((_, r) => answer(r, 400, refusal({ message: "no" })));
    expect(problemOf(await listDetections(client, "z", "scripts", all)).detail).not.toContain("plan");
  });
});

describe("one detection", () => {
  test("is read with all its fields", async () => {
    const { client, seen } = await clientOf((_, r) => answer(r, 200, success(record(7))));
    expect(await readDetection(client, "z", "scripts", "id7")).toEqual({
      ok: true,
      value: { id: "id7", url: "https://cdn.example/7.js", raw: record(7) },
    });
    expect(seen).toEqual(["GET /zones/z/page_shield/scripts/id7"]);
  });

  test("is absent after a 404, whatever the plan", async () => {
    const { client } = await clientOf((_, r) => answer(r, 404, refusal({ message: "no" })));
    const { code, detail } = problemOf(await readDetection(client, "z", "scripts", "id7"));
    expect([code, detail.includes("plan")]).toEqual(["not_found", false]);
  });

  test("with another shape is a problem", async () => {
    const { client } = await clientOf((_, r) => answer(r, 200, success([])));
    expect(await readDetection(client, "z", "scripts", "id7")).toMatchObject({
      ok: false,
      problems: [{ code: "unexpected_answer" }],
    });
  });
});
