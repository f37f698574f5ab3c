import type { Item } from "../../model/item.js";
import { asText, isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { writeFlag } from "../fields.js";
import type { PendingChange, PendingStep, ZoneLive } from "../kind.js";
import { carried, listRead, preconditionOf, replaceRules, wholeRule, withNew } from "../phase.js";
import { type Managed, PHASE } from "./managed.js";
import {
  disabling,
  isLevelTag,
  type Named,
  notDisabling,
  type Overrides,
  overridesIn,
  saying,
  withOverrides,
  writeLevel,
} from "./overrides.js";
import type { Context } from "./read.js";

/**
 * A rule that is there is changed alone, so that other rules of the list are not sent at all; to add or remove one, the
 * list is replaced with all others as they are.
 */
export function steps(changes: readonly PendingChange[], zone: ZoneLive<Context>): readonly PendingStep[] {
  return changes.flatMap((change) => stepsOf(change, zone));
}

function stepsOf(
  { at, triple, fields }: PendingChange,
  { zoneId, context }: ZoneLive<Context>,
): readonly PendingStep[] {
  const { want, live } = triple;
  const { ruleset } = context;
  const rules = ruleset?.rules ?? [];
  if (want === null) {
    const ref = live?.ref ?? absurd();
    const others = rules.filter((rule) => rule.id !== ref.id).map(carried);
    return replaceRules(zoneId, PHASE, ruleset, others, { changes: [at], effects: [{ ref, item: null }] });
  }
  const scoringId = context.managed?.scoring?.id ?? null;
  const effects = [{ ref: want.ref, item: want }];
  if (live === null || ruleset === null) {
    const rule = wholeRule(want) ?? deployed(want, context.managed ?? absurd());
    return replaceRules(zoneId, PHASE, ruleset, withNew(rules, rule, want), { changes: [at], effects });
  }
  const { id, ...rule } = carried(live.raw ?? absurd());
  const changed = fields.map(({ path, after }) => [path, after as Json] as const); // none is sensitive
  const whole = wholeRule(want);
  return [
    {
      method: "PATCH",
      path: ["zones", zoneId, "rulesets", ruleset.id, "rules", String(id)],
      // The body is the whole new definition: what it leaves out is lost.
      body: whole === null ? withFields(rule, changed, scoringId) : { ...whole, ...refOf(rule) },
      changes: [at],
      effects,
      needs: [],
      findCreated: null,
      precondition: preconditionOf(ruleset),
      reads: listRead(PHASE, ruleset),
    },
  ];
}

/** The service takes no other ref than the rule's own. */
function refOf({ ref }: JsonObject): JsonObject {
  return ref === undefined ? {} : { ref };
}

function deployed({ normal }: Item, managed: Managed): JsonObject {
  const fields = Object.entries(normal as JsonObject); // none is sensitive
  return withFields(newRule(managed), fields, managed.scoring?.id ?? null);
}

function newRule({ id, name }: Managed): JsonObject {
  return {
    action: "execute",
    action_parameters: { id, version: "latest" },
    expression: "true",
    description: `Execute ${name ?? `the managed ruleset ${id}`}`,
    enabled: true,
  };
}

function absurd(): never {
  throw new Error("a change has a live or a wanted rule, and read() knows what it is made of");
}

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
    inList("id", (rules, value, id) =>
      saying(rules, "id", id ?? noScoringRule(), { score_threshold: value }),
    ),
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
  const id = scoringId ?? noScoringRule();
  return saying(notDisabling(rules, "id", id), "id", id, { action });
}

function noScoringRule(): never {
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
