import type { Json, JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { checkDetections, idsOf, isFlag, isText, isWhole, matches, parts, sortedBy } from "./detections.js";
import { type Call, type Holding, inZone, type Resource, stateOf, type Zone } from "./resource.js";

/**
 * A detected cookie as a seed has it. What is absent and always shown by the service is filled in; fields that are not
 * named here are kept as they are.
 */
export interface CookieSeed {
  readonly id?: string;
  readonly name: string;
  /** Where it was seen; the zone's name when absent. */
  readonly host?: string;
  /** `first_party` when absent. */
  readonly type?: string;
  readonly first_seen_at?: string;
  readonly last_seen_at?: string;
  readonly [extra: string]: Json | undefined;
}

type Cookie = JsonObject & {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
};

/** Nobody changes them: the service detects by itself. */
type Cookies = ReadonlyMap<string, Cookie>;

interface Section {
  readonly cookies?: readonly CookieSeed[];
}

const holding: Holding<Section, Cookies> = {
  sections: { cookies: checkDetections("name") },
  fromSeed: ({ cookies = [] }, zone, now) => {
    const nextId = idsOf("cookie", cookies, zone.id);
    const made = cookies.map((seed) => cookieFromSeed(seed, seed.id ?? nextId(), zone.name, now));
    return new Map(made.map((each) => [each.id, each]));
  },
  toSeed: (state) => (state.size === 0 ? {} : { cookies: [...state.values()] }),
  values: () => [],
};

function cookieFromSeed(seed: CookieSeed, id: string, zoneName: string, now: Date): Cookie {
  const time = now.toISOString();
  const { name, host = zoneName, first_seen_at = time, last_seen_at = time, ...extra } = seed;
  return {
    type: "first_party",
    ...(extra as JsonObject), // what JSON has given has nothing undefined in it
    id,
    name,
    host,
    first_seen_at,
    last_seen_at,
  };
}

const zoneCookies = (zone: Zone) => stateOf(holding, zone);

/** As the published OpenAPI document has them; an export is not emulated. */
const CHECKS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["page", isWhole],
  ["per_page", (text: string) => isWhole(text) && Number(text) <= 100],
  ["order_by", (text: string) => text === "first_seen_at" || text === "last_seen_at"],
  ["direction", (text: string) => text === "asc" || text === "desc"],
  ["secure", isFlag],
  ["http_only", isFlag],
  ["same_site", (text: string) => ["lax", "strict", "none"].includes(text)],
  ["type", (text: string) => text === "first_party" || text === "unknown"],
  ["path", (text: string) => text.length <= 1024],
  ["domain", (text: string) => text.length <= 1024],
  ["export", () => false],
]);

function list(zone: Zone, { query }: Call): Answer {
  const errors = [...CHECKS].flatMap(([name, isRight]) => {
    const text = query.get(name);
    return text === null || isRight(text) ? [] : [apiError(`${name} cannot be "${text}"`)];
  });
  if (errors.length > 0) return failure(400, ...errors);
  const all = [...zoneCookies(zone).values()];
  const fitting = all.filter((each) => fits(each, query));
  const sorted = sortedBy(fitting, query.get("order_by"), query.get("direction"));
  const [page, perPage] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? 20)];
  const shown = sorted.slice((page - 1) * perPage, page * perPage);
  return result(shown.map(inList), {
    page,
    per_page: perPage,
    count: shown.length,
    total_count: all.length,
    total_pages: Math.ceil(fitting.length / perPage),
  });
}

function inList({ page_urls: _, ...cookie }: Cookie): JsonObject {
  return cookie;
}

function fits(cookie: Cookie, query: URLSearchParams): boolean {
  const pages = Array.isArray(cookie.page_urls) ? cookie.page_urls.filter(isText) : [];
  const among = (name: string, isThis: (part: string) => boolean): boolean => {
    const asked = query.get(name);
    return asked === null || parts(asked).some(isThis);
  };
  const is = (name: string) => {
    const asked = query.get(name);
    const value = cookie[name === "type" ? name : `${name}_attribute`];
    return asked === null || (typeof value === "boolean" || isText(value) ? String(value) === asked : false);
  };
  return (
    among("hosts", (pattern) => matches(cookie.host.toLowerCase(), pattern.toLowerCase())) &&
    among("page_url", (pattern) => pages.some((page) => matches(page, pattern))) &&
    among("name", (pattern) => matches(cookie.name, pattern)) &&
    ["secure", "http_only", "same_site", "type", "path", "domain"].every(is)
  );
}

function read(zone: Zone, { parameters }: Call): Answer {
  const cookie = zoneCookies(zone).get(parameters.get("cookie_id") ?? "");
  return cookie === undefined ? failure(404, apiError("cookie not found")) : result(cookie);
}

export const cookies: Resource<Section> = {
  holding,
  routes: [
    inZone("GET", "/page_shield/cookies", list),
    inZone("GET", "/page_shield/cookies/{cookie_id}", read),
  ],
  permissions: PAGE_SHIELD,
  edits: {},
};
