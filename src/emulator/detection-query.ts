import { readUrl } from "../model/url.js";
import type { Habits } from "./dialect.js";
import type { Detection } from "./parts/detections.js";

/** What a request asks of a list of detections, defaults included: parameters by name; null: not asked. */
export type Asked = (parameter: string) => string | null;

/** Parameters that the dialect does not have are not looked at, and do nothing. */
export function askedBy(query: URLSearchParams, { detectionParameters }: Habits): Asked {
  return (name) => {
    const standard = detectionParameters.get(name);
    return standard === undefined ? null : (query.get(name) ?? standard);
  };
}

/** What is wrong with the parameters of a list of detections. */
export function queryErrors(asked: Asked, habits: Habits): readonly string[] {
  return [...checks].flatMap(([name, isRight]) => {
    const text = asked(name);
    return text === null || isRight(text, habits) ? [] : [`${name} cannot be "${text}"`];
  });
}

const isFlag = (text: string) => text === "true" || text === "false";

/** The bounds and the choices are those of the published OpenAPI document; an export is not emulated. */
const checks: ReadonlyMap<string, (text: string, habits: Habits) => boolean> = new Map([
  ["status", (text: string) => parts(text).every((each) => statuses.includes(each))],
  ["page", (text: string, habits: Habits) => isWhole(text) || (habits.wholeDetections && text === "all")],
  ["per_page", (text: string) => isWhole(text) && Number(text) <= 100],
  ["order_by", (text: string) => text === "first_seen_at" || text === "last_seen_at"],
  ["direction", (text: string) => text === "asc" || text === "desc"],
  ["prioritize_malicious", isFlag],
  ["exclude_cdn_cgi", isFlag],
  ["exclude_duplicates", isFlag],
  ["export", () => false],
]);

const statuses = ["active", "infrequent", "inactive"];

/** From 1 up. */
function isWhole(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

function parts(list: string): readonly string[] {
  return list.split(",").map((each) => each.trim());
}

/** The detections that are asked for, in the order that is asked for, not yet cut into pages. */
export function found(all: readonly Detection[], asked: Asked, habits: Habits): readonly Detection[] {
  const fitting = all.filter((each) => fits(each, asked));
  const distinct = asked("exclude_duplicates") === "true" ? mostRecent(fitting) : fitting;
  const sorted = sortedBy(distinct, asked("order_by"), asked("direction"));
  if (asked("prioritize_malicious") !== "true") return sorted;
  const isMalicious = (each: Detection) => isKnownMalicious(each, habits);
  return [...sorted.filter(isMalicious), ...sorted.filter((each) => !isMalicious(each))];
}

function fits(detection: Detection, asked: Asked): boolean {
  const { url, host, status, first_page_url, page_urls, url_contains_cdn_cgi_path: inCdnCgi } = detection;
  const pages = [first_page_url, ...(Array.isArray(page_urls) ? page_urls : [])];
  const among = (name: string, isThis: (part: string) => boolean): boolean | null => {
    const list = asked(name);
    return list === null ? null : parts(list).some(isThis);
  };
  return (
    among("status", (each) => each === status) !== false &&
    among("hosts", (pattern) => matches(host.toLowerCase(), pattern.toLowerCase())) !== false &&
    among("urls", (part) => url.includes(part)) !== false &&
    among("exclude_urls", (part) => url.includes(part)) !== true &&
    among("page_url", (pattern) => pages.some((page) => isText(page) && matches(page, pattern))) !== false &&
    (asked("exclude_cdn_cgi") !== "true" || inCdnCgi !== true)
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
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
    if (known === undefined || timeOf(each, "last_seen_at") > timeOf(known, "last_seen_at"))
      newest.set(contentOf(each), each);
  }
  return all.filter((each) => newest.get(contentOf(each)) === each);
}

/** Without a hash nothing is known to be the same. */
function contentOf({ id, hash, url, host }: Detection): string {
  const urlHost = readUrl(url)?.host ?? url;
  return typeof hash === "string" ? JSON.stringify([hash, urlHost, host]) : id;
}

function sortedBy(
  all: readonly Detection[],
  field: string | null,
  direction: string | null,
): readonly Detection[] {
  if (field === null && direction === null) return all;
  const by = field === "last_seen_at" ? "last_seen_at" : "first_seen_at";
  const sign = direction === "desc" ? -1 : 1;
  return all.toSorted((a, b) => sign * (timeOf(a, by) - timeOf(b, by)));
}

function timeOf(detection: Detection, field: "first_seen_at" | "last_seen_at"): number {
  return Date.parse(detection[field]);
}

function isKnownMalicious(detection: Detection, { maliciousBelow }: Habits): boolean {
  const { domain_reported_malicious, url_reported_malicious, js_integrity_score: score } = detection;
  if (domain_reported_malicious === true || url_reported_malicious === true) return true;
  return typeof score === "number" && score < maliciousBelow;
}
