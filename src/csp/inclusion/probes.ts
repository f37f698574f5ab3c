import { type Attempt, prepare } from "../match/attempt.js";
import type { CompiledCsp, SourceList } from "../match/compile.js";
import { decidingList } from "../match/compile.js";
import { EFFECTIVE } from "../match/fallback.js";
import type { UrlSource } from "../match/match-source.js";
import type { Source } from "../parse.js";
import { readSource } from "../source.js";
import { uncoveredSources } from "./covers-list.js";
import { passes, type UrlCheck, upgradesOf, urlPart } from "./url-checks.js";

/** A load to try, without what is the same for all of them. */
export type Probe = Omit<Attempt, "csp" | "kind">;

/** Pages that stand for any: what is allowed on both can still differ on another. */
export const ANY_PAGES = ["https://page.example/", "http://page.example/"];

/** One that `wide` allows and `narrow` refuses; null where none was found. */
export function findProbe(
  check: UrlCheck,
  narrow: CompiledCsp,
  wide: CompiledCsp,
  pages: readonly string[],
): Probe | null {
  const isConnection = check.effective === EFFECTIVE.connection;
  for (const probe of probes(check, narrow, wide, pages)) {
    if (!isConnection && /^wss?:/.test(probe.url)) continue; // whatever a list says, nothing else uses them
    const load = prepare({ ...probe, kind: isConnection ? "connection" : "script" });
    if (passes(check, wide, load) && !passes(check, narrow, load)) return probe;
  }
  return null;
}

/**
 * Loads that may tell two values apart: made from what `wide` has and no source of `narrow` covers, the plain ones
 * first.
 */
function* probes(
  check: UrlCheck,
  narrow: CompiledCsp,
  wide: CompiledCsp,
  pages: readonly string[],
): Generator<Probe> {
  const upgrades = upgradesOf(check, narrow, wide);
  const overs = listsOf(narrow, check).slice(0, MOST_POLICIES);
  const unders = listsOf(wide, check).slice(0, MOST_POLICIES);
  for (const over of overs) {
    for (const under of unders) {
      const { urls, hasSelf } = uncoveredSources(urlPart(check, over), urlPart(check, under), upgrades);
      const shown = urls.slice(0, mostSources(over, under));
      for (const page of pages) {
        for (const url of shown.flatMap((source) => urlsOf(source, page))) yield { page, url };
        if (hasSelf) yield* ownUrls(page).map((url) => ({ page, url }));
      }
      if (check.trusts !== "nothing") yield* trusted(over, under, pages);
    }
    for (const page of pages) for (const url of UNLISTED) yield { page, url };
    for (const page of pages) for (const url of ownUrls(page)) yield { page, url };
  }
}

const MOST_POLICIES = 50;

function listsOf(csp: CompiledCsp, { effective }: UrlCheck): readonly SourceList[] {
  return csp.policies.flatMap(({ lists }) => decidingList(lists, effective) ?? []);
}

/** Each probe is compared with all sources: the more there are, the fewer are tried. */
function mostSources(over: SourceList, under: SourceList): number {
  return Math.max(20, Math.floor(200_000 / (over.urls.length + under.urls.length + 1)));
}

function urlsOf(source: UrlSource, page: string): readonly string[] {
  const pageScheme = page.startsWith("http:") ? "http" : "https";
  const scheme = source.scheme ?? pageScheme;
  if (!NETWORK.has(scheme)) return source.host === null ? [NO_HOST[scheme] ?? `${scheme}:probe`] : [];
  const schemes = [scheme, ...(ALSO[scheme] ?? [])];
  const host = source.host?.match === "exact" ? source.host.text : `probe${source.host?.text || ".example"}`;
  const ports = source.host === null || source.port === "*" ? ["", ":8443", ":4433"] : [portOf(source)];
  const paths = pathsOf(source.path);
  return schemes.flatMap((each) =>
    ports.flatMap((port) => paths.map((path) => `${each}://${host}${port}${path}`)),
  );
}

function portOf({ port }: UrlSource): string {
  return port === null ? "" : `:${port}`;
}

function pathsOf(path: string): readonly string[] {
  const written = encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23");
  if (path === "") return ["/probe.js", "/"];
  return path.endsWith("/") ? [`${written}probe.js`, written] : [written];
}

function ownUrls(page: string): readonly string[] {
  const { host, origin, protocol } = new URL(page);
  const socket = protocol === "http:" ? "ws" : "wss";
  return [`${origin}/probe.js`, `${socket}://${host}/probe`, `https://${host}/probe.js`];
}

/** A nonce, a hash or an inserting script allows any URL. */
function trusted(over: SourceList, under: SourceList, pages: readonly string[]): readonly Probe[] {
  const nonces = [...under.nonces.keys()].filter((nonce) => !over.nonces.has(nonce));
  const hashes = [...under.hashes].filter(([hash]) => !over.hashes.has(hash)).map(([, source]) => source);
  const ways: Omit<Probe, "page" | "url">[] = [
    ...nonces.slice(0, MOST_TRUSTED).map((nonce) => ({ nonce })),
    ...hashes.slice(0, MOST_TRUSTED).map((source) => ({ integrity: integrityOf(source) })),
    { inserted: "script" },
  ];
  return pages.flatMap((page) => UNLISTED.flatMap((url) => ways.map((way) => ({ ...way, page, url }))));
}

const MOST_TRUSTED = 20;

function integrityOf({ text }: Source): string {
  const read = readSource(text);
  return read.form === "hash" ? `${read.algorithm}-${read.digest}` : "";
}

const NETWORK: ReadonlySet<string> = new Set(["http", "https", "ws", "wss"]);

/** What a source may also match, or what is upgraded to it. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  http: ["https"],
  https: ["http"],
  ws: ["wss"],
  wss: ["ws"],
};

const NO_HOST: Readonly<Record<string, string>> = {
  data: "data:text/javascript,1",
  blob: "blob:https://page.example/00000000-0000-4000-8000-000000000000",
};

/** URLs that a value names only by chance. */
const UNLISTED = [
  "https://unlisted.example/probe.js",
  "http://unlisted.example/probe.js",
  "https://unlisted.example:8443/probe.js",
  "wss://unlisted.example/probe",
  "ws://unlisted.example/probe",
  "data:text/javascript,1",
];
