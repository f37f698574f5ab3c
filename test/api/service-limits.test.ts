import { describe, expect, test } from "vitest";
import { Client } from "../../src/api/client.js";
import { connectionFrom } from "../../src/api/connect.js";
import { CANARY } from "./serve.js";
import { type Simulated, simulate } from "./simulate.js";
import { type Reply, serviceOn, slidingWindow, type Try } from "./simulated-service.js";

const FIVE_MINUTES = 300_000;
const OK: Reply = { status: 200, headers: {}, pauseMs: 0 };

function refused(seconds: number): Reply {
  return { status: 429, headers: { "retry-after": String(seconds) }, pauseMs: 1000 * seconds };
}

/** The documented limits: above 1,200 in five minutes, a user is refused for five minutes; 200 a second an address. */
function serviceLimits(): (nowMs: number) => Reply {
  const [user, address] = [
    slidingWindow({ requests: 1200, perMs: FIVE_MINUTES }),
    slidingWindow({ requests: 200, perMs: 1000 }),
  ];
  let blockedUntilMs = 0;
  return (nowMs) => {
    if (nowMs < blockedUntilMs) return refused(Math.ceil((blockedUntilMs - nowMs) / 1000));
    if (address(nowMs) === "too much") return refused(1);
    if (user(nowMs) !== "too much") return OK;
    blockedUntilMs = nowMs + FIVE_MINUTES;
    return refused(FIVE_MINUTES / 1000);
  };
}

/** A run with the default settings that sends this many reads. */
function runOf(
  reads: number,
  clock: Simulated,
  limits: (nowMs: number) => Reply,
  answerMs: number,
  concurrency?: number,
) {
  const made = connectionFrom(concurrency === undefined ? {} : { concurrency }, {
    CLOUDFLARE_API_TOKEN: CANARY,
  });
  if (!made.ok) throw new Error("the defaults are valid");
  const { wire, tries } = serviceOn(clock, () => ({ thereMs: answerMs / 2, backMs: answerMs / 2 }), limits);
  const client = new Client(made.value, { ...clock, random: () => 0.5 }, { wire });
  const all = Promise.all(Array.from({ length: reads }, (_, n) => client.get(`/n/${n}`)));
  return { all, tries };
}

/** The most requests that arrive within one window. */
function mostWithin(perMs: number, arrivals: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [nth, atMs] of arrivals.entries()) {
    while ((arrivals[first] ?? 0) < atMs - perMs) first += 1;
    most = Math.max(most, nth - first + 1);
  }
  return most;
}

function arrivalsOf(tries: readonly Try[]): readonly number[] {
  return tries.map(({ sentMs, endedMs }) => (sentMs + endedMs) / 2).sort((a, b) => a - b);
}

describe("one run at the service's limits", () => {
  test.each([
    [20, undefined],
    [100, undefined],
    [2, 64],
    [20, 64],
  ])("is never refused, and uses its budget, with %d ms an answer", async (answerMs, concurrency) => {
    const clock = simulate();
    const { all, tries } = runOf(4 * 960, clock, serviceLimits(), answerMs, concurrency);
    await clock.run(all);
    expect(tries.filter(({ reply }) => reply.status !== 200)).toEqual([]);
    const arrivals = arrivalsOf(tries);
    expect(mostWithin(1000, arrivals)).toBeLessThanOrEqual(180);
    expect(mostWithin(FIVE_MINUTES, arrivals)).toBeLessThanOrEqual(960);
    // The last of four budgets is sent after three windows.
    expect(clock.now()).toBeLessThan((3 * FIVE_MINUTES) / 0.95);
    for (const window of [0, 1, 2]) {
      const used = arrivals.filter((atMs) => Math.floor(atMs / (FIVE_MINUTES / 0.95)) === window).length;
      expect(used).toBeGreaterThanOrEqual(0.95 * 960);
    }
  });
});

test.each([20, 100, 300])(
  "eight runs with one token all end without an error, with %d ms an answer",
  async (answerMs) => {
    const clock = simulate();
    const limits = serviceLimits();
    const runs = Array.from({ length: 8 }, (_, n) => runOf(500, clock, limits, answerMs * (1 + n / 10)));
    const results = await clock.run(Promise.all(runs.map(({ all }) => all)));
    expect(results.flat().filter((each) => !each.ok)).toEqual([]);
    const refusals = runs.flatMap(({ tries }) => tries.filter(({ reply }) => reply.status === 429));
    expect(refusals.length).toBeGreaterThan(0);
    // 4,000 requests need three pauses of five minutes.
    expect(clock.now()).toBeLessThan(5 * FIVE_MINUTES);
  },
);
