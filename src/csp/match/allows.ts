import { requireObject, requireOneOf, requireText } from "../../model/arguments.js";
import { rememberedText } from "../../model/remembered.js";
import { isLoopback, readUrl } from "../../model/url.js";
import { EFFECTIVE, type EffectiveDirective, FALLBACKS, type LoadKind, valueForm } from "../directives.js";
import {
  type Directive,
  hashKey,
  inForce,
  integrityHashes,
  isDropped,
  type Policy,
  parsedCsp,
  readSource,
  type Source,
} from "../syntax.js";
import {
  decodePath,
  hostSource,
  matchesSelf,
  matchesSource,
  NETWORK_SCHEMES,
  type Origin,
  originOf,
  type Target,
  type UrlSource,
  upgradeOrigin,
} from "./match-source.js";

/** Whether a load is allowed, and who decided. */
export interface Verdict {
  /**
   * `"unknown"` where it depends on the API that opens the connection, and the attempt does not name one. That is truthy:
   * compare with `=== true`.
   */
  readonly allowed: boolean | "unknown";
  /** The effective directive of the first policy that refuses, as the browser's violation event names it. */
  readonly directive: string | null;
  /** One for each policy of the value: all have to allow. */
  readonly policies: readonly PolicyDecision[];
}

/** What one policy of a value says of a load. */
export interface PolicyDecision {
  readonly allowed: boolean | "unknown";
  /** The written directive that decided, by its name in lower case; null where none applies. */
  readonly directive: string | null;
  readonly why: Why;
  /** What allowed it, with its place in the value; of a redirected load what allowed the last URL. */
  readonly source: Source | null;
  /** The URL that was decided about: of a redirected load the first that is refused, otherwise the last. */
  readonly url: string;
}

/** Why a policy allows a load or refuses it. */
export type Why =
  /** A source allows it. */
  | "source"
  /** No directive of the policy speaks about such loads. */
  | "not_restricted"
  /** The directive has no source that could allow a URL: `'none'`, or keywords alone. */
  | "none"
  | "no_source_matches"
  /** `'strict-dynamic'`: the directive's hosts and schemes do not count. */
  | "strict_dynamic"
  /** A hash of a URL, such as `'url-sha256-…'`: the directive's hosts, schemes and `'self'` do not count. */
  | "url_hash"
  /** `fetch` and XMLHttpRequest are checked at different points of an upgrade. */
  | "depends_on_api"
  /** It is no URL, so nothing is loaded. */
  | "not_a_url";

/**
 * Whether a page under this value loads a script or opens a connection, and why. Browsers differ about hashes of URLs:
 * the verdict is Chromium 156's, which knows them; `explain` says so.
 *
 * @throws TypeError for an attempt that the types do not allow, such as another `kind`
 */
export function allows(attempt: Attempt): Verdict {
  requireAttempt(attempt);
  return verdict(compile(attempt.csp), prepareAll(attempt), attempt.url);
}

function verdict(csp: CompiledCsp, [load, ...others]: Loads, url: string): Verdict {
  const policies = csp.policies.map((policy) => {
    const first = decision(csp, policy, load, url);
    const isSame = others.every((other) => decision(csp, policy, other, url).allowed === first.allowed);
    return isSame ? first : { ...first, allowed: "unknown" as const, why: "depends_on_api" as const };
  });
  if (load.steps === null) return { allowed: false, directive: null, policies };
  if (policies.some(({ allowed }) => allowed === false))
    return { allowed: false, directive: EFFECTIVE[load.kind], policies };
  const allowed = policies.every((policy) => policy.allowed === true) || "unknown";
  return { allowed, directive: null, policies };
}

function decision(csp: CompiledCsp, policy: CompiledPolicy, load: Load, url: string): PolicyDecision {
  const list = policy.deciding[load.kind];
  const directive = list?.directive.name ?? null;
  if (load.steps === null) return { allowed: false, directive, why: "not_a_url", source: null, url };
  let last: PolicyDecision = { allowed: true, directive, why: "not_restricted", source: null, url };
  for (const step of load.steps) {
    if (list === null) return { ...last, url: step.url };
    const source = allowingSource(csp, list, load, step);
    if (source === null) {
      return { allowed: false, directive, why: whyRefused(list, load), source, url: step.url };
    }
    // A copy: what was parsed is shared, and the library gives this away.
    last = { allowed: true, directive, why: "source", source: { ...source }, url: step.url };
  }
  return last;
}

function whyRefused(list: SourceList, { kind }: Load): Why {
  if (kind === "script" && list.keywords.has("'strict-dynamic'")) return "strict_dynamic";
  if (list.older !== null) return "url_hash";
  const takesUrls = list.star !== null || list.self !== null || list.urls.length > 0;
  return takesUrls ? "no_source_matches" : "none";
}

/** Whether a browser loads it: every policy has to allow every step. */
export function allowsLoad(csp: CompiledCsp, load: Load): boolean {
  if (load.steps === null) return false;
  for (const { deciding } of csp.policies) {
    const list = deciding[load.kind];
    if (list === null) continue;
    for (const step of load.steps) if (allowingSource(csp, list, load, step) === null) return false;
  }
  return true;
}

/** The source that allows this step, in the order in which browsers ask. */
export function allowingSource(csp: CompiledCsp, list: SourceList, load: Load, step: Step): Source | null {
  const target = csp.upgradesInsecure ? step.upgraded : step.target;
  if (load.kind === "connection") return urlSource(list, load.page, target, step.afterRedirect);
  const trusted = trustingSource(list, load);
  if (trusted !== null) return trusted;
  return isDynamic(list) ? null : urlSource(list, load.page, target, step.afterRedirect);
}

/** Scripts that run may insert others, and the list's URLs and `'unsafe-inline'` do not count for scripts. */
export function isDynamic({ keywords }: SourceList): boolean {
  return keywords.has("'strict-dynamic'");
}

/** The source that allows a URL by what it is. */
export function urlSource(
  list: SourceList,
  page: Origin | null,
  target: Target,
  afterRedirect: boolean,
): Source | null {
  const pageScheme = page?.scheme ?? null;
  if (list.star !== null && (NETWORK_SCHEMES.has(target.scheme) || target.scheme === pageScheme))
    return list.star;
  if (list.self !== null && page !== null && matchesSelf(page, target)) return list.self;
  for (const source of list.urls) {
    if (matchesSource(source, pageScheme, target, afterRedirect)) return source.written;
  }
  return null;
}

/** Whether a value may allow some of what is below a URL: each of its policies allows all of it, or names some. */
export function allowsSomeBelow(attempt: Attempt): boolean {
  const csp = compile(attempt.csp);
  const load = prepare(attempt);
  const { steps } = load;
  if (steps === null) return false;
  return csp.policies.every(({ deciding }) => {
    const list = deciding[load.kind];
    if (list === null) return true;
    return steps.every(
      (step) =>
        allowingSource(csp, list, load, step) !== null ||
        namesSomeBelow(list, load.page, csp.upgradesInsecure ? step.upgraded : step.target),
    );
  });
}

/** Whether a list has sources that allow some of what is below a URL and not all of it, or may. */
export function namesSomeBelow({ urls }: SourceList, page: Origin | null, target: Target): boolean {
  return urls.some(
    (source) =>
      source.path.startsWith(target.path) && matchesSource(source, page?.scheme ?? null, target, true),
  );
}

/** The source that allows a script whatever its URL. */
function trustingSource(list: SourceList, { nonce, hashes, inserted }: Load): Source | null {
  const byNonce = nonce === null ? undefined : list.nonces.get(nonce);
  if (byNonce !== undefined) return byNonce;
  if (inserted === "script") {
    const byScript = list.keywords.get("'strict-dynamic'");
    if (byScript !== undefined) return byScript;
  }
  return hashes.length > 0 && list.hashes.size > 0 ? sourceOfAll(list, hashes) : null;
}

/** A browser checks the file against any one of the hashes: the policy has to list them all. */
function sourceOfAll({ hashes }: SourceList, wanted: readonly (string | null)[]): Source | null {
  const sources = wanted.map((hash) => (hash === null ? undefined : hashes.get(hash)));
  return sources.includes(undefined) ? null : (sources[0] ?? null);
}

/** Something that a page loads, or tries to. */
export interface Attempt {
  /** The URL of the page. Where it is none, `'self'` and hosts without a scheme match nothing. */
  readonly page: string;
  readonly csp: string;
  readonly kind: LoadKind;
  /** Relative to the page. Where it is none, nothing is loaded. */
  readonly url: string;
  /** Where the server sends the browser instead, relative to `url`. */
  readonly redirectedTo?: string;
  /** The script element's attributes. */
  readonly nonce?: string;
  readonly integrity?: string;
  /** Who put the script element there: the page's HTML, or a script of the page. */
  readonly inserted?: "parser" | "script";
  /** What opens the connection; a WebSocket is told by its URL. */
  readonly api?: ConnectionApi;
}

/** What opens a connection over http: or https:. */
export type ConnectionApi = (typeof CONNECTION_APIS)[number];
const CONNECTION_APIS = ["fetch", "beacon", "xhr", "eventsource", "ping"] as const;

/** Chromium checks these before an upgrade, too; the others only after it. */
const CHECKED_BEFORE: ReadonlySet<ConnectionApi> = new Set(["fetch", "beacon"]);

/** A parsed attempt without its value, to be judged under many values. */
export interface Load {
  readonly kind: LoadKind;
  /** Null where the page has no origin. */
  readonly page: Origin | null;
  /** What is checked: the URL, for some before an upgrade and after it, then what it redirects to; null where one of them is no URL. */
  readonly steps: readonly Step[] | null;
  readonly nonce: string | null;
  readonly hashes: readonly (string | null)[];
  readonly inserted: "parser" | "script";
}

export interface Step {
  readonly url: string;
  readonly target: Target;
  /** What is judged under a value that upgrades insecure requests. */
  readonly upgraded: Target;
  readonly afterRedirect: boolean;
}

/** @throws TypeError for an attempt that the types do not allow */
export function requireAttempt(attempt: Attempt): void {
  requireObject(attempt, "An attempt");
  const { page, csp, kind, url, redirectedTo, nonce, integrity, inserted, api } = attempt;
  requireOneOf(kind, Object.keys(EFFECTIVE), "kind");
  for (const [name, text] of Object.entries({ page, csp, url })) requireText(text, name);
  for (const [name, text] of Object.entries({ redirectedTo, nonce, integrity }))
    if (text !== undefined) requireText(text, name);
  if (inserted !== undefined) requireOneOf(inserted, ["parser", "script"], "inserted");
  if (api !== undefined) requireOneOf(api, CONNECTION_APIS, "api");
}

/** A load; a connection without an API is one of `fetch`, which has to pass every check. */
export function prepare(attempt: Omit<Attempt, "csp">): Load {
  const { kind, nonce, integrity, inserted = "parser" } = attempt;
  const page = pageUrl(attempt.page);
  return {
    kind,
    page: page && pageOrigin(page),
    steps: steps(attempt, page),
    nonce: nonce === undefined ? null : nonce.replace(OUTER_SPACE, ""),
    hashes: integrity === undefined ? [] : integrityHashes(integrity),
    inserted,
  };
}

/** A load in the ways in which a page may ask for it, the strictest first: by each API where none is named. */
export function prepareAll(attempt: Omit<Attempt, "csp">): Loads {
  const load = prepare(attempt);
  if (attempt.api !== undefined) return [load];
  const other = prepare({ ...attempt, api: "xhr" });
  return other.steps?.length === load.steps?.length ? [load] : [load, other];
}

type Loads = readonly [Load, ...Load[]];

/** Many loads are of one page. */
const pageUrl = rememberedText((page) => readUrl(page));

/** A blob: page has the origin of the page that made it, others without a host have none. */
function pageOrigin(page: URL): Origin | null {
  if (page.protocol !== "blob:") return page.protocol === "data:" ? null : originOf(page);
  const inner = readUrl(page.pathname);
  return inner && originOf(inner);
}

function steps(attempt: Omit<Attempt, "csp">, page: URL | null): Step[] | null {
  const { kind, url, redirectedTo, api = "fetch" } = attempt;
  const asked = readUrl(url, page ?? undefined);
  if (asked === null) return null;
  const target = targetOf(asked);
  // A page's own request to a loopback host counts as secure and is not upgraded; a redirect to one is.
  const upgraded = isLoopback(target.host) ? target : upgradeOrigin(target);
  const last = { url: asked.href, target, upgraded, afterRedirect: false };
  const isCheckedBefore = kind === "connection" && target.scheme === "http" && CHECKED_BEFORE.has(api);
  const first = isCheckedBefore && upgraded !== target ? [{ ...last, upgraded: target }, last] : [last];
  if (redirectedTo === undefined) return first;
  const redirected = readUrl(redirectedTo, asked);
  return redirected && [...first, redirectStep(redirected)];
}

function redirectStep(url: URL): Step {
  const target = targetOf(url);
  return { url: url.href, target, upgraded: upgradeOrigin(target), afterRedirect: true };
}

function targetOf(url: URL): Target {
  return { ...originOf(url), path: decodePath(url.pathname) };
}

/** What Chromium trims around the attribute: spaces by their direction in Unicode, so no no-break space. */
const OUTER_SPACE =
  /^[\t-\r \u1680\u2000-\u200a\u2028\u205f\u3000]+|[\t-\r \u1680\u2000-\u200a\u2028\u205f\u3000]+$/g;

/** A parsed value, prepared for judging many loads. */
export interface CompiledCsp {
  readonly policies: readonly CompiledPolicy[];
  /** One policy that says so is enough: http: loads are asked for over https:. */
  readonly upgradesInsecure: boolean;
}

export interface CompiledPolicy {
  /** The directives that browsers obey, by name. */
  readonly directives: ReadonlyMap<string, Directive>;
  /** Of those the ones that are lists of sources. */
  readonly lists: ReadonlyMap<string, SourceList>;
  /** The list that decides about a kind of load; null where no directive does. */
  readonly deciding: Readonly<Record<LoadKind, SourceList | null>>;
}

/** The sources of a directive, by how they allow something. */
export interface SourceList {
  readonly directive: Directive;
  /** In the order written; of one spelling the first. */
  readonly keywords: ReadonlyMap<string, Source>;
  readonly nonces: ReadonlyMap<string, Source>;
  readonly hashes: ReadonlyMap<string, Source>;
  readonly urlHashes: ReadonlyMap<string, Source>;
  readonly evalHashes: ReadonlyMap<string, Source>;
  readonly star: Source | null;
  readonly self: Source | null;
  readonly urls: readonly (UrlSource & { readonly written: Source })[];
  /** The list in browsers that know hashes of URLs; null where it is the same. */
  readonly newer: SourceList | null;
  /** Of such a list the one in browsers that do not know them. */
  readonly older: SourceList | null;
}

/** A value as `CompiledCsp`, made once for each text and shared: nobody may change it. */
export const compile = rememberedText((csp): CompiledCsp => {
  const policies = parsedCsp(csp).policies.map(compilePolicy);
  const upgradesInsecure = policies.some(({ directives }) => directives.has("upgrade-insecure-requests"));
  return { policies, upgradesInsecure };
});

function compilePolicy(policy: Policy): CompiledPolicy {
  const directives = obeyed(policy);
  const lists = new Map(
    [...directives]
      .filter(([name]) => valueForm(name) === "sources")
      .map(([name, directive]) => [name, sourceList(directive)]),
  );
  const deciding = {
    script: decidingList(lists, EFFECTIVE.script),
    connection: decidingList(lists, EFFECTIVE.connection),
  };
  return { directives, lists, deciding };
}

/**
 * A directive with an invalid character is dropped whole. Chromium still counts it as the first of its name: a later
 * one of that name does not take its place.
 */
function obeyed(policy: Policy): ReadonlyMap<string, Directive> {
  return new Map([...inForce(policy)].filter(([, directive]) => !isDropped(directive)));
}

/**
 * The list of the directive that decides: the effective directive itself, or the first in its fallback chain that the
 * policy has.
 */
export function decidingList(
  lists: ReadonlyMap<string, SourceList>,
  effective: EffectiveDirective,
): SourceList | null {
  const name = FALLBACKS[effective].find((each) => lists.has(each));
  const list = (name !== undefined && lists.get(name)) || null;
  return list === null || list.newer === null || NAVIGATIONS.has(effective) ? list : list.newer;
}

/** Chromium heeds no hashes of URLs where it checks what is navigated. */
const NAVIGATIONS: ReadonlySet<EffectiveDirective> = new Set([
  "frame-src",
  "fenced-frame-src",
  "form-action",
  "frame-ancestors",
]);

function sourceList(directive: Directive): SourceList {
  const keywords = new Map<string, Source>();
  const nonces = new Map<string, Source>();
  const hashes = new Map<string, Source>();
  const urlHashes = new Map<string, Source>();
  const evalHashes = new Map<string, Source>();
  const urls: (UrlSource & { readonly written: Source })[] = [];
  for (const written of directive.sources) {
    const read = readSource(written.text);
    switch (read.form) {
      case "keyword":
        addFirst(keywords, read.keyword, written);
        break;
      case "nonce":
        addFirst(nonces, read.nonce, written);
        break;
      case "hash":
        addFirst(hashes, hashKey(read.algorithm, read.digest), written);
        break;
      case "url-hash":
        addFirst(urlHashes, hashKey(read.algorithm, read.digest), written);
        break;
      case "eval-hash":
        addFirst(evalHashes, hashKey(read.algorithm, read.digest), written);
        break;
      case "scheme":
        urls.push({ scheme: read.scheme, host: null, port: null, path: "", written });
        break;
      case "host": {
        const source = written.text === "*" ? null : hostSource(read);
        if (source !== null) urls.push({ ...source, written });
        break;
      }
      case "odd":
        break;
    }
  }
  const star = directive.sources.find(({ text }) => text === "*") ?? null;
  const self = keywords.get("'self'") ?? null;
  const trusting = { directive, keywords, nonces, hashes, urlHashes, evalHashes };
  const list: SourceList = { ...trusting, star, self, urls, newer: null, older: null };
  if (urlHashes.size === 0) return list;
  return { ...list, newer: { ...list, star: null, self: null, urls: [], older: list } };
}

function addFirst(sources: Map<string, Source>, key: string | null, written: Source): void {
  if (key !== null && !sources.has(key)) sources.set(key, written);
}
