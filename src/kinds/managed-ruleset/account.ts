import type { Declared } from "../../model/declared-zone.js";
import { type JsonObject, textsIn } from "../../model/json.js";
import { areAll, failed, ok, type Problem, problem, type Result } from "../../model/problem.js";
import { isId } from "../../model/read-api.js";
import { accountRulesetsPath, rulesetIdByName, withWayOut } from "../account-rulesets.js";
import { CORE_RULESET, documentedId, executedBy } from "../documented-rulesets.js";
import type { ZoneReader } from "../kind.js";
import { type LiveRule, rulesetAt, unusableId } from "../phase.js";
import {
  type Content,
  declaredName,
  declaredRuleset,
  declaredScoringId,
  declaresRules,
  knownSort,
  type Managed,
  type OwnRule,
  PHASE,
  type Scoring,
} from "./named-ruleset.js";
import { overridesIn } from "./overrides.js";

/** Reads a managed ruleset of the account, with its rules. */
export async function rulesetInAccount(
  zone: ZoneReader,
  declared: Declared,
  id: string,
): Promise<Result<Managed>> {
  // The id may come from a live rule.
  if (!isId(id)) return failed(unusableId("A rule of the zone executes a ruleset", id));
  const path = await accountRulesetsPath(zone);
  const keys = keysFor(declared);
  if (!path.ok) return failed(...path.problems.map((each) => withWayOut(each, keys)));
  const ruleset = await rulesetAt(zone.api, `${path.value}/${id}`, PHASE);
  if (!ruleset.ok)
    return failed(
      ...ruleset.problems.map((each) => withWayOut(unknownRuleset(each, id, declared, zone), keys)),
    );
  const { rules, raw } = ruleset.value;
  const name = typeof raw.name === "string" ? raw.name : null;
  const scoring = scoringIn(rules);
  return ok({ id, name, sort: sortOf(declared, rules, scoring), scoring, content: contentOf(rules) });
}

/** The sort that the rules show, else the known sort. Null: unknown. */
function sortOf({ body }: Declared, rules: readonly JsonObject[], scoring: Scoring | null): Managed["sort"] {
  if (scoring !== null) return "scored";
  return knownSort(body) ?? (rules.length === 0 ? null : "unscored");
}

/** The id of the account's managed ruleset of this name. */
async function rulesetIdInAccount(
  zone: ZoneReader,
  declared: Declared,
  ruleset: string,
): Promise<Result<string>> {
  const id = await rulesetIdByName(zone, ruleset, [...declared.path, "ruleset"]);
  return id.ok ? id : failed(...id.problems.map((each) => withWayOut(each, keysFor(declared))));
}

/** The problem of a ruleset that adds up no score, although the entry needs a scoring rule. */
export function withoutScoring(
  { id, name }: Managed,
  purpose: "to configure" | "to deploy it with",
  declared: Declared,
  zone: ZoneReader,
): Problem {
  const rulesetName = name === null ? "The ruleset" : JSON.stringify(name);
  const way =
    purpose === "to configure"
      ? "Correct ruleset, or replace the keys about a score with action, tags and rules."
      : "Correct ruleset, or deploy it in the dashboard and change its rule here.";
  const detail = `${rulesetName} (${id}) has no rule with a score threshold, so there is no scoring rule ${purpose}. ${way}`;
  return atRuleset("no_scoring_rule", "Ruleset without a scoring rule", detail, declared, zone);
}

/** The scoring rule is the last rule, and the only one with a threshold. */
function scoringIn(rules: readonly LiveRule[]): Scoring | null {
  const rule = rules.findLast((rule) => typeof rule.score_threshold === "number");
  if (rule === undefined) return null;
  const { id, score_threshold = null } = rule;
  return { id, own: { ...ownRule(rule), ...(score_threshold === null ? {} : { score_threshold }) } };
}

function contentOf(liveRules: readonly LiveRule[]): Content {
  const rules = new Map(liveRules.map((rule) => [rule.id, ownRule(rule)]));
  const tags = new Map<string, number>();
  for (const rule of rules.values()) for (const tag of rule.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  return { rules, tags };
}

function ownRule({ categories, action = null, enabled = null, description }: JsonObject): OwnRule {
  return {
    tags: [...new Set(textsIn(categories))],
    ...(action === null ? {} : { action }),
    ...(enabled === null ? {} : { enabled }),
    ...(typeof description === "string" && description !== "" ? { description } : {}),
  };
}

/** The keys with which the file can avoid the read. */
function keysFor({ body }: Declared): readonly string[] {
  const name = declaredName(body);
  const isOther = name !== null && name !== CORE_RULESET.name;
  const isUnscored = knownSort(body) === "unscored";
  const needsRule = declaredScoringId(body) === null && body.ensure !== "absent" && !isUnscored;
  return [
    ...(isOther ? ["the ruleset's id in ruleset"] : []),
    ...(needsRule && (!isOther || declaresRules(body)) ? ["score_rule"] : []),
  ];
}

function unknownRuleset(reason: Problem, id: string, declared: Declared, zone: ZoneReader): Problem {
  if (reason.code !== "not_found") return reason;
  const detail = `The account has no ruleset with this id. Correct it, or write the ruleset's name.`;
  return atRuleset("ruleset_not_found", `Unknown ruleset ${id}`, detail, declared, zone);
}

function atRuleset(
  code: string,
  summary: string,
  detail: string,
  { path }: Declared,
  zone: ZoneReader,
): Problem {
  return problem(code, summary, detail, zone.locate([...path, "ruleset"]));
}

/** The id of the managed ruleset that the file names: the declared id, or the id found by the declared name. */
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
 * The id of the core ruleset. The account is read only where `score_rule` is needed and missing, or where the zone
 * executes other rulesets that could be the core ruleset.
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
  const rulesetId = await rulesetIdInAccount(zone, declared, name);
  return isDenied(rulesetId) ? ok(id) : rulesetId;
}

/**
 * The id of another ruleset, by its name. If the name is unknown in the account or the account cannot be read, the
 * documented id counts. Failing that, the id is the one of a live rule that overrides the declared scoring rule.
 */
async function identifyOther(
  zone: ZoneReader,
  declared: Declared,
  name: string,
  executing: readonly LiveRule[],
): Promise<Result<string>> {
  const found = await rulesetIdInAccount(zone, declared, name);
  const documented = documentedId(name);
  if (documented !== null && (isDenied(found) || isMissing(found))) return ok(documented);
  if (!isDenied(found)) return found;
  const otherRules = executing.filter((rule) => executedBy(rule) !== CORE_RULESET.id);
  const overridden = executedWith(otherRules, declaredScoringId(declared.body));
  return overridden === null ? found : ok(overridden);
}

/** The id of the ruleset that a live rule executes with an override of the given rule. */
function executedWith(executing: readonly LiveRule[], ruleId: string | null): string | null {
  if (ruleId === null) return null;
  const overriding = executing.find((rule) => overridesIn(rule, "id").some(({ id }) => id === ruleId));
  return overriding === undefined ? null : executedBy(overriding);
}

function isMissing(rulesetId: Result<unknown>): boolean {
  return !rulesetId.ok && areAll(rulesetId.problems, "ruleset_not_found");
}

export function isDenied(answer: Result<unknown>): boolean {
  return !answer.ok && areAll(answer.problems, "unauthorized");
}
