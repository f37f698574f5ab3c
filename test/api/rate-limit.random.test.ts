import { describe, expect, test } from "vitest";
import { Client, type Parts } from "../../src/api/client.js";
import { Limit } from "../../src/api/limit.js";
import type { Countdown } from "../../src/api/wire.js";
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
 * The client, with its queue and its repetitions, in simulated time. Two things must hold of what it sends: never more
 * than the budget in any window, wherever between sending and answer each request counts; and it is done within 5 % of
 * the ideal time.
 *
 * The ideal is what no client can beat that does not know when a request reaches the service: it is only safe to send
 * if all requests that may still count in the window before, that is, all that were answered within it or not at all
 * yet, leave a place. It knows nothing else that is hidden, and wastes nothing: each try goes out as soon as the
 * budget, the concurrency and the pauses asked for allow, in the order of the queue.
 */
interface Story {
  readonly concurrency: number;
  readonly rate: Rate;
  /** When each request is wanted. */
  readonly wantedMs: readonly number[];
  /** For the nth try; they are used in turn. */
  readonly ways: readonly Way[];
  /** Somebody else has used up the limit: what comes meanwhile is refused, and a pause asked for until it is over. */
  readonly blocks: readonly Block[];
  readonly form: "seconds" | "milliseconds" | "date";
}

interface Block {
  readonly fromMs: number;
  readonly untilMs: number;
}

type MakeLimit = (story: Pick<Story, "concurrency" | "rate">, clock: Simulated) => Parts["limit"];

const ours: MakeLimit = ({ concurrency, rate }, clock) =>
  new Limit({ concurrency, rate, maxWaitMs: MAX_WAIT_MS }, clock);

function told(story: Story, makeLimit: MakeLimit = ours): Promise<readonly Try[]> {
  return run(story, makeLimit, (nowMs) => {
    const pauseMs = refusedForMs(story, nowMs);
    if (pauseMs === null) return { status: 200, headers: {}, pauseMs: 0 };
    return { status: 429, headers: retryAfter(pauseMs, story.form, nowMs), pauseMs };
  });
}

/** The pause that is asked of what comes at this time, in whole seconds; null: it is not refused. */
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
  const at = connection("http://127.0.0.1", { concurrency, rate, maxWaitMs: MAX_WAIT_MS });
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

/** The most that a service may count in one window, both its ends included: what may have come at any one time or later. */
function mostIn(perMs: number, tries: readonly Try[]): number {
  return Math.max(
    0,
    ...tries.map(
      ({ sentMs }) => tries.filter((each) => each.sentMs <= sentMs && each.endedMs >= sentMs - perMs).length,
    ),
  );
}

/** Tries that were sent though a pause had been heard of. */
function pauseBreakers(tries: readonly Try[]): readonly Try[] {
  const pauses = tries.map(({ endedMs, reply }) => ({ fromMs: endedMs, untilMs: endedMs + reply.pauseMs }));
  return tries.filter(({ sentMs }) =>
    pauses.some(({ fromMs, untilMs }) => sentMs > fromMs && sentMs < untilMs),
  );
}

/**
 * When the ideal client has its last answer, if its tries are answered as these were, and it keeps the same pauses.
 *
 * @param knows whether it is told when requests arrive: then places are free a window after that
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
      // A window has both its ends in it.
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

/** The nth latest of some times. */
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
// A request is tried six times at most, and each block may refuse it once.
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
  const tries = await told(story, makeLimit);
  expect(mostIn(story.rate.perMs, tries)).toBeLessThanOrEqual(story.rate.requests);
  expect(pauseBreakers(tries)).toEqual([]);
  expect(lastOf(tries)).toBeLessThanOrEqual(idealMs(story, tries) * 1.05);
}

/** What limiters get wrong. */
const quiet = { blocks: [], form: "seconds" } as const;
const at = (thereMs: number, backMs: number): Way => ({ thereMs, backMs });
const all = (count: number, atMs = 0) => Array<number>(count).fill(atMs);
const named: readonly (readonly [sentence: string, story: Story])[] = [
  [
    "requests that are long on their way, and then ones that are not",
    {
      concurrency: 10,
      rate: { requests: 10, perMs: 60_000 },
      wantedMs: all(20),
      ways: [...Array<Way>(10).fill(at(30_000, 0)), ...Array<Way>(10).fill(at(0, 0))],
      ...quiet,
    },
  ],
  [
    "a burst at the end of a window, and one at the beginning of the next",
    {
      concurrency: 32,
      rate: { requests: 20, perMs: 60_000 },
      wantedMs: [...all(20, 59_000), ...all(20, 61_000)],
      ways: [at(0, 0)],
      ...quiet,
    },
  ],
  [
    "less than one window's requests, all at once",
    {
      concurrency: 32,
      rate: { requests: 40, perMs: 300_000 },
      wantedMs: all(40),
      ways: [at(20, 20)],
      ...quiet,
    },
  ],
  [
    "one request in each window, for 32 workers",
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
    "a refusal of all that are under way",
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
    "the usual: 3,000 requests, 960 of them in five minutes",
    {
      concurrency: 4,
      rate: { requests: 960, perMs: 300_000 },
      wantedMs: all(3000),
      ways: [at(20, 130)],
      ...quiet,
    },
  ],
];

describe("the budget is kept, and no time is lost,", () => {
  test.each(named)("with %s", async (_sentence, story) => {
    await judge(story);
  });

  test("whatever comes", async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, (story) => judge(story)),
      { numRuns: runs(400) },
    );
  }, 120_000);

  test("also against a client that would know when its requests arrive, with usual latencies", async () => {
    const [, usual] = named.at(-1) ?? [];
    if (usual === undefined) throw new Error("the usual is the last one");
    const tries = await told(usual);
    expect(lastOf(tries)).toBeLessThanOrEqual(idealMs(usual, tries, "arrivals") * 1.05);
  });

  test.each<[string, MakeLimit]>([
    ["places that are free a window after sending", naive(freeAfterSending)],
    ["requests spread evenly over the window", naive(evenly)],
    ["a count that starts anew with each window", naive(countedAnew)],
    ["places that are free two windows after the answer", naive(freeAfter(2))],
    ["no ear for pauses", naive(freeAfter(1), "deaf")],
  ])(
    "which cannot be said of %s",
    async (_how, makeLimit) => {
      const property = fc.asyncProperty(anyStory, (story) => judge(story, makeLimit));
      const { failed } = await fc.check(property, { numRuns: 400, endOnFailure: true });
      expect(failed).toBe(true);
    },
    120_000,
  );

  test("which is the fault of their rules: with the right one, the same simple queue does it", async () => {
    const property = fc.asyncProperty(anyStory, (story) => judge(story, naive(freeAfter(1))));
    await fc.assert(property, { numRuns: runs(100) });
  }, 120_000);
});

interface Seen {
  readonly sentMs: readonly number[];
  readonly endedMs: readonly number[];
}

/** How long until one more may be sent. */
type Rule = (rate: Rate, seen: Seen, nowMs: number) => number;

/** A queue that sends by a rule, one by one. */
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
      between: () => true,
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

describe("a service that blocks and does not say until when", () => {
  const story = {
    concurrency: 4,
    rate: { requests: 960, perMs: 300_000 },
    wantedMs: Array.from({ length: 60 }, () => 0),
    ways: [{ thereMs: 20, backMs: 130 }],
  };
  const blockedFor = (ms: number, headers: Reply["headers"] = {}) =>
    carriedOut(story, ours, (nowMs) =>
      nowMs > 300 && nowMs < 300 + ms
        ? { status: 429, headers, pauseMs: 0 }
        : { status: 200, headers: {}, pauseMs: 0 },
    );

  test.each([1, 10, 60, 299])("for %d s is waited for, with few requests meanwhile", async (seconds) => {
    const { results, tries } = await blockedFor(seconds * 1000);
    expect(results.every((each) => each.ok)).toBe(true);
    expect(tries.filter(({ reply }) => reply.status === 429).length).toBeLessThanOrEqual(24);
    expect(lastOf(tries)).toBeLessThan(335_000);
  });

  test("for longer than it documents is no longer waited for", async () => {
    const { results, tries } = await blockedFor(10_000_000);
    expect(results.filter((each) => !each.ok).length).toBeGreaterThan(50);
    expect(lastOf(tries)).toBeLessThan(345_000);
  });
});

describe("a service that counts", () => {
  const counters: readonly (readonly [string, (rate: Rate, offsetMs: number) => Counter])[] = [
    ["in windows of its own", fixedWindows],
    ["in any window", slidingWindow],
    ["by a bucket that fills", tokenBucket],
  ];

  test.each(counters)(
    "%s has nothing to refuse, and need not say what remains",
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

/** A service that lets through less than the client would send, and says what remains. */
interface Strict {
  readonly concurrency: number;
  readonly strict: Rate;
  readonly offsetMs: number;
  readonly wantedMs: readonly number[];
  readonly ways: readonly Way[];
}

const shortMs = fc.integer({ min: 0, max: 1500 });
// The service's word comes with the first answer: what is sent before must be few enough.
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

describe("a service that lets through less than the budget", () => {
  test("has nothing to refuse if it says what remains", async () => {
    await fc.assert(
      fc.asyncProperty(anyStrict, (story) => judgeStrict(story, ours)),
      { numRuns: runs(150) },
    );
  }, 120_000);

  test.each<[string, (said: readonly Countdown[]) => readonly Countdown[]]>([
    ["does not listen", () => []],
    ["listens only when nothing remains", (said) => said.filter(({ remaining }) => remaining === 0)],
  ])(
    "refuses a client that %s",
    async (_how, heard) => {
      const hardOfHearing: MakeLimit = (story, clock) => {
        const limit = ours(story, clock);
        return {
          enter: () => limit.enter(),
          between: () => true,
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

/** What nobody should send, and what only looks like it. */
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

describe("headers without sense", () => {
  test("make no run faster than the budget, and no run endless", async () => {
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
