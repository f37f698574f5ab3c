import { ok, type Result } from "../../model/problem.js";
import type { Declared } from "../../model/wanted.js";
import type { ZoneReader } from "../kind.js";
import type { LiveRule } from "../phase.js";
import { rulesetIdInAccount } from "./account.js";
import { CORE_RULESET, declaredRuleset, executedBy, isRulesetId, type Managed } from "./managed.js";
import { overridesIn } from "./overrides.js";

/**
 * The managed ruleset that the file means where the scoring rule is given or not needed: without reading the account,
 * unless the zone executes rulesets of which any could be the one.
 */
export async function identify(
  zone: ZoneReader,
  declared: Declared,
  executing: readonly LiveRule[],
): Promise<Result<Managed>> {
  const id = await idOf(zone, declared, executing);
  if (!id.ok) return id;
  const scoreRule = scoreRuleOf(declared);
  const scoring = scoreRule === null ? null : { id: scoreRule, own: {} };
  return ok({ id: id.value, name: nameOf(declared), scoring });
}

async function idOf(
  zone: ZoneReader,
  declared: Declared,
  executing: readonly LiveRule[],
): Promise<Result<string>> {
  const ruleset = declaredRuleset(declared.body);
  if (isRulesetId(ruleset)) return ok(ruleset.toLowerCase());
  const known = ruleset === CORE_RULESET.name ? CORE_RULESET.id : null;
  const own =
    executing.find((rule) => executedBy(rule) === known) ??
    executing.find((rule) => overrides(rule, scoreRuleOf(declared)));
  const executed = own === undefined ? null : executedBy(own);
  if (executed !== null) return ok(executed);
  if (known !== null && executing.length === 0) return ok(known);
  const found = await rulesetIdInAccount(zone, declared);
  const isDenied = !found.ok && found.problems.every(({ code }) => code === "unauthorized");
  return isDenied && known !== null ? ok(known) : found;
}

function overrides(rule: LiveRule, id: string | null): boolean {
  return id !== null && overridesIn(rule, "id").some((each) => each.id === id);
}

function scoreRuleOf({ body: { score_rule: id } }: Declared): string | null {
  return typeof id === "string" ? id.toLowerCase() : null;
}

function nameOf({ body }: Declared): string | null {
  const ruleset = declaredRuleset(body);
  return isRulesetId(ruleset) ? null : ruleset;
}
