import { groupBy } from "../model/group-by.js";
import { LIMITS } from "../model/guardrails.js";
import type { Problem } from "../model/problem.js";
import { baseInDigest, narrowingOf, runDigest } from "./digest.js";
import { encodeBreach, encodeProblem } from "./document.js";
import type {
  Diagnostic,
  Guardrail,
  ImpactSummary,
  LinesRead,
  OnlyTried,
  PlanDocument,
  PlannedCall,
  PlannedChange,
  PlannedZone,
  PlanSummary,
  SecretNotSet,
  UnknownZone,
  WholePlan,
} from "./generated/plan-document.js";
import { guardLimits, objectsIn } from "./guard.js";
import { isDeleting } from "./guard-forbidden.js";

/** What is known of a run once all its shards are planned. */
export interface Found {
  /** Fields whose secrets are not set. */
  readonly notSet: readonly SecretNotSet[];
  /** What --only has met in the zones. Null: without it, or where not all was planned, so that it is not known. */
  readonly tried: OnlyTried | null;
  /** Lines of requests; null: none were given. */
  readonly lines: LinesRead | null;
}

/** The plan of one of the parts that a run was planned in. */
export interface ShardPlan extends PlanDocument {
  readonly whole: WholePlan;
}

/**
 * The plans of all shards of a run → its plan, byte for byte as if all zones had been planned in one.
 *
 * @param shards all of them, in any order; they belong together
 * @param warningsOf what there is to say of what was found in all of them together
 */
export function merged(
  shards: readonly [ShardPlan, ...ShardPlan[]],
  warningsOf: (found: Found) => readonly Problem[],
): PlanDocument {
  const [one] = shards;
  const zones = inOrder(
    shards.flatMap(({ zones, whole }) => zones.map((zone, at) => ({ zone, at: whole.places[at] ?? 0 }))),
  ).map(({ zone }) => zone);
  const placeOf = new Map(zones.map(({ zone }, index) => [zone, index]));
  const sorted = <T extends { readonly zone: string }>(of: (shard: ShardPlan) => readonly T[]) =>
    inOrder(shards.flatMap(of).map((each) => ({ each, at: placeOf.get(each.zone) ?? 0 }))).map(
      ({ each }) => each,
    );
  const { changes, calls, guardrails } = renumbered(shards, zones);
  const notSet = sorted(({ whole }) => whole.not_set);
  const notCompared = sorted(({ inputs }) => inputs.not_compared ?? []);
  const { shard: _, not_compared: __, ...inputs } = one.inputs;
  const summary = summaryOf(shards, placeOf);
  const lines = linesRead(shards);
  const expires = shards.flatMap(({ expires_at }) => expires_at ?? []).sort()[0];
  return {
    format_version: one.format_version,
    summary,
    inputs: { ...inputs, ...(notCompared.length === 0 ? {} : { not_compared: notCompared }) },
    ...(one.base === undefined ? {} : { base: one.base }),
    ...(lines === null ? {} : { request_lines: lines }),
    changes,
    calls,
    zones,
    unmanaged: sorted(({ unmanaged }) => unmanaged),
    guardrails: [
      ...withoutRepeats(shards.map((each) => againstRun(each))),
      ...guardrails,
      ...limitsOf(
        shards,
        changes,
        summary,
        sorted(({ whole }) => whole.unknown),
      ),
    ],
    seen: sorted(({ seen }) => seen),
    digest: runDigest(
      zones.flatMap(({ digest }) => digest ?? []),
      baseInDigest({ base: one.base ?? null, inputs }),
      narrowingOf(
        { inputs },
        zones.map(({ zone }) => zone),
      ),
    ),
    diagnostics: diagnosticsOf(shards, zones, warningsOf({ notSet, tried: triedIn(shards, zones), lines })),
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
}

/** Each shard has read all lines, and counts those of the others' zones as of other zones. */
function linesRead(shards: readonly ShardPlan[]): LinesRead | null {
  const all = shards.flatMap(({ request_lines: read }) => read ?? []);
  if (all.length === 0) return null;
  const most = (of: (read: LinesRead) => number) => Math.max(...all.map(of));
  const lines = all.reduce((sum, each) => sum + each.lines, 0);
  return {
    lines,
    first: all.flatMap(({ first }) => first ?? []).sort()[0] ?? null,
    last:
      all
        .flatMap(({ last }) => last ?? [])
        .sort()
        .at(-1) ?? null,
    other_zones: Math.max(0, most((each) => each.lines + each.other_zones) - lines),
    other_datasets: most((each) => each.other_datasets),
    broken: most((each) => each.broken),
  };
}

function inOrder<T extends { readonly at: number }>(all: readonly T[]): readonly T[] {
  return all.toSorted((a, b) => a.at - b.at);
}

/** What is numbered over all zones of a document, or names what is. */
function renumbered(
  shards: readonly ShardPlan[],
  zones: readonly PlannedZone[],
): { readonly changes: PlannedChange[]; readonly calls: PlannedCall[]; readonly guardrails: Guardrail[] } {
  const byZone = <T>(of: (shard: ShardPlan) => readonly T[], zoneOf: (each: T) => string | undefined) =>
    groupBy(shards.flatMap(of), zoneOf);
  const changesOf = byZone(
    ({ changes }) => changes.map((change, index) => ({ change, index })),
    ({ change }) => change.zone,
  );
  const callsOf = byZone(
    ({ calls }) => calls,
    ({ zone }) => zone,
  );
  const guardrailsOf = byZone(
    ({ guardrails }) => guardrails,
    ({ zone }) => zone,
  );
  const changes: PlannedChange[] = [];
  const calls: PlannedCall[] = [];
  const guardrails: Guardrail[] = [];
  for (const { zone } of zones) {
    const own = changesOf.get(zone) ?? [];
    const ownCalls = callsOf.get(zone) ?? [];
    const stepsOn = calls.length + 1 - (ownCalls[0]?.step ?? 1);
    const changesOn = changes.length - (own[0]?.index ?? 0);
    // One by one: a zone may have more than can be handed over as arguments.
    for (const call of ownCalls) calls.push(moved(call, stepsOn, changesOn));
    for (const { change } of own) changes.push(change);
    for (const { changes: about, ...each } of guardrailsOf.get(zone) ?? [])
      guardrails.push(
        about === undefined ? each : { ...each, changes: about.map((index) => index + changesOn) },
      );
  }
  return { changes, calls, guardrails };
}

function moved(call: PlannedCall, stepsOn: number, changesOn: number): PlannedCall {
  return {
    ...call,
    step: call.step + stepsOn,
    path: call.path.replace(/\{result:(\d+)\}/g, (_, step) => `{result:${Number(step) + stepsOn}}`),
    changes: call.changes.map((index) => index + changesOn),
    after: call.after.map((step) => step + stepsOn),
  };
}

function summaryOf(
  shards: readonly [ShardPlan, ...ShardPlan[]],
  placeOf: ReadonlyMap<string, number>,
): PlanSummary {
  const [{ summary: one }] = shards;
  const all = shards.map(({ summary }) => summary);
  const sum = (of: (summary: PlanSummary) => number) => all.reduce((total, each) => total + of(each), 0);
  const sums = <K extends string>(keys: readonly K[], of: (summary: PlanSummary) => Record<K, number>) =>
    Object.fromEntries(keys.map((key) => [key, sum((each) => of(each)[key])])) as Record<K, number>;
  const takenOver = sum(({ taken_over = 0 }) => taken_over);
  return {
    zones: sum(({ zones }) => zones),
    ...(one.as_in_base === undefined ? {} : { as_in_base: one.as_in_base }),
    ...(one.left_out === undefined ? {} : { left_out: one.left_out }),
    ...sums(CHANGED, (each) => each),
    ...(takenOver === 0 ? {} : { taken_over: takenOver }),
    ...sums(COUNTS, (each) => each),
    requests: requestsOf(shards),
    effects: sums(keysOf(one.effects), ({ effects }) => effects),
    origins: sums(keysOf(one.origins), ({ origins }) => origins),
    impact: impactOf(
      all.flatMap(({ impact }) => impact ?? []),
      placeOf,
    ),
  };
}

const CHANGED = ["create", "update", "delete"] as const;
const COUNTS = ["unchanged", "unmanaged", "not_listed", "calls"] as const;

function keysOf<T extends object>(value: T): readonly (keyof T & string)[] {
  return Object.keys(value) as (keyof T & string)[];
}

/** What each shard reads for itself, a run reads once. */
function requestsOf(shards: readonly ShardPlan[]): number {
  const shared = new Map<string, number>();
  for (const { path, requests } of shards.flatMap(({ whole }) => whole.shared))
    shared.set(path, Math.max(requests, shared.get(path) ?? 0));
  const ofZones = shards.flatMap(({ zones }) => zones.map(({ requests }) => requests));
  return [...ofZones, ...shared.values()].reduce((total, each) => total + each, 0);
}

function impactOf(all: readonly ImpactSummary[], placeOf: ReadonlyMap<string, number>): ImpactSummary | null {
  const [one] = all;
  if (one === undefined) return null;
  const sums = (of: (impact: ImpactSummary) => ImpactSummary["scripts"]) => {
    const total = { ...of(one) };
    const keys = new Set(all.flatMap((each) => keysOf(of(each))));
    for (const key of keys) total[key] = all.reduce((sum, each) => sum + (of(each)[key] ?? 0), 0);
    return total;
  };
  const named = (of: (impact: ImpactSummary) => readonly string[]) =>
    all.flatMap(of).sort((a, b) => (placeOf.get(a) ?? 0) - (placeOf.get(b) ?? 0));
  const unseen = named((each) => each.unseen ?? []);
  return {
    scripts: sums(({ scripts }) => scripts),
    connections: sums(({ connections }) => connections),
    unread: named(({ unread }) => unread),
    ...(unseen.length === 0 ? {} : { unseen }),
  };
}

/** Which zones of all shards are beyond what is known, and what all changes come to. */
function limitsOf(
  shards: readonly [ShardPlan, ...ShardPlan[]],
  changes: readonly PlannedChange[],
  { unchanged }: PlanSummary,
  unknown: readonly UnknownZone[],
): readonly Guardrail[] {
  const { objects_beside, objects_in_base: inBase = null, guardrails } = shards[0].whole;
  const deleting = changes.filter(({ action, replaces = false }) => isDeleting({ action, replaces }));
  const changed = objectsIn(changes);
  const managed = changed + unchanged + objects_beside;
  const totals = { changed, deleted: objectsIn(deleting), managed, inBase };
  return guardLimits(totals, unknown, guardrails.limits).map((each) =>
    encodeBreach(each, guardrails.allowed, new Map()),
  );
}

/** What stands against the run whatever its zones come to. */
function againstRun({ guardrails }: ShardPlan): readonly Guardrail[] {
  return guardrails.filter(({ zone, name }) => zone === undefined && !LIMITS.some((limit) => limit === name));
}

/**
 * What is about the run; then what is about zones that could be planned, and about those that could not. What is said of
 * a place in the files, one shard may have found to be otherwise: then it is said by none.
 */
function diagnosticsOf(
  shards: readonly [ShardPlan, ...ShardPlan[]],
  zones: readonly PlannedZone[],
  warnings: readonly Problem[],
): Diagnostic[] {
  const ofRun = shards.map(({ diagnostics }) => diagnostics.filter(({ zone }) => zone === undefined));
  const texts = ofRun.map((all) => new Set(all.map((each) => JSON.stringify(each))));
  const kept = withoutRepeats(ofRun).filter((each) => {
    const text = JSON.stringify(each);
    if (each.source === undefined) return !ANEW.includes(each.code);
    return texts.every((all) => all.has(text));
  });
  const inZones = groupBy(
    shards.flatMap(({ diagnostics }) => diagnostics),
    ({ zone }) => zone,
  );
  const isFailed = ({ status }: PlannedZone) => status === "failed";
  const failedLast = [...zones.filter((each) => !isFailed(each)), ...zones.filter(isFailed)];
  return [
    ...kept,
    ...warnings.map((each) => encodeProblem(each)),
    ...failedLast.flatMap(({ zone }) => inZones.get(zone) ?? []),
  ];
}

/** What is said of all shards together, in other words than of each. */
const ANEW = ["secrets_not_set", "picks_nothing", "request_lines"];

/** A name is idle where it is in every shard. */
function triedIn(
  shards: readonly [ShardPlan, ...ShardPlan[]],
  zones: readonly PlannedZone[],
): OnlyTried | null {
  const [one, ...others] = shards.flatMap(({ whole }) => whole.only ?? []);
  const areAllPlanned = zones.every(({ status, not_planned }) => status === "planned" && !not_planned);
  if (one === undefined || !areAllPlanned) return null;
  return {
    idle: one.idle.filter((name) => others.every(({ idle }) => idle.includes(name))),
    seen: [...new Set([one, ...others].flatMap(({ seen }) => seen))].sort(),
  };
}

/** What the first says, and what the others say besides. */
function withoutRepeats<T>(said: readonly (readonly T[])[]): readonly T[] {
  const [first = [], ...others] = said;
  const known = new Set(first.map((each) => JSON.stringify(each)));
  const news = new Map(others.flat().map((each) => [JSON.stringify(each), each]));
  return [...first, ...[...news].flatMap(([text, each]) => (known.has(text) ? [] : [each]))];
}
