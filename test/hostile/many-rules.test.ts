import { expect, test } from "vitest";
import { tell as tellRule } from "../../src/kinds/custom-rules/strength.js";
import { requestsOf } from "../../src/kinds/expression.js";
import type { LiveRule } from "../../src/kinds/phase.js";
import { tell as tellLimit } from "../../src/kinds/rate-limits/strength.js";
import { type Entry, orderOf, placeFor } from "../../src/kinds/rule-places.js";
import { budgeted } from "../../src/model/work-budget.js";

function rules(count: number, rule: object): readonly LiveRule[] {
  return Array.from({ length: count }, (_, n) => ({
    id: String(n).padStart(32, "0"),
    description: `R${n}`,
    expression: `http.request.uri.path eq "/${n}"`,
    enabled: true,
    ...rule,
  }));
}

/** Each rule tells what it does, which depends on all rules behind it. */
function told(all: readonly LiveRule[], tell: typeof tellRule) {
  return budgeted("shop.example.com", () =>
    all.map((rule, index) => tell(rule, all.slice(index + 1)).effect),
  );
}

const ratelimit = { characteristics: ["ip.src"], period: 10, requests_per_period: 5 };

test.each([
  ["rate limits", tellLimit, [{ action: "block", ratelimit }]],
  ["custom rules", tellRule, [{ action: "challenge" }, { action: "block" }]],
] as const)("the work of telling thousands of undeclared %s is limited", (_title, tell, kinds) => {
  const listed = (count: number) => kinds.flatMap((kind) => rules(count, kind));
  expect(told(listed(100), tell).problems).toEqual([]);
  const { value, problems } = told(listed(1000), tell);
  expect(problems.map(({ code }) => code)).toEqual(["not_compared"]);
  expect(value).toContain("unknown");
});

test("telling which requests a live rule matches tries no long or costly search", () => {
  const never = 'http.request.uri.path eq "/a" and http.request.uri.path eq "/b"';
  expect(requestsOf(never)).toBe("no request");
  const pattern = 'http.request.uri.path matches "^/b" and http.request.uri.path eq "/a"';
  expect(requestsOf(pattern)).toBe(`requests that match ${pattern}`);
  const long = Array.from({ length: 50 }, (_, n) => `http.request.uri.path eq "/${n}"`).join(" and ");
  expect(requestsOf(long)).toMatch(/^requests that match /);
});

test("hundreds of new rules beside hundreds of others find their places", () => {
  const others = rules(500, { action: "block" });
  const entries = others.map(({ description }, index): Entry => {
    const position = { before: String(description) };
    return { index, id: null, about: [], position };
  });
  const order = orderOf(entries, others);
  const placed = entries.reduce<readonly object[]>((list, _, index) => {
    const place = placeFor(index, order, list as readonly LiveRule[]);
    return list.toSpliced(place, 0, { description: `new ${index}` });
  }, others);
  expect(placed.length).toBe(1000);
  expect(placed.slice(0, 4)).toMatchObject(
    ["new 0", "R0", "new 1", "R1"].map((description) => ({ description })),
  );
});
