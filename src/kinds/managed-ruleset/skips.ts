import { asText, isList, isObject, type Json, textsIn } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Hindrance } from "../../model/strength.js";
import { readFlag, whileOff } from "../flag.js";
import type { LiveRule } from "../phase.js";
import { executedBy, type Managed, PHASE } from "./managed.js";
import type { Around } from "./read.js";

/** What keeps the rule from running the ruleset: that it is off, and rules of others in front of it. */
export function hindrancesOf(
  normal: SealedObject,
  around: Pick<Around, "ruleset" | "managed"> | null,
): readonly Hindrance[] {
  const own = asText(normal.expression ?? "");
  const skips = inFrontOf(around?.managed ?? null, around?.ruleset?.rules ?? []).flatMap((rule) => {
    const of = skippedBy(rule, around?.managed ?? null);
    return of === null
      ? []
      : [{ as: "skip", by: nameOf(rule), where: asText(rule.expression ?? ""), own, of } as const];
  });
  return [...whileOff(normal), ...skips];
}

/** A rule that is to be made comes last. */
function inFrontOf(managed: Managed | null, rules: readonly LiveRule[]): readonly LiveRule[] {
  const place = rules.findIndex((rule) => managed !== null && executedBy(rule) === managed.id);
  return place < 0 ? rules : rules.slice(0, place);
}

/**
 * How much of the managed ruleset a rule makes requests go past; null: nothing. The forms are those of the service's
 * documentation of skip rules; what one of another form skips nobody knows. A rule is on where it does not say so: the
 * default of the published schema.
 */
function skippedBy(
  { action, enabled, action_parameters: said }: LiveRule,
  managed: Managed | null,
): "all" | "some" | null {
  if (action !== "skip" || readFlag(enabled ?? true) === false) return null;
  const { ruleset, rulesets, rules, phases, ...others } = isObject(said) ? said : {};
  const id = managed?.id ?? "";
  const single = textsIn(isObject(rules) ? rules[id] : undefined);
  // Without the rule that acts on the score, what the others add up comes to nothing.
  const isUnscored = single.includes(managed?.scoring?.id ?? "");
  const isPassed = textsIn(rulesets).includes(id) || textsIn(phases).includes(PHASE.name);
  if (ruleset === "current" || isPassed || isUnscored) return "all";
  if (single.length > 0 || ruleset !== undefined || Object.keys(others).length > 0) return "some";
  const isRead = [rulesets, phases].every(isTexts) && (rules === undefined || isObject(rules));
  const isSaid = rulesets !== undefined || phases !== undefined || rules !== undefined;
  return isRead && isSaid ? null : "some";
}

function isTexts(value: Json | undefined): boolean {
  return value === undefined || (isList(value) && value.every((each) => typeof each === "string"));
}

function nameOf({ description, id }: LiveRule): string {
  return typeof description === "string" && description !== "" ? description : `rule ${id}`;
}
