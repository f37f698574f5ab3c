import type { Item } from "../../model/item.js";
import { asText, isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { absurd } from "../../model/problem.js";
import { DOCUMENTED } from "../documented-rulesets.js";
import { writeFlag } from "../fields.js";
import type { Live, Was } from "../kind.js";
import { parametersOf, sentRule } from "../phase.js";
import type { Managed } from "./named-ruleset.js";
import { NOT_OVERRIDDEN } from "./normal.js";
import {
  isLevelTag,
  type Named,
  type Overrides,
  overridesIn,
  withDisabled,
  withGeneral,
  withOverrides,
  withoutDisable,
  withSettings,
  writeLevel,
} from "./overrides.js";
import { type Context, managedOf } from "./read.js";

/** A call sends the whole rule: the service drops fields that a body leaves out. */
export function toWire(want: Item, was: Was | null, { context }: Live<Context>): JsonObject {
  const managed = managedOf(context, was?.live ?? want);
  const names = was?.fields ?? Object.keys(want.normal);
  const fields = names.map((name) => [name, (want.normal[name] ?? null) as Json] as const); // no field is sensitive
  if (was === null) return withFields(newRule(managed ?? absurd(IS_KNOWN)), fields, scoringIn(managed));
  const { id: _, ...rule } = sentRule(was.live.raw ?? absurd(IS_KNOWN));
  return withFields(rule, fields, scoringIn(managed));
}

function scoringIn(managed: Managed | null): string | null {
  return managed?.scoring?.id ?? null;
}

/** The rule as the dashboard creates it. */
export function newRule({ id, name }: Managed): JsonObject {
  return {
    action: "execute",
    action_parameters: { id, version: "latest" },
    expression: "true",
    description: `Execute ${name ?? DOCUMENTED.get(id) ?? `the managed ruleset ${id}`}`,
    enabled: true,
  };
}

const IS_KNOWN = "a change has a live or a wanted rule, and read() knows what it is made of";

/**
 * Puts fields of the normal form into an execute rule. The rest of the rule stays unchanged.
 *
 * @param scoringId null: unknown, and no field is about the score
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
    inList("category", (tags, names) => withDisabled(tags, "category", textsIn(names), isLevelTag)),
  ],
  // Users report that a threshold for the whole ruleset does not reach the scoring rule.
  [
    "score_threshold",
    inList("id", (rules, value, id) =>
      withSettings(rules, "id", id ?? noScoringRule(), { score_threshold: value }),
    ),
  ],
  ["action", writeAction],
  ["tags", inList("category", (tags, declared) => writeSingle(tags, "category", declared))],
  [
    "disabled_rules",
    inList("id", (rules, ids, scoringId) =>
      withDisabled(rules, "id", textsIn(ids), (id) => id === scoringId),
    ),
  ],
  ["rules", inList("id", (rules, declared) => writeSingle(rules, "id", declared))],
  ["payload_logging", writePayloadLogging],
]);

function inList(
  named: Named,
  edit: (list: Overrides, value: Json, scoringId: string | null) => Overrides,
): Edit {
  return (rule, value, scoringId) =>
    withOverrides(rule, named, edit(overridesIn(rule, named), value, scoringId));
}

/** Sets and enables the action of the scoring rule. Without a scoring rule, the action is for all rules. */
function writeAction(rule: JsonObject, action: Json, scoringId: string | null): JsonObject {
  if (scoringId === null) return withGeneral(rule, "action", action === NOT_OVERRIDDEN ? null : action);
  const rules = withoutDisable(overridesIn(rule, "id"), "id", scoringId);
  return withOverrides(rule, "id", withSettings(rules, "id", scoringId, { action }));
}

function noScoringRule(): never {
  throw new Error("a threshold is declared, or deployed with, only where read() knows the scoring rule");
}

function writeSingle(overrides: Overrides, named: Named, declared: Json): Overrides {
  const single = Object.entries(isObject(declared) ? declared : {});
  return single.reduce(
    (list, [name, settings]) => (isObject(settings) ? withSettings(list, named, name, settings) : list),
    overrides,
  );
}

function writePayloadLogging(rule: JsonObject, logging: Json): JsonObject {
  const { matched_data: live, ...parameters } = parametersOf(rule);
  const data = isObject(logging) ? { matched_data: { ...(isObject(live) ? live : {}), ...logging } } : {};
  return { ...rule, action_parameters: { ...parameters, ...data } };
}
