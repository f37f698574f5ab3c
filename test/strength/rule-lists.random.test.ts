import { describe, expect, test } from "vitest";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { rememberedText } from "../../src/model/remembered.js";
import type { Effect, Shift } from "../../src/model/strength.js";
import { effectOf } from "../../src/strength/index.js";
import type { ListedAction, ListedRule } from "../../src/strength/list-outcomes.js";
import { compareLists } from "../../src/strength/rule-lists.js";
import { fc, fixedSample, runs, untilMet } from "../support/random.js";

/** Together these requests have every combination of answers that the conditions below can have. */
const requests = ["/", "/a", "/a/b", "/ab", "/c", "/d"].flatMap((path) =>
  ["GET", "POST"].flatMap((method) =>
    ["DE", "FR", "GB"].flatMap((country) =>
      [true, false].map((ssl) => ({
        "http.request.uri.path": path,
        "http.request.method": method,
        "ip.src.country": country,
        ssl,
      })),
    ),
  ),
);

const conditions = [
  "true",
  "ssl",
  'http.request.uri.path eq "/a"',
  'starts_with(http.request.uri.path, "/a")',
  'http.request.uri.path in {"/" "/c"}',
  'http.request.method eq "POST"',
  'ip.src.country eq "DE"',
  'ip.src.country in {"DE" "FR"}',
];

const condition = fc
  .tuple(fc.constantFrom(...conditions), fc.boolean())
  .map(([text, isNot]) => (isNot ? `not ${text}` : text));
const expression = fc.oneof(
  { arbitrary: condition, weight: 3 },
  fc.tuple(condition, fc.constantFrom("and", "or"), condition).map((parts) => parts.join(" ")),
);

const skipped = fc.uniqueArray(fc.constantFrom("managed rulesets", "rate limits", "bic"), { maxLength: 2 });
const sureAction: fc.Arbitrary<ListedAction> = fc.oneof(
  fc.constantFrom("block", "challenge", "log").map((as) => ({ as }) as ListedAction),
  fc.tuple(fc.boolean(), skipped).map(([rest, past]): ListedAction => ({ as: "skip", rest, past })),
);
const otherAction = fc
  .constantFrom("execute 1", "execute 2")
  .map((is): ListedAction => ({ as: "other", is }));

type List = readonly ListedRule[];

interface Change {
  readonly before: List;
  readonly after: List;
}

/** One rule that comes, goes, changes or moves; or another list. */
function changesOf(action: fc.Arbitrary<ListedAction>): fc.Arbitrary<Change> {
  const rule: fc.Arbitrary<ListedRule> = fc.record({
    name: fc.constantFrom("A", "B", "C", "D"),
    expression,
    does: action,
  });
  const list = fc.array(rule, { maxLength: 6 });
  const place = fc.nat({ max: 6 });
  return fc.oneof(
    fc
      .tuple(list, rule, place)
      .map(([before, each, at]) => ({ before, after: before.toSpliced(at, 0, each) })),
    fc.tuple(list, place).map(([before, at]) => ({ before, after: before.toSpliced(at, 1) })),
    fc
      .tuple(list, rule, place)
      .map(([before, each, at]) => ({ before, after: before.toSpliced(at, 1, each) })),
    fc.tuple(list, place, place).map(([before, from, to]) => ({
      before,
      after: before.toSpliced(from, 1).toSpliced(to, 0, ...before.slice(from, from + 1)),
    })),
    fc.tuple(list, list).map(([before, after]) => ({ before, after })),
  );
}

const RANKS = { block: 3, challenge: 2, log: 1 } as const;

interface Met {
  readonly rank: number;
  readonly skipped: ReadonlySet<string>;
}

const answers = rememberedText((text) => requests.map((each) => matchesRequest(text, each)));

function matchesRequest(text: string, request: Readonly<Record<string, unknown>>): boolean {
  const answer = evaluate(text, request);
  if (answer === "unknown") throw new Error(`${text} is undecided for ${JSON.stringify(request)}`);
  return answer;
}

/** Runs a list for one request, rule by rule. */
function meet(list: List, matches: (expression: string) => boolean, solves: boolean): Met {
  let rank = 0;
  const past = new Set<string>();
  for (const { expression, does } of list) {
    if (!matches(expression)) continue;
    if (does.as === "other") throw new Error("a rule of unknown reach cannot be run");
    if (does.as === "skip") {
      for (const each of does.past) past.add(each);
      if (does.rest) break;
      continue;
    }
    rank = Math.max(rank, RANKS[does.as]);
    if (does.as === "block" || (does.as === "challenge" && !solves)) break;
  }
  return { rank, skipped: rank === RANKS.block ? new Set() : past };
}

interface Found {
  readonly stopped: Effect;
  readonly skipped: Effect;
  /** Whether some request is newly challenged or blocked, or skips less. */
  readonly blocks: boolean;
}

/** What a request meets before and after, for clients that solve challenges and for those that do not. */
function meetings(
  { before, after }: Change,
  matches: (expression: string) => boolean,
): readonly (readonly [Met, Met])[] {
  return [true, false].map(
    (solves) => [meet(before, matches, solves), meet(after, matches, solves)] as const,
  );
}

/** The effect of a change, request by request. */
function found(change: Change): Found {
  const pairs = requests.flatMap((_, index) => meetings(change, (text) => answers(text)[index] === true));
  return {
    stopped: effect(
      pairs.some(([a, b]) => b.rank < a.rank),
      pairs.some(([a, b]) => b.rank > a.rank),
    ),
    skipped: effect(
      pairs.some(([a, b]) => skipsMore(a, b)),
      pairs.some(([a, b]) => skipsMore(b, a)),
    ),
    blocks: pairs.some(([a, b]) => (b.rank > a.rank && b.rank >= RANKS.challenge) || skipsMore(b, a)),
  };
}

function skipsMore(before: Met, after: Met): boolean {
  return [...after.skipped].some((each) => !before.skipped.has(each));
}

function effect(isLoss: boolean, isGain: boolean): Effect {
  if (isLoss) return isGain ? "mixed" : "weakens";
  return isGain ? "strengthens" : "neutral";
}

function told(shifts: readonly Shift[]): Omit<Found, "blocks"> {
  const of = (name: string) => effectOf(shifts.filter(({ dimension }) => dimension === name));
  return { stopped: of("stopped"), skipped: of("skipped") };
}

/** Whether a request is stopped less, or skips more, for some clients. */
function losesIn(dimension: string, change: Change, request: Readonly<Record<string, unknown>>): boolean {
  return meetings(change, (text) => matchesRequest(text, request)).some(([a, b]) =>
    dimension === "stopped" ? b.rank < a.rank : skipsMore(a, b),
  );
}

describe("the effect of a changed list", () => {
  test("equals the result of running both lists for each request", async () => {
    await untilMet(
      { weakens: runs(400), strengthens: runs(400), mixed: runs(100), neutral: runs(100) },
      (met) =>
        fc.property(changesOf(sureAction), (change) => {
          const shifts = compareLists(change.before, change.after).shifts;
          const { blocks, ...effects } = found(change);
          expect(told(shifts)).toEqual(effects);
          expect(compareLists(change.before, change.after).blocking.length > 0).toBe(blocks);
          met(effectOf(shifts));
        }),
      runs(9_000),
    );
  });

  test("every loss has a witness that loses", () => {
    const property = fc.property(changesOf(sureAction), (change) => {
      for (const { dimension, way, witness } of compareLists(change.before, change.after).shifts) {
        if (way === "stronger") expect(witness).toBeNull();
        else expect(witness?.as === "request" && losesIn(dimension, change, witness.request)).toBe(true);
      }
    });
    fc.assert(property, { numRuns: runs(2_000) });
  });

  test("mirrors when before and after are swapped", () => {
    const mirrored = { weakens: "strengthens", strengthens: "weakens" } as Readonly<Record<string, string>>;
    const property = fc.property(changesOf(sureAction), ({ before, after }) => {
      const [forth, back] = [
        effectOf(compareLists(before, after).shifts),
        effectOf(compareLists(after, before).shifts),
      ];
      expect(back).toBe(mirrored[forth] ?? forth);
    });
    fc.assert(property, { numRuns: runs(2_000) });
  });

  test("is never better than the result for anything that unknown rules may do", async () => {
    const mayBe: readonly ListedAction[] = [
      { as: "block" },
      { as: "challenge" },
      { as: "log" },
      { as: "skip", rest: false, past: [] },
      { as: "skip", rest: true, past: [] },
      { as: "skip", rest: false, past: ["bic", "managed rulesets"] },
      { as: "skip", rest: false, past: ["another phase"] },
    ];
    const known = (list: List, one: ListedAction, two: ListedAction): List =>
      list.map((each) =>
        each.does.as === "other" ? { ...each, does: each.does.is === "execute 1" ? one : two } : each,
      );
    await untilMet(
      { unknown: runs(100), strengthens: runs(50), weakens: runs(50) },
      (met) =>
        fc.property(changesOf(fc.oneof({ arbitrary: sureAction, weight: 3 }, otherAction)), (change) => {
          const shifts = told(compareLists(change.before, change.after).shifts);
          const results = mayBe.flatMap((one) =>
            mayBe.map((two) =>
              found({ before: known(change.before, one, two), after: known(change.after, one, two) }),
            ),
          );
          for (const dimension of ["stopped", "skipped"] as const) {
            const isSafe = ["strengthens", "neutral"].includes(shifts[dimension]);
            const worse = isSafe ? ["weakens", "mixed"] : [];
            const opposite = shifts[dimension] === "weakens" ? ["strengthens"] : [];
            const all = results.map((each) => each[dimension]);
            expect(all.filter((each) => [...worse, ...opposite].includes(each))).toEqual([]);
          }
          met(shifts.stopped);
        }),
      runs(1_500),
    );
  });

  test("is never better than the result for any meaning of an account's list", () => {
    const inList = fc.constantFrom("ip.src in $list", "not ip.src in $list", "ip.src in $list and ssl");
    const meanings = ["true", "not ssl", 'http.request.uri.path eq "/a"', 'ip.src.country eq "DE"'];
    const property = fc.property(changesOf(sureAction), inList, fc.nat({ max: 5 }), (change, text, at) => {
      const withText = (list: List, expression: string) =>
        list.map((each, index) => (index === at ? { ...each, expression } : each));
      const both = (expression: string): Change => ({
        before: withText(change.before, expression),
        after: withText(change.after, expression),
      });
      const { before, after } = both(text);
      const shifts = told(compareLists(before, after).shifts);
      for (const meaning of meanings) {
        const result = found(both(text.replace("ip.src in $list", `(${meaning})`)));
        for (const dimension of ["stopped", "skipped"] as const)
          if (shifts[dimension] === "strengthens" || shifts[dimension] === "neutral")
            expect(["strengthens", "neutral"]).toContain(result[dimension]);
      }
    });
    fc.assert(property, { numRuns: runs(1_500) });
  });

  test("is rarely unknown in ordinary lists", () => {
    const share = fixedSample(changesOf(sureAction), 200).filter(
      ({ before, after }) => effectOf(compareLists(before, after).shifts) === "unknown",
    );
    expect(share).toEqual([]);
  });
});
