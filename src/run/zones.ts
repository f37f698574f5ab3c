import { ZoneReads } from "../api/reads.js";
import type { PinnedZone } from "../api/zones.js";
import type { DeclaredZone } from "../config/index.js";
import { type Wanted, wantedIn } from "../kinds/included.js";
import type { Kind } from "../kinds/kind.js";
import type { WantedZone } from "../model/declared-zone.js";
import type { ZonePlan } from "../model/plan.js";
import { ok, type Problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { ZoneOutcome } from "../plan/document.js";
import { withApplied } from "../plan/partly-applied.js";
import type { AskedAbout } from "./ask-service.js";
import { withImpact } from "./impact.js";
import { accountFinder, type ZonePlace } from "./live.js";
import { hasHeld, idlenessOf, type LocatedZone, placed } from "./locate.js";
import { type PlanContext, planWith, type RunContext, type ZoneDraft } from "./plan-zone.js";

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

interface OutcomeAndQuestions {
  readonly outcome: ZoneOutcome;
  /** Questions to the service about the plan. Null: the zone could not be planned. */
  readonly asked: AskedAbout | null;
}

/** What distinguishes a zone of the files from a zone of a journal. */
export interface ZoneToPlan extends Pick<ZoneToApply, "name" | "placed"> {
  readonly place: Result<ZonePlace>;
  /** The zone as it is wanted. Its id is verified before a write. */
  open(): WantedZone;
  /** Problems of the zone that do not stop its plan. */
  idle(): readonly Problem[];
  plan(reads: ZoneReads, place: ZonePlace): Promise<Result<ZoneDraft>>;
}

/** A zone of a run. */
export class ZoneRun implements ZoneToApply {
  readonly #zone: ZoneToPlan;
  readonly #context: RunContext;
  /** The reads of the plan. Null: nothing is applied. */
  #planned: ZoneReads | null = null;

  constructor(zone: ZoneToPlan, context: RunContext) {
    this.#zone = zone;
    this.#context = context;
  }

  get name(): string {
    return this.#zone.name;
  }

  placed(problems: readonly Problem[]): readonly Problem[] {
    return this.#zone.placed(problems);
  }

  /** Plans the zone, with its impact. */
  async outcome(reads: ZoneReads): Promise<OutcomeAndQuestions> {
    const { name, place } = this.#zone;
    const idleness = this.#zone.idle();
    const failure = (problems: readonly Problem[], zoneId: string | null): OutcomeAndQuestions => {
      const all = this.placed([...idleness, ...problems]);
      const { requests } = reads;
      return {
        outcome: { ok: false, failure: { zone: name, zoneId, requests, problems: all } },
        asked: null,
      };
    };
    if (!place.ok) return failure(place.problems, null);
    const { id: zoneId } = place.value;
    const drafted = await this.#zone.plan(reads, place.value);
    if (!drafted.ok) return failure(drafted.problems, zoneId);
    const whole = await withImpact(withoutIdleStates(drafted.value.plan), reads, this.#context);
    if (!whole.ok) return failure(whole.problems, zoneId);
    // An apply plans the zone again from these reads.
    if (this.#context.task === "apply" && whole.value.steps.length > 0) this.#planned = reads;
    return {
      outcome: { ok: true, plan: finished(whole.value, this.placed(idleness), this.#context) },
      asked: { zone: this.#zone.open(), zoneId, questions: drafted.value.questions },
    };
  }

  async replan({ changes }: Pick<ZonePlan, "changes">): Promise<Result<ZonePlan>> {
    const { place } = this.#zone;
    if (!place.ok) return place;
    const { client, shared } = this.#context;
    const again = new Set(changes.map(({ ref }) => ref.kind));
    const reads = new ZoneReads(client, shared, this.#planned, again);
    const drafted = await this.#zone.plan(reads, place.value);
    return drafted.ok ? ok(drafted.value.plan) : drafted;
  }

  wanted(kind: Kind): Wanted {
    return wantedIn(this.#zone.open(), kind);
  }

  async accountId(): Promise<Result<string>> {
    const { name, place } = this.#zone;
    return place.ok ? accountFinder(name, place.value)() : place;
  }

  pinned(): PinnedZone | null {
    const { name, place } = this.#zone;
    const { id, accountId } = this.#zone.open();
    const isHeld = place.ok && hasHeld(name, place.value);
    return id === null || isHeld ? null : { name, id, accountId };
  }
}

/** A zone of the files. */
export function declaredRun({ name, place, declared }: LocatedZone, context: PlanContext): ZoneRun {
  return new ZoneRun(
    {
      name,
      place,
      open: () => declared.open(),
      placed: (problems) => placed(problems, declared).problems,
      idle: () => (place.ok ? idlenessOf(name, place.value) : []),
      plan: async (reads, at) => {
        const drafted = await planWith(reads, declared, at, context);
        // The tests have run with the first plan.
        if (!drafted.ok || reads.again !== null) return drafted;
        return ok({ ...drafted.value, plan: await withTests(drafted.value.plan, declared, context) });
      },
    },
    context,
  );
}

/** Plans the zones, some at a time, in the given order. */
export async function* planZones(
  zones: readonly ZoneRun[],
  { client, shared, reads: earlier, asked: askedOfRun }: RunContext,
): AsyncGenerator<ZoneOutcome> {
  const outcomes = someAtATime(zones, 2 * client.concurrency, async (zone) => {
    const reads = earlier?.get(zone.name) ?? new ZoneReads(client, shared);
    return { zone, reads, ...(await zone.outcome(reads)) };
  });
  for await (const { zone, reads, outcome, asked } of outcomes) {
    const isRefused = asked !== null && (await askedOfRun.isRefused(asked));
    yield isRefused ? (await zone.outcome(reads)).outcome : outcome;
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

/** Loaded on demand, because most files have no tests. */
async function withTests(
  plan: ZonePlan,
  declared: DeclaredZone,
  { task, base, areFailingTestsAllowed }: PlanContext,
): Promise<ZonePlan> {
  const { states } = plan.meaning;
  // Drift is no reason to run the tests of the files.
  if (states === undefined || task === "drift") return plan;
  const { testPlan, testsTakenOut } = await import("./zone-tests.js");
  const zone = declared.open();
  const gone = testsTakenOut(zone, base.zone(zone)?.tests ?? [], states);
  const tested = zone.tests === undefined ? plan : testPlan(plan, zone, states, areFailingTestsAllowed);
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

/** Accepts warnings. Marks changes that the approved plan has made, so that they do not look like somebody else's. */
function finished(
  plan: ZonePlan,
  idle: readonly Problem[],
  { accept, approved }: Pick<RunContext, "accept" | "approved">,
): ZonePlan {
  const part = approved?.get(plan.zone);
  const changes = part === undefined ? plan.changes : withApplied(part, plan.changes);
  return { ...plan, changes, problems: accept([...idle, ...plan.problems]) };
}
