import { describe, expect, test } from "vitest";
import { Remaining } from "../../src/api/limit.js";
import type { Countdown } from "../../src/api/wire.js";
import { fc } from "../support/random.js";

type Room = Pick<Remaining, "silent" | "hear" | "room">;

/** What may happen: a request is sent, or reaches the service, or ends, with a number or in silence. */
const steps = fc.array(
  fc.record({
    as: fc.constantFrom("send", "send", "arrive", "end", "end in silence"),
    which: fc.nat(),
  }),
  { maxLength: 120 },
);

interface UnderWay {
  readonly silentBefore: number;
  /** What the service says remained when it came; null: it is not there yet. */
  said: number | null;
}

/** A service that lets a number of requests through, and one client that hears of it first. */
const safety = (roomOf: () => Room) =>
  fc.property(fc.integer({ min: 1, max: 12 }), steps, (budget, story) => {
    const room = roomOf();
    let left = budget;
    let isSilent = false;
    const underWay: UnderWay[] = [];
    const arrive = (each: UnderWay) => {
      if (each.said !== null) return;
      left -= 1;
      each.said = left;
      expect(left).toBeGreaterThanOrEqual(0);
    };
    const end = (each: UnderWay, said: readonly Countdown[]) => {
      underWay.splice(underWay.indexOf(each), 1);
      room.hear(said, each.silentBefore, 0);
    };
    room.hear([{ remaining: budget, forMs: 1000 }], 0, 0);
    for (const { as, which } of [...story, ...Array(240).fill({ as: "end", which: 0 })]) {
      const each = underWay[which % Math.max(1, underWay.length)];
      if (as === "send") {
        if (room.room(0) > underWay.length) underWay.push({ silentBefore: room.silent, said: null });
      } else if (each !== undefined) {
        arrive(each);
        isSilent ||= as === "end in silence";
        if (as === "end") end(each, [{ remaining: each.said ?? 0, forMs: 1000 }]);
        if (as === "end in silence") end(each, []);
      }
    }
    // When all have been answered, what remains is known.
    if (!isSilent) expect(room.room(0)).toBe(left);
  });

describe("what remains", () => {
  test("is never exceeded, in whatever order requests come and answers go, and none of it is lost", () => {
    fc.assert(
      safety(() => new Remaining()),
      { numRuns: 2000 },
    );
  });

  test.each<[string, () => Room]>([
    ["by the last number alone", () => lastNumber(0)],
    ["by the lowest number alone, whoever is silent", () => lowestNumber()],
    ["by one less, for safety", () => lastNumber(1)],
  ])("is not kept to %s", (_how, naive) => {
    expect(fc.check(safety(naive), { numRuns: 2000 }).failed).toBe(true);
  });

  test("is known again after silence, once somebody has asked later", () => {
    const remaining = new Remaining();
    remaining.hear([{ remaining: 10, forMs: 1000 }], 0, 0);
    for (let each = 0; each < 5; each++) remaining.hear([], 0, 0);
    expect(remaining.room(0)).toBe(5);
    remaining.hear([{ remaining: 4, forMs: 1000 }], remaining.silent, 0);
    expect(remaining.room(0)).toBe(4);
  });

  test("is anything when nobody has said it, or its time has passed", () => {
    const remaining = new Remaining();
    expect(remaining.room(0)).toBe(Number.POSITIVE_INFINITY);
    remaining.hear([{ remaining: 0, forMs: 1000 }], 0, 0);
    expect([remaining.room(999), remaining.pauseMs(999)]).toEqual([0, 1]);
    expect([remaining.room(1000), remaining.pauseMs(1000)]).toEqual([Number.POSITIVE_INFINITY, 0]);
  });

  test("is fresh when the window is a later one", () => {
    const remaining = new Remaining();
    remaining.hear([{ remaining: 1, forMs: 1000 }], 0, 0);
    remaining.hear([{ remaining: 8, forMs: 60_000 }], 0, 900);
    expect([remaining.room(900), remaining.room(1000)]).toEqual([1, 8]);
  });
});

function lastNumber(lessBy: number): Room {
  let known = Number.POSITIVE_INFINITY;
  return {
    silent: 0,
    hear: ([said]) => {
      if (said !== undefined) known = said.remaining - lessBy;
    },
    room: () => known,
  };
}

function lowestNumber(): Room {
  let known = Number.POSITIVE_INFINITY;
  return {
    silent: 0,
    hear: ([said]) => {
      known = Math.min(known, said?.remaining ?? known);
    },
    room: () => known,
  };
}
