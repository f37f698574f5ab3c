import { type BaseFiles, readBaseFiles } from "../config/base-files.js";
import { type Desired, desiredFrom, type SecretVariable, secretVariables } from "../config/index.js";
import { type AcceptedBefore, acceptedUntil } from "../model/acceptance.js";
import { type Guardrails, NO_GUARDRAILS } from "../model/guardrails.js";
import { equal } from "../model/json.js";
import { asWarning, ok, type Problem, problem, type Result } from "../model/problem.js";
import { lazily } from "../model/remembered.js";
import { lifting, says } from "../model/sentence.js";
import type { RunBreach } from "../plan/guardrails/index.js";
import {
  credentialsInFiles,
  type DesiredRead,
  type FilesInput,
  type PlanInput,
  readDesired,
  withEnded,
} from "./files.js";

/** The desired state before the change. */
export interface Base {
  /** The commit, or the digest of a folder's contents, as in plan documents. */
  readonly id: string;
  readonly desired: Desired;
  /** Whether it uses an environment variable that is not set. */
  readonly lacks: boolean;
}

/** The files before the change. */
interface BaseRead {
  /** Secrets of the base, found even if it has errors. No output may show their values. */
  readonly secrets: readonly SecretVariable[];
  /**
   * The desired state of the base. Text that the files still have is parsed and checked once.
   *
   * @param now the files; null: unknown
   */
  beside(now: Desired | null): BaseWithFiles;
}

export interface BaseWithFiles {
  /** Null: no base is named, or it could not be read, which is a warning. */
  readonly base: Base | null;
  /** The guardrails of the base, as far as they can be read. */
  readonly guardrails: Guardrails;
  readonly warnings: readonly Problem[];
  /** The warnings and acceptances of the base; empty if it could not be read. Null: no base is named. */
  readonly accepted: AcceptedBefore | null;
  /** The guardrail base_unread, if the named base could not be read. */
  readonly breaches: readonly RunBreach[];
}

/** The base that `--base` names. */
async function readBase(base: string | undefined, input: FilesInput): Promise<BaseRead> {
  const nothing = { base: null, guardrails: NO_GUARDRAILS, warnings: [], accepted: null, breaches: [] };
  if (base === undefined) return { secrets: [], beside: () => nothing };
  const read = await readBaseFiles(base, input.config, input.cwd);
  if (!read.ok) return { secrets: [], beside: () => unread(base, NO_GUARDRAILS, read.problems) };
  return {
    secrets: secretVariables(read.value.files, input.environment),
    beside: (now) => known(base, read.value, input, now),
  };
}

/** Files without errors, and the files before the change. */
export interface BothRead {
  readonly files: DesiredRead & { readonly desired: Desired };
  readonly before: BaseWithFiles;
}

/**
 * Reads the files and the base. Fails with an error in the files only.
 *
 * @param expired how expired entries of the files count. Absent: they are not reported
 */
export async function readBoth(
  input: FilesInput & Pick<PlanInput, "base">,
  expired?: "error" | "warning",
): Promise<Result<BothRead>> {
  const base = await readBase(input.base, input);
  const read = await readDesired(input, "plan", base.secrets);
  const files = expired === undefined ? read : withEnded(read, expired);
  const { desired } = files;
  if (desired === null) return { ok: false, problems: files.problems };
  return ok({ files: { ...files, desired }, before: base.beside(desired) });
}

/** Whether two bases have the same files. False if one of them cannot be read. */
export async function haveSameFiles(
  bases: readonly [string, string],
  { config, cwd }: Pick<FilesInput, "config" | "cwd">,
): Promise<boolean> {
  const read = await Promise.all(bases.map((base) => readBaseFiles(base, config, cwd)));
  const [first, second] = read.map((each) =>
    each.ok && each.value.problems.length === 0 ? each.value.files : null,
  );
  return first != null && second != null && equal(first, second);
}

function known(
  base: string,
  { id, files, problems }: BaseFiles,
  input: FilesInput,
  now: Desired | null,
): BaseWithFiles {
  const exposed = credentialsInFiles(files, input.environment);
  if (exposed.length > 0) return unread(base, NO_GUARDRAILS, exposed);
  const whole = desiredFrom(files, input.environment, "plan", [], now);
  const { desired, guardrails, acceptances } =
    whole.desired === null ? desiredFrom(files, input.environment, "base") : whole;
  if (problems.length > 0 || desired === null)
    return unread(base, guardrails, [...problems, ...whole.problems]);
  if (files.length === 0) return unknown(base, NO_GUARDRAILS, withoutFiles(base));
  const known = { id, desired, lacks: whole.desired === null };
  // The read above skips checks of text that the files still have. All warnings of the base need a full check.
  const warned = lazily(() => {
    const { problems: all, warningKey } = desiredFrom(files, input.environment, "plan");
    const until = acceptedUntil(acceptances);
    return new Map(all.map((each) => [warningKey(each), until(each)]));
  });
  const accepted = { acceptances, warned };
  return { base: known, guardrails, warnings: [], accepted, breaches: [] };
}

function unread(base: string, guardrails: Guardrails, problems: readonly Problem[]): BaseWithFiles {
  const [first] = problems.filter(({ severity }) => severity === "error");
  const where = first?.at == null ? "" : ` (${first.at.file}:${first.at.line} of the base)`;
  const why = first === undefined ? [] : [" ", ...(first.sentences ?? [first.detail]), where];
  const guard = equal(guardrails, NO_GUARDRAILS)
    ? "Guardrails that only the base has do not apply."
    : "The guardrails of the base still apply.";
  const lead = says`${{ flag: "base", value: base }} cannot be read.`;
  const effects = ` The origin of changes is unknown, and objects that were removed from the files are not deleted. ${guard}`;
  const detail = [...lead, ...why, effects];
  return unknown(base, guardrails, problem("base_not_read", "Base cannot be read", detail));
}

/** Without the base, removals and former guardrails are unknown, so a guardrail refuses the apply. */
function unknown(base: string, guardrails: Guardrails, why: Problem): BaseWithFiles {
  const message = says`The files before the change are unknown: ${{ flag: "base", value: base }} cannot be read, or has none of them.`;
  const advice = says`Name another base. If the files are new, ${lifting("base_unread")}.`;
  return {
    base: null,
    guardrails,
    warnings: [asWarning(why)],
    accepted: { acceptances: [], warned: () => new Map() },
    breaches: [{ guardrail: "base_unread", zone: null, message, advice, changes: [] }],
  };
}

function withoutFiles(base: string): Problem {
  const detail = says`${{ flag: "base", value: base }} has none of the files. Name another base, unless the files are new. The origin of changes and the former guardrails are unknown, and objects that were removed from the files are not deleted.`;
  return problem("base_without_files", "Base has none of the files", detail);
}

/** The problems of the files, to show together with the reason why a run cannot start. */
export async function fileProblems(input: PlanInput): Promise<readonly Problem[]> {
  const { secrets } = await readBase(input.base, input);
  const { problems } = await readDesired(input, "plan", secrets);
  return problems;
}
