import { witness as differing } from "../csp/inclusion/witness.js";
import { allows } from "../csp/match/allows.js";
import { evaluate } from "../expression/evaluate/evaluate.js";
import { requestOf } from "../expression/evaluate/request.js";
import type { JsonObject } from "../model/json.js";
import type { Layer, Witness } from "../model/strength.js";
import { readUrl } from "../model/url.js";
import { requestBetween, SOME_HOST } from "./compare-scopes.js";
import { NOTHING } from "./places.js";

/**
 * A load on a page that a layer stopped, and what it has become does not; null where none is found. After null, the
 * layer is gone. Only what the evaluators confirm is shown.
 */
export function loadWitness(before: Layer, after: Layer | null): Witness | null {
  const heir = after !== null && takesOver(after, before) ? after : null;
  for (const page of pagesOf(before, heir)) {
    if (appliesTo(before, page) !== true) continue;
    const stays = heir !== null && appliesTo(heir, page) !== false ? heir.csp : "";
    const found = differing(before.csp, stays, [page]);
    if (found === null) continue;
    const { kind, url } = found;
    const stops = (csp: string) => !allows({ csp, kind, page, url }).allowed;
    if (stops(before.csp) && !stops(stays)) return { as: "load", kind, page, url };
  }
  return null;
}

type Load = Extract<Witness, { readonly as: "load" }>;

/** The same load on a page of that host, where the page was on some host and the evaluators confirm it. */
export function onHost(load: Load, host: string, before: readonly Layer[], after: readonly Layer[]): Load {
  const moved = { ...load, page: movedTo(host, load.page), url: movedTo(host, load.url) };
  const isStopped = (layers: readonly Layer[], mode: Layer["mode"]) =>
    layers.some((layer) => layer.mode === mode && stops(layer, moved));
  const isLost = (["enforce", "report"] as const).some(
    (mode) => isStopped(before, mode) && !isStopped(after, mode) && !isStopped(after, "enforce"),
  );
  return isLost ? moved : load;
}

function movedTo(host: string, url: string): string {
  const { protocol, hostname, pathname, search } = new URL(url);
  const moved = `${protocol}//${host}${pathname}${search}`;
  return hostname === SOME_HOST && readUrl(moved) !== null ? moved : url;
}

/** Where that is not known, no. */
function stops(layer: Layer, { kind, page, url }: Load): boolean {
  return appliesTo(layer, page) === true && !allows({ csp: layer.csp, kind, page, url }).allowed;
}

/** What reports takes nothing over from what blocks. */
function takesOver(after: Layer, before: Layer): boolean {
  return after.mode === before.mode || after.mode === "enforce";
}

/** Pages that were left, then such as were there before. */
function pagesOf({ where }: Layer, after: Layer | null): readonly string[] {
  const left = after === null ? null : requestBetween(where, after.where);
  const pages = [left, requestBetween(where, NOTHING)].flatMap((request) => pageOf(request) ?? []);
  return [...new Set(pages)];
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
