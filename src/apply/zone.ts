import { NOT_ENTITLED, notPlannedName, type Step, unreadSince, type ZonePlan } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import type { CallOutcome, ZoneOutcomeReport } from "../model/report.js";
import { movedElsewhere, movedSince } from "../plan/compare-plans.js";
import { hasCall } from "../plan/digest.js";
import type { ApplyPorts } from "./ports.js";
import { convergenceProblems, notReadBack } from "./read-back.js";
import { outcomeOf, sendStep } from "./send.js";

export type { ApplyPorts } from "./ports.js";

export interface ZoneApplied {
  readonly outcomes: readonly CallOutcome[];
  readonly zone: ZoneOutcomeReport;
}

/**
 * Applies one zone's plan: checks that the live state is still as planned, sends the calls in order until one fails, and
 * reads the zone again, which must then need no more changes.
 *
 * @param firstStep the number of the zone's first call in the plan document
 */
export async function applyZone(plan: ZonePlan, firstStep: number, ports: ApplyPorts): Promise<ZoneApplied> {
  const { zone, steps } = plan;
  if (steps.length === 0) return { outcomes: [], zone: { zone, converged: true, problems: [] } };
  if (ports.stopping()) return notApplied(plan, firstStep, []);
  const fresh = await ports.replan();
  if (ports.stopping()) return notApplied(plan, firstStep, []);
  if (!fresh.ok) return notApplied(plan, firstStep, fresh.problems);
  const unread = unreadSince(plan.notPlanned.map(notPlannedName), fresh.value);
  if (unread.length > 0) return notApplied(plan, firstStep, unread);
  const stale = movedSince(plan, fresh.value);
  if (stale !== null) return notApplied(plan, firstStep, [stale]);
  const unwritten = ports.note(zoneLine(plan));
  if (unwritten !== null) return notApplied(plan, firstStep, [unwritten]);

  const warnings = [movedElsewhere(plan, fresh.value)];
  const sending = await sendAll(plan, fresh.value, firstStep, ports);
  const applied = await checkApplied(plan, sending, warnings, ports);
  const unclosed = ports.note({ type: "zone_end", zone, converged: applied.zone.converged });
  return {
    ...applied,
    zone: { ...applied.zone, problems: withoutGaps([...applied.zone.problems, unclosed]) },
  };
}

/** Nothing was sent to the zone. */
export function notApplied(
  plan: ZonePlan,
  firstStep: number,
  problems: readonly (Problem | null)[],
): ZoneApplied {
  const { zone, steps } = plan;
  const run = { plan, firstStep, made: new Map() };
  const outcomes = steps.map((step) => outcomeOf(run, step, "not_started", null));
  return { outcomes, zone: { zone, converged: false, problems: withoutGaps(problems) } };
}

function withoutGaps(problems: readonly (Problem | null)[]): readonly Problem[] {
  // A failed journal gives the same problem for every line.
  return [...new Set(problems)].filter((each) => each !== null);
}

function zoneLine({ zone, place, digest, changes, live }: ZonePlan) {
  return {
    type: "zone",
    zone,
    zone_id: place.id,
    digest,
    changes: changes.filter(hasCall).map(({ ref, action, was, replaces }) => ({
      ...ref,
      action,
      was,
      ...(replaces ? { replaces } : {}),
    })),
    seen: live.seen.map(({ ref, state }) => ({ ...ref, state })),
    raw: live.journaled.map(({ ref, raw }) => ({ ...ref, raw })),
  } as const;
}

interface Sent {
  readonly outcomes: readonly CallOutcome[];
  /** Optional kinds that the zone's Cloudflare plan does not include. */
  readonly notIncluded: ReadonlySet<string>;
}

async function sendAll(plan: ZonePlan, fresh: ZonePlan, firstStep: number, ports: ApplyPorts): Promise<Sent> {
  const run = { plan, fresh, firstStep, ports, made: new Map(), written: new Map() };
  const outcomes: CallOutcome[] = [];
  const notIncluded = new Set<string>();
  let isGoing = true;
  for (const step of plan.steps) {
    isGoing &&= !ports.stopping();
    const kinds = kindsOf(step, plan);
    if (!isGoing || kinds.some((kind) => notIncluded.has(kind))) {
      outcomes.push(outcomeOf(run, step, "not_started", null));
      continue;
    }
    const outcome = await sendStep(run, step);
    const isKnown = isKnownRefusal(outcome, kinds, ports);
    if (isKnown) for (const kind of kinds) notIncluded.add(kind);
    isGoing = outcome.status === "done" || isKnown;
    outcomes.push(outcome);
  }
  return { outcomes, notIncluded };
}

/** The zone's Cloudflare plan does not include the kinds, and the files list them as optional. */
function isKnownRefusal(
  { problem: why }: CallOutcome,
  kinds: readonly string[],
  { isOptional }: ApplyPorts,
): boolean {
  return why?.code === NOT_ENTITLED && kinds.every(isOptional);
}

function kindsOf({ changes }: Step, plan: ZonePlan): readonly string[] {
  return changes.flatMap((index) => plan.changes[index]?.ref.kind ?? []);
}

async function checkApplied(
  plan: ZonePlan,
  { outcomes, notIncluded }: Sent,
  warnings: readonly (Problem | null)[],
  ports: ApplyPorts,
): Promise<ZoneApplied> {
  const { zone } = plan;
  const problems = outcomes.map((outcome) => outcome.problem);
  const isKnown = (step: Step | undefined) =>
    step !== undefined && kindsOf(step, plan).some((kind) => notIncluded.has(kind));
  const isDone = outcomes.every(
    (each, index) => (each.status === "done" && each.problem === null) || isKnown(plan.steps[index]),
  );
  const unseen = notReadBack(plan, outcomes);
  if (!isDone)
    return {
      outcomes,
      zone: { zone, converged: false, problems: withoutGaps([...warnings, ...problems, ...unseen]) },
    };
  const remaining = await convergenceProblems(plan, notIncluded, ports);
  const allProblems = [...warnings, ...problems, ...remaining, ...unseen];
  return { outcomes, zone: { zone, converged: remaining.length === 0, problems: withoutGaps(allProblems) } };
}
