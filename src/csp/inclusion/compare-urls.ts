import { isDynamic } from "../match/allows.js";
import { type CompiledCsp, type CompiledPolicy, decidingList, type SourceList } from "../match/compile.js";
import { isOfWholeLength } from "../syntax.js";
import {
  type Answer,
  type Budget,
  type Comparison,
  spend,
  uncoveredSources,
  withShare,
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

/** Each kind of URL: covered where the lists say so, refuted where a load is found that tells the values apart. */
export function compareUrls(over: CompiledCsp, under: CompiledCsp, comparison: Comparison): Answer {
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

/** What pages ask for ahead of time. Browsers differ about it, so that nothing is refuted by it. */
export function compareHints(over: CompiledCsp, under: CompiledCsp, comparison: Comparison): Answer {
  const hints: Rule = { trusts: "hints", terms: "loads" };
  return coversLists(hints, hintLists(over), hintLists(under), comparison) ? "covered" : "open";
}

type Rule = Pick<UrlCheck, "trusts" | "terms">;

/** A policy without a list restricts nothing. Each other one has to cover one policy of the second value. */
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
/** Hashes that nothing has count beside others alone: an attribute can ask for several. */
const hashes: Covers = (over, under, budget) =>
  ![...under.hashes.keys()].some(isOfWholeLength) || hasAll(over.hashes, under.hashes, budget);
const dynamic: Covers = (over, under) => isDynamic(over) || !isDynamic(under);

/** What allows any URL in the second list has to do so in the first. */
const TRUSTED: Readonly<Record<Trust, readonly Covers[]>> = {
  scripts: [nonces, hashes, dynamic],
  nonces: [nonces],
  workers: [dynamic],
  hints: [dynamic],
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
 * For each policy what may be prefetched or prerendered, as one list; null where all may. CSP3, "Does resource hint
 * request violate policy?": without `default-src` there is no limit, and with it the least restrictive directive is
 * the limit.
 */
function hintLists(csp: CompiledCsp): readonly (SourceList | null)[] {
  return csp.policies.map(hintList);
}

function hintList({ lists }: CompiledPolicy): SourceList | null {
  const defaults = lists.get("default-src");
  if (defaults === undefined) return null;
  const counting = REQUESTING.flatMap((name) => lists.get(name) ?? []);
  // Chromium asks as if it were for a worker too, which `'strict-dynamic'` allows whatever the URL.
  const { keywords } = decidingList(lists, "worker-src") ?? defaults;
  return {
    ...defaults,
    keywords,
    star: counting.find(({ star }) => star !== null)?.star ?? null,
    self: counting.find(({ self }) => self !== null)?.self ?? null,
    urls: counting.flatMap(({ urls }) => urls),
  };
}

/** The fetch directives that Chromium asks; those for attributes request nothing. */
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
