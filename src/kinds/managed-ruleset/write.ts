import { asText, isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { writeFlag } from "../flag.js";
import {
  disabling,
  type Named,
  notDisabling,
  type Overrides,
  overridesIn,
  saying,
  withOverrides,
} from "./overrides.js";
import { isLevelTag, writeLevel } from "./paranoia.js";

/**
 * Fields of the normal form put into an execute rule. All else in it stays.
 *
 * @param scoringId null: it is not known, and no field is about the score
 */
export function withFields(
  rule: JsonObject,
  fields: readonly (readonly [field: string, value: Json])[],
  scoringId: string | null,
): JsonObject {
  return fields.reduce(
    (edited, [field, value]) => edits.get(field)?.(edited, value, scoringId) ?? edited,
    rule,
  );
}

type Edit = (rule: JsonObject, value: Json, scoringId: string | null) => JsonObject;

const edits: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  ["enabled", (rule, value) => ({ ...rule, enabled: writeFlag(value, rule.enabled) })],
  ["expression", (rule, value) => ({ ...rule, expression: value })],
  ["paranoia_level", inList("category", (tags, level) => writeLevel(tags, asText(level)))],
  [
    "disabled_tags",
    inList("category", (tags, names) => disabling(tags, "category", textsIn(names), isLevelTag)),
  ],
  // An override for the whole ruleset would not reach the scoring rule's action, users report.
  [
    "score_threshold",
    inList("id", (rules, value, id) => saying(rules, "id", id ?? absurd(), { score_threshold: value })),
  ],
  ["action", inList("id", writeAction)],
  [
    "disabled_rules",
    inList("id", (rules, ids, scoringId) => disabling(rules, "id", textsIn(ids), (id) => id === scoringId)),
  ],
  ["rules", inList("id", writeRules)],
  ["payload_logging", writePayloadLogging],
]);

function inList(
  named: Named,
  edit: (list: Overrides, value: Json, scoringId: string | null) => Overrides,
): Edit {
  return (rule, value, scoringId) =>
    withOverrides(rule, named, edit(overridesIn(rule, named), value, scoringId));
}

/** An action has an effect only where its rule runs. */
function writeAction(rules: Overrides, action: Json, scoringId: string | null): Overrides {
  const id = scoringId ?? absurd();
  return saying(notDisabling(rules, "id", id), "id", id, { action });
}

function absurd(): never {
  throw new Error("the score is declared, or deployed with, only where read() knows the scoring rule");
}

function writeRules(rules: Overrides, declared: Json): Overrides {
  const single = Object.entries(isObject(declared) ? declared : {});
  return single.reduce((list, [id, said]) => (isObject(said) ? saying(list, "id", id, said) : list), rules);
}

function writePayloadLogging(rule: JsonObject, logging: Json): JsonObject {
  const { matched_data: live, ...parameters } = isObject(rule.action_parameters)
    ? rule.action_parameters
    : {};
  const data = isObject(logging) ? { matched_data: { ...(isObject(live) ? live : {}), ...logging } } : {};
  return { ...rule, action_parameters: { ...parameters, ...data } };
}
