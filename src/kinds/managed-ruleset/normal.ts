import {
  isObject,
  type Json,
  type JsonObject,
  mapKeys,
  mapValues,
  pickBy,
  textsIn,
} from "../../model/json.js";
import { readFlag } from "../fields.js";
import { parametersOf } from "../phase.js";
import type { Managed, Scoring } from "./named-ruleset.js";
import {
  actionWithoutOverride,
  disabledIn,
  generalOverrides,
  isLevelTag,
  type Named,
  type Overrides,
  overridesIn,
  readLevel,
  settingsByName,
  settingsOf,
} from "./overrides.js";

/** The action of a disabled scoring rule: a score above the threshold has no effect. */
export const NO_ACTION = "none";

/** The action of an unscored ruleset without an override: each rule does its own action. */
export const NOT_OVERRIDDEN = "default";

/**
 * An execute rule in the normal form. Of the tags and rules, it has either all disabled ones, or the overrides of those
 * that the file declares.
 *
 * @param managed null: the ruleset is unknown, so the fields of the score are left out
 */
export function liveNormal(
  rule: JsonObject,
  managed: Pick<Managed, "sort" | "scoring"> | null,
  declared: JsonObject,
): JsonObject {
  const scoring = managed?.scoring ?? null;
  const isScored = managed?.sort !== "unscored";
  const normal: Record<string, Json> = { enabled: readFlag(rule.enabled ?? true) };
  if (typeof rule.expression === "string") normal.expression = rule.expression;
  const tags = overridesIn(rule, "category");
  const rules = overridesIn(rule, "id");
  const { enabled: rulesetEnabled, action = NOT_OVERRIDDEN } = generalOverrides(rule);
  if (isScored) normal.paranoia_level = readLevel(tags, rulesetEnabled);
  else normal.action = action;
  if (scoring !== null) Object.assign(normal, scoreFields(rule, scoring));
  if (isObject(declared.tags)) normal.tags = declaredOverrides(tags, "category", declared.tags);
  else
    normal.disabled_tags = disabledIn(tags, "category", textsIn(declared.disabled_tags)).filter(
      (tag) => !isLevelTag(tag),
    );
  if (isObject(declared.rules)) normal.rules = declaredOverrides(rules, "id", lowerKeys(declared.rules));
  else
    normal.disabled_rules = disabledIn(rules, "id", lowerIds(declared.disabled_rules)).filter(
      (id) => id !== scoring?.id,
    );
  const key = publicKey(rule);
  if (key !== null) normal.payload_logging = { public_key: key };
  return normal;
}

/** The threshold and action of the live rule, else those of the ruleset itself. */
function scoreFields(rule: JsonObject, { id, own }: Scoring): JsonObject {
  const override = settingsOf(overridesIn(rule, "id"), "id", id);
  const threshold = override.score_threshold ?? own.score_threshold;
  const action =
    override.enabled === false ? NO_ACTION : (override.action ?? actionWithoutOverride(rule, own));
  return {
    ...(threshold === undefined ? {} : { score_threshold: threshold }),
    ...(action === undefined ? {} : { action }),
  };
}

/** The live overrides of the declared tags or rules, with the declared fields only. */
function declaredOverrides(list: Overrides, named: Named, declared: JsonObject): JsonObject {
  const live = settingsByName(list, named);
  return mapValues(declared, (override, name) => {
    const settings = pickBy(
      live[name] ?? {},
      (_, field) => isObject(override) && Object.hasOwn(override, field),
    );
    return Object.keys(settings).length === 0 ? undefined : settings;
  });
}

function publicKey(rule: JsonObject): Json {
  const { matched_data: logging } = parametersOf(rule);
  return isObject(logging) ? (logging.public_key ?? null) : null;
}

export function lowerIds(ids: Json | undefined): readonly string[] {
  return textsIn(ids).map((id) => id.toLowerCase());
}

export function lowerKeys(map: JsonObject): JsonObject {
  return mapKeys(map, (id) => id.toLowerCase());
}

/** The dashboard's words. A lower number means that fewer matching rules trigger the action. */
const PRESETS: ReadonlyMap<Json, number> = new Map([
  ["low", 60],
  ["medium", 40],
  ["high", 25],
]);

/** The threshold as a number. */
export function thresholdOf(declared: Json): Json {
  return PRESETS.get(declared) ?? declared;
}

/** The dashboard's word for a threshold. Null: it has none. */
export function presetOf(threshold: Json | undefined): Json {
  return [...PRESETS].find(([, value]) => value === threshold)?.[0] ?? null;
}

/** Adds how strict the threshold is, because a high number is easily mistaken for a strict one. */
export function thresholdText(threshold: Json): string | null {
  return typeof threshold === "number" ? `${threshold} (${strictness(threshold)})` : null;
}

function strictness(threshold: number): string {
  const [high, medium, low] = [25, 40, 60];
  if (threshold < high) return "stricter than high";
  if (threshold === high) return "high: most strict";
  if (threshold < medium) return "between high and medium";
  if (threshold === medium) return "medium";
  if (threshold < low) return "between medium and low";
  return threshold === low ? "low: least strict" : "less strict than low";
}
