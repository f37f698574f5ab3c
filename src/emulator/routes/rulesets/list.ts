import { type Answer, apiError, failure, result } from "../../answer.js";
import { type Ruleset, type Rulesets, rulesetSummary } from "../../parts/rulesets/index.js";
import type { Call, World } from "../route.js";

/** In the dialect that has no pages, parameters that would ask for one do nothing. */
export function list(rulesets: Rulesets, { query }: Call, world: World): Answer {
  const all = listed(rulesets, world);
  const perPage = query.get("per_page");
  const cursor = query.get("cursor");
  // Whole is what the published OpenAPI document knows; which page comes without a size is documented nowhere.
  if (!world.habits.rulesetPages || (perPage === null && cursor === null))
    return result(all.map(rulesetSummary));
  return onePage(all, Number(perPage ?? Math.max(all.length, 1)), Number(cursor ?? 0));
}

/** The list of a zone also has the managed rulesets of its account, says the documentation of viewing. */
function listed(rulesets: Rulesets, { store }: World): readonly Ruleset[] {
  const own = [...rulesets.byId.values()];
  const managed = [...store.accountRulesets.byId.values()].filter(({ kind }) => kind === "managed");
  return rulesets.level === "zone" ? [...own, ...managed] : own;
}

/** The members of `result_info` are those of the official TypeScript SDK; the last page has no cursor. */
function onePage(all: readonly Ruleset[], perPage: number, from: number): Answer {
  if (!Number.isInteger(perPage) || perPage < 1)
    return failure(400, apiError("per_page must be a whole number from 1 up"));
  if (!Number.isInteger(from) || from < 0) return failure(400, apiError("the cursor is not valid"));
  const shown = all.slice(from, from + perPage);
  const next = from + shown.length;
  const info = { count: shown.length, per_page: perPage };
  return result(shown.map(rulesetSummary), next < all.length ? { ...info, cursor: String(next) } : info);
}
