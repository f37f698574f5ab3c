/**
 * How a plan is made, from files in git and live zones. The other commands share these steps.
 *
 * 1. `base.ts` reads the base, if one is named. Its secrets and guardrails count even if it has other errors.
 * 2. `files.ts` reads, checks and resolves the files. With an error, nothing is sent.
 * 3. `narrowing.ts` picks the zones and objects, and `locate.ts` finds their ids.
 * 4. `zones.ts`, `plan-zone.ts` and `impact.ts` read each zone, match it with the files and the base, plan it, and compute
 *    the impact on its scripts and connections.
 * 5. Guardrails judge all zones. The result is one document: `plan-formats.ts` shows it, `saved-plan.ts` keeps it in a
 *    file, and `apply.ts` carries it out.
 *
 * `rollback.ts` starts from a journal and joins at 5. `adopt.ts` and `export.ts` go the other way, from live state to files.
 *
 * Tests hold these invariants:
 * - Planning cannot write: it has only the reading half of the API.
 * - The same files, base and live state give the same document, byte for byte. It contains no time.
 * - All zones are planned and all guardrails checked before the first write.
 * - A section that cannot be read fails alone, and never counts as empty.
 * - A change is judged by rules from before it: by the stricter guardrails, and by the limits of the base.
 * - Output has no credential, and no secret of the files or of the base.
 */
import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import type { OpenZone } from "../config/zone.js";
import { isReadFor } from "../kinds/index.js";
import { acceptingNothing } from "../model/acceptance.js";
import type { Service } from "../model/declared-zone.js";
import { FORBIDDABLE, type Guardrails, LOAD_GUARDRAILS, refusedBy, stricter } from "../model/guardrails.js";
import type { JournaledRun } from "../model/journal.js";
import { limitNames } from "../model/limits.js";
import { failed, inZone, note, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { type Spelling, says } from "../model/sentence.js";
import { partsOf } from "../plan/digest.js";
import { encode, type ZoneOutcome } from "../plan/document.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { guardRun, type RunBreach, type RunTask } from "../plan/guardrails/index.js";
import { AskedOfRun } from "./ask-service.js";
import { type Base, type BothRead, readBoth } from "./base.js";
import { changedEnds, changedRules, letGoZones, zonesNoLongerManaged } from "./base-changes.js";
import { FAILING_TESTS, guardrailsRefusing } from "./exit-codes.js";
import { type DesiredRead, leavingLinks, type PlanInput } from "./files.js";
import { type Logged, readLogs } from "./given-logs.js";
import { replacementsIn, trackedState } from "./journals.js";
import { locateZones } from "./locate.js";
import { type Narrowing, narrow } from "./narrowing.js";
import type { PlanContext, RunContext } from "./plan-zone.js";
import type { CountLines } from "./request-lines.js";
import { runBase } from "./run-base.js";
import { refusedBefore } from "./saved-plan.js";
import { notComparedOf, notSetIn, secretsNotSet } from "./secrets.js";
import { attributed, NOT_ASKED, withWho } from "./who.js";
import { collected, declaredRun, planZones, type ZoneRun, type ZoneToApply } from "./zones.js";

/** The plan of a run, with everything that an apply of it needs. */
export interface Planned {
  readonly ok: true;
  readonly client: Client;
  /** In the order of the outcomes. */
  readonly zones: readonly ZoneToApply[];
  readonly outcomes: readonly ZoneOutcome[];
  readonly document: PlanDocument;
  /** The run that a rollback undoes. */
  readonly undoes?: JournaledRun;
  /** Whether this run applies a zone of the saved plan. */
  readonly isMeant: (zone: string) => boolean;
  /** The document with the options in its messages spelled for another reader. The digest stays. */
  documentIn(spelling: Spelling): PlanDocument;
  /** The guardrails of the run, lifted ones included. */
  readonly guardrails: Guardrails;
  /** Warnings about the files, and problems of zones. */
  readonly problems: readonly Problem[];
}

/** Not ok: the files have errors, and nothing was sent. */
export type PlanRun = Planned | { readonly ok: false; readonly problems: readonly Problem[] };

/** Plans a run: reads the base and the files, finds the zones, reads the live state, and compares. */
export async function runPlan(input: PlanInput, client: Client, progress: Progress): Promise<PlanRun> {
  const compared = await readFiles(input, client);
  if (!compared.ok) return compared;
  const { files, before, guardrails } = compared.value;
  const { desired } = files;
  const { base } = before;
  const narrowed = narrow(input, desired, base);
  if (!narrowed.ok) return narrowed;
  const narrowing = narrowed.value;
  const logs = await readLogs(input, desired.zones);
  if (!logs.ok) return { ok: false, problems: [...files.problems, ...logs.problems] };
  const context = {
    ...contextOf(input, client, compared.value, narrowing, logs.value),
    replacements: await replacementsIn(input.cwd),
  };
  const zones = await locateZones(narrowing.zones, client, unapprovedZones(input, base), context.isRead);
  const work: Work = {
    context,
    config: files.named,
    base: base?.id ?? null,
    guardrails,
    breaches: [
      ...before.breaches,
      ...(base === null ? [] : letGoZones(desired, base, input.zones, guardrails)),
    ],
    warnings: [...(await warningsOf(input, compared.value, narrowing, context)), ...logs.value.warnings],
    narrowing,
    zones: zones.map((zone) => declaredRun(zone, context)),
    countLines: logs.value.countLines,
    // A narrowed run does not see all warnings, so it cannot tell which acceptances are unused.
    acceptances: narrowing.isAll && input.about !== "drift" ? files.acceptances : [],
  };
  return planAll(work, input, progress);
}

/** The files, the base, and the guardrails of the run. */
interface ComparedFiles extends BothRead {
  readonly guardrails: Guardrails;
}

async function readFiles(input: PlanInput, client: Client): Promise<Result<ComparedFiles>> {
  if (wantsInputTwice(input)) return failed(INPUT_TWICE);
  const read = await readBoth(input, taskOf(input) === "drift" ? "warning" : "error");
  if (!read.ok) return read;
  const { files, before } = read.value;
  client.addSecrets(files.secrets);
  const declared = stricter(files.guardrails, before.guardrails);
  const limitless = unset(input, declared);
  if (limitless.length > 0) return { ok: false, problems: [...files.problems, ...limitless] };
  const guardrails = stricter(declared, {
    limits: {},
    forbid: FORBIDDABLE.filter((name) => input.failOn?.includes(name)),
  });
  return ok({ files, before, guardrails });
}

/** In a drift report, expired entries are only warnings, and no tests run. Drift to apply is judged as a plan. */
function taskOf({ about = "plan", isForApply = false }: PlanInput): RunTask {
  return isForApply ? "apply" : about;
}

/** Warnings about the files, and changes that a reviewer has to know first. */
async function warningsOf(
  { cwd, zones: named }: PlanInput,
  { files: { desired, leaving, found }, before }: ComparedFiles,
  { zones }: Narrowing,
  { accept }: Pick<RunContext, "accept">,
): Promise<readonly Problem[]> {
  const { base } = before;
  return [
    ...before.warnings,
    ...leavingLinks(leaving),
    ...(await trackedState(cwd)),
    ...(base === null ? [] : [...changedRules(desired, base), ...changedEnds(zones, desired, base)]),
    ...accept(found),
    ...(base === null ? [] : zonesNoLongerManaged(desired, base, named)),
  ];
}

/** The context that all zones are planned in. */
function contextOf(
  input: PlanInput,
  client: Client,
  { files: { desired, secrets, accept }, before: { base, accepted }, guardrails }: ComparedFiles,
  { picks }: Narrowing,
  { withReports, othersOf }: Logged,
): Omit<PlanContext, "replacements"> {
  const task = taskOf(input);
  const baseOfRun = runBase(input, desired, base);
  return {
    client,
    asked: new AskedOfRun(client),
    shared: new ZoneReads(client),
    service: base === null ? desired.service : withLimitsOf(base.desired.service, desired.service),
    secrets,
    reads: input.reads,
    impact: readingFor(input, guardrails),
    withReports,
    othersOf,
    base: baseOfRun,
    compare: {
      only: input.about === "drift" && baseOfRun.is === "read" ? "drift" : "all",
      isToTell: task === "drift",
      config: input.config,
    },
    picks,
    // Tests can involve every section of a zone.
    isRead: (zone, kind) => (task !== "drift" && zone.tests !== undefined) || isReadFor(picks.whole, kind),
    areFailingTestsAllowed: input.allow.includes(FAILING_TESTS),
    accept: accept(accepted),
    task,
    approved: input.saved === undefined ? null : partsOf(input.saved.plan),
  };
}

function wantsInputTwice({ config, events = [], requests = [] }: PlanInput): boolean {
  return [config, events, requests].filter((names) => names.includes("-")).length > 1;
}

const INPUT_TWICE = problem(
  "bad_flag",
  "Standard input used twice",
  says`${{ flag: "config", value: "-" }}, ${{ flag: "events", value: "-" }} and ${{ flag: "requests", value: "-" }} each read the standard input. Use it for one of them, and files for the others.`,
);

/** Zones whose id or account is not approved yet. Without a base, that is all of them. */
function unapprovedZones({ base: named }: PlanInput, base: Base | null): (zone: OpenZone) => boolean {
  if (base === null) return () => named !== undefined;
  const known = new Map(base.desired.zones.map((zone) => [zone.name, zone]));
  return ({ name, id, accountId }) => {
    const approved = known.get(name)?.open();
    return approved?.id !== id || approved.accountId !== accountId;
  };
}

/** Guardrails use the limits of the base: a change must not move its own limits. */
function withLimitsOf({ limits: { malicious_score_below } }: Service, service: Service): Service {
  return { ...service, limits: { ...service.limits, malicious_score_below } };
}

/** With a guardrail on impact, detections are read again: a plan file may be forged. */
function readingFor({ impact }: PlanInput, { forbid }: Guardrails): PlanInput["impact"] {
  return impact === "as planned" && forbid.some((name) => LOAD_GUARDRAILS.includes(name))
    ? undefined
    : impact;
}

/** Errors for `--fail-on` with a limit that has no number: it could never refuse. */
function unset({ failOn = [] }: PlanInput, { limits }: Guardrails): readonly Problem[] {
  return limitNames
    .filter((name) => failOn.includes(name) && limits[name] === undefined)
    .map((name) =>
      problem(
        "no_limit",
        `Guardrail ${name} has no number`,
        says`${{ flag: "fail-on", value: name }} needs a number. Set ${name} under guardrails: in the files, or in the file of ${{ flag: "guardrails" }}.`,
      ),
    );
}

/** The planned zones of a run or rollback, before they become one document. */
interface Work {
  readonly context: RunContext;
  readonly config: readonly string[];
  readonly base: string | null;
  readonly guardrails: Guardrails;
  /** Breaches that are known before any zone is planned. */
  readonly breaches: readonly RunBreach[];
  readonly warnings: readonly Problem[];
  readonly narrowing: Narrowing;
  readonly zones: readonly ZoneRun[];
  readonly countLines?: CountLines | undefined;
  /** Acceptances to report if they accept no warning. Absent: none. */
  readonly acceptances?: DesiredRead["acceptances"];
  /** The run that a rollback undoes. */
  readonly undoes?: JournaledRun;
}

/** Combines the plans of the zones into one document. */
export async function planAll(work: Work, input: PlanInput, progress: Progress): Promise<PlanRun> {
  const { context, zones, guardrails } = work;
  const { client } = context;
  const outcomes = await collected(planZones(zones, context), zones.length, progress, "planning");
  const problemsOfZones = outcomes.flatMap((each) => {
    const { zone, problems } = each.ok ? each.plan : each.failure;
    return inZone(problems, zone);
  });
  const facts = await factsOf(work, input, outcomes, problemsOfZones);
  const { who, problems } =
    input.who === undefined
      ? NOT_ASKED
      : await attributed(encode(outcomes, facts), zones, input.who, input.cwd, client);
  const warnings = [...facts.warnings, ...problems];
  const documentIn = (spelling?: Spelling) =>
    withWho(encode(outcomes, { ...facts, warnings, ...(spelling === undefined ? {} : { spelling }) }), who);
  return {
    ok: true,
    client,
    zones,
    outcomes,
    document: documentIn(),
    ...(work.undoes === undefined ? {} : { undoes: work.undoes }),
    isMeant: input.saved?.hasZone ?? (() => true),
    documentIn,
    guardrails,
    problems: [...warnings, ...problemsOfZones],
  };
}

/** What the document says of the run as a whole. */
async function factsOf(
  work: Work,
  input: PlanInput,
  outcomes: readonly ZoneOutcome[],
  problemsOfZones: readonly Problem[],
) {
  const { context, narrowing } = work;
  const plans = outcomes.flatMap((each) => (each.ok ? [each.plan] : []));
  const notSet = notSetIn(plans);
  const lines = (await work.countLines?.(plans)) ?? null;
  const broken = [...work.breaches, ...guardRun(outcomes, work.guardrails, context.task, narrowing.beside)];
  const isRollback = work.undoes !== undefined;
  const breaches = isRollback ? [] : broken;
  const warnings = warningsAfter(work, outcomes, problemsOfZones, secretsNotSet(notSet));
  return {
    inputs: inputsOf(work, input, notComparedOf(notSet)),
    base: work.base,
    breaches: [...breaches, ...refusedBefore(input, breaches)],
    allowed: input.allow,
    asInBase: narrowing.asInBase,
    leftOut: narrowing.leftOut,
    requestLines: lines?.counts,
    sharedRequests: context.client.requests - requestsOf(outcomes),
    warnings: [
      ...withoutErrors([...warnings, ...(lines?.warnings ?? [])], problemsOfZones),
      ...(isRollback ? broken.map(wouldRefuse) : []),
    ],
  };
}

/** Warnings of a run whose zones are all planned. */
function warningsAfter(
  { warnings, acceptances = [], narrowing, context }: Work,
  outcomes: readonly ZoneOutcome[],
  zoneProblems: readonly Problem[],
  notSet: readonly Problem[],
): readonly Problem[] {
  const shown = context.asked.without(warnings);
  if (!areAllPlanned(outcomes)) return [...shown, ...notSet];
  const idle = acceptingNothing(acceptances, [...warnings, ...zoneProblems], "plan");
  return [...shown, ...idle, ...notSet, ...narrowing.picks.idle()];
}

function inputsOf(
  { config, narrowing }: Work,
  { guardrails, base, about }: PlanInput,
  notCompared: ReturnType<typeof notComparedOf>,
): PlanDocument["inputs"] {
  return {
    config,
    ...(guardrails === undefined ? {} : { guardrails }),
    ...(base === undefined ? {} : { base }),
    ...(about === "drift" ? { about } : {}),
    ...narrowing.inputs,
    ...(notCompared.length === 0 ? {} : { not_compared: notCompared }),
  };
}

/** Guardrails never refuse a rollback. A note says which ones would refuse the same change in a plan. */
function wouldRefuse({ guardrail, message, zone }: RunBreach): Problem {
  const would = note("guardrail_standing", `Guardrail ${guardrail} would refuse this in a plan`, message);
  return zone === null ? would : { ...would, zone };
}

/** Removes warnings about the files that are errors in comparison with the live state. */
function withoutErrors(warnings: readonly Problem[], found: readonly Problem[]): readonly Problem[] {
  const keyOf = ({ code, at }: Problem) => JSON.stringify([code, at?.file, at?.pointer]);
  const errors = new Set(found.filter(({ severity }) => severity === "error").map(keyOf));
  return warnings.filter((each) => !errors.has(keyOf(each)));
}

function areAllPlanned(outcomes: readonly ZoneOutcome[]): boolean {
  return outcomes.every((each) => each.ok && each.plan.notPlanned.length === 0);
}

function requestsOf(outcomes: readonly ZoneOutcome[]): number {
  return outcomes.reduce(
    (sum, each) => sum + (each.ok ? each.plan.counts.requests : each.failure.requests),
    0,
  );
}

/** The problems of the guardrails that refuse the plan. */
export function refusalsOf(document: PlanDocument, failOn: readonly string[]): readonly Problem[] {
  return guardrailsRefusing(document, failOn).map(({ name, message }) =>
    problem(name, refusedBy(name), message),
  );
}

/**
 * Adds an expiry time to a plan. Plans have no other time, so that the same input gives the same bytes.
 *
 * @param minutes from now; null: no expiry
 */
export function withExpiry(document: PlanDocument, minutes: number | null): PlanDocument {
  if (minutes === null) return document;
  return { ...document, expires_at: new Date(Date.now() + minutes * MINUTE_MS).toISOString() };
}

const MINUTE_MS = 60_000;
