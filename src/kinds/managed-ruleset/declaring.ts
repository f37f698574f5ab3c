import type { Json, JsonObject } from "../../model/json.js";
import { CORE_RULESET, declaredScoringId, executedBy } from "./managed.js";
import { overridesIn } from "./overrides.js";

/** No rule has it. */
const NO_RULE = "0".repeat(32);

/**
 * What makes `read` find the rule again, and say all of it that the overrides of these say. The account is read only
 * where there is a score whose default the overrides may leave to the ruleset.
 */
export function declaring(raws: readonly JsonObject[], declared: JsonObject | null): JsonObject {
  const [ruleset = CORE_RULESET.id] = raws.flatMap((rule) => executedBy(rule) ?? []);
  const entries = raws.flatMap((rule) => overridesIn(rule, "id"));
  const given = declaredScoringId(declared ?? {});
  const scored = entries.find((entry) => entry.score_threshold !== undefined)?.id;
  const known = ruleset === CORE_RULESET.id ? CORE_RULESET.scoringId : null;
  const scoringId = given ?? (typeof scored === "string" ? scored : known);
  const rules: Record<string, JsonObject> = {};
  for (const { id, ...said } of entries)
    if (typeof id === "string" && id !== scoringId) rules[id] = { ...rules[id], ...said };
  return { ruleset, disabled_tags: tagsIn(raws), rules, ...scoreRule(given, scoringId) };
}

/** Also what an entry switches off that says more than that. */
function tagsIn(raws: readonly JsonObject[]): readonly string[] {
  const tags = raws.flatMap((rule) => overridesIn(rule, "category").map(({ category }) => category));
  return [...new Set(tags.filter((tag) => typeof tag === "string"))];
}

function scoreRule(given: string | null, known: string | null): { readonly [field: string]: Json } {
  if (known === null) return { score_rule: NO_RULE };
  return given === null ? {} : { score_rule: given };
}
