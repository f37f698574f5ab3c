import { expect, test } from "vitest";
import { Client } from "../../src/api/client.js";
import { ZoneReads } from "../../src/api/reads.js";
import { answer, connection, impatient, serve, success } from "./serve.js";

test("reads each path once, and counts requests per zone", async () => {
  const server = await serve((q, r) =>
    answer(r, 200, success(q.url?.endsWith("policies") ? [{ id: "a" }] : { url: q.url ?? "" })),
  );
  const client = new Client(connection(server.baseUrl));
  const reads = new ZoneReads(client);
  const otherReads = new ZoneReads(client);
  const [first, second] = await Promise.all([
    reads.get("/zones/1/page_shield"),
    reads.get("/zones/1/page_shield"),
  ]);
  expect(first).toBe(second);
  expect(await reads.get("/zones/1/page_shield")).toBe(first);
  await reads.list("/zones/1/page_shield/policies");
  await reads.list("/zones/1/page_shield/policies");
  await otherReads.get("/zones/2/page_shield");
  expect([reads.requests, otherReads.requests, client.requests]).toEqual([2, 1, 3]);
  await new ZoneReads(client).get("/zones/1/page_shield");
  expect(server.seen.length).toBe(4);
  await client.close();
  await server.close();
});

test("counts retries and pages as requests, and remembers a failed read", async () => {
  const server = await serve((q, r, nth) => {
    if (q.url === "/gone") return answer(r, 404, { success: false, errors: [] });
    if (nth === 1) return answer(r, 500, "");
    return answer(r, 200, success([{ id: nth }], { total_pages: 2 }));
  });
  const { client } = impatient(connection(server.baseUrl));
  const reads = new ZoneReads(client);
  expect(await reads.list("/x", { perPage: 5 })).toEqual({ ok: true, value: [{ id: 2 }, { id: 3 }] });
  expect(reads.requests).toBe(3);
  expect((await reads.get("/gone")).ok).toBe(false);
  expect((await reads.get("/gone")).ok).toBe(false);
  expect(reads.requests).toBe(4);
  await server.close();
});
