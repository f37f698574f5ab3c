import { describe, expect, test } from "vitest";
import { progressOn } from "../../src/cli/progress.js";
import { answer, connection, impatient, refusal, serve, success } from "../api/serve.js";

function pausesFor(interactive: boolean, quiet = false) {
  const lines: string[] = [];
  const status = (line: string) => lines.push(`status: ${line}`);
  const err = (text: string) => lines.push(`err: ${text}`);
  return { lines, onPause: progressOn({ interactive, status, err }, quiet).onPause };
}

describe("a pause", () => {
  test("by the service is shown in the progress line, or on stderr if it is long and there is no terminal", () => {
    const text = "waiting 12 s: rate limited by the service";
    const [person, script, quiet] = [pausesFor(true), pausesFor(false), pausesFor(true, true)];
    for (const { onPause } of [person, script, quiet]) for (const ms of [400, 12_000]) onPause(ms, "refused");
    expect(person.lines).toEqual([`status: ${text.replace("12", "1")}`, `status: ${text}`]);
    expect(script.lines).toEqual([`err: ${text}\n`]);
    expect(quiet.lines).toEqual([]);
  });

  test("for the client's own limit is shown if it is long", () => {
    const text = "waiting 12 s: the request limit is used up";
    const [person, script] = [pausesFor(true), pausesFor(false)];
    for (const { onPause } of [person, script]) for (const ms of [400, 12_000]) onPause(ms, "spent");
    expect([person.lines, script.lines]).toEqual([[`status: ${text}`], [`err: ${text}\n`]]);
  });

  test("is reported when the request limit is used up", async () => {
    const waits: (readonly [ms: number, why: string])[] = [];
    const server = await serve((_q, r) => answer(r, 200, success({})));
    const spent = { ...connection(server.baseUrl), rates: [{ requests: 2, perMs: 20_000 }] };
    const { client } = impatient(spent, { onPause: (ms, why) => waits.push([ms, why]) });
    await Promise.all(["/a", "/b", "/c", "/d"].map((path) => client.get(path)));
    expect(waits.length).toBeGreaterThan(0);
    for (const [ms, why] of waits) expect([ms >= 20_000, why]).toEqual([true, "spent"]);
    await server.close();
  });

  test.each([
    ["that the service asks for", { "retry-after": "20" }, 20_000],
    ["that the service does not ask for", {}, 478],
  ])("is reported once %s", async (_, headers, forMs) => {
    const pauses: number[] = [];
    const server = await serve((_q, r, nth) =>
      nth === 1 ? answer(r, 429, refusal(), headers) : answer(r, 200, success({})),
    );
    const { client } = impatient(connection(server.baseUrl), { onPause: (ms) => pauses.push(ms) });
    expect((await client.get("/a")).ok).toBe(true);
    expect(pauses).toEqual([forMs]);
    await server.close();
  });
});
