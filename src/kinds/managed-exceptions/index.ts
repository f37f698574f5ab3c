import { normalise } from "../../expression/spelling/canonical.js";
import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { ZONE_WAF } from "../../model/permissions.js";
import type { Sealed, SealedObject } from "../../model/sealed.js";
import { type LiveUnmanaged, RULES } from "../../model/unmanaged.js";
import { expressionCheck, expressionField } from "../expression.js";
import { nameField, whileOff } from "../fields.js";
import type { Kind } from "../kind.js";
import { allowingExpression, beyondLimit } from "../limits.js";
import { documentedName, executedBy, isRulesetId } from "../managed-rules.js";
import type { LiveRule } from "../phase.js";
import { skipOf, skipping } from "../skip-rules.js";
import { type RuleEffect, unknownRule, unmanagedRules } from "../unmanaged-rules.js";
import { type Context, contextWith, liveNormal, PHASE, read, readForExport } from "./read.js";
import { managedExceptionSchema } from "./schema.js";
import {
  canonicalRuleset,
  checkSkip,
  parametersOf,
  rulesetsIn,
  saidOf,
  skipField,
  strengthOf,
  wantedSkip,
} from "./skip.js";
import { placeOf, toWire } from "./wire.js";

const FIELDS = ["description", "expression", "skip", "enabled"] as const;
const FIND_BY = ["id", "renamed_from"] as const;

const checkExpression = expressionCheck(PHASE.name);

/** Exceptions to managed rulesets: skip rules in front of the rules that execute them. */
export const managedException: Kind<Context> = {
  name: PHASE.kind,
  section: "managed_exceptions",
  area: "requests",
  shape: {
    as: "list",
    named: "description",
    inOrder: { field: "position", isSayable: (wrong) => behindIn(wrong).length === 0 },
  },
  schema: managedExceptionSchema,
  fields: {
    description: nameField,
    expression: { ...expressionField, required: true, identifies: true },
    skip: { ...skipField, required: true, identifies: true },
    enabled: { default: true },
    position: { show: positionText },
  },
  requests: { does: "skips" },
  includedAs: "managed rules",
  permissions: ZONE_WAF,
  dashboard: "security/security-rules",
  at: {
    as: "rules",
    phase: PHASE,
    isSentAlone: true,
    actThemselves: false,
    ruleset: ({ ruleset }) => ruleset,
    place: placeOf,
    before: ({ bypasses }) => bypasses,
    declared: ({ description = "", enabled = true, expression = "true", skip = "all" }) => ({
      action: "skip",
      description,
      enabled,
      expression,
      action_parameters: parametersOf(skip, canonicalRuleset),
    }),
    rulesets: ({ ids }) => ids,
  },
  readsAccount: ({ ensure, skip = "all" }) =>
    ensure !== "absent" && rulesetsIn(skip).some((name) => !isRulesetId(canonicalRuleset(name))),

  check: (declared, service) =>
    declared.ensure === "absent" ? [] : [...checkExpression(declared, service), ...checkSkip(declared.skip)],
  read,
  normalOf: liveNormal,
  contextWith,
  readForExport,
  toDesired: (declared, live) => inPlace(wanted(declared), live),
  toConfig,
  toWire,
  allowing: allowingExpression,
  unmanaged: unmanagedExceptions,
  checkWhole: () => [],
  dimensions: strengthOf,
  // What is no longer skipped can stop visitors.
  blocking: strengthOf,
  hindrances: whileOff,
  concerns: ({ normal, ref }, { limits }) =>
    beyondLimit(
      () => `managed exception ${JSON.stringify(ref.key)}`,
      "expression",
      normal.expression,
      limits.expression_chars,
    ),
};

/** The section owns where its rules stand: of a live one that stands wrong it says so, and else nothing. */
function inPlace(own: SealedObject, live: Item | null): SealedObject {
  return { ...own, position: live?.normal.position === undefined ? null : IN_PLACE };
}

const IN_PLACE = "before what it skips, in the order of the list";

function wanted(declared: JsonObject): SealedObject {
  const normal: Record<string, Json> = {};
  for (const field of FIELDS) {
    const value = declared[field];
    if (value !== undefined) normal[field] = spelled(field, value);
  }
  return normal;
}

function spelled(field: (typeof FIELDS)[number], value: Json): Json {
  if (field === "skip") return wantedSkip(value);
  return field === "expression" && typeof value === "string" ? normalise(value) : value;
}

/** Where a rule stands has no key: the order of the list says it. */
function toConfig({ normal }: Item, declared: JsonObject | null): JsonObject {
  const live = normal as JsonObject; // nothing in it is sensitive
  return {
    ...picked(declared ?? {}, FIND_BY),
    ...picked(
      live,
      FIELDS.filter((field) => field in (declared ?? live)),
    ),
  };
}

/** The rulesets behind which an exception to them stands: the files have it before what it skips. */
function behindIn(wrong: Sealed): readonly string[] {
  return isObject(wrong) ? textsIn(wrong.behind as Json) : []; // nothing in it is sensitive
}

function picked(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

function positionText(value: Json): string | null {
  if (!isObject(value)) return null;
  const behind = behindIn(value).map(documentedName);
  return behind.length === 0 ? "out of the order of the list" : `behind ${behind.join(", ")}`;
}

/** Skip rules that nobody declares: exceptions, and those that no file can declare. */
function unmanagedExceptions(items: readonly Item[], { ruleset }: Context): readonly LiveUnmanaged[] {
  const refs = new Map(items.map(({ ref }) => [ref.id, ref]));
  const isTold = (rule: LiveRule) =>
    refs.has(rule.id) || (skipOf(rule) !== null && saidOf(rule, (id) => id) === null);
  const told = unmanagedRules(ruleset, PHASE, (rule) => !isTold(rule), effectOfRule);
  return told.map((each) => ({ ...each, list: RULES, ref: refs.get(each.ref.id) ?? each.ref }));
}

function effectOfRule(rule: LiveRule, behind: readonly LiveRule[]): RuleEffect {
  const skip = skipOf(rule);
  if (skip === null) return unknownRule(rule);
  const isInFront = behind.some((each) => executedBy(each) !== null);
  return skipping(rule, skip, isInFront, documentedName);
}
