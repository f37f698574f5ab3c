import { cut, cutEnd } from "../model/cut.js";
import type { Item } from "../model/item.js";
import { asText, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import type { Seen } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { isId, notAnId, type ReadApi } from "../model/read-api.js";

import { RULES } from "../model/unmanaged.js";
import { requestsOf } from "./expression.js";
import { readFlag } from "./fields.js";
import type { LiveUnmanaged, PendingStep } from "./kind.js";

/** The ruleset of one phase in a zone: one list of rules that everybody who uses the phase shares. */
export interface PhaseRuleset {
  readonly id: string;
  /** Raw; each has an id that may stand in a path. */
  readonly rules: readonly LiveRule[];
  /** Null: it has none, or the service does not say. */
  readonly description: string | null;
  /** As it was given, and where it was read. */
  readonly raw: JsonObject;
  readonly path: string;
}

export type LiveRule = JsonObject & { readonly id: string };

/** A phase, and what to say of a ruleset that is created for it. */
export interface Phase {
  /** The kind that uses it. */
  readonly kind: string;
  readonly name: string;
  readonly description: string;
}

/**
 * Reads the zone's ruleset of a phase; null: there is none. An entry point that answers 404 may still be there without
 * rules, and then a second one is refused (users of the service have met both), so before one is created the list of
 * the zone's rulesets is asked too.
 *
 * @param mayCreate whether a ruleset would be created if there was none
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
  if (!isAbsent(answer.problems)) return answer;
  return mayCreate ? hiddenRuleset(api, zoneId, phase) : ok(null);
}

function entryPointOf(zoneId: string, phase: Phase): string {
  return `/zones/${zoneId}/rulesets/phases/${phase.name}/entrypoint`;
}

/** Only a 404 of the API itself says that something is not there. */
function isAbsent(problems: readonly Problem[]): boolean {
  return problems.every(({ code }) => code === "not_found");
}

async function hiddenRuleset(
  api: ReadApi,
  zoneId: string,
  phase: Phase,
): Promise<Result<PhaseRuleset | null>> {
  const list = `/zones/${zoneId}/rulesets`;
  const listed = await api.list(list, "whole");
  if (!listed.ok) return listed;
  const found = listed.value.find(
    (each) => isObject(each) && each.kind === "zone" && each.phase === phase.name,
  );
  if (!isObject(found)) return ok(null);
  if (typeof found.id !== "string" || !isId(found.id)) return failed(otherId(list, "a ruleset", found.id));
  const path = `${list}/${found.id}`;
  const answer = await api.get(path);
  return answer.ok ? rulesetFrom(answer.value, path, phase) : answer;
}

/** A ruleset without rules comes without `rules` (the service's Terraform provider had to learn it). */
function rulesetFrom(value: unknown, path: string, phase: Phase): Result<PhaseRuleset> {
  if (!isObject(value)) return failed(otherShape(path));
  if (typeof value.id !== "string" || !isId(value.id)) return failed(otherId(path, "a ruleset", value.id));
  const rules = value.rules ?? [];
  const isOther = value.phase !== undefined && value.phase !== phase.name;
  if (isOther || !isList(rules)) return failed(otherShape(path));
  if (!rules.every(isLiveRule)) return failed(withOddRule(path, rules));
  const description = typeof value.description === "string" ? value.description : null;
  return ok({ id: value.id, rules, description, raw: value, path });
}

function isLiveRule(rule: unknown): rule is LiveRule {
  return isObject(rule) && typeof rule.id === "string" && isId(rule.id);
}

function withOddRule(path: string, rules: readonly Json[]): Problem {
  const odd = rules.find((rule) => !isLiveRule(rule));
  if (!isObject(odd)) return otherShape(path);
  const named = typeof odd.description === "string" ? ` ${JSON.stringify(cut(odd.description, 100))}` : "";
  return otherId(path, `the rule${named}`, odd.id);
}

function otherId(path: string, what: string, id: Json | undefined): Problem {
  const detail = `GET ${path} gave ${what} with ${notAnId(id)}. Nothing is planned for this zone.`;
  return problem("unexpected_answer", "The service gave a ruleset of another shape", detail);
}

function otherShape(path: string): Problem {
  return problem(
    "unexpected_answer",
    "The service gave a ruleset of another shape",
    `GET ${path} did not answer with a ruleset whose rules have usable ids. Nothing is planned for this zone.`,
  );
}

/** What an unmanaged rule does, and to protection. */
export type RuleEffect = Pick<LiveUnmanaged, "does" | "effect">;

/**
 * The unmanaged rules of a phase.
 *
 * @param tell what a rule does that is switched on; what stands behind it may count
 */
export function unmanagedRules(
  ruleset: PhaseRuleset | null,
  phase: Phase,
  isOwn: (rule: LiveRule) => boolean,
  tell: (rule: LiveRule, behind: readonly LiveRule[]) => RuleEffect,
): readonly LiveUnmanaged[] {
  return (ruleset?.rules ?? []).flatMap((rule, index, all) => {
    if (isOwn(rule)) return [];
    const { id, description } = rule;
    const ref = { kind: phase.kind, key: typeof description === "string" ? description : "", id };
    const told = tell(rule, all.slice(index + 1));
    return [{ ref, list: RULES, raw: rule, ...(isSwitchedOff(rule) ? switchedOff(told) : told) }];
  });
}

/** A rule is switched on where it does not say so: the default of the published schema. */
export function isSwitchedOff({ enabled }: JsonObject): boolean {
  return readFlag(enabled ?? true) === false;
}

/** What is switched off does nothing, and would. */
function switchedOff({ does }: RuleEffect): RuleEffect {
  return { does: `is switched off; otherwise ${does}`, effect: "neutral" };
}

/** What a rule does of which nothing more is known. */
export function unknownRule({ action = null, expression = null }: JsonObject): RuleEffect {
  const does = `does ${JSON.stringify(cutEnd(asText(action), MAX_ACTION_CHARS))}, which is not known here, on ${requestsOf(expression)}`;
  return { does, effect: "unknown" };
}

const MAX_ACTION_CHARS = 40;

/** A rule as it is sent back: without the fields that the service alone writes, in its published OpenAPI document. */
export function carried(rule: JsonObject): JsonObject {
  const { version: _version, last_updated: _updated, categories: _categories, ...sent } = rule;
  return sent;
}

/** The rule that an item is to be, where it owns all of it; as a new one, since ids are the service's to give. */
export function wholeRule({ owns, raw }: Item): JsonObject | null {
  if (owns !== "all" || raw === null) return null;
  const { id, ref, ...rule } = carried(raw);
  // The service's default for ref is the id.
  return ref === undefined || ref === id ? rule : { ...rule, ref };
}

/** The rules as they are sent, with a new one: at its former place among them where it had one, else last. */
export function withNew(
  rules: readonly LiveRule[],
  rule: JsonObject,
  { behind }: Pick<Item, "behind">,
): readonly JsonObject[] {
  const sent = rules.map(carried);
  if (behind === undefined) return [...sent, rule];
  const places = behind.map((id) => rules.findIndex((each) => each.id === id));
  return sent.toSpliced((places.find((place) => place >= 0) ?? -1) + 1, 0, rule);
}

/**
 * The calls that make these the rules of the phase. A ruleset is created empty and then filled: as the interface is
 * described, rules in the POST are ignored. The published OpenAPI document requires the list.
 */
export function replaceRules(
  zoneId: string,
  phase: Phase,
  ruleset: PhaseRuleset | null,
  rules: readonly JsonObject[],
  what: Pick<PendingStep, "changes" | "effects" | "provides">,
): readonly PendingStep[] {
  const list = ["zones", zoneId, "rulesets"];
  if (ruleset !== null) {
    // What a PUT leaves out may be lost, and the description is unmanaged.
    const kept = ruleset.description ? { description: ruleset.description } : {};
    const put = { method: "PUT", path: [...list, ruleset.id], body: { ...kept, rules } } as const;
    return [
      {
        ...put,
        ...what,
        needs: [],
        findCreated: null,
        precondition: preconditionOf(ruleset),
        reads: listRead(phase, ruleset),
      },
    ];
  }
  // Locked entry points want this name, and no ruleset's name can change.
  const body = {
    name: "default",
    kind: "zone",
    description: phase.description,
    phase: phase.name,
    rules: [],
  };
  const findCreated = { list: `/${list.join("/")}`, where: { kind: "zone", phase: phase.name }, known: [] };
  const absent: Seen = { ref: { kind: phase.kind, key: phase.name, id: null }, state: null };
  return [
    {
      method: "POST",
      path: list,
      body,
      changes: what.changes,
      effects: [],
      needs: [],
      findCreated,
      precondition: null,
      reads: [absent],
    },
    {
      method: "PUT",
      path: [...list, { $result: 0 }],
      body: { rules },
      ...what,
      needs: [0],
      findCreated: null,
      // Somebody else may add rules to the new ruleset before it is filled.
      precondition: { read: entryPointOf(zoneId, phase), fields: { rules: null } },
    },
  ];
}

/** What a write to one rule of the list, or to all of it, touches: the whole list. */
export function listRead(phase: Phase, ruleset: PhaseRuleset): readonly Seen[] {
  return [{ ref: { kind: phase.kind, key: phase.name, id: ruleset.id }, state: stateOf(ruleset) }];
}

/** What has to be live right before a write that carries over the unmanaged rules of the list. */
export function preconditionOf(ruleset: PhaseRuleset): NonNullable<PendingStep["precondition"]> {
  return { read: ruleset.path, fields: stateOf(ruleset) };
}

/** What changes whenever the ruleset is written. */
function stateOf({ raw }: PhaseRuleset): JsonObject {
  return { version: raw.version ?? null, rules: raw.rules ?? null };
}
