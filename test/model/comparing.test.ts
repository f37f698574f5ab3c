import { expect, test } from "vitest";
import { coverage } from "../../src/expression/coverage/coverage.js";
import { budgeted, chargedOnce, isSpent } from "../../src/model/work-budget.js";

const ZONE = "shop.example.com";

/** A pattern on one field that takes some work to compare. */
function pattern(n: number): string {
  return `http.request.uri.path matches "^/p${n}/[a-z0-9]+(foo|bar|baz)x{2,5}"`;
}

/** The answers for 20 patterns against one other pattern, with this budget. */
function compared(work: number) {
  return budgeted(ZONE, () => Array.from({ length: 20 }, (_, n) => coverage(pattern(n), pattern(99))), work);
}

test("comparisons beyond the zone's budget are unknown, and one warning names the last compared pair", () => {
  const whole = compared(1_000_000_000);
  expect(whole.problems).toEqual([]);
  expect(whole.value).not.toContain("unknown");
  const part = compared(500_000);
  const reached = part.value.indexOf("unknown");
  expect(reached).toBeGreaterThan(0);
  expect(part.value).toEqual([...whole.value.slice(0, reached), ...Array(20 - reached).fill("unknown")]);
  expect(part.problems).toEqual([
    expect.objectContaining({
      code: "not_compared",
      severity: "warning",
      detail: expect.stringContaining(
        `${JSON.stringify(pattern(reached - 1))} and ${JSON.stringify(pattern(99))}`,
      ),
    }),
  ]);
});

test("earlier comparisons do not change the answers", () => {
  const first = compared(700_000);
  compared(1_000_000_000);
  expect(compared(700_000)).toEqual(first);
});

test("a repeated question is computed once, and costs one lookup", () => {
  let answers = 0;
  const ask = () => chargedOnce(["sum", "1", "2"], () => ({ value: ++answers, work: 0 }), null);
  const answersOf = (times: number) => budgeted(ZONE, () => Array.from({ length: times }, ask), 25_000);
  const { value, problems } = answersOf(1_000);
  expect([answers, new Set(value).size, problems]).toEqual([1, 1, []]);
  expect(answersOf(1_010).value.at(-1)).toBeNull();
});

test("a question of several zones is computed once, and each zone pays for its answer", () => {
  let answers = 0;
  const ask = () => chargedOnce(["sum", "2", "2"], () => ({ value: ++answers, work: 10_000 }), null);
  const zones = [1, 2].map(() => budgeted(ZONE, () => [ask(), isSpent()], 12_000).value);
  expect([answers, zones]).toEqual([
    1,
    [
      [1, true],
      [1, true],
    ],
  ]);
});

test("an answer has the questions inside it answered, and paid for, whichever zone asks first", () => {
  const inside = () => chargedOnce(["sum", "3", "3"], () => ({ value: 6, work: 10_000 }), null);
  const ask = () => chargedOnce(["list", "3", "3"], () => ({ value: [inside()], work: 10_000 }), null);
  const zones = [12_000, 26_000, 40_000].map((work) => budgeted(ZONE, () => [ask(), isSpent()], work).value);
  expect(zones).toEqual([
    [[6], true],
    [[6], true],
    [[6], false],
  ]);
});

test("a nested call uses the outer budget, and only the outer call reports that budget as spent", () => {
  const outer = budgeted(ZONE, () => [compared(1_000_000_000), compared(1_000_000_000)], 500_000);
  expect(outer.value.map(({ problems }) => problems)).toEqual([[], []]);
  expect([outer.value[0]?.value, outer.problems]).toEqual([
    compared(500_000).value,
    compared(500_000).problems,
  ]);
});

test("a budget that the last answer spends is reported, because no later comparison would run", () => {
  const spend = () => [chargedOnce(["sum", "1", "3"], () => ({ value: 4, work: 1 }), null), isSpent()];
  expect(budgeted(ZONE, spend, 0)).toEqual({
    value: [4, true],
    problems: [expect.objectContaining({ code: "not_compared" })],
  });
});
