import type { CompiledCsp, SourceList } from "../match/compile.js";
import type { UrlSource } from "../match/match-source.js";
import { type Budget, spend } from "./budget.js";
import { coversPaths, coversSchemesAndPorts, schemeAndPortKey, type Upgrades } from "./covers-source.js";
import { candidates, indexSources, type SourceIndex } from "./source-index.js";

/** Two values that are compared: what that may still cost, and what was found, as several directives share a list. */
export interface Comparison {
  readonly budget: Budget;
  readonly indexes: Map<UrlList, SourceIndex>;
  /** Loads are upgraded under `upgrade-insecure-requests`; a page's base and its ancestors are no loads. */
  readonly loads: Terms;
  readonly others: Terms;
}

/** The part of a source list that is about URLs. */
export type UrlList = Pick<SourceList, "star" | "self" | "urls">;

/** What one list allows that another one may not, as far as the texts tell. */
export interface Uncovered {
  readonly urls: readonly UrlSource[];
  readonly hasSelf: boolean;
}

/** What is the same for all lists that are compared with these upgrades. */
interface Terms {
  readonly upgrades: Upgrades;
  readonly found: Map<UrlList, Map<UrlList, Uncovered>>;
  readonly pages: readonly PageTerms[];
}

/** By the scheme of the page, which is that of sources without one. */
interface PageTerms {
  readonly pageScheme: "https" | "http";
  readonly schemesAndPorts: Map<string, boolean>;
}

export function startComparison(covering: CompiledCsp, covered: CompiledCsp, budget: Budget): Comparison {
  const upgrades = { covering: covering.upgradesInsecure, covered: covered.upgradesInsecure };
  const loads = termsOf(upgrades);
  const others = areEqual(upgrades) && !upgrades.covered ? loads : termsOf(NO_UPGRADES);
  return { budget, indexes: new Map(), loads, others };
}

/**
 * The sources of a list that another list does not cover one by one, on any page that comes from a web server. Those
 * that there is no budget to compare count as not covered.
 */
export function uncoveredSources(
  covering: UrlList,
  covered: UrlList,
  terms: Terms,
  comparison: Comparison,
): Uncovered {
  const known = terms.found.get(covering)?.get(covered);
  if (known !== undefined) return known;
  const found = terms.pages.map((page) => uncoveredOn(covering, covered, { terms, page, comparison }));
  const uncovered = {
    urls: [...new Set(found.flatMap(({ urls }) => urls))],
    hasSelf: found.some(({ hasSelf }) => hasSelf),
  };
  const ofCovering = terms.found.get(covering) ?? new Map<UrlList, Uncovered>();
  terms.found.set(covering, ofCovering.set(covered, uncovered));
  return uncovered;
}

interface Circumstances {
  readonly terms: Terms;
  readonly page: PageTerms;
  readonly comparison: Comparison;
}

function uncoveredOn(covering: UrlList, covered: UrlList, circumstances: Circumstances): Uncovered {
  const { terms, page, comparison } = circumstances;
  const [over, under] = [indexOf(covering, comparison), indexOf(covered, comparison)];
  const isCovered = (source: UrlSource) => isCoveredBy(over, source, circumstances);
  const isSame = areEqual(terms.upgrades) ? (key: string) => over.keyed.has(key) : () => false;
  const urls = [...under.keyed].filter(([key, source]) => !isSame(key) && !isCovered(source));
  const hasSelf =
    covered.self !== null &&
    !(covering.self !== null && keepsSelf(terms.upgrades, page)) &&
    !SELF_SCHEMES[page.pageScheme].every(isCovered);
  return { urls: urls.map(([, source]) => source), hasSelf };
}

function isCoveredBy(index: SourceIndex, source: UrlSource, circumstances: Circumstances): boolean {
  const { budget } = circumstances.comparison;
  if (!spend(budget, 1 + index.endingChars.length * stepsOfText(source.host?.text ?? ""))) return false;
  for (const group of candidates(index, source)) {
    for (const each of group) {
      if (!spend(budget, stepsOfText(each.path))) return false;
      if (coversPaths(each, source) && hasSchemesAndPorts(each, source, circumstances)) return true;
    }
  }
  return false;
}

/** To compare a long text takes longer. */
function stepsOfText({ length }: string): number {
  return 1 + Math.floor(length / 64);
}

function hasSchemesAndPorts(covering: UrlSource, covered: UrlSource, circumstances: Circumstances): boolean {
  const { terms, page, comparison } = circumstances;
  const key = schemeAndPortKey(covering, covered);
  const known = page.schemesAndPorts.get(key);
  if (known !== undefined) return known;
  if (!spend(comparison.budget, STEPS_OF_CASES)) return false;
  const answer = coversSchemesAndPorts(covering, covered, page.pageScheme, terms.upgrades);
  page.schemesAndPorts.set(key, answer);
  return answer;
}

const STEPS_OF_CASES = 300;

/**
 * Whether what `'self'` matches is still matched. On an http: page at port 443, https: at its own port is another
 * origin, so an upgrade can lead away from it; an https: page matches nothing that is upgraded.
 */
function keepsSelf(upgrades: Upgrades, { pageScheme }: PageTerms): boolean {
  return areEqual(upgrades) || (pageScheme === "https" && upgrades.covering);
}

function areEqual({ covering, covered }: Upgrades): boolean {
  return covering === covered;
}

function indexOf(list: UrlList, { indexes }: Comparison): SourceIndex {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const index = indexSources([...starSources(list), ...list.urls]);
  indexes.set(list, index);
  return index;
}

/** `*` is any URL with one of these schemes; their upgrades are among what they match. */
function starSources(list: UrlList): readonly UrlSource[] {
  return list.star === null ? [] : [wholeScheme("http"), wholeScheme("ws")];
}

function wholeScheme(scheme: string): UrlSource {
  return { scheme, host: null, port: null, path: "" };
}

/** What `'self'` can match, by the scheme of the page. */
const SELF_SCHEMES = {
  https: [wholeScheme("https"), wholeScheme("wss")],
  http: [wholeScheme("http"), wholeScheme("ws")],
} as const;

function termsOf(upgrades: Upgrades): Terms {
  const pages = (["https", "http"] as const).map((pageScheme) => ({
    pageScheme,
    schemesAndPorts: new Map<string, boolean>(),
  }));
  return { upgrades, found: new Map(), pages };
}

const NO_UPGRADES: Upgrades = { covering: false, covered: false };
