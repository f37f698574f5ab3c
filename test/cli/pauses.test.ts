import { describe, expect, test } from "vitest";
import type { Terminal } from "../../src/cli/command.js";
import { pausesOn } from "../../src/cli/show.js";
import { answer, connection, impatient, refusal, serve, success } from "../api/serve.js";

function told(interactive: boolean, quiet = false) {
  const lines: string[] = [];
  const status = (line: string) => lines.push(`status: ${line}`);
  const err = (text: string) => lines.push(`err: ${text}`);
  const terminal = { interactive, status, err } as unknown as Terminal; // the parts that it uses
  return { lines, onPause: pausesOn(terminal, quiet) };
}

describe("a pause that the service makes necessary", () => {
  test("is told of in the line of progress, and by itself where there is none and it is long", () => {
    const text = "waiting 12 s: rate limited by the service";
    const [person, script, quiet] = [told(true), told(false), told(true, true)];
    for (const { onPause } of [person, script, quiet]) for (const ms of [400, 12_000]) onPause(ms, "refused");
    expect(person.lines).toEqual([`status: ${text.replace("12", "1")}`, `status: ${text}`]);
    expect(script.lines).toEqual([`err: ${text}\n`]);
    expect(quiet.lines).toEqual([]);
  });

  test("that the own limit makes necessary is told of too, where it is no short one", () => {
    const text = "waiting 12 s: the request limit is used up";
    const [person, script] = [told(true), told(false)];
    for (const { onPause } of [person, script]) for (const ms of [400, 12_000]) onPause(ms, "spent");
    expect([person.lines, script.lines]).toEqual([[`status: ${text}`], [`err: ${text}\n`]]);
  });

  test("is told of where requests are spent", async () => {
    const waits: (readonly [ms: number, why: string])[] = [];
    const server = await serve((_q, r) => answer(r, 200, success({})));
    const spent = { ...connection(server.baseUrl), rate: { requests: 2, perMs: 20_000 } };
    const { client } = impatient(spent, { onPause: (ms, why) => waits.push([ms, why]) });
    await Promise.all(["/a", "/b", "/c", "/d"].map((path) => client.get(path)));
    expect(waits.length).toBeGreaterThan(0);
    for (const [ms, why] of waits) expect([ms >= 20_000, why]).toEqual([true, "spent"]);
    await server.close();
  });

  test.each([
    ["that it asks for", { "retry-after": "20" }, 20_000],
    ["that it does not ask for", {}, 478],
  ])("is told of once, one %s", async (_, headers, forMs) => {
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
