import { expect, test } from "vitest";
import type { Layer } from "../../src/model/strength.js";
import { budgeted } from "../../src/model/work-budget.js";
import { withBlocking } from "../../src/strength/index.js";

const SELF = "script-src 'self'";
const CDN = "script-src cdn.example";
const CART = 'http.request.uri.path eq "/cart"';
/** An expression that cannot be decided. */
const UNDECIDED = 'newer_function(http.host) eq "a"';

const blocks = (where: string, csp: string): Layer => ({ mode: "enforce", where, csp });

function starts(before: readonly Layer[], after: readonly Layer[]): boolean | undefined {
  return withBlocking([{ change: 0, before, after }])[0]?.startsToBlock;
}

test.each<[string, boolean, readonly Layer[], readonly Layer[]]>([
  ["starts to block from nothing", true, [], [blocks(CART, SELF)]],
  ["does not start if it blocked before", false, [blocks(CART, SELF)], [blocks("true", CDN)]],
  ["starts if it blocked on no page before", true, [blocks("false", SELF)], [blocks(CART, SELF)]],
  ["starts if its earlier pages are undecided", true, [blocks(UNDECIDED, SELF)], [blocks(CART, SELF)]],
  [
    "does not start if its undecided pages stay the same",
    false,
    [blocks(UNDECIDED, SELF)],
    [blocks(UNDECIDED, CDN)],
  ],
  ["starts if its earlier value is undecided", true, [blocks(CART, "sandbox")], [blocks(CART, SELF)]],
])("a blocking object %s", (_, expected, before, after) => {
  expect(starts(before, after)).toBe(expected);
});

test("beyond the work limit, an object that blocked before counts as starting to block", () => {
  const ask = () => starts([blocks(CART, SELF)], [blocks("true", CDN)]);
  const { value, problems } = budgeted("shop.example.com", () => [ask(), ask()], 0);
  expect(value.at(-1)).toBe(true);
  expect(problems.map(({ code }) => code)).toEqual(["not_compared"]);
});
