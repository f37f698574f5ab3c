import { type Json, type JsonObject, textsIn } from "./json.js";
import type { Result } from "./problem.js";
import type { Layer } from "./strength.js";

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
  const says = kind === "scripts" ? score !== null : reported.includes(false);
  const isTold = says && !reported.includes("unreadable");
  const malicious = reasons.length > 0 ? true : isTold ? false : null;
  return { malicious, reasons, categories: [...new Set(categories)] };
}

/** From 1 to 99 where there is one; null or absent where the plan has none, or the script was not looked at yet. */
export function scoreOf({ js_integrity_score: score }: JsonObject): number | null {
  if (typeof score === "string" && /^\d{1,9}(\.\d{1,9})?$/.test(score.trim())) return Number(score);
  return typeof score === "number" ? score : null;
}

/** A flag as text is that flag. Null: nothing is said. What is said in another way may be either. */
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
  /** As the base has them, where they are others than before: what is newly allowed is judged from there too. */
  readonly past?: readonly Layer[];
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
  /** Null: the service has not detected it, only browsers have reported it. Anybody can make up a report. */
  readonly id: string | null;
  /** As the service gave it: anything may stand there. */
  readonly url: string;
  /** The pages where it was seen, as far as the service names them: with or without a scheme. */
  readonly pages: readonly string[];
  /** The host where it was seen. */
  readonly host: string | null;
  /** Null: there is nothing to tell by. */
  readonly malicious: boolean | null;
  /** One of the service's own, which it puts into pages itself. */
  readonly own: boolean;
  /** When the service has seen it first, and last, as it says. */
  readonly seen?: { readonly first?: string; readonly last?: string };
  /** What browsers reported of it; absent: nothing is known of that. */
  readonly reports?: Reports;
}

/** Reports by browsers of one load, as one. */
export interface Reports {
  readonly count: number;
  /** Of those that say when: the first and the last, RFC 3339 to the second. Null: none says so. */
  readonly first: string | null;
  readonly last: string | null;
  /** All of them name the load's origin alone, as browsers do after a redirect: its path is not known. */
  readonly origin_only?: true;
  /** The URL stands for all that begin with it, which were too many to be kept one by one. */
  readonly path_prefix?: true;
}

/**
 * What browsers reported that is not tried: no list of URLs decides it, it is no script and no connection, or its page or
 * URL is not known.
 */
export interface OtherReports {
  /** The id of what has them sent, as they say it. Null: they name too many, and it may be any. */
  readonly object: string | null;
  readonly what: "code" | "other_load" | "unnamed" | "too_long";
  /** As the reports say it; empty: they do not. */
  readonly directive: string;
  readonly count: number;
}

export interface Detections {
  readonly scripts: readonly Detected[];
  readonly connections: readonly Detected[];
}

/** A detection to which something happens. */
export interface ImpactEntry {
  /** Null: only reports speak for it. */
  readonly id: string | null;
  readonly url: string;
  readonly malicious: boolean | null;
  /** The first of its pages where it happens; null: no page of it is known. */
  readonly page: string | null;
  readonly own: boolean;
  readonly reports?: Reports;
}

/** What can happen to a detection. */
export type Happening = "newly_blocked" | "newly_reported" | "newly_allowed";

/** A detection of which it is open what happens to it. */
export interface UndecidedEntry extends ImpactEntry {
  /** What it may be. */
  readonly may_be: readonly Happening[];
}

/** What happens to detections of one kind. One that was seen on several pages can be in several of the lists. */
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

/** Why it is not known what some pages load. */
export const UNSEEN = ["detection_off", "detection_unread", "nothing_seen"] as const;

export type Unseen = (typeof UNSEEN)[number];

/** What a zone's policy changes mean for what runs there today. */
export interface ZoneImpact {
  /** How many detections were tried: none where nothing moves for their kind; null: they could not be read. */
  readonly tried: { readonly scripts: number | null; readonly connections: number | null };
  /** How many of these only reports speak for. Absent: none. */
  readonly onlyReported?: { readonly [kind in DetectedKind]: number };
  readonly total: Impact;
  /** By the index of the change: what of the total its own layers bring about. */
  readonly byChange: ReadonlyMap<number, Impact>;
  /** Of changes that begin to block: what else their policies have had reported, which they block from then on. */
  readonly reportedBesides?: ReadonlyMap<number, readonly OtherReports[]>;
  /** Of changes that begin to block: how many days the service has seen their pages for. */
  readonly evidenceDays: ReadonlyMap<number, number>;
  /** Changes whose impact on loads of these kinds is unknown. */
  readonly unseen: ReadonlyMap<number, UnseenLoads>;
}

interface UnseenLoads {
  readonly why: Unseen;
  readonly kinds: readonly DetectedKind[];
}
