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

/** The last three are not in the published OpenAPI document. The official TypeScript SDK has them. */
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

/** Only the answer about a single detection has these. */
const OF_ONE = ["page_urls", "versions"];

const RANKS = new Map([...OF_ALL, ...OF_SCRIPTS, ...OF_ONE].map((field, index) => [field, index]));

/** Known fields first, then the others by name. The service's order has no meaning. */
export function inFieldOrder(raw: JsonObject): readonly (readonly [field: string, value: Json])[] {
  const rank = (field: string) => RANKS.get(field) ?? RANKS.size;
  return Object.entries(raw).toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
