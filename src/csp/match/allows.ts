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

/** Whether a load is allowed, and the reason. */
export interface Verdict {
  /**
   * `"unknown"` if the answer depends on the API that opens the connection and the attempt names none. It is truthy:
   * compare with `=== true`.
   */
  readonly allowed: boolean | "unknown";
  /** The effective directive of the first policy that refuses, as the browser's violation event names it. */
  readonly directive: string | null;
  /** One decision for each policy of the value. All policies have to allow. */
  readonly policies: readonly PolicyDecision[];
}

/** The decision of one policy about a load. */
export interface PolicyDecision {
  readonly allowed: boolean | "unknown";
  /** The deciding directive as written, in lower case. Null: none applies. */
  readonly directive: string | null;
  readonly why: Why;
  /** The source that allowed the load, with its place in the value. After a redirect, the source for the last URL. */
  readonly source: Source | null;
  /** The URL that was judged: the first refused URL of a redirected load, otherwise the last. */
  readonly url: string;
}

/** The reason why a policy allows or refuses a load. */
export type Why =
  /** A source allows it. */
  | "source"
  /** The policy has no directive for such loads. */
  | "not_restricted"
  /** The directive has no source that could allow a URL: `'none'`, or only keywords. */
  | "none"
  | "no_source_matches"
  /** `'strict-dynamic'`: the directive's hosts and schemes do not count. */
  | "strict_dynamic"
  /** A hash of a URL, such as `'url-sha256-…'`: the directive's hosts, schemes and `'self'` do not count. */
  | "url_hash"
  /** `fetch` and XMLHttpRequest are checked at different points of an upgrade. */
  | "depends_on_api"
  /** The URL is invalid, so nothing is loaded. */
  | "not_a_url";

/**
 * Whether a page with this value may load a script or open a connection, and why. Browsers differ about hashes of URLs:
 * this is the verdict of Chromium 156, which supports them, and `explain` mentions the difference.
 *
 * @throws TypeError for an attempt that the types do not allow, such as another `kind`
 */
export function allows(attempt: Attempt): Verdict {
  requireAttempt(attempt);
  return verdict(compile(attempt.csp), prepareAll(attempt), attempt.url);
}

function verdict(csp: CompiledCsp, [load, ...otherLoads]: Loads, url: string): Verdict {
  const policies = csp.policies.map((policy) => {
    const first = decision(csp, policy, load, url);
    const isSame = otherLoads.every((other) => decision(csp, policy, other, url).allowed === first.allowed);
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
    // A copy, because the parsed value is shared and callers of the library may change the result.
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

/** Running scripts may insert others then, and the list's URLs and `'unsafe-inline'` do not count for scripts. */
export function isDynamic({ keywords }: SourceList): boolean {
  return keywords.has("'strict-dynamic'");
}

/** The source that allows the URL itself. */
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

/** Whether a value may allow part of everything below a URL: each policy allows all of it, or names a part. */
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

/** Whether a list may have sources that allow only part of everything below a URL. */
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

/** A browser checks the file against any one of the hashes, so the policy has to list all of them. */
function sourceOfAll({ hashes }: SourceList, required: readonly (string | null)[]): Source | null {
  const sources = required.map((hash) => (hash === null ? undefined : hashes.get(hash)));
  return sources.includes(undefined) ? null : (sources[0] ?? null);
}

/** Something that a page tries to load. */
export interface Attempt {
  /** The URL of the page. If it is invalid, `'self'` and hosts without a scheme match nothing. */
  readonly page: string;
  readonly csp: string;
  readonly kind: LoadKind;
  /** Relative to the page. If it is invalid, nothing is loaded. */
  readonly url: string;
  /** The target of the server's redirect, relative to `url`. */
  readonly redirectedTo?: string;
  /** The attributes of the script element. */
  readonly nonce?: string;
  readonly integrity?: string;
  /** Who inserted the script element: the page's HTML, or a script of the page. */
  readonly inserted?: "parser" | "script";
  /** The API that opens the connection. A WebSocket is recognised by its URL. */
  readonly api?: ConnectionApi;
}

/** An API that opens connections over http: or https:. */
export type ConnectionApi = (typeof CONNECTION_APIS)[number];
const CONNECTION_APIS = ["fetch", "beacon", "xhr", "eventsource", "ping"] as const;

/** Chromium checks these before an upgrade as well, the others only after it. */
const CHECKED_BEFORE: ReadonlySet<ConnectionApi> = new Set(["fetch", "beacon"]);

/** A parsed attempt without its value, to be judged under many values. */
export interface Load {
  readonly kind: LoadKind;
  /** Null: the page has no origin. */
  readonly page: Origin | null;
  /** The checks of the URL (for some APIs before and after an upgrade) and of its redirect. Null: a URL is invalid. */
  readonly steps: readonly Step[] | null;
  readonly nonce: string | null;
  readonly hashes: readonly (string | null)[];
  readonly inserted: "parser" | "script";
}

export interface Step {
  readonly url: string;
  readonly target: Target;
  /** The target under a value that upgrades insecure requests. */
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

/** A load. A connection without an API counts as `fetch`, which has to pass every check. */
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

/** A load in each way in which a page may request it, the strictest first. A named API is a single way. */
export function prepareAll(attempt: Omit<Attempt, "csp">): Loads {
  const load = prepare(attempt);
  if (attempt.api !== undefined) return [load];
  const other = prepare({ ...attempt, api: "xhr" });
  return other.steps?.length === load.steps?.length ? [load] : [load, other];
}

type Loads = readonly [Load, ...Load[]];

/** Many loads share a page. */
const pageUrl = rememberedText((page) => readUrl(page));

/** A blob: page has the origin of the page that made it. Other pages without a host have no origin. */
function pageOrigin(page: URL): Origin | null {
  if (page.protocol !== "blob:") return page.protocol === "data:" ? null : originOf(page);
  const inner = readUrl(page.pathname);
  return inner && originOf(inner);
}

function steps(attempt: Omit<Attempt, "csp">, page: URL | null): Step[] | null {
  const { kind, url, redirectedTo, api = "fetch" } = attempt;
  const requested = readUrl(url, page ?? undefined);
  if (requested === null) return null;
  const target = targetOf(requested);
  // A page's own request to a loopback host counts as secure and is not upgraded. A redirect to a loopback host is.
  const upgraded = isLoopback(target.host) ? target : upgradeOrigin(target);
  const last = { url: requested.href, target, upgraded, afterRedirect: false };
  const isCheckedBefore = kind === "connection" && target.scheme === "http" && CHECKED_BEFORE.has(api);
  const first = isCheckedBefore && upgraded !== target ? [{ ...last, upgraded: target }, last] : [last];
  if (redirectedTo === undefined) return first;
  const redirected = readUrl(redirectedTo, requested);
  return redirected && [...first, redirectStep(redirected)];
}

function redirectStep(url: URL): Step {
  const target = targetOf(url);
  return { url: url.href, target, upgraded: upgradeOrigin(target), afterRedirect: true };
}

function targetOf(url: URL): Target {
  return { ...originOf(url), path: decodePath(url.pathname) };
}

/** The spaces that Chromium trims from the attribute. No-break spaces are not trimmed. */
const OUTER_SPACE =
  /^[\t-\r \u1680\u2000-\u200a\u2028\u205f\u3000]+|[\t-\r \u1680\u2000-\u200a\u2028\u205f\u3000]+$/g;

/** A parsed value, prepared for judging many loads. */
export interface CompiledCsp {
  readonly policies: readonly CompiledPolicy[];
  /** One policy with the directive is enough: http: loads are requested over https:. */
  readonly upgradesInsecure: boolean;
}

export interface CompiledPolicy {
  /** The directives that browsers obey, by name. */
  readonly directives: ReadonlyMap<string, Directive>;
  /** The source lists among them. */
  readonly lists: ReadonlyMap<string, SourceList>;
  /** The list that decides about a kind of load. Null: no directive does. */
  readonly deciding: Readonly<Record<LoadKind, SourceList | null>>;
}

/** The sources of a directive, by the way in which they allow a load. */
export interface SourceList {
  readonly directive: Directive;
  /** In the order written. The first source of each spelling counts. */
  readonly keywords: ReadonlyMap<string, Source>;
  readonly nonces: ReadonlyMap<string, Source>;
  readonly hashes: ReadonlyMap<string, Source>;
  readonly urlHashes: ReadonlyMap<string, Source>;
  readonly evalHashes: ReadonlyMap<string, Source>;
  readonly star: Source | null;
  readonly self: Source | null;
  readonly urls: readonly (UrlSource & { readonly written: Source })[];
  /** The list in browsers that support hashes of URLs. Null: the same. */
  readonly newer: SourceList | null;
  /** Only for a newer list: the list in browsers without support for hashes of URLs. */
  readonly older: SourceList | null;
}

/** The compiled value of a text. It is cached and shared, so callers must not change it. */
export const compile = rememberedText((csp): CompiledCsp => {
  const policies = parsedCsp(csp).policies.map(compilePolicy);
  const upgradesInsecure = policies.some(({ directives }) => directives.has("upgrade-insecure-requests"));
  return { policies, upgradesInsecure };
});

function compilePolicy(policy: Policy): CompiledPolicy {
  const directives = effectiveDirectives(policy);
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
 * Browsers drop a directive with an invalid character. Chromium still counts it as the first of its name, so a later
 * one does not replace it.
 */
function effectiveDirectives(policy: Policy): ReadonlyMap<string, Directive> {
  return new Map([...inForce(policy)].filter(([, directive]) => !isDropped(directive)));
}

/** The list of the deciding directive: the effective directive, or the first in its fallback chain that the policy has. */
export function decidingList(
  lists: ReadonlyMap<string, SourceList>,
  effective: EffectiveDirective,
): SourceList | null {
  const name = FALLBACKS[effective].find((each) => lists.has(each));
  const list = (name !== undefined && lists.get(name)) || null;
  return list === null || list.newer === null || NAVIGATIONS.has(effective) ? list : list.newer;
}

/** Chromium ignores hashes of URLs where it checks navigation. */
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
    const parsed = readSource(written.text);
    switch (parsed.form) {
      case "keyword":
        addFirst(keywords, parsed.keyword, written);
        break;
      case "nonce":
        addFirst(nonces, parsed.nonce, written);
        break;
      case "hash":
        addFirst(hashes, hashKey(parsed.algorithm, parsed.digest), written);
        break;
      case "url-hash":
        addFirst(urlHashes, hashKey(parsed.algorithm, parsed.digest), written);
        break;
      case "eval-hash":
        addFirst(evalHashes, hashKey(parsed.algorithm, parsed.digest), written);
        break;
      case "scheme":
        urls.push({ scheme: parsed.scheme, host: null, port: null, path: "", written });
        break;
      case "host": {
        const source = written.text === "*" ? null : hostSource(parsed);
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
