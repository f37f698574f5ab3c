import { type Json, type JsonObject, textsIn } from "./json.js";
import type { Result } from "./problem.js";
import type { Layer } from "./strength.js";

export type DetectedKind = "scripts" | "connections";

/** A detected script or connection. */
export interface Detection {
  readonly id: string;
  readonly url: string;
  /** All that the service says, `id` and `url` included. Some fields depend on the account's Cloudflare plan. */
  readonly raw: JsonObject;
}

/** Whether a detection is malicious, and why. */
export interface Verdict {
  /** null: unknown. */
  readonly malicious: boolean | null;
  readonly reasons: readonly Reason[];
  /** Categories of reported domains and URLs, each once. */
  readonly categories: readonly string[];
}

export type Reason = "score_below_threshold" | "domain_reported" | "url_reported";

export interface JudgedDetection extends Detection {
  readonly verdict: Verdict;
}

/** The detections of one zone, or why they could not be read. */
export interface ZoneDetections {
  readonly zone: string;
  /** null: the zone was not found. */
  readonly zoneId: string | null;
  readonly detections: Result<readonly JudgedDetection[]>;
}

export interface DetectionReport {
  readonly kind: DetectedKind;
  /** A script with an integrity score below this is malicious. */
  readonly scoreBelow: number;
  readonly zones: readonly ZoneDetections[];
}

/**
 * A script is malicious when its integrity score is below the threshold. Anything is malicious whose domain or URL is
 * reported. A script without a score, or a connection without such flags, may be either.
 */
export function judge(kind: DetectedKind, { raw }: Pick<Detection, "raw">, scoreBelow: number): Verdict {
  const score = kind === "scripts" ? scoreOf(raw) : null;
  const reported = [raw.domain_reported_malicious, raw.url_reported_malicious].map(flagOf);
  const [ofDomain, ofUrl] = reported.map((each) => each === true);
  const reasons: readonly Reason[] = [
    ...(score !== null && score < scoreBelow ? (["score_below_threshold"] as const) : []),
    ...(ofDomain ? (["domain_reported"] as const) : []),
    ...(ofUrl ? (["url_reported"] as const) : []),
  ];
  const categories = [
    ...(ofDomain ? textsIn(raw.malicious_domain_categories) : []),
    ...(ofUrl ? textsIn(raw.malicious_url_categories) : []),
  ];
  const hasEvidence = kind === "scripts" ? score !== null : reported.includes(false);
  const isTold = hasEvidence && !reported.includes("unreadable");
  const malicious = reasons.length > 0 ? true : isTold ? false : null;
  return { malicious, reasons, categories: [...new Set(categories)] };
}

/** From 1 to 99. Null or absent: the Cloudflare plan has no scores, or the script was not analysed yet. */
export function scoreOf({ js_integrity_score: score }: JsonObject): number | null {
  if (typeof score === "string" && /^\d{1,9}(\.\d{1,9})?$/.test(score.trim())) return Number(score);
  return typeof score === "number" ? score : null;
}

/** Accepts flags written as text. Null: not given. Other values may mean either. */
function flagOf(value: Json = null): boolean | null | "unreadable" {
  const text = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (text === true || text === "true") return true;
  if (text === false || text === "false") return false;
  return text === null || text === "" ? null : "unreadable";
}

/** The layers of one object, before and after a plan. */
export interface LayerMove {
  /** The index among the zone's changes; null: the object stays as it is. */
  readonly change: number | null;
  readonly before: readonly Layer[];
  /** The base's layers, if they differ from `before`: new allowances are judged against them, too. */
  readonly inBase?: readonly Layer[];
  readonly after: readonly Layer[];
  /** What the object does before or after is unknown, and the change affects it. */
  readonly isUnknown?: true;
  /** The change makes the object block, or may. Absent: it does not. */
  readonly startsToBlock?: boolean;
  /** The change upgrades insecure loads, which policies of other objects may refuse. Absent: it does not. */
  readonly upgradesOthers?: boolean;
}

/** A script or connection that pages of a zone load. */
export interface Detected {
  /** Null: only browsers reported it, and reports can be forged. */
  readonly id: string | null;
  /** As the service gave it, unchecked. */
  readonly url: string;
  /** Known pages with this load, with or without a scheme. */
  readonly pages: readonly string[];
  /** The host with this load. */
  readonly host: string | null;
  /** Null: unknown. */
  readonly malicious: boolean | null;
  /** Whether the service itself puts it into pages. */
  readonly own: boolean;
  /** First and last detection, as the service says. */
  readonly seen?: { readonly first?: string; readonly last?: string };
  /** Reports by browsers; absent: unknown. */
  readonly reports?: Reports;
}

/** All reports of one load. */
export interface Reports {
  readonly count: number;
  /** The first and last known time, RFC 3339 to the second. Null: unknown. */
  readonly first: string | null;
  readonly last: string | null;
  /** All reports name only the load's origin, as browsers do after a redirect: its path is unknown. */
  readonly origin_only?: true;
  /** The URL is a prefix for several loads, which were too many to be kept. */
  readonly path_prefix?: true;
}

/**
 * Reports that cannot be tried against a policy: no list of URLs decides them, they are about neither scripts nor
 * connections, or their page or URL is unknown.
 */
export interface OtherReports {
  /** The id of the reporting object, as the reports name it. Null: any object may be meant. */
  readonly object: string | null;
  readonly what: "code" | "other_load" | "unnamed" | "too_long" | "not_read";
  /** The directive in the reports; empty: none. */
  readonly directive: string;
  /** Of what was not read: the logs. */
  readonly count: number;
}

export interface Detections {
  readonly scripts: readonly Detected[];
  readonly connections: readonly Detected[];
}

/** A detection with an impact. */
export interface ImpactEntry {
  /** Null: known from reports only. */
  readonly id: string | null;
  readonly url: string;
  readonly malicious: boolean | null;
  /** The first affected page; null: unknown. */
  readonly page: string | null;
  readonly own: boolean;
  readonly reports?: Reports;
}

/** What can happen to a detection. */
export type Happening = "newly_blocked" | "newly_reported" | "newly_allowed";

/** A detection with an open impact. */
export interface UndecidedEntry extends ImpactEntry {
  /** The possible impacts. */
  readonly may_be: readonly Happening[];
}

/** The impact on detections of one kind. A detection on several pages may be in several lists. */
export interface Moved {
  readonly newly_blocked: readonly ImpactEntry[];
  readonly newly_reported: readonly ImpactEntry[];
  readonly newly_allowed: readonly ImpactEntry[];
  readonly undecided: readonly UndecidedEntry[];
}

export interface Impact {
  readonly scripts: Moved;
  readonly connections: Moved;
}

/** Why the loads of some pages are unknown. */
export const UNSEEN = ["detection_off", "detection_unread", "nothing_seen"] as const;

export type Unseen = (typeof UNSEEN)[number];

/** The impact of a zone's policy changes on current loads. */
export interface ZoneImpact {
  /** The number of detections tried; 0: nothing changes for the kind; null: unread. */
  readonly tried: { readonly scripts: number | null; readonly connections: number | null };
  /** The number of loads known from reports only. Absent: none. */
  readonly onlyReported?: { readonly [kind in DetectedKind]: number };
  readonly total: Impact;
  /** The part of the total that a change's own layers cause, by the index of the change. */
  readonly byChange: ReadonlyMap<number, Impact>;
  /** For changes that begin to block: further reports about their policies, which the change would block too. */
  readonly reportedBesides?: ReadonlyMap<number, readonly OtherReports[]>;
  /** For changes that begin to block: for how many days the service has seen their pages. */
  readonly evidenceDays: ReadonlyMap<number, number>;
  /** Changes whose impact on loads of these kinds is unknown. */
  readonly unseen: ReadonlyMap<number, UnseenLoads>;
}

interface UnseenLoads {
  readonly why: Unseen;
  readonly kinds: readonly DetectedKind[];
}
