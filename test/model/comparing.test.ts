import { expect, test } from "vitest";
import { coverage } from "../../src/expression/coverage/coverage.js";
import { budgeted, chargedOnce, isSpent } from "../../src/model/comparing.js";

const ZONE = "shop.example.com";

/** Of one field, with a pattern that takes some work to compare. */
function pattern(n: number): string {
  return `http.request.uri.path matches "^/p${n}/[a-z0-9]+(foo|bar|baz)x{2,5}"`;
}

/** The answers for some patterns against one of them, within so much work. */
function compared(work: number) {
  return budgeted(ZONE, () => Array.from({ length: 20 }, (_, n) => coverage(pattern(n), pattern(99))), work);
}

test("what a zone's budget does not reach is unknown, and one warning names where it ended", () => {
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

test("what was compared before, for this zone or another, makes no difference", () => {
  const first = compared(700_000);
  compared(1_000_000_000);
  expect(compared(700_000)).toEqual(first);
});

test("a question that is asked again is answered once, and takes a look", () => {
  let answers = 0;
  const ask = () => chargedOnce(["sum", "1", "2"], () => ({ value: ++answers, work: 0 }), null);
  const asked = (times: number) => budgeted(ZONE, () => Array.from({ length: times }, ask), 25_000);
  const { value, problems } = asked(1_000);
  expect([answers, new Set(value).size, problems]).toEqual([1, 1, []]);
  expect(asked(1_010).value.at(-1)).toBeNull();
});

test("a call within another one has the budget of that, which tells of it", () => {
  const outer = budgeted(ZONE, () => [compared(1_000_000_000), compared(1_000_000_000)], 500_000);
  expect(outer.value.map(({ problems }) => problems)).toEqual([[], []]);
  expect([outer.value[0]?.value, outer.problems]).toEqual([
    compared(500_000).value,
    compared(500_000).problems,
  ]);
});

test("a budget that the last answer spends is told, as nothing after it would be compared", () => {
  const spend = () => [chargedOnce(["sum", "1", "2"], () => ({ value: 3, work: 1 }), null), isSpent()];
  expect(budgeted(ZONE, spend, 0)).toEqual({
    value: [3, true],
    problems: [expect.objectContaining({ code: "not_compared" })],
  });
});
