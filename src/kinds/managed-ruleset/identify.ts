import { ok, type Result } from "../../model/problem.js";
import type { Declared } from "../../model/wanted.js";
import type { ZoneReader } from "../kind.js";
import type { LiveRule } from "../phase.js";
import { rulesetIdInAccount } from "./account.js";
import { CORE_RULESET, declaredName, declaredRuleset, declaredScoringId, executedBy } from "./managed.js";
import { overridesIn } from "./overrides.js";

/** The id of the managed ruleset that the file means: it may be the id itself, else it is looked up by its name. */
export async function identify(
  zone: ZoneReader,
  declared: Declared,
  executing: readonly LiveRule[],
): Promise<Result<string>> {
  const name = declaredName(declared.body);
  if (name === null) return ok(declaredRuleset(declared.body).toLowerCase());
  return name === CORE_RULESET.name
    ? identifyCore(zone, declared, executing)
    : identifyOther(zone, declared, name, executing);
}

/**
 * Where the scoring rule is given or not needed, the account is not read, unless the zone executes rulesets of which
 * any could be the one.
 */
async function identifyCore(
  zone: ZoneReader,
  declared: Declared,
  executing: readonly LiveRule[],
): Promise<Result<string>> {
  const { name, id } = CORE_RULESET;
  const scoringId = declaredScoringId(declared.body);
  if (scoringId === null && declared.body.ensure !== "absent")
    return rulesetIdInAccount(zone, declared, name);
  if (executing.length === 0 || executing.some((rule) => executedBy(rule) === id)) return ok(id);
  const overridden = executedWith(executing, scoringId);
  if (overridden !== null) return ok(overridden);
  const found = await rulesetIdInAccount(zone, declared, name);
  return isDenied(found) ? ok(id) : found;
}

/** The name counts. Only where it may not be looked up, a rule that overrides the given scoring rule is taken for it. */
async function identifyOther(
  zone: ZoneReader,
  declared: Declared,
  name: string,
  executing: readonly LiveRule[],
): Promise<Result<string>> {
  const found = await rulesetIdInAccount(zone, declared, name);
  if (!isDenied(found)) return found;
  const others = executing.filter((rule) => executedBy(rule) !== CORE_RULESET.id);
  const overridden = executedWith(others, declaredScoringId(declared.body));
  return overridden === null ? found : ok(overridden);
}

/** The id of the ruleset that is executed with an override of this rule. */
function executedWith(executing: readonly LiveRule[], ruleId: string | null): string | null {
  if (ruleId === null) return null;
  const own = executing.find((rule) => overridesIn(rule, "id").some(({ id }) => id === ruleId));
  return own === undefined ? null : executedBy(own);
}

function isDenied(found: Result<string>): boolean {
  return !found.ok && found.problems.every(({ code }) => code === "unauthorized");
}
