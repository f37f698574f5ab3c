import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../src/model/json.js";
import { effectOf } from "../../src/strength/index.js";
import { executing, RULESET, toldOf } from "./unscored-rulesets.js";

/** Each rule has its own tag, or two. One is off by default, and one has an action that cannot be ranked. */
const RULES: readonly JsonObject[] = [
  rule("a", "block", "php", "rce"),
  rule("b", "managed_challenge", "wordpress"),
  rule("c", "log", "php"),
  { ...rule("d", "block", "anomaly"), enabled: false },
  rule("e", "rewrite", "generic"),
];

function rule(digit: string, action: string, ...categories: readonly string[]): JsonObject {
  const description = digit.toUpperCase();
  return { id: digit.repeat(32), action, categories, description, enabled: true };
}

const skip = (parameters: JsonObject, expression = "true") => ({
  id: "s",
  action: "skip",
  action_parameters: parameters,
  expression,
  description: "x",
});
const inFront: { readonly [name: string]: JsonObject } = {
  skipAll: skip({ ruleset: "current" }),
  skipOther: skip({ rulesets: ["4814384a9e5d4991b9815dcfc25d2f1f"] }),
  skipRule: skip({ rules: { [RULESET]: ["a".repeat(32)] } }, "ssl"),
};

interface Change {
  readonly is: string;
  /** The overrides of the live rule; null: there is no rule. Absent: no overrides. */
  readonly live?: JsonObject | null;
  readonly rule?: JsonObject;
  readonly behind?: string;
  readonly hidden?: boolean;
  readonly declared: JsonObject;
  readonly effect: string;
  readonly why?: readonly string[];
  readonly blocking?: readonly string[];
  readonly witness?: readonly JsonObject[];
}

const text = readFileSync(new URL("unscored-changes.yaml", import.meta.url), "utf8");
const ids = (written: string) => written.replace(/\{([a-f])\}/g, (_, digit: string) => digit.repeat(32));
const changes = parse(ids(text)) as readonly Change[]; // the head of the file describes them

test.each(changes.map((each) => [each.is, each] as const))("a ruleset %s", async (_, change) => {
  const { live = {}, rule: more = {}, behind, hidden, declared } = change;
  const skips = inFront[behind ?? ""];
  const told = await toldOf(
    hidden === true ? null : RULES,
    live === null ? null : executing(live, more),
    declared,
    skips === undefined ? [] : [skips],
  );
  expect({
    effect: effectOf(told.shifts),
    why: told.shifts.map(({ way, why }) => `${way}: ${why}`),
    blocking: [...new Set(told.blocking.map(({ way }) => way))],
    witness: told.shifts.flatMap(({ witness }) => (witness?.as === "request" ? [witness.request] : [])),
  }).toEqual({
    effect: change.effect,
    why: change.why ?? [],
    blocking: change.blocking ?? [],
    witness: change.witness ?? [],
  });
});

test("the table has many changes", () => {
  expect(changes.length).toBeGreaterThan(50);
});
