import { ZoneReads } from "../api/reads.js";
import type { PinnedZone } from "../api/zones.js";
import type { DeclaredZone } from "../config/index.js";
import { type Wanted, wantedIn } from "../kinds/included.js";
import type { Kind } from "../kinds/kind.js";
import type { ZonePlan } from "../model/plan.js";
import { ok, type Problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { ZoneOutcome } from "../plan/document.js";
import { withImpact } from "./impact.js";
import { accountFinder } from "./live.js";
import { hasHeld, idlenessOf, type LocatedZone, placed } from "./locate.js";
import { type PlanContext, planWith } from "./plan-zone.js";
import type { AskedAbout } from "./questions.js";

export interface ZoneToApply {
  readonly name: string;
  /** Problems without a place get the place of the zone's name in the files. */
  placed(problems: readonly Problem[]): readonly Problem[];
  /** Plans the zone again. Only the kinds that the given plan changes are read again. */
  replan(plan: Pick<ZonePlan, "changes">): Promise<Result<ZonePlan>>;
  /** Whether and how the files want a kind. */
  wanted(kind: Kind): Wanted;
  /** The written zone id, to verify before a write. Null: nothing to verify. */
  pinned(): PinnedZone | null;
  accountId(): Promise<Result<string>>;
}

export function toApply({ declared, place }: LocatedZone, context: PlanContext): ZoneToApply {
  return {
    name: declared.name,
    placed: (problems) => placed(problems, declared).problems,
    replan: async ({ changes }) => {
      if (!place.ok) return place;
      const reads = new ZoneReads(context.client, context.shared, context.planned?.get(declared.name));
      const again = new Set(changes.map(({ ref }) => ref.kind));
      const drafted = await planWith(reads, declared, place.value, context, again);
      return drafted.ok ? ok(drafted.value.plan) : drafted;
    },
    wanted: (kind) => wantedIn(declared.open(), kind),
    accountId: async () => (place.ok ? accountFinder(declared.name, place.value)() : place),
    pinned: () => {
      const { name, id, accountId } = declared.open();
      const isHeld = place.ok && hasHeld(name, place.value);
      return id === null || isHeld ? null : { name, id, accountId };
    },
  };
}

/** Plans the zones, some at a time, in the order of the files. */
export async function* planZones(
  zones: readonly LocatedZone[],
  context: PlanContext,
): AsyncGenerator<ZoneOutcome> {
  const isAsking = context.against.only === "all"; // drift is reported even if it cannot be reverted
  const outcomes = someAtATime(zones, 2 * context.client.concurrency, async (zone) => {
    const reads = context.reads?.get(zone.declared.name) ?? new ZoneReads(context.client, context.shared);
    return { zone, reads, ...(await outcomeOf(zone, reads, context)) };
  });
  for await (const { zone, reads, outcome, asked } of outcomes) {
    const isRefused = asked !== null && (await context.asked.isRefused(asked, isAsking));
    yield isRefused ? (await outcomeOf(zone, reads, context)).outcome : outcome;
  }
}

/** Maps with limited concurrency. Results keep the order of the inputs. */
export async function* someAtATime<T, U>(
  all: readonly T[],
  width: number,
  work: (each: T) => Promise<U>,
): AsyncGenerator<U> {
  const running: Promise<U>[] = [];
  for (const each of all) {
    running.push(work(each));
    const [first] = running;
    if (running.length < width || first === undefined) continue;
    running.shift();
    yield await first;
  }
  for (const each of running) yield await each;
}

/** Collects results, and reports progress before the first and after each. */
export async function collected<T>(
  results: AsyncIterable<T>,
  total: number,
  progress: Progress,
  doing: string,
): Promise<readonly T[]> {
  const done: T[] = [];
  progress(0, total, doing);
  for await (const each of results) {
    done.push(each);
    progress(done.length, total, doing);
  }
  return done;
}

interface OutcomeAndQuestions {
  readonly outcome: ZoneOutcome;
  /** Questions to the service about the plan. Null: the zone could not be planned. */
  readonly asked: AskedAbout | null;
}

async function outcomeOf(
  { declared, place }: LocatedZone,
  reads: ZoneReads,
  context: PlanContext,
): Promise<OutcomeAndQuestions> {
  const zone = declared.name;
  const idle = place.ok ? idlenessOf(zone, place.value) : [];
  const failure = (problems: readonly Problem[], zoneId: string | null): OutcomeAndQuestions => ({
    outcome: {
      ok: false,
      failure: {
        zone,
        zoneId,
        requests: reads.requests,
        problems: placed([...idle, ...problems], declared).problems,
      },
    },
    asked: null,
  });
  if (!place.ok) return failure(place.problems, null);
  const drafted = await planWith(reads, declared, place.value, context);
  if (!drafted.ok) return failure(drafted.problems, place.value.id);
  const tested = await withTests(drafted.value.plan, declared, context);
  const plan = await withImpact(withoutIdleStates(tested), reads, context);
  if (!plan.ok) return failure(plan.problems, place.value.id);
  if (plan.value.steps.length > 0) context.planned?.set(zone, reads);
  return {
    outcome: { ok: true, plan: withProblems(plan.value, placed(idle, declared).problems) },
    asked: { zone, zoneId: place.value.id, asked: drafted.value.asked },
  };
}

/** Loaded on demand, because most files have no tests. */
async function withTests(
  plan: ZonePlan,
  declared: DeclaredZone,
  { testing, against }: PlanContext,
): Promise<ZonePlan> {
  const { states } = plan.meaning;
  if (states === undefined || testing === null) return plan;
  const { testPlan, testsTakenOut } = await import("./zone-tests.js");
  const zone = declared.open();
  const gone = testsTakenOut(zone, against.zone?.(zone)?.tests ?? [], states);
  const tested = zone.tests === undefined ? plan : testPlan(plan, zone, states, testing.isLifted);
  return gone === null
    ? tested
    : { ...tested, problems: [...tested.problems, { ...gone, at: declared.at() }] };
}

/** Later, only an apply compares states. Those of zones without calls would take much memory. */
function withoutIdleStates(plan: ZonePlan): ZonePlan {
  if (plan.steps.length > 0) return plan;
  const { states: _, ...meaning } = plan.meaning;
  return { ...plan, meaning };
}

function withProblems(plan: ZonePlan, problems: readonly Problem[]): ZonePlan {
  return problems.length === 0 ? plan : { ...plan, problems: [...problems, ...plan.problems] };
}
