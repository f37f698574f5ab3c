import { requireText } from "../../model/arguments.js";
import { rememberedText } from "../../model/remembered.js";
import { FALLBACKS } from "../directives.js";
import { compile } from "../match/compile.js";
import { parsedCsp } from "../syntax.js";
import { type Budget, newBudget, spend } from "./budget.js";
import { compareInline } from "./compare-inline.js";
import { compareOther, compareTrustedTypes } from "./compare-other.js";
import { compareHints, compareUrls } from "./compare-urls.js";
import { startComparison } from "./comparison.js";
import { ANY_PAGES, type Pages } from "./pages.js";

/**
 * Whether `a` allows everything that `b` allows, on any page of a web server. True where each policy of `a` is
 * covered by one of `b`, source by source; false where something is found that only `b` allows.
 *
 * @param budget what the answer may cost; where it does not suffice, the answer is unknown
 */
export function includes(a: string, b: string, budget: Budget = newBudget()): boolean | "unknown" {
  return includesOn(ANY_PAGES, a, b, budget);
}

/** The same, on the pages in question alone. */
export function includesOn(
  pages: Pages,
  a: string,
  b: string,
  budget: Budget = newBudget(),
): boolean | "unknown" {
  for (const csp of [a, b]) requireText(csp, "A CSP value");
  if (a === b) return true;
  if (!spend(budget, (a.length + b.length) * STEPS_PER_CHAR)) return "unknown";
  if (parsedCsp(a).policies.length * parsedCsp(b).policies.length > MOST_PAIRS) return "unknown";
  const [over, under] = [compile(a), compile(b)];
  const comparison = startComparison(over, under, budget, pages);
  let isOpen = false;
  for (const compare of [compareInline, compareTrustedTypes, compareOther, compareHints, compareUrls]) {
    const answer = compare(over, under, comparison);
    if (answer === "refuted") return false;
    if (answer === "open") isOpen = true;
  }
  return isOpen ? "unknown" : true;
}

/** Parsing a value costs steps too. */
const STEPS_PER_CHAR = 2;

/** Each policy is compared with each: values with hundreds of them stay undecided. */
const MOST_PAIRS = 2_500;

/** Whether two values stop nothing in common, since their directives speak of different things. False: they may. */
export function areApart(a: string, b: string): boolean {
  const [one, other] = [decidedBy(a), decidedBy(b)];
  return one !== null && other !== null && ![...one].some((effective) => other.has(effective));
}

/** The effective directives that a value decides. Null: it may decide more than those. */
const decidedBy = rememberedText((csp: string): ReadonlySet<string> | null => {
  const written = new Set(
    parsedCsp(csp).policies.flatMap(({ directives }) => directives.map(({ name }) => name)),
  );
  for (const name of REPORTING) written.delete(name);
  if (![...written].every((name) => KNOWN.has(name))) return null;
  const decided = Object.entries(FALLBACKS).filter(([, chain]) => chain.some((name) => written.has(name)));
  return new Set(decided.map(([effective]) => effective));
});

/** They say where reports go, and stop nothing. */
const REPORTING: readonly string[] = ["report-to", "report-uri"];

const KNOWN: ReadonlySet<string> = new Set(Object.values(FALLBACKS).flat());
