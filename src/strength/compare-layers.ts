import { canonicalSources, diff, directivesAmong, directivesBeside, equal as sameCsp } from "../csp/diff.js";

import { COMPARABLE, KNOWN_FOR_LOADS, valueForm } from "../csp/directives.js";
import { hostWithin } from "../csp/inclusion/comparison.js";
import { includes, includesOn } from "../csp/inclusion/includes.js";
import { witness as differing } from "../csp/inclusion/witness.js";
import { allows } from "../csp/match/allows.js";
import { NETWORK_SCHEMES } from "../csp/match/match-source.js";
import { type Directive, inForce, isDropped, parsedCsp, readSource } from "../csp/syntax.js";
import { coverage } from "../expression/coverage/coverage.js";
import { evaluate } from "../expression/evaluate/evaluate.js";
import { requestOf } from "../expression/evaluate/request.js";
import { equal as sameExpression } from "../expression/spelling/canonical.js";
import { uniform } from "../expression/spelling/render.js";
import { equal, type JsonObject } from "../model/json.js";
import type { PartChange } from "../model/plan.js";
import { rememberedText } from "../model/remembered.js";
import type { Layer, Layers, Witness } from "../model/strength.js";
import { readUrl } from "../model/url.js";
import { listed, type Move, together, type Way } from "./move.js";
import { coverWords, NOTHING, on, onAny } from "./scope-words.js";
import {
  areSameWithin,
  customHostWords,
  isServed,
  outsideWords,
  pagesWhere,
  pagesWhereBoth,
  requestBetween,
  SOME_HOST,
  wayOf,
  withinOwnHosts,
  type ZoneName,
} from "./scopes.js";
import {
  compareBlockingUpgrades,
  compareUpgrades,
  obeyed,
  withoutUpgrade,
  withoutUpgrades,
} from "./upgrades.js";

/** Layers add up, so more of them is stronger. One that changes is compared with what it becomes. */
export function compareLayers(before: Layers, after: Layers, zone: ZoneName): Move | null {
  if (before.beside?.is !== after.beside?.is)
    return { way: "unknown", why: (before.beside ?? after.beside)?.why ?? "" };
  const { removed, added } = differingLayers(before.layers, after.layers);
  const [old, ...otherOld] = removed;
  const [now, ...otherNow] = added;
  if (otherOld.length > 0 || otherNow.length > 0)
    return { way: "unknown", why: "several policies become others" };
  const pair: Pair = {
    before: old ?? null,
    after: now ?? null,
    counts: after.counts ?? "protection",
    sameWithin: zone !== null && old && now && areSameWithin(zone, old.where, now.where) ? zone : null,
  };
  const move = compare(pair);
  if (move === null) return null;
  const named = outsideWords(
    zone,
    [...removed, ...added].map(({ where }) => where),
  );
  const why = named === null ? move.why : `${move.why} (${named})`;
  const { witness = null } = move;
  if (witness?.as !== "load" || old === undefined) return { ...move, why };
  return { ...move, why, witness: inZone(witness, zone, old, pair.after) };
}

function differingLayers(
  before: readonly Layer[],
  after: readonly Layer[],
): { readonly removed: readonly Layer[]; readonly added: readonly Layer[] } {
  return {
    removed: before.filter((layer) => !after.some((each) => isSame(layer, each))),
    added: after.filter((layer) => !before.some((each) => isSame(layer, each))),
  };
}

function isSame(a: Layer, b: Layer): boolean {
  return a.mode === b.mode && sameExpression(a.where, b.where) && sameCsp(obeyed(a), obeyed(b));
}

interface Pair {
  /** Null: it is not there. */
  readonly before: Layer | null;
  readonly after: Layer | null;
  readonly counts: NonNullable<Layers["counts"]>;
  /** The zone on whose own hosts both are for the same requests; null: on none. */
  readonly sameWithin: string | null;
}

function compare(pair: Pair): Move | null {
  const { before, after } = pair;
  const moves = [
    ...compareRestrictions(pair),
    ...(upgradeMove(pair) ?? []),
    ...framingMove(pair),
    ...unknownDirectivesMove(pair),
  ];
  const way = together(moves.map((each) => each.way));
  if (way === null) return null;
  const open = moves.filter((each) => each.way === "unknown");
  const why = [...new Set([...open, ...moves].map((each) => each.why))].join("; ");
  const witness = way === "stronger" || before === null ? null : loadWitness(before, after);
  return { way, why, witness };
}

function upgradeMove({ before, after, counts }: Pair): readonly Move[] | null {
  const move = (counts === "blocking" ? compareBlockingUpgrades : compareUpgrades)(before, after);
  return move && [move];
}

/** What becomes of X-Frame-Options, on the pages that a layer is for. */
function framingMove(pair: Pair): readonly Move[] {
  const [before = null, after = null] = [pair.before, pair.after].map((layer) =>
    layer && isNowhere(layer.where) ? null : layer,
  );
  const pages = before && after ? wayOf(before.where, after.where) : null;
  return [compareFraming(before, after, pages) ?? []].flat();
}

/** A directive that this version does not know may block everything, or nothing, wherever it comes or goes. */
function unknownDirectivesMove({ before, after }: Pair): readonly Move[] {
  const [unknownBefore = null, unknownAfter = null] = [before, after].map((layer) =>
    directivesOn(layer, COMPARABLE),
  );
  if (equal(unknownBefore, unknownAfter)) return [];
  const [was, is] = [unknownBefore, unknownAfter].map((layer) => layer?.csp.split("; ") ?? []);
  const moved = [...(was ?? []), ...(is ?? [])].filter(
    (directive) => !(was?.includes(directive) && is?.includes(directive)),
  );
  const all = moved.length === 0 ? [...(was ?? []), ...(is ?? [])] : moved;
  const names = all.flatMap((directive) => directive.split(" ")[0] ?? []);
  return [{ way: "unknown", why: `the effect of ${listed([...new Set(names)])} is not known` }];
}

/** What may limit loads in ways that this version does not know, and where; null: nothing. */
export function unknownForLoads(layer: Layer): Layer | null {
  return directivesOn(layer, KNOWN_FOR_LOADS);
}

function directivesOn(layer: Layer | null, known: ReadonlySet<string>): Layer | null {
  const csp = layer === null || isNowhere(layer.where) ? "" : directivesBeside(layer.csp, known);
  return layer === null || csp === "" ? null : { ...layer, where: uniform(layer.where), csp };
}

/** What is refused or reported, by layers that do so at all. */
function compareRestrictions(pair: Pair): readonly Move[] {
  const [before, after] = [pair.before, pair.after].map((layer) =>
    layer && restricts(layer) ? layer : null,
  );
  if (!before) return after ? [{ way: "stronger", why: starting(after) }] : [];
  if (!after) return [{ way: "weaker", why: ending(before, pair.after) }];
  return [compareModes, compareCsps, compareWhere].flatMap((each) => each(before, after, pair) ?? []);
}

/** One for no page restricts nothing, nor does one that allows everything. */
export function restricts({ where, csp }: Layer): boolean {
  return !isNowhere(where) && refusesSomething(csp);
}

function isNowhere(where: string): boolean {
  return coverage(where, NOTHING) === "equal";
}

function refusesSomething(csp: string): boolean {
  return includes(withoutUpgrade(csp), "") !== true || directivesBeside(csp, COMPARABLE) !== "";
}

function starting({ mode, where }: Layer): string {
  return `starts to ${DOES[mode]} ${on(where, "page")}`;
}

function ending(removed: Layer, after: Layer | null): string {
  if (after !== null && isNowhere(after.where)) return "on no page any more";
  return `no longer ${DOES[removed.mode]}s ${onAny(removed.where, "page")}`;
}

const DOES = { enforce: "block", report: "report" } as const;

function compareModes(before: Layer, after: Layer): Move | null {
  if (before.mode === after.mode) return null;
  return after.mode === "enforce"
    ? { way: "stronger", why: "from reporting to blocking" }
    : { way: "weaker", why: "from blocking to reporting" };
}

function compareWhere({ where: before }: Layer, { where: after }: Layer, { sameWithin }: Pair): Move | null {
  const way = wayOf(before, after);
  if (way === null) return null;
  if (sameWithin === null || way === "stronger") return { way, why: coverWords(way, before, after, "page") };
  return { way: "unknown", why: customHostWords(sameWithin) };
}

/** What they allow on the pages that both are for. Of what is blocked, upgrades count as what they make of loads. */
function compareCsps(old: Layer, now: Layer, { counts }: Pair): Move | null {
  const [before, after] = (
    counts === "blocking" ? ([obeyed(old), obeyed(now)] as const) : withoutUpgrades(old, now)
  ).map((csp) => directivesAmong(csp, COMPARABLE)) as [string, string]; // as many as there were
  const pages = pagesWhereBoth(old.where, now.where);
  const way = wayOfCsps(includesOn(pages, after, before), includesOn(pages, before, after));
  return way === null ? null : { way, why: cspWords(way, before, after) };
}

/**
 * What surely allows all that there was is no stronger, whether or not it allows more: where that is not known, it
 * counts as weaker.
 */
function wayOfCsps(allowsAll: boolean | "unknown", allowedAll: boolean | "unknown"): Way | null {
  if (allowsAll === true) return allowedAll === true ? null : "weaker";
  if (allowedAll === true) return "stronger";
  return allowsAll === false && allowedAll === false ? "mixed" : "unknown";
}

/**
 * What a change does to X-Frame-Options, which browsers pass over on pages with an enforced frame-ancestors (HTML: "the
 * X-Frame-Options header" is not checked where the CSP list has one). What a site's own header says is not known here, so
 * where it stops or starts to count, it may have been the stricter of the two. Nobody is stricter than `'none'`.
 *
 * @param pages whether the layer is on more pages or fewer; null: on the same ones
 */
function compareFraming(before: Layer | null, after: Layer | null, pages: Way | null): Move | null {
  const [did, does] = [framing(before), framing(after)];
  const isMore = did === "by header" || (pages !== null && pages !== "weaker");
  if (does === "by some" && isMore) return { way: "unknown", why: PASSED_OVER };
  const isLess = does === "by header" || (pages !== null && pages !== "stronger");
  return did === "by some" && isLess ? { way: "unknown", why: COUNTS_AGAIN } : null;
}

const PASSED_OVER = "an enforced frame-ancestors switches X-Frame-Options off, which may have been stricter";
const COUNTS_AGAIN =
  "without an enforced frame-ancestors X-Frame-Options counts again, of which nothing is known";

/** Who may frame a page: whom X-Frame-Options allows, nobody, or some. */
type Framing = "by header" | "by nobody" | "by some";

function framing(layer: Layer | null): Framing {
  return layer === null || layer.mode === "report" ? "by header" : framingOf(layer.csp);
}

const framingOf = rememberedText((csp): Framing => {
  const lists = parsedCsp(csp).policies.flatMap((policy) => inForce(policy).get("frame-ancestors") ?? []);
  const obeyed = lists.filter((directive) => !isDropped(directive));
  if (obeyed.length === 0) return "by header";
  const isOfNobody = obeyed.some((directive) => canonicalSources(directive).length === 0);
  return isOfNobody ? "by nobody" : "by some";
});

/** What a change of a CSP means, directive by directive: `script-src also allows cdn.example.net`. */
function cspWords(way: Way, before: string, after: string): string {
  const parts = sortedBy(diff(before, after), ({ part }) => minority(nameOf(part)));
  const names = listed(parts.map(({ part }) => part));
  if (way === "unknown") return `whether less is allowed cannot be decided (${names})`;
  const sides = { before: directivesOf(before), after: directivesOf(after) };
  const words = parts.flatMap((part) => partWords(part, way, sides));
  return words.length === 0 ? IN_GENERAL[way] : listed(words, "; ");
}

/** What matters less comes later, as the last ones of many are left out: what runs nothing last of all. */
function minority(directive: string): number {
  if (/^(?:script|default)-src/.test(directive)) return 0;
  return /^(?:style|img|font|media|manifest|prefetch)-src/.test(directive) ? 2 : 1;
}

/** Likewise of sources: all of a network and of what is inline first, then what has more hosts. */
function narrowness(source: string): number {
  const read = readSource(source);
  switch (read.form) {
    case "scheme":
      return NETWORK_SCHEMES.has(read.scheme) ? 0 : 1;
    case "keyword":
      return /unsafe|dynamic/.test(read.keyword) ? 1 : Infinity;
    case "host":
      if (read.host === "*") return 0;
      return read.host.startsWith("*") ? read.host.split(".").length : Infinity;
    default:
      return Infinity;
  }
}

function listedSources(sources: readonly string[]): string {
  return listed(sortedBy(sources, narrowness));
}

/** What is alike stays in its order. */
function sortedBy<Each>(all: readonly Each[], key: (each: Each) => number): readonly Each[] {
  return [...all].sort((a, b) => (key(a) === key(b) ? 0 : key(a) - key(b)));
}

const IN_GENERAL = { weaker: "more is allowed", stronger: "less is allowed", mixed: "other is allowed" };

function partWords(
  { part, change, added, removed }: PartChange,
  way: Exclude<Way, "unknown">,
  sides: { readonly before: Directives; readonly after: Directives },
): readonly string[] {
  if (REPORTING.has(nameOf(part))) return [];
  if (change === "removed") return [`${part} removed`];
  if (change === "added")
    return [added.length === 0 ? `${part} added` : `${part} added: ${listedSources(added)}`];
  if (valueForm(nameOf(part)) !== "sources") return [`${part} changed`];
  const gained = way === "stronger" ? [] : allowing(added, sides.before.get(part));
  const lost = way === "weaker" ? [] : allowing(removed, sides.after.get(part));
  const says = [
    ...(gained.length === 0 ? [] : [`also allows ${listedSources(gained)}`]),
    ...(lost.length === 0 ? [] : [`no longer allows ${listedSources(lost)}`]),
  ];
  return says.length === 0 ? [] : [`${part} ${says.join(", and ")}`];
}

/** They say where reports go. */
const REPORTING: ReadonlySet<string> = new Set(["report-to", "report-uri"]);

/** Of `policy 2: img-src` the directive. */
function nameOf(part: string): string {
  return part.slice(part.lastIndexOf(" ") + 1);
}

type Directives = ReadonlyMap<string, Directive>;

/** By the names that `diff` gives them. */
function directivesOf(csp: string): Directives {
  return new Map(
    parsedCsp(csp).policies.flatMap((policy, at) =>
      [...inForce(policy)].map(
        ([name, directive]) => [at === 0 ? name : `policy ${at + 1}: ${name}`, directive] as const,
      ),
    ),
  );
}

/** Those that the other side does not allow anyway. */
function allowing(sources: readonly string[], other: Directive | undefined): readonly string[] {
  const some = sources.filter((source) => source.toLowerCase() !== "'none'");
  if (other === undefined || some.length > MOST_TRIED) return some;
  return some.filter((source) => !isNeedless(source, other));
}

/** More of them are listed as they are. */
const MOST_TRIED = 20;

/** Of what is in quotes, most says how the rest is meant, and allows nothing by itself. */
function isNeedless(source: string, { name, sources }: Directive): boolean {
  if (source.startsWith("'") && source.toLowerCase() !== "'self'") return false;
  const all = [name, ...sources.map(({ text }) => text)].join(" ");
  return includes(all, `${name} ${source}`) === true;
}

type Load = Extract<Witness, { readonly as: "load" }>;

/**
 * A load on a page that a layer stopped, and what it has become does not; null where none is found. After null, the
 * layer is gone. Only what the evaluators confirm is shown.
 */
function loadWitness(before: Layer, after: Layer | null): Load | null {
  return loadOn(pagesOf(before.where, after), before, after);
}

/** The same load, or another one, on a page that the zone can serve; null where none is found. */
function inZone(load: Load, zone: ZoneName, before: Layer, after: Layer | null): Load | null {
  if (zone === null) return load;
  const wheres = [before, ...(after === null ? [] : [after])].map(({ where }) => where);
  const isThere = ({ page }: Load) => isServed(zone, new URL(page).hostname, wheres);
  const found = [movedTo(zone, load), load].find((each) => isThere(each) && isLost(each, before, after));
  if (found !== undefined) return found;
  const pages = withinOwnHosts(before.where, zone).flatMap((where) => pagesOf(where, after));
  const own = loadOn(pages, before, after);
  return own !== null && isThere(own) ? own : null;
}

/** Where the page was on some host, on a page of that one. */
function movedTo(host: string, load: Load): Load {
  const { hostname, origin } = new URL(load.page);
  if (hostname !== SOME_HOST) return load;
  const own = origin.replace(SOME_HOST, host);
  const move = (url: string) => url.replace(origin, own).replace(`//${SOME_HOST}/`, `//${host}/`);
  return { ...load, page: move(load.page), url: move(load.url) };
}

function loadOn(pages: readonly string[], before: Layer, after: Layer | null): Load | null {
  const heir = after !== null && takesOver(after, before) ? after : null;
  for (const page of pages) {
    if (appliesTo(before, page) !== true) continue;
    const stays = heir !== null && appliesTo(heir, page) !== false ? obeyed(heir) : "";
    const found = differing(obeyed(before), stays, [page]);
    if (found === null) continue;
    const load: Load = { as: "load", kind: found.kind, page, url: found.url };
    if (isLost(load, before, after)) return load;
  }
  return null;
}

/** Whether a layer stopped a load for sure, and what it has become lets it pass for sure. */
function isLost(load: Load, before: Layer, after: Layer | null): boolean {
  if (appliesTo(before, load.page) !== true || allowsIn(before, load) !== false) return false;
  if (after === null || !takesOver(after, before)) return true;
  return appliesTo(after, load.page) === false || allowsIn(after, load) === true;
}

function allowsIn(layer: Layer, { kind, page, url }: Load): boolean | "unknown" {
  return allows({ csp: obeyed(layer), kind, page, url }).allowed;
}

/** What reports takes nothing over from what blocks. */
function takesOver(after: Layer, before: Layer): boolean {
  return after.mode === before.mode || after.mode === "enforce";
}

/**
 * Pages that were left, then such as were there before: over https: where that may be and then over http:, and on each
 * host that the expression names.
 */
function pagesOf(where: string, after: Layer | null): readonly string[] {
  const left = after === null ? null : requestBetween(where, after.where);
  const found = [left, requestBetween(where, NOTHING)].flatMap((request) => pageOf(request) ?? []);
  const hosts = (pagesWhere(where).hosts ?? []).map(hostWithin);
  const pages = found.flatMap((page) => [page, ...hosts.map((host) => onHost(host, page))]);
  return [...new Set(pages.flatMap((page) => [page, page.replace(/^https:/, "http:")]))];
}

function onHost(host: string, page: string): string {
  const { protocol, pathname, search } = new URL(page);
  return `${protocol}//${host}${pathname}${search}`;
}

/** A page's URL that a request could be for. */
function pageOf(request: JsonObject | null): string | null {
  if (request === null) return null;
  const text = (field: string) => {
    const value = request[field] ?? request[`raw.${field}`];
    return typeof value === "string" ? value : "";
  };
  const full = text("http.request.full_uri");
  const path = text("http.request.uri") || `${text("http.request.uri.path")}${queryOf(text)}`;
  const scheme = request.ssl === false ? "http" : "https";
  const host = text("http.host") || SOME_HOST;
  const url = full || `${scheme}://${host}${path.startsWith("/") ? "" : "/"}${path}`;
  return readUrl(url)?.href ?? null;
}

function queryOf(text: (field: string) => string): string {
  const query = text("http.request.uri.query");
  return query === "" ? "" : `?${query}`;
}

/** Pages are asked for with GET. What else there is in a request, a URL does not tell. */
function appliesTo({ where }: Layer, page: string): boolean | "unknown" {
  const request = requestOf(page, { method: "GET" });
  return request.ok ? evaluate(where, request.value) : "unknown";
}
