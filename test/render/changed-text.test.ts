import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planView, showPlan } from "../../src/run/plan-formats.js";
import { harmIn } from "../support/hostile.js";
import golden from "./golden/plan.json" with { type: "json" };

const HOSTS = Array.from({ length: 30 }, (_, n) => `"shop-${n}.example.com"`);

/** One of thirty hosts differs, and the test of the path is negated. */
const BEFORE = `http.host in {${HOSTS.join(" ")}} and http.request.uri.path ne "/health"`;
const AFTER = BEFORE.replace("shop-17.", "evil-17.").replace(" ne ", " eq ");

const LEFT_OUT = "…(338 characters left out)…";
const MORE_LEFT_OUT = "…(212 characters left out)…";

/** A plan that changes an expression. */
function planOf(before: string, after: string): PlanDocument {
  const plan = golden as unknown as PlanDocument; // the golden plan has this type
  const [change] = plan.changes;
  if (change === undefined) throw new Error("the plan has changes");
  const fields = [{ path: "expression", before, after, origin: "declared" as const }];
  return { ...plan, changes: [{ ...change, fields }] };
}

/** The two lines of the expression. */
function sidesIn(text: string): readonly string[] {
  const [, before = "", after = ""] = /expression:?\n *- +(.*)\n *\+ +(.*)\n/.exec(text) ?? [];
  return [before, after];
}

describe("a changed long text", () => {
  const beside = (host: string, operator: string) =>
    `${LEFT_OUT}p-15.example.com" "shop-16.example.com" ${host} "shop-18.example.com" "shop-19.example.${MORE_LEFT_OUT}example.com"} and http.request.uri.path ${operator} "/health"`;
  const expected = [beside('"shop-17.example.com"', "ne"), beside('"evil-17.example.com"', "eq")];

  test("shows the differences with some context", () => {
    expect(sidesIn(showPlan(planOf(BEFORE, AFTER), false, false))).toEqual(expected);
  });

  test("shows the differences in colours, if colours are on", () => {
    const text = showPlan(planOf(BEFORE, AFTER), true, false);
    expect(text).toContain('\u001b[35m"shop-17.example.com"\u001b[39m "shop-18');
    expect(text).toContain('\u001b[36m"evil-17.example.com"\u001b[39m "shop-18');
    expect(text).toContain("path \u001b[36meq\u001b[39m");
  });

  test("shows the same in Markdown", () => {
    const view = planView(planOf(BEFORE, AFTER), "plan");
    expect(sidesIn(planMarkdown(view, 60_000))).toEqual(expected);
  });

  test("has no line that is a command to a runner", () => {
    const before = `${"a ".repeat(100)}#[group]${" b".repeat(100)}`;
    const after = `${"a ".repeat(100)}##[group]${" b".repeat(100)}`;
    const view = planView(planOf(before, after), "plan");
    expect(harmIn(showPlan(planOf(before, after), false, false), "people", false)).toEqual([]);
    expect(harmIn(planMarkdown(view, 60_000), "people", false)).toEqual([]);
  });
});

describe("a changed text shown whole", () => {
  test.each([
    ["short", `${BEFORE.slice(0, 90)}"}`, `${BEFORE.slice(0, 80)}"}`],
    ["another one", BEFORE, `ip.src in {${HOSTS.map((host) => host.replace("shop", "ip")).join(" ")}}`],
  ])("%s", (_, before, after) => {
    expect(sidesIn(showPlan(planOf(before, after), false, false))).toEqual([before, after]);
  });
});
