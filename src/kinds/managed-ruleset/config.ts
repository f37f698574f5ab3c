import type { Item } from "../../model/item.js";
import { type Json, type JsonObject, mapValues, pick, pickBy } from "../../model/json.js";
import { CORE_RULESET, executedBy } from "../documented-rulesets.js";
import { KIND, type Managed } from "./named-ruleset.js";
import { NO_ACTION, presetOf } from "./normal.js";
import { isLevelTag, type Named, overridesIn, settingsByName } from "./overrides.js";
import { type Context, managedOf } from "./read.js";

/** Keys that identify the ruleset. */
const FIND_BY: readonly string[] = ["ruleset", "score_rule"];

/** The declaration of a live rule that executes the ruleset. */
export function configOf(item: Item, declared: JsonObject | null, context: Context): JsonObject {
  const live = item.normal as JsonObject; // no field is sensitive
  if (declared === null) return wholeConfig(item, live, managedOf(context, item));
  const inFileStyle = {
    ...live,
    score_threshold: styledThreshold(live.score_threshold, declared),
    payload_logging: live.payload_logging ?? { ensure: "absent" },
  };
  return {
    ...pick(declared, FIND_BY),
    ...pickBy(expressible(inFileStyle), (_, key) => key in declared),
  };
}

/** All declarable fields. The name or id of the ruleset is left out where the section implies it. */
function wholeConfig({ ref, raw }: Item, live: JsonObject, managed: Managed | null): JsonObject {
  const rule = raw ?? {};
  const id = executedBy(rule);
  const isImplied = ref.key === KIND && id === CORE_RULESET.id;
  const rulesetName = ref.key === KIND ? id : ref.key;
  const scoring = managed?.scoring ?? null;
  // Empty: the scoring rule comes from `score_rule`, and the account was not read.
  const isGiven = scoring !== null && Object.keys(scoring.own).length === 0;
  return {
    ...(isImplied || rulesetName === null ? {} : { ruleset: rulesetName }),
    ...(isGiven ? { score_rule: scoring.id } : {}),
    ...expressible({
      ...live,
      ...singleOf(rule, "category", "disabled_tags", managed?.sort === "unscored" ? "tags" : null, null),
      ...singleOf(rule, "id", "disabled_rules", "rules", scoring?.id ?? null),
    }),
  };
}

type OptionalFields = { readonly [field: string]: Json | undefined };

/** Leaves out the values that no key can declare: a custom mix of paranoia levels, and a disabled scoring rule. */
function expressible(normal: OptionalFields): JsonObject {
  return mapValues(normal, (value, field) => {
    const isOdd = field === "paranoia_level" && String(value).startsWith("custom");
    return value === null || isOdd || (field === "action" && value === NO_ACTION) ? undefined : value;
  });
}

/**
 * The disabled tags or rules as a list; if an override has an action or enables, all overrides as a map.
 *
 * @param map null: no map can declare overrides of the ruleset's tags
 */
function singleOf(
  rule: JsonObject,
  named: Named,
  list: string,
  map: string | null,
  scoringId: string | null,
): OptionalFields {
  const single = pickBy(
    mapValues(settingsByName(overridesIn(rule, named), named), (settings) =>
      pick(settings, ["enabled", "action"]),
    ),
    (settings, name) => name !== scoringId && Object.keys(settings).length > 0,
  );
  const isPlain = Object.values(single).every(
    ({ enabled, action }) => enabled === false && action === undefined,
  );
  if (!isPlain && map !== null) return { [map]: single, [list]: undefined };
  const off = pickBy(single, ({ enabled }, name) => enabled === false && !isLevelTag(name));
  return { [list]: Object.keys(off) };
}

/** The threshold as a word, if the file has a word. */
function styledThreshold(live: Json | undefined, { score_threshold: written }: JsonObject): Json | undefined {
  return typeof written === "string" ? (presetOf(live) ?? live) : live;
}
