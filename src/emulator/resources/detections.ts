import { isList, type Json, type JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { readUrl } from "../../model/url.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { checkId, checkObjects, checkText, isText, must } from "../checks.js";
import type { Dialect } from "../dialect.js";
import { newIds, seeded } from "../ids.js";
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
 * A detected script or connection in a seed. Absent fields that the service always shows are filled in. Others, such as
 * scores, depend on the Cloudflare plan, and a seed has to give them. Unknown fields are kept as they are.
 */
export interface DetectionSeed {
  readonly id?: string;
  readonly url: string;
  /** The host with the load. Default: the zone's name. */
  readonly host?: string;
  /** Default: `active`. */
  readonly status?: string;
  readonly added_at?: string;
  readonly first_seen_at?: string;
  readonly last_seen_at?: string;
  readonly [extra: string]: Json | undefined;
}

/** A stored detection with all fields, even those that some answers omit. */
type Detection = JsonObject & {
  readonly id: string;
  readonly url: string;
  readonly host: string;
  readonly status: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
};

/** Never changed by requests: the service detects by itself. */
type Detections = ReadonlyMap<string, Detection>;

const checkTime = must(
  "must be a time such as 2026-01-02T03:04:05Z.",
  (value) => isText(value) && !Number.isNaN(Date.parse(value)),
);

const checkDetections = checkObjects(
  ["detections", "a detection"],
  {
    id: checkId,
    url: checkText,
    host: checkText,
    status: checkText,
    added_at: checkTime,
    first_seen_at: checkTime,
    last_seen_at: checkTime,
  },
  ["url"],
);

/** @param noun tells the identifiers of scripts and connections apart where a seed gives none */
function detectionsFromSeed(
  noun: "script" | "connection",
  seeds: readonly DetectionSeed[],
  zone: { readonly id: string; readonly name: string },
  now: Date,
): Detections {
  return seeded(seeds, newIds(noun, zone.id, String), (seed, id) =>
    detectionFromSeed(seed, id, zone.name, now),
  );
}

/** With every field that the published OpenAPI document requires, and the documented status. */
function detectionFromSeed(seed: DetectionSeed, id: string, zoneName: string, now: Date): Detection {
  const { url, host = zoneName, status = "active", ...rest } = seed;
  const time = now.toISOString();
  const { added_at = time, first_seen_at = time, last_seen_at = time, ...extra } = rest;
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

/** The detection in a dump; an emulator with this seed knows the same. */
function detectionsOut(detections: Detections): readonly (DetectionSeed & JsonObject)[] {
  return [...detections.values()];
}

/**
 * The detection in an answer about it alone. Categories are shown only for a report; an empty list of them may be shown
 * without one.
 */
function detectionOut(detection: Detection): JsonObject {
  return without(detection, (field, value) => {
    const report = reports.get(field);
    return report !== undefined && detection[report] !== true && !(isList(value) && value.length === 0);
  });
}

/** The detection in a list: without pages and versions. */
function detectionInList(detection: Detection): JsonObject {
  return without(detectionOut(detection), (field) => field === "page_urls" || field === "versions");
}

/** Fields with categories, and the flag that each belongs to. */
const reports: ReadonlyMap<string, string> = new Map([
  ["malicious_domain_categories", "domain_reported_malicious"],
  ["malicious_url_categories", "url_reported_malicious"],
]);

function without(fields: JsonObject, isHidden: (field: string, value: Json) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => !isHidden(field, value)));
}

/** Scripts and connections differ only in their fields. */
function detections(noun: "script" | "connection", section: "scripts" | "connections"): Resource<Sections> {
  const holding: Holding<Sections, Detections> = {
    sections: { [section]: checkDetections },
    fromSeed: (seed, zone, now) => detectionsFromSeed(noun, seed[section] ?? [], zone, now),
    toSeed: (state) => (state.size === 0 ? {} : { [section]: detectionsOut(state) }),
  };
  const of = (zone: Zone) => stateOf(holding, zone);
  const path = `/page_shield/${section}`;
  return {
    holding,
    routes: [inZone("GET", path, list(of)), inZone("GET", `${path}/{${noun}_id}`, read(of, `${noun}_id`))],
    permissions: PAGE_SHIELD,
    edits: {},
  };
}

interface Sections {
  readonly scripts?: readonly DetectionSeed[];
  readonly connections?: readonly DetectionSeed[];
}

/** A parameter of the lists. Bounds and choices are those of the published OpenAPI document. */
interface Parameter {
  readonly name: string;
  /** Null: none. */
  readonly default: string | null;
  readonly isRight: (text: string) => boolean;
}

/** Parameters in both descriptions of the API. */
const described: readonly Parameter[] = [
  { name: "hosts", default: null, isRight: () => true },
  { name: "status", default: "active", isRight: (text) => parts(text).every((each) => statuses.has(each)) },
  { name: "page", default: "1", isRight: isWhole },
  { name: "per_page", default: "20", isRight: (text) => isWhole(text) && Number(text) <= 100 },
];

const parameters: { readonly [dialect in Dialect]: readonly Parameter[] } = {
  service: [
    ...described,
    { name: "exclude_cdn_cgi", default: "true", isRight: isFlag },
    { name: "exclude_duplicates", default: "true", isRight: isFlag },
  ],
  // The documentation says that further parameters exist, but not which.
  interface: described,
};

const statuses: ReadonlySet<string> = new Set(["active", "infrequent", "inactive"]);

function isFlag(text: string): boolean {
  return text === "true" || text === "false";
}

/** From 1 up. */
function isWhole(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

function parts(list: string): readonly string[] {
  return list.split(",").map((each) => each.trim());
}

/** The parameters of a list request by name, defaults included. Parameters that the dialect lacks are ignored. */
type Query = ReadonlyMap<string, string>;

function list(of: (zone: Zone) => Detections) {
  return (zone: Zone, call: Call, { dialect }: World): Answer => {
    const given = parameters[dialect].flatMap((each) => {
      const text = call.query.get(each.name) ?? each.default;
      return text === null ? [] : [{ ...each, text }];
    });
    const wrong = given.filter(({ text, isRight }) => !isRight(text));
    if (wrong.length > 0)
      return failure(400, ...wrong.map(({ name, text }) => apiError(`${name} cannot be "${text}"`)));
    const query = new Map(given.map(({ name, text }) => [name, text]));
    const stored = [...of(zone).values()];
    const fitting = filtered(stored, query);
    // In the published document, the total ignores search parameters.
    const totalCount = dialect === "service" ? stored.length : fitting.length;
    return onePage(fitting, Number(query.get("page")), Number(query.get("per_page")), totalCount);
  };
}

function onePage(fitting: readonly Detection[], page: number, perPage: number, totalCount: number): Answer {
  const items = fitting.slice((page - 1) * perPage, page * perPage);
  return result(items.map(detectionInList), {
    page,
    per_page: perPage,
    count: items.length,
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

/** The matching detections, before paging. */
function filtered(candidates: readonly Detection[], query: Query): readonly Detection[] {
  const fitting = candidates.filter((each) => fits(each, query));
  return query.get("exclude_duplicates") === "true" ? mostRecent(fitting) : fitting;
}

function fits({ host, status, url_contains_cdn_cgi_path: inCdnCgi }: Detection, query: Query): boolean {
  const hosts = query.get("hosts");
  return (
    parts(query.get("status") ?? "").includes(status) &&
    (hosts === undefined || parts(hosts).some((each) => matches(host.toLowerCase(), each.toLowerCase()))) &&
    (query.get("exclude_cdn_cgi") !== "true" || inCdnCgi !== true)
  );
}

/** A `*` at the start or the end of a pattern matches anything. */
function matches(text: string, pattern: string): boolean {
  const [, before, bare = "", after] = /^(\*?)(.*?)(\*?)$/s.exec(pattern) ?? [];
  if (before !== "") return after !== "" ? text.includes(bare) : text.endsWith(bare);
  return after !== "" ? text.startsWith(bare) : text === bare;
}

/**
 * The most recent of scripts with the same content, URL host and page host. The published OpenAPI document defines
 * duplicates this way.
 */
function mostRecent(candidates: readonly Detection[]): readonly Detection[] {
  const newest = new Map<string, Detection>();
  for (const detection of candidates) {
    const other = newest.get(contentOf(detection));
    if (other === undefined || Date.parse(detection.last_seen_at) > Date.parse(other.last_seen_at))
      newest.set(contentOf(detection), detection);
  }
  return candidates.filter((each) => newest.get(contentOf(each)) === each);
}

/** Without a hash, nothing is known to be the same. */
function contentOf({ id, hash, url, host }: Detection): string {
  const urlHost = readUrl(url)?.host ?? url;
  return typeof hash === "string" ? JSON.stringify([hash, urlHost, host]) : id;
}

export const scripts = detections("script", "scripts");

export const connections = detections("connection", "connections");
