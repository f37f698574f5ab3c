import { readUrl } from "../../model/url.js";
import type { CompiledCsp, SourceList } from "../match/allows.js";
import { type HostPattern, NETWORK_SCHEMES, type Origin, type UrlSource } from "../match/match-source.js";
import {
  type Asking,
  coversPaths,
  coversSchemesAndPorts,
  coversSelf,
  isOfSelf,
  schemeAndPortKey,
  type Upgrades,
} from "./covers-source.js";

/**
 * The state of one comparison: its budget, and the results so far, since several directives may share a source list.
 */
export interface Comparison {
  readonly budget: Budget;
  readonly indexes: Map<UrlList, SourceIndex>;
  readonly pages: Pages;
  /** `upgrade-insecure-requests` upgrades loads; a page's base and its ancestors are not loads. */
  readonly loads: Terms;
  /** Connections of scripts, WebSockets included. */
  readonly connections: Terms;
  readonly bases: Terms;
  readonly ancestors: Terms;
}

/** The part of a source list that is about URLs. */
export type UrlList = Pick<SourceList, "star" | "self" | "urls">;

/** Sources of one list that another list may not allow, judged by their text. */
interface Uncovered {
  readonly urls: readonly UrlSource[];
  readonly hasSelf: boolean;
}

/** What all source lists compared under the same upgrades share. */
interface Terms extends Asking {
  /** Terms with more requests than these: what is covered under those is covered under these. */
  readonly within: Terms | null;
  readonly found: Map<UrlList, Map<UrlList, Uncovered>>;
  readonly pages: readonly PageTerms[];
}

interface PageTerms {
  /**
   * Sources without a scheme take its scheme. Where the page's host is not known, the host is empty and the port may
   * be any.
   */
  readonly origin: Origin;
  readonly host: PageHost | null;
  readonly schemesAndPorts: Map<string, boolean>;
}

export function startComparison(
  covering: CompiledCsp,
  covered: CompiledCsp,
  budget: Budget,
  pages: Pages = ANY_PAGES,
): Comparison {
  const upgrades = { covering: covering.upgradesInsecure, covered: covered.upgradesInsecure };
  const connections = termsOf(pages, { upgrades, schemes: NETWORK_SCHEMES }, null);
  const loads = termsOf(pages, { upgrades, schemes: FETCHED }, connections);
  const common = { budget, indexes: new Map<UrlList, SourceIndex>(), pages, loads, connections };
  if (!upgrades.covering && !upgrades.covered) return { ...common, bases: connections, ancestors: loads };
  const bases = termsOf(pages, { upgrades: NO_UPGRADES, schemes: NETWORK_SCHEMES }, null);
  const ancestors = termsOf(pages, { upgrades: NO_UPGRADES, schemes: FETCHED }, bases);
  return { ...common, bases, ancestors };
}

/**
 * The sources of a list that another list does not cover one by one, on the pages in question. Those that there is no
 * budget to compare count as not covered.
 */
export function uncoveredSources(
  covering: UrlList,
  covered: UrlList,
  terms: Terms,
  comparison: Comparison,
): Uncovered {
  const known = terms.found.get(covering)?.get(covered);
  if (known !== undefined) return known;
  const among = terms.within && uncoveredSources(covering, covered, terms.within, comparison);
  const isCovered = among !== null && among.urls.length === 0 && !among.hasSelf;
  const found = isCovered
    ? []
    : terms.pages.map((page) => uncoveredOn(covering, covered, among, { terms, page, comparison }));
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

/** @param among where others cannot be uncovered */
function uncoveredOn(
  covering: UrlList,
  covered: UrlList,
  among: Uncovered | null,
  circumstances: Circumstances,
): Uncovered {
  const { terms, comparison } = circumstances;
  const [over, under] = [indexOf(covering, comparison), indexOf(covered, comparison)];
  const isSame = areEqual(terms.upgrades) ? (key: string) => over.keyed.has(key) : () => false;
  const isCovered = (source: UrlSource) =>
    isNeverAsked(source, terms) ||
    (covering.self !== null && isOwn(source, circumstances)) ||
    isCoveredBy(over, source, circumstances);
  const open = among && new Set(among.urls);
  const asked = [...under.keyed].filter(([, source]) => open?.has(source) !== false);
  const urls = asked.filter(([key, source]) => !isSame(key) && !isCovered(source));
  const hasSelf = covered.self !== null && !isSelfCovered(covering, over, circumstances);
  return { urls: urls.map(([, source]) => source), hasSelf };
}

/** Whether a source is for a scheme over which nothing is asked for. */
function isNeverAsked({ scheme }: UrlSource, { schemes }: Terms): boolean {
  return scheme !== null && NETWORK_SCHEMES.has(scheme) && !schemes.has(scheme);
}

/** Whether what a source matches on the page is the page's own. */
function isOwn(source: UrlSource, { terms, page: { origin, host } }: Circumstances): boolean {
  if (host?.match !== "exact" || source.host?.match !== "exact") return false;
  return source.host.text === host.text && isOfSelf(source, origin, terms);
}

function isSelfCovered(covering: UrlList, over: SourceIndex, circumstances: Circumstances): boolean {
  const { terms, page, comparison } = circumstances;
  const hasSelf = covering.self !== null;
  if (hasSelf && keepsSelf(terms.upgrades)) return true;
  if (page.host === null)
    return selfSchemes(page.origin).every((source) => isCoveredBy(over, source, circumstances));
  const taking = [...candidates(over, { host: page.host })].flat().filter(({ path }) => path === "");
  return (
    spend(comparison.budget, STEPS_OF_CASES + taking.length) &&
    coversSelf({ hasSelf, sources: taking }, page.origin, terms)
  );
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

/** Comparing long texts costs more. */
function stepsOfText({ length }: string): number {
  return 1 + Math.floor(length / 64);
}

function hasSchemesAndPorts(covering: UrlSource, covered: UrlSource, circumstances: Circumstances): boolean {
  const { terms, page, comparison } = circumstances;
  const key = schemeAndPortKey(covering, covered);
  const known = page.schemesAndPorts.get(key);
  if (known !== undefined) return known;
  if (!spend(comparison.budget, STEPS_OF_CASES)) return false;
  const answer = coversSchemesAndPorts(covering, covered, page.origin.scheme, terms);
  page.schemesAndPorts.set(key, answer);
  return answer;
}

const STEPS_OF_CASES = 300;

/** Whether what `'self'` matches it still matches: an upgrade leads to the same host, more secure. */
function keepsSelf(upgrades: Upgrades): boolean {
  return areEqual(upgrades) || upgrades.covering;
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

/** All that `'self'` can match on a page of this scheme. */
function selfSchemes({ scheme }: Origin): readonly UrlSource[] {
  return scheme === "http"
    ? [wholeScheme("http"), wholeScheme("ws")]
    : [wholeScheme("https"), wholeScheme("wss")];
}

function termsOf({ schemes, hosts }: Pages, asking: Asking, within: Terms | null): Terms {
  const pages = schemes.flatMap((scheme) =>
    (hosts ?? [null]).map((host) => ({
      origin: { scheme, host: host?.text ?? "", port: null },
      host,
      schemesAndPorts: new Map<string, boolean>(),
    })),
  );
  return { ...asking, within, found: new Map(), pages };
}

/** What is loaded is asked for over these, but for what a script connects to. */
const FETCHED: ReadonlySet<string> = new Set(["http", "https"]);

const NO_UPGRADES: Upgrades = { covering: false, covered: false };

/** The result of a comparison: everything is covered, something is allowed only by the second value, or undecided. */
export type Answer = "covered" | "refuted" | "open";

/** The sources of a list, by the hosts that they match. */
interface SourceIndex {
  /** In the order written, each with a key that equal ones share. */
  readonly keyed: ReadonlyMap<string, UrlSource>;
  readonly anyHost: readonly UrlSource[];
  readonly byHost: ReadonlyMap<string, readonly UrlSource[]>;
  /** By what subdomains end in, and the lengths that such endings have. */
  readonly byEnding: ReadonlyMap<string, readonly UrlSource[]>;
  readonly endingChars: readonly number[];
}

function indexSources(sources: readonly UrlSource[]): SourceIndex {
  const keyed = new Map<string, UrlSource>();
  for (const source of sources) keyed.set(keyOf(source), source);
  const anyHost: UrlSource[] = [];
  const byHost = new Map<string, UrlSource[]>();
  const byEnding = new Map<string, UrlSource[]>();
  for (const source of keyed.values()) {
    const { match, text } = source.host ?? ANY_HOST;
    if (match === "any") anyHost.push(source);
    if (match === "exact") add(byHost, text, source);
    if (match === "subdomains") add(byEnding, text, source);
  }
  const endingChars = [...new Set([...byEnding.keys()].map(({ length }) => length))];
  return { keyed, anyHost, byHost, byEnding, endingChars };
}

/** The sources whose hosts take in those of this one, in groups. */
function* candidates(index: SourceIndex, { host }: Pick<UrlSource, "host">): Generator<readonly UrlSource[]> {
  yield index.anyHost;
  const { match, text } = host ?? ANY_HOST;
  if (match === "any") return;
  if (match === "exact") yield index.byHost.get(text) ?? [];
  for (const chars of index.endingChars) {
    if (text.at(-chars) === ".") yield index.byEnding.get(text.slice(-chars)) ?? [];
  }
}

const ANY_HOST = { match: "any", text: "" } as const;

function keyOf({ scheme, host, port, path }: UrlSource): string {
  return `${scheme ?? ""} ${host?.match ?? ""} ${host?.text ?? ""} ${port ?? ""} ${path}`;
}

function add(groups: Map<string, UrlSource[]>, key: string, source: UrlSource): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [source]);
  else group.push(source);
}

/**
 * The remaining cost of one question, in steps. Values may be arbitrarily long, and each policy of one is compared
 * with each policy of the other: what would take too long stays undecided.
 */
export interface Budget {
  /** Steps, each about as much work as comparing two sources. */
  leftSteps: number;
}

export function newBudget(): Budget {
  return { leftSteps: MOST_STEPS };
}

/** An answer within a new budget, and its work in the units of a zone's budget. */
export function worked<T>(answer: (budget: Budget) => T): { readonly value: T; readonly work: number } {
  const budget = newBudget();
  const value = answer(budget);
  return { value, work: (MOST_STEPS - budget.leftSteps) * STEP_WORK };
}

const STEP_WORK = 20;

/** Parsing a value costs steps too. */
export function spendOnTexts(budget: Budget, a: string, b: string): boolean {
  return spend(budget, (a.length + b.length) * STEPS_PER_CHAR);
}

const STEPS_PER_CHAR = 2;

/** Takes the steps from the budget; false when it does not have that many left. */
export function spend(budget: Budget, steps: number): boolean {
  budget.leftSteps = Math.max(-1, budget.leftSteps - steps);
  return budget.leftSteps >= 0;
}

/** Runs with one of so many equal parts of the remaining budget, so that later questions keep theirs. */
export function withShare<T>(budget: Budget, parts: number, run: (share: Budget) => T): T {
  const share = { leftSteps: Math.floor(Math.max(0, budget.leftSteps) / parts) };
  budget.leftSteps -= share.leftSteps;
  const result = run(share);
  budget.leftSteps += Math.max(0, share.leftSteps);
  return result;
}

/** About a tenth of a second. */
const MOST_STEPS = 500_000;

/** The pages in question, as far as that is known: an expression may tell on which hosts it applies. */
export interface Pages {
  readonly schemes: readonly PageScheme[];
  /** Null: any, at any port but that of the other scheme. Else at the port of the scheme. */
  readonly hosts: readonly PageHost[] | null;
}

export type PageScheme = "https" | "http";

export type PageHost = HostPattern & { readonly match: "exact" | "subdomains" };

/** All pages that come from web servers. */
export const ANY_PAGES: Pages = { schemes: ["https", "http"], hosts: null };

/** One host name that the pattern matches, to try loads with. */
export function hostWithin({ match, text }: PageHost): string {
  return match === "exact" ? text : `page${text}`;
}

/** The pages of which these are URLs; others than those of web servers are left out. */
export function pagesAt(urls: readonly string[]): Pages {
  const read = urls.flatMap((url) => readUrl(url) ?? []);
  const schemes = (["https", "http"] as const).filter((each) =>
    read.some(({ protocol }) => protocol === `${each}:`),
  );
  const isAtOwnPorts = read.every(({ port }) => port === "");
  const hosts = [...new Set(read.map(({ hostname }) => hostname))];
  return { schemes, hosts: isAtOwnPorts ? hosts.map((text) => ({ match: "exact", text })) : null };
}
