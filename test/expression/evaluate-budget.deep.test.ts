import { describe, expect, test } from "vitest";
import { newBudget } from "../../src/expression/budget.js";
import { newEffort } from "../../src/expression/evaluate/compare.js";
import { evaluate, evaluateTree } from "../../src/expression/evaluate/evaluate.js";
import { parse } from "../../src/expression/parse/parse.js";

describe("the budget of one evaluation", () => {
  const text = "abc".repeat(30_000);
  const patterns = Array.from({ length: 40 }, (_, n) => `http.host matches "(a|b|c|ab|a.){900}x${n}"`);
  const cases: readonly (readonly [says: string, expression: string, given: Record<string, unknown>])[] = [
    ["patterns", patterns.join(" or "), { "http.host": text }],
    [
      "patterns that are expensive to compile",
      many(1000, (n) => `http.host matches "(a{100}){98}${n}"`),
      { "http.host": "a" },
    ],
    [
      "texts that are almost equal",
      many(140, (n) => `http.host contains "${"a".repeat(900)}b${"a".repeat(900)}${n}"`),
      { "http.host": "a".repeat(90_000) },
    ],
    ["functions", many(1000, (n) => `lower(http.host) eq "${n}"`), { "http.host": text }],
    [
      "lists",
      many(1000, (n) => `any(http.request.headers.names[*] eq "${n}")`),
      { "http.request.headers.names": Array(10_000).fill("x") },
    ],
  ];
  test.each(cases)("ends the evaluation with unknown after too many %s", (_says, expression, given) => {
    const parsed = parse(expression);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    const effort = newEffort();
    expect(evaluateTree(parsed.tree, given, effort)).toBe("unknown");
    expect(effort.budget.left).toBeLessThan(0);
    expect(effort.budget.left).toBeGreaterThan(-newBudget().left / 10);
  });

  test("leaves an outcome decided that other conditions decide", () => {
    const given = { "http.host": text, ssl: true };
    expect(evaluate(`ssl or ${patterns.join(" or ")}`, given)).toBe(true);
    expect(evaluate(`(${patterns.join(" or ")}) and not ssl`, given)).toBe("unknown");
    expect(evaluate(`not ssl and (${patterns.join(" or ")})`, given)).toBe(false);
  });

  test("covers a large set compared with many values", () => {
    const effort = newEffort();
    const set = many(2000, (n) => `"h${n}.example"`, " ");
    const parsed = parse(`any(http.request.headers.names[*] in {${set}})`);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    const given = { "http.request.headers.names": Array.from({ length: 10_000 }, (_, n) => `x${n}`) };
    expect(evaluateTree(parsed.tree, given, effort)).toBe(false);
    expect(newBudget().left - effort.budget.left).toBeLessThan(1_000_000);
  });
});

function many(count: number, each: (n: number) => string, between = " or "): string {
  return Array.from({ length: count }, (_, n) => each(n)).join(between);
}
