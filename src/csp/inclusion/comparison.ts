import { groupBy } from "../../model/group-by.js";
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
  const common = { budget, pages, loads, connections };
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
    : terms.pages.map((page) => uncoveredOn(covering, covered, { terms, page, comparison }));
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

function uncoveredOn(covering: UrlList, covered: UrlList, circumstances: Circumstances): Uncovered {
  const { terms } = circumstances;
  const over = groupBy(sourcesOf(covering), ({ host }) => host?.text ?? "");
  const isCovered = (source: UrlSource) =>
    isNeverAsked(source, terms) ||
    (covering.self !== null && isOwn(source, circumstances)) ||
    isCoveredBy(over, source, circumstances);
  const hasSelf = covered.self !== null && !isSelfCovered(covering, over, circumstances);
  return { urls: sourcesOf(covered).filter((source) => !isCovered(source)), hasSelf };
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
  // An upgrade leads to the same host over a secure scheme.
  if (hasSelf && (terms.upgrades.covering || !terms.upgrades.covered)) return true;
  if (page.host === null)
    return selfSchemes(page.origin).every((source) => isCoveredBy(over, source, circumstances));
  const onHost = candidates(over, { host: page.host }).filter(({ path }) => path === "");
  return (
    spend(comparison.budget, STEPS_OF_CASES + onHost.length) &&
    coversSelf({ hasSelf, sources: onHost }, page.origin, terms)
  );
}

function isCoveredBy(index: SourceIndex, source: UrlSource, circumstances: Circumstances): boolean {
  const { budget } = circumstances.comparison;
  if (!spend(budget, stepsOfHost(source))) return false;
  return candidates(index, source).some(
    (candidate) =>
      spend(budget, stepsOfText(candidate.path)) &&
      coversPaths(candidate, source) &&
      hasSchemesAndPorts(candidate, source, circumstances),
  );
}

/** Each ending of a host is looked up. */
function stepsOfHost({ host }: UrlSource): number {
  const text = host?.text ?? "";
  return text.split(".").length * stepsOfText(text);
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

/** `*` matches the same as two whole schemes. Equal sources are one. */
function sourcesOf(list: UrlList): readonly UrlSource[] {
  const sources = [...starSources(list), ...list.urls];
  return [...new Map(sources.map((source) => [keyOf(source), source])).values()];
}

function keyOf({ scheme, host, port, path }: UrlSource): string {
  return `${scheme ?? ""} ${host?.match ?? ""} ${host?.text ?? ""} ${port ?? ""} ${path}`;
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

/** The sources of a list, by the text of their host. Sources for any host have an empty text. */
type SourceIndex = ReadonlyMap<string, readonly UrlSource[]>;

/** The sources with hosts that include the host of the given source. */
function candidates(index: SourceIndex, { host }: Pick<UrlSource, "host">): readonly UrlSource[] {
  const text = host?.text ?? "";
  const endings = Array.from(text.matchAll(/\./g), ({ index: dot }) => text.slice(dot));
  return [...new Set(["", text, ...endings])].flatMap((key) => index.get(key) ?? []);
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
