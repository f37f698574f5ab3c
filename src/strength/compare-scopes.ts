import { consistentValues } from "../expression/coverage/consistent-values.js";
import { coverage, witness } from "../expression/coverage/coverage.js";
import { evaluate } from "../expression/evaluate/evaluate.js";
import { constantNamed } from "../expression/tables/fields.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { rememberedText } from "../model/remembered.js";
import type { Witness } from "../model/strength.js";
import type { Move, Way } from "./move.js";
import { areSameWithin, customHostWords, isServed, withinOwnHosts, type ZoneName } from "./page-hosts.js";
import { coverWords, NOTHING, on, onAny } from "./scope-words.js";

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

function requestWitness(before: string, after: string, way: Way, zone: ZoneName): Witness | null {
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
  return before === after ? null : requestOnce(JSON.stringify([before, after]));
}

/** Many policies are for the same pages. */
const requestOnce = rememberedText((text): JsonObject | null => {
  const [before, after] = JSON.parse(text) as [string, string]; // as it was written
  const found = witness(before, after);
  if (found === null) return null;
  const fields = Object.entries(found).filter(([field]) => constantNamed(field) === null);
  return asJsonObject(Object.fromEntries(fields));
});

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
