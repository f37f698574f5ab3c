import { readUrl } from "../../model/url.js";
import type { CompiledCsp, SourceList } from "../match/allows.js";
import { type HostPattern, NETWORK_SCHEMES, type Origin, type UrlSource } from "../match/match-source.js";
import {
  coversPaths,
  coversSchemesAndPorts,
  coversSelf,
  isOfSelf,
  type RequestScope,
  schemeAndPortKey,
  type Upgrades,
} from "./covers-source.js";

/** The state of one comparison: its budget, and its results so far, because directives may share a source list. */
export interface Comparison {
  readonly budget: Budget;
  readonly indexes: Map<UrlList, SourceIndex>;
  readonly pages: Pages;
  /** `upgrade-insecure-requests` upgrades loads. A page's base and its ancestors are not loads. */
  readonly loads: Terms;
  /** Connections of scripts, including WebSockets. */
  readonly connections: Terms;
  readonly bases: Terms;
  readonly ancestors: Terms;
}

/** The URL part of a source list. */
export type UrlList = Pick<SourceList, "star" | "self" | "urls">;

/** Sources of one list that another list may not allow, judged by their text. */
interface Uncovered {
  readonly urls: readonly UrlSource[];
  readonly hasSelf: boolean;
}

/** Shared by all source lists that are compared under the same upgrades. */
interface Terms extends RequestScope {
  /** Terms with more requests. Everything covered under the wider terms is covered under these terms. */
  readonly wider: Terms | null;
  readonly results: Map<UrlList, Map<UrlList, Uncovered>>;
  readonly pages: readonly PageTerms[];
}

interface PageTerms {
  /** Sources without a scheme use this scheme. If the page's host is unknown, the host is empty and the port may be any. */
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
 * The sources of a list that another list does not cover one by one, on the pages in question. Sources beyond the
 * budget count as not covered.
 */
export function uncoveredSources(
  covering: UrlList,
  covered: UrlList,
  terms: Terms,
  comparison: Comparison,
): Uncovered {
  const cached = terms.results.get(covering)?.get(covered);
  if (cached !== undefined) return cached;
  const bound = terms.wider && uncoveredSources(covering, covered, terms.wider, comparison);
  const isCovered = bound !== null && bound.urls.length === 0 && !bound.hasSelf;
  const byPage = isCovered
    ? []
    : terms.pages.map((page) => uncoveredOn(covering, covered, bound, { terms, page, comparison }));
  const uncovered = {
    urls: [...new Set(byPage.flatMap(({ urls }) => urls))],
    hasSelf: byPage.some(({ hasSelf }) => hasSelf),
  };
  const ofCovering = terms.results.get(covering) ?? new Map<UrlList, Uncovered>();
  terms.results.set(covering, ofCovering.set(covered, uncovered));
  return uncovered;
}

interface Circumstances {
  readonly terms: Terms;
  readonly page: PageTerms;
  readonly comparison: Comparison;
}

/** @param bound the only sources that may be uncovered */
function uncoveredOn(
  covering: UrlList,
  covered: UrlList,
  bound: Uncovered | null,
  circumstances: Circumstances,
): Uncovered {
  const { terms, comparison } = circumstances;
  const [over, under] = [indexOf(covering, comparison), indexOf(covered, comparison)];
  const isShared = areEqual(terms.upgrades) ? (key: string) => over.keyed.has(key) : () => false;
  const isCovered = (source: UrlSource) =>
    isNeverAsked(source, terms) ||
    (covering.self !== null && isOwn(source, circumstances)) ||
    isCoveredBy(over, source, circumstances);
  const boundUrls = bound && new Set(bound.urls);
  const relevant = [...under.keyed].filter(([, source]) => boundUrls?.has(source) !== false);
  const urls = relevant.filter(([key, source]) => !isShared(key) && !isCovered(source));
  const hasSelf = covered.self !== null && !isSelfCovered(covering, over, circumstances);
  return { urls: urls.map(([, source]) => source), hasSelf };
}

/** Whether a source is for a scheme without requests. */
function isNeverAsked({ scheme }: UrlSource, { schemes }: Terms): boolean {
  return scheme !== null && NETWORK_SCHEMES.has(scheme) && !schemes.has(scheme);
}

/** Whether everything that a source matches on the page is the page's own origin. */
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
  const onHost = [...candidates(over, { host: page.host })].flat().filter(({ path }) => path === "");
  return (
    spend(comparison.budget, STEPS_OF_CASES + onHost.length) &&
    coversSelf({ hasSelf, sources: onHost }, page.origin, terms)
  );
}

function isCoveredBy(index: SourceIndex, source: UrlSource, circumstances: Circumstances): boolean {
  const { budget } = circumstances.comparison;
  if (!spend(budget, 1 + index.endingChars.length * stepsOfText(source.host?.text ?? ""))) return false;
  for (const group of candidates(index, source)) {
    for (const candidate of group) {
      if (!spend(budget, stepsOfText(candidate.path))) return false;
      if (coversPaths(candidate, source) && hasSchemesAndPorts(candidate, source, circumstances)) return true;
    }
  }
  return false;
}

/** Long texts cost more to compare. */
function stepsOfText({ length }: string): number {
  return 1 + Math.floor(length / 64);
}

function hasSchemesAndPorts(covering: UrlSource, covered: UrlSource, circumstances: Circumstances): boolean {
  const { terms, page, comparison } = circumstances;
  const key = schemeAndPortKey(covering, covered);
  const cached = page.schemesAndPorts.get(key);
  if (cached !== undefined) return cached;
  if (!spend(comparison.budget, STEPS_OF_CASES)) return false;
  const answer = coversSchemesAndPorts(covering, covered, page.origin.scheme, terms);
  page.schemesAndPorts.set(key, answer);
  return answer;
}

const STEPS_OF_CASES = 300;

/** Whether every match of `'self'` still matches. An upgrade leads to the same host over a secure scheme. */
function keepsSelf(upgrades: Upgrades): boolean {
  return areEqual(upgrades) || upgrades.covering;
}

function areEqual({ covering, covered }: Upgrades): boolean {
  return covering === covered;
}

function indexOf(list: UrlList, { indexes }: Comparison): SourceIndex {
  const cached = indexes.get(list);
  if (cached !== undefined) return cached;
  const index = indexSources([...starSources(list), ...list.urls]);
  indexes.set(list, index);
  return index;
}

/** `*` matches any URL with one of these schemes, including their secure forms. */
function starSources(list: UrlList): readonly UrlSource[] {
  return list.star === null ? [] : [wholeScheme("http"), wholeScheme("ws")];
}

function wholeScheme(scheme: string): UrlSource {
  return { scheme, host: null, port: null, path: "" };
}

/** Everything that `'self'` can match on a page of this scheme. */
function selfSchemes({ scheme }: Origin): readonly UrlSource[] {
  return scheme === "http"
    ? [wholeScheme("http"), wholeScheme("ws")]
    : [wholeScheme("https"), wholeScheme("wss")];
}

function termsOf({ schemes, hosts }: Pages, scope: RequestScope, wider: Terms | null): Terms {
  const pages = schemes.flatMap((scheme) =>
    (hosts ?? [null]).map((host) => ({
      origin: { scheme, host: host?.text ?? "", port: null },
      host,
      schemesAndPorts: new Map<string, boolean>(),
    })),
  );
  return { ...scope, wider: wider, results: new Map(), pages };
}

/** The schemes of all loads but a script's connections. */
const FETCHED: ReadonlySet<string> = new Set(["http", "https"]);

const NO_UPGRADES: Upgrades = { covering: false, covered: false };

/** The result of a comparison: everything is covered, only the second value allows something, or undecided. */
export type Answer = "covered" | "refuted" | "open";

/** The sources of a list, by the hosts that they match. */
interface SourceIndex {
  /** In the order written. Equal sources share a key. */
  readonly keyed: ReadonlyMap<string, UrlSource>;
  readonly anyHost: readonly UrlSource[];
  readonly byHost: ReadonlyMap<string, readonly UrlSource[]>;
  /** By the suffix of subdomain wildcards, and the lengths of these suffixes. */
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

/** Groups of sources with hosts that include the host of the given source. */
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
 * The remaining cost of one question. Values may be arbitrarily long, and each policy of one is compared with each
 * policy of the other. A comparison beyond the budget stays undecided.
 */
export interface Budget {
  /** One step is about the work of comparing two sources. */
  leftSteps: number;
}

export function newBudget(): Budget {
  return { leftSteps: MOST_STEPS };
}

/** An answer within a new budget, and its work in the units of a zone's budget. */
export function withWork<T>(answer: (budget: Budget) => T): { readonly value: T; readonly work: number } {
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

/** Takes steps from the budget. False: too few steps are left. */
export function spend(budget: Budget, steps: number): boolean {
  budget.leftSteps = Math.max(-1, budget.leftSteps - steps);
  return budget.leftSteps >= 0;
}

/** Runs with an equal part of the remaining budget, so that later questions keep theirs. */
export function withShare<T>(budget: Budget, parts: number, run: (share: Budget) => T): T {
  const share = { leftSteps: Math.floor(Math.max(0, budget.leftSteps) / parts) };
  budget.leftSteps -= share.leftSteps;
  const result = run(share);
  budget.leftSteps += Math.max(0, share.leftSteps);
  return result;
}

/** About a tenth of a second. */
const MOST_STEPS = 500_000;

/** The pages in question. An expression may tell their hosts. */
export interface Pages {
  readonly schemes: readonly PageScheme[];
  /** At the scheme's default port. Null: any host, at any port except the default port of the other scheme. */
  readonly hosts: readonly PageHost[] | null;
}

export type PageScheme = "https" | "http";

export type PageHost = HostPattern & { readonly match: "exact" | "subdomains" };

/** All pages that come from web servers. */
export const ANY_PAGES: Pages = { schemes: ["https", "http"], hosts: null };

/** An example host name that the pattern matches. */
export function hostWithin({ match, text }: PageHost): string {
  return match === "exact" ? text : `page${text}`;
}

/** The pages at these URLs, if they come from web servers. */
export function pagesAt(urls: readonly string[]): Pages {
  const parsed = urls.flatMap((url) => readUrl(url) ?? []);
  const schemes = (["https", "http"] as const).filter((each) =>
    parsed.some(({ protocol }) => protocol === `${each}:`),
  );
  const areDefaultPorts = parsed.every(({ port }) => port === "");
  const hosts = [...new Set(parsed.map(({ hostname }) => hostname))];
  return { schemes, hosts: areDefaultPorts ? hosts.map((text) => ({ match: "exact", text })) : null };
}
