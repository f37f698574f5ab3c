import { listDetections } from "../api/detections.js";
import { readFlag } from "../kinds/fields.js";
import {
  type Detected,
  type DetectedKind,
  type Detection,
  type Detections,
  judge,
} from "../model/detection.js";
import { isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
import type { Reported } from "./given-logs.js";

/** The scripts and connections that pages of a zone load today. */
export interface Running {
  /** The service's own detections. Empty for a kind that was not requested, or could not be read. */
  readonly detected: Detections;
  /** The detections, with the loads that browsers reported. */
  readonly loads: Detections;
  /** Whether detection is on. Null: unknown. */
  readonly detecting: boolean | null;
  /** The reasons of failed reads. */
  readonly unread: { readonly [what in DetectedKind | "detecting"]?: readonly Problem[] };
}

export interface RunningAsked {
  readonly zone: string;
  readonly zoneId: string;
  readonly kinds: readonly DetectedKind[];
  /** Whether to read if detection is on. */
  readonly detecting: boolean;
  /** A script with an integrity score below this is malicious. */
  readonly scoreBelow: number;
}

export async function readRunning(
  reads: ReadApi,
  { zone, zoneId, kinds, detecting: isAsked, scoreBelow }: RunningAsked,
  { withReports }: Reported,
): Promise<Running> {
  const read = (kind: DetectedKind) =>
    kinds.includes(kind) ? listDetections(reads, zoneId, kind, ALL_ACTIVE) : NOTHING;
  const [scripts, connections, detecting] = await Promise.all([
    read("scripts"),
    read("connections"),
    isAsked ? isDetecting(reads, zoneId) : ok(true),
  ]);
  const detected = {
    scripts: detectedOf("scripts", scripts, scoreBelow),
    connections: detectedOf("connections", connections, scoreBelow),
  };
  const joined = withReports?.(zone, detected) ?? detected;
  const isKnown = (kind: DetectedKind, { ok: isRead }: Result<unknown>) => kinds.includes(kind) && isRead;
  return {
    detected,
    // Without the detections, it is unknown which loads are only reported.
    loads: {
      scripts: isKnown("scripts", scripts) ? joined.scripts : [],
      connections: isKnown("connections", connections) ? joined.connections : [],
    },
    detecting: detecting.ok ? detecting.value : null,
    unread: {
      ...(scripts.ok ? {} : { scripts: scripts.problems }),
      ...(connections.ok ? {} : { connections: connections.problems }),
      ...(detecting.ok ? {} : { detecting: detecting.problems }),
    },
  };
}

/** Rare loads and the service's own scripts too: a policy blocks them like any other. */
const ALL_ACTIVE = { hosts: [], statuses: ["active", "infrequent"], all: true } as const;

const NOTHING: Result<readonly Detection[]> = ok([]);

/** Whether detection is on. Zones whose files manage the settings have read them already. */
async function isDetecting(reads: ReadApi, zoneId: string): Promise<Result<boolean>> {
  const path = `/zones/${zoneId}/page_shield`;
  const answer = await reads.get(path);
  if (!answer.ok) return answer;
  if (answer.value === null) return ok(false);
  const enabled = isObject(answer.value) ? readFlag(answer.value.enabled ?? null) : null;
  if (typeof enabled === "boolean") return ok(enabled);
  const detail = `GET ${path} returned no setting enabled.`;
  return failed(problem("unexpected_answer", "Unexpected settings from the service", detail));
}

function detectedOf(
  kind: DetectedKind,
  read: Result<readonly Detection[]>,
  scoreBelow: number,
): readonly Detected[] {
  if (!read.ok) return [];
  return read.value.map((detection) => ({
    id: detection.id,
    url: detection.url,
    pages: pagesOf(detection.raw),
    host: typeof detection.raw.host === "string" ? detection.raw.host : null,
    malicious: judge(kind, detection, scoreBelow).malicious,
    own: detection.raw.url_contains_cdn_cgi_path === true,
    seen: {
      ...timeAs("first", detection.raw.first_seen_at),
      ...timeAs("last", detection.raw.last_seen_at),
    },
  }));
}

/** Future times count as now: a future day is no evidence. */
function timeAs<K extends string>(key: K, value: Json | undefined): { readonly [key in K]?: string } {
  if (typeof value !== "string") return {};
  const nowMs = Date.now();
  const time = Date.parse(value) > nowMs ? new Date(nowMs).toISOString() : value;
  return { [key]: time } as { readonly [key in K]: string };
}

/** Entries of lists have the first page only. */
function pagesOf({ first_page_url: first, page_urls }: JsonObject): readonly string[] {
  return [...new Set(textsIn([first ?? null]).concat(textsIn(page_urls)))];
}
