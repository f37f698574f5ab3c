import { asText, equal, isList, isObject, type Json } from "../../model/json.js";
import type { PartChange } from "../../model/plan.js";
import type { Sealed } from "../../model/sealed.js";
import type { Rank } from "../../model/strength.js";
import { expressionMeaning } from "../expression.js";
import { type Meaning, type Meanings, set } from "../fields.js";
import { NO_ACTION, NOT_OVERRIDDEN, thresholdText } from "./normal.js";

/** A field's value for people. */
export function explain(field: string, value: Json): string | null {
  switch (field) {
    case "score_threshold":
      return thresholdText(value);
    case "action":
      return actionWords.get(value) ?? null;
    case "paranoia_level":
      return levelWords.get(value) ?? null;
    case "disabled_tags":
    case "disabled_rules":
      return isList(value) ? value.join(", ") || "(none)" : null;
    case "tags":
    case "rules":
      return isObject(value) ? rulesText(value) : null;
    case "payload_logging":
      return isObject(value) ? `with the public key ${asText(value.public_key)}` : null;
    default:
      return null;
  }
}

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
  const texts = Object.entries(rules).map(([id, said]) => `${id} ${saidTexts(said).join(", ")}`);
  return texts.join("; ") || "(none)";
}

/** Overrides of single rules by their ids, or of single tags. */
const single: Meaning = {
  canonical: (rules) => rules,
  parts(before, after) {
    const [old, now] = [mapOf(before), mapOf(after)];
    const ids = new Set([...Object.keys(now), ...Object.keys(old)]);
    return [...ids].flatMap((id) => (equal(old[id], now[id]) ? [] : [partOf(id, old[id], now[id])]));
  },
};

/** What makes two values of a field the same. */
export const meanings: Meanings = {
  expression: expressionMeaning,
  disabled_tags: set,
  disabled_rules: set,
  tags: single,
  rules: single,
};

function mapOf(rules: Sealed): { readonly [id: string]: Json } {
  return isObject(rules) ? rules : {};
}

function partOf(part: string, before: Json | undefined, after: Json | undefined): PartChange {
  const [old, now] = [saidTexts(before), saidTexts(after)];
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return {
    part,
    change,
    added: now.filter((each) => !old.includes(each)),
    removed: old.filter((each) => !now.includes(each)),
  };
}

/** `enabled: false`, `action: log`. */
function saidTexts(said: Json | undefined): readonly string[] {
  return Object.entries(isObject(said) ? said : {}).map(([name, value]) => `${name}: ${asText(value)}`);
}

/** Null: it is not known how strong it is. */
export function rankOf(action: Json | undefined): Rank | null {
  const value = ACTIONS.get(asText(action));
  return value === undefined || typeof action !== "string"
    ? null
    : { as: "rank", value, called: "action", is: explain("action", action) ?? action };
}

/** The challenges differ in what they ask of a visitor, not in what they let through. */
export const ACTIONS: ReadonlyMap<string, number> = new Map([
  [NO_ACTION, 0],
  ["log", 1],
  ["managed_challenge", 2],
  ["js_challenge", 2],
  ["challenge", 2],
  ["block", 3],
]);
