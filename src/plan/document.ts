import { kindNamed } from "../kinds/index.js";
import { inDashboard } from "../model/dashboard.js";
import type { DetectedKind, Moved, ZoneImpact } from "../model/detection.js";
import { isDrift, type Origin, originOf, originOfAll } from "../model/item.js";
import type { Action, Change, Step, ZoneFailure, ZonePlan } from "../model/plan.js";
import { hasErrors, type Problem, type Span } from "../model/problem.js";
import type { LinesRead, MovedLines } from "../model/request-lines.js";
import { type Spelling, textOf } from "../model/sentence.js";
import type { Effect, Shift } from "../model/strength.js";
import { listedBy, type Unmanaged } from "../model/unmanaged.js";
import type { TestResult } from "../model/zone-tests.js";
import { effectOf } from "../strength/index.js";
import { callOf, FORMAT_VERSION, hasCall, pathOf, runDigest, seenOf } from "./digest.js";
import type {
  Diagnostic,
  Guardrail,
  ImpactSummary,
  ImpactSums,
  PlanDocument,
  PlanInputs,
  PlannedCall,
  PlannedChange,
  PlannedDimension,
  PlannedZone,
  SourcePlace,
  UnmanagedObject,
} from "./generated/plan-document.js";
import type { RunBreach } from "./guardrails/index.js";

export type ZoneOutcome =
  | { readonly ok: true; readonly plan: ZonePlan }
  | { readonly ok: false; readonly failure: ZoneFailure };

/** The effect of changes on logged requests. */
export interface RequestLines {
  readonly read: LinesRead;
  /** By the zone's name, then by the index of the change in its zone. */
  readonly moved: ReadonlyMap<string, ReadonlyMap<number, MovedLines>>;
}

interface RunFacts {
  readonly inputs: PlanInputs;
  readonly breaches: readonly RunBreach[];
  /** The base's name in plan documents. Null: no base, or it could not be read. */
  readonly base: string | null;
  /** The number of zones that were not read, since the files do not change them. Null: all zones are planned. */
  readonly asInBase: number | null;
  /** The number of zones that are not selected. Null: all are. */
  readonly leftOut: number | null;
  /** Guardrails lifted by `--allow`. */
  readonly allowed: readonly string[];
  /** Absent: no logs were given. */
  readonly requestLines?: RequestLines | undefined;
  /** Requests made for all zones together. */
  readonly sharedRequests: number;
  readonly warnings: readonly Problem[];
  /** How messages name options. Absent: as on the command line. */
  readonly spelling?: Spelling;
}

/** The plans of a run's zones as the document that is printed, kept and compared. */
export function encode(zones: readonly ZoneOutcome[], facts: RunFacts): PlanDocument {
  const plans = plansIn(zones);
  const failures = zones.flatMap((each) => (each.ok ? [] : [each.failure]));
  const offsetOf = offsetsIn(plans);
  const calls = plans.flatMap((plan) => plan.steps.map((step) => encodeCall(step, plan.zone, offsetOf)));
  const guardrails = facts.breaches.map((each) => encodeBreach(each, facts, offsetOf));
  const diagnostic = diagnosing(facts.spelling);
  return {
    format_version: FORMAT_VERSION,
    summary: summaryOf(zones, calls.length, facts),
    inputs: facts.inputs,
    ...(facts.base === null ? {} : { base: facts.base }),
    ...(facts.requestLines === undefined ? {} : { request_lines: facts.requestLines.read }),
    changes: plans.flatMap((plan) =>
      plan.changes.map((change) =>
        encodeChange(plan, change, facts.inputs, facts.requestLines?.moved.get(plan.zone)?.get(change.index)),
      ),
    ),
    calls,
    zones: zones.map((each) => encodeZone(each, diagnostic)),
    unmanaged: plans.flatMap(encodeUnmanaged),
    guardrails,
    seen: plans.flatMap(({ zone, live }) => live.seen.map((each) => ({ zone, ...seenOf(each) }))),
    digest: runDigest(
      plans.map((plan) => plan.digest),
      { ...facts, guardrails },
      zones.map((each) => (each.ok ? each.plan.zone : each.failure.zone)),
    ),
    diagnostics: [
      ...facts.warnings.map((each) => diagnostic(each)),
      ...[...plans, ...failures].flatMap(({ zone, problems }) =>
        problems.map((each) => diagnostic(each, zone)),
      ),
    ],
  };
}

function summaryOf(
  zones: readonly ZoneOutcome[],
  calls: number,
  { asInBase, leftOut, sharedRequests }: RunFacts,
): PlanDocument["summary"] {
  const plans = plansIn(zones);
  const unmanaged = plans.flatMap(({ live }) => live.unmanaged);
  const requestsOf = (each: ZoneOutcome) => (each.ok ? each.plan.counts.requests : each.failure.requests);
  return {
    zones: zones.length,
    ...(asInBase === null ? {} : { as_in_base: asInBase }),
    ...(leftOut === null ? {} : { left_out: leftOut }),
    ...sumCounts(plans),
    unmanaged: unmanaged.length,
    not_listed: unmanaged.filter(({ known }) => known === "not_listed").length,
    calls,
    requests: sharedRequests + sum(zones, requestsOf),
    effects: countEffects(plans),
    origins: countOrigins(plans),
    impact: impactSummary(plans),
  };
}

function plansIn(zones: readonly ZoneOutcome[]): readonly ZonePlan[] {
  return zones.flatMap((each) => (each.ok ? [each.plan] : []));
}

/** Objects that `unmanaged` does not list come first; among them, the worst effect first. */
function encodeUnmanaged({ zone, place, live: { unmanaged } }: ZonePlan): UnmanagedObject[] {
  const rank = ({ known, effect }: Unmanaged) => KNOWN.indexOf(known) * WORST.length + WORST.indexOf(effect);
  return unmanaged
    .toSorted((a, b) => rank(a) - rank(b))
    .map((each) => {
      const { ref, list, does, effect, fields, known } = each;
      return {
        zone,
        kind: ref.kind,
        key: ref.key,
        id: ref.id,
        does,
        effect,
        ...(fields === undefined ? {} : { fields }),
        known,
        list,
        list_as: listedBy(each),
        ...dashboardPart(ref.kind, zone, place.accountId),
      };
    });
}

const KNOWN: readonly Unmanaged["known"][] = ["not_listed", "newly_listed", "listed"];
const WORST: readonly Effect[] = ["weakens", "unknown", "mixed", "strengthens", "neutral"];

function sum<T>(all: readonly T[], amountOf: (each: T) => number): number {
  return all.reduce((total, each) => total + amountOf(each), 0);
}

function sumCounts(plans: readonly ZonePlan[]) {
  const changes = plans.flatMap((plan) => plan.changes);
  const calling = changes.filter(hasCall);
  const taken = changes.length - calling.length;
  const count = (action: Action) => calling.filter((each) => each.action === action).length;
  return {
    create: count("create"),
    update: count("update"),
    delete: count("delete"),
    ...(taken === 0 ? {} : { taken_over: taken }),
    unchanged: sum(plans, (plan) => plan.counts.unchanged),
  };
}

function countEffects(plans: readonly ZonePlan[]): Record<Effect, number> {
  const counts = { strengthens: 0, weakens: 0, mixed: 0, neutral: 0, unknown: 0 };
  for (const { changes } of plans) for (const { shifts } of changes) counts[effectOf(shifts)] += 1;
  return counts;
}

function countOrigins(plans: readonly ZonePlan[]): Record<Origin | "mixed", number> {
  const counts = { declared: 0, drift: 0, conflict: 0, mixed: 0, unknown: 0 };
  for (const { changes } of plans) for (const change of changes) counts[originOfChange(change)] += 1;
  return counts;
}

function originOfChange({ origins, fields }: Change): Origin | "mixed" {
  return originOfAll(
    origins,
    fields.map(({ path }) => path),
  );
}

function encodeChange(
  { zone, place: { id: zoneId, accountId }, meaning: { impact } }: ZonePlan,
  change: Change,
  { about }: PlanInputs,
  lines: MovedLines | undefined,
): PlannedChange {
  const { index, ref, was, action, replaces, takenOver, applied, fields, shifts, drift, removed } = change;
  const isOutside =
    drift !== null || about === "drift" || (takenOver === true && isDrift(change.origins.rest));
  return {
    zone,
    zone_id: zoneId,
    kind: ref.kind,
    key: ref.key,
    id: ref.id,
    ...(was === null ? {} : { was }),
    action,
    ...(replaces ? { replaces } : {}),
    ...(takenOver === undefined ? {} : { taken_over: takenOver }),
    ...(applied === undefined ? {} : { applied }),
    origin: originOfChange(change),
    effect: effectOf(shifts),
    ...(drift === null
      ? {}
      : { drift_effect: effectOf(drift.shifts), drift_dimensions: encodeShifts(drift.shifts) }),
    ...(isOutside ? dashboardPart(ref.kind, zone, accountId) : {}),
    dimensions: encodeShifts(shifts),
    fields: fields.map(({ path, before, after, base, parts, written, at: place }) => ({
      path,
      before,
      after,
      ...(base === undefined ? {} : { base }),
      origin: originOf(change.origins, path),
      ...(parts === undefined ? {} : { parts }),
      ...(written === undefined ? {} : { written }),
      ...(place === undefined ? {} : { source: encodeSpan(place) }),
    })),
    source: change.at === null ? null : encodeSpan(change.at),
    ...(removed === null ? {} : { removed: encodeSpan(removed) }),
    ...changeImpact(impact, index),
    ...(lines === undefined ? {} : { request_lines: lines }),
  };
}

function encodeShifts(shifts: readonly Shift[]): PlannedDimension[] {
  return shifts.flatMap(({ dimension, way, why, facts = [why], witness }) =>
    facts.map((fact, index) => ({
      dimension,
      effect: EFFECTS[way],
      why: fact,
      witness: index === facts.length - 1 ? witness : null,
    })),
  );
}

function dashboardPart(
  name: string,
  zone: string,
  accountId: string | undefined,
): Pick<PlannedChange, "dashboard"> {
  const kind = kindNamed(name);
  return kind === undefined ? {} : { dashboard: inDashboard(kind.service.dashboard, zone, accountId) };
}

const EFFECTS = {
  stronger: "strengthens",
  weaker: "weakens",
  mixed: "mixed",
  unknown: "unknown",
  neutral: "neutral",
} as const;

function encodeSpan({ file, line, column }: Span): SourcePlace {
  return { file, line, column };
}

/** The number of changes and of steps of earlier zones. */
interface Offset {
  readonly changes: number;
  readonly steps: number;
}

/** A document numbers steps and changes over the whole run; a zone's plan numbers its own. */
function offsetsIn(plans: readonly ZonePlan[]): (zone: string | null) => Offset {
  const offsets = new Map<string | null, Offset>();
  let next: Offset = { changes: 0, steps: 0 };
  for (const { zone, changes, steps } of plans) {
    offsets.set(zone, next);
    next = { changes: next.changes + changes.length, steps: next.steps + steps.length };
  }
  return (zone) => offsets.get(zone) ?? { changes: 0, steps: 0 };
}

function encodeCall(step: Step, zone: string, offsetOf: (zone: string) => Offset): PlannedCall {
  const { changes, steps } = offsetOf(zone);
  return {
    step: steps + step.n,
    zone,
    ...callOf(step),
    path: pathOf(step.path, steps),
    changes: step.changes.map((index) => changes + index),
    after: step.needs.map((n) => steps + n),
  };
}

function diagnosing(spelling: Spelling | undefined) {
  return (
    { severity, code, summary, detail, sentences, at, accepted }: Problem,
    zone?: string,
  ): Diagnostic => ({
    severity,
    code,
    message: `${summary}. ${sentences === undefined ? detail : textOf(sentences, spelling)}`,
    ...(zone === undefined ? {} : { zone }),
    ...(at === null ? {} : { source: encodeSpan(at) }),
    ...(accepted === undefined ? {} : { accepted }),
  });
}

type Diagnosing = ReturnType<typeof diagnosing>;

function encodeZone(outcome: ZoneOutcome, diagnostic: Diagnosing): PlannedZone {
  if (outcome.ok) {
    const { zone, place, counts, digest, notPlanned } = outcome.plan;
    const { written } = outcome.plan.secrets;
    const { tests } = outcome.plan.meaning;
    const missing = notPlanned.flatMap(({ section, object, problems }) => {
      const why = worstOf(problems);
      const place = object === undefined ? { section } : { section, object };
      return why === undefined ? [] : [{ ...place, problem: diagnostic(why, zone) }];
    });
    const status = notPlanned.some(({ problems }) => hasErrors(problems)) ? "partly" : "planned";
    return {
      zone,
      zone_id: place.id,
      status,
      requests: counts.requests,
      digest,
      ...(written === null ? {} : { written }),
      ...(missing.length === 0 ? {} : { not_planned: missing }),
      ...(tests === undefined ? {} : { tests: tests.map((each) => encodeTest(each, zone, diagnostic)) }),
    };
  }
  const { zone, zoneId, requests, problems } = outcome.failure;
  const why = worstOf(problems);
  const problem = why === undefined ? {} : { problem: diagnostic(why, zone) };
  return { zone, zone_id: zoneId, status: "failed", requests, ...problem };
}

function encodeTest({ name, at, problems }: TestResult, zone: string, diagnostic: Diagnosing) {
  return {
    name,
    source: encodeSpan(at()),
    failures: problems.map((each) => diagnostic(each, zone)),
  };
}

function worstOf(problems: readonly Problem[]): Problem | undefined {
  return problems.find(({ severity }) => severity === "error") ?? problems[0];
}

function encodeBreach(
  { guardrail, zone, message, advice, changes }: RunBreach,
  { allowed: lifted, spelling }: RunFacts,
  offsetOf: (zone: string | null) => Offset,
): Guardrail {
  const allowed = lifted.includes(guardrail);
  const first = offsetOf(zone).changes;
  return {
    name: guardrail,
    ...(zone === null ? {} : { zone }),
    message: (allowed ? [message] : [message, advice]).map((each) => textOf(each, spelling)).join(" "),
    allowed,
    ...(changes.length === 0 ? {} : { changes: changes.map((index) => first + index) }),
  };
}

/** The impact of all policy changes of a run, summed; null: there are none. */
function impactSummary(plans: readonly ZonePlan[]): ImpactSummary | null {
  const impacts = plans.flatMap(({ zone, meaning: { impact } }) =>
    impact === null ? [] : [{ zone, ...impact }],
  );
  if (impacts.length === 0) return null;
  const unseen = impacts.filter((each) => each.unseen.size > 0).map(({ zone }) => zone);
  return {
    scripts: sumsOf(impacts, "scripts"),
    connections: sumsOf(impacts, "connections"),
    unread: impacts
      .filter(({ tried }) => tried.scripts === null || tried.connections === null)
      .map(({ zone }) => zone),
    ...(unseen.length === 0 ? {} : { unseen }),
  };
}

function sumsOf(impacts: readonly ZoneImpact[], kind: DetectedKind): ImpactSums {
  const count = (countOf: (moved: Moved) => number) => sum(impacts, ({ total }) => countOf(total[kind]));
  const onlyReported = sum(impacts, (each) =>
    each.tried[kind] === null ? 0 : (each.onlyReported?.[kind] ?? 0),
  );
  return {
    tried: sum(impacts, ({ tried }) => tried[kind] ?? 0),
    newly_blocked: count(({ newly_blocked }) => newly_blocked.length),
    newly_reported: count(({ newly_reported }) => newly_reported.length),
    newly_allowed: count(({ newly_allowed }) => newly_allowed.length),
    undecided: count(({ undecided }) => undecided.length),
    malicious_allowed: count(
      ({ newly_allowed }) => newly_allowed.filter(({ malicious }) => malicious === true).length,
    ),
    ...(onlyReported === 0 ? {} : { only_reported: onlyReported }),
  };
}

/** The part of its zone's impact that is due to one change, for the kinds of detections that could be read. */
function changeImpact(impact: ZoneImpact | null, change: number): Pick<PlannedChange, "impact"> {
  const moved = impact?.byChange.get(change);
  if (impact === null || moved === undefined) return {};
  const kinds = (["scripts", "connections"] as const).filter((kind) => impact.tried[kind] !== null);
  if (kinds.length === 0) return {};
  const why = impact.unseen.get(change)?.why;
  return {
    impact: {
      ...Object.fromEntries(kinds.map((kind) => [kind, moved[kind]])),
      ...(why === undefined ? {} : { unseen: why }),
    },
  };
}
