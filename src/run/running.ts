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
import type { Reported } from "./logs.js";

/** What runs in a zone today: the scripts and connections that its pages load. */
export interface Running {
  /** What the service detected itself. Of a kind that was not asked for, or could not be read: nothing. */
  readonly detected: Detections;
  /** The same with what browsers reported. */
  readonly loads: Detections;
  /** Whether the service looks at what pages load. Null: that could not be read. */
  readonly detecting: boolean | null;
  /** Why something could not be read. */
  readonly unread: { readonly [what in DetectedKind | "detecting"]?: readonly Problem[] };
}

/** What is to be read of what runs. */
export interface RunningAsked {
  readonly zone: string;
  readonly zoneId: string;
  readonly kinds: readonly DetectedKind[];
  /** Whether the zone's detection has to be known. */
  readonly detecting: boolean;
  /** A script with an integrity score below this is malicious. */
  readonly scoreBelow: number;
}

/** Reads what runs in a zone. What cannot be read is said in `unread`. */
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
    // Beside detections that were not read, the loads that only reports name are unknown.
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

/** All that was seen in the last days, however rarely: a policy blocks the service's own scripts like any other. */
const ALL_ACTIVE = { hosts: [], statuses: ["active", "infrequent"], all: true } as const;

/** The answer where nothing is asked. */
const NOTHING: Result<readonly Detection[]> = ok([]);

/**
 * Whether the service looks at what pages load. Zones whose files manage the settings have read them already. What does
 * not say so is not known to.
 */
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

/** Nothing was seen later than now, whatever is said: a day that is to come is none of evidence. */
function timeAs<K extends string>(key: K, value: Json | undefined): { readonly [key in K]?: string } {
  if (typeof value !== "string") return {};
  const nowMs = Date.now();
  const time = Date.parse(value) > nowMs ? new Date(nowMs).toISOString() : value;
  return { [key]: time } as { readonly [key in K]: string };
}

/** Lists have the first page alone. */
function pagesOf({ first_page_url: first, page_urls }: JsonObject): readonly string[] {
  return [...new Set(textsIn([first ?? null]).concat(textsIn(page_urls)))];
}
