import type { DetectionReport, JudgedDetection, ZoneDetections } from "../model/detection.js";
import type { Json, JsonObject } from "../model/json.js";
import { jsonText } from "../model/json-text.js";

export function detectionsJson(report: DetectionReport): string {
  const { kind, scoreBelow, zones } = report;
  const records = zones.flatMap((zone) =>
    zone.detections.ok ? zone.detections.value.map((each) => record(zone, each)) : [],
  );
  return jsonText({
    format_version: "1",
    malicious_score_below: scoreBelow,
    summary: countsOf(report),
    [kind]: records,
    zones: zones.map(zoneRecord),
  });
}

/** The service's fields between the program's own, which win on equal names. */
function record({ zone, zoneId }: ZoneDetections, { raw, verdict }: JudgedDetection) {
  const { zone: _, zone_id: __, verdict: ___, ...serviceFields } = raw;
  return {
    zone,
    zone_id: zoneId,
    ...Object.fromEntries(inFieldOrder(serviceFields)),
    verdict,
  };
}

function zoneRecord({ zone, zoneId, detections }: ZoneDetections) {
  if (detections.ok) return { zone, zone_id: zoneId, status: "read", count: detections.value.length };
  const [first] = detections.problems;
  const problem =
    first === undefined
      ? {}
      : { problem: { code: first.code, summary: first.summary, detail: first.detail } };
  return { zone, zone_id: zoneId, status: "failed", ...problem };
}

interface DetectionCounts {
  readonly zones: number;
  readonly zones_failed: number;
  readonly count: number;
  readonly malicious: number;
  /** Detections without a verdict. */
  readonly unknown: number;
}

export function countsOf({ zones }: DetectionReport): DetectionCounts {
  const verdicts = zones.flatMap(({ detections }) =>
    detections.ok ? detections.value.map(({ verdict }) => verdict) : [],
  );
  return {
    zones: zones.length,
    zones_failed: zones.filter(({ detections }) => !detections.ok).length,
    count: verdicts.length,
    malicious: verdicts.filter((verdict) => verdict.malicious === true).length,
    unknown: verdicts.filter((verdict) => verdict.malicious === null).length,
  };
}

/** Known fields first, then the others by name. The service's order has no meaning. */
export function inFieldOrder(raw: JsonObject): readonly (readonly [field: string, value: Json])[] {
  const rank = (field: string) => RANKS.get(field) ?? RANKS.size;
  return Object.entries(raw).toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

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
