import { requireText } from "../../model/arguments.js";
import { chargedOnce } from "../../model/work-budget.js";
import { EFFECTIVE, type EffectiveDirective, type LoadKind } from "../directives.js";
import {
  type Attempt,
  allowingSource,
  allows,
  type CompiledCsp,
  type CompiledPolicy,
  compile,
  decidingList,
  isDynamic,
  type Load,
  prepare,
  type SourceList,
  type Step,
  urlSource,
} from "../match/allows.js";
import { matchesHost, NETWORK_SCHEMES, type UrlSource } from "../match/match-source.js";
import { readSource, type Source } from "../syntax.js";
import {
  ANY_PAGES,
  type Budget,
  type Comparison,
  hostWithin,
  type Pages,
  pagesAt,
  spend,
  spendOnTexts,
  startComparison,
  type UrlList,
  uncoveredSources,
  withWork,
} from "./comparison.js";

/**
 * A load that `b` allows and `a` refuses, or null if none is found. Loads judged by their URL alone are preferred, then
 * scripts. The returned value is `a`, so that `allows` and `explain` give the reason for the refusal.
 *
 * @param pages the pages to try; pages that do not come from web servers are left out
 */
export function witness(a: string, b: string, pages?: readonly string[]): Attempt | null {
  for (const csp of [a, b]) requireText(csp, "A CSP value");
  const search = () => withWork((budget) => witnessWithin(budget, a, b, pages));
  return chargedOnce([`load on ${JSON.stringify(pages)}`, a, b], search, null);
}

function witnessWithin(
  budget: Budget,
  a: string,
  b: string,
  pages: readonly string[] | undefined,
): Attempt | null {
  if (!spendOnTexts(budget, a, b)) return null;
  const [over, under] = [compile(a), compile(b)];
  const webPages = pages?.filter(isWebPage);
  const ground =
    webPages === undefined
      ? groundOf(ANY_PAGES, [over, under])
      : { pages: webPages, unlisted: unlistedHost("unlisted", [over, under]) };
  const comparison = startComparison(over, under, budget, webPages && pagesAt(webPages));
  let fallback: Attempt | null = null;
  for (const kind of KINDS) {
    const check = URL_CHECKS.find(({ effective }) => effective === EFFECTIVE[kind]);
    const probe = check && findProbe(check, over, under, ground, comparison);
    if (probe && isPlain(probe)) return attemptOf(probe, a, kind);
    if (probe) fallback ??= attemptOf(probe, a, kind);
  }
  return fallback;
}

/** A probe is a connection of `fetch`. Other APIs may pass where `fetch` does not. */
function attemptOf(probe: Probe, csp: string, kind: LoadKind): Attempt {
  const attempt: Attempt = { ...probe, csp, kind };
  return allows(attempt).allowed === false ? attempt : { ...attempt, api: "fetch" };
}

function isPlain({ nonce, integrity, inserted }: Probe): boolean {
  return nonce === undefined && integrity === undefined && inserted === undefined;
}

const KINDS: readonly LoadKind[] = ["script", "connection"];

function isWebPage(page: string): boolean {
  const scheme = prepare({ page, kind: "script", url: "/" }).page?.scheme;
  return (scheme === "http" || scheme === "https") && !/^blob:/i.test(page);
}

/** A load to try: the parts that differ between tries. */
type Probe = Omit<Attempt, "csp" | "kind">;

/** The pages and the host for trying loads. */
interface Ground {
  /** Page URLs that stand for all pages in question. Another page may still differ. */
  readonly pages: readonly string[];
  /** A host that neither value names, if one was found. */
  readonly unlisted: string;
}

export function groundOf({ schemes, hosts }: Pages, values: readonly CompiledCsp[]): Ground {
  const names = hosts?.map(hostWithin) ?? [unlistedHost("page", values)];
  const pages = names.flatMap((name) => schemes.map((scheme) => `${scheme}://${name}/`));
  return { pages, unlisted: unlistedHost("unlisted", values) };
}

function unlistedHost(label: string, values: readonly CompiledCsp[]): string {
  const isListed = (name: string) => values.some((value) => hasHost(value, name));
  return TOP_LEVELS.map((each) => `${label}.${each}`).find((name) => !isListed(name)) ?? `${label}.example`;
}

/** The first host that neither value names stands for all other hosts. No real host has these names. */
const TOP_LEVELS = ["example", "test", "invalid", "none-0", "none-1", "none-2", "none-3"];

function hasHost({ policies }: CompiledCsp, name: string): boolean {
  const isHost = ({ host }: UrlSource) => host !== null && host.match !== "any" && matchesHost(host, name);
  return policies.some(({ lists }) => [...lists.values()].some(({ urls }) => urls.some(isHost)));
}

/** A load that `wide` allows and `narrow` refuses. Null: none is found, or the budget is spent. */
export function findProbe(
  check: UrlCheck,
  narrow: CompiledCsp,
  wide: CompiledCsp,
  ground: Ground,
  comparison: Comparison,
): Probe | null {
  const isConnection = check.effective === EFFECTIVE.connection;
  const overs = decidingLists(check, narrow).filter((list) => list !== null);
  const unders = decidingLists(check, wide).filter((list) => list !== null);
  const steps = [...overs, ...unders].reduce((sum, { urls }) => sum + 1 + urls.length, STEPS_OF_PROBE);
  for (const probe of probes(check, overs, unders, ground, comparison)) {
    // Only connections use WebSockets, whatever a list allows.
    if (!isConnection && /^wss?:/.test(probe.url)) continue;
    if (!spend(comparison.budget, steps)) return null;
    const load = prepare({ ...probe, kind: isConnection ? "connection" : "script" });
    if (passes(check, wide, load) && !passes(check, narrow, load)) return probe;
  }
  return null;
}

const STEPS_OF_PROBE = 50;

/**
 * Loads that may tell two values apart, made from sources of `wide` that `narrow` does not cover. Plain loads come
 * first.
 */
function* probes(
  check: UrlCheck,
  overs: readonly SourceList[],
  unders: readonly SourceList[],
  ground: Ground,
  comparison: Comparison,
): Generator<Probe> {
  for (const over of overs) {
    for (const under of unders) {
      yield* uncoveredProbes(check, over, under, ground, comparison);
      if (check.trusts !== "nothing") yield* trustedProbes(over, under, ground);
    }
  }
  for (const page of ground.pages)
    for (const url of [...unlistedUrls(ground), ...ownUrls(page)]) yield { page, url };
}

function* uncoveredProbes(
  check: UrlCheck,
  over: SourceList,
  under: SourceList,
  ground: Ground,
  comparison: Comparison,
): Generator<Probe> {
  const [covering, covered] = [urlPart(check.trusts, over), urlPart(check.trusts, under)];
  const { urls, hasSelf } = uncoveredSources(covering, covered, comparison[check.terms], comparison);
  for (const page of ground.pages) {
    for (const source of urls.slice(0, MOST_SOURCES))
      for (const url of urlsOf(source, page, ground)) yield { page, url };
    if (hasSelf) for (const url of ownUrls(page)) yield { page, url };
  }
}

/** The limit for one pair of lists. Another pair may tell more. */
const MOST_SOURCES = 200;

function urlsOf(source: UrlSource, page: string, { unlisted }: Ground): readonly string[] {
  const pageScheme = page.startsWith("http:") ? "http" : "https";
  const scheme = source.scheme ?? pageScheme;
  if (!NETWORK_SCHEMES.has(scheme)) return source.host === null ? [withoutHost(scheme, page)] : [];
  const schemes = TRIED[scheme] ?? [scheme];
  const host = hostFor(source, unlisted);
  const ports = source.host === null || source.port === "*" ? ["", ":8443", ":4433"] : [portOf(source)];
  const paths = pathsOf(source.path);
  return schemes.flatMap((each) =>
    ports.flatMap((port) => paths.map((path) => `${each}://${host}${port}${path}`)),
  );
}

function hostFor({ host }: UrlSource, unlisted: string): string {
  if (host === null || host.match === "any") return unlisted;
  return host.match === "exact" ? host.text : `probe${host.text}`;
}

/** A page can have blob: URLs of its own origin only. */
function withoutHost(scheme: string, page: string): string {
  if (scheme === "data") return DATA;
  return scheme === "blob"
    ? `blob:${new URL(page).origin}/00000000-0000-4000-8000-000000000000`
    : `${scheme}:probe`;
}

const DATA = "data:text/javascript,1";

function portOf({ port }: UrlSource): string {
  return port === null ? "" : `:${port}`;
}

function pathsOf(path: string): readonly string[] {
  const written = encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23");
  if (path === "") return ["/probe.js", "/"];
  return path.endsWith("/") ? [`${written}probe.js`, written] : [written];
}

function ownUrls(page: string): readonly string[] {
  const { host, origin } = new URL(page);
  const urls = ["https", "http"].map((scheme) => `${scheme}://${host}/probe.js`);
  const sockets = ["wss", "ws"].map((scheme) => `${scheme}://${host}/probe`);
  return [`${origin}/probe.js`, ...urls, ...sockets];
}

/** A nonce, a hash or an inserting script allows any URL. */
function trustedProbes(over: SourceList, under: SourceList, ground: Ground): readonly Probe[] {
  const nonces = [...under.nonces.keys()].filter((nonce) => !over.nonces.has(nonce));
  const hashes = [...under.hashes].filter(([hash]) => !over.hashes.has(hash)).map(([, source]) => source);
  const ways: Omit<Probe, "page" | "url">[] = [
    ...nonces.slice(0, MOST_TRUSTED).map((nonce) => ({ nonce })),
    ...hashes.slice(0, MOST_TRUSTED).map((source) => ({ integrity: integrityOf(source) })),
    { inserted: "script" },
  ];
  const urls = unlistedUrls(ground);
  return ground.pages.flatMap((page) => urls.flatMap((url) => ways.map((way) => ({ ...way, page, url }))));
}

const MOST_TRUSTED = 20;

function integrityOf({ text }: Source): string {
  const parsed = readSource(text);
  return parsed.form === "hash" ? `${parsed.algorithm}-${parsed.digest}` : "";
}

/** The schemes that a source may match, or that are upgraded to it. Secure first: a secure page loads nothing else. */
const TRIED: Readonly<Record<string, readonly string[]>> = {
  http: ["https", "http"],
  https: ["https", "http"],
  ws: ["wss", "ws"],
  wss: ["wss", "ws"],
};

/** URLs on a host that neither value names. */
function unlistedUrls({ unlisted }: Ground): readonly string[] {
  return [
    `https://${unlisted}/probe.js`,
    `http://${unlisted}/probe.js`,
    `https://${unlisted}:8443/probe.js`,
    `wss://${unlisted}/probe`,
    `ws://${unlisted}/probe`,
    DATA,
  ];
}

/** A kind of URL that browsers check: the deciding directive, and what besides the URL can allow a load. */
export interface UrlCheck {
  readonly effective: EffectiveDirective;
  readonly trusts: Trust;
  readonly terms: "loads" | "connections" | "bases" | "ancestors";
}

/** What besides a list's URLs counts. Prefetching is also checked as a worker. */
export type Trust = "scripts" | "nonces" | "workers" | "hints" | "nothing";

export const URL_CHECKS: readonly UrlCheck[] = [
  { effective: "script-src-elem", trusts: "scripts", terms: "loads" },
  { effective: "connect-src", trusts: "nothing", terms: "connections" },
  { effective: "style-src-elem", trusts: "nonces", terms: "loads" },
  { effective: "worker-src", trusts: "workers", terms: "loads" },
  { effective: "img-src", trusts: "nothing", terms: "loads" },
  { effective: "font-src", trusts: "nothing", terms: "loads" },
  { effective: "media-src", trusts: "nothing", terms: "loads" },
  { effective: "object-src", trusts: "nothing", terms: "loads" },
  { effective: "manifest-src", trusts: "nothing", terms: "loads" },
  { effective: "frame-src", trusts: "nothing", terms: "loads" },
  { effective: "fenced-frame-src", trusts: "nothing", terms: "loads" },
  { effective: "form-action", trusts: "nothing", terms: "loads" },
  { effective: "base-uri", trusts: "nothing", terms: "bases" },
  { effective: "frame-ancestors", trusts: "nothing", terms: "ancestors" },
];

/** The deciding list of each policy. Null: no directive decides. */
export function decidingLists({ effective }: UrlCheck, csp: CompiledCsp): readonly (SourceList | null)[] {
  return csp.policies.map(({ lists }: CompiledPolicy) => decidingList(lists, effective));
}

/** The URLs of a list that count. Beside `'strict-dynamic'`, none count for scripts. */
export function urlPart(trusts: Trust, list: SourceList): UrlList {
  return trusts === "scripts" && isDynamic(list) ? NO_URLS : list;
}

const NO_URLS: UrlList = { star: null, self: null, urls: [] };

/** Whether every policy allows the load. */
function passes(check: UrlCheck, csp: CompiledCsp, load: Load): boolean {
  return decidingLists(check, csp).every(
    (list) => list === null || (load.steps ?? []).every((step) => listAllows(check, csp, list, load, step)),
  );
}

function listAllows(
  { trusts, terms }: UrlCheck,
  csp: CompiledCsp,
  list: SourceList,
  load: Load,
  step: Step,
): boolean {
  if (trusts === "scripts") return allowingSource(csp, list, load, step) !== null;
  if (trusts === "nonces" && load.nonce !== null && list.nonces.has(load.nonce)) return true;
  if (trusts === "workers" && isDynamic(list)) return true;
  const isLoad = terms === "loads" || terms === "connections";
  const target = isLoad && csp.upgradesInsecure ? step.upgraded : step.target;
  return urlSource(list, load.page, target, step.afterRedirect) !== null;
}
