import type { Client } from "../api/client.js";
import { naming } from "../api/problems.js";
import { idMismatches, type PinnedZone } from "../api/zones.js";
import { Journal } from "../apply/journal.js";
import { LOCK, oneAtATime } from "../apply/lock.js";
import { type ApplyPorts, applyZone, notApplied, type ZoneApplied } from "../apply/zone.js";
import { kindNamed, kinds } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import { refusedBy } from "../model/guardrails.js";
import { JOURNAL_VERSION, type JournalBegin } from "../model/journal.js";
import type { Step, ZonePlan } from "../model/plan.js";
import { failed, inZone, ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import type { ApplyReport, Progress, ZoneOutcomeReport } from "../model/report.js";
import { type Spelling, says, textOf } from "../model/sentence.js";
import { itemsOf } from "../model/zone-state.js";
import { fieldsDiffering } from "../plan/compare-plans.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { whyStale } from "../plan/why-stale.js";
import { inWordsOf, inWordsOfCall } from "./entitlements.js";
import type { Planned } from "./plan.js";
import { missingSecrets } from "./secrets.js";
import { version } from "./version.js";
import type { ZoneToApply } from "./zones.js";

/** Carries out a plan under the folder's lock: one apply or rollback at a time. A plan without calls needs no lock. */
export async function runAlone(
  planned: Planned,
  saved: PlanDocument | null,
  cwd: string,
  watch: ApplyWatch,
): Promise<Result<ApplyReport>> {
  const missing = secretsMissing(planned);
  if (missing.length > 0) return failed(...missing);
  if (planned.document.calls.length === 0) return ok(await runApply(planned, saved, cwd, watch));
  return oneAtATime(cwd, () => runApply(planned, saved, cwd, watch));
}

/** Why nothing of the plan can be sent: its calls have secrets that are not set. */
export function secretsMissing({ outcomes }: Planned): readonly Problem[] {
  return missingSecrets(outcomes.flatMap((each) => (each.ok ? [each.plan] : [])));
}

/** A zone to apply, or the reason why it is not applied. */
interface Task {
  readonly zone: ZoneToApply;
  readonly plan: ZonePlan | null;
  readonly firstStep: number;
  readonly refusal: readonly Problem[];
}

export function standingGuardrails(document: PlanDocument): PlanDocument["guardrails"] {
  return document.guardrails.filter((each) => !each.allowed);
}

export function standingProblems(document: PlanDocument): readonly Problem[] {
  return standingGuardrails(document).map(({ name, message }) =>
    problem(name, `${refusedBy(name)}; nothing was written`, message),
  );
}

/** Breaches that do not refuse the apply, because they are lifted. */
export function liftedGuardrails({ guardrails }: PlanDocument, spelling?: Spelling): readonly Problem[] {
  return guardrails
    .filter(({ allowed }) => allowed)
    .map(({ name, message }) => {
      const summary = textOf(says`Guardrail ${name} is lifted by ${{ flag: "allow" }}`, spelling);
      return warning("guardrail_lifted", summary, message);
    });
}

export function isInterrupted({ summary }: ApplyReport, stop: AbortSignal): boolean {
  return stop.aborted && summary.not_started > 0;
}

/** After a second signal, which leaves the lock behind. */
export function stoppedAtOnce(again: string): string {
  return `Stopped at once. The calls in flight may or may not have taken effect. Delete ${LOCK}, then ${again.slice(0, 1).toLowerCase()}${again.slice(1)}`;
}

interface ApplyWatch {
  /** Aborted: calls in flight end, and no other starts. */
  readonly stop: AbortSignal;
  readonly progress: Progress;
  /** Called before the first call is sent. */
  readonly onJournal: (path: string) => void;
}

/**
 * Applies zones in parallel, in the order of the plan, and the calls of a zone one after the other. With a saved plan, only
 * zones for which both plans are the same.
 */
export async function runApply(
  planned: Planned,
  saved: PlanDocument | null,
  cwd: string,
  { stop, progress, onJournal }: ApplyWatch,
): Promise<ApplyReport> {
  planned.client.obey(stop);
  const tasks = tasksOf(planned, saved);
  const misnamed = stop.aborted ? NONE : await idMismatches(planned.client, tasks.flatMap(pinnedIn));
  const journal = new Journal(cwd, beginningOf(planned), onJournal);
  let ended = 0;
  progress(ended, tasks.length, "applying");
  const applied = await sideBySide(tasks, planned.client.concurrency, async (task) => {
    const zone = await carryOut(task, misnamed.get(task.zone.name) ?? [], planned.client, journal, stop);
    progress(++ended, tasks.length, "applying");
    return zone;
  });
  const report = reportOf([...applied, ...(saved === null ? [] : missing(planned, saved))], journal);
  const { done, failed, not_started } = report.summary;
  journal.close({ type: "end", done, failed, not_started, interrupted: stop.aborted && not_started > 0 });
  return report;
}

/** Maps with limited concurrency. Results keep the order of the inputs. */
async function sideBySide<T, U>(
  all: readonly T[],
  width: number,
  work: (each: T) => Promise<U>,
): Promise<readonly U[]> {
  const done: U[] = [];
  const waiting = all.entries();
  const next = async () => {
    for (const [index, each] of waiting) done[index] = await work(each);
  };
  await Promise.all(Array.from({ length: width }, next));
  return done;
}

const NONE: Awaited<ReturnType<typeof idMismatches>> = new Map();

function beginningOf({ document: { inputs, digest }, undoes }: Planned): JournalBegin {
  return {
    type: "begin",
    format_version: JOURNAL_VERSION,
    program: version,
    started: new Date().toISOString(),
    config: inputs.config,
    zones: inputs.zones,
    digest,
    ...(inputs.part_of === undefined ? {} : { part_of: inputs.part_of }),
    ...(undoes === undefined ? {} : { undoes }),
  };
}

/** Zones of the saved plan, or of the applied part, that have calls and that this run no longer has. */
function missing({ document, isMeant }: Planned, saved: PlanDocument): readonly ZoneApplied[] {
  const here = new Set(document.zones.map((each) => each.zone));
  const gone = new Set(
    saved.calls.map((call) => call.zone).filter((zone) => isMeant(zone) && !here.has(zone)),
  );
  return [...gone].map((zone) => {
    const detail = `The saved plan has calls for ${zone}, and the files no longer have this zone. Nothing is written to it. Plan again.`;
    const reason = problem("stale_files", "Files changed since the plan", detail);
    return { outcomes: [], zone: { zone, converged: false, problems: [reason] } };
  });
}

function tasksOf({ outcomes, zones, document }: Planned, saved: PlanDocument | null): readonly Task[] {
  const refusalOf = saved === null ? () => [] : whyStale(saved, document.base);
  const tasks: Task[] = [];
  let firstStep = 1;
  for (const [index, outcome] of outcomes.entries()) {
    const zone = zones[index];
    if (zone === undefined) throw new Error("every zone has an outcome");
    if (!outcome.ok) tasks.push({ zone, plan: null, firstStep, refusal: outcome.failure.problems });
    else {
      tasks.push({ zone, plan: outcome.plan, firstStep, refusal: refusalOf(outcome.plan) });
      firstStep += outcome.plan.steps.length;
    }
  }
  return tasks;
}

/** The unverified zone id, if the zone is written to. */
function pinnedIn({ zone, plan, refusal }: Task): readonly PinnedZone[] {
  const isWritten = plan !== null && plan.steps.length > 0 && refusal.length === 0;
  const pinned = isWritten ? zone.pinned() : null;
  return pinned === null ? [] : [pinned];
}

async function carryOut(
  task: Task,
  misnamed: readonly Problem[],
  client: Client,
  journal: Journal,
  stop: AbortSignal,
): Promise<ZoneApplied> {
  const { zone, plan, firstStep, refusal } = task;
  const { name } = zone;
  if (plan === null) return { outcomes: [], zone: { zone: name, converged: false, problems: refusal } };
  if (refusal.length > 0) return notApplied(plan, firstStep, refusal);
  if (misnamed.length > 0) return notApplied(plan, firstStep, zone.placed(misnamed));
  const applied = await applyZone(plan, firstStep, portsFor(zone, plan, client, journal, stop));
  // A failure of the journal has no place in the files.
  const problems = applied.zone.problems.flatMap((each) =>
    each === journal.failure ? [each] : zone.placed([each]),
  );
  // A plan with errors does only a part of what the files declare.
  const lacking = plan.problems.filter((each) => each.severity === "error");
  const isKnown = ({ code, detail }: Problem) =>
    lacking.some((each) => each.code === code && each.detail === detail);
  const more = problems.filter((each) => !isKnown(each)); // the replan may repeat errors of the plan
  const converged = applied.zone.converged && lacking.length === 0;
  return { ...applied, zone: { ...applied.zone, converged, problems: [...lacking, ...more] } };
}

function portsFor(
  zone: ZoneToApply,
  plan: ZonePlan,
  client: Client,
  journal: Journal,
  stop: AbortSignal,
): ApplyPorts {
  const kindOf = (step: Step | undefined) => kindNamed(plan.changes[step?.changes[0] ?? -1]?.ref.kind);
  const { states } = plan.meaning;
  const made = new Map<string, number>();
  // The number of objects that the service does not list is unknown.
  const liveOf = ({ name }: Kind) =>
    plan.live.unlisted.includes(name)
      ? null
      : (states === undefined ? 0 : itemsOf(states.before, name).length) + (made.get(name) ?? 0);
  const explained = (
    all: readonly Problem[],
    kind: Kind | undefined,
    group: "read" | "write",
    words: typeof inWordsOf,
  ) =>
    kind === undefined
      ? all
      : all.map((each) =>
          naming(words(kind, each, zone.wanted(kind), liveOf(kind)), kind.service.permissions[group]),
        );
  const answered = <T>(path: string, answer: Result<T>): Result<T> => {
    const step = plan.steps.find(
      ({ precondition, findCreated }) => precondition?.read === path || findCreated?.list === path,
    );
    return answer.ok ? answer : failed(...explained(answer.problems, kindOf(step), "read", inWordsOf));
  };
  return {
    send: async ({ step, path, body, ...care }) => {
      const answer = await client.send(step.method, path, body, care);
      const kind = kindOf(step);
      if (!answer.ok)
        return { ...answer, problems: explained(answer.problems, kind, "write", inWordsOfCall) };
      if (kind !== undefined && step.method === "POST") made.set(kind.name, (made.get(kind.name) ?? 0) + 1);
      return answer;
    },
    read: async (path) => answered(path, await client.get(path)),
    list: async (path) => answered(path, await client.list(path)),
    fieldsDiffering,
    isOptional: (name) => kinds.some((kind) => kind.name === name && zone.wanted(kind).as === "optional"),
    replan: () => zone.replan(plan),
    pause: (ms) => client.pause(ms),
    note: (line) => journal.note(line),
    stopping: () => stop.aborted || journal.failure !== null,
  };
}

/** The counts come from the journal, so that the report and the journal agree. */
function reportOf(applied: readonly ZoneApplied[], journal: Journal): ApplyReport {
  const outcomes = applied.flatMap((each) => each.outcomes);
  const zones = applied.map(
    ({ zone }): ZoneOutcomeReport => ({ ...zone, problems: inZone(zone.problems, zone.zone) }),
  );
  const converged = zones.filter((each) => each.converged).length;
  const { done, failed, isIdle } = journal.tally();
  return {
    summary: {
      done,
      failed,
      not_started: outcomes.length - done - failed,
      zones_converged: converged,
      zones_failed: zones.length - converged,
    },
    outcomes,
    zones,
    journal: journal.path,
    undoable: !isIdle,
    converged: converged === zones.length,
  };
}
