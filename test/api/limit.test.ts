import { describe, expect, test } from "vitest";
import type { Connection } from "../../src/api/connect.js";
import { Limit } from "../../src/api/limit.js";
import type { Countdown } from "../../src/api/transport.js";
import { fc } from "../support/random.js";
import { simulate } from "./simulate.js";

const NO_PAUSE = { maxWaitMs: 1_000_000 };

/** Sends one request for each duration, and returns when each was sent and answered. */
async function run(
  limits: Pick<Connection, "concurrency" | "rates">,
  durationsMs: readonly number[],
): Promise<readonly { readonly n: number; readonly sentMs: number; readonly answeredMs: number }[]> {
  const clock = simulate();
  const limit = new Limit({ ...limits, ...NO_PAUSE }, clock);
  const sends: { n: number; sentMs: number; answeredMs: number }[] = [];
  const send = async (durationMs: number, n: number) => {
    const turn = await limit.enter();
    if (turn.as !== "go") throw new Error("unexpected pause");
    const sentMs = clock.now();
    await clock.sleep(durationMs);
    sends.push({ n, sentMs, answeredMs: clock.now() });
    limit.leave([]);
  };
  await clock.run(Promise.all(durationsMs.map(send)));
  return sends;
}

/** The most times within one window, both ends included. */
function mostWithin(perMs: number, timesMs: readonly number[]): number {
  const sorted = [...timesMs].sort((a, b) => a - b);
  return Math.max(
    ...sorted.map((from) => sorted.filter((each) => each >= from && each <= from + perMs).length),
  );
}

describe("the rate", () => {
  test("allows a burst, then waits for the window", async () => {
    const sends = await run({ concurrency: 4, rates: [{ requests: 4, perMs: 1000 }] }, [0, 0, 0, 0, 0, 0]);
    expect(sends.map(({ sentMs }) => sentMs)).toEqual([0, 0, 0, 0, 1001, 1001]);
  });

  test("is never exceeded in any window, whenever the service counts a request, and wastes no time", async () => {
    const limits = fc.record({
      concurrency: fc.integer({ min: 1, max: 8 }),
      requests: fc.integer({ min: 1, max: 12 }),
      perMs: fc.integer({ min: 10, max: 2000 }),
    });
    const durations = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        limits,
        durations,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60, maxLength: 60 }),
        async ({ concurrency, requests, perMs }, durationsMs, arrivals) => {
          const sends = await run({ concurrency, rates: [{ requests, perMs }] }, durationsMs);
          const arrived = sends.map(
            ({ sentMs, answeredMs }, n) => sentMs + (arrivals[n] ?? 0) * (answeredMs - sentMs),
          );
          expect(
            mostWithin(
              perMs,
              sends.map(({ sentMs }) => sentMs),
            ),
          ).toBeLessThanOrEqual(requests);
          expect(mostWithin(perMs, arrived)).toBeLessThanOrEqual(requests);
          const windows = Math.ceil(durationsMs.length / requests) - 1;
          const atOnce = Math.min(concurrency, requests);
          const idealMs = windows * perMs + Math.max(...durationsMs);
          const lostMs = windows * (1 + 300) + Math.ceil(durationsMs.length / atOnce) * 300;
          expect(Math.max(...sends.map(({ answeredMs }) => answeredMs))).toBeLessThanOrEqual(
            idealMs + lostMs,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test("sends 3,000 requests in little more than the ideal time", async () => {
    const sends = await run(
      { concurrency: 4, rates: [{ requests: 960, perMs: 300_000 }] },
      Array(3000).fill(50),
    );
    const endMs = Math.max(...sends.map(({ answeredMs }) => answeredMs));
    expect(endMs).toBeGreaterThan(900_000);
    expect(endMs).toBeLessThan(920_000);
  });

  test("below the concurrency limits the concurrency too", async () => {
    const sends = await run({ concurrency: 8, rates: [{ requests: 2, perMs: 100 }] }, [500, 500, 500]);
    expect(sends.map(({ sentMs }) => sentMs)).toEqual([0, 0, 601]);
  });
});

describe("the queue", () => {
  test("is first in, first out", async () => {
    const sends = await run({ concurrency: 1, rates: [{ requests: 3, perMs: 100 }] }, [5, 5, 5, 5, 5, 5, 5]);
    expect(sends.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test("is limited only by the concurrency if there is no rate", async () => {
    const sends = await run({ concurrency: 2, rates: [] }, [10, 10, 10, 10]);
    expect(sends.map(({ sentMs }) => sentMs)).toEqual([0, 0, 10, 10]);
  });
});

describe("a pause", () => {
  test("delays all requests, and only a longer pause replaces it", async () => {
    const clock = simulate();
    const limit = new Limit({ concurrency: 4, rates: [], maxWaitMs: 10_000 }, clock);
    limit.pause(1000);
    const first = limit.enter().then(() => clock.now());
    limit.pause(3000);
    limit.pause(10);
    expect(await clock.run(first)).toBe(3000);
  });

  test("that is too long refuses waiting and new requests", async () => {
    const clock = simulate();
    const limit = new Limit({ concurrency: 1, rates: [], maxWaitMs: 10_000 }, clock);
    await limit.enter();
    const waiting = limit.enter();
    limit.pause(10_001);
    expect(await waiting).toEqual({ as: "paused", forMs: 10_001 });
    expect(await limit.enter()).toEqual({ as: "paused", forMs: 10_001 });
  });
});

describe("a turn for two requests", () => {
  const at = async (limit: Limit, clock: { readonly now: () => number }, places?: number) => {
    const turn = await limit.enter(places);
    if (turn.as !== "go") throw new Error("unexpected pause");
    return { turn, atMs: clock.now() };
  };

  test("waits until the window has room for both, and sends the second without a wait", async () => {
    const clock = simulate();
    const limit = new Limit({ concurrency: 4, rates: [{ requests: 2, perMs: 1000 }], ...NO_PAUSE }, clock);
    await at(limit, clock);
    limit.leave([]);
    const pair = await clock.run(at(limit, clock, 2));
    expect(pair.atMs).toBe(1001);
    limit.end([]);
    limit.leave([]);
    expect((await clock.run(at(limit, clock))).atMs).toBe(2002);
  });

  test("waits until the service has room for both", async () => {
    const clock = simulate();
    const limit = new Limit({ concurrency: 4, rates: [], ...NO_PAUSE }, clock);
    await at(limit, clock);
    limit.leave([{ remaining: 1, forMs: 5000 }]);
    expect((await clock.run(at(limit, clock, 2))).atMs).toBe(5000);
  });

  test("never exceeds the rate in any window, mixed with other requests", async () => {
    const turns = fc.array(
      fc.record({ places: fc.integer({ min: 1, max: 2 }), ms: fc.integer({ min: 0, max: 90 }) }),
      {
        minLength: 1,
        maxLength: 40,
      },
    );
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 2, max: 6 }), async (wanted, requests) => {
        const clock = simulate();
        const limit = new Limit({ concurrency: 3, rates: [{ requests, perMs: 100 }], ...NO_PAUSE }, clock);
        const sentMs: number[] = [];
        const takeTurn = async ({ places, ms }: { readonly places: number; readonly ms: number }) => {
          await at(limit, clock, places);
          sentMs.push(clock.now());
          await clock.sleep(ms);
          if (places === 2) {
            limit.end([]);
            sentMs.push(clock.now());
            await clock.sleep(ms);
          }
          limit.leave([]);
        };
        await clock.run(Promise.all(wanted.map(takeTurn)));
        expect(mostWithin(100, sentMs)).toBeLessThanOrEqual(requests);
      }),
      { numRuns: 60 },
    );
  });
});

describe("after turnAway", () => {
  test("waiting requests are refused, and new ones only run if they need not wait", async () => {
    const clock = simulate();
    const limit = new Limit({ concurrency: 1, rates: [], ...NO_PAUSE }, clock);
    const first = await limit.enter();
    const waiting = limit.enter();
    limit.turnAway();
    expect([first.as, (await waiting).as, (await limit.enter()).as]).toEqual([
      "go",
      "turned away",
      "turned away",
    ]);
    if (first.as === "go") limit.leave([]);
    const next = await limit.enter();
    expect(next.as).toBe("go");
    if (next.as === "go") limit.leave([]);
    limit.pause(1);
    expect((await limit.enter()).as).toBe("turned away");
  });
});

describe("a reported remainder", () => {
  /** When ten requests are sent after this report, in milliseconds. NaN: refused. */
  async function sentAfter(said: readonly Countdown[], concurrency = 4) {
    const clock = simulate();
    const limit = new Limit({ concurrency, rates: [], maxWaitMs: 330_000 }, clock);
    await limit.enter();
    limit.leave(said);
    const sentMs: number[] = [];
    const send = async () => {
      const turn = await limit.enter();
      sentMs.push(turn.as === "go" ? clock.now() : Number.NaN);
      await clock.sleep(10);
      if (turn.as === "go") limit.leave([]);
    };
    await clock.run(Promise.all(Array.from({ length: 10 }, send)));
    return sentMs;
  }
  const inFours = (fromMs: number) => [0, 0, 0, 0, 10, 10, 10, 10, 20, 20].map((ms) => fromMs + ms);

  test.each<[string, readonly Countdown[], readonly number[]]>([
    ["does not delay requests if it covers the concurrency", [{ remaining: 4, forMs: 5000 }], inFours(0)],
    ["below the concurrency delays requests until the reset", [{ remaining: 3, forMs: 5000 }], inFours(5000)],
    ["of zero delays requests until the reset", [{ remaining: 0, forMs: 5000 }], inFours(5000)],
    [
      "may come for several limits",
      [
        { remaining: 0, forMs: 1000 },
        { remaining: 5, forMs: 4000 },
        { remaining: 1, forMs: 3000 },
      ],
      inFours(3000),
    ],
    [
      "refuses requests if the reset is later than the longest pause",
      [{ remaining: 0, forMs: 330_001 }],
      Array(10).fill(Number.NaN),
    ],
  ])("%s", async (_sentence, said, expected) => {
    expect(await sentAfter(said)).toEqual(expected);
  });
});
