import type { Truth } from "../expression/value.js";
import { skipIn } from "../kinds/bypasses.js";
import { ACTION, fieldsIn } from "../kinds/custom-log-fields/rule.js";
import { readFlag } from "../kinds/fields.js";
import { type FieldList, LOG_PHASE } from "../kinds/logged-fields.js";
import {
  CORE_RULESET,
  documentedId,
  executedBy,
  isRulesetId,
  MANAGED_PHASE,
} from "../kinds/managed-rules.js";
import { overridesIn, saidOf } from "../kinds/managed-ruleset/overrides.js";
import type { LiveRule } from "../kinds/phase.js";
import { type Skip, skipOf } from "../kinds/skip-rules.js";
import { isSwitchedOff } from "../kinds/unmanaged-rules.js";
import { rulesBefore, rulesetIds } from "../kinds/zone-state.js";
import { quoted } from "../model/cut.js";
import { isObject, type JsonObject } from "../model/json.js";
import type { ZoneState } from "../model/zone-state.js";
import type { LogWriter, RuleBefore } from "../model/zone-tests.js";
import { letsThrough } from "./job-filter.js";
import type { Answer, Question } from "./question.js";

const PASSES = { as: "passes" } as const;

/** Whether a managed ruleset looks at the request, as is wanted of it. */
export function answerRuleset(named: string, wanted: boolean, state: ZoneState, question: Question): Answer {
  const rules = state.rules.get(MANAGED_PHASE.name);
  if (rules === undefined) return unknown("managed rulesets");
  const id = idOf(named, state, rules);
  if (id === null)
    return {
      as: "misasked",
      why: `No managed ruleset is known by the name ${quoted(named)}: neither the service's documentation nor these files have it. Write its id.`,
    };
  const before = rulesBefore(state, MANAGED_PHASE.name);
  const { applies, why } = applying(id, rules, before, question);
  if (applies === "unknown") return { as: "undecided", why };
  return applies === wanted ? PASSES : { as: "fails", why };
}

/** A name that the files have stands offline for itself. */
function idOf(named: string, state: ZoneState, rules: readonly JsonObject[]): string | null {
  if (isRulesetId(named)) return named.toLowerCase();
  const known = documentedId(named) ?? rulesetIds(state).get(named) ?? null;
  return known ?? (rules.some((rule) => executedBy(rule) === named) ? named : null);
}

interface Applying {
  readonly applies: Truth;
  readonly why: string;
}

/** Rules in their order: one that skips counts for those behind it, and one of a list before for all. */
function applying(
  id: string,
  rules: readonly JsonObject[],
  before: readonly RuleBefore[],
  question: Question,
): Applying {
  let skipped: Applying = { applies: false, why: "" };
  let open: string | null = null;
  let why = "no rule executes it in this zone.";
  const skipping = (rule: JsonObject, skip: Skip | null, called: string) => {
    const skips = skip === null ? false : isSkipped(id, skip);
    if (skips === false || skipped.applies === true) return;
    const { truth, why: untold } = question.matches(String(rule.expression ?? "true"));
    if (truth === false) return;
    const doubt = truth === "unknown" ? untold : "what it skips is said in a form that is not known";
    skipped =
      skips === true && truth === true
        ? { applies: true, why: `${called} makes the request skip it.` }
        : { applies: "unknown", why: `whether ${called} makes the request skip it is open, as ${doubt}.` };
  };
  for (const { rule, phase } of before)
    skipping(rule, skipIn(phase, rule as LiveRule), `the rule ${nameOf(rule)} of another list`);
  for (const rule of rules) {
    if (isSwitchedOff(rule)) {
      if (executedBy(rule) === id) why = "the rule that executes it is switched off.";
      continue;
    }
    skipping(rule, skipOf(rule as LiveRule), `the exception ${nameOf(rule)}`);
    const { truth, why: untold } = question.matches(String(rule.expression ?? "true"));
    if (executedBy(rule) !== id) continue;
    const scores = scoring(rule, id);
    if (scores === false) why = "the rule that acts on its score is switched off by an override.";
    else if (isOverruled(rule))
      why = "the rule that executes it switches the whole ruleset off by an override.";
    else if (truth === false) why = `the request does not match ${String(rule.expression)}.`;
    else if (skipped.applies === true) why = skipped.why;
    else if (truth === "unknown") open = `whether the rule that executes it matches is open, as ${untold}.`;
    else if (skipped.applies === "unknown") open = skipped.why;
    else if (scores === "unknown")
      open = "whether the rule that acts on its score is switched off is said in a form that is not known.";
    else
      return {
        applies: true,
        why: `the request matches ${String(rule.expression ?? "true")}, and nothing makes it skip the ruleset.`,
      };
  }
  return open === null ? { applies: false, why: sentence(why) } : { applies: "unknown", why: sentence(open) };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Whether the whole ruleset is skipped. Without the rule that scores, its score has no effect. */
function isSkipped(id: string, skip: Skip): Truth {
  const single = skip.rules.flatMap(([ruleset, ids]) => (ruleset === id ? ids : []));
  const isAll =
    skip.isWhole ||
    skip.rulesets.includes(id) ||
    (id === CORE_RULESET.id && single.includes(CORE_RULESET.scoringId));
  if (isAll) return true;
  return skip.isClear ? false : "unknown";
}

/** Whether the rule that acts on the ruleset's score runs: where it does not, its score has no effect. */
function scoring(rule: JsonObject, id: string): Truth {
  if (id !== CORE_RULESET.id) return true;
  const { enabled = true } = saidOf(overridesIn(rule, "id"), "id", CORE_RULESET.scoringId);
  return typeof enabled === "boolean" ? enabled : "unknown";
}

function isOverruled({ action_parameters: said }: JsonObject): boolean {
  const overrides = isObject(said) && isObject(said.overrides) ? said.overrides : {};
  return overrides.enabled !== undefined && readFlag(overrides.enabled) === false;
}

function nameOf({ description, id }: JsonObject): string {
  return quoted(String(typeof description === "string" && description !== "" ? description : id));
}

/**
 * Whether a custom log field is logged of the request, as is wanted of it: by the rules, where some job is switched on whose
 * filter lets the request through. Where it is not known which jobs there are, or there are none, only the rules are asked.
 *
 * @param writers the jobs, as far as they are known
 */
export function answerLogged(
  list: FieldList,
  name: string,
  wanted: boolean,
  state: ZoneState,
  writers: readonly LogWriter[],
  question: Question,
): Answer {
  const byRules = (wants: boolean) => answerByRules(list, name, wants, state, question);
  const jobs = writers.filter(({ dataset }) => dataset === REQUESTS);
  const lets = jobs.map((each) => letsThrough(each, question));
  if (lets.length === 0 || lets.some(({ truth }) => truth === true)) return byRules(wanted);
  const doubt = lets.find(({ truth }) => truth === "unknown");
  // Whatever a filter does, what no rule logs is not logged.
  if (doubt !== undefined)
    return byRules(false).as === "passes"
      ? byRules(wanted)
      : { as: "undecided", why: `${sentence(doubt.why)}.` };
  if (!wanted) return PASSES;
  const why = jobs.every(({ isOff }) => isOff)
    ? "No job that logs requests is switched on."
    : "The filters of all jobs that log requests leave the request out.";
  return { as: "fails", why };
}

const REQUESTS = "http_requests";

/** The first rule that matches decides alone. */
function answerByRules(
  list: FieldList,
  name: string,
  wanted: boolean,
  state: ZoneState,
  question: Question,
): Answer {
  const rules = state.rules.get(LOG_PHASE);
  if (rules === undefined) return unknown("custom log fields");
  const logging = rules.filter((rule) => rule.action === ACTION && !isSwitchedOff(rule));
  const answers: { readonly has: boolean; readonly why: string }[] = [];
  const doubts: string[] = [];
  for (const rule of logging) {
    const { truth, why } = question.matches(String(rule.expression ?? "true"));
    if (truth === false) continue;
    const parameters = isObject(rule.action_parameters) ? rule.action_parameters : {};
    const names = fieldsIn(parameters, list).map((field) => field.name);
    const has = names.some((each) => called(list, each) === called(list, name));
    const what = names.length === 0 ? "nothing" : names.join(", ");
    answers.push({
      has,
      why: `The rule ${quoted(String(rule.description ?? ""))} decides: under ${list} it logs ${what}.`,
    });
    if (truth === true) break;
    doubts.push(`whether the rule ${quoted(String(rule.description ?? ""))} matches is open, as ${why}`);
    if (rule === logging.at(-1)) answers.push({ has: false, why: NOTHING });
  }
  const [first = { has: false, why: NOTHING }, ...others] = answers;
  if (others.some(({ has }) => has !== first.has))
    return { as: "undecided", why: `${sentence(doubts.join("; "))}.` };
  return first.has === wanted ? PASSES : { as: "fails", why: first.why };
}

/** Names of headers are the same however they are written, those of cookies are not. */
function called(list: FieldList, name: string): string {
  return list === "cookie_fields" ? name : name.toLowerCase();
}

const NOTHING = "No rule logs custom fields of the request.";

function unknown(what: string): Answer {
  return {
    as: "undecided",
    why: `What there is of ${what} is not known: these files do not declare them, or they could not be planned. Declare the section, be it empty.`,
  };
}
