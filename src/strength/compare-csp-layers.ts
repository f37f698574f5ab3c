import { canonicalSources, directivesAmong, directivesBeside, equal as sameCsp } from "../csp/canonical.js";
import { COMPARABLE, KNOWN_FOR_LOADS } from "../csp/directives.js";
import { hostWithin } from "../csp/inclusion/comparison.js";
import { includes, includesOn } from "../csp/inclusion/includes.js";
import { witness as differingLoad } from "../csp/inclusion/witness.js";
import { allows } from "../csp/match/allows.js";
import { inForce, isDropped, parsedCsp } from "../csp/syntax.js";
import { evaluate } from "../expression/evaluate/evaluate.js";
import { requestOf } from "../expression/evaluate/request.js";
import { equal as sameExpression } from "../expression/spelling/canonical.js";
import { uniform } from "../expression/spelling/render.js";
import { equal, type JsonObject } from "../model/json.js";
import { rememberedText } from "../model/remembered.js";
import type { Layer, Layers, Witness } from "../model/strength.js";
import { readUrl } from "../model/url.js";
import { cspWords, endWords, startWords } from "./csp-layer-words.js";
import { combinedWay, listText, type Move, reasonOf, type Way } from "./move.js";
import { coverWords, isNowhere, NOTHING } from "./scope-words.js";
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
  obeyedCsp,
  withoutUpgrade,
  withoutUpgrades,
} from "./upgrades.js";

/** Layers add up, so more layers are stronger. A changed layer is compared with its new form. */
export function compareLayers(before: Layers, after: Layers, zone: ZoneName): Move | null {
  if (before.beside?.is !== after.beside?.is)
    return { way: "unknown", why: (before.beside ?? after.beside)?.why ?? "" };
  const { removed, added } = differingLayers(before.layers, after.layers);
  const [old, ...otherOld] = removed;
  const [next, ...otherNow] = added;
  if (otherOld.length > 0 || otherNow.length > 0)
    return { way: "unknown", why: "several policies change at once" };
  const pair: Pair = {
    before: old ?? null,
    after: next ?? null,
    counts: after.counts ?? "protection",
    sameWithin: zone !== null && old && next && areSameWithin(zone, old.where, next.where) ? zone : null,
  };
  const move = compare(pair);
  if (move === null) return null;
  const outsideHosts = outsideWords(
    zone,
    [...removed, ...added].map(({ where }) => where),
  );
  const { way, why, facts = [why], witness = null } = move;
  const reason = reasonOf(way, outsideHosts === null ? facts : noted(facts, outsideHosts));
  if (witness?.as !== "load" || old === undefined) return { way, ...reason, witness };
  return { way, ...reason, witness: inZone(witness, zone, old, pair.after) };
}

/** Facts with a note behind the last one. */
function noted(facts: readonly string[], note: string): readonly string[] {
  return [...facts.slice(0, -1), `${facts.at(-1) ?? ""} (${note})`];
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
  return a.mode === b.mode && sameExpression(a.where, b.where) && sameCsp(obeyedCsp(a), obeyedCsp(b));
}

interface Pair {
  /** Null: the layer does not exist on this side. */
  readonly before: Layer | null;
  readonly after: Layer | null;
  readonly counts: NonNullable<Layers["counts"]>;
  /** The zone on whose own hosts both layers match the same requests. Null: there is no such zone. */
  readonly sameWithin: string | null;
}

function compare(pair: Pair): Move | null {
  const { before, after } = pair;
  const moves = [
    ...compareRestrictions(pair),
    ...[upgradeMove(pair), framingMove(pair), unknownDirectivesMove(pair)].filter((each) => each !== null),
  ];
  const way = combinedWay(moves.map((each) => each.way));
  if (way === null) return null;
  const open = moves.filter((each) => each.way === "unknown");
  const facts = [...new Set([...open, ...moves].map((each) => each.why))];
  const witness = way === "stronger" || before === null ? null : loadWitness(before, after);
  return { way, ...reasonOf(way, facts), witness };
}

function upgradeMove({ before, after, counts }: Pair): Move | null {
  return (counts === "blocking" ? compareBlockingUpgrades : compareUpgrades)(before, after);
}

/** The effect on X-Frame-Options, on the pages of a layer. */
function framingMove(pair: Pair): Move | null {
  const [before = null, after = null] = [pair.before, pair.after].map((layer) =>
    layer && isNowhere(layer.where) ? null : layer,
  );
  const pages = before && after ? wayOf(before.where, after.where) : null;
  return compareFraming(before, after, pages);
}

/** An unknown directive may block everything or nothing, so adding or removing one has an unknown effect. */
function unknownDirectivesMove({ before, after }: Pair): Move | null {
  const [unknownBefore = null, unknownAfter = null] = [before, after].map((layer) =>
    directivesOn(layer, COMPARABLE),
  );
  if (equal(unknownBefore, unknownAfter)) return null;
  const [old = [], next = []] = [unknownBefore, unknownAfter].map((layer) => layer?.csp.split("; ") ?? []);
  const moved = [...old, ...next].filter((each) => !(old.includes(each) && next.includes(each)));
  const directives = moved.length === 0 ? [...old, ...next] : moved;
  const names = directives.flatMap((directive) => directive.split(" ")[0] ?? []);
  return { way: "unknown", why: `the effect of ${listText([...new Set(names)])} is unknown` };
}

/** The directives that may limit loads in ways unknown to this version, and their pages. Null: there are none. */
export function unknownForLoads(layer: Layer): Layer | null {
  return directivesOn(layer, KNOWN_FOR_LOADS);
}

function directivesOn(layer: Layer | null, knownNames: ReadonlySet<string>): Layer | null {
  const csp = layer === null || isNowhere(layer.where) ? "" : directivesBeside(layer.csp, knownNames);
  return layer === null || csp === "" ? null : { ...layer, where: uniform(layer.where), csp };
}

/** Compares only layers that refuse or report something. */
function compareRestrictions(pair: Pair): readonly Move[] {
  const [before, after] = [pair.before, pair.after].map((layer) =>
    layer && restricts(layer) ? layer : null,
  );
  if (!before) return after ? [{ way: "stronger", why: startWords(after) }] : [];
  if (!after) return [{ way: "weaker", why: endWords(before, pair.after) }];
  return [compareModes, compareCsps, compareWhere].flatMap((each) => each(before, after, pair) ?? []);
}

/** A layer for no page restricts nothing. Neither does a layer that allows everything. */
export function restricts({ where, csp }: Layer): boolean {
  return !isNowhere(where) && refusesSomething(csp);
}

function refusesSomething(csp: string): boolean {
  return includes(withoutUpgrade(csp), "") !== true || directivesBeside(csp, COMPARABLE) !== "";
}

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

/** Compares the sources allowed on the pages of both. For blocking, upgraded loads count in their upgraded form. */
function compareCsps(old: Layer, next: Layer, { counts }: Pair): Move | null {
  const [before, after] = (
    counts === "blocking" ? ([obeyedCsp(old), obeyedCsp(next)] as const) : withoutUpgrades(old, next)
  ).map((csp) => directivesAmong(csp, COMPARABLE)) as [string, string];
  const pages = pagesWhereBoth(old.where, next.where);
  const way = wayOfCsps(includesOn(pages, after, before), includesOn(pages, before, after));
  return way === null ? null : { way, why: cspWords(way, before, after) };
}

/**
 * A policy that allows everything from before is not stronger. If it is unknown whether it also allows more, it counts
 * as weaker.
 */
function wayOfCsps(allowsAll: boolean | "unknown", allowedAll: boolean | "unknown"): Way | null {
  if (allowsAll === true) return allowedAll === true ? null : "weaker";
  if (allowedAll === true) return "stronger";
  return allowsAll === false && allowedAll === false ? "mixed" : "unknown";
}

/**
 * The effect of a change on X-Frame-Options. Browsers ignore that header on pages with an enforced frame-ancestors
 * (HTML: "the X-Frame-Options header" is not checked where the CSP list has one). The site's own header is unknown
 * here, so it may be the stricter of the two. Nothing is stricter than `'none'`.
 *
 * @param pages whether the layer covers more pages or fewer; null: the same pages
 */
function compareFraming(before: Layer | null, after: Layer | null, pages: Way | null): Move | null {
  const [framingBefore, framingAfter] = [framing(before), framing(after)];
  const isMore = framingBefore === "by header" || (pages !== null && pages !== "weaker");
  if (framingAfter === "by some" && isMore) return { way: "unknown", why: PASSED_OVER };
  const isLess = framingAfter === "by header" || (pages !== null && pages !== "stronger");
  return framingBefore === "by some" && isLess ? { way: "unknown", why: COUNTS_AGAIN } : null;
}

const PASSED_OVER = "an enforced frame-ancestors overrides X-Frame-Options, which may be stricter";
const COUNTS_AGAIN = "without an enforced frame-ancestors, X-Frame-Options applies again: value unknown";

/** Who may frame a page: decided by X-Frame-Options, no site, or some sites. */
type Framing = "by header" | "by none" | "by some";

function framing(layer: Layer | null): Framing {
  return layer === null || layer.mode === "report" ? "by header" : framingOf(layer.csp);
}

const framingOf = rememberedText((csp): Framing => {
  const lists = parsedCsp(csp).policies.flatMap((policy) => inForce(policy).get("frame-ancestors") ?? []);
  const effective = lists.filter((directive) => !isDropped(directive));
  if (effective.length === 0) return "by header";
  const isNone = effective.some((directive) => canonicalSources(directive).length === 0);
  return isNone ? "by none" : "by some";
});

type Load = Extract<Witness, { readonly as: "load" }>;

/**
 * A load on a page that the layer stopped before and does not stop after. Null: none is found, or a null layer after
 * means that the layer is gone. Only loads confirmed by the evaluators are returned.
 */
function loadWitness(before: Layer, after: Layer | null): Load | null {
  return loadOn(pagesOf(before.where, after), before, after);
}

/** A witness on a page that the zone can serve: the same load if possible. Null: none is found. */
function inZone(load: Load, zone: ZoneName, before: Layer, after: Layer | null): Load | null {
  if (zone === null) return load;
  const wheres = [before, ...(after === null ? [] : [after])].map(({ where }) => where);
  const isThere = ({ page }: Load) => isServed(zone, new URL(page).hostname, wheres);
  const confirmed = [movedTo(zone, load), load].find((each) => isThere(each) && isLost(each, before, after));
  if (confirmed !== undefined) return confirmed;
  const pages = withinOwnHosts(before.where, zone).flatMap((where) => pagesOf(where, after));
  const loadOnOwnHost = loadOn(pages, before, after);
  return loadOnOwnHost !== null && isThere(loadOnOwnHost) ? loadOnOwnHost : null;
}

/** A page on the placeholder host is moved to the given host. */
function movedTo(host: string, load: Load): Load {
  const { hostname, origin } = new URL(load.page);
  if (hostname !== SOME_HOST) return load;
  const newOrigin = origin.replace(SOME_HOST, host);
  const move = (url: string) => url.replace(origin, newOrigin).replace(`//${SOME_HOST}/`, `//${host}/`);
  return { ...load, page: move(load.page), url: move(load.url) };
}

function loadOn(pages: readonly string[], before: Layer, after: Layer | null): Load | null {
  const heir = after !== null && takesOver(after, before) ? after : null;
  for (const page of pages) {
    if (appliesTo(before, page) !== true) continue;
    const stays = heir !== null && appliesTo(heir, page) !== false ? obeyedCsp(heir) : "";
    const difference = differingLoad(obeyedCsp(before), stays, [page]);
    if (difference === null) continue;
    const load: Load = { as: "load", kind: difference.kind, page, url: difference.url };
    if (isLost(load, before, after)) return load;
  }
  return null;
}

/** Whether the layer surely stopped the load before, and surely lets it pass after. */
function isLost(load: Load, before: Layer, after: Layer | null): boolean {
  if (appliesTo(before, load.page) !== true || allowsIn(before, load) !== false) return false;
  if (after === null || !takesOver(after, before)) return true;
  return appliesTo(after, load.page) === false || allowsIn(after, load) === true;
}

function allowsIn(layer: Layer, { kind, page, url }: Load): boolean | "unknown" {
  return allows({ csp: obeyedCsp(layer), kind, page, url }).allowed;
}

/** A reporting layer takes nothing over from a blocking layer. */
function takesOver(after: Layer, before: Layer): boolean {
  return after.mode === before.mode || after.mode === "enforce";
}

/**
 * Example pages: first pages that the layer left, then pages that it covered before. Each comes over https: and http:,
 * and on each host that the expression names.
 */
function pagesOf(where: string, after: Layer | null): readonly string[] {
  const lostRequest = after === null ? null : requestBetween(where, after.where);
  const examples = [lostRequest, requestBetween(where, NOTHING)].flatMap((request) => pageOf(request) ?? []);
  const hosts = (pagesWhere(where).hosts ?? []).map(hostWithin);
  const pages = examples.flatMap((page) => [page, ...hosts.map((host) => onHost(host, page))]);
  return [...new Set(pages.flatMap((page) => [page, page.replace(/^https:/, "http:")]))];
}

function onHost(host: string, page: string): string {
  const { protocol, pathname, search } = new URL(page);
  return `${protocol}//${host}${pathname}${search}`;
}

/** The URL of a page that the request could load. */
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

/** Browsers request pages with GET. A URL tells nothing else about the request. */
function appliesTo({ where }: Layer, page: string): boolean | "unknown" {
  const request = requestOf(page, { method: "GET" });
  return request.ok ? evaluate(where, request.value) : "unknown";
}
