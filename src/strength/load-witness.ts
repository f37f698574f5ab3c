import { hostWithin } from "../csp/inclusion/comparison.js";
import { witness as differing } from "../csp/inclusion/witness.js";
import { allows } from "../csp/match/allows.js";
import { evaluate } from "../expression/evaluate/evaluate.js";
import { requestOf } from "../expression/evaluate/request.js";
import type { JsonObject } from "../model/json.js";
import type { Layer, Witness } from "../model/strength.js";
import { readUrl } from "../model/url.js";
import { NOTHING } from "./scope-words.js";
import { isServed, pagesWhere, requestBetween, SOME_HOST, withinOwnHosts, type ZoneName } from "./scopes.js";
import { obeyed } from "./upgrades.js";

type Load = Extract<Witness, { readonly as: "load" }>;

/**
 * A load on a page that a layer stopped, and what it has become does not; null where none is found. After null, the
 * layer is gone. Only what the evaluators confirm is shown.
 */
export function loadWitness(before: Layer, after: Layer | null): Load | null {
  return loadOn(pagesOf(before.where, after), before, after);
}

/** The same load, or another one, on a page that the zone can serve; null where none is found. */
export function inZone(load: Load, zone: ZoneName, before: Layer, after: Layer | null): Load | null {
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
  if (appliesTo(before, load.page) !== true || !refuses(before, load)) return false;
  if (after === null || !takesOver(after, before)) return true;
  return appliesTo(after, load.page) === false || !refuses(after, load);
}

function refuses(layer: Layer, { kind, page, url }: Load): boolean {
  return !allows({ csp: obeyed(layer), kind, page, url }).allowed;
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
