import { describe, expect, test } from "vitest";
import { newBudget } from "../../src/expression/budget.js";
import { coverage, witness } from "../../src/expression/coverage/coverage.js";
import { createDiagram, FALSE, TooLarge, TRUE } from "../../src/expression/coverage/diagram.js";
import { formulasOf } from "../../src/expression/coverage/formula.js";
import { newEffort } from "../../src/expression/evaluate/compare.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { parse } from "../../src/expression/parse/parse.js";

describe("large expressions", () => {
  test.each([
    ["two sets of 200 hosts", hosts(0), hosts(100)],
    ["two sets of 200 hosts in lower case", lowered(hosts(0)), lowered(hosts(100))],
    ["a set and a chain of 100", hosts(0), chain(80)],
  ])("compares %s in few steps", (_name, a, b) => {
    expect(coverage(a, b)).toBe("overlaps");
    expect(workOn(a, b)).toBeLessThan(1_000_000);
  });

  test("compares rows of pairs in few steps, in any order of their conditions", () => {
    const pairs = (from: number, to: number, second = "http.request.uri.path") =>
      Array.from({ length: to - from }, (_, n) => {
        const [a, b] = [(from + n) * 7919, (from + n) * 104729];
        return `(http.host contains "a${a}" and ${second} contains "b${b}")`;
      }).join(" or ");
    expect(coverage(pairs(0, 20), pairs(0, 19))).toBe("superset");
    expect(coverage(pairs(0, 20, "http.host"), pairs(0, 19, "http.host"))).toBe("superset");
    expect(workOn(pairs(0, 20), pairs(10, 30))).toBeLessThan(10_000_000);
    const [one, other] = [1, 7].map((step) =>
      Array.from(
        { length: 31 },
        (_, n) =>
          `(http.host contains "a${n * 7919}" and http.cookie contains "b${((n * step) % 31) * 104729}")`,
      ).join(" or "),
    );
    expect(coverage(one ?? "", other ?? "")).toBe("unknown");
  });

  test("answers unknown for too many overlaps, and decides a simpler pair of the same size", () => {
    const many = (operator: string, from: number) =>
      Array.from({ length: 60 }, (_, n) => `http.host contains "${(from + n) * 7919}"`).join(` ${operator} `);
    expect(coverage(many("or", 0), many("xor", 30))).toBe("unknown");
    expect(coverage(many("and", 0), many("or", 30))).toBe("subset");
  });
});

function hosts(from: number): string {
  const names = Array.from({ length: 200 }, (_, n) => `"h${from + n}.example.com"`);
  return `http.host in {${names.join(" ")}}`;
}

function lowered(expression: string): string {
  return expression.replace("http.host", "lower(http.host)");
}

function chain(from: number): string {
  return Array.from({ length: 100 }, (_, n) => `http.host eq "h${from + n + 100}.example.com"`).join(" or ");
}

describe("expressions of any size and depth", () => {
  const list = (n: number) => `ip.src in $l${n}`;
  const header = (n: number) => `http.request.headers["h${n}"][0] eq "a"`;

  test.each(["or", "and", "xor"] as const)("allow 4,000 conditions joined by %s, balanced", (operator) => {
    const [whole, half] = [balanced(4000, list, operator), balanced(2000, list, operator)];
    const wider = { or: "superset", and: "subset", xor: "unknown" } as const;
    expect(coverage(whole, whole)).toBe("equal");
    expect(coverage(whole, half)).toBe(wider[operator]);
    expect(witness(whole, "ssl")).toBe(null);
  });

  test.each(["or", "and", "xor"] as const)("allow 4,000 conditions joined by %s, in a row", (operator) => {
    const row = Array.from({ length: 4000 }, (_, n) => list(n)).join(` ${operator} `);
    expect(coverage(row, balanced(4000, list, operator))).toBe("equal");
  });

  test("allow 4,000 conditions and find a request that meets all of them", () => {
    const all = balanced(4000, header, "and");
    const request = witness(all, "ssl");
    expect(request).not.toBe(null);
    expect(evaluate(all, request ?? {})).toBe(true);
  });

  test("allow the deepest nesting of parentheses", () => {
    let deep = list(0);
    for (let level = 1; level < 60; level += 1)
      deep = `not (${deep} ${level % 2 === 0 ? "or" : "and"} ${list(level)})`;
    expect(coverage(deep, deep)).toBe("equal");
    expect(coverage(deep, `not (${deep})`)).toBe("disjoint");
    expect(coverage(deep, `ssl or ${deep}`)).toBe("subset");
  });

  test("allow more levels in a diagram than the stack has room for", () => {
    const diagram = createDiagram(newBudget());
    let all = TRUE;
    for (let level = 50_000; level >= 0; level -= 1) all = diagram.node(level, [FALSE, all]);
    const none = diagram.combine("xor", all, TRUE);
    expect(diagram.combine("and", all, none)).toBe(FALSE);
    expect(diagram.combine("or", all, none)).toBe(TRUE);
    const [way, ...others] = [...diagram.ways(all)];
    expect([way?.size, others]).toEqual([50_001, []]);
  });

  test("stop an endlessly growing diagram", () => {
    const diagram = createDiagram(newBudget());
    const endless = () => {
      for (let level = 0; ; level += 1) diagram.node(level, [FALSE, TRUE]);
    };
    expect(endless).toThrow(TooLarge);
  });
});

function balanced(count: number, leaf: (n: number) => string, operator: string, from = 0): string {
  if (count === 1) return leaf(from);
  const half = count >> 1;
  const [left, right] = [
    balanced(half, leaf, operator, from),
    balanced(count - half, leaf, operator, from + half),
  ];
  return `(${left} ${operator} ${right})`;
}

function workOn(a: string, b: string): number {
  const [treeA, treeB] = [parse(a), parse(b)];
  if (!treeA.ok || !treeB.ok) throw new Error(`${a} or ${b} is invalid`);
  return newBudget().left - formulasOf([treeA.tree, treeB.tree], newEffort()).effort.budget.left;
}

describe("sets of many values", () => {
  const ports = (count: number) => `cf.edge.server_port in {${numbered(count, (n) => `${n * 3}`)}}`;
  const addresses = (count: number) =>
    `ip.src in {${numbered(count, (n) => `10.${n >> 8}.${n & 255}.0/25`)}}`;
  const names = (count: number) => `http.host in {${numbered(count, (n) => `"h${n}.example"`)}}`;

  test.each([
    ["ports", ports, "cf.edge.server_port lt 3000"],
    ["addresses", addresses, "ip.src in {10.0.0.0/8}"],
    ["names", names, 'ends_with(http.host, ".example")'],
  ])("need twice the work for twice the %s", (_what, set, other) => {
    expect(workOn(set(1000), other)).toBeLessThan(300_000);
    expect(workOn(set(2000), other) / workOn(set(1000), other)).toBeLessThan(2.2);
  });

  test("are compared up to 10,000 ports or addresses", () => {
    expect(coverage(ports(10_000), "cf.edge.server_port lt 30000")).toBe("subset");
    expect(coverage(addresses(10_000), "ip.src in {10.0.0.0/8}")).toBe("subset");
    expect(coverage(ports(10_000), "cf.edge.server_port in {1 2}")).toBe("disjoint");
  });

  test("give unknown when thousands of conditions each name one value", () => {
    const each = (field: string, value: (n: number) => string) =>
      Array.from({ length: 4000 }, (_, n) => `${field} eq ${value(n)}`).join(" or ");
    expect(coverage(each("cf.edge.server_port", String), "cf.edge.server_port lt 10")).toBe("unknown");
    expect(
      coverage(
        each("http.host", (n) => `"h${n}"`),
        'http.host eq "h1"',
      ),
    ).toBe("unknown");
  });

  test("give unknown when each value meets expensive patterns", () => {
    const heavy = Array.from(
      { length: 600 },
      (_, n) => `http.host in {"h${n}"} or http.host matches "(a|b|c|ab|a.){900}x${n}"`,
    ).join(" or ");
    expect(() => workOn(heavy, "ssl")).toThrow(TooLarge);
    expect(coverage(heavy, "ssl")).toBe("unknown");
  });
});

function numbered(count: number, each: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => each(n)).join(" ");
}
