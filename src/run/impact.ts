import type { Client } from "../api/client.js";
import { listDetections } from "../api/detections.js";
import { affectedKinds, changesWithoutDetections, impactOf, movedKinds } from "../impact/impact-of.js";
import { evidenceOf } from "../impact/readiness.js";

import { readFlag } from "../kinds/fields.js";
import { budgeted } from "../model/comparing.js";
import {
  type Detected,
  type DetectedKind,
  type Detection,
  type Detections,
  judge,
  type OtherReports,
  type Unseen,
} from "../model/detection.js";
import { besidesText } from "../model/evidence.js";
import { isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import type { ZonePlan } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
import { says } from "../model/sentence.js";
import type { Service } from "../model/wanted.js";
import { nameOf } from "../plan/wording.js";
import type { ImpactReading } from "./files.js";
import type { Reported } from "./logs.js";
import { withoutExposedSecret } from "./secrets.js";

interface ImpactContext extends Reported {
  readonly client: Pick<Client, "redact" | "isCredentialIn">;
  readonly service: Service;
  readonly secrets: readonly string[];
  readonly impact?: ImpactReading | undefined;
}

/**
 * The plan with what it means for the scripts and connections that run in the zone today. They are read only where
 * the plan changes what is allowed of their kind; where they cannot be read, the plan says so and is made all the same.
 */
export async function withImpact(
  plan: ZonePlan,
  reads: ReadApi & { readonly requests: number },
  { client, service, secrets, impact: reading, withReports, othersOf }: ImpactContext,
): Promise<Result<ZonePlan>> {
  const moving = movedKinds(plan.moves);
  if (moving === null) return ok(plan);
  if (reading === "as planned") return ok(plan);
  if (reading === "none") return ok(withoutImpact(plan, moving));
  const read = (kind: DetectedKind) => listDetections(reads, plan.zoneId, kind, RUNNING);
  const touched = affectedKinds(plan.moves);
  const [scripts, connections, detecting] = await Promise.all([
    moving.has("script") ? read("scripts") : NOTHING,
    moving.has("connection") ? read("connections") : NOTHING,
    touched.size > 0 ? isDetecting(reads, plan.zoneId) : ok(true),
  ]);
  const scoreBelow = service.limits.malicious_score_below;
  const detected = {
    scripts: detectedOf("scripts", scripts, scoreBelow),
    connections: detectedOf("connections", connections, scoreBelow),
  };
  const joined = withReports?.(plan.zone, detected) ?? detected;
  // Beside what was not read, nobody knows which loads only reports speak for.
  const loads = {
    scripts: moving.has("script") && scripts.ok ? joined.scripts : [],
    connections: moving.has("connection") && connections.ok ? joined.connections : [],
  };
  const tried = {
    scripts: scripts.ok ? loads.scripts.length : null,
    connections: connections.ok ? loads.connections.length : null,
  };
  const lost = (kind: DetectedKind) =>
    `The detected ${kind} of ${plan.zone} could not be read, so the plan does not say which of them it would block or allow${withReports === undefined ? "" : `, and what browsers reported of ${kind} is not tried either`}`;
  const dark = `Whether the service looks at what pages of ${plan.zone} load could not be read, so nobody knows what runs there that was not detected`;
  const unread = [
    ...notKnown(scripts, lost("scripts"), client),
    ...notKnown(connections, lost("connections"), client),
    ...notKnown(detecting, dark, client),
  ];
  const { value: found, problems: notCompared } = budgeted(
    plan.zone,
    () => ({
      // Only what the service has seen itself makes known what these pages load: a report can be made up.
      blind: detecting.ok && detecting.value ? changesWithoutDetections(plan.moves, detected) : touched,
      evidenceDays: new Map(
        plan.moves.flatMap(({ change, after, startsToBlock }) =>
          change !== null && startsToBlock === true
            ? [[change, evidenceOf(after, detected).days] as const]
            : [],
        ),
      ),
      impact: impactOf(plan.moves, loads),
    }),
    MOST_WORK,
  );
  const { blind, evidenceDays, impact } = found;
  const why: Unseen = !detecting.ok ? "detection_unread" : detecting.value ? "nothing_seen" : "detection_off";
  const unseen = [...touched].flatMap(([change, all]) => {
    const kinds = all.filter((kind) => tried[kind] !== null);
    return blind.has(change) && kinds.length > 0 ? [[change, { why, kinds }] as const] : [];
  });
  const reportedBesides = new Map(
    [...evidenceDays.keys()].flatMap((change) => {
      // What is new has had nothing reported.
      const id = plan.changes[change]?.ref.id ?? null;
      const found = id === null ? [] : (othersOf?.(plan.zone, id) ?? []);
      return found.length === 0 ? [] : [[change, found] as const];
    }),
  );
  const known = {
    ...plan,
    counts: { ...plan.counts, requests: reads.requests },
    impact: {
      tried,
      reportedBesides,
      ...(withReports === undefined ? {} : { onlyReported: onlyReportedIn(loads) }),
      ...impact,
      evidenceDays,
      unseen: new Map(unseen),
    },
    problems: [
      ...plan.problems,
      // The plan may have told the same of its own comparing.
      ...notCompared.filter(({ code }) => !plan.problems.some((each) => each.code === code)),
      ...unread,
      ...notTried(plan, reportedBesides),
    ],
  };
  return withoutExposedSecret(known, client, secrets);
}

/** Thousands of loads and pages are tried with each policy: some seconds. */
const MOST_WORK = 600_000_000;

/** What the plan's loads do not have, people are told of: it may be blocked all the same. */
function notTried(
  { changes }: ZonePlan,
  reported: ReadonlyMap<number, readonly OtherReports[]>,
): readonly Problem[] {
  return changes.flatMap((change, index) => {
    const found = reported.get(index) ?? [];
    if (found.length === 0) return [];
    const detail = `${nameOf(change.ref)} begins to block. Browsers reported of it what is none of the loads that the plan tries, and it may block that: ${besidesText(found)}.`;
    return [
      {
        code: "reported_besides",
        severity: "warning",
        summary: "More may be blocked than loads by URL",
        detail,
        at: change.at,
      },
    ];
  });
}

function onlyReportedIn({ scripts, connections }: Detections): Record<DetectedKind, number> {
  const count = (all: readonly Detected[]) => all.filter(({ id }) => id === null).length;
  return { scripts: count(scripts), connections: count(connections) };
}

/** Nobody has asked for it: what would be blocked or allowed counts as what could not be read. */
function withoutImpact(plan: ZonePlan, moving: ReadonlySet<string>): ZonePlan {
  const tried = {
    scripts: moving.has("script") ? null : 0,
    connections: moving.has("connection") ? null : 0,
  };
  const detail = says`What runs in the zone was not read, as ${{ flag: "no-impact" }} says, so the plan does not say what of it would be blocked or allowed.`;
  const note = problem("impact_not_asked", "The impact was not asked for", detail);
  const none = impactOf(plan.moves, { scripts: [], connections: [] });
  return {
    ...plan,
    impact: { tried, ...none, evidenceDays: new Map(), unseen: new Map() },
    problems: [...plan.problems, { ...note, severity: "note" }],
  };
}

/** All that was seen in the last days, however rarely: a policy blocks the service's own scripts like any other. */
const RUNNING = { hosts: [], statuses: ["active", "infrequent"], all: true } as const;

/**
 * Whether the service looks at what pages load. Zones whose files manage the settings have read them already. What does
 * not say so is not known to.
 */
export async function isDetecting(reads: ReadApi, zoneId: string): Promise<Result<boolean>> {
  const path = `/zones/${zoneId}/page_shield`;
  const answer = await reads.get(path);
  if (!answer.ok) return answer;
  if (answer.value === null) return ok(false);
  const enabled = isObject(answer.value) ? readFlag(answer.value.enabled ?? null) : null;
  if (typeof enabled === "boolean") return ok(enabled);
  const detail = `GET ${path} answered without saying whether the service is enabled.`;
  return failed(problem("unexpected_answer", "The service gave settings of another shape", detail));
}

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

/** All that runs in a zone today. */
export async function readDetected(
  reads: ReadApi,
  zoneId: string,
  scoreBelow: number,
): Promise<Result<Detections>> {
  const [scripts, connections] = await Promise.all([
    listDetections(reads, zoneId, "scripts", RUNNING),
    listDetections(reads, zoneId, "connections", RUNNING),
  ]);
  if (!scripts.ok) return scripts;
  if (!connections.ok) return connections;
  return ok({
    scripts: detectedOf("scripts", scripts, scoreBelow),
    connections: detectedOf("connections", connections, scoreBelow),
  });
}

/** Lists have the first page alone. */
function pagesOf({ first_page_url: first, page_urls }: JsonObject): readonly string[] {
  return [...new Set(textsIn([first ?? null]).concat(textsIn(page_urls)))];
}

function notKnown(read: Result<unknown>, what: string, client: ImpactContext["client"]): readonly Problem[] {
  if (read.ok) return [];
  const [reason] = client.redact(read.problems);
  const why = reason === undefined ? "" : ` ${reason.summary}: ${reason.detail}`;
  return [
    { ...problem("impact_not_known", "The impact is not known", `${what}.${why}`), severity: "warning" },
  ];
}
