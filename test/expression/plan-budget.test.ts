import { expect, test } from "vitest";
import { coverage } from "../../src/expression/coverage/coverage.js";
import { rememberedInPlan, withPlanBudget } from "../../src/expression/plan-budget.js";

/** Of one field, with a pattern that takes some work to compare. */
function pattern(n: number): string {
  return `http.request.uri.path matches "^/p${n}/[a-z0-9]+(foo|bar|baz)x{2,5}"`;
}

/** What comes of comparing some patterns with one, within so much work. */
function compared(work: number) {
  return withPlanBudget(() => Array.from({ length: 20 }, (_, n) => coverage(pattern(n), pattern(99))), work);
}

test("what a plan's budget does not reach is unknown, and the first of it is told", () => {
  const whole = compared(1_000_000_000);
  expect(whole.missed).toBeNull();
  expect(whole.value).not.toContain("unknown");
  const part = compared(500_000);
  const reached = part.value.indexOf("unknown");
  expect(reached).toBeGreaterThan(0);
  expect(part.value).toEqual([...whole.value.slice(0, reached), ...Array(20 - reached).fill("unknown")]);
  expect(part.missed).toBe(JSON.stringify([pattern(reached), pattern(99)]));
});

test("what was compared before, in this plan or another, makes no difference", () => {
  const first = compared(700_000);
  compared(1_000_000_000);
  expect(compared(700_000)).toEqual(first);
  const again = withPlanBudget(() => {
    const once = coverage(pattern(0), pattern(99));
    return [once, ...Array.from({ length: 1_000 }, () => coverage(pattern(0), pattern(99)))];
  }, 1);
  expect([new Set(again.value).size, again.missed]).toEqual([1, null]);
});

test("what rests on an answer is not taken from one plan into another", () => {
  const isApart = rememberedInPlan((n) => coverage(pattern(Number(n)), pattern(99)) === "disjoint");
  const ask = () => [isApart("1"), isApart("2"), isApart("3")];
  expect(withPlanBudget(ask, 1).value).toEqual([true, false, false]);
  expect(withPlanBudget(ask).value).toEqual([true, true, true]);
  expect(withPlanBudget(ask, 1).value).toEqual([true, false, false]);
  expect(ask()).toEqual([true, true, true]);
});
