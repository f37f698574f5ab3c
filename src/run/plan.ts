/**
 * How a plan is made, from files in git and live zones. The other commands share these steps.
 *
 * 1. `base.ts`: the files before the change, where a base is named. What they keep secret and what they guard counts
 *    still, whatever else is wrong in them.
 * 2. `files.ts`: the files. Read, checked and resolved, all problems together; with an error nothing is sent.
 * 3. `select-zones.ts`, `changed-zones.ts`, `zones.ts`: the zones that are meant, and their ids at the service.
 * 4. `zones.ts`, `impact.ts`: zone by zone what is managed is read, matched with the files and the base, and planned; with
 *    what that means for the scripts and connections that run there.
 * 5. Guardrails look at all of it, and it becomes one document, which every format shows (`plan-formats.ts`), a file keeps
 *    (`saved-plan.ts`), and `apply.ts` carries out.
 *
 * `rollback.ts` begins at a journal and joins at 5. `adopt.ts` and `export.ts` go the other way, from live to files.
 *
 * What holds, and is held by tests:
 * - Planning only reads: what it is given of the service cannot write.
 * - The same files, base and live state give the same document, byte for byte. It has no time in it.
 * - All zones are planned, and guardrails have looked at all of them, before the first call that writes.
 * - A section that cannot be read has failed: it is never taken for empty, and leaves the others their plans.
 * - What a change is measured by comes from before it: of guardrails the stricter holds, of limits those of the base.
 * - No secret of the files, before or after the change, and no credential is in what is shown.
 */
import type { Client } from "../api/client.js";
import { CountedReads, ZoneReads } from "../api/reads.js";
import type { Desired } from "../config/index.js";
import type { OpenZone } from "../config/zone.js";
import { isReadFor } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import { acceptingNothing } from "../model/acceptance.js";
import { FORBIDDABLE, type Guardrail, type Guardrails, LIMITS, stricter } from "../model/guardrails.js";
import type { JournaledRun } from "../model/journal.js";
import { equal } from "../model/json.js";
import { hasErrors, inZone, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { type Spelling, says } from "../model/sentence.js";
import type { Service } from "../model/wanted.js";
import { encode, type ZoneOutcome } from "../plan/document.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { type Beside, guardRun, type RunBreach } from "../plan/guard.js";
import { AskedOfRun } from "./asked.js";
import {
  type Base,
  changedEnds,
  changedRules,
  readBase,
  removedZones,
  zoneFinder,
  zonesNoLongerManaged,
} from "./base.js";
import { changedZones, NO_BASE } from "./changed-zones.js";
import { type DesiredRead, leavingLinks, type PlanInput, readStanding } from "./files.js";
import { reportsFor } from "./impact.js";
import { replacementsIn, trackedState } from "./journals.js";
import {
  besideOf,
  refusedBefore,
  refusedElsewhere,
  type ShardOfRun,
  wholeOf,
  zonesLeftOut,
} from "./left-out.js";
import { ALL, pickedNothing, picksOf, type Tried } from "./only.js";
import type { CountLines } from "./request-lines.js";
import { notComparedOf, notSetIn, secretsNotSet } from "./secrets.js";
import { notAmongPlanned, selectNamed, selectZones } from "./select-zones.js";
import { isInShard, shardText } from "./shard.js";
import { type Attributed, attributed, NOT_ASKED, withWho } from "./who.js";
import { type AgainstBase, locateZones, planZones, toApply, type ZoneToApply } from "./zones.js";

/** The plans of a run, and what it takes to carry them out. */
export interface Planned {
  readonly ok: true;
  readonly client: Client;
  /** In the order of the outcomes. */
  readonly zones: readonly ZoneToApply[];
  readonly outcomes: readonly ZoneOutcome[];
  readonly document: PlanDocument;
  /** Of a rollback: the run that it goes back from. */
  readonly undoes?: JournaledRun;
  /** Whether a zone of the saved plan is in the part of it that is carried out. */
  readonly isMeant: (zone: string) => boolean;
  /** The same document with the options in its messages named in another way. Its digest is the same. */
  documentIn(spelling: Spelling): PlanDocument;
  /** What the run was held against, lifted or not. */
  readonly guardrails: Guardrails;
  /** Warnings about the files, and what failed or is odd in zones. */
  readonly problems: readonly Problem[];
}

/** Without a plan where the files cannot be used; nothing was sent then. */
export type PlanRun = Planned | { readonly ok: false; readonly problems: readonly Problem[] };

/** Plans a run: reads the base and the files, finds the zones, reads what is live, and compares. */
export async function runPlan(input: PlanInput, client: Client, progress: Progress): Promise<PlanRun> {
  if (wantsInputTwice(input)) return { ok: false, problems: [INPUT_TWICE] };
  const baseFiles = await readBase(input.base, input);
  // Drift is told whatever comes of it.
  const isToApply = input.about !== "drift" || input.isForApply === true;
  const files = await readStanding(input, "plan", baseFiles.secrets, isToApply ? "error" : "warning");
  const { desired, problems, secrets } = files;
  client.addSecrets(secrets);
  if (desired === null || hasErrors(problems)) return { ok: false, problems };
  const { base, ...before } = baseFiles.beside(desired);
  const guardrails = stricter(files.guardrails, before.guardrails);
  const limitless = unset(input, guardrails);
  if (limitless.length > 0) return { ok: false, problems: [...problems, ...limitless] };

  if (input.changedOver !== undefined && input.base === undefined) return { ok: false, problems: [NO_BASE] };
  const picks = input.part === undefined && !hasAny(input.only) ? ok(ALL) : picksOf(input);
  if (!picks.ok) return picks;
  const removed = base === null ? [] : removedZones(desired, base.desired).map(({ name }) => name);
  const selected = selectZones(desired, input.part?.plan.inputs.zones ?? input.zones, removed);
  if (!selected.ok) return selected;
  const absent = notInPlan(input);
  if (absent.length > 0) return { ok: false, problems: absent };
  const warnings = [
    ...before.warnings,
    ...leavingLinks(files.leaving),
    ...(await trackedState(input.cwd)),
    ...(base === null ? [] : [...changedRules(desired, base), ...changedEnds(selected.value, desired, base)]),
    ...problems,
    ...(base === null ? [] : zonesNoLongerManaged(desired, base, input.zones)),
  ];
  const isNarrowed = base !== null && selected.value.length > (input.changedOver ?? Number.POSITIVE_INFINITY);
  const { zones: changed, asInBase } = isNarrowed
    ? changedZones(selected.value, zoneFinder(desired, base.desired))
    : { zones: selected.value, asInBase: null };
  const meant = changed.filter(({ name }) => input.part?.hasZone(name) ?? true);
  const reports = await reportsFor(
    input,
    desired.zones.map(({ name }) => name),
  );
  if (!reports.ok) return { ok: false, problems: [...problems, ...reports.problems] };
  const requests = await requestsFor(input, desired);
  if (!requests.ok) return { ok: false, problems: [...problems, ...requests.problems] };
  // Each shard looks for all zones: whether two of them are one live zone shows only so.
  const common = new CountedReads(client);
  const testing = isToApply ? { isLifted: input.allow.includes(FAILING_TESTS) } : null;
  // Tests are about all that a zone has.
  const isRead = (zone: OpenZone, kind: Kind) =>
    (testing !== null && zone.tests !== undefined) || isReadFor(picks.value.whole, kind);
  const located = await locateZones(meant, client, newIds(input, base), common, isRead);
  const { shard } = input;
  const zones =
    shard === undefined ? located : located.filter((each) => isInShard(each.declared.name, shard));

  const asked = new AskedOfRun(common);
  const held = stricter(guardrails, { limits: {}, forbid: forbidding(input) });
  const context = {
    client,
    asked,
    shared: new ZoneReads(common),
    service: base === null ? desired.service : withLimitsOf(base.desired.service, desired.service),
    secrets,
    reads: input.reads,
    impact: readingFor(input, held),
    ...reports.value,
    against: againstOf(input, desired, base),
    picks: picks.value,
    isRead,
    replacements: await replacementsIn(input.cwd),
    testing,
    planned: input.isForApply === true ? new Map() : null,
  };
  const isAll = meant.length === desired.zones.length && picks.value === ALL;
  const work: Work = {
    client,
    config: files.named,
    base: base?.id ?? null,
    guardrails: held,
    breaches: [...before.breaches, ...(input.part === undefined ? [] : refusedElsewhere(input.part))],
    warnings: [...warnings, ...reports.value.told],
    zones: zones.map((zone) => toApply(zone, context)),
    ...requests.value,
    outcomes: planZones(zones, context),
    accept: files.accept(before.acceptances),
    // Of a part, nobody knows what the rest would tell; what is told of all shards, each of them has told.
    acceptances: isAll && input.about !== "drift" ? files.acceptances : [],
    asInBase,
    beside:
      isAll && base === null
        ? undefined
        : besideOf(desired.zones, meant, base?.desired.zones ?? null, held, input.part, picks.value),
    tried: picks.value.tried,
    leftOut: leftOutOf(desired.zones.length - selected.value.length, input),
    asked,
    ...(shard === undefined
      ? {}
      : { shard: { shard, files: files.files, names: meant.map(({ name }) => name), common } }),
  };
  return planAll(work, input, progress);
}

/** What asks lines of requests, where logs of them are named. */
async function requestsFor(
  { requests = [], cwd, input }: PlanInput,
  { zones }: Desired,
): Promise<Result<Pick<Work, "countLines">>> {
  if (requests.length === 0) return ok({});
  const { findLines } = await import("./request-lines.js");
  const names = zones.map(({ name }) => name);
  const found = await findLines(requests, names, cwd, input ?? null);
  return found.ok ? ok({ countLines: found.value }) : found;
}

function wantsInputTwice({ config, events = [], requests = [] }: PlanInput): boolean {
  return [config, events, requests].filter((names) => names.includes("-")).length > 1;
}

const INPUT_TWICE = problem(
  "bad_flag",
  "One input for two",
  says`${{ flag: "config", value: "-" }}, ${{ flag: "events", value: "-" }} and ${{ flag: "requests", value: "-" }} all read the standard input, which there is once. Put the others into files.`,
);

/** Names of zones that the plan does not have of which a part is meant. */
function notInPlan({ part, zones: patterns }: PlanInput): readonly Problem[] {
  if (part === undefined) return [];
  if (equal(patterns, part.plan.inputs.zones)) return [];
  const named = selectNamed(part.plan.zones, ({ zone }) => zone, patterns, notAmongPlanned);
  return named.ok ? [] : named.problems;
}

/** How many zones are left out: of the plan of which a part is meant, else of the files. Null: all were meant. */
function leftOutOf(others: number, { part, zones }: PlanInput): number | null {
  if (part !== undefined) return zonesLeftOut(part).length || null;
  return zones.length === 0 ? null : others;
}

function hasAny(names: readonly string[] | undefined): names is readonly string[] {
  return names !== undefined && names.length > 0;
}

/** Which ids of zones nobody has approved yet. Where the base is not known, that is each of them. */
function newIds({ base: named }: PlanInput, base: Base | null): (zone: OpenZone) => boolean {
  if (base === null) return () => named !== undefined;
  const known = new Map(base.desired.zones.map((zone) => [zone.name, zone]));
  return ({ name, id }) => known.get(name)?.open().id !== id;
}

/** The limits that guardrails go by are those of the base: a change must not move what it is measured by. */
function withLimitsOf({ limits: { malicious_score_below } }: Service, service: Service): Service {
  return { ...service, limits: { ...service.limits, malicious_score_below } };
}

/** Without a base, what is not as the files say has drifted from them. */
function againstOf(
  { base: named, about = "plan", isForApply = false, config }: PlanInput,
  desired: Desired,
  base: Base | null,
): AgainstBase {
  const only = about === "drift" ? "drift" : "all";
  const told = { isToTell: about === "drift" && !isForApply, config };
  const before = base?.desired ?? (about === "drift" && named === undefined ? desired : null);
  const lacks = base?.lacks === true;
  if (before === null) return { zone: null, isUnread: named !== undefined, lacks, only: "all", ...told };
  return { zone: zoneFinder(desired, before), isUnread: false, lacks, only, ...told };
}

/** What runs is read again where a guardrail goes by it: a plan's file may say anything. */
function readingFor({ impact }: PlanInput, { forbid }: Guardrails): PlanInput["impact"] {
  return impact === "as planned" && forbid.some((name) => BY_WHAT_RUNS.includes(name)) ? undefined : impact;
}

const BY_WHAT_RUNS: Guardrails["forbid"] = [
  "starts_blocking",
  "blocks_active_scripts",
  "allows_malicious",
  "unproven",
];

function forbidding({ failOn = [] }: PlanInput): Guardrails["forbid"] {
  return FORBIDDABLE.filter((name) => failOn.includes(name));
}

/** Limits that are to hold and have no number: nothing would ever be beyond them. */
function unset({ failOn = [] }: PlanInput, { limits }: Guardrails): readonly Problem[] {
  return LIMITS.filter((name) => failOn.includes(name) && limits[name] === undefined).map((name) =>
    problem(
      "no_limit",
      `No ${name} is set`,
      says`${{ flag: "fail-on", value: name }} needs the number that it is about. Set ${name} under guardrails: in the files, or in the file that ${{ flag: "guardrails" }} names.`,
    ),
  );
}

/** What is to be planned, however it came about. */
interface Work {
  readonly client: Client;
  readonly config: readonly string[];
  readonly base: string | null;
  readonly guardrails: Guardrails;
  /** What stands against applying before any zone is planned. */
  readonly breaches: readonly RunBreach[];
  readonly warnings: readonly Problem[];
  readonly zones: readonly ZoneToApply[];
  /** What asks lines of requests about the plans. Absent: none are named. */
  readonly countLines?: CountLines;
  /** In the order of the zones. */
  readonly outcomes: AsyncIterable<ZoneOutcome>;
  /** Makes notes of the warnings that the files accept. Absent: they accept none. */
  readonly accept?: ReturnType<DesiredRead["accept"]>;
  /** Those of which it is said where they accept nothing. Absent: none. */
  readonly acceptances?: DesiredRead["acceptances"];
  /** How many zones are left out, as the files do not change them. Null or absent: none was looked for. */
  readonly asInBase?: number | null;
  /** How many are left out of those that could be named. Null or absent: all were meant. */
  readonly leftOut?: number | null;
  /** What guardrails count of what is left out. */
  readonly beside?: Beside | undefined;
  /** What was looked for by its name. */
  readonly tried?: () => Tried | null;
  /** What the service has been asked by then. Absent: nothing. */
  readonly asked?: AskedOfRun;
  /** Which shard the zones are, and of what. Absent: they are all that are meant. */
  readonly shard?: ShardOfRun;
  /** Of a rollback. */
  readonly undoes?: JournaledRun;
}

/** Zones, planned one after the other → the plan of them all. */
export async function planAll(work: Work, input: PlanInput, progress: Progress): Promise<PlanRun> {
  const { client, zones, warnings, asInBase = null, leftOut = null, guardrails } = work;
  const outcomes: ZoneOutcome[] = [];
  progress(0, zones.length, "planning");
  for await (const outcome of work.outcomes) {
    outcomes.push(withAccepted(outcome, work.accept));
    progress(outcomes.length, zones.length, "planning");
  }
  const found = outcomes.flatMap((each) => {
    const { zone, problems } = each.ok ? each.plan : each.failure;
    return inZone(problems, zone);
  });
  const plans = outcomes.flatMap((each) => (each.ok ? [each.plan] : []));
  const notSet = notSetIn(plans);
  const notCompared = notComparedOf(notSet);
  const tried = work.tried?.() ?? null;
  const shard = work.shard?.shard ?? input.part?.shard;
  const lines = (await work.countLines?.(plans)) ?? null;
  const told = withoutErrors(
    [
      ...(work.asked?.without(warnings) ?? warnings),
      ...(areAllPlanned(outcomes)
        ? acceptingNothing(work.acceptances ?? [], [...warnings, ...found], "plan")
        : []),
      ...secretsNotSet(notSet),
      ...(tried !== null && areAllPlanned(outcomes) ? pickedNothing(tried) : []),
      ...(lines?.told ?? []),
    ],
    found,
  );
  const breaches = [
    ...work.breaches,
    ...guardRun(
      outcomes,
      guardrails,
      input.isForApply === true ? "apply" : input.about,
      work.beside,
      work.shard?.shard,
    ),
  ];
  const facts = {
    inputs: {
      config: [...work.config],
      zones: [...input.zones],
      ...(input.guardrails === undefined ? {} : { guardrails: input.guardrails }),
      ...(input.base === undefined ? {} : { base: input.base }),
      ...(input.about === "drift" ? { about: input.about } : {}),
      ...(asInBase === null ? {} : { changed: true as const }),
      ...(hasAny(input.only) ? { only: [...input.only] } : {}),
      ...(input.part === undefined ? {} : { part_of: input.part.plan.digest }),
      ...(shard === undefined ? {} : { shard: shardText(shard) }),
      ...(notCompared.length === 0 ? {} : { not_compared: [...notCompared] }),
    },
    base: work.base,
    whole:
      work.shard === undefined ? undefined : wholeOf(work.shard, outcomes, { ...work, notSet, tried, input }),
    breaches: [...breaches, ...refusedBefore(input, breaches)],
    allowed: input.allow,
    asInBase,
    leftOut,
    requestLines: lines?.counts,
    sharedRequests: client.requests - requestsOf(outcomes),
    warnings: told,
  };
  const asked = await whoOf(() => encode(outcomes, facts), zones, input, client);
  if (!asked.ok) return asked;
  const { who, problems } = asked.value;
  const documentIn = (spelling?: Spelling) =>
    withWho(
      encode(outcomes, {
        ...facts,
        warnings: [...told, ...problems],
        ...(spelling === undefined ? {} : { spelling }),
      }),
      who,
    );
  return {
    ok: true,
    client,
    zones,
    outcomes,
    document: documentIn(),
    ...(work.undoes === undefined ? {} : { undoes: work.undoes }),
    isMeant: (zone) => input.part?.hasZone(zone) ?? true,
    documentIn,
    guardrails,
    problems: [...told, ...problems, ...found],
  };
}

/** Who made what was changed outside the files, where that is asked. */
async function whoOf(
  made: () => PlanDocument,
  zones: readonly ZoneToApply[],
  { who, cwd }: PlanInput,
  client: Client,
): Promise<Result<Attributed>> {
  return who === undefined ? ok(NOT_ASKED) : attributed(made(), zones, who, cwd, client);
}

function withAccepted(outcome: ZoneOutcome, accept: Work["accept"]): ZoneOutcome {
  if (!outcome.ok || accept === undefined) return outcome;
  const { plan } = outcome;
  return { ...outcome, plan: { ...plan, problems: accept(plan.problems) } };
}

/** Without warnings that are errors now that it is known what is live. */
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

const FAILING_TESTS: Guardrail = "failing_tests";

/** Whether a test of the files would not pass after the plan, and that is not lifted. */
export function failsTests({ guardrails }: PlanDocument): boolean {
  return guardrails.some(({ name, allowed }) => name === FAILING_TESTS && !allowed);
}

/** What the caller has said must not be, and the plan does: guardrails that are named, and not lifted. */
export function refusalsOf(
  { whole, guardrails }: PlanDocument,
  failOn: readonly string[],
): readonly Problem[] {
  // Whether a sum is beyond its limit shows when all shards are one plan.
  const open: readonly string[] = whole === undefined ? [] : LIMITS;
  return guardrails
    .filter(({ name, allowed }) => !allowed && failOn.includes(name) && !open.includes(name))
    .map(({ name, message }) => problem(name, `The guardrail ${name} says no`, message));
}

/**
 * A plan that says itself until when it can be applied. As it was made it knows no time, so that the same files and the
 * same live state give the same bytes.
 *
 * @param minutes from now; null: it does not say
 */
export function withExpiry(document: PlanDocument, minutes: number | null): PlanDocument {
  if (minutes === null) return document;
  return { ...document, expires_at: new Date(Date.now() + minutes * MINUTE_MS).toISOString() };
}

const MINUTE_MS = 60_000;
