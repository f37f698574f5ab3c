import { PHASE } from "../kinds/custom-rules/phase.js";
import { listed } from "../kinds/custom-rules/strength.js";
import { quoted } from "../model/cut.js";
import type { JsonObject } from "../model/json.js";
import type { ZoneState } from "../model/zone-state.js";
import { firstOf } from "./loads.js";
import { type Answer, type Match, PASSES, type Question, sentence, undeclared } from "./question.js";

/** What custom rules do with a request. A rule that logs lets it pass. */
export const CUSTOM_OUTCOMES = ["blocked", "challenged", "skipped", "passed"] as const;

type CustomOutcome = (typeof CUSTOM_OUTCOMES)[number];

type ListedRule = NonNullable<ReturnType<typeof listed>>;

/** A custom rule that the request reaches and matches, or may do so. */
interface MetRule extends ListedRule {
  readonly rule: JsonObject;
  readonly match: Match;
  /** Why an earlier rule may end the list for the request. Empty: none does. */
  readonly endedBy: string;
}

/** The custom rules that the request meets, up to the one that ends the list for it. */
export function customRulesMet(state: ZoneState, question: Question): readonly MetRule[] {
  const met: MetRule[] = [];
  let endedBy = "";
  for (const rule of state.rules.get(PHASE.name) ?? []) {
    const inList = listed(rule);
    const match = inList === null ? NO_MATCH : question.matches(inList.expression);
    if (inList === null || match.truth === false) continue;
    met.push({ ...inList, rule, match, endedBy });
    const ends = endOf(inList);
    if (ends === true && match.truth === true) break;
    if (ends !== false && endedBy === "") endedBy = doubtOf(inList, match);
  }
  return met;
}

const NO_MATCH: Match = { truth: false, why: "" };

/** Whether the service documents that the list ends with the rule. After a solved challenge, later rules may run. */
function endOf({ does }: ListedRule): Match["truth"] {
  if (does.as === "skip") return does.rest;
  if (does.as === "log") return false;
  return does.as === "block" || "unknown";
}

function doubtOf({ name, does }: ListedRule, { truth, why }: Match): string {
  if (truth === "unknown") return `unknown whether the custom rule ${quoted(name)} matches: ${why}`;
  return does.as === "challenge"
    ? `unknown whether rules after a solved challenge of ${quoted(name)} run`
    : `the effect of the custom rule ${quoted(name)} is unknown`;
}

/** What may become of a request, and why it is not decided. */
interface Outlook {
  readonly possible: readonly { readonly outcome: CustomOutcome; readonly why: string }[];
  readonly doubts: readonly string[];
}

/** Whether custom rules do with the request what is expected. */
export function answerCustomRules(expected: CustomOutcome, state: ZoneState, question: Question): Answer {
  if (!state.rules.has(PHASE.name)) return undeclared("custom rules");
  const { possible, doubts } = customRulesMet(state, question).reduceRight(inFrontOf, PASSED);
  if (possible.every(({ outcome }) => outcome === expected)) return PASSES;
  const [first, ...others] = possible;
  return first === undefined || others.some(({ outcome }) => outcome !== first.outcome)
    ? { as: "undecided", why: `${sentence(firstOf(doubts))}.` }
    : { as: "fails", why: first.why };
}

const PASSED: Outlook = {
  possible: [
    {
      outcome: "passed",
      why: "No custom rule blocks or challenges the request, or lets it skip protection.",
    },
  ],
  doubts: [],
};

/** The outlook with a rule in front of the rules that it is about. */
function inFrontOf(later: Outlook, rule: MetRule): Outlook {
  if (rule.does.as === "log") return later;
  const doubts = [doubtOf(rule, rule.match), ...later.doubts];
  if (rule.does.as === "other")
    return { possible: CUSTOM_OUTCOMES.map((outcome) => ({ outcome, why: "" })), doubts };
  const acted = ifMatching(later, rule.name, rule.does);
  return rule.match.truth === true ? acted : { possible: [...acted.possible, ...later.possible], doubts };
}

/** The outlook where the rule matches. */
function ifMatching(
  later: Outlook,
  name: string,
  does: Exclude<ListedRule["does"], { as: "other" }>,
): Outlook {
  const by = `The custom rule ${quoted(name)}`;
  if (does.as !== "skip")
    return does.as === "block"
      ? { possible: [{ outcome: "blocked", why: `${by} blocks the request.` }], doubts: [] }
      : { possible: [{ outcome: "challenged", why: `${by} challenges the request.` }], doubts: [] };
  const parts = [...(does.rest ? ["the later custom rules"] : []), ...does.past];
  const skipped = { outcome: "skipped", why: `${by} lets the request skip ${parts.join(", ")}.` } as const;
  if (does.rest) return { possible: [skipped], doubts: [] };
  return { ...later, possible: later.possible.map((each) => (each.outcome === "passed" ? skipped : each)) };
}
