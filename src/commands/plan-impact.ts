import type { Client } from "../api/client.js";
import { listDetections } from "../api/detections.js";
import { impactOf, movedKinds } from "../impact/index.js";
import { type DetectedKind, type Detection, judge } from "../model/detection.js";
import type { Detected } from "../model/impact.js";
import { type JsonObject, textsIn } from "../model/json.js";
import type { ZonePlan } from "../model/plan.js";
import { ok, type Problem, problem, type Result } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
import type { Service } from "../model/wanted.js";
import { unexposed } from "./exposed.js";

interface Around {
  readonly client: Pick<Client, "conceal" | "isCredentialIn">;
  readonly service: Service;
  readonly secrets: readonly string[];
}

/**
 * The plan with what it means for the scripts and connections that run in the zone today. They are read only where
 * something moves for their kind; where they cannot be read, the plan says so and stands.
 */
export async function withImpact(
  plan: ZonePlan,
  reads: Pick<ReadApi, "list"> & { readonly requests: number },
  { client, service, secrets }: Around,
): Promise<Result<ZonePlan>> {
  const moving = movedKinds(plan.moves);
  if (moving === null) return ok(plan);
  const read = (kind: DetectedKind) => listDetections(reads, plan.zoneId, kind, RUNNING);
  const [scripts, connections] = await Promise.all([
    moving.has("script") ? read("scripts") : NOTHING,
    moving.has("connection") ? read("connections") : NOTHING,
  ]);
  const scoreBelow = service.limits.malicious_score_below;
  const detected = {
    scripts: detectedOf("scripts", scripts, scoreBelow),
    connections: detectedOf("connections", connections, scoreBelow),
  };
  const tried = {
    scripts: scripts.ok ? detected.scripts.length : null,
    connections: connections.ok ? detected.connections.length : null,
  };
  const unread = [
    ...notKnown("scripts", scripts, plan.zone, client),
    ...notKnown("connections", connections, plan.zone, client),
  ];
  const known = {
    ...plan,
    counts: { ...plan.counts, requests: reads.requests },
    impact: { tried, ...impactOf(plan.moves, detected) },
    problems: [...plan.problems, ...unread],
  };
  return unexposed(known, client, secrets);
}

/** All that was seen in the last days, however rarely: a policy blocks the service's own scripts like any other. */
const RUNNING = { hosts: [], statuses: ["active", "infrequent"], all: true } as const;

/** What nothing is asked about. */
const NOTHING: Result<readonly Detection[]> = ok([]);

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
  }));
}

/** Lists have the first page alone. */
function pagesOf({ first_page_url: first, page_urls }: JsonObject): readonly string[] {
  return [...new Set(textsIn([first ?? null]).concat(textsIn(page_urls)))];
}

function notKnown(
  kind: DetectedKind,
  read: Result<readonly Detection[]>,
  zone: string,
  client: Around["client"],
): readonly Problem[] {
  if (read.ok) return [];
  const [reason] = client.conceal(read.problems);
  const why = reason === undefined ? "" : ` ${reason.summary}: ${reason.detail}`;
  const detail = `The detected ${kind} of ${zone} could not be read, so the plan does not say which of them it would block or allow.${why}`;
  return [{ ...problem("impact_not_known", "The impact is not known", detail), severity: "warning" }];
}
