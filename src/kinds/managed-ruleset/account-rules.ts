import { cut, cutEnd } from "../../model/cut.js";
import type { JsonObject } from "../../model/json.js";
import { type Problem, problem } from "../../model/problem.js";
import type { Declared } from "../../model/wanted.js";
import { requestsOf } from "../expression.js";
import type { ZoneReader } from "../kind.js";
import { documentedName, executedBy } from "../managed-rules.js";
import { isSwitchedOff } from "../unmanaged-rules.js";
import type { Managed } from "./managed.js";

/** An entry of the files, and the ruleset that it means. */
interface EntryRuleset {
  readonly declared: Declared;
  readonly managed: Managed;
}

/**
 * What the account executes of the same rulesets in all its zones, in its own list of rules: the documentation has that
 * list run before each zone's. The files of a zone change nothing of it.
 *
 * @param rules of the account's list
 */
export function accountRunWarnings(
  zone: ZoneReader,
  entries: readonly EntryRuleset[],
  rules: readonly JsonObject[],
): readonly Problem[] {
  // Of what no file declares, as on the way back, nobody would be told.
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
