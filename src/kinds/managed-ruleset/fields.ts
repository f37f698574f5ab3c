import { asText, equal, isList, isObject, type Json, type JsonObject, pickBy } from "../../model/json.js";
import type { PartChange } from "../../model/plan.js";
import type { Sealed } from "../../model/sealed.js";
import type { Rank } from "../../model/strength.js";
import { actionRank, NO_RANK } from "../../strength/action-ranks.js";
import { expressionField } from "../expression.js";
import { changedMembers, enabledField, type Field, type Fields, setField } from "../fields.js";
import { spell } from "../same-names.js";
import { lowerIds, lowerKeys, NO_ACTION, NOT_OVERRIDDEN, thresholdOf, thresholdText } from "./normal.js";
import { type Context, sortOf } from "./read.js";

const actionWords: ReadonlyMap<Json, string> = new Map([
  ["log", "log (reports only)"],
  [NO_ACTION, "none (the scoring rule is switched off)"],
  [NOT_OVERRIDDEN, "default (each rule's own)"],
]);

const levelWords: ReadonlyMap<Json, string> = new Map([
  ["PL1", "PL1 (fewest rules)"],
  ["PL4", "PL4 (most rules)"],
]);

function rulesText(rules: { readonly [id: string]: Json }): string {
  const texts = Object.entries(rules).map(([id, override]) => `${id} ${overrideTexts(override).join(", ")}`);
  return texts.join("; ") || "(none)";
}

/** Overrides of single rules by id, or of single tags. */
const single: Field = {
  show: (value) => (isObject(value) ? rulesText(value) : null),
  parts(before, after) {
    const [old, now] = [mapOf(before), mapOf(after)];
    const ids = new Set([...Object.keys(now), ...Object.keys(old)]);
    return [...ids].flatMap((id) => (equal(old[id], now[id]) ? [] : [partOf(id, old[id], now[id])]));
  },
};

const idList: Field = {
  ...setField,
  show: (value) => (isList(value) ? value.join(", ") || "(none)" : null),
};

/** The defaults are those of the dashboard for a new ruleset. A ruleset without a score has no level or threshold. */
export const fields: Fields = {
  enabled: enabledField,
  expression: { ...expressionField, default: "true", limits: "acts on some requests only" },
  paranoia_level: { default: whereScored("PL1"), show: (value) => levelWords.get(value) ?? null },
  score_threshold: { default: whereScored(40), spell: thresholdOf, show: thresholdText },
  action: {
    default: (declared, context) => (hasScore(declared, context) ? "block" : NOT_OVERRIDDEN),
    show: actionText,
  },
  disabled_tags: idList,
  disabled_rules: { ...idList, spell: lowerIds },
  tags: single,
  rules: { ...single, spell: (rules) => (isObject(rules) ? lowerKeys(rules) : rules) },
  payload_logging: {
    // An absent field reads as null.
    spell: (logging) => (isObject(logging) && logging.ensure === "absent" ? null : logging),
    show: (value) => (isObject(value) ? `with the public key ${asText(value.public_key)}` : null),
  },
  score_rule: { readsLive: true },
};

const DECLARED = Object.keys(fields).filter((name) => fields[name]?.readsLive !== true);

/** The declared state in the normal form. */
export function wantedNormal(declared: JsonObject): JsonObject {
  return spell(
    fields,
    pickBy(declared, (_, key) => DECLARED.includes(key)),
  );
}

function whereScored(value: Json): (declared: JsonObject, context: unknown) => Json | undefined {
  return (declared, context) => (hasScore(declared, context) ? value : undefined);
}

function hasScore(declared: JsonObject, context: unknown): boolean {
  return sortOf(declared, context as Context | null) !== "unscored"; // this kind's own context
}

function actionText(value: Json): string | null {
  return actionWords.get(value) ?? null;
}

function mapOf(rules: Sealed): { readonly [id: string]: Json } {
  return isObject(rules) ? rules : {};
}

function partOf(part: string, before: Json | undefined, after: Json | undefined): PartChange {
  const [old, now] = [overrideTexts(before), overrideTexts(after)];
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return changedMembers(part, old, now, change);
}

/** `enabled: false`, `action: log`. */
function overrideTexts(override: Json | undefined): readonly string[] {
  return Object.entries(isObject(override) ? override : {}).map(
    ([name, value]) => `${name}: ${asText(value)}`,
  );
}

/** Null: the strength of the action is unknown. */
export function rankOf(action: Json | undefined): Rank | null {
  if (typeof action !== "string") return null;
  const value = action === NO_ACTION ? NO_RANK : actionRank(action);
  return value === null ? null : { as: "rank", value, called: "action", is: actionText(action) ?? action };
}
