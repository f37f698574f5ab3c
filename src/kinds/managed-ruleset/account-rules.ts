import { cut, cutEnd } from "../../model/cut.js";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { ok, type Problem, problem, type Result } from "../../model/problem.js";
import { isId } from "../../model/read-api.js";
import type { Declared } from "../../model/wanted.js";
import { accountRulesets } from "../account-rulesets.js";
import { requestsOf } from "../expression.js";
import type { ZoneReader } from "../kind.js";
import { documentedName, executedBy, MANAGED_PHASE } from "../managed-rules.js";
import { isSwitchedOff } from "../unmanaged-rules.js";
import { declaredName, type Managed, readsAccount } from "./managed.js";

/** An entry of the files, and the ruleset that it means. */
interface Meant {
  readonly declared: Declared;
  readonly managed: Managed;
}

/**
 * What the account executes of the same rulesets in all its zones, in its own list of rules: the documentation has that
 * list run before each zone's. The files of a zone change nothing of it. Where the account need not be read for them, nothing
 * is read; a token that may not, or a service that has no such list, is told nothing of.
 */
export async function runByAccount(zone: ZoneReader, entries: readonly Meant[]): Promise<readonly Problem[]> {
  // Of what no file declares, as on the way back, nobody would be told.
  const wanted = entries.filter(
    ({ declared: { path, body } }) => body.ensure !== "absent" && zone.locate(path, "key") !== null,
  );
  const isListed = wanted.some(({ declared: { body } }) => declaredName(body) !== null && readsAccount(body));
  if (!isListed && wanted.every(({ managed: { content } }) => content === null)) return [];
  const found = await entryPoint(zone, isListed);
  if (!found.ok) return found.problems.every(isNothingToTell) ? [] : [unread(found.problems)];
  const rules = isObject(found.value) && isList(found.value.rules) ? found.value.rules.filter(isObject) : [];
  return wanted.flatMap((each) =>
    rules
      .filter((rule) => executedBy(rule) === each.managed.id && !isSwitchedOff(rule))
      .map((rule) => runsToo(zone, each, rule)),
  );
}

/** The account's list of rules. Where all its rulesets were listed, that says whether there is one, and no more is asked. */
async function entryPoint(zone: ZoneReader, isListed: boolean): Promise<Result<Json>> {
  const path = await accountRulesets(zone);
  if (!path.ok) return path;
  if (!isListed) return zone.api.get(`${path.value}/phases/${MANAGED_PHASE.name}/entrypoint`);
  const all = await zone.api.list(path.value);
  if (!all.ok) return all;
  const root = all.value.find(
    (each): each is JsonObject => isObject(each) && each.kind === "root" && each.phase === MANAGED_PHASE.name,
  );
  const id = root?.id;
  return typeof id === "string" && isId(id) ? zone.api.get(`${path.value}/${id}`) : ok(null);
}

function isNothingToTell({ code }: Problem): boolean {
  return ["unauthorized", "not_found", "no_route", "not_entitled", "account_unknown"].includes(code);
}

function unread(problems: readonly Problem[]): Problem {
  const [{ summary, detail } = { summary: "", detail: "" }] = problems;
  const text = `Whether the account's own rules run a ruleset of this zone too is not known: ${summary}. ${detail}`;
  return {
    ...problem("account_rules_unread", "The account's rules could not be read", text),
    severity: "note",
  };
}

function runsToo(
  { locate }: ZoneReader,
  { declared, managed: { id, name } }: Meant,
  rule: JsonObject,
): Problem {
  const { description, expression = null } = rule;
  const by =
    typeof description === "string" && description !== "" ? ` (${JSON.stringify(cut(description, 80))})` : "";
  const does = `The account's rules run it too: a rule of the account${by} executes ${name === null ? documentedName(id) : cutEnd(name, 80)} on ${requestsOf(expression)}, with settings of its own.`;
  const means =
    "What is declared here, and the zone's exceptions, change nothing of that; it is not written. It stands in the account's WAF, under managed rulesets, in the dashboard.";
  const told = problem("account_rules", "The account runs a managed ruleset too", `${does} ${means}`);
  return { ...told, severity: "note", at: locate(declared.path, "key") };
}
