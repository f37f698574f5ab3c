import { describe, expect, test } from "vitest";
import { Client } from "../../src/api/client.js";
import { type ConnectFlags, connectionFrom } from "../../src/api/connect.js";
import { Limit } from "../../src/api/limit.js";
import { simulate } from "../api/simulate.js";
import {
  type Counter,
  fixedWindows,
  type Rate,
  replyOf,
  serviceOn,
  slidingWindow,
} from "../api/simulated-service.js";

/** What the service documents for one user, whoever asks in his name. */
const LIMIT: Rate = { requests: 1200, perMs: 300_000 };

/** Each of so many runs, all with the same token, asks so much, at once, by one clock. */
async function asked(
  shards: number,
  each: number,
  flags: ConnectFlags,
  counter: Counter,
  as: "told" | "silent",
) {
  const clock = simulate();
  const { wire, tries } = serviceOn(
    clock,
    (nth) => ({ thereMs: 20 + (nth % 7), backMs: 100 + (nth % 31) }),
    (nowMs) => replyOf(counter(nowMs), as),
  );
  const io = { now: clock.now, sleep: clock.sleep, random: () => 0.5 };
  const runs = Array.from({ length: shards }, async (_, shard) => {
    const environment = { CLOUDFLARE_API_TOKEN: "t".repeat(40), CLOUDFLARE_BASE_URL: "http://127.0.0.1" };
    const connection = connectionFrom({ ...flags, shards }, environment);
    if (!connection.ok) throw new Error(connection.problems[0]?.detail);
    const client = new Client(connection.value, io, { wire, limit: new Limit(connection.value, clock) });
    const answers = Array.from({ length: each }, (_, n) => client.get(`/shard/${shard}/${n}`));
    return (await Promise.all(answers)).every(({ ok }) => ok);
  });
  const answered = await clock.run(Promise.all(runs));
  return { answered, tries };
}

describe.each(["told", "silent"] as const)("what remains is %s:", (as) => {
  test.each([
    ["in any window", () => slidingWindow(LIMIT)],
    ["in windows of its own", () => fixedWindows(LIMIT, 123_456)],
  ])(
    "eight shards of one token use what a service gives that counts %s, and never more",
    async (_, counter) => {
      const { answered, tries } = await asked(8, 600, { rateLimit: "1200/300" }, counter(), as);
      expect(answered).toEqual(Array(8).fill(true));
      expect(tries).toHaveLength(8 * 600);
      expect(tries.filter(({ reply }) => reply.status === 429)).toEqual([]);
      const inThreeWindows = tries.filter(({ sentMs }) => sentMs < 3 * LIMIT.perMs).length;
      expect(inThreeWindows).toBeGreaterThanOrEqual(0.95 * 3 * LIMIT.requests);
    },
  );
});

test("unless told otherwise, the shards leave others a fifth, as a run by itself does", async () => {
  for (const shards of [1, 3, 8]) {
    const { tries } = await asked(shards, Math.ceil(2000 / shards), {}, slidingWindow(LIMIT), "silent");
    const inWindow = tries.filter(({ sentMs }) => sentMs < LIMIT.perMs).length;
    expect(inWindow).toBeLessThanOrEqual(960);
    expect(inWindow).toBeGreaterThanOrEqual(0.95 * 960);
  }
});

test("more shards than there are requests for are refused", () => {
  const connection = connectionFrom(
    { rateLimit: "5/10", shards: 6 },
    { CLOUDFLARE_API_TOKEN: "t".repeat(40) },
  );
  expect(connection).toMatchObject({
    ok: false,
    problems: [{ code: "bad_flag", detail: expect.stringContaining("5 requests for 6 shards") }],
  });
});
