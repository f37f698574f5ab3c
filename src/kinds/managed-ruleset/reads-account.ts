import type { JsonObject } from "../../model/json.js";
import { CORE_RULESET, declaredName, declaredScoringId } from "./managed.js";

/**
 * The account is left alone where the files give the scoring rule, or want the rule gone, of a ruleset that need not be
 * looked up by its name. Only a zone that executes nothing but rulesets that are not known has it read all the same.
 */
export function readsAccount(declared: JsonObject): boolean {
  const name = declaredName(declared);
  if (name !== null && name !== CORE_RULESET.name) return true;
  return declared.ensure !== "absent" && declaredScoringId(declared) === null;
}
