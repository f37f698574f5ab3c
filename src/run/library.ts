import type { Client } from "../api/client.js";
import type { Environment } from "../config/index.js";
import { cutEnd } from "../model/cut.js";
import { didYouMean } from "../model/did-you-mean.js";
import { GUARDRAILS } from "../model/guardrails.js";
import { hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { ReadyReport } from "../model/readiness.js";
import type { ApplyReport, Progress } from "../model/report.js";
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
import { readiness } from "./readiness.js";
import { runRollback } from "./rollback.js";
import { forApply, notOver } from "./saved-plan.js";
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
  /** Files, folders and globs. Default: zoneward.yaml, else the folder zones. */
  readonly config?: string | readonly string[];
  /** The folder of relative paths. Default: the process's. */
  readonly cwd?: string;
  /** The variables of `${env:…}` and the credentials. Default: the process's environment. */
  readonly environment?: Environment;
}

/** The objects to plan, and the connection to the service. Credentials come from the environment only. */
export interface PlanOptions extends FilesOptions {
  /** Names and globs. Default: all zones. */
  readonly zones?: readonly string[];
  /** Kinds, or objects of a kind with globs (`policy/Checkout*`). Default: all. */
  readonly only?: readonly string[];
  /**
   * The files before the change: a folder, or `git:` and a revision. With it, a plan separates drift from changes of the
   * files, and deletes entries that the files dropped.
   */
  readonly base?: string;
  /** Read only the zones that the files change since the base. The others are counted. */
  readonly changed?: boolean;
  /**
   * Do not read detected scripts and connections. Impact is then unknown. An apply of a saved plan reads them only for
   * guardrails on impact.
   */
  readonly noImpact?: boolean;
  /** Logs of page_shield_events, plain or gzip: files, folders, globs. Reported loads are added to the detected ones. */
  readonly events?: readonly string[];
  /**
   * For plan and drift: logs of http_requests, plain or gzip: files, folders, globs. Each change then counts the requests
   * that it affects.
   */
  readonly requests?: readonly string[];
  /**
   * For plan and drift: name the author of each drifted change, from the account's audit log (permission Account Settings
   * Read). `role`: without e-mail addresses and names of tokens.
   */
  readonly who?: "names" | "role";
  /** A file with further guardrails. They can only be stricter than those of the files. */
  readonly guardrails?: string;
  /** Names of guardrails to lift for this run. */
  readonly allow?: readonly string[];
  /** Names of guardrails that refuse in this run, whether or not the files set them. */
  readonly failOn?: readonly string[];
  /** The API's address with its version segment. Default: `CLOUDFLARE_BASE_URL` of the environment, else Cloudflare's. */
  readonly baseUrl?: string;
  /** The most requests under way at once. Default: 10. */
  readonly concurrency?: number;
  /** `N/SECONDS`: at most N requests in this many seconds, and 180 a second; or `off`. Default: `960/300`. */
  readonly rateLimit?: string;
  /** The longest time of one request. Default: 30. */
  readonly timeoutSeconds?: number;
  /** The longest pause that the service may ask for. Default: 330. */
  readonly maxWaitSeconds?: number;
  /** Called now and then with the progress of the run. */
  readonly onProgress?: Progress;
}

/** The plan to carry out. */
export interface ApplyOptions extends PlanOptions {
  /**
   * An approved plan. A new plan is made with these options, so they must be those of the approved plan, `base` included.
   * Zones where the two differ are left alone. Narrower `zones` or `only` apply a part; the same plan serves for the rest.
   */
  readonly plan?: PlanDocument;
  /** When aborted, calls in flight end and no other starts. */
  readonly signal?: AbortSignal;
}

/** The result of a check of the files. */
export interface Validation {
  /** True: no errors. There may be warnings. */
  readonly ok: boolean;
  /** All errors and warnings, each with its place in a file. */
  readonly problems: readonly Problem[];
}

/** The result of a plan. */
export interface Planning {
  /** Null: nothing could be planned. A zone that failed alone is in the document. */
  readonly document: PlanDocument | null;
  /** Problems of the files, the credentials, the service and the live state. */
  readonly problems: readonly Problem[];
}

/** The result of an apply or rollback. */
export interface Applying extends Planning {
  /** The outcome of each call and zone. Null: nothing was written, because of errors, a guardrail or another run. */
  readonly report: ApplyReport | null;
}

/** The result of an export. */
export interface Exporting {
  /** A desired-state file. Null: nothing could be exported. */
  readonly text: string | null;
  /** The names of the secrets in it, in the order of zones and jobs. */
  readonly secrets: readonly string[];
  /** Zones and sections that could not be read, and that the text lacks. */
  readonly problems: readonly Problem[];
}

/** The permissions that a token needs. */
export interface Permitting {
  /** The permission groups, by zone and account. Null: the files have errors. */
  readonly permissions: Permissions | null;
  /** Problems of the files. */
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

/** The zones to export. The export uses the `service` section of the files in `config`, and repeats it. Default: none. */
export interface ExportOptions extends Omit<PlanOptions, "guardrails" | "allow" | "failOn"> {
  /** The name of a template for everything that all zones share. */
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

/** The result of an adoption. */
export interface Adopting {
  /** Adopted and left changes. Null: the files have errors, or could not be written. */
  readonly adoption: Adoption | null;
  /** Problems of the files, the credentials and the service. */
  readonly problems: readonly Problem[];
}

/** The changes to write into the files. */
export interface AdoptOptions extends PlanOptions {
  /** Write nothing, and return the edits in `adoption.patch`. */
  readonly dryRun?: boolean;
  /** Also declare undeclared live objects that `unmanaged` does not list. */
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

/** The policies that `ready` and `suggest` look at. */
export interface SeenOptions extends Omit<PlanOptions, "allow" | "failOn" | "only" | "requests" | "who"> {
  /** Names of policies; * matches any part. Default: all. */
  readonly policies?: readonly string[];
}

/** The evidence that `ready` requires. */
export interface ReadyOptions extends SeenOptions {
  /** The fewest days of detections on the pages. Default: `evidence_days` of the guardrails, else 7. */
  readonly evidenceDays?: number;
}

/** The result of `ready`. */
export interface Readying {
  /** Null: the files or the service could not be read. */
  readonly report: ReadyReport | null;
  readonly problems: readonly Problem[];
}

/** Tells which report-only policies could block, and what they would block. Nothing is written. */
export function ready(options: ReadyOptions = {}): Promise<Readying> {
  const input = { ...seenInput(options), leastDays: options.evidenceDays ?? null };
  return reported(options, (client) => readiness(input, client, progressOf(options)));
}

/** The sources to suggest. */
export interface SuggestOptions extends SeenOptions {
  /** Suggest a host, a path, or `*.name` where this many hosts share the name. Default: `host`. */
  readonly by?: "host" | "path" | { readonly hosts: number };
  /** Schemes that may be a source, such as `data:`. Default: none. */
  readonly schemes?: readonly string[];
  /** Write the sources of detected loads into the files; `reported`: also those of loads that are only reported. */
  readonly write?: boolean | "reported";
}

/** The result of `suggest`. */
export interface Suggesting {
  /** Null: the files or the service could not be read. */
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
 * Plans, carries the plan out, and reads the result back. It asks for no confirmation. If a guardrail refuses, nothing is
 * written: `report` is null, and `document.guardrails` names the guardrail.
 */
export async function apply(options: ApplyOptions = {}): Promise<Applying> {
  const saved = givenPlan(options);
  if (!saved.ok) return { ...NOT_APPLIED, problems: saved.problems };
  return withService<Applying>(options, NOT_APPLIED, async (client) => {
    const input = forApply(inputOf(options), saved.value);
    const planned = await runPlan(input, client, progressOf(options));
    if (!planned.ok) return planned;
    const { document, problems } = planned;
    if (standingGuardrails(document).length > 0) return ok({ document, report: null, problems });
    return ok(await carriedOut(planned, saved.value, options));
  });
}

const NOT_APPLIED = { document: null, report: null };

/** The approved plan; null: none. Callers may pass any value, so it is checked. */
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
