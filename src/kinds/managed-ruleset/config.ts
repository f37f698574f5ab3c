import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import { NO_ACTION, presetOf } from "./normal.js";
import { overridesIn, saidOf } from "./overrides.js";
import type { Context } from "./read.js";

/** Keys that say which ruleset is meant. */
const FIND_BY: readonly string[] = ["ruleset", "score_rule"];

/** What a file says of a live rule that executes the ruleset. */
export function configOf(
  { normal, raw }: Item,
  declared: JsonObject | null,
  { managed }: Pick<Context, "managed">,
): JsonObject {
  const live = normal as JsonObject; // nothing in it is sensitive
  if (declared === null) return sayable({ ...live, ...rulesOf(raw ?? {}, managed?.scoring?.id ?? null) });
  const styled = { ...live, score_threshold: styledThreshold(live.score_threshold, declared) };
  const found = Object.entries(declared).filter(([key]) => FIND_BY.includes(key));
  const said = Object.entries(sayable(styled)).filter(([key]) => key in declared);
  return Object.fromEntries([...found, ...said]);
}

/** Without what no key of a file can say: a combination of levels that is none, and a scoring rule that is off. */
function sayable(normal: { readonly [field: string]: Json | undefined }): JsonObject {
  const fields = Object.entries(normal).flatMap(([field, value]): (readonly [string, Json])[] => {
    if (value === undefined || value === null) return [];
    const isOdd = field === "paranoia_level" && String(value).startsWith("custom");
    return isOdd || (field === "action" && value === NO_ACTION) ? [] : [[field, value]];
  });
  return Object.fromEntries(fields);
}

/** Where rules are overridden with more than a plain disable, all of them as a map in place of the list. */
function rulesOf(
  raw: JsonObject,
  scoringId: string | null,
): { readonly [field: string]: JsonObject | undefined } {
  const overrides = overridesIn(raw, "id");
  const ids = new Set(
    overrides.flatMap(({ id }) => (typeof id === "string" && id !== scoringId ? [id] : [])),
  );
  const rules = [...ids].flatMap((id) => {
    const { enabled, action } = saidOf(overrides, "id", id);
    const said = {
      ...(enabled === undefined ? {} : { enabled }),
      ...(action === undefined ? {} : { action }),
    };
    return Object.keys(said).length === 0 ? [] : [[id, said] as const];
  });
  const isPlain = rules.every(([, said]) => said.enabled === false && said.action === undefined);
  return isPlain ? {} : { rules: Object.fromEntries(rules), disabled_rules: undefined };
}

/** In a word where the file has one. */
function styledThreshold(live: Json | undefined, { score_threshold: written }: JsonObject): Json | undefined {
  return typeof written === "string" ? (presetOf(live) ?? live) : live;
}
