import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Problem, problem } from "../model/problem.js";
import type { Inputs } from "./inputs.js";
import type { PullRequest, WorkflowRun } from "./workflow-run.js";

export interface FoundBase {
  /** As `--base` takes it; null: there is none. */
  readonly base: string | null;
  readonly warnings: readonly Problem[];
}

/** The files before the change: what the workflow says; for a pull request, without a word, what it is to be merged into. */
export async function baseFor(
  { base }: Pick<Inputs, "base">,
  { event, pull }: WorkflowRun,
  cwd: string,
): Promise<FoundBase> {
  if (base !== null) return { base, warnings: [] };
  if (event !== "pull_request" || pull === null) return { base: null, warnings: [] };
  const commit = await mergedInto(pull, cwd);
  return commit === null
    ? { base: null, warnings: [notThere(pull)] }
    : { base: `git:${commit}`, warnings: [] };
}

/** What is checked out is mostly a merge that GitHub made: its first parent is the branch as it was merged into. */
async function mergedInto({ head, base }: PullRequest, cwd: string): Promise<string | null> {
  const git = (...args: readonly string[]) => gitIn(cwd, args);
  const second = await git("rev-parse", "--verify", "--quiet", "HEAD^2^{commit}");
  if (second !== null && second === head) return git("rev-parse", "--verify", "--quiet", "HEAD^1^{commit}");
  return base === "" ? null : git("merge-base", base, "HEAD");
}

async function gitIn(cwd: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["-C", cwd, ...args], { timeout: 30_000 });
    const commit = stdout.trim();
    return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit) ? commit : null;
  } catch {
    return null;
  }
}

function notThere({ base }: PullRequest): Problem {
  const detail = `The checkout does not have the commit that the pull request is to be merged into (${base || "which is not named"}), so nobody can tell what was declared from what has drifted, and what was taken out of the files is not deleted. Give actions/checkout fetch-depth: 2, or 0 where the head itself is checked out.`;
  return { ...problem("base_not_read", "The base cannot be read", detail), severity: "warning" };
}
