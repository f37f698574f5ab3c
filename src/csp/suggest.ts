import { groupBy } from "../model/group-by.js";
import { isLoopback, readUrl } from "../model/url.js";
import { LIST_OF, withSources } from "./add-sources.js";
import type { LoadKind } from "./directives.js";
import { foldHosts } from "./fold.js";
import { allows, allowsLoad, type CompiledCsp, compile, type Load, prepare } from "./match/allows.js";
import { NETWORK_SCHEMES } from "./match/match-source.js";

/** A load that was seen, on pages that a value is for. */
export interface SeenLoad<T> {
  readonly kind: LoadKind;
  readonly url: string;
  /** URLs of pages; at least one. */
  readonly pages: readonly string[];
  /** Whatever the caller knows it by. */
  readonly of: T;
}

/** How much a source allows: a host, one path of it, or from so many hosts below one name on all hosts below it. */
export type Granularity = "host" | "path" | { readonly hosts: number };

export interface Suggestion<T> {
  /** With all that is added; the same value where nothing is. */
  readonly value: string;
  readonly added: readonly AddedSource<T>[];
  /** What it goes on refusing. */
  readonly refused: readonly { readonly of: T; readonly why: WhyNot }[];
}

export interface AddedSource<T> {
  readonly kind: LoadKind;
  readonly source: string;
  /** What the value refuses without it. */
  readonly loads: readonly T[];
}

export type WhyNot =
  /** More sources are asked for than any value can have. */
  | "too_many"
  /** Only a scheme alone would allow it. */
  | "scheme"
  /** What would allow it would allow something, too, that is never to pass. */
  | "beside_never"
  /** It is not loaded over TLS, and only a source that says so would allow it. */
  | "insecure"
  /** It is on the visitor's own machine. */
  | "own_machine"
  /** What stands in place of its host is no host name: `*`, or signs that end a source. */
  | "no_host"
  /** In newer browsers a hash of a URL in the list, such as `'url-sha256-…'`, switches all of its hosts off. */
  | "url_hash"
  /** It is no URL, or no source says it: an IPv6 address, a list that trusts scripts by nonces. */
  | "no_source";

interface Asked<T> extends SeenLoad<T> {
  readonly loads: readonly Load[];
}

interface Wanted<T> {
  readonly policy: number;
  readonly kind: LoadKind;
  source: string;
  readonly asked: Asked<T>[];
}

/**
 * The smallest addition to a value that lets loads pass: each source that it adds is needed for one of them. Of several
 * policies in one value, each gets what it refuses.
 *
 * @param never loads that no source may be added for, and none that is added may allow
 * @param schemes that may stand alone as a source, such as `data:`
 */
export function suggested<T>(
  value: string,
  seen: readonly SeenLoad<T>[],
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
  const prepared = <L extends Omit<SeenLoad<unknown>, "of">>(load: L) => ({
    ...load,
    loads: load.pages.map((page) => prepare({ kind: load.kind, page, url: load.url })),
  });
  const all = seen.map(prepared);
  const now = compile(value);
  const barred = never.map(prepared).filter((each) => !each.loads.every((load) => allowsLoad(now, load)));
  // A page that upgrades what it asks for does so whichever list decides.
  const upgrading = now.upgradesInsecure ? "; upgrade-insecure-requests" : "";
  const compiled = new Map<string, CompiledCsp>();
  const alone = (kind: LoadKind, source: string) => {
    const csp = `${LIST_OF[kind]} ${source}${upgrading}`;
    const known = compiled.get(csp) ?? compile(csp);
    compiled.set(csp, known);
    return known;
  };
  const isBarred = (kind: LoadKind, source: string) =>
    barred.some((other) => other.kind === kind && touches(alone(kind, source), other));
  const refused: { asked: Asked<T>; why: WhyNot }[] = [];
  const wanted = new Map<string, Wanted<T>>();
  const accepted: Asked<T>[] = [];
  for (const each of all) {
    const policies = refusing(value, each);
    if (policies.length === 0) accepted.push(each);
    else {
      const able = candidatesFor(each.url, by, schemes).filter((source) =>
        passes(alone(each.kind, source), each),
      );
      const source = able.find((name) => !isBarred(each.kind, name));
      const isNew = (policy: number) => !wanted.has(keyOf({ policy, kind: each.kind, source: source ?? "" }));
      if (source === undefined) refused.push({ asked: each, why: whyNot(each, able) });
      else if (wanted.size >= MOST_SOURCES && policies.some(isNew))
        refused.push({ asked: each, why: "too_many" });
      else {
        accepted.push(each);
        for (const policy of policies) want(wanted, { policy, kind: each.kind, source, asked: [each] });
      }
    }
  }
  const folded = foldedBy([...wanted.values()], (kind, sources) => {
    const names =
      typeof by === "object" ? foldHosts(sources, by.hosts) : sources.map((each) => [each, each] as const);
    return new Map([...names].map(([each, wide]) => [each, isBarred(kind, wide) ? each : wide]));
  });
  const whole = compile(withSources(value, folded));
  const stuck = new Set(accepted.filter((each) => !passes(whole, each)));
  const passing = accepted.filter((each) => !stuck.has(each));
  for (const asked of stuck)
    refused.push({ asked, why: isUnderUrlHash(value, asked) ? "url_hash" : "no_source" });
  const gaps = gapsOf(value, folded, passing, alone);
  const needed = minimal(folded, gaps);
  const proposed = needed.length === 0 ? value : withSources(value, needed);
  const after = compile(proposed);
  if (passing.some((each) => !passes(after, each)))
    throw new Error("a suggestion lets pass what it is made for");
  return {
    value: proposed,
    added: addedBy(needed, gaps),
    // What is added for others may let it pass as well.
    refused: refused.flatMap(({ asked, why }) => (passes(after, asked) ? [] : [{ of: asked.of, why }])),
  };
}

/** As many are looked at, the first that are asked for: a value that the service takes has room for fewer. */
const MOST_SOURCES = 1_000;

function keyOf({ policy, kind, source }: Omit<Wanted<unknown>, "asked">): string {
  return JSON.stringify([policy, kind, source]);
}

function want<T>(all: Map<string, Wanted<T>>, { asked, ...one }: Wanted<T>): void {
  const key = keyOf(one);
  const known = all.get(key);
  if (known === undefined) all.set(key, { ...one, asked });
  else known.asked.push(...asked);
}

/** Which policies of a value refuse a load on one of its pages. */
function refusing(value: string, { kind, url, pages }: SeenLoad<unknown>): readonly number[] {
  const found = pages.flatMap((page) =>
    allows({ csp: value, kind, page, url }).policies.flatMap(({ allowed }, index) =>
      allowed === true ? [] : [index],
    ),
  );
  return [...new Set(found)].sort((a, b) => a - b);
}

/** Whether it is refused by a list whose hosts do not count. */
function isUnderUrlHash(value: string, { kind, url, pages }: SeenLoad<unknown>): boolean {
  return pages.some((page) =>
    allows({ csp: value, kind, page, url }).policies.some(({ why }) => why === "url_hash"),
  );
}

function passes(csp: CompiledCsp, { loads }: Asked<unknown>): boolean {
  return loads.every((load) => allowsLoad(csp, load));
}

/** Whether a value allows a load on any of its pages. */
function touches(csp: CompiledCsp, { loads }: Pick<Asked<unknown>, "loads">): boolean {
  return loads.some((load) => allowsLoad(csp, load));
}

function whyNot(asked: SeenLoad<unknown>, able: readonly string[]): WhyNot {
  if (able.length > 0) return "beside_never";
  const url = readUrl(asked.url);
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
 * URLs may have `*`, quotes or `;` in place of a host, or more characters than any host has. In a source, `*` is a wildcard,
 * and the others mean something else.
 */
function isOfNoHost(url: URL): boolean {
  return isOfNetwork(url) && !HOST_NAME.test(url.hostname);
}

const HOST_NAME = /^(?=.{1,253}\.?$)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?$|^\[/;

/**
 * What can name a URL, the least first that is to be tried. A scheme is written, so that nothing passes over a less secure
 * one; what is not secure passes where it needs none: on pages that are not secure either.
 */
function candidatesFor(written: string, by: Granularity, schemes: readonly string[]): readonly string[] {
  const url = readUrl(written);
  if (url === null || isLoopback(url.hostname) || isOfNoHost(url)) return [];
  if (!isOfNetwork(url)) return schemes.filter((each) => each === url.protocol);
  if (url.protocol === "ws:") return by === "path" ? [] : ["'self'"];
  const origin = url.protocol === "http:" ? url.host : `${url.protocol}//${url.host}`;
  // What would end the source, or the directive, is written as browsers read it.
  const path = url.pathname.replace(/[;,\s]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const exact = path === "/" ? [] : [`${origin}${path}`];
  return by === "path" && exact.length > 0 ? exact : ["'self'", origin, ...exact];
}

function foldedBy<T>(
  wanted: readonly Wanted<T>[],
  fold: (kind: LoadKind, sources: readonly string[]) => ReadonlyMap<string, string>,
): readonly Wanted<T>[] {
  const all = new Map<string, Wanted<T>>();
  for (const those of groupBy(wanted, ({ policy, kind }) => `${policy} ${kind}`).values()) {
    const [{ policy, kind } = { policy: 0, kind: "script" as const }] = those;
    const names = fold(
      kind,
      those.map(({ source }) => source),
    );
    for (const each of those) {
      const source = names.get(each.source) ?? each.source;
      const key = keyOf({ policy, kind, source });
      if (!all.has(key)) all.set(key, { policy, kind, source, asked: [] });
    }
  }
  return [...all.values()].toSorted((a, b) => a.policy - b.policy || (a.source < b.source ? -1 : 1));
}

/** A load on one page that one policy of a value refuses, and the sources that would each let it pass there. */
interface Gap<T> {
  readonly of: T;
  readonly by: Set<Wanted<T>>;
}

function gapsOf<T>(
  value: string,
  wanted: readonly Wanted<T>[],
  accepted: readonly Asked<T>[],
  alone: (kind: LoadKind, source: string) => CompiledCsp,
): readonly Gap<T>[] {
  return accepted.flatMap(({ kind, url, pages, loads, of }) =>
    loads.flatMap((load, at) =>
      allows({ csp: value, kind, page: pages[at] ?? "", url }).policies.flatMap(({ allowed }, policy) => {
        if (allowed === true) return [];
        const host = readUrl(url)?.hostname ?? "";
        const able = wanted.filter(
          (each) =>
            each.policy === policy &&
            each.kind === kind &&
            mayName(each.source, host) &&
            allowsLoad(alone(kind, each.source), load),
        );
        return [{ of, by: new Set(able) }];
      }),
    ),
  );
}

/** A quick look, before the engine is asked. */
function mayName(source: string, host: string): boolean {
  return /^'|\*|:$/.test(source) || source.includes(host);
}

/** Without what is not needed: each of those that are left, something needs. The gaps are left without it, too. */
function minimal<T>(wanted: readonly Wanted<T>[], gaps: readonly Gap<T>[]): readonly Wanted<T>[] {
  const gapsBy = new Map<Wanted<T>, Gap<T>[]>(wanted.map((each) => [each, []]));
  for (const gap of gaps) for (const each of gap.by) gapsBy.get(each)?.push(gap);
  return wanted.filter((each) => {
    const own = gapsBy.get(each) ?? [];
    if (own.some(({ by }) => by.size === 1)) return true;
    for (const { by } of own) by.delete(each);
    return false;
  });
}

/** @param gaps with nothing but what is needed: what only one source closes, asks for that one */
function addedBy<T>(needed: readonly Wanted<T>[], gaps: readonly Gap<T>[]): readonly AddedSource<T>[] {
  const added = new Map<string, { kind: LoadKind; source: string; loads: Set<T> }>();
  const named = ({ kind, source }: Wanted<T>) => `${kind} ${source}`;
  for (const each of needed) added.set(named(each), { ...each, loads: new Set() });
  for (const { of, by } of gaps) {
    const [only] = by;
    if (only !== undefined && by.size === 1) added.get(named(only))?.loads.add(of);
  }
  return [...added.values()].map(({ kind, source, loads }) => ({ kind, source, loads: [...loads] }));
}
