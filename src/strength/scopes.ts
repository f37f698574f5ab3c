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
import { listed, type Move, type Way } from "./move.js";
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

/** A scope that comes or goes with its object. */
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

/** A request that the first expression matches and the second does not, on a host of the zone; null: none is found. */
export function requestWitness(before: string, after: string, way: Way, zone: ZoneName): Witness | null {
  if (way === "stronger") return null;
  const found = requestBetween(before, after);
  if (found === null) return null;
  const isWitness = (request: JsonObject | null) =>
    request !== null && evaluate(before, request) === true && evaluate(after, request) === false;
  const isThere = (request: JsonObject | null) =>
    request !== null && isForZone(request, zone, [before, after]);
  const request = [named(found, zone ?? SOME_HOST), named(found, SOME_HOST), found]
    .filter(isThere)
    .find(isWitness);
  if (request !== undefined) return { as: "request", request };
  const inside =
    zone === null ? [] : withinOwnHosts(before, zone).map((where) => requestBetween(where, after));
  const own = inside.find((each) => isThere(each) && isWitness(each));
  return own ? { as: "request", request: own } : null;
}

/** One that names no host may be for any. */
function isForZone(request: JsonObject, zone: ZoneName, wheres: readonly string[]): boolean {
  const host = request["http.host"];
  return typeof host !== "string" || isServed(zone, host, wheres);
}

/** With a host that looks like one, in all that tells it. */
function named(request: JsonObject, host: string): JsonObject {
  if (request["http.host"] !== "") return request;
  const named = { ...request, "http.host": host };
  return asJsonObject(consistentValues(named, new Set(Object.keys(named))) ?? request) ?? request;
}

/** For pages and requests that may be on any host but some. */
export const SOME_HOST = "page.example";

/** A request that the first expression matches and the second does not. */
export function requestBetween(before: string, after: string): JsonObject | null {
  const found = before === after ? null : witness(before, after);
  if (found === null) return null;
  const fields = Object.entries(found).filter(([field]) => constantNamed(field) === null);
  return asJsonObject(Object.fromEntries(fields));
}

/** A request as JSON, to be shown; null where it is too long, or has a number that JSON cannot have. */
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

/** The pages that an expression may apply to, as far as its hosts and `ssl` tell: never fewer. */
export const pagesWhere = rememberedText((where: string): Pages => {
  const parsed = parsedExpression(where);
  return parsed.ok ? pagesIn(parsed.tree) : ANY_PAGES;
});

/**
 * The pages that two expressions may both apply to. Where one asks for the port, as the service's own example for ports
 * does beside a host without one, its hosts are not taken to be at the port of the scheme.
 */
export function pagesWhereBoth(a: string, b: string): Pages {
  const both = bothPages(pagesWhere(a), pagesWhere(b));
  return asksForPort(a) || asksForPort(b) ? { ...both, hosts: null } : both;
}

const asksForPort = rememberedText((where: string): boolean => {
  const parsed = parsedExpression(where);
  return parsed.ok && fieldsOf(parsed.tree).some(({ name }) => name === "cf.edge.server_port");
});

/** The pages of both. */
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
  return { schemes, hosts: a.hosts === null || b.hosts === null ? null : few([...a.hosts, ...b.hosts]) };
}

function bothHosts(a: Pages["hosts"], b: Pages["hosts"]): Pages["hosts"] {
  if (a === null || b === null) return a ?? b;
  return few(a.flatMap((one) => b.flatMap((other) => common(one, other) ?? [])));
}

function common(a: PageHost, b: PageHost): PageHost | null {
  if (hasHosts(a, b)) return b;
  return hasHosts(b, a) ? a : null;
}

/** Whether all hosts of the second are among those of the first. */
function hasHosts(wide: PageHost, narrow: PageHost): boolean {
  return wide.match === "exact"
    ? narrow.match === "exact" && narrow.text === wide.text
    : narrow.text.endsWith(wide.text);
}

/** Each host is compared by itself: of more, nothing is made of them. */
function few(hosts: readonly PageHost[]): readonly PageHost[] | null {
  const found = new Map(hosts.map((each) => [`${each.match} ${each.text}`, each]));
  return found.size > MOST_HOSTS ? null : [...found.values()];
}

const MOST_HOSTS = 8;

/** The hosts that a comparison lets pass; null: it may be any. */
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

function endingHosts({ name, args: [of, text] }: Extract<Value, { as: "call" }>): readonly PageHost[] | null {
  if (name !== "ends_with" || of?.as !== "value" || !isField(of.value, "http.host")) return null;
  if (text?.as !== "literal" || text.literal.type !== "Bytes" || !isEnding(text.literal.value)) return null;
  return [{ match: "subdomains", text: text.literal.value }];
}

/** As browsers write hosts, and without a port. */
function isEnding(text: string): boolean {
  return /^\.?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(text);
}

/** As far as they are as browsers write them, at the port of the scheme. */
function exactHosts(all: readonly string[]): readonly PageHost[] | null {
  const hosts = all.flatMap((bytes): readonly PageHost[] => {
    const text = fromBytes(bytes);
    return text !== null && text !== "" && readUrl(`https://${text}/`)?.host === text && !/:\d+$/.test(text)
      ? [{ match: "exact", text }]
      : [];
  });
  return hosts.length === all.length ? few(hosts) : null;
}

/**
 * A zone serves its own name, what is below it, and custom host names that the API does not tell here: of those only
 * such are known as an expression names. Null: the zone is not known.
 */
export type ZoneName = string | null;

/** The part of an expression that is about the zone's own hosts. */
export function onOwnHosts(where: string, zone: string): string {
  return `(${where}) and (http.host eq "${zone}" or ends_with(http.host, ".${zone}"))`;
}

/** The same for a host or two that look like some, then for all of them. */
export function withinOwnHosts(where: string, zone: string): readonly string[] {
  return [`(${where}) and http.host in {"${zone}" "www.${zone}"}`, onOwnHosts(where, zone)];
}

/** Whether two different expressions match the same requests to the zone's own hosts. */
export function areSameWithin(zone: string, before: string, after: string): boolean {
  if (before === after) return false;
  const isNamed = before.includes(zone) || after.includes(zone);
  return isNamed && coverage(onOwnHosts(before, zone), onOwnHosts(after, zone)) === "equal";
}

/** Whether a zone has custom host names is not known here. */
export function customHostWords(zone: string): string {
  return `on the hosts of ${zone} as before, and not on its custom host names, if it has any`;
}

/** What can be said of hosts that expressions name and that are none of the zone's own. */
export function outsideWords(zone: ZoneName, wheres: readonly string[]): string | null {
  if (zone === null) return null;
  const outside = namedHosts(wheres).filter((host) => !isOwn(zone, host));
  if (outside.length === 0) return null;
  const names = [
    ...new Set(outside.map(({ match, text }) => (match === "exact" ? hostWords(text) : `*${text}`))),
  ];
  return names.length === 1
    ? `${listed(names)} is outside of ${zone}: served only as a custom host name`
    : `${listed(names)} are outside of ${zone}: served only as custom host names`;
}

/** Whether the zone can serve a page of that host, by its own name or as expressions name it. */
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
