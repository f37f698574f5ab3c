import { groupBy } from "../model/group-by.js";
import { isLoopback, readUrl } from "../model/url.js";
import { type Addition, LIST_OF, withSources } from "./add-sources.js";
import type { LoadKind } from "./directives.js";
import { foldHosts } from "./fold-hosts.js";
import { allows, allowsLoad, type CompiledCsp, compile, type Load, prepare } from "./match/allows.js";
import { NETWORK_SCHEMES } from "./match/match-source.js";

/** A load that was seen on pages of the value. */
export interface SeenLoad<T> {
  readonly kind: LoadKind;
  readonly url: string;
  /** Page URLs, at least one. */
  readonly pages: readonly string[];
  /** The caller's own reference to the load. */
  readonly of: T;
}

/** What one source allows: a host, one path of it, or all hosts below a name, from that many needed hosts on. */
export type Granularity = "host" | "path" | { readonly hosts: number };

export interface Suggestion<T> {
  /** The value with all additions. The same value if nothing is added. */
  readonly value: string;
  readonly added: readonly AddedSource<T>[];
  /** The loads that the new value still refuses. */
  readonly refused: readonly { readonly of: T; readonly why: WhyNot }[];
}

export interface AddedSource<T> {
  readonly kind: LoadKind;
  readonly source: string;
  /** The loads that the value refuses without this source. */
  readonly loads: readonly T[];
}

export type WhyNot =
  /** More sources are needed than any value can have. */
  | "too_many"
  /** Only a bare scheme would allow it. */
  | "scheme"
  /** Every source that allows it would also allow a load that must never pass. */
  | "beside_never"
  /** It is not loaded over TLS, and only an insecure source would allow it. */
  | "insecure"
  /** It is on the visitor's own machine. */
  | "own_machine"
  /** Its host is no host name: `*`, or characters that end a source. */
  | "no_host"
  /** In newer browsers a hash of a URL in the list, such as `'url-sha256-…'`, turns off all hosts of the list. */
  | "url_hash"
  /** It is no URL, or no source can express it: an IPv6 address, or a list that trusts scripts by nonces. */
  | "no_source";

interface PreparedLoad<T> extends SeenLoad<T> {
  readonly loads: readonly Load[];
}

/**
 * The smallest addition to a value that allows the loads: every added source is needed by one of them. If a value has
 * several policies, each gets the sources for the loads that it refuses.
 *
 * @param never loads that no added source may allow
 * @param schemes schemes that may be added as a bare source, such as `data:`
 */
export function suggestSources<T>(
  value: string,
  loads: readonly SeenLoad<T>[],
  {
    by = "host",
    schemes = [],
    never = [],
  }: {
    readonly by?: Granularity;
    readonly schemes?: readonly string[];
    readonly never?: readonly Omit<SeenLoad<unknown>, "of">[];
  } = {},
): Suggestion<T> {
  const withLoads = <L extends Omit<SeenLoad<unknown>, "of">>(load: L) => ({
    ...load,
    loads: load.pages.map((page) => prepare({ kind: load.kind, page, url: load.url })),
  });
  const current = compile(value);
  const forbidden = never
    .map(withLoads)
    .filter(({ loads }) => !loads.every((load) => allowsLoad(current, load)));
  // A page upgrades its requests whichever list decides.
  const upgrading = current.upgradesInsecure ? "; upgrade-insecure-requests" : "";
  const byText = new Map<string, CompiledCsp>();
  const alone = (kind: LoadKind, source: string) => {
    const csp = `${LIST_OF[kind]} ${source}${upgrading}`;
    const compiled = byText.get(csp) ?? compile(csp);
    byText.set(csp, compiled);
    return compiled;
  };
  const isForbidden = (kind: LoadKind, source: string) =>
    forbidden.some((other) => other.kind === kind && touches(alone(kind, source), other));
  const refused: { load: PreparedLoad<T>; why: WhyNot }[] = [];
  const additions = new Map<string, Addition>();
  const accepted: PreparedLoad<T>[] = [];
  for (const load of loads.map(withLoads)) {
    const { kind } = load;
    const policies = refusing(value, load);
    if (policies.length === 0) accepted.push(load);
    else {
      const sources = candidatesFor(load.url, by, schemes).filter((each) => passes(alone(kind, each), load));
      const source = sources.find((each) => !isForbidden(kind, each));
      const isNew = (policy: number) => !additions.has(keyOf({ policy, kind, source: source ?? "" }));
      if (source === undefined) refused.push({ load, why: whyNot(load, sources) });
      else if (additions.size >= MOST_SOURCES && policies.some(isNew))
        refused.push({ load, why: "too_many" });
      else {
        accepted.push(load);
        for (const policy of policies)
          additions.set(keyOf({ policy, kind, source }), { policy, kind, source });
      }
    }
  }
  const candidates = foldedAdditions([...additions.values()], (kind, sources) => {
    const names =
      typeof by === "object" ? foldHosts(sources, by.hosts) : sources.map((each) => [each, each] as const);
    return new Map([...names].map(([each, wide]) => [each, isForbidden(kind, wide) ? each : wide]));
  });
  const withAll = compile(withSources(value, candidates));
  const stillRefused = new Set(accepted.filter((each) => !passes(withAll, each)));
  const passing = accepted.filter((each) => !stillRefused.has(each));
  for (const load of stillRefused)
    refused.push({ load, why: isUnderUrlHash(value, load) ? "url_hash" : "no_source" });
  const gaps = gapsOf(value, candidates, passing, alone);
  const needed = neededOnly(candidates, gaps);
  const proposed = needed.length === 0 ? value : withSources(value, needed);
  const after = compile(proposed);
  if (passing.some((each) => !passes(after, each)))
    throw new Error("a suggestion lets pass what it is made for");
  return {
    value: proposed,
    added: addedSources(needed, gaps),
    // A source added for other loads may allow the load as well.
    refused: refused.flatMap(({ load, why }) => (passes(after, load) ? [] : [{ of: load.of, why }])),
  };
}

/** Later sources are left out. The service accepts no value with so many. */
const MOST_SOURCES = 1_000;

function keyOf({ policy, kind, source }: Addition): string {
  return JSON.stringify([policy, kind, source]);
}

/** The indexes of the policies that refuse a load on one of its pages. */
function refusing(value: string, { kind, url, pages }: SeenLoad<unknown>): readonly number[] {
  const indexes = pages.flatMap((page) =>
    allows({ csp: value, kind, page, url }).policies.flatMap(({ allowed }, index) =>
      allowed === true ? [] : [index],
    ),
  );
  return [...new Set(indexes)].sort((a, b) => a - b);
}

/** Whether a list that ignores its hosts refuses the load. */
function isUnderUrlHash(value: string, { kind, url, pages }: SeenLoad<unknown>): boolean {
  return pages.some((page) =>
    allows({ csp: value, kind, page, url }).policies.some(({ why }) => why === "url_hash"),
  );
}

function passes(csp: CompiledCsp, { loads }: PreparedLoad<unknown>): boolean {
  return loads.every((load) => allowsLoad(csp, load));
}

/** Whether a value allows a load on any of its pages. */
function touches(csp: CompiledCsp, { loads }: Pick<PreparedLoad<unknown>, "loads">): boolean {
  return loads.some((load) => allowsLoad(csp, load));
}

function whyNot(load: SeenLoad<unknown>, sources: readonly string[]): WhyNot {
  if (sources.length > 0) return "beside_never";
  const url = readUrl(load.url);
  if (url !== null && isLoopback(url.hostname)) return "own_machine";
  if (url !== null && isOfNoHost(url)) return "no_host";
  if (url?.protocol === "http:" || url?.protocol === "ws:") return "insecure";
  const isOnNetwork = url === null || isOfNetwork(url);
  return isOnNetwork ? "no_source" : "scheme";
}

function isOfNetwork({ host, protocol }: URL): boolean {
  return host !== "" && NETWORK_SCHEMES.has(protocol.slice(0, -1));
}

/**
 * A URL can have `*`, quotes or `;` as its host, or more characters than any host name. In a source these mean
 * something else.
 */
function isOfNoHost(url: URL): boolean {
  return isOfNetwork(url) && !HOST_NAME.test(url.hostname);
}

const HOST_NAME = /^(?=.{1,253}\.?$)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?$|^\[/;

/**
 * The sources that can name a URL, in the order in which they are tried. A secure scheme is always written, so that the
 * source allows nothing less secure. An insecure source has no scheme, so it works only on insecure pages.
 */
function candidatesFor(written: string, by: Granularity, schemes: readonly string[]): readonly string[] {
  const url = readUrl(written);
  if (url === null || isLoopback(url.hostname) || isOfNoHost(url)) return [];
  if (!isOfNetwork(url)) return schemes.filter((each) => each === url.protocol);
  if (url.protocol === "ws:") return by === "path" ? [] : ["'self'"];
  const origin = url.protocol === "http:" ? url.host : `${url.protocol}//${url.host}`;
  // Characters that would end the source or the directive are escaped, as browsers read them.
  const path = url.pathname.replace(/[;,\s]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const exact = path === "/" ? [] : [`${origin}${path}`];
  return by === "path" && exact.length > 0 ? exact : ["'self'", origin, ...exact];
}

function foldedAdditions(
  additions: readonly Addition[],
  fold: (kind: LoadKind, sources: readonly string[]) => ReadonlyMap<string, string>,
): readonly Addition[] {
  const groups = groupBy(additions, ({ policy, kind }) => `${policy} ${kind}`);
  const renamed = [...groups.values()].flatMap((group) => {
    const sources = group.map(({ source }) => source);
    const names = fold(group[0].kind, sources);
    return group.map((each) => ({ ...each, source: names.get(each.source) ?? each.source }));
  });
  const distinct = new Map(renamed.map((each) => [keyOf(each), each]));
  return [...distinct.values()].toSorted((a, b) => a.policy - b.policy || (a.source < b.source ? -1 : 1));
}

/** A load on one page that one policy refuses, and the sources that would each allow it there. */
interface Gap<T> {
  readonly of: T;
  readonly by: Set<Addition>;
}

function gapsOf<T>(
  value: string,
  candidates: readonly Addition[],
  accepted: readonly PreparedLoad<T>[],
  alone: (kind: LoadKind, source: string) => CompiledCsp,
): readonly Gap<T>[] {
  return accepted.flatMap(({ kind, url, pages, loads, of }) =>
    loads.flatMap((load, at) =>
      allows({ csp: value, kind, page: pages[at] ?? "", url }).policies.flatMap(({ allowed }, policy) => {
        if (allowed === true) return [];
        const host = readUrl(url)?.hostname ?? "";
        const closing = candidates.filter(
          (each) =>
            each.policy === policy &&
            each.kind === kind &&
            mayName(each.source, host) &&
            allowsLoad(alone(kind, each.source), load),
        );
        return [{ of, by: new Set(closing) }];
      }),
    ),
  );
}

/** A quick test before the full one. */
function mayName(source: string, host: string): boolean {
  return /^'|\*|:$/.test(source) || source.includes(host);
}

/** Drops sources that no gap needs alone, and removes them from the gaps. */
function neededOnly(candidates: readonly Addition[], gaps: readonly Gap<unknown>[]): readonly Addition[] {
  const gapsBy = new Map<Addition, Gap<unknown>[]>(candidates.map((each) => [each, []]));
  for (const gap of gaps) for (const each of gap.by) gapsBy.get(each)?.push(gap);
  return candidates.filter((each) => {
    const ownGaps = gapsBy.get(each) ?? [];
    if (ownGaps.some(({ by }) => by.size === 1)) return true;
    for (const { by } of ownGaps) by.delete(each);
    return false;
  });
}

/** @param gaps with needed sources only: a gap with one source belongs to that source */
function addedSources<T>(needed: readonly Addition[], gaps: readonly Gap<T>[]): readonly AddedSource<T>[] {
  const added = new Map<string, { kind: LoadKind; source: string; loads: Set<T> }>();
  const keyFor = ({ kind, source }: Addition) => `${kind} ${source}`;
  for (const each of needed) added.set(keyFor(each), { ...each, loads: new Set() });
  for (const { of, by } of gaps) {
    const [only] = by;
    if (only !== undefined && by.size === 1) added.get(keyFor(only))?.loads.add(of);
  }
  return [...added.values()].map(({ kind, source, loads }) => ({ kind, source, loads: [...loads] }));
}
