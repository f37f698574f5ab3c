import { cut } from "../model/cut.js";
import { asText, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import type { PhaseName } from "../model/phases.js";
import { areAll, failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { isId, notAnId, type ReadApi, sameIdAgain } from "../model/read-api.js";

/** The ruleset of one phase in a zone: a list of rules that all users of the phase share. */
export interface PhaseRuleset {
  readonly id: string;
  /** Raw rules. Each id is safe in a path. */
  readonly rules: readonly LiveRule[];
  /** Null: none, or not shown by the service. */
  readonly description: string | null;
  /** The answer of the service, and its path. */
  readonly raw: JsonObject;
  readonly path: string;
}

export type LiveRule = JsonObject & { readonly id: string };

/** A phase, with the description for a ruleset created in it. */
export interface Phase {
  /** The kind that uses the phase. */
  readonly kind: string;
  readonly name: PhaseName;
  readonly description: string;
}

/**
 * Reads the zone's ruleset of a phase. Null: not found. An entry point with a 404 may still have a ruleset without
 * rules, and the service refuses a second one (users of the service have seen both). So the zone's list of rulesets is
 * read before a ruleset is created. One earlier read of the list is enough, because the service refuses a second
 * ruleset.
 */
export async function readPhase(
  api: ReadApi,
  zoneId: string,
  phase: Phase,
  mayCreate: boolean,
): Promise<Result<PhaseRuleset | null>> {
  const path = entryPointOf(zoneId, phase);
  const answer = await api.get(path);
  if (answer.ok) return rulesetFrom(answer.value, path, phase);
  // Only a 404 of the API itself means absence.
  if (!areAll(answer.problems, "not_found")) return answer;
  return mayCreate ? hiddenRuleset(api, zoneId, phase) : ok(null);
}

export function entryPointOf(zoneId: string, phase: Phase): string {
  return `/zones/${zoneId}/rulesets/phases/${phase.name}/entrypoint`;
}

async function hiddenRuleset(
  api: ReadApi,
  zoneId: string,
  phase: Phase,
): Promise<Result<PhaseRuleset | null>> {
  const list = `/zones/${zoneId}/rulesets`;
  const answer = await api.list(list, { earlier: true });
  if (!answer.ok) return answer;
  return rulesetAmong(api, list, answer.value.filter(isObject), "zone", phase);
}

/**
 * Reads the ruleset of a phase among those of a list. Null: none.
 *
 * @param path the path of the list
 */
export async function rulesetAmong(
  api: ReadApi,
  path: string,
  rulesets: readonly JsonObject[],
  kind: "zone" | "root",
  phase: Phase,
): Promise<Result<PhaseRuleset | null>> {
  const [ruleset, second] = rulesets.filter((each) => each.kind === kind && each.phase === phase.name);
  if (ruleset === undefined) return ok(null);
  if (second !== undefined) return failed(twoRulesets(path, phase));
  const { id } = ruleset;
  if (typeof id !== "string" || !isId(id)) return failed(unusableId(`GET ${path} gave a ruleset`, id));
  return rulesetAt(api, `${path}/${id}`, phase);
}

function twoRulesets(path: string, { name }: Phase): Problem {
  const detail = `GET ${path} gave two rulesets of the phase ${name}, where one is possible. Nothing that depends on them is planned.`;
  return problem("unexpected_answer", "Two rulesets of one phase", detail);
}

export async function rulesetAt(api: ReadApi, path: string, phase: Phase): Promise<Result<PhaseRuleset>> {
  const answer = await api.get(path);
  return answer.ok ? rulesetFrom(answer.value, path, phase) : answer;
}

/** The description of a rule. Empty: none. */
export function descriptionOf({ description }: JsonObject): string {
  return typeof description === "string" ? description : "";
}

export function parametersOf({ action_parameters: parameters }: JsonObject): JsonObject {
  return isObject(parameters) ? parameters : {};
}

export function ruleName(rule: JsonObject): string {
  return descriptionOf(rule) || `rule ${asText(rule.id ?? "")}`;
}

/** Null: the rule is new. */
export function ruleId({ id }: JsonObject): string | null {
  return typeof id === "string" ? id : null;
}

/** The service leaves out an empty `rules` (a fix in its Terraform provider). */
function rulesetFrom(value: unknown, path: string, phase: Phase): Result<PhaseRuleset> {
  if (!isObject(value)) return failed(otherShape(path));
  if (typeof value.id !== "string" || !isId(value.id))
    return failed(unusableId(`GET ${path} gave a ruleset`, value.id));
  const rules = value.rules ?? [];
  const isOther = value.phase !== undefined && value.phase !== phase.name;
  if (isOther || !isList(rules)) return failed(otherShape(path));
  if (!rules.every(isLiveRule)) return failed(unusableRule(path, rules));
  const twin = sameIdAgain(rules, ({ id }) => id);
  if (twin !== null) return failed(duplicateRuleId(path, twin));
  const description = typeof value.description === "string" ? value.description : null;
  return ok({ id: value.id, rules, description, raw: value, path });
}

function isLiveRule(rule: unknown): rule is LiveRule {
  return isObject(rule) && typeof rule.id === "string" && isId(rule.id);
}

function unusableRule(path: string, rules: readonly Json[]): Problem {
  const odd = rules.find((rule) => !isLiveRule(rule));
  if (!isObject(odd)) return otherShape(path);
  const name = typeof odd.description === "string" ? ` ${quote(odd.description)}` : "";
  return unusableId(`GET ${path} gave the rule${name}`, odd.id);
}

function duplicateRuleId(path: string, { id, description }: LiveRule): Problem {
  const ending = typeof description === "string" ? `; the second is ${quote(description)}` : "";
  return unexpected("ruleset", `GET ${path} gave two rules with the id ${id}${ending}`);
}

function quote(text: string): string {
  return JSON.stringify(cut(text, 100));
}

export function unusableId(source: string, id: unknown): Problem {
  return unexpected("ruleset", `${source} with ${notAnId(id)}`);
}

function otherShape(path: string): Problem {
  return unexpected("ruleset", `GET ${path} did not answer with a ruleset whose rules have usable ids`);
}

/** The problem of an answer that this version does not understand. */
export function unexpected(noun: string, reason: string): Problem {
  const detail = `${reason}. Nothing that depends on it is planned.`;
  return problem("unexpected_answer", `Unexpected ${noun} from Cloudflare`, detail);
}

/**
 * A rule as it is sent: without the fields that only the service writes (its published OpenAPI document), and without
 * the position, which follows from the list.
 */
export function sentRule(rule: JsonObject): JsonObject {
  const { version: _version, last_updated: _updated, categories: _categories, position: _, ...sent } = rule;
  return sent;
}
