import { expect, test } from "vitest";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { effectOf } from "../../src/strength/index.js";
import { fc, runs, untilMet } from "../support/random.js";
import { executing, toldOf } from "./unscored-rulesets.js";

const IDS = ["1", "2", "3", "4", "5"].map((digit) => digit.repeat(32));
const TAGS = ["php", "wordpress", "rce"];
const action = fc.constantFrom("block", "managed_challenge", "js_challenge", "challenge", "log");
const flag = fc.constantFrom<Json>(true, false, "true", "False");
const said = fc
  .record({ enabled: flag, action }, { requiredKeys: [], noNullPrototype: true })
  .filter((each) => Object.keys(each).length > 0);
const entries = (named: "category" | "id", names: readonly string[]) =>
  fc.array(
    fc.tuple(fc.constantFrom(...names), said).map(([name, says]) => ({ [named]: name, ...says })),
    { maxLength: 4 },
  );

/** Some rules may be missing in the account's answer, and so may tags that no other rule has. */
const rules = fc.tuple(
  ...IDS.map((id) =>
    fc.record({
      id: fc.constant(id),
      categories: fc.subarray(TAGS),
      action: fc.oneof({ arbitrary: action, weight: 4 }, { arbitrary: fc.constant("rewrite"), weight: 1 }),
      enabled: fc.constantFrom(true, true, true, false),
      isListed: fc.constantFrom(true, true, true, true, false),
    }),
  ),
);

const live = fc.record({
  whole: fc.oneof(
    { arbitrary: fc.constant({}), weight: 3 },
    { arbitrary: fc.record({ action }), weight: 2 },
    { arbitrary: fc.record({ enabled: flag }), weight: 1 },
  ),
  categories: entries("category", TAGS),
  rules: entries("id", IDS),
});

const single = fc
  .record({ enabled: fc.boolean(), action }, { requiredKeys: [], noNullPrototype: true })
  .filter((each) => Object.keys(each).length > 0);
const map = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), single, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
const declared = fc.oneof(
  fc.record({ action: fc.oneof(action, fc.constant("default")) }),
  fc.record({ tags: map(TAGS) }),
  fc.record({ rules: map(IDS) }),
  fc.record({ disabled_tags: fc.subarray(TAGS) }),
  fc.record({ disabled_rules: fc.subarray(IDS) }),
  fc.record({ tags: map(TAGS), rules: map(IDS) }),
  fc.record({ action, tags: map(TAGS) }),
);

const cases = fc.record({ rules, live, declared, isHidden: fc.constantFrom(false, false, false, true) });

interface Rule {
  readonly id: string;
  readonly categories: readonly string[];
  readonly action: string;
  readonly enabled: boolean;
}

const VALUES: { readonly [action: string]: number } = {
  log: 1,
  managed_challenge: 2,
  js_challenge: 2,
  challenge: 2,
  block: 3,
};

/**
 * A second implementation of a rule's action, from the documentation of overrides: an override of the rule outweighs those of
 * its tags, of which the last one counts. These outweigh the override of the ruleset.
 *
 * @param unranked the strength of an action that cannot be ranked
 */
function doneBy(executed: JsonObject, rule: Rule, unranked: number): number {
  const parameters = isObject(executed.action_parameters) ? executed.action_parameters : {};
  const overrides = isObject(parameters.overrides) ? parameters.overrides : {};
  const listed = (name: string) => {
    const list = overrides[name];
    return isList(list) ? list.filter(isObject) : [];
  };
  const last = (field: string) =>
    listed("rules").findLast((each) => each.id === rule.id && each[field] !== undefined)?.[field] ??
    listed("categories").findLast(
      (each) => rule.categories.includes(String(each.category)) && each[field] !== undefined,
    )?.[field] ??
    overrides[field];
  const isOn = String(last("enabled") ?? rule.enabled).toLowerCase() === "true";
  return isOn ? (VALUES[String(last("action") ?? rule.action)] ?? unranked) : 0;
}

test("the label of a ruleset without a score equals the result for each of its rules", async () => {
  const least = { changed: runs(400), weaker: runs(150), stronger: runs(150), weakens: runs(60) };
  await untilMet(
    { ...least, strengthens: runs(60), neutral: runs(20) },
    (met) =>
      fc.asyncProperty(cases, async (each) => {
        const { rules: all, live: overrides, declared: body, isHidden } = each;
        const listed = all.filter(({ isListed }) => isListed);
        const shown = listed.map(({ isListed: _, ...rule }) => ({
          ...rule,
          description: rule.id.slice(0, 1),
        }));
        const { whole, ...lists } = overrides;
        const before = executing({ ...whole, ...lists } as JsonObject); // plain JSON
        const told = await toldOf(isHidden ? null : shown, before, body as JsonObject); // plain JSON
        if (told.written === null || JSON.stringify(told.written) === JSON.stringify(before)) return;
        met("changed");
        const effect = effectOf(told.shifts);
        met(effect);
        // Of unlisted rules, those named by id, or by tags that no listed rule has.
        const known = new Set(listed.flatMap(({ categories }) => categories));
        const counted = all.filter(
          (rule) => isHidden || rule.isListed || isNamed(rule, known, before, body as JsonObject),
        );
        const moves = counted.flatMap((rule) =>
          [0, 1, 2, 3].map((unranked) => {
            const [was, is] = [before, told.written ?? {}].map((side) => doneBy(side, rule, unranked));
            return Math.sign((is ?? 0) - (was ?? 0));
          }),
        );
        const [isWeaker, isStronger] = [moves.includes(-1), moves.includes(1)];
        if (isWeaker) met("weaker");
        if (isStronger) met("stronger");
        const wrong =
          (isWeaker && (effect === "strengthens" || effect === "neutral")) ||
          (isStronger && (effect === "weakens" || effect === "neutral"));
        if (wrong)
          expect.fail(JSON.stringify({ effect, why: told.shifts, before, after: told.written }, null, 1));
      }),
    runs(1500),
  );
});

/** Whether the rule is named by id, or has only tags that the account's answer shows on no rule. */
function isNamed(rule: Rule, known: ReadonlySet<string>, before: JsonObject, body: JsonObject): boolean {
  const text = JSON.stringify([before, body]);
  if (text.includes(rule.id)) return true;
  return (
    rule.categories.length > 0 && rule.categories.every((tag) => !known.has(tag) && text.includes(`"${tag}"`))
  );
}
