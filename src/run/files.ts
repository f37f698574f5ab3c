import type { ZoneReads } from "../api/reads.js";
import {
  type FilesRead,
  type FileText,
  INPUT,
  type LeavingLink,
  NONE_READ,
  type ReadInput,
} from "../config/files.js";
import {
  type Desired,
  desiredFrom,
  type Environment,
  guardrailsFrom,
  type Purpose,
  readConfigFiles,
  readText,
  type SecretVariable,
  secretValues,
  secretVariables,
} from "../config/index.js";
import { placesIn } from "../config/place.js";
import { endedIn } from "../config/until.js";
import { type Acceptance, type AcceptedBefore, accepting, isOfText } from "../model/acceptance.js";
import { quoted } from "../model/cut.js";
import { type Day, dayOf } from "../model/day.js";
import { groupBy } from "../model/group-by.js";
import { type Guardrails, NO_GUARDRAILS, stricter } from "../model/guardrails.js";
import {
  areAll,
  hasErrors,
  ok,
  type Problem,
  problem,
  type Result,
  remarked,
  warning,
} from "../model/problem.js";
import { says } from "../model/sentence.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { count } from "../render/safe-text.js";
import { credentialsIn } from "./redact.js";
import type { TestedZone } from "./zone-tests.js";

/** The files of a run, and their folder and environment. */
export interface FilesInput {
  /** Files, folders and globs of `-c`. Empty: zoneward.yaml, else the folder zones. */
  readonly config: readonly string[];
  /** The file of `--guardrails`. */
  readonly guardrails?: string | undefined;
  readonly cwd: string;
  readonly environment: Environment;
  /** Called with secret values before any problem of the files is shown. */
  readonly hide?: ((values: readonly string[]) => void) | undefined;
  /** Reads the file `-`. Absent: `-` cannot be read. */
  readonly readInput?: ReadInput | undefined;
}

/**
 * Whether detected scripts and connections are read. `as planned`: only for guardrails on impact, because the saved plan
 * shows the impact. Absent: all are read.
 */
export type ImpactReading = "none" | "as planned";

/** An approved plan, and what a run applies of it. */
export interface Saved {
  readonly plan: PlanDocument;
  /** Whether only a part is applied. */
  readonly isPart: boolean;
  /** Whether a zone of the plan is applied. Other zones are not read; guardrails count them as in the plan. */
  readonly hasZone: (zone: string) => boolean;
  /** Kinds and names of objects, as in `--only`. Empty: all. */
  readonly only: readonly string[];
}

/** How authors of changes are shown. `role`: without e-mail addresses and names of tokens. */
export type WhoShown = "names" | "role";

export interface PlanInput extends FilesInput {
  /** The files before the change: a folder, or `git:` and a commit. */
  readonly base?: string | undefined;
  /** `drift`: only changes made outside the files. Without a base, every difference from the files. */
  readonly about?: "plan" | "drift" | undefined;
  /** The plan is applied next: guardrails judge it as a plan even of drift, and its reads are kept. */
  readonly isForApply?: boolean;
  /** Names and globs of `--zone`. Empty: all zones. */
  readonly zones: readonly string[];
  /** Kinds, or objects of a kind, of `--only`. Absent: all objects. */
  readonly only?: readonly string[] | undefined;
  /** Absent: no plan was approved. */
  readonly saved?: Saved | undefined;
  /** With more zones than this, only those that differ from the base are planned. Absent: all are planned. */
  readonly changedOver?: number | undefined;
  /** Earlier reads by zone name: these zones are not read again. Absent: none. */
  readonly reads?: ReadonlyMap<string, ZoneReads> | undefined;
  readonly impact?: ImpactReading | undefined;
  /** Logs of `--events`. Absent or empty: none. */
  readonly events?: readonly string[] | undefined;
  /** Logs of `--requests`. Absent or empty: none. */
  readonly requests?: readonly string[] | undefined;
  /** Reads the log `-`. Absent: `-` cannot be read. */
  readonly input?: (() => AsyncIterable<Buffer>) | undefined;
  /** Absent: the audit log is not read. */
  readonly who?: WhoShown | undefined;
  /** Guardrails to lift. */
  readonly allow: readonly string[];
  /** Guardrails that also hold in this run, whether or not the files set them. */
  readonly failOn?: readonly string[];
}

/** The files, checked. */
export interface DesiredRead extends Omit<FilesRead, "problems"> {
  /** Null: the problems include an error. */
  readonly desired: Desired | null;
  /** The guardrails of the files and of `--guardrails`. */
  readonly guardrails: Guardrails;
  /** With accepted warnings as notes, without regard to the base. */
  readonly problems: readonly Problem[];
  /** The same problems before acceptances. */
  readonly found: readonly Problem[];
  /** Turns accepted warnings into notes. With a base, only its acceptances count for warnings about the change. */
  readonly accept: (before: AcceptedBefore | null) => ReturnType<typeof accepting>;
  /** Acceptances of warnings that only a plan can find. */
  readonly acceptances: readonly Acceptance[];
  /** The values of variables that are secrets in these files or in the base. */
  readonly secrets: readonly string[];
}

/**
 * Reads and checks the files.
 *
 * @param before variables that are secret in the files before the change
 */
export async function readDesired(
  input: FilesInput,
  purpose: Purpose = "plan",
  before: readonly SecretVariable[] = [],
): Promise<DesiredRead> {
  const { problems: unread, ...read } = await readConfigFiles(input.config, input.cwd, input.readInput);
  const { files } = read;
  const problems = unread.map((each) => byEnvironment(each, input));
  const secrets = secretValues([...secretVariables(files, input.environment), ...before], input.environment);
  input.hide?.(secrets);
  const none = {
    ...read,
    desired: null,
    guardrails: NO_GUARDRAILS,
    accept: () => (problems: readonly Problem[]) => problems,
    acceptances: [],
    secrets,
  };
  const exposed = credentialsInFiles(files, input.environment);
  const unusable = [...problems, ...exposed];
  if (exposed.length > 0) return { ...none, problems: unusable, found: unusable };
  const ownGuardrails = await readGuardrails(input);
  const { acceptances, warningKey, ...checked } = desiredFrom(files, input.environment, purpose, before);
  // Without an unreadable file, the others may look incomplete, which would mislead.
  const rest =
    problems.length === 0 ? checked.problems : checked.problems.filter((each) => each.severity === "error");
  const found = [...problems, ...rest, ...(ownGuardrails.ok ? [] : ownGuardrails.problems)];
  const accept: DesiredRead["accept"] = (former) => accepting(acceptances, today(), warningKey, former);
  const all = { problems: accept(null)(found), found };
  const { desired } = checked;
  if (problems.length > 0 || desired === null || !ownGuardrails.ok) return { ...none, ...all };
  const guardrails = stricter(desired.guardrails, ownGuardrails.value);
  const ofPlan = acceptances.filter((each) => !isOfText(each));
  return { ...none, ...all, desired, guardrails, accept, acceptances: ofPlan };
}

/** Warns once for each link: a review of the named folders does not show changes of its target. */
export function leavingLinks(leaving: readonly LeavingLink[]): readonly Problem[] {
  const links = groupBy(leaving, ({ link }) => link);
  return [...links].map(([link, [first, ...others]]) => {
    const more = others.length === 0 ? "" : ` and ${count(others.length, "more file")}`;
    const detail = says`The link ${quoted(link)} leads to ${quoted(first.to)}${more}, outside of what ${{ flag: "config" }} names. Replace the link by the file, or watch its target too: a check of those names alone misses changes there. zoneward validate --format json lists both under "files".`;
    return warning("link_leaves_config", "Link leads out of the named files", detail);
  });
}

/** The day in UTC that decides whether entries and acceptances of the files have expired. */
function today(): Day {
  return dayOf(Date.now());
}

/** Adds the expired entries. They are errors, unless nothing will be applied. */
export function withEnded(read: DesiredRead, as: "error" | "warning"): DesiredRead {
  const day = today();
  const ended = read.desired?.zones.flatMap((zone) => endedIn(zone.open(), day, as)) ?? [];
  if (ended.length === 0) return read;
  const more = onlyOnce(ended);
  return {
    ...read,
    desired: hasErrors(more) ? null : read.desired,
    problems: [...read.problems, ...more],
    found: [...read.found, ...more],
  };
}

/** Adds that the name of the missing file comes from ZONEWARD_CONFIG. */
function byEnvironment(unread: Problem, { config, environment }: FilesInput): Problem {
  const isNotThere = unread.code === "no_such_file" || unread.code === "no_files";
  if (!isNotThere || config.length !== 1 || config[0] !== environment.ZONEWARD_CONFIG) return unread;
  return remarked(unread, { after: " The environment variable ZONEWARD_CONFIG names it." });
}

/** Whether no file is named and the default files do not exist. */
export function isWithoutFiles({ config }: FilesInput, problems: readonly Problem[]): boolean {
  return config.length === 0 && areAll(problems, "no_such_file");
}

/** The files on the disk, for editing. Standard input cannot be edited. */
export async function readFilesToEdit({ config, cwd, readInput }: FilesInput): Promise<FilesRead> {
  if (readInput === undefined || !config.includes(INPUT)) return readConfigFiles(config, cwd);
  const detail = `The standard input (-c ${INPUT}) cannot be written back. Name files.`;
  return { ...NONE_READ, named: config, problems: [problem("bad_flag", "No file to write into", detail)] };
}

/** A problem of a template is found again in each zone that extends it: keep it once. */
export function onlyOnce(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((each) => [JSON.stringify([each.at, each.detail]), each])).values()];
}

/**
 * Checks the files offline, and runs their tests on what they declare.
 *
 * @returns the problems of the files, and separately the results of their tests
 */
export async function readChecked(
  input: FilesInput,
): Promise<DesiredRead & { readonly tested: readonly TestedZone[] }> {
  const read = withEnded(await readDesired(input, "check"), "error");
  // Most files have no tests.
  if (read.desired === null || !read.desired.zones.some((zone) => zone.open().tests !== undefined))
    return { ...read, tested: [] };
  const { testDeclared } = await import("./zone-tests.js");
  return { ...read, tested: testDeclared(read.desired) };
}

async function readGuardrails({ guardrails, cwd }: FilesInput): Promise<Result<Guardrails>> {
  if (guardrails === undefined) return ok(NO_GUARDRAILS);
  const read = await readText(guardrails, cwd);
  return read.ok ? guardrailsFrom(read.value) : read;
}

/**
 * Finds the run's credential in files. Then no other problem is shown, because its excerpt might show the credential, and
 * neither is the text around it.
 */
export function credentialsInFiles(files: readonly FileText[], environment: Environment): readonly Problem[] {
  return credentialsIn(environment).flatMap(({ variable, value }) =>
    files.flatMap(({ file, text }) => {
      const start = text.indexOf(value);
      if (start === -1) return [];
      const at = { ...placesIn(file, text)(start, ""), text: "" };
      const detail = `The file has the value of ${variable}. Remove it from the file and its history, and replace the credential: every reader of the file can use it.`;
      return [problem("credential_in_file", "Credential in the file", detail, at)];
    }),
  );
}
