import { cut, cutEnd } from "../../model/cut.js";
import type { JsonObject } from "../../model/json.js";
import { type Problem, problem } from "../../model/problem.js";
import type { Declared } from "../../model/wanted.js";
import { requestsOf } from "../expression.js";
import type { ZoneReader } from "../kind.js";
import { documentedName, executedBy } from "../managed-rules.js";
import { isSwitchedOff } from "../unmanaged-rules.js";
import type { Managed } from "./managed.js";

/** An entry of the files, and the ruleset that the entry names. */
interface EntryRuleset {
  readonly declared: Declared;
  readonly managed: Managed;
}

/**
 * A note for each rule of the account that runs the same rulesets in all its zones. The account's list runs before each
 * zone's list (the service's documentation), and zone files cannot change it.
 */
export function accountRunWarnings(
  zone: ZoneReader,
  entries: readonly EntryRuleset[],
  rules: readonly JsonObject[],
): readonly Problem[] {
  // Only declared entries have a place in the files. A rollback also passes undeclared ones.
  const declaredEntries = entries.filter(
    ({ declared: { path, body } }) => body.ensure !== "absent" && zone.locate(path, "key") !== null,
  );
  return declaredEntries.flatMap((entry) =>
    rules
      .filter((rule) => executedBy(rule) === entry.managed.id && !isSwitchedOff(rule))
      .map((rule) => accountRunWarning(zone, entry, rule)),
  );
}

function accountRunWarning(
  { locate }: ZoneReader,
  { declared, managed: { id, name } }: EntryRuleset,
  rule: JsonObject,
): Problem {
  const { description, expression = null } = rule;
  const by =
    typeof description === "string" && description !== "" ? ` (${JSON.stringify(cut(description, 80))})` : "";
  const does = `A rule of the account${by} also runs ${name === null ? documentedName(id) : cutEnd(name, 80)}, on ${requestsOf(expression)}, with its own settings.`;
  const means =
    "The files and the zone's exceptions do not change that. To see that rule, open the account's WAF in the dashboard, under managed rulesets.";
  const reason = problem("account_rules", "The account also runs this managed ruleset", `${does} ${means}`);
  return { ...reason, severity: "note", at: locate(declared.path, "key") };
}
