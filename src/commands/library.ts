import { Client } from "../api/client.js";
import { connectionFrom } from "../api/connect.js";
import type { Environment } from "../config/index.js";
import { hasErrors, ok, type Problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/progress.js";
import type { ApplyReport } from "../model/report.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { checkPlan } from "../plan/read.js";
import { readDesired } from "./desired.js";
import { journalFrom } from "./journal-from.js";
import { notOver } from "./max-age.js";
import { runAlone } from "./run-alone.js";
import { standingGuardrails } from "./run-apply.js";
import { type PlanInput, type PlanRun, runPlan } from "./run-plan.js";
import { runRollback } from "./run-rollback.js";

/** Which files to read. */
export interface FilesOptions {
  /** Files, folders and globs; zoneward.yaml when absent. */
  readonly config?: string | readonly string[];
  /** What relative paths start from; the process's folder when absent. */
  readonly cwd?: string;
  /** Answers `${env:…}` and holds the credentials; the process's environment when absent. */
  readonly environment?: Environment;
}

/** How to reach the service. Credentials come from the environment only. */
export interface PlanOptions extends FilesOptions {
  /** Names and globs; all zones when absent. */
  readonly zones?: readonly string[];
  /** A file with more guardrails than the files have; they can only make it stricter. */
  readonly guardrails?: string;
  /** Guardrails to lift. */
  readonly allow?: readonly string[];
  /** Guardrails that say no, whether or not the files forbid what they are about. */
  readonly failOn?: readonly string[];
  readonly baseUrl?: string;
  /** Requests under way at once. */
  readonly concurrency?: number;
  /** `N/SECONDS`, or `off`. */
  readonly rateLimit?: string;
  readonly timeoutSeconds?: number;
  readonly maxWaitSeconds?: number;
  readonly onProgress?: Progress;
}

export interface ApplyOptions extends PlanOptions {
  /** A plan that was approved: zones for which a fresh plan says something else are left alone. */
  readonly plan?: PlanDocument;
  /** Aborted: the calls in flight end, no other starts. */
  readonly signal?: AbortSignal;
}

export interface Validation {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
}

/** Without a document when nothing could be planned at all; a zone that failed alone is in the document. */
export interface Planning {
  readonly document: PlanDocument | null;
  readonly problems: readonly Problem[];
}

/** Without a report when nothing was written: the files are wrong, a guardrail said no, or another run is at work. */
export interface Applying extends Planning {
  readonly report: ApplyReport | null;
}

/** Checks the files offline. */
export async function validate(options: FilesOptions = {}): Promise<Validation> {
  const { desired, problems } = await readDesired(inputOf(options), "check");
  return { ok: desired !== null && !hasErrors(problems), problems };
}

/** Reads live state and says what would change. */
export async function plan(options: PlanOptions = {}): Promise<Planning> {
  const client = clientOf(options);
  if (!client.ok) return { document: null, problems: client.problems };
  try {
    const planned = await runPlan(inputOf(options), client.value, progressOf(options));
    return planned.ok
      ? { document: planned.document, problems: planned.problems }
      : { document: null, problems: planned.problems };
  } finally {
    await client.value.close();
  }
}

/** Plans and carries the plan out. Calling it is the yes. */
export async function apply(options: ApplyOptions = {}): Promise<Applying> {
  const saved = givenPlan(options);
  if (!saved.ok) return { document: null, report: null, problems: saved.problems };
  const client = clientOf(options);
  if (!client.ok) return { document: null, report: null, problems: client.problems };
  try {
    const planned = await runPlan(inputOf(options), client.value, progressOf(options));
    if (!planned.ok) return { document: null, report: null, problems: planned.problems };
    const { document, problems } = planned;
    if (standingGuardrails(document).length > 0) return { document, report: null, problems };
    return await carriedOut(planned, saved.value, options);
  } finally {
    await client.value.close();
  }
}

/** The plan that was approved; null: none. What a caller hands over may be anything. */
function givenPlan({ plan: given }: ApplyOptions): Result<PlanDocument | null> {
  if (given === undefined) return ok(null);
  const checked = checkPlan("The plan", given);
  const inTime = checked.ok ? notOver("The plan", checked.value.expires_at) : checked;
  return inTime.ok ? checked : inTime;
}

/** Plans the way back from the journal of an apply, and takes it. Calling it is the yes; guardrails are only told. */
export async function rollback(journal: string, options: Omit<ApplyOptions, "plan"> = {}): Promise<Applying> {
  const cwd = options.cwd ?? process.cwd();
  const record = await journalFrom(journal, cwd, null);
  if (!record.ok) return { document: null, report: null, problems: record.problems };
  const client = clientOf(options);
  if (!client.ok) return { document: null, report: null, problems: client.problems };
  try {
    const planned = await runRollback(record.value, inputOf(options), client.value, progressOf(options));
    if (!planned.ok) return { document: null, report: null, problems: planned.problems };
    return await carriedOut(planned, null, options);
  } finally {
    await client.value.close();
  }
}

async function carriedOut(
  planned: Extract<PlanRun, { readonly ok: true }>,
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
    guardrails: options.guardrails,
    allow: options.allow ?? [],
    failOn: options.failOn ?? [],
    cwd: options.cwd ?? process.cwd(),
    environment: options.environment ?? process.env,
  };
}

function clientOf(options: PlanOptions): Result<Client> {
  const connection = connectionFrom(options, options.environment ?? process.env);
  return connection.ok ? { ok: true, value: new Client(connection.value) } : connection;
}

function progressOf({ onProgress }: PlanOptions): Progress {
  return onProgress ?? (() => {});
}
