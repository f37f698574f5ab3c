import { describe, expect, test } from "vitest";
import { Client, type Parts } from "../../src/api/client.js";
import { Limit } from "../../src/api/limit.js";
import type { Countdown } from "../../src/api/transport.js";
import { fc, runs } from "../support/random.js";
import { connection } from "./serve.js";
import { type Simulated, simulate } from "./simulate.js";
import {
  type Counter,
  fixedWindows,
  type Rate,
  type Reply,
  replyOf,
  serviceOn,
  slidingWindow,
  type Try,
  tokenBucket,
  type Way,
} from "./simulated-service.js";

/**
 * Runs the client with its queue and retries in simulated time. The requests must never exceed the budget in any window,
 * whenever the service counts each request, and the run must end within 5 % of the ideal time.
 *
 * The ideal client does not know when a request reaches the service. It sends each try as soon as the budget, the
 * concurrency and the requested pauses allow, in the order of the queue. A request may count until one window after its
 * answer, so it takes up the budget until then.
 */
interface Story {
  readonly concurrency: number;
  readonly rate: Rate;
  /** When each request is wanted. */
  readonly wantedMs: readonly number[];
  /** How long each try travels. The nth try uses the nth entry, starting over at the end. */
  readonly ways: readonly Way[];
  /**
   * Times in which another client has used up the limit. The service refuses requests and asks for a pause.
   */
  readonly blocks: readonly Block[];
  readonly form: "seconds" | "milliseconds" | "date";
}

interface Block {
  readonly fromMs: number;
  readonly untilMs: number;
}

type MakeLimit = (story: Pick<Story, "concurrency" | "rate">, clock: Simulated) => Parts["limit"];

const ours: MakeLimit = ({ concurrency, rate }, clock) =>
  new Limit({ concurrency, rates: [rate], maxWaitMs: MAX_WAIT_MS }, clock);

function refusedInBlocks(story: Story, makeLimit: MakeLimit = ours): Promise<readonly Try[]> {
  return run(story, makeLimit, (nowMs) => {
    const pauseMs = refusedForMs(story, nowMs);
    if (pauseMs === null) return { status: 200, headers: {}, pauseMs: 0 };
    return { status: 429, headers: retryAfter(pauseMs, story.form, nowMs), pauseMs };
  });
}

/** The pause in whole seconds that the service asks for at this time. null: it accepts the request. */
function refusedForMs({ blocks }: Story, nowMs: number): number | null {
  const untilMs = Math.max(...blocks.filter(({ fromMs }) => fromMs <= nowMs).map((each) => each.untilMs));
  return untilMs > nowMs ? Math.ceil((untilMs - nowMs) / 1000) * 1000 : null;
}

async function run(
  story: Pick<Story, "concurrency" | "rate" | "wantedMs" | "ways">,
  makeLimit: MakeLimit,
  reply: (nowMs: number) => Reply,
): Promise<readonly Try[]> {
  const { tries, results } = await carriedOut(story, makeLimit, reply);
  expect(results.every((each) => each.ok)).toBe(true);
  return tries;
}

const MAX_WAIT_MS = 1_000_000;

async function carriedOut(
  story: Pick<Story, "concurrency" | "rate" | "wantedMs" | "ways">,
  makeLimit: MakeLimit,
  reply: (nowMs: number) => Reply,
) {
  const clock = simulate();
  const { wire, tries } = serviceOn(clock, (nth) => wayOf(story, nth), reply);
  const io = { now: clock.now, sleep: clock.sleep, random: () => 0.5 };
  const { concurrency, rate } = story;
  const at = connection("http://127.0.0.1", { concurrency, rates: [rate], maxWaitMs: MAX_WAIT_MS });
  const client = new Client(at, io, { wire, limit: makeLimit(story, clock) });
  const asking = story.wantedMs.map(async (atMs, n) => {
    if (atMs > 0) await clock.sleep(atMs);
    return client.get(`/n/${n}`);
  });
  return { results: await clock.run(Promise.all(asking)), tries };
}

function wayOf({ ways }: Pick<Story, "ways">, nth: number): Way {
  return ways[nth % ways.length] ?? { thereMs: 0, backMs: 0 };
}

function retryAfter(pauseMs: number, form: Story["form"], nowMs: number): Reply["headers"] {
  switch (form) {
    case "seconds":
      return { "retry-after": String(pauseMs / 1000) };
    case "milliseconds":
      return { "retry-after-ms": String(pauseMs) };
    case "date":
      return {
        date: new Date(nowMs).toUTCString(),
        "retry-after": new Date(nowMs + pauseMs).toUTCString(),
      };
  }
}

/**
 * The most requests that a service may count in one window, both ends included: all that may have arrived
 * by one time, or later.
 */
function mostIn(perMs: number, tries: readonly Try[]): number {
  return Math.max(
    0,
    ...tries.map(
      ({ sentMs }) => tries.filter((each) => each.sentMs <= sentMs && each.endedMs >= sentMs - perMs).length,
    ),
  );
}

/** Tries that were sent during a known pause. */
function pauseBreakers(tries: readonly Try[]): readonly Try[] {
  const pauses = tries.map(({ endedMs, reply }) => ({ fromMs: endedMs, untilMs: endedMs + reply.pauseMs }));
  return tries.filter(({ sentMs }) =>
    pauses.some(({ fromMs, untilMs }) => sentMs > fromMs && sentMs < untilMs),
  );
}

/**
 * When the ideal client has its last answer, if it gets the same answers and keeps the same pauses.
 *
 * @param knows "arrivals": the client knows when requests arrive, so that their places are free one window later.
 */
function idealMs(story: Story, tries: readonly Try[], knows: "arrivals" | "answers" = "answers"): number {
  const wanted = story.wantedMs.toSorted((a, b) => a - b);
  const ends: number[] = [];
  const counted: number[] = [];
  let atMs = 0;
  for (const [nth, { reply, sentMs }] of tries.entries()) {
    const heard = tries.slice(0, nth).map((each, index) => ({
      isKept: each.reply.pauseMs > 0 && each.endedMs + each.reply.pauseMs <= sentMs,
      untilMs: (ends[index] ?? 0) + each.reply.pauseMs,
    }));
    atMs = Math.max(
      atMs,
      wanted[nth] ?? 0,
      latest(ends, story.concurrency),
      // A window includes both of its ends.
      latest(counted, story.rate.requests) + story.rate.perMs + 1,
      ...heard.flatMap(({ isKept, untilMs }) => (isKept ? [untilMs] : [])),
    );
    const { thereMs, backMs } = wayOf(story, nth);
    const endMs = atMs + thereMs + backMs;
    ends.push(endMs);
    counted.push(knows === "arrivals" ? atMs + thereMs : endMs);
    if (reply.status === 200) continue;
    wanted.push(endMs);
    wanted.sort((a, b) => a - b);
  }
  return Math.max(...ends);
}

/** The nth latest of these times. */
function latest(timesMs: readonly number[], nth: number): number {
  return timesMs.toSorted((a, b) => b - a)[nth - 1] ?? Number.NEGATIVE_INFINITY;
}

function lastOf(tries: readonly Try[]): number {
  return Math.max(...tries.map(({ endedMs }) => endedMs));
}

const latencyMs = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 1000, max: 90_000 }),
);
const ways = fc.array(fc.record({ thereMs: latencyMs, backMs: latencyMs }), { minLength: 1, maxLength: 40 });
const rate = fc.record({
  requests: fc.integer({ min: 1, max: 40 }),
  perMs: fc.integer({ min: 1000, max: 300_000 }),
});
const bursts = fc
  .array(
    fc.record({
      atMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400_000 })),
      count: fc.integer({ min: 1, max: 60 }),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((all) => all.flatMap(({ atMs, count }) => Array<number>(count).fill(atMs)));
// At most five blocks, because a request is tried at most six times and each block may refuse it once.
const blocks = fc.array(
  fc
    .record({ fromMs: fc.integer({ min: 0, max: 600_000 }), forMs: fc.integer({ min: 1, max: 400_000 }) })
    .map(({ fromMs, forMs }) => ({ fromMs, untilMs: fromMs + forMs })),
  { maxLength: 5 },
);
const anyStory: fc.Arbitrary<Story> = fc.record({
  concurrency: fc.integer({ min: 1, max: 32 }),
  rate,
  wantedMs: bursts,
  ways,
  blocks,
  form: fc.constantFrom("seconds", "milliseconds", "date"),
});

async function judge(story: Story, makeLimit: MakeLimit = ours): Promise<void> {
  const tries = await refusedInBlocks(story, makeLimit);
  expect(mostIn(story.rate.perMs, tries)).toBeLessThanOrEqual(story.rate.requests);
  expect(pauseBreakers(tries)).toEqual([]);
  expect(lastOf(tries)).toBeLessThanOrEqual(idealMs(story, tries) * 1.05);
}

/** Stories that simple limiters get wrong. */
const quiet = { blocks: [], form: "seconds" } as const;
const at = (thereMs: number, backMs: number): Way => ({ thereMs, backMs });
const all = (count: number, atMs = 0) => Array<number>(count).fill(atMs);
const named: readonly (readonly [sentence: string, story: Story])[] = [
  [
    "slow requests followed by fast ones",
    {
      concurrency: 10,
      rate: { requests: 10, perMs: 60_000 },
      wantedMs: all(20),
      ways: [...Array<Way>(10).fill(at(30_000, 0)), ...Array<Way>(10).fill(at(0, 0))],
      ...quiet,
    },
  ],
  [
    "a burst at the end of one window and one at the start of the next",
    {
      concurrency: 32,
      rate: { requests: 20, perMs: 60_000 },
      wantedMs: [...all(20, 59_000), ...all(20, 61_000)],
      ways: [at(0, 0)],
      ...quiet,
    },
  ],
  [
    "fewer requests than one window allows",
    {
      concurrency: 32,
      rate: { requests: 40, perMs: 300_000 },
      wantedMs: all(40),
      ways: [at(20, 20)],
      ...quiet,
    },
  ],
  [
    "one request per window for 32 workers",
    { concurrency: 32, rate: { requests: 1, perMs: 1000 }, wantedMs: all(32), ways: [at(0, 5)], ...quiet },
  ],
  [
    "requests that last longer than the window",
    {
      concurrency: 3,
      rate: { requests: 2, perMs: 1000 },
      wantedMs: all(9),
      ways: [at(9000, 9000)],
      ...quiet,
    },
  ],
  [
    "a refusal of all running requests",
    {
      concurrency: 8,
      rate: { requests: 100, perMs: 60_000 },
      wantedMs: all(60),
      ways: [at(10, 200), at(10, 10)],
      blocks: [{ fromMs: 300, untilMs: 300_300 }],
      form: "date",
    },
  ],
  [
    "the usual case of 3,000 requests at 960 in five minutes",
    {
      concurrency: 4,
      rate: { requests: 960, perMs: 300_000 },
      wantedMs: all(3000),
      ways: [at(20, 130)],
      ...quiet,
    },
  ],
];

describe("the client keeps the budget and loses no time", () => {
  test.each(named)("with %s", async (_sentence, story) => {
    await judge(story);
  });

  test("with random stories", async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, (story) => judge(story)),
      { numRuns: runs(400) },
    );
  }, 120_000);

  test("even compared with a client that knows when requests arrive, at usual latencies", async () => {
    const [, usual] = named.at(-1) ?? [];
    if (usual === undefined) throw new Error("the usual case must be the last one");
    const tries = await refusedInBlocks(usual);
    expect(lastOf(tries)).toBeLessThanOrEqual(idealMs(usual, tries, "arrivals") * 1.05);
  });

  test.each<[string, MakeLimit]>([
    ["frees places one window after sending", naive(freeAfterSending)],
    ["spreads requests evenly over the window", naive(evenly)],
    ["starts a new count with each window", naive(countedAnew)],
    ["frees places two windows after the answer", naive(freeAfter(2))],
    ["ignores pauses", naive(freeAfter(1), "deaf")],
  ])(
    "unlike a limiter that %s",
    async (_how, makeLimit) => {
      const property = fc.asyncProperty(anyStory, (story) => judge(story, makeLimit));
      const { failed } = await fc.check(property, { numRuns: 400, endOnFailure: true });
      expect(failed).toBe(true);
    },
    120_000,
  );

  test("and so does a simple queue with the correct rule", async () => {
    const property = fc.asyncProperty(anyStory, (story) => judge(story, naive(freeAfter(1))));
    await fc.assert(property, { numRuns: runs(100) });
  }, 120_000);
});

interface Seen {
  readonly sentMs: readonly number[];
  readonly endedMs: readonly number[];
}

/** How long until one more request may be sent. */
type Rule = (rate: Rate, seen: Seen, nowMs: number) => number;

/** A queue that sends requests one at a time by a rule. */
function naive(rule: Rule, ear: "hears" | "deaf" = "hears"): MakeLimit {
  return ({ concurrency, rate: allowed }, clock) => {
    const seen = { sentMs: [] as number[], endedMs: [] as number[] };
    let pausedUntilMs = 0;
    let before: Promise<void> = Promise.resolve();
    let onLeave = () => {};
    const somebodyLeaves = () =>
      new Promise<void>((resolve) => {
        onLeave = resolve;
      });
    const mayGo = async () => {
      for (;;) {
        const isFull = seen.sentMs.length - seen.endedMs.length >= concurrency;
        const nowMs = clock.now();
        const waitMs = Math.max(pausedUntilMs - nowMs, rule(allowed, seen, nowMs));
        if (!isFull && waitMs <= 0) break;
        await (isFull || waitMs === Number.POSITIVE_INFINITY
          ? somebodyLeaves()
          : clock.sleep(Math.ceil(waitMs)));
      }
      seen.sentMs.push(clock.now());
    };
    return {
      enter: async () => {
        before = before.then(mayGo);
        await before;
        return { as: "go" };
      },
      end: () => {},
      turnAway: () => {},
      leave: () => {
        seen.endedMs.push(clock.now());
        onLeave();
      },
      pause: (forMs) => {
        if (ear === "hears") pausedUntilMs = Math.max(pausedUntilMs, clock.now() + forMs);
        return true;
      },
    };
  };
}

function freeAfterSending({ requests, perMs }: Rate, { sentMs }: Seen, nowMs: number): number {
  return (sentMs.at(-requests) ?? Number.NEGATIVE_INFINITY) + perMs + 1 - nowMs;
}

function evenly({ requests, perMs }: Rate, { sentMs }: Seen, nowMs: number): number {
  return (sentMs.at(-1) ?? Number.NEGATIVE_INFINITY) + perMs / requests - nowMs;
}

function countedAnew({ requests, perMs }: Rate, { sentMs }: Seen, nowMs: number): number {
  const window = Math.floor(nowMs / perMs);
  const taken = sentMs.filter((each) => Math.floor(each / perMs) === window).length;
  return taken < requests ? 0 : (window + 1) * perMs - nowMs;
}

function freeAfter(windows: number): Rule {
  return ({ requests, perMs }, { sentMs, endedMs }, nowMs) => {
    const active = sentMs.length - endedMs.length;
    if (active >= requests) return Number.POSITIVE_INFINITY;
    return (endedMs.at(active - requests) ?? Number.NEGATIVE_INFINITY) + windows * perMs + 1 - nowMs;
  };
}

describe("a service that counts", () => {
  const counters: readonly (readonly [string, (rate: Rate, offsetMs: number) => Counter])[] = [
    ["in fixed windows", fixedWindows],
    ["in a sliding window", slidingWindow],
    ["with a token bucket", tokenBucket],
  ];

  test.each(counters)(
    "%s never refuses the client, even without reporting a remainder",
    async (_how, counterOf) => {
      const property = fc.asyncProperty(anyStory, fc.nat(300_000), async (story, offsetMs) => {
        const counter = counterOf(story.rate, offsetMs);
        const tries = await run(story, ours, (nowMs) => replyOf(counter(nowMs), "silent"));
        expect(tries.filter(({ reply }) => reply.status === 429)).toEqual([]);
        expect(lastOf(tries)).toBeLessThanOrEqual(idealMs(story, tries) * 1.05);
      });
      await fc.assert(property, { numRuns: runs(100) });
    },
    120_000,
  );
});

/** A service that allows fewer requests than the client's budget, and reports the remainder. */
interface Strict {
  readonly concurrency: number;
  readonly strict: Rate;
  readonly offsetMs: number;
  readonly wantedMs: readonly number[];
  readonly ways: readonly Way[];
}

const shortMs = fc.integer({ min: 0, max: 1500 });
// The first report comes with the first answer, so the limit must cover the requests sent before.
const anyStrict: fc.Arbitrary<Strict> = fc
  .tuple(fc.integer({ min: 1, max: 32 }), fc.nat(100), fc.integer({ min: 1, max: 400 }))
  .chain(([concurrency, more, count]) =>
    fc.record({
      concurrency: fc.constant(concurrency),
      strict: fc.constant({ requests: concurrency + more, perMs: 300_000 }),
      offsetMs: fc.nat(300_000),
      wantedMs: fc.constant(all(count)),
      ways: fc.array(fc.record({ thereMs: shortMs, backMs: shortMs }), { minLength: 1, maxLength: 40 }),
    }),
  );

async function judgeStrict(story: Strict, makeLimit: MakeLimit): Promise<void> {
  const counter = fixedWindows(story.strict, story.offsetMs);
  const usual = { requests: 960, perMs: 300_000 };
  const tries = await run({ ...story, rate: usual }, makeLimit, (nowMs) => replyOf(counter(nowMs), "told"));
  expect(tries.filter(({ reply }) => reply.status === 429)).toEqual([]);
}

describe("a service that allows less than the budget", () => {
  test("never refuses the client if it reports the remainder", async () => {
    await fc.assert(
      fc.asyncProperty(anyStrict, (story) => judgeStrict(story, ours)),
      { numRuns: runs(150) },
    );
  }, 120_000);

  test.each<[string, (said: readonly Countdown[]) => readonly Countdown[]]>([
    ["ignores the remainder", () => []],
    ["only heeds a remainder of zero", (said) => said.filter(({ remaining }) => remaining === 0)],
  ])(
    "refuses a client that %s",
    async (_how, heard) => {
      const hardOfHearing: MakeLimit = (story, clock) => {
        const limit = ours(story, clock);
        return {
          enter: () => limit.enter(),
          end: () => {},
          turnAway: () => {},
          leave: (said) => limit.leave(said === null ? null : heard(said)),
          pause: (forMs) => limit.pause(forMs),
        };
      };
      const property = fc.asyncProperty(anyStrict, (story) => judgeStrict(story, hardOfHearing));
      const { failed } = await fc.check(property, { numRuns: 200, endOnFailure: true });
      expect(failed).toBe(true);
    },
    120_000,
  );
});

/** Invalid header values, and some valid ones that look odd. */
const oddNumber = fc.constantFrom(
  "0",
  "1",
  "-1",
  "",
  "7",
  "1e9",
  "0.5",
  "NaN",
  "99999999999999999999",
  "\u0000",
  "soon",
);
const oddDate = fc.oneof(
  oddNumber,
  fc.integer({ min: -1e6, max: 1e10 }).map((seconds) => new Date(seconds * 1000).toUTCString()),
);
const oddHeaders = fc.record(
  {
    ratelimit: fc.tuple(oddNumber, oddNumber).map(([r, t]) => `"default";r=${r};t=${t}`),
    "x-ratelimit-remaining": oddNumber,
    "x-ratelimit-reset": oddDate,
    "retry-after": oddDate,
    "retry-after-ms": oddNumber,
    date: oddDate,
  },
  { requiredKeys: [] },
);

describe("invalid headers", () => {
  test("never make a run exceed the budget or wait endlessly", async () => {
    const replies = fc.array(
      fc.record({ status: fc.constantFrom(200, 200, 429, 503), headers: oddHeaders }),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    const story = fc.record({
      concurrency: fc.integer({ min: 1, max: 32 }),
      rate,
      wantedMs: fc.integer({ min: 1, max: 30 }).map((count) => all(count)),
      ways: fc.array(fc.record({ thereMs: fc.nat(300), backMs: fc.nat(300) }), { minLength: 1 }),
    });
    const property = fc.asyncProperty(story, replies, async (each, said) => {
      let nth = 0;
      const { tries } = await carriedOut(each, ours, () => {
        const { status, headers } = said[nth++ % said.length] ?? { status: 200, headers: {} };
        return { status, headers, pauseMs: 0 };
      });
      expect(mostIn(each.rate.perMs, tries)).toBeLessThanOrEqual(each.rate.requests);
      const waits = tries.map(({ sentMs }, index) => sentMs - (tries[index - 1]?.endedMs ?? 0));
      expect(Math.max(0, ...waits)).toBeLessThanOrEqual(MAX_WAIT_MS + each.rate.perMs + 1);
    });
    await fc.assert(property, { numRuns: runs(300) });
  }, 120_000);
});
