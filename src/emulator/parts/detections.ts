import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { idOf } from "../ids.js";
import { type Check, checkId, checkIdsDiffer, checkText, child, seedProblem } from "../seed-problem.js";

/**
 * A detected script or connection as a seed has it. What is absent and always shown by the service is filled in; of the
 * rest, such as scores, a seed has what the zone's plan gives. Fields that are not named here are kept as they are.
 */
export interface DetectionSeed {
  readonly id?: string;
  readonly url: string;
  /** Where it was seen; the zone's name when absent. */
  readonly host?: string;
  /** `active` when absent. */
  readonly status?: string;
  readonly added_at?: string;
  readonly first_seen_at?: string;
  readonly last_seen_at?: string;
  readonly [extra: string]: Json | undefined;
}

/** A detection as the emulator keeps it: all that is known of it, whatever a request may be shown. */
export type Detection = JsonObject & {
  readonly id: string;
  readonly url: string;
  readonly host: string;
  readonly status: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
};

/** Nobody changes them: the service detects by itself. */
export type Detections = ReadonlyMap<string, Detection>;

export const checkDetections: Check = (value, pointer) => {
  if (!isList(value)) return [seedProblem(pointer, "a list of detections is expected here.")];
  const places = value.map((each, index) => [each, child(pointer, index)] as const);
  return [
    ...places.flatMap(([each, at]) => checkDetection(each, at)),
    ...checkIdsDiffer(places.map(([each, at]) => [isObject(each) ? each.id : undefined, at])),
  ];
};

const checkDetection: Check = (value, pointer) => {
  if (!isObject(value)) return [seedProblem(pointer, "an object is expected here.")];
  return [...fieldChecks].flatMap(([field, check]) => {
    const given = value[field];
    if (given !== undefined) return check(given, child(pointer, field));
    return field === "url" ? [seedProblem(pointer, 'a detection has the field "url".')] : [];
  });
};

const checkTime: Check = (value, pointer) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value))
    ? []
    : [seedProblem(pointer, "a time is expected here, as in 2026-01-02T03:04:05Z.")];

const fieldChecks: ReadonlyMap<string, Check> = new Map([
  ["id", checkId],
  ["url", checkText],
  ["host", checkText],
  ["status", checkText],
  ["added_at", checkTime],
  ["first_seen_at", checkTime],
  ["last_seen_at", checkTime],
]);

/** @param what tells the identifiers of scripts and connections apart where a seed gives none */
export function detectionsFromSeed(
  what: "script" | "connection",
  seeds: readonly DetectionSeed[],
  zone: { readonly id: string; readonly name: string },
  now: Date,
): Detections {
  const taken = new Set(seeds.flatMap((seed) => seed.id ?? []));
  let made = 0;
  const nextId = (): string => {
    for (;;) {
      made += 1;
      const id = idOf(what, zone.id, made);
      if (!taken.has(id)) return id;
    }
  };
  const detections = seeds.map((seed) => detectionFromSeed(seed, seed.id ?? nextId(), zone.name, now));
  return new Map(detections.map((each) => [each.id, each]));
}

/** With every field that the published OpenAPI document requires, and the status, which the documentation shows. */
function detectionFromSeed(seed: DetectionSeed, id: string, zoneName: string, now: Date): Detection {
  const { url, host = zoneName, status = "active", ...given } = seed;
  const time = now.toISOString();
  const { added_at = time, first_seen_at = time, last_seen_at = time, ...extra } = given;
  const times = { added_at, first_seen_at, last_seen_at };
  return {
    url_contains_cdn_cgi_path: url.includes("/cdn-cgi/"),
    ...(extra as JsonObject), // what JSON has given has nothing undefined in it
    ...times,
    url,
    host,
    status,
    id,
  };
}

/** The detection as a dump has it; a seed with it starts an emulator that knows the same. */
export function detectionsOut(detections: Detections): readonly (DetectionSeed & JsonObject)[] {
  return [...detections.values()];
}

/**
 * The detection as an answer about it alone has it. Categories are there only where something is reported; an empty
 * list of them may be there without.
 */
export function detectionOut(detection: Detection): JsonObject {
  return without(detection, (field, value) => {
    const report = reports.get(field);
    return report !== undefined && detection[report] !== true && !(isList(value) && value.length === 0);
  });
}

/** The detection as lists have it: pages and versions are only in the answer about one. */
export function detectionInList(detection: Detection): JsonObject {
  return without(detectionOut(detection), (field) => field === "page_urls" || field === "versions");
}

/** The detection in the list that is asked for whole, which has no categories. */
export function detectionInWholeList(detection: Detection): JsonObject {
  return without(detectionInList(detection), (field) => reports.has(field));
}

/** Fields with categories, and which other one says that there are some. */
const reports: ReadonlyMap<string, string> = new Map([
  ["malicious_domain_categories", "domain_reported_malicious"],
  ["malicious_url_categories", "url_reported_malicious"],
]);

function without(fields: JsonObject, isHidden: (field: string, value: Json) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => !isHidden(field, value)));
}
