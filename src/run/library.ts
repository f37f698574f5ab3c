import type { Client } from "../api/client.js";
import type { Environment } from "../config/index.js";
import { cutEnd } from "../model/cut.js";
import { GUARDRAILS } from "../model/guardrails.js";
import { hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { ReadyReport } from "../model/readiness.js";
import type { ApplyReport, Progress } from "../model/report.js";
import { didYouMean } from "../model/suggest.js";
import type { SuggestReport } from "../model/suggestion.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { checkPlan } from "../plan/read-document.js";
import { type Adoption, runAdopt } from "./adopt.js";
import { runAlone, standingGuardrails } from "./apply.js";
import { withClient } from "./client.js";
import { knownFrom, runExport } from "./export.js";
import { type PlanInput, readChecked, readDesired } from "./files.js";
import { journalFrom } from "./journals.js";
import { neededPermissions, type Permissions } from "./permissions.js";
import { type Planned, runPlan } from "./plan.js";
import { readiness } from "./ready.js";
import { runRollback } from "./rollback.js";
import { notOver, partFor } from "./saved-plan.js";
import { selectZones } from "./select-zones.js";
import { suggestions } from "./suggest.js";

export type { Environment } from "../config/index.js";
export type {
  Happening,
  ImpactEntry,
  OtherReports,
  Reports,
  UndecidedEntry,
} from "../model/detection.js";
export type { FailingTest, Readiness, ReadyObject, ReadyReport, ReadyZone } from "../model/readiness.js";
export type { Progress } from "../model/report.js";
export type {
  AskingLoad,
  RefusedLoad,
  SuggestedSource,
  SuggestedValue,
  SuggestReport,
} from "../model/suggestion.js";
export type { AdoptedChange, Adoption, EffectiveChange, LeftChange } from "./adopt.js";
export type { AccountNeeds, NeededGroup, Needs, Permissions, ZoneNeeds } from "./permissions.js";

/** Which files to read. */
export interface FilesOptions {
  /** Files, folders and globs; zoneward.yaml when absent, or else the folder zones. */
  readonly config?: string | readonly string[];
  /** What relative paths start from; the process's folder when absent. */
  readonly cwd?: string;
  /** Answers `${env:…}` and holds the credentials; the process's environment when absent. */
  readonly environment?: Environment;
}

/** What to plan, and how to reach the service. Credentials come from the environment only. */
export interface PlanOptions extends FilesOptions {
  /** Names and globs; all zones when absent. */
  readonly zones?: readonly string[];
  /** Only these objects: kinds, and kinds with names and globs (`policy/Checkout*`); all when absent. */
  readonly only?: readonly string[];
  /**
   * The same files before the change: a folder, or `git:` and what git calls a commit. Tells what was changed in the
   * files from what was changed outside them, and deletes what the files no longer have.
   */
  readonly base?: string;
  /** Only the zones that the files change since the base; the others are counted, and not read. */
  readonly changed?: boolean;
  /**
   * Whether what runs in the zones is not read: what changes would block or allow of it is then unknown. It is read when
   * absent; an apply of a saved plan asks only where a guardrail goes by it.
   */
  readonly noImpact?: boolean;
  /** Logs of page_shield_events, plain or gzip: files, folders, globs. What browsers reported is tried like what was detected. */
  readonly events?: readonly string[];
  /**
   * Of plan and drift: files, folders and globs with lines of the log dataset `http_requests`, plain or gzip. Changes say
   * how many of these requests they are about.
   */
  readonly requests?: readonly string[];
  /**
   * Of plan and drift: who changed what was changed outside the files, by the account's audit log (permission Account
   * Settings Read). `role`: without e-mail addresses and names of tokens.
   */
  readonly who?: "names" | "role";
  /** A file with more guardrails than the files have; they can only make it stricter. */
  readonly guardrails?: string;
  /** Guardrails to lift for this run, by their names. */
  readonly allow?: readonly string[];
  /** Guardrails that say no, whether or not the files forbid what they are about. */
  readonly failOn?: readonly string[];
  /** The API's address up to its version segment; `CLOUDFLARE_BASE_URL` of the environment, or Cloudflare's, when absent. */
  readonly baseUrl?: string;
  /** Requests under way at once; 10 when absent. */
  readonly concurrency?: number;
  /** At most so many requests in any so many seconds, and 180 a second: `N/SECONDS`, or `off`; `960/300` when absent. */
  readonly rateLimit?: string;
  /** How long one request may take; 30 when absent. */
  readonly timeoutSeconds?: number;
  /** How long to wait when the service asks for a pause, or blocks; 330 when absent. */
  readonly maxWaitSeconds?: number;
  /** Told now and then how far the run is. */
  readonly onProgress?: Progress;
}

/** What to carry out. */
export interface ApplyOptions extends PlanOptions {
  /**
   * A plan that was approved: zones for which a fresh plan says something else are left alone. It is held against one
   * that is made with these options, so they have to be the same as when it was made, `base` included. Other `zones`
   * or objects (`only`) than it was made with are the part of it that is carried out; the same plan serves for the rest.
   */
  readonly plan?: PlanDocument;
  /** Aborted: the calls in flight end, no other starts. */
  readonly signal?: AbortSignal;
}

/** What the files are worth. */
export interface Validation {
  /** Whether there is no error; there may be warnings. */
  readonly ok: boolean;
  /** All errors and warnings, each with its place in a file. */
  readonly problems: readonly Problem[];
}

/** Without a document when nothing could be planned at all; a zone that failed alone is in the document. */
export interface Planning {
  /** What would change, and the calls that change it. */
  readonly document: PlanDocument | null;
  /** What is wrong or odd about the files, the credentials, the service, and what is live. */
  readonly problems: readonly Problem[];
}

/** Without a report when nothing was written: the files are wrong, a guardrail said no, or another run is at work. */
export interface Applying extends Planning {
  /** What became of each call and zone, and where the journal is. */
  readonly report: ApplyReport | null;
}

/** Without a text when nothing could be exported. */
export interface Exporting {
  /** A desired-state file. */
  readonly text: string | null;
  /** The names of the secrets that it takes from the environment, in the order of zones and jobs. */
  readonly secrets: readonly string[];
  /** What could not be read, and so is not in it. */
  readonly problems: readonly Problem[];
}

/** The token's permissions, or what is wrong with the files. */
export interface Permitting {
  /** The permission groups, by zone and account; null: the files are wrong. */
  readonly permissions: Permissions | null;
  /** What is wrong or odd about the files. */
  readonly problems: readonly Problem[];
}

/** Lists the least permissions that an API token needs for the files, per zone and account. Works offline. */
export async function permissions(
  options: FilesOptions & Pick<PlanOptions, "zones"> = {},
): Promise<Permitting> {
  const { desired, problems } = await readDesired(inputOf(options), "check");
  if (desired === null) return { permissions: null, problems };
  const selected = selectZones(desired, options.zones ?? []);
  if (!selected.ok) return { permissions: null, problems: selected.problems };
  return { permissions: neededPermissions(selected.value), problems };
}

/** Checks files offline: shape, expressions, CSP values and tests. Secrets need not be set. */
export async function validate(options: FilesOptions = {}): Promise<Validation> {
  const { desired, problems: found, tested } = await readChecked(inputOf(options));
  const problems = [...found, ...tested.flatMap((each) => each.problems)];
  return { ok: desired !== null && !hasErrors(problems), problems };
}

/** Which zones to export, and how: `config` is of files whose `service` it goes by and says again; none when absent. */
export interface ExportOptions extends Omit<PlanOptions, "guardrails" | "allow" | "failOn"> {
  /** The name of a template, for what is the same in all zones, their own names apart. */
  readonly template?: string;
}

/** Writes live zones as a desired-state file: the zones that `zones` names, or all zones that the token can see. */
export async function exportZones(options: ExportOptions = {}): Promise<Exporting> {
  return withService<Exporting>(options, { text: null, secrets: [] }, async (client) => {
    const known = await knownFrom(inputOf(options));
    if (!known.ok) return known;
    const how = { template: options.template, ...known.value };
    const exported = await runExport(options.zones ?? [], client, progressOf(options), how);
    if (!exported.ok) return exported;
    const { files, secrets, problems } = exported.value;
    return ok({ text: files[0]?.text ?? null, secrets, problems });
  });
}

/** What became of drift. Null: the files cannot be used, or could not be written. */
export interface Adopting {
  /** What was written back, and what was left and why. */
  readonly adoption: Adoption | null;
  /** What is wrong or odd about the files, the credentials and the service. */
  readonly problems: readonly Problem[];
}

/** What to write back. */
export interface AdoptOptions extends PlanOptions {
  /** Whether nothing is written: `adoption.patch` says what would be. */
  readonly dryRun?: boolean;
  /** Whether what is live and no file declares or lists is taken into the files too: policies, jobs, exceptions. */
  readonly new?: boolean;
}

/**
 * Writes changes made outside the files into the files. Comments and layout stay. A value that a template gives is not
 * written. The service is only read.
 */
export async function adopt(options: AdoptOptions = {}): Promise<Adopting> {
  return withService<Adopting>(options, { adoption: null }, async (client) => {
    const ran = await runAdopt(
      { ...inputOf(options), isDry: options.dryRun === true, withUndeclared: options.new === true },
      client,
      progressOf(options),
    );
    if (!ran.ok) return ran;
    const { adoption } = ran.value;
    return ok({ adoption, problems: adoption.problems });
  });
}

/** Compares the files with the live state. Nothing is written. */
export function plan(options: PlanOptions = {}): Promise<Planning> {
  return planAbout("plan", options);
}

/**
 * Shows changes made outside the files, as a plan that undoes them. Without a base, every difference from the files counts.
 */
export function drift(options: PlanOptions = {}): Promise<Planning> {
  return planAbout("drift", options);
}

async function planAbout(about: "plan" | "drift", options: PlanOptions): Promise<Planning> {
  return withService<Planning>(options, { document: null }, async (client) => {
    const planned = await runPlan({ ...inputOf(options), about }, client, progressOf(options));
    return planned.ok ? ok({ document: planned.document, problems: planned.problems }) : planned;
  });
}

/** What to ask `ready` and `suggest`. */
export interface SeenOptions extends Omit<PlanOptions, "allow" | "failOn" | "only" | "requests" | "who"> {
  /** Names of policies; * stands for any part. All when absent. */
  readonly policies?: readonly string[];
}

/** Whether what reports could block. */
export interface ReadyOptions extends SeenOptions {
  /** The fewest days that the service has to have seen the pages for; what the files' guardrails say when absent, or 7. */
  readonly evidenceDays?: number;
}

/** Without a report where the files or the service cannot be read at all. */
export interface Readying {
  readonly report: ReadyReport | null;
  readonly problems: readonly Problem[];
}

/** Tells which report-only policies could block, and what they would block. Nothing is written. */
export function ready(options: ReadyOptions = {}): Promise<Readying> {
  const input = { ...seenInput(options), leastDays: options.evidenceDays ?? null };
  return reported(options, (client) => readiness(input, client, progressOf(options)));
}

/** What policies would have to allow. */
export interface SuggestOptions extends SeenOptions {
  /** What a source names: `host` when absent, `path`, or one for so many hosts with one parent. */
  readonly by?: "host" | "path" | { readonly hosts: number };
  /** Schemes that may stand alone as a source, such as `data:`; none when absent. */
  readonly schemes?: readonly string[];
  /** Whether the files get what is suggested: `true`, as far as the service itself has detected it; `reported`, all of it. */
  readonly write?: boolean | "reported";
}

/** Without a report where the files or the service cannot be read at all. */
export interface Suggesting {
  readonly report: SuggestReport | null;
  readonly problems: readonly Problem[];
}

/** Suggests sources that policies must allow for the loads seen on their pages. Only files are written, and only on request. */
export function suggest(options: SuggestOptions = {}): Promise<Suggesting> {
  const { by = "host", schemes = [], write = false } = options;
  const meant = write === false ? "nothing" : write === true ? "detected" : write;
  const input = { ...seenInput(options), by, schemes, write: meant } as const;
  return reported(options, (client) => suggestions(input, client, progressOf(options)));
}

function seenInput(options: SeenOptions) {
  return { ...inputOf(options), named: options.policies ?? [] };
}

interface Reported<Report> {
  readonly report: Report | null;
  readonly problems: readonly Problem[];
}

async function reported<Report extends ReadyReport | SuggestReport>(
  options: SeenOptions,
  read: (client: Client) => Promise<Result<Report>>,
): Promise<Reported<Report>> {
  return withService<Reported<Report>>(options, { report: null }, async (client) => {
    const found = await read(client);
    if (!found.ok) return found;
    const { zones, told } = found.value;
    const failures = zones.flatMap((zone) => (zone.found.ok ? [] : zone.found.problems));
    return ok({ report: found.value, problems: [...told, ...failures] });
  });
}

/**
 * Plans, carries the plan out, and reads the result back. It asks for no confirmation. Where a guardrail refuses that
 * `allow` does not lift, nothing is written: `report` is null, and `document.guardrails` names the guardrail.
 */
export async function apply(options: ApplyOptions = {}): Promise<Applying> {
  const saved = givenPlan(options);
  if (!saved.ok) return { ...NOT_APPLIED, problems: saved.problems };
  return withService<Applying>(options, NOT_APPLIED, async (client) => {
    const own = inputOf(options);
    const known =
      saved.value === null || saved.value.summary.impact === null ? undefined : ("as planned" as const);
    const named = saved.value === null ? {} : partFor(own, saved.value);
    const input = {
      ...own,
      ...named,
      approved: saved.value ?? undefined,
      about: saved.value?.inputs.about,
      isForApply: true,
      impact: own.impact ?? known,
    };
    const planned = await runPlan(input, client, progressOf(options));
    if (!planned.ok) return planned;
    const { document, problems } = planned;
    if (standingGuardrails(document).length > 0) return ok({ document, report: null, problems });
    return ok(await carriedOut(planned, saved.value, options));
  });
}

const NOT_APPLIED = { document: null, report: null };

/** The plan that was approved; null: none. What a caller hands over may be anything. */
function givenPlan({ plan: given }: ApplyOptions): Result<PlanDocument | null> {
  if (given === undefined) return ok(null);
  const checked = checkPlan("The plan", given);
  const inTime = checked.ok ? notOver("The plan", checked.value.expires_at) : checked;
  return inTime.ok ? checked : inTime;
}

/**
 * Plans the way back from an apply's journal, and takes it. It asks for no confirmation. Guardrails are only shown.
 *
 * @param journal the file named by the report of an apply
 * @param options as for an apply, without a plan
 */
export async function rollback(journal: string, options: Omit<ApplyOptions, "plan"> = {}): Promise<Applying> {
  const cwd = options.cwd ?? process.cwd();
  const record = await journalFrom(journal, cwd, null);
  if (!record.ok) return { ...NOT_APPLIED, problems: record.problems };
  return withService<Applying>(options, NOT_APPLIED, async (client) => {
    const planned = await runRollback(record.value, inputOf(options), client, progressOf(options));
    return planned.ok ? ok(await carriedOut(planned, null, options)) : planned;
  });
}

async function carriedOut(
  planned: Planned,
  saved: PlanDocument | null,
  options: ApplyOptions,
): Promise<Applying> {
  const { document, problems } = planned;
  const ran = await runAlone(planned, saved, options.cwd ?? process.cwd(), {
    stop: options.signal ?? new AbortController().signal,
    progress: progressOf(options),
    onJournal: () => {},
  });
  if (!ran.ok) return { document, report: null, problems: [...problems, ...ran.problems] };
  const report = ran.value;
  const found = report.zones.flatMap((zone) => zone.problems);
  return { document, report, problems: [...new Set([...problems, ...found])] };
}

function inputOf(options: PlanOptions): PlanInput {
  return {
    config: [options.config ?? []].flat(),
    zones: options.zones ?? [],
    only: options.only ?? [],
    guardrails: options.guardrails,
    base: options.base,
    changedOver: options.changed === true ? 0 : undefined,
    impact: options.noImpact === true ? "none" : undefined,
    events: options.events,
    requests: options.requests,
    who: options.who,
    allow: options.allow ?? [],
    failOn: options.failOn ?? [],
    cwd: options.cwd ?? process.cwd(),
    environment: options.environment ?? process.env,
  };
}

/** @param nothing the result besides problems where the service cannot be reached or the work fails */
async function withService<T extends { readonly problems: readonly Problem[] }>(
  options: PlanOptions,
  nothing: Omit<T, "problems">,
  work: (client: Client) => Promise<Result<T>>,
): Promise<T | (Omit<T, "problems"> & Pick<T, "problems">)> {
  const unknown = [...(options.allow ?? []), ...(options.failOn ?? [])].filter(
    (name) => !GUARDRAILS.some((each) => each === name),
  );
  if (unknown.length > 0) return { ...nothing, problems: unknown.map(unknownGuardrail) };
  const environment = options.environment ?? process.env;
  const reached = await withClient({ ...options, environment }, work);
  const worked = reached.ok ? reached.value : reached;
  return worked.ok ? worked.value : { ...nothing, problems: worked.problems };
}

function unknownGuardrail(name: string): Problem {
  const advice = didYouMean(name, GUARDRAILS, `Guardrails are ${GUARDRAILS.join(", ")}.`);
  return problem("bad_flag", "Unknown guardrail", `${cutEnd(name, 80)} is not a guardrail. ${advice}`);
}

function progressOf({ onProgress }: PlanOptions): Progress {
  return onProgress ?? (() => {});
}
