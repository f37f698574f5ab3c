import type { ListedKind } from "../../model/detection.js";
import type { Json, JsonObject } from "../../model/json.js";

const OF_ALL = [
  "id",
  "url",
  "host",
  "status",
  "first_page_url",
  "added_at",
  "first_seen_at",
  "last_seen_at",
  "domain_reported_malicious",
  "malicious_domain_categories",
  "url_reported_malicious",
  "malicious_url_categories",
  "url_contains_cdn_cgi_path",
];

/** The last three of them are newer than the published OpenAPI document; the official TypeScript SDK has them. */
const OF_SCRIPTS = [
  "hash",
  "fetched_at",
  "js_integrity_score",
  "obfuscation_score",
  "dataflow_score",
  "malware_score",
  "cryptomining_score",
  "magecart_score",
];

const OF_COOKIES = [
  "id",
  "name",
  "host",
  "type",
  "domain_attribute",
  "path_attribute",
  "secure_attribute",
  "http_only_attribute",
  "same_site_attribute",
  "max_age_attribute",
  "expires_attribute",
  "first_seen_at",
  "last_seen_at",
];

/** What only the answer about one detection has. */
const OF_ONE = ["page_urls", "versions"];

/** The known fields of a detection, in the order in which they are shown. */
export function fieldsOf(kind: ListedKind, which: "brief" | "whole"): readonly string[] {
  const fields = { scripts: [...OF_ALL, ...OF_SCRIPTS], connections: OF_ALL, cookies: OF_COOKIES }[kind];
  return which === "brief" ? fields : [...fields, ...OF_ONE.slice(0, kind === "scripts" ? 2 : 1)];
}

const RANKS = new Map(
  [...new Set([...OF_COOKIES.slice(0, 11), ...OF_ALL, ...OF_SCRIPTS, ...OF_ONE])].map((field, index) => [
    field,
    index,
  ]),
);

/** The fields that are there: known ones first, then the others by name. The service's own order means nothing. */
export function inFieldOrder(raw: JsonObject): readonly (readonly [field: string, value: Json])[] {
  const rank = (field: string) => RANKS.get(field) ?? RANKS.size;
  return Object.entries(raw).toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
