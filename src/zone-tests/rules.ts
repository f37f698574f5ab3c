import type { Truth } from "../expression/value.js";
import { skipIn } from "../kinds/bypasses.js";
import { ACTION, fieldsIn } from "../kinds/custom-log-fields/rule.js";
import { PHASE as CUSTOM } from "../kinds/custom-rules/phase.js";
import {
  CORE_RULESET,
  documentedId,
  executedBy,
  isRulesetId,
  MANAGED_PHASE,
} from "../kinds/documented-rulesets.js";
import { readFlag } from "../kinds/fields.js";
import { type FieldList, LOG_PHASE } from "../kinds/logged-fields.js";
import { overridesIn, settingsOf } from "../kinds/managed-ruleset/overrides.js";
import { type LiveRule, parametersOf } from "../kinds/phase.js";
import { type Skip, skipOf } from "../kinds/skips.js";
import { isSwitchedOff } from "../kinds/unmanaged-rules.js";
import { rulesBefore, rulesetIds } from "../kinds/zone-state.js";
import { quoted } from "../model/cut.js";
import { isObject, type JsonObject } from "../model/json.js";
import type { ZoneState } from "../model/zone-state.js";
import type { LogWriter } from "../model/zone-tests.js";
import { customRulesMet } from "./custom-rules.js";
import { letsThrough } from "./job-filter.js";
import { type Answer, PASSES, type Question, sentence, undeclared } from "./question.js";

/** Whether a managed ruleset applies to the request, as expected. */
export function answerRuleset(name: string, expected: boolean, state: ZoneState, question: Question): Answer {
  const rules = state.rules.get(MANAGED_PHASE.name);
  if (rules === undefined) return undeclared("managed rulesets");
  const id = idOf(name, state, rules);
  if (id === null)
    return {
      as: "misasked",
      why: `Unknown managed ruleset ${quoted(name)}. Write the ruleset's id: neither Cloudflare's documentation nor these files have this name.`,
    };
  const { applies, why } = applicationOf(id, rules, rulesMetBefore(state, question), question);
  if (applies === "unknown") return { as: "undecided", why };
  return applies === expected ? PASSES : { as: "fails", why };
}

/** A rule of an earlier list. */
interface MetBefore {
  readonly rule: JsonObject;
  readonly phase: string;
  readonly called: string;
  /** Why the request may not reach it. Empty: the request reaches it. */
  readonly endedBy: string;
}

/**
 * The rules of earlier lists that may let the request skip managed rulesets. Where the custom rules are planned, those
 * after the plan count, and not the live ones.
 */
function rulesMetBefore(state: ZoneState, question: Question): readonly MetBefore[] {
  const isPlanned = state.rules.has(CUSTOM.name);
  const live = rulesBefore(state, MANAGED_PHASE.name).filter(
    ({ phase, isOfAccount }) => isOfAccount || phase !== CUSTOM.name || !isPlanned,
  );
  return [
    ...live.map(({ rule, phase }) => ({
      rule,
      phase,
      called: `the rule ${nameOf(rule)} of another list`,
      endedBy: "",
    })),
    ...customRulesMet(state, question).map(({ rule, endedBy }) => ({
      rule,
      phase: CUSTOM.name,
      called: `the custom rule ${nameOf(rule)}`,
      endedBy,
    })),
  ];
}

/** Offline, a ruleset name in the files serves as its own id. */
function idOf(name: string, state: ZoneState, rules: readonly JsonObject[]): string | null {
  if (isRulesetId(name)) return name.toLowerCase();
  const knownId = documentedId(name) ?? rulesetIds(state).get(name) ?? null;
  return knownId ?? (rules.some((rule) => executedBy(rule) === name) ? name : null);
}

interface Application {
  readonly applies: Truth;
  readonly why: string;
}

/** Rules run in order. A skip affects the later rules, and a skip in an earlier list affects all of them. */
function applicationOf(
  id: string,
  rules: readonly JsonObject[],
  before: readonly MetBefore[],
  question: Question,
): Application {
  let skipped: Application = { applies: false, why: "" };
  let open: string | null = null;
  let why = "no rule in this zone executes the ruleset.";
  const noteSkip = (rule: JsonObject, skip: Skip | null, ruleName: string, endedBy = "") => {
    const skips = skip === null ? false : isSkipped(id, skip);
    if (skips === false || skipped.applies === true) return;
    const { truth, why: openWhy } = question.matches(String(rule.expression ?? "true"));
    if (truth === false) return;
    const doubt = endedBy || (truth === "unknown" ? openWhy : "the skip has an unknown form");
    skipped =
      skips === true && truth === true && endedBy === ""
        ? { applies: true, why: `${ruleName} skips the ruleset for this request.` }
        : { applies: "unknown", why: `unknown whether ${ruleName} skips the ruleset: ${doubt}.` };
  };
  for (const { rule, phase, called, endedBy } of before)
    noteSkip(rule, skipIn(phase, rule as LiveRule), called, endedBy);
  for (const rule of rules) {
    if (isSwitchedOff(rule)) {
      if (executedBy(rule) === id) why = "the rule that executes the ruleset is switched off.";
      continue;
    }
    noteSkip(rule, skipOf(rule as LiveRule), `the exception ${nameOf(rule)}`);
    const { truth, why: openWhy } = question.matches(String(rule.expression ?? "true"));
    if (executedBy(rule) !== id) continue;
    const scores = scoringRuns(rule, id);
    if (scores === false) why = "an override switches the ruleset's scoring rule off.";
    else if (isOverruled(rule)) why = "an override switches the whole ruleset off.";
    else if (truth === false) why = `the request does not match ${String(rule.expression)}.`;
    else if (skipped.applies === true) why = skipped.why;
    else if (truth === "unknown")
      open = `unknown whether the rule that executes the ruleset matches: ${openWhy}.`;
    else if (skipped.applies === "unknown") open = skipped.why;
    else if (scores === "unknown") open = "the override of the ruleset's scoring rule has an unknown form.";
    else
      return {
        applies: true,
        why: `the request matches ${String(rule.expression ?? "true")}, and no rule skips the ruleset.`,
      };
  }
  return open === null ? { applies: false, why: sentence(why) } : { applies: "unknown", why: sentence(open) };
}

/** Whether the whole ruleset is skipped. Without its scoring rule, the ruleset has no effect. */
function isSkipped(id: string, skip: Skip): Truth {
  const single = skip.rules.flatMap(([ruleset, ids]) => (ruleset === id ? ids : []));
  const isAll =
    skip.isWhole ||
    skip.rulesets.includes(id) ||
    (id === CORE_RULESET.id && single.includes(CORE_RULESET.scoringId));
  if (isAll) return true;
  return skip.isClear ? false : "unknown";
}

/** Whether the rule that acts on the ruleset's score runs. Without it, the score has no effect. */
function scoringRuns(rule: JsonObject, id: string): Truth {
  if (id !== CORE_RULESET.id) return true;
  const { enabled = true } = settingsOf(overridesIn(rule, "id"), "id", CORE_RULESET.scoringId);
  return typeof enabled === "boolean" ? enabled : "unknown";
}

function isOverruled({ action_parameters: parameters }: JsonObject): boolean {
  const overrides = isObject(parameters) && isObject(parameters.overrides) ? parameters.overrides : {};
  return overrides.enabled !== undefined && readFlag(overrides.enabled) === false;
}

function nameOf({ description, id }: JsonObject): string {
  return quoted(String(typeof description === "string" && description !== "" ? description : id));
}

/**
 * Whether a custom log field is logged for the request, as expected. The rules decide, if the filter of some enabled
 * job lets the request through. If no jobs are known, only the rules count.
 *
 * @param writers the known jobs
 */
export function answerLogged(
  list: FieldList,
  name: string,
  expected: boolean,
  state: ZoneState,
  writers: readonly LogWriter[],
  question: Question,
): Answer {
  const byRules = (wants: boolean) => answerByRules(list, name, wants, state, question);
  const jobs = writers.filter(({ dataset }) => dataset === REQUESTS);
  const matches = jobs.map((each) => letsThrough(each, question));
  if (matches.length === 0 || matches.some(({ truth }) => truth === true)) return byRules(expected);
  const doubt = matches.find(({ truth }) => truth === "unknown");
  // A field that no rule logs is never logged, whatever the filters do.
  if (doubt !== undefined)
    return byRules(false).as === "passes"
      ? byRules(expected)
      : { as: "undecided", why: `${sentence(doubt.why)}.` };
  if (!expected) return PASSES;
  const why = jobs.every(({ isOff }) => isOff)
    ? "No job that logs requests is enabled."
    : "The filters of all jobs that log requests exclude the request.";
  return { as: "fails", why };
}

const REQUESTS = "http_requests";

/** The first matching rule decides alone. */
function answerByRules(
  list: FieldList,
  name: string,
  expected: boolean,
  state: ZoneState,
  question: Question,
): Answer {
  const rules = state.rules.get(LOG_PHASE);
  if (rules === undefined) return undeclared("custom log fields");
  const logging = rules.filter((rule) => rule.action === ACTION && !isSwitchedOff(rule));
  const answers: { readonly has: boolean; readonly why: string }[] = [];
  const doubts: string[] = [];
  for (const rule of logging) {
    const { truth, why } = question.matches(String(rule.expression ?? "true"));
    if (truth === false) continue;
    const parameters = parametersOf(rule);
    const names = fieldsIn(parameters, list).map((field) => field.name);
    const has = names.some((each) => comparableName(list, each) === comparableName(list, name));
    const logged = names.length === 0 ? "nothing" : names.join(", ");
    answers.push({
      has,
      why: `The rule ${quoted(String(rule.description ?? ""))} decides, and logs ${logged} (${list}).`,
    });
    if (truth === true) break;
    doubts.push(`unknown whether the rule ${quoted(String(rule.description ?? ""))} matches: ${why}`);
    if (rule === logging.at(-1)) answers.push({ has: false, why: NOTHING });
  }
  const [first = { has: false, why: NOTHING }, ...otherAnswers] = answers;
  if (otherAnswers.some(({ has }) => has !== first.has))
    return { as: "undecided", why: `${sentence(doubts.join("; "))}.` };
  return first.has === expected ? PASSES : { as: "fails", why: first.why };
}

/** Header names are case-insensitive. Cookie names are not. */
function comparableName(list: FieldList, name: string): string {
  return list === "cookie_fields" ? name : name.toLowerCase();
}

const NOTHING = "No rule logs custom fields of the request.";
