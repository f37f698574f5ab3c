import { ANY_PAGES, type PageHost, type PageScheme, type Pages } from "../csp/inclusion/comparison.js";
import { consistentValues } from "../expression/coverage/consistent-values.js";
import { coverage, witness } from "../expression/coverage/coverage.js";
import { evaluate } from "../expression/evaluate/evaluate.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { constantNamed } from "../expression/tables/fields.js";
import type { Comparison, Expression, Value } from "../expression/tree.js";
import { fromBytes } from "../expression/value.js";
import { fieldsOf } from "../expression/visit.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { rememberedText } from "../model/remembered.js";
import type { Witness } from "../model/strength.js";
import { readUrl } from "../model/url.js";
import { listText, type Move, type Way } from "./move.js";
import { coverWords, hostWords, NOTHING, on, onAny } from "./scope-words.js";

/** An expression that matches more requests is stronger. */
export function compareScopes(before: string, after: string, zone: ZoneName): Move | null {
  const way = wayOf(before, after);
  if (way === null) return null;
  if (zone !== null && way !== "stronger" && areSameWithin(zone, before, after))
    return { way: "unknown", why: customHostWords(zone) };
  const witness = requestWitness(before, after, way, zone);
  return { way, why: coverWords(way, before, after, "request"), witness };
}

/** A scope that appears or disappears with its object. */
export function scopeAlone(where: string, way: "stronger" | "weaker", zone: ZoneName): Move {
  if (way === "stronger") return { way, why: `now ${on(where, "request")}` };
  const witness = requestWitness(where, NOTHING, way, zone);
  return { way, why: `no longer ${onAny(where, "request")}`, witness };
}

export function wayOf(before: string, after: string): Way | null {
  if (before === after) return null;
  switch (coverage(before, after)) {
    case "equal":
      return null;
    case "subset":
      return "stronger";
    case "superset":
      return "weaker";
    case "disjoint":
    case "overlaps":
      return "mixed";
    case "unknown":
      return "unknown";
  }
}

/** A request on a host of the zone that the first expression matches and the second does not. Null: none is found. */
export function requestWitness(before: string, after: string, way: Way, zone: ZoneName): Witness | null {
  if (way === "stronger") return null;
  const example = requestBetween(before, after);
  if (example === null) return null;
  const isWitness = (request: JsonObject) =>
    evaluate(before, request) === true && evaluate(after, request) === false;
  const wheres = [before, after];
  const request = servedRequest(example, zone, wheres, isWitness);
  if (request !== null) return { as: "request", request };
  const ownRequests =
    zone === null ? [] : withinOwnHosts(before, zone).map((where) => requestBetween(where, after));
  const ownRequest = ownRequests.find(
    (each) => each !== null && isForZone(each, zone, wheres) && isWitness(each),
  );
  return ownRequest ? { as: "request", request: ownRequest } : null;
}

/**
 * An example with a host that the zone serves. Null: the zone does not serve its host, or it is no example then.
 *
 * @param wheres the expressions, which may name further hosts
 */
export function servedRequest(
  example: JsonObject,
  zone: ZoneName,
  wheres: readonly string[],
  isExample: (request: JsonObject) => boolean,
): JsonObject | null {
  const candidates = [withHost(example, zone ?? SOME_HOST), withHost(example, SOME_HOST), example];
  return candidates.find((each) => isForZone(each, zone, wheres) && isExample(each)) ?? null;
}

/** A request without a host may be for any host. */
function isForZone(request: JsonObject, zone: ZoneName, wheres: readonly string[]): boolean {
  const host = request["http.host"];
  return typeof host !== "string" || isServed(zone, host, wheres);
}

/** Fills in an empty host, with all fields that depend on the host. */
function withHost(request: JsonObject, host: string): JsonObject {
  if (request["http.host"] !== "") return request;
  const complete = { ...request, "http.host": host };
  return asJsonObject(consistentValues(complete, new Set(Object.keys(complete))) ?? request) ?? request;
}

/** The placeholder for pages and requests on an arbitrary host. */
export const SOME_HOST = "page.example";

/** A request that the first expression matches and the second does not. */
export function requestBetween(before: string, after: string): JsonObject | null {
  const request = before === after ? null : witness(before, after);
  return request === null ? null : asRequest(request);
}

/** A request for output, without fields that every request has. Null: it cannot be shown. */
export function asRequest(request: Readonly<Record<string, unknown>>): JsonObject | null {
  const fields = Object.entries(request).filter(([field]) => constantNamed(field) === null);
  return asJsonObject(Object.fromEntries(fields));
}

/** A request as JSON, for output. Null: it is too long, or has a number that JSON cannot represent. */
function asJsonObject(request: Readonly<Record<string, unknown>>): JsonObject | null {
  return isJson(request) && isObject(request) && JSON.stringify(request).length <= MOST_CHARS
    ? request
    : null;
}

const MOST_CHARS = 2_000;

function isJson(value: unknown): value is Json {
  if (value === null || ["string", "boolean", "number"].includes(typeof value)) return true;
  return typeof value === "object" && Object.values(value).every(isJson);
}

/** The pages that an expression may apply to, judged by its hosts and `ssl`. Never too few. */
export const pagesWhere = rememberedText((where: string): Pages => {
  const parsed = parsedExpression(where);
  return parsed.ok ? pagesIn(parsed.tree) : ANY_PAGES;
});

/**
 * The pages that two expressions may both apply to. If one asks for the port, its hosts are not assumed to use the
 * scheme's default port: the service's own port example combines a port with a plain host.
 */
export function pagesWhereBoth(a: string, b: string): Pages {
  const pages = bothPages(pagesWhere(a), pagesWhere(b));
  return asksForPort(a) || asksForPort(b) ? { ...pages, hosts: null } : pages;
}

const asksForPort = rememberedText((where: string): boolean => {
  const parsed = parsedExpression(where);
  return parsed.ok && fieldsOf(parsed.tree).some(({ name }) => name === "cf.edge.server_port");
});

function bothPages(a: Pages, b: Pages): Pages {
  return {
    schemes: a.schemes.filter((each) => b.schemes.includes(each)),
    hosts: bothHosts(a.hosts, b.hosts),
  };
}

function pagesIn(tree: Expression): Pages {
  switch (tree.as) {
    case "and":
      return tree.items.map(pagesIn).reduce(bothPages);
    case "or":
      return tree.items.map(pagesIn).reduce(eitherPages);
    case "not":
      return isSsl(tree.item) ? onlyOver("http") : ANY_PAGES;
    case "comparison":
      return isSsl(tree) ? onlyOver("https") : { ...ANY_PAGES, hosts: hostsOf(tree) };
    default:
      return ANY_PAGES;
  }
}

function isSsl(tree: Expression): boolean {
  return tree.as === "comparison" && isField(tree.left, "ssl") && tree.test.as === "is_true";
}

function isField(value: Value, name: string): boolean {
  return value.as === "field" && value.name === name && value.indexes.length === 0;
}

function onlyOver(scheme: PageScheme): Pages {
  return { schemes: [scheme], hosts: null };
}

function eitherPages(a: Pages, b: Pages): Pages {
  const schemes = ANY_PAGES.schemes.filter((each) => a.schemes.includes(each) || b.schemes.includes(each));
  return { schemes, hosts: a.hosts === null || b.hosts === null ? null : ifFew([...a.hosts, ...b.hosts]) };
}

function bothHosts(a: Pages["hosts"], b: Pages["hosts"]): Pages["hosts"] {
  if (a === null || b === null) return a ?? b;
  return ifFew(a.flatMap((hostOfA) => b.flatMap((hostOfB) => narrowerHost(hostOfA, hostOfB) ?? [])));
}

function narrowerHost(a: PageHost, b: PageHost): PageHost | null {
  if (hasHosts(a, b)) return b;
  return hasHosts(b, a) ? a : null;
}

/** Whether the first pattern covers all hosts of the second. */
function hasHosts(wide: PageHost, narrow: PageHost): boolean {
  return wide.match === "exact"
    ? narrow.match === "exact" && narrow.text === wide.text
    : narrow.text.endsWith(wide.text);
}

/** Each host is compared separately, so a long list counts as unknown. Null: too many hosts. */
function ifFew(hosts: readonly PageHost[]): readonly PageHost[] | null {
  const distinct = new Map(hosts.map((each) => [`${each.match} ${each.text}`, each]));
  return distinct.size > MOST_HOSTS ? null : [...distinct.values()];
}

const MOST_HOSTS = 8;

/** The hosts that a comparison accepts. Null: it may accept any host. */
function hostsOf({ left, test }: Comparison): readonly PageHost[] | null {
  if (left.as === "call") return test.as === "is_true" ? endingHosts(left) : null;
  if (!isField(left, "http.host")) return null;
  if (test.as === "order" && test.operator === "eq" && test.right.type === "Bytes")
    return exactHosts([test.right.value]);
  if (test.as === "in")
    return exactHosts(test.ranges.map((each) => (each.type === "Bytes" ? each.value : "")));
  if (test.as !== "wildcard" || !test.pattern.startsWith("*")) return null;
  return isEnding(test.pattern.slice(1)) ? [{ match: "subdomains", text: test.pattern.slice(1) }] : null;
}

function endingHosts({ name, args }: Extract<Value, { as: "call" }>): readonly PageHost[] | null {
  const [host, text] = args;
  if (name !== "ends_with" || host?.as !== "value" || !isField(host.value, "http.host")) return null;
  if (text?.as !== "literal" || text.literal.type !== "Bytes" || !isEnding(text.literal.value)) return null;
  return [{ match: "subdomains", text: text.literal.value }];
}

/** Hosts as browsers write them, without a port. */
function isEnding(text: string): boolean {
  return /^\.?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(text);
}

/** Null: a host has a port, or is not in the form that browsers use. */
function exactHosts(values: readonly string[]): readonly PageHost[] | null {
  const hosts = values.flatMap((bytes): readonly PageHost[] => {
    const text = fromBytes(bytes);
    return text !== null && text !== "" && readUrl(`https://${text}/`)?.host === text && !/:\d+$/.test(text)
      ? [{ match: "exact", text }]
      : [];
  });
  return hosts.length === values.length ? ifFew(hosts) : null;
}

/**
 * A zone serves its own name, its subdomains, and custom host names. The API does not list custom host names here, so
 * only those named in expressions are known. Null: the zone is unknown.
 */
export type ZoneName = string | null;

/** The part of an expression that concerns the zone's own hosts. */
export function onOwnHosts(where: string, zone: string): string {
  return `(${where}) and (http.host eq "${zone}" or ends_with(http.host, ".${zone}"))`;
}

/** The same expression for one or two typical hosts, then for all hosts of the zone. */
export function withinOwnHosts(where: string, zone: string): readonly string[] {
  return [`(${where}) and http.host in {"${zone}" "www.${zone}"}`, onOwnHosts(where, zone)];
}

/** Whether two different expressions match the same requests to the zone's own hosts. */
export function areSameWithin(zone: string, before: string, after: string): boolean {
  if (before === after) return false;
  const isNamed = before.includes(zone) || after.includes(zone);
  return isNamed && coverage(onOwnHosts(before, zone), onOwnHosts(after, zone)) === "equal";
}

/** It is unknown here whether a zone has custom host names. */
export function customHostWords(zone: string): string {
  return `unchanged on the hosts of ${zone}; may differ on custom host names`;
}

/** A note on hosts that expressions name and that are outside the zone. */
export function outsideWords(zone: ZoneName, wheres: readonly string[]): string | null {
  if (zone === null) return null;
  const outside = namedHosts(wheres).filter((host) => !isOwn(zone, host));
  if (outside.length === 0) return null;
  const names = [
    ...new Set(outside.map(({ match, text }) => (match === "exact" ? hostWords(text) : `*${text}`))),
  ];
  return names.length === 1
    ? `${listText(names)} is outside of ${zone}: served only as a custom host name`
    : `${listText(names)} are outside of ${zone}: served only as custom host names`;
}

/** Whether the zone can serve a page of the host, by its own name or by a host named in the expressions. */
export function isServed(zone: ZoneName, host: string, wheres: readonly string[]): boolean {
  const page: PageHost = { match: "exact", text: host };
  if (host.startsWith(".")) return false;
  return zone === null || isOwn(zone, page) || namedHosts(wheres).some((each) => hasHosts(each, page));
}

function isOwn(zone: string, host: PageHost): boolean {
  return (host.match === "exact" && host.text === zone) || host.text.endsWith(`.${zone}`);
}

function namedHosts(wheres: readonly string[]): readonly PageHost[] {
  return wheres.flatMap((where) => pagesWhere(where).hosts ?? []);
}
