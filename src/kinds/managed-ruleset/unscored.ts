import { uniform } from "../../expression/spelling/render.js";
import { cut } from "../../model/cut.js";
import { asText, type Json, type JsonObject, mapValues } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Doing, Overridden, Override, OwnRule } from "../../model/strength.js";
import { BLOCK_RANK, LOG_RANK } from "../../strength/action-ranks.js";
import { someMayAct } from "../../strength/index.js";
import { diffFields, readFlag } from "../fields.js";
import { fields, rankOf } from "./fields.js";
import type { Content, OwnRule as ListedRule, Managed } from "./named-ruleset.js";
import { liveNormal } from "./normal.js";
import { generalOverrides, overridesIn, settingsByName } from "./overrides.js";
import { newRule, withFields } from "./wire.js";

/**
 * The strength of a ruleset without a score: whether it runs, for which requests, and the action of each rule.
 *
 * @param rule the live rule before the change. Null: the rule is new
 */
export function unscoredProtection(
  normal: SealedObject,
  managed: Managed,
  rule: JsonObject | null,
): Dimensions {
  return {
    managed_ruleset: { as: "rank", value: 1, is: "the managed ruleset" },
    expression: { as: "scope", of: uniform(asText(normal.expression ?? "")) },
    rules: overriddenRules(ruleFor(normal, managed, rule), managed.content, "all"),
  };
}

/** The dimensions that stop visitors. A ruleset whose rules only log has none. */
export function unscoredBlocking(
  normal: SealedObject,
  managed: Managed,
  rule: JsonObject | null,
): Dimensions {
  const { rules, ...rest } = unscoredProtection(normal, managed, rule);
  const blocking = overriddenRules(ruleFor(normal, managed, rule), managed.content, "blocking");
  return someMayAct(blocking) ? { ...rest, rules: blocking } : {};
}

/** Whether a rule of a scored ruleset may stop visitors by itself. Unlisted rules count as adding to the score. */
export function stopsBesideScore(normal: SealedObject, managed: Managed, rule: JsonObject | null): boolean {
  const actions = overriddenRules(ruleFor(normal, managed, rule), managed.content, "blocking");
  return someMayAct({ ...actions, unlisted: SCORES });
}

/** The rule as the call would make it. The order of its overrides matters. */
function ruleFor(normal: SealedObject, managed: Managed, rule: JsonObject | null): JsonObject {
  const target = normal as JsonObject; // no field is sensitive
  const before = rule === null ? {} : liveNormal(rule, managed, target);
  const changedFields = diffFields(before, target, fields).flatMap(({ path, after }) =>
    after === null ? [] : [[path, after as Json] as const],
  );
  return withFields(rule ?? newRule(managed), changedFields, managed.scoring?.id ?? null);
}

type Counted = "all" | "blocking";

function overriddenRules(rule: JsonObject, content: Content | null, counted: Counted): Overridden {
  const settingsOf = (each: JsonObject) => overrideFrom(each, counted);
  return {
    as: "overridden",
    whole: settingsOf(generalOverrides(rule)),
    tags: overridesIn(rule, "category").flatMap(({ category, ...each }) =>
      typeof category === "string" ? [[category, settingsOf(each)] as const] : [],
    ),
    rules: mapValues(settingsByName(overridesIn(rule, "id"), "id"), settingsOf),
    own: content === null ? null : ownRules(content, counted),
    most: BLOCK_RANK - least(counted),
  };
}

/** The rank that counts as no effect. */
function least(counted: Counted): number {
  return counted === "all" ? 0 : LOG_RANK;
}

function overrideFrom({ enabled, action }: JsonObject, counted: Counted): Override {
  return {
    ...(enabled === undefined ? {} : { enabled: flagOf(enabled) }),
    ...(action === undefined ? {} : { does: doingOf(action, counted) }),
  };
}

function flagOf(value: Json): boolean | null {
  const flag = readFlag(value);
  return typeof flag === "boolean" ? flag : null;
}

function doingOf(action: Json, counted: Counted): Doing {
  if (action === ADDS_SCORE && counted === "blocking") return SCORES;
  const rank = rankOf(action);
  if (rank === null) return { value: null, is: cut(asText(action), MAX_CHARS) };
  return { value: Math.max(0, rank.value - least(counted)), is: rank.is ?? asText(action) };
}

/** The own action of a rule that only adds to the score. No override can set this action. */
export const ADDS_SCORE = "score";

/** Adding to the score stops no visitor by itself. */
const SCORES: Doing = { value: 0, is: ADDS_SCORE };

const MAX_CHARS = 60;

function ownRules({ rules }: Content, counted: Counted): Overridden["own"] {
  return mapValues(Object.fromEntries(rules), (rule, id) => ownRule(id, rule, counted));
}

function ownRule(id: string, rule: ListedRule, counted: Counted): OwnRule {
  const { tags, action, enabled = true, description } = rule;
  return {
    name: description === undefined ? id : JSON.stringify(cut(description, MAX_CHARS)),
    tags,
    enabled: flagOf(enabled),
    does: action === undefined ? { value: null, is: "its own action" } : doingOf(action, counted),
  };
}
