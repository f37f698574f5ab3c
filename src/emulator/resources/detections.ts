import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { readUrl } from "../../model/url.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { type Check, checkId, checkIdsDiffer, checkText, child, seedProblem } from "../checks.js";
import type { Dialect } from "../dialect.js";
import { idOf } from "../ids.js";
import {
  type Call,
  type Holding,
  inZone,
  type Resource,
  stateOf,
  type World,
  type Zone,
} from "./resource.js";

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
type Detection = JsonObject & {
  readonly id: string;
  readonly url: string;
  readonly host: string;
  readonly status: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
};

/** Nobody changes them: the service detects by itself. */
type Detections = ReadonlyMap<string, Detection>;

const checkDetections: Check = (value, pointer) => {
  if (!isList(value)) return [seedProblem(pointer, "a list of detections is expected here.")];
  const places = value.map((each, index) => [each, child(pointer, index)] as const);
  return [
    ...places.flatMap(([each, at]) => checkDetection(each, at)),
    ...checkIdsDiffer(places.map(([each, at]) => [isObject(each) ? each.id : undefined, at])),
  ];
};

const checkDetection: Check = (value, pointer) => {
  if (!isObject(value)) return [seedProblem(pointer, "an object is expected here.")];
  return [
    ...(value.url === undefined ? [seedProblem(pointer, `a detection has the field "url".`)] : []),
    ...[...fieldChecks].flatMap(([field, check]) => {
      const given = value[field];
      return given === undefined ? [] : check(given, child(pointer, field));
    }),
  ];
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
function detectionsFromSeed(
  what: "script" | "connection",
  seeds: readonly DetectionSeed[],
  zone: { readonly id: string; readonly name: string },
  now: Date,
): Detections {
  const nextId = idsOf(what, seeds, zone.id);
  const detections = seeds.map((seed) => detectionFromSeed(seed, seed.id ?? nextId(), zone.name, now));
  return new Map(detections.map((each) => [each.id, each]));
}

/** Identifiers that no seed has. */
function idsOf(what: string, seeds: readonly { readonly id?: string }[], zoneId: string): () => string {
  const taken = new Set(seeds.flatMap((seed) => seed.id ?? []));
  let made = 0;
  return () => {
    for (;;) {
      made += 1;
      const id = idOf(what, zoneId, made);
      if (!taken.has(id)) return id;
    }
  };
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
function detectionsOut(detections: Detections): readonly (DetectionSeed & JsonObject)[] {
  return [...detections.values()];
}

/**
 * The detection as an answer about it alone has it. Categories are there only where something is reported; an empty
 * list of them may be there without.
 */
function detectionOut(detection: Detection): JsonObject {
  return without(detection, (field, value) => {
    const report = reports.get(field);
    return report !== undefined && detection[report] !== true && !(isList(value) && value.length === 0);
  });
}

/** The detection as lists have it: pages and versions are only in the answer about one. */
function detectionInList(detection: Detection): JsonObject {
  return without(detectionOut(detection), (field) => field === "page_urls" || field === "versions");
}

/** Fields with categories, and which other one says that there are some. */
const reports: ReadonlyMap<string, string> = new Map([
  ["malicious_domain_categories", "domain_reported_malicious"],
  ["malicious_url_categories", "url_reported_malicious"],
]);

function without(fields: JsonObject, isHidden: (field: string, value: Json) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => !isHidden(field, value)));
}

/** Scripts and connections differ in their fields and not in how they are read. */
function detections(what: "script" | "connection", section: "scripts" | "connections"): Resource<Sections> {
  const holding: Holding<Sections, Detections> = {
    sections: { [section]: checkDetections },
    fromSeed: (seed, zone, now) => detectionsFromSeed(what, seed[section] ?? [], zone, now),
    toSeed: (state) => (state.size === 0 ? {} : { [section]: detectionsOut(state) }),
    values: () => [],
  };
  const of = (zone: Zone) => stateOf(holding, zone);
  const path = `/page_shield/${section}`;
  return {
    holding,
    routes: [inZone("GET", path, list(of)), inZone("GET", `${path}/{${what}_id}`, read(of, `${what}_id`))],
    permissions: PAGE_SHIELD,
    edits: {},
  };
}

interface Sections {
  readonly scripts?: readonly DetectionSeed[];
  readonly connections?: readonly DetectionSeed[];
}

/** What the dialects do differently. */
interface Habits {
  /** The parameters of the lists, with what holds where they are not given; null: nothing. */
  readonly parameters: ReadonlyMap<string, string | null>;
  /** The `total_count` of a list: how many fit what is asked for, and how many there are. */
  readonly total: (fitting: number, all: number) => number;
}

/** Those that both descriptions of the API have. */
const describedParameters: readonly (readonly [string, string | null])[] = [
  ["hosts", null],
  ["status", "active"],
  ["page", "1"],
  ["per_page", "20"],
];

const habitsOf: { readonly [dialect in Dialect]: Habits } = {
  service: {
    parameters: new Map([
      ...describedParameters,
      ["exclude_cdn_cgi", "true"],
      ["exclude_duplicates", "true"],
    ]),
    // The document counts here what is there without any search parameters.
    total: (_, all) => all,
  },
  interface: {
    // It says that further parameters exist, and not which.
    parameters: new Map(describedParameters),
    total: (fitting) => fitting,
  },
};

function list(of: (zone: Zone) => Detections) {
  return (zone: Zone, call: Call, { dialect }: World): Answer => {
    const habits = habitsOf[dialect];
    const asked = askedBy(call.query, habits);
    const errors = queryErrors(asked);
    if (errors.length > 0) return failure(400, ...errors.map((each) => apiError(each)));
    const all = [...of(zone).values()];
    const fitting = found(all, asked);
    const totalCount = habits.total(fitting.length, all.length);
    return onePage(fitting, Number(asked("page")), Number(asked("per_page")), totalCount);
  };
}

function onePage(fitting: readonly Detection[], page: number, perPage: number, totalCount: number): Answer {
  const shown = fitting.slice((page - 1) * perPage, page * perPage);
  return result(shown.map(detectionInList), {
    page,
    per_page: perPage,
    count: shown.length,
    total_count: totalCount,
    total_pages: Math.ceil(fitting.length / perPage),
  });
}

function read(of: (zone: Zone) => Detections, parameter: string) {
  return (zone: Zone, call: Call): Answer => {
    const detection = of(zone).get(call.parameters.get(parameter) ?? "");
    return detection === undefined
      ? failure(404, apiError(`${parameter.replace("_id", "")} not found`))
      : result(detectionOut(detection));
  };
}

/** What a request asks of a list of detections, defaults included: parameters by name; null: not asked. */
type Asked = (parameter: string) => string | null;

/** Parameters that the dialect does not have are not looked at, and do nothing. */
function askedBy(query: URLSearchParams, { parameters }: Habits): Asked {
  return (name) => {
    const standard = parameters.get(name);
    return standard === undefined ? null : (query.get(name) ?? standard);
  };
}

/** What is wrong with the parameters of a list of detections. */
function queryErrors(asked: Asked): readonly string[] {
  return [...checks].flatMap(([name, isRight]) => {
    const text = asked(name);
    return text === null || isRight(text) ? [] : [`${name} cannot be "${text}"`];
  });
}

const isFlag = (text: string) => text === "true" || text === "false";

/** The bounds and the choices are those of the published OpenAPI document. */
const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["status", (text: string) => parts(text).every((each) => statuses.includes(each))],
  ["page", isWhole],
  ["per_page", (text: string) => isWhole(text) && Number(text) <= 100],
  ["exclude_cdn_cgi", isFlag],
  ["exclude_duplicates", isFlag],
]);

const statuses = ["active", "infrequent", "inactive"];

/** From 1 up. */
function isWhole(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

function parts(list: string): readonly string[] {
  return list.split(",").map((each) => each.trim());
}

/** The detections that are asked for, not yet cut into pages. */
function found(all: readonly Detection[], asked: Asked): readonly Detection[] {
  const fitting = all.filter((each) => fits(each, asked));
  return asked("exclude_duplicates") === "true" ? mostRecent(fitting) : fitting;
}

function fits({ host, status, url_contains_cdn_cgi_path: inCdnCgi }: Detection, asked: Asked): boolean {
  const among = (name: string, isThis: (part: string) => boolean): boolean => {
    const list = asked(name);
    return list === null || parts(list).some(isThis);
  };
  return (
    among("status", (each) => each === status) &&
    among("hosts", (pattern) => matches(host.toLowerCase(), pattern.toLowerCase())) &&
    (asked("exclude_cdn_cgi") !== "true" || inCdnCgi !== true)
  );
}

/** A `*` at the start or the end of a pattern stands for anything. */
function matches(text: string, pattern: string): boolean {
  const fromStart = !pattern.startsWith("*");
  const rest = fromStart ? pattern : pattern.slice(1);
  const toEnd = !rest.endsWith("*");
  const bare = toEnd ? rest : rest.slice(0, -1);
  if (fromStart && toEnd) return text === bare;
  if (fromStart) return text.startsWith(bare);
  return toEnd ? text.endsWith(bare) : text.includes(bare);
}

/**
 * Of scripts with the same content, the same host in their URL and the same host that they were seen on, the most
 * recent one: so the published OpenAPI document describes duplicates.
 */
function mostRecent(all: readonly Detection[]): readonly Detection[] {
  const newest = new Map<string, Detection>();
  for (const each of all) {
    const known = newest.get(contentOf(each));
    if (known === undefined || Date.parse(each.last_seen_at) > Date.parse(known.last_seen_at))
      newest.set(contentOf(each), each);
  }
  return all.filter((each) => newest.get(contentOf(each)) === each);
}

/** Without a hash nothing is known to be the same. */
function contentOf({ id, hash, url, host }: Detection): string {
  const urlHost = readUrl(url)?.host ?? url;
  return typeof hash === "string" ? JSON.stringify([hash, urlHost, host]) : id;
}

export const scripts = detections("script", "scripts");

export const connections = detections("connection", "connections");
