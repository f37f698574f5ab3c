import { groupBy } from "../../model/group-by.js";
import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import { CORE_RULESET, executedBy } from "../managed-rules.js";
import { KIND, type Managed } from "./managed.js";
import { NO_ACTION, presetOf } from "./normal.js";
import { combinedOverride, isLevelTag, type Named, overridesIn } from "./overrides.js";
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
  const findingEntries = Object.entries(declared).filter(([key]) => FIND_BY.includes(key));
  const liveEntries = Object.entries(expressible(inFileStyle)).filter(([key]) => key in declared);
  return Object.fromEntries([...findingEntries, ...liveEntries]);
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
function expressible(normal: { readonly [field: string]: Json | undefined }): JsonObject {
  const fields = Object.entries(normal).flatMap(([field, value]): (readonly [string, Json])[] => {
    if (value === undefined || value === null) return [];
    const isOdd = field === "paranoia_level" && String(value).startsWith("custom");
    return isOdd || (field === "action" && value === NO_ACTION) ? [] : [[field, value]];
  });
  return Object.fromEntries(fields);
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
  const single = [...groupBy(overridesIn(rule, named), (each) => each[named])].flatMap(([name, entries]) => {
    if (typeof name !== "string" || name === scoringId) return [];
    const { enabled, action } = combinedOverride(entries, named, name);
    const settings = {
      ...(enabled === undefined ? {} : { enabled }),
      ...(action === undefined ? {} : { action }),
    };
    return Object.keys(settings).length === 0 ? [] : [[name, settings] as const];
  });
  const isPlain = single.every(([, settings]) => settings.enabled === false && settings.action === undefined);
  if (!isPlain && map !== null) return { [map]: Object.fromEntries(single), [list]: undefined };
  const off = single.filter(([name, { enabled }]) => enabled === false && !isLevelTag(name));
  return { [list]: off.map(([name]) => name) };
}

/** The threshold as a word, if the file has a word. */
function styledThreshold(live: Json | undefined, { score_threshold: written }: JsonObject): Json | undefined {
  return typeof written === "string" ? (presetOf(live) ?? live) : live;
}
