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
import { hasErrors, ok, type Problem, problem, type Result, remarked, warning } from "../model/problem.js";
import { says } from "../model/sentence.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { count } from "../render/plain.js";
import { credentialsIn } from "./redact.js";
import type { TestedZone } from "./zone-tests.js";

/** Which files, and where they find their surroundings. */
export interface FilesInput {
  /** Files, folders and globs, as `-c` takes them; zoneward.yaml when empty. */
  readonly config: readonly string[];
  /** A file with guardrails beside those of the files, as `--guardrails` names it. */
  readonly guardrails?: string | undefined;
  readonly cwd: string;
  readonly environment: Environment;
  /** Told of values that nobody may see, before anything is said of the files. */
  readonly hide?: ((values: readonly string[]) => void) | undefined;
  /** What `-` stands for among the names of files. Absent: nothing. */
  readonly readInput?: ReadInput | undefined;
}

/**
 * Whether what runs in the zones is read. `as planned`: only for guardrails that go by it, as a saved plan has said it
 * already. Absent: all of it.
 */
export type ImpactReading = "none" | "as planned";

/** A part of a saved plan, which is carried out by itself. */
export interface Part {
  readonly plan: PlanDocument;
  /** Whether a zone of the plan is meant. The others are not read; guardrails count them as the plan has them. */
  readonly hasZone: (zone: string) => boolean;
  /** Kinds and names of the objects that are meant there, as `--only` takes them; all when empty. */
  readonly only: readonly string[];
}

/** How those are called who changed something. `role`: neither e-mail addresses nor names of tokens are shown. */
export type WhoShown = "names" | "role";

/** What to plan. */
export interface PlanInput extends FilesInput {
  /** The files before the change: a folder, or `git:` and a commit. */
  readonly base?: string | undefined;
  /** `drift`: only what was changed outside the files; by the files themselves where there is no base. */
  readonly about?: "plan" | "drift" | undefined;
  /** It is carried out next: guardrails judge it as a plan, whatever it is about, and what was read is kept. */
  readonly isForApply?: boolean;
  /** Names and globs, as `--zone` takes them; all zones when empty. */
  readonly zones: readonly string[];
  /** Kinds, and kinds with names of objects, as `--only` takes them. Absent: all objects. */
  readonly only?: readonly string[] | undefined;
  /** Absent: all that is named. */
  readonly part?: Part | undefined;
  /**
   * Of more zones than so many, only those that come out of the files in another way than out of the base. Absent: all
   * are planned.
   */
  readonly changedOver?: number | undefined;
  /** Zones that were read before, by name as the files declare it: they are planned as they were then. Absent: none. */
  readonly reads?: ReadonlyMap<string, ZoneReads> | undefined;
  readonly impact?: ImpactReading | undefined;
  /** Logs of what browsers reported, as `--events` names them. Absent or empty: none. */
  readonly events?: readonly string[] | undefined;
  /** Logs of requests, as `--requests` names them. Absent or empty: none. */
  readonly requests?: readonly string[] | undefined;
  /** What `-` stands for among the names of logs. Absent: nothing. */
  readonly input?: (() => AsyncIterable<Buffer>) | undefined;
  /** Absent: nobody asks who made what was changed outside the files. */
  readonly who?: WhoShown | undefined;
  /** The plan that was approved. Absent: there is none. */
  readonly approved?: PlanDocument | undefined;
  /** Guardrails to lift. */
  readonly allow: readonly string[];
  /** Guardrails that hold for this run, as if the files forbade what they are about. */
  readonly failOn?: readonly string[];
}

/** The files, checked. */
export interface DesiredRead {
  /** Null: there is an error among the problems. */
  readonly desired: Desired | null;
  /** As they are. */
  readonly files: readonly FileText[];
  /** The names that they were found by. */
  readonly named: readonly string[];
  /** All that decides what they say: the files, the links to them, and where those lead. */
  readonly reached: readonly string[];
  /** Links that lead out of what is named. */
  readonly leaving: readonly LeavingLink[];
  /** Those of the files, and of the file beside them. */
  readonly guardrails: Guardrails;
  /** Those that comments in the files accept are notes among them, as if nothing had been before. */
  readonly problems: readonly Problem[];
  /** The same, none accepted yet. */
  readonly found: readonly Problem[];
  /** Problems with those as notes that comments accept, where a change is held against the files before it. */
  readonly accept: (before: AcceptedBefore | null) => ReturnType<typeof accepting>;
  /** Acceptances of which the files alone do not tell whether there is such a warning. */
  readonly acceptances: readonly Acceptance[];
  /** What the names stand for that these files have as secrets, or those before the change had. */
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
  const read = await readConfigFiles(input.config, input.cwd, input.readInput);
  const { files, named, reached, leaving, problems: unread } = read;
  const problems = [...unread.map((each) => byEnvironment(each, input))];
  const secrets = secretValues([...secretVariables(files, input.environment), ...before], input.environment);
  input.hide?.(secrets);
  const spoken = credentialsInFiles(files, input.environment);
  const none = {
    desired: null,
    files,
    named,
    reached,
    leaving,
    guardrails: NO_GUARDRAILS,
    accept: () => (problems: readonly Problem[]) => problems,
    acceptances: [],
    secrets,
  };
  const unusable = [...problems, ...spoken];
  if (spoken.length > 0) return { ...none, problems: unusable, found: unusable };
  const ownGuardrails = await readGuardrails(input);
  const { acceptances, warningKey, ...checked } = desiredFrom(files, input.environment, purpose, before);
  // With a file missing, what is left may look incomplete: that it does is no news.
  const rest =
    problems.length === 0 ? checked.problems : checked.problems.filter((each) => each.severity === "error");
  const accept: DesiredRead["accept"] = (former) => accepting(acceptances, today(), warningKey, former);
  const found = [...problems, ...rest, ...(ownGuardrails.ok ? [] : ownGuardrails.problems)];
  const all = accept(null)(found);
  if (problems.length > 0 || checked.desired === null || !ownGuardrails.ok)
    return { ...none, problems: all, found };
  const { desired } = checked;
  return {
    desired,
    files,
    named,
    reached,
    leaving,
    guardrails: stricter(desired.guardrails, ownGuardrails.value),
    accept,
    acceptances: acceptances.filter((each) => !isOfText(each)),
    problems: all,
    found,
    secrets,
  };
}

/** One for each link, whatever is behind it: a review of the named files does not see a change there. */
export function leavingLinks(leaving: readonly LeavingLink[]): readonly Problem[] {
  const links = groupBy(leaving, ({ link }) => link);
  return [...links].map(([link, [first, ...others]]) => {
    const more = others.length === 0 ? "" : ` and ${count(others.length, "more file")}`;
    const detail = says`The link ${quoted(link)} leads to ${quoted(first.to)}${more}, outside of what ${{ flag: "config" }} names. Replace the link by the file, or watch its target too: a check of those names alone misses changes there. zoneward validate --format json lists both under "files".`;
    return warning("link_leaves_config", "Link leads out of the named files", detail);
  });
}

/** In UTC: what the files have until a day, and accept until one, goes by it. */
function today(): Day {
  return dayOf(Date.now());
}

/**
 * Reads the files to have them carried out: what is in them for longer than they say is an error.
 *
 * @param as what it is where nothing of the files is to be carried out
 */
export async function readStanding(
  input: FilesInput,
  purpose: Purpose,
  before: readonly SecretVariable[] = [],
  as: "error" | "warning" = "error",
): Promise<DesiredRead> {
  const read = await readDesired(input, purpose, before);
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

/** Whoever has named nothing looks for the name elsewhere. */
function byEnvironment(unread: Problem, { config, environment }: FilesInput): Problem {
  const isNotThere = unread.code === "no_such_file" || unread.code === "no_files";
  if (!isNotThere || config.length !== 1 || config[0] !== environment.ZONEWARD_CONFIG) return unread;
  return remarked(unread, { after: " The environment variable ZONEWARD_CONFIG names it." });
}

/** Whether no file is named and the usual one is not there. */
export function isWithoutFiles({ config }: FilesInput, problems: readonly Problem[]): boolean {
  return config.length === 0 && problems.every(({ code }) => code === "no_such_file");
}

/** The files as they stand on the disk, to be written again: what was typed stands nowhere. */
export async function readFilesToEdit({ config, cwd, readInput }: FilesInput): Promise<FilesRead> {
  if (readInput === undefined || !config.includes(INPUT)) return readConfigFiles(config, cwd);
  const detail = `The standard input (-c ${INPUT}) cannot be written back. Name files.`;
  return { ...NONE_READ, named: config, problems: [problem("bad_flag", "No file to write into", detail)] };
}

/** What ends in a template shows in every zone that extends it. */
export function onlyOnce(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((each) => [JSON.stringify([each.at, each.detail]), each])).values()];
}

/**
 * Checks the files offline, and runs their tests on what they declare.
 *
 * @returns what of the files is wrong or odd, and apart from that what came of their tests
 */
export async function readChecked(
  input: FilesInput,
): Promise<DesiredRead & { readonly tested: readonly TestedZone[] }> {
  const read = await readStanding(input, "check");
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
 * A credential that is written into a file is everybody's who reads it: then nothing else is said of the files. What
 * stands around it is not shown: it may be more of the same.
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
