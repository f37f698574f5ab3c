import { requireText } from "../../model/arguments.js";
import { rememberedText } from "../../model/remembered.js";
import { chargedOnce } from "../../model/work-budget.js";
import { canonicalSources } from "../canonical.js";
import { FALLBACKS, REPORT_DIRECTIVES } from "../directives.js";
import {
  type CompiledCsp,
  type CompiledPolicy,
  compile,
  decidingList,
  isDynamic,
  type SourceList,
} from "../match/allows.js";
import { isOfWholeLength, parsedCsp, withoutNewerHashes } from "../syntax.js";
import { compareInline, requiresTrustedTypes } from "./compare-inline.js";
import {
  ANY_PAGES,
  type Answer,
  type Budget,
  type Comparison,
  type Pages,
  spend,
  spendOnTexts,
  startComparison,
  uncoveredSources,
  withShare,
  withWork,
} from "./comparison.js";
import {
  decidingLists,
  findProbe,
  groundOf,
  type Trust,
  URL_CHECKS,
  type UrlCheck,
  urlPart,
} from "./witness.js";

/**
 * Whether `a` allows everything that `b` allows, on any page of a web server. True if each policy of `a` is covered by
 * one of `b`, source by source. False if something is found that only `b` allows. Browsers differ about hashes of URLs
 * and of evaluated text: true has to hold in all browsers, false in one.
 *
 * @param budget the limit for the answer's cost; beyond it, the answer is unknown
 */
export function includes(a: string, b: string, budget?: Budget): boolean | "unknown" {
  return includesOn(ANY_PAGES, a, b, budget);
}

/** The same, on the given pages only. */
export function includesOn(pages: Pages, a: string, b: string, budget?: Budget): boolean | "unknown" {
  for (const csp of [a, b]) requireText(csp, "A CSP value");
  if (a === b) return true;
  const within = (share: Budget) => includesWithin(share, pages, a, b);
  if (budget !== undefined) return within(budget);
  return chargedOnce([`includes on ${JSON.stringify(pages)}`, a, b], () => withWork(within), "unknown");
}

function includesWithin(budget: Budget, pages: Pages, a: string, b: string): boolean | "unknown" {
  if (!spendOnTexts(budget, a, b)) return "unknown";
  if (parsedCsp(a).policies.length * parsedCsp(b).policies.length > MOST_PAIRS) return "unknown";
  const answer = includesCompiled(pages, compile(a), compile(b), budget);
  const [olderA, olderB] = [withoutNewerHashes(a), withoutNewerHashes(b)];
  if (answer === false || (olderA === a && olderB === b)) return answer;
  const inOlder = includesCompiled(pages, compile(olderA), compile(olderB), budget);
  return inOlder === true ? answer : inOlder;
}

function includesCompiled(
  pages: Pages,
  over: CompiledCsp,
  under: CompiledCsp,
  budget: Budget,
): boolean | "unknown" {
  const comparison = startComparison(over, under, budget, pages);
  let isOpen = false;
  for (const compare of [compareInline, compareTrustedTypes, compareOther, compareHints, compareUrls]) {
    const answer = compare(over, under, comparison);
    if (answer === "refuted") return false;
    if (answer === "open") isOpen = true;
  }
  return isOpen ? "unknown" : true;
}

/** Each policy is compared with each, so values with hundreds of policies stay undecided. */
const MOST_PAIRS = 2_500;

/** Whether two values surely stop nothing in common, because their directives decide about different things. */
export function areApart(a: string, b: string): boolean {
  const [inA, inB] = [decidedBy(a), decidedBy(b)];
  return inA !== null && inB !== null && ![...inA].some((effective) => inB.has(effective));
}

/** The effective directives that a value decides. Null: it may decide about more. */
const decidedBy = rememberedText((csp: string): ReadonlySet<string> | null => {
  const written = new Set(
    parsedCsp(csp).policies.flatMap(({ directives }) => directives.map(({ name }) => name)),
  );
  for (const name of REPORT_DIRECTIVES) written.delete(name);
  if (![...written].every((name) => KNOWN.has(name))) return null;
  const decided = Object.entries(FALLBACKS).filter(([, chain]) => chain.some((name) => written.has(name)));
  return new Set(decided.map(([effective]) => effective));
});

const KNOWN: ReadonlySet<string> = new Set(Object.values(FALLBACKS).flat());

/** Directives with other restrictions have to be equal. Report directives and unknown directives restrict nothing. */
function compareOther(over: CompiledCsp, under: CompiledCsp): Answer {
  const isCovered = OTHER_RESTRICTIONS.every((name) => {
    const values = new Set(under.policies.map((policy) => restriction(policy, name)));
    return over.policies.every((policy) => {
      const value = restriction(policy, name);
      return value === null || values.has(value);
    });
  });
  return isCovered ? "covered" : "open";
}

function restriction(policy: CompiledPolicy, name: string): string | null {
  const directive = policy.directives.get(name);
  return directive === undefined ? null : canonicalSources(directive).join(" ");
}

const OTHER_RESTRICTIONS = [
  "sandbox",
  "block-all-mixed-content",
  "treat-as-public-address",
  "navigate-to",
  "prefetch-src",
  "webrtc",
];

/** Compares `require-trusted-types-for` and `trusted-types`: what scripts may pass to the page as markup or code. */
function compareTrustedTypes(over: CompiledCsp, under: CompiledCsp): Answer {
  const answers = [compareRequired(over, under), compareNames(over, under)];
  if (answers.every((each) => each === "covered")) return "covered";
  // Without scripts there is nothing for Trusted Types to restrict.
  return answers.includes("refuted") && under.policies.every(mayRunScripts) ? "refuted" : "open";
}

function compareRequired(over: CompiledCsp, under: CompiledCsp): Answer {
  const isRequired = !over.policies.some(requiresTrustedTypes) || under.policies.some(requiresTrustedTypes);
  return isRequired ? "covered" : "refuted";
}

/** The names that Trusted Types policies may have, and whether a name may repeat. */
interface Names {
  readonly isAny: boolean;
  readonly named: ReadonlySet<string>;
  readonly canRepeat: boolean;
}

function compareNames(over: CompiledCsp, under: CompiledCsp): Answer {
  const unders = under.policies.flatMap((policy) => namesOf(policy) ?? []);
  const overs = over.policies.flatMap((policy) => namesOf(policy) ?? []);
  const uncovered = overs.filter((each) => ![ANY_NAMES, ...unders].some((inner) => isWithin(inner, each)));
  if (uncovered.length === 0) return "covered";
  // With several lists of names, each may exclude what the others allow.
  return unders.length < 2 && uncovered.some((each) => !isWithin(unders[0] ?? ANY_NAMES, each))
    ? "refuted"
    : "open";
}

const ANY_NAMES: Names = { isAny: true, named: new Set(), canRepeat: true };

/** Null: any name is allowed. */
function namesOf({ directives }: CompiledPolicy): Names | null {
  const sources = directives.get("trusted-types")?.sources;
  if (sources === undefined) return null;
  const texts = new Set(sources.map(({ text }) => text));
  return {
    isAny: texts.has("*"),
    named: new Set([...texts].filter((text) => /^[a-z0-9#=_/@.%-]+$/i.test(text))),
    canRepeat: texts.has("'allow-duplicates'"),
  };
}

function isWithin(inner: Names, outer: Names): boolean {
  if (inner.canRepeat && !outer.canRepeat && (inner.isAny || inner.named.size > 0)) return false;
  return outer.isAny || (!inner.isAny && [...inner.named].every((name) => outer.named.has(name)));
}

function mayRunScripts({ lists }: CompiledPolicy): boolean {
  const list = decidingList(lists, "script-src-elem");
  if (list === null) return true;
  const { star, self, urls, nonces, hashes, keywords } = list;
  return (
    star !== null ||
    self !== null ||
    urls.length + nonces.size + hashes.size > 0 ||
    keywords.has("'unsafe-inline'")
  );
}

/** Each kind of URL is covered if the lists show it, and refuted if a load is found that only one value allows. */
function compareUrls(over: CompiledCsp, under: CompiledCsp, comparison: Comparison): Answer {
  const open = URL_CHECKS.filter((check) => {
    const [overs, unders] = [decidingLists(check, over), decidingLists(check, under)];
    return !coversLists(check, overs, unders, comparison);
  });
  if (open.length === 0) return "covered";
  const ground = groundOf(comparison.pages, [over, under]);
  const isRefuted = open.some((check, at) =>
    withShare(comparison.budget, open.length - at, (budget) => {
      return findProbe(check, over, under, ground, { ...comparison, budget }) !== null;
    }),
  );
  return isRefuted ? "refuted" : "open";
}

/** Compares prefetching. Browsers differ about it, so it refutes nothing. */
function compareHints(over: CompiledCsp, under: CompiledCsp, comparison: Comparison): Answer {
  const hints: Rule = { trusts: "hints", terms: "loads" };
  return coversLists(hints, hintLists(over), hintLists(under), comparison) ? "covered" : "open";
}

type Rule = Pick<UrlCheck, "trusts" | "terms">;

/** A policy without a list restricts nothing. Every other policy has to cover one policy of the second value. */
function coversLists(
  rule: Rule,
  overs: readonly (SourceList | null)[],
  unders: readonly (SourceList | null)[],
  comparison: Comparison,
): boolean {
  return overs.every(
    (over) =>
      over === null || unders.some((under) => under !== null && coversList(rule, over, under, comparison)),
  );
}

function coversList(rule: Rule, over: SourceList, under: SourceList, comparison: Comparison): boolean {
  if (!spend(comparison.budget, STEPS_OF_LISTS)) return false;
  if (!TRUSTED[rule.trusts].every((covers) => covers(over, under, comparison.budget))) return false;
  if (rule.trusts === "workers" && isDynamic(over)) return true;
  const [covering, covered] = [urlPart(rule.trusts, over), urlPart(rule.trusts, under)];
  const { urls, hasSelf } = uncoveredSources(covering, covered, comparison[rule.terms], comparison);
  return urls.length === 0 && !hasSelf;
}

const STEPS_OF_LISTS = 5;

type Covers = (over: SourceList, under: SourceList, budget: Budget) => boolean;

const nonces: Covers = (over, under, budget) => hasAll(over.nonces, under.nonces, budget);
/** Hashes of impossible length count only beside real ones: an attribute can ask for several. */
const hashes: Covers = (over, under, budget) =>
  ![...under.hashes.keys()].some(isOfWholeLength) || hasAll(over.hashes, under.hashes, budget);
const dynamic: Covers = (over, under) => isDynamic(over) || !isDynamic(under);
/** Chromium 156 allows nothing by a hash of a URL. The draft allows scripts by it, so later versions may. */
const urlHashes: Covers = (over, under, budget) => hasAll(over.urlHashes, under.urlHashes, budget);

/** Everything that allows any URL in the second list has to do so in the first. */
const TRUSTED: Readonly<Record<Trust, readonly Covers[]>> = {
  scripts: [nonces, hashes, urlHashes, dynamic],
  nonces: [nonces],
  workers: [urlHashes, dynamic],
  hints: [urlHashes, dynamic],
  nothing: [],
};

function hasAll(
  over: ReadonlyMap<string, unknown>,
  under: ReadonlyMap<string, unknown>,
  budget: Budget,
): boolean {
  return spend(budget, under.size) && [...under.keys()].every((key) => over.has(key));
}

/**
 * For each policy, the limit for prefetching and prerendering as one list. Null: no limit. CSP3, "Does resource hint
 * request violate policy?": without `default-src` there is no limit, and with it the least restrictive directive is the
 * limit.
 */
function hintLists(csp: CompiledCsp): readonly (SourceList | null)[] {
  return csp.policies.map(hintList);
}

function hintList({ lists }: CompiledPolicy): SourceList | null {
  const defaults = lists.get("default-src");
  if (defaults === undefined) return null;
  const counting = REQUESTING.flatMap((name) => {
    const list = lists.get(name);
    return list === undefined ? [] : (list.newer ?? list);
  });
  // Chromium also checks as if for a worker, which `'strict-dynamic'` allows for any URL.
  const { keywords } = decidingList(lists, "worker-src") ?? defaults;
  return {
    ...defaults,
    keywords,
    urlHashes: new Map(counting.flatMap((list) => [...list.urlHashes])),
    star: counting.find(({ star }) => star !== null)?.star ?? null,
    self: counting.find(({ self }) => self !== null)?.self ?? null,
    urls: counting.flatMap(({ urls }) => urls),
  };
}

/** The fetch directives that Chromium checks. Directives for attributes request nothing. */
const REQUESTING = [
  "child-src",
  "connect-src",
  "default-src",
  "font-src",
  "frame-src",
  "img-src",
  "manifest-src",
  "media-src",
  "object-src",
  "script-src",
  "script-src-elem",
  "style-src",
  "style-src-elem",
  "worker-src",
];
