import { type JsonObject, textsIn } from "./json.js";
import type { Result } from "./problem.js";

/** What the service detects on a zone's pages. */
export type DetectedKind = "scripts" | "connections";

/** A detected script or connection. */
export interface Detection {
  readonly id: string;
  readonly url: string;
  /** All that the service says of it, `id` and `url` too. What the account's plan does not have is absent. */
  readonly raw: JsonObject;
}

/** Whether a detection is malicious, and what says so. */
export interface Verdict {
  /** null: there is nothing to tell it by. */
  readonly malicious: boolean | null;
  readonly reasons: readonly Reason[];
  /** Of the domain and of the URL, each once; where they are reported. */
  readonly categories: readonly string[];
}

export type Reason = "score_below_threshold" | "domain_reported" | "url_reported";

export interface JudgedDetection extends Detection {
  readonly verdict: Verdict;
}

/** What was detected in one zone, or why that cannot be told. */
export interface ZoneDetections {
  readonly zone: string;
  /** null: the zone was not found. */
  readonly zoneId: string | null;
  readonly found: Result<readonly JudgedDetection[]>;
}

/** What was detected in some zones. */
export interface DetectionReport {
  readonly kind: DetectedKind;
  /** A script with an integrity score below this is malicious. */
  readonly scoreBelow: number;
  readonly zones: readonly ZoneDetections[];
}

/**
 * A script is malicious when its integrity score is below the threshold, and so is all whose domain or URL is
 * reported. A script without a score, and a connection without a word on reports, may be either.
 */
export function judge(kind: DetectedKind, { raw }: Pick<Detection, "raw">, scoreBelow: number): Verdict {
  const score = kind === "scripts" ? scoreOf(raw) : null;
  const ofDomain = raw.domain_reported_malicious === true;
  const ofUrl = raw.url_reported_malicious === true;
  const reasons: readonly Reason[] = [
    ...(score !== null && score < scoreBelow ? (["score_below_threshold"] as const) : []),
    ...(ofDomain ? (["domain_reported"] as const) : []),
    ...(ofUrl ? (["url_reported"] as const) : []),
  ];
  const categories = [
    ...(ofDomain ? textsIn(raw.malicious_domain_categories) : []),
    ...(ofUrl ? textsIn(raw.malicious_url_categories) : []),
  ];
  const isTold = kind === "scripts" ? score !== null : saysWhetherReported(raw);
  const malicious = reasons.length > 0 ? true : isTold ? false : null;
  return { malicious, reasons, categories: [...new Set(categories)] };
}

/** From 1 to 99 where there is one; null or absent where the plan has none, or the script was not looked at yet. */
export function scoreOf({ js_integrity_score: score }: JsonObject): number | null {
  return typeof score === "number" ? score : null;
}

function saysWhetherReported({ domain_reported_malicious, url_reported_malicious }: JsonObject): boolean {
  return domain_reported_malicious === false || url_reported_malicious === false;
}
