import type { Client } from "../api/client.js";
import { affectedKinds, changesWithoutDetections, impactOf, movedKinds } from "../impact/impact-of.js";
import { evidenceOf } from "../impact/readiness.js";
import type { DetectedKind, OtherReports, Unseen, ZoneImpact } from "../model/detection.js";
import { besidesText } from "../model/evidence.js";
import type { ZonePlan } from "../model/plan.js";
import { note, ok, type Problem, type Result, warning } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
import { says } from "../model/sentence.js";
import { budgeted } from "../model/work-budget.js";
import { nameOf } from "../plan/value-words.js";
import { type Running, readRunning } from "./detected-loads.js";
import type { Reported } from "./given-logs.js";
import type { RunContext } from "./plan-zone.js";
import { withoutExposedSecret } from "./secrets.js";

/**
 * Adds to a plan the impact on detected scripts and connections. Each is read only if the plan changes what policies allow
 * of it. If a read fails, the impact is unknown and the plan has a warning.
 */
export async function withImpact(
  plan: ZonePlan,
  reads: ReadApi & { readonly requests: number },
  { client, service, secrets, impact: reading, withReports, othersOf }: RunContext,
): Promise<Result<ZonePlan>> {
  const { moves } = plan.meaning;
  const moving = movedKinds(moves);
  if (moving === null || reading === "as planned") return ok(plan);
  if (reading === "none") return ok(withoutImpact(plan, moving));
  const asked = {
    zone: plan.zone,
    zoneId: plan.place.id,
    kinds: [
      ...(moving.has("script") ? (["scripts"] as const) : []),
      ...(moving.has("connection") ? (["connections"] as const) : []),
    ],
    detecting: affectedKinds(moves).size > 0,
    scoreBelow: service.limits.malicious_score_below,
  };
  const running = await readRunning(reads, asked, { withReports });
  const { value: found, problems: notCompared } = budgeted(
    plan.zone,
    () => impactIn(plan, running, othersOf),
    MOST_WORK,
  );
  const impact = {
    ...found,
    ...(withReports === undefined ? {} : { onlyReported: onlyReportedIn(running) }),
  };
  const known = {
    ...plan,
    counts: { ...plan.counts, requests: reads.requests },
    meaning: { ...plan.meaning, impact },
    problems: [
      ...plan.problems,
      // The plan may have the same problem from its own comparisons.
      ...notCompared.filter(({ code }) => !plan.problems.some((each) => each.code === code)),
      ...unreadIn(running, plan.zone, withReports !== undefined, client),
      ...notTried(plan, impact.reportedBesides),
    ],
  };
  return withoutExposedSecret(known, client, secrets);
}

/** The impact of a plan's changes. */
function impactIn(
  { zone, changes, meaning: { moves } }: ZonePlan,
  { detected, loads, detecting, unread }: Running,
  othersOf: Reported["othersOf"],
) {
  const tried = {
    scripts: unread.scripts === undefined ? loads.scripts.length : null,
    connections: unread.connections === undefined ? loads.connections.length : null,
  };
  const touched = affectedKinds(moves);
  // Reports can be forged, so only detections are evidence of loads.
  const blind = detecting === true ? changesWithoutDetections(moves, detected) : touched;
  const why: Unseen = detecting === null ? "detection_unread" : detecting ? "nothing_seen" : "detection_off";
  const unseen = [...touched].flatMap(([change, all]) => {
    const kinds = all.filter((kind) => tried[kind] !== null);
    return blind.has(change) && kinds.length > 0 ? [[change, { why, kinds }] as const] : [];
  });
  const starting = moves.flatMap(({ change, after, startsToBlock }) =>
    change !== null && startsToBlock === true ? [{ change, after }] : [],
  );
  const reportedBesides = starting.flatMap(({ change }) => {
    // A new object has no reports yet.
    const id = changes[change]?.ref.id ?? null;
    const found = id === null ? [] : (othersOf?.(zone, id) ?? []);
    return found.length === 0 ? [] : [[change, found] as const];
  });
  return {
    tried,
    ...impactOf(moves, loads),
    reportedBesides: new Map(reportedBesides),
    evidenceDays: new Map(
      starting.map(({ change, after }) => [change, evidenceOf(after, detected).days] as const),
    ),
    unseen: new Map(unseen),
  } satisfies ZoneImpact;
}

/** Trying thousands of loads on thousands of pages with each policy takes some seconds at this limit. */
const MOST_WORK = 600_000_000;

/** Why detections are incomplete. */
function unreadIn(
  { unread }: Running,
  zone: string,
  hasReports: boolean,
  client: Client,
): readonly Problem[] {
  const lost = (kind: DetectedKind) =>
    `The detected ${kind} of ${zone} could not be read, so their impact is unknown${hasReports ? `, also for reported ${kind}` : ""}`;
  const dark = `Detection settings of ${zone} could not be read, so evidence is incomplete`;
  return [
    ...notKnown(unread.scripts, lost("scripts"), client),
    ...notKnown(unread.connections, lost("connections"), client),
    ...notKnown(unread.detecting, dark, client),
  ];
}

function notKnown(
  read: readonly Problem[] | undefined,
  consequence: string,
  client: Client,
): readonly Problem[] {
  if (read === undefined) return [];
  const [reason] = client.redact(read);
  const why = reason === undefined ? "" : ` ${reason.summary}: ${reason.detail}`;
  return [warning("impact_not_known", "Impact unknown", `${consequence}.${why}`)];
}

/** Warns of reports that name no load, such as inline code: these may be blocked too. */
function notTried(
  { changes }: ZonePlan,
  reported: ReadonlyMap<number, readonly OtherReports[]>,
): readonly Problem[] {
  return changes.flatMap(({ index, ref, at }) => {
    const found = reported.get(index) ?? [];
    if (found.length === 0) return [];
    const detail = `${nameOf(ref)} starts to block. It may also block loads that reports do not name by URL: ${besidesText(found)}.`;
    return [warning("reported_besides", "Reports without a URL may be blocked", detail, at)];
  });
}

function onlyReportedIn({ loads: { scripts, connections } }: Running): Record<DetectedKind, number> {
  const count = (all: typeof scripts) => all.filter(({ id }) => id === null).length;
  return { scripts: count(scripts), connections: count(connections) };
}

/** With --no-impact, guardrails treat impact as if it could not be read. */
function withoutImpact(plan: ZonePlan, moving: ReadonlySet<string>): ZonePlan {
  const tried = {
    scripts: moving.has("script") ? null : 0,
    connections: moving.has("connection") ? null : 0,
  };
  const detail = says`Detections were not read because of ${{ flag: "no-impact" }}, so the impact is unknown.`;
  const notAsked = note("impact_not_asked", "Impact not read", detail);
  const none = impactOf(plan.meaning.moves, { scripts: [], connections: [] });
  return {
    ...plan,
    meaning: {
      ...plan.meaning,
      impact: { tried, ...none, evidenceDays: new Map(), unseen: new Map() },
    },
    problems: [...plan.problems, notAsked],
  };
}
