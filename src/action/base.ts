import { commitNamed, mergeBase, openRepository } from "../git/repository.js";
import type { Repository } from "../git/run.js";
import type { Inputs } from "./inputs.js";
import type { PullRequest, WorkflowRun } from "./workflow-run.js";

/** The files before the change, as `--base` takes them: from the workflow, or for a pull request its target. Null: none. */
export async function baseFor(
  { base }: Pick<Inputs, "base">,
  { event, pull }: WorkflowRun,
  cwd: string,
): Promise<string | null> {
  if (base !== null) return base;
  if (event !== "pull_request" || pull === null) return null;
  const repository = openRepository(cwd);
  const commit = repository.ok ? await mergedInto(pull, repository.value) : null;
  // If the checkout lacks the commit, this names the missing range: planning fails instead of running without base.
  return `git:${commit ?? `${pull.base}...HEAD`}`;
}

/** A checkout is mostly GitHub's test merge. Its first parent is the target branch at that time. */
async function mergedInto({ head, base }: PullRequest, repository: Repository): Promise<string | null> {
  const second = await commitNamed(repository, "HEAD^2");
  const commit =
    second.ok && second.value === head
      ? await commitNamed(repository, "HEAD^1")
      : await mergeBase(repository, base, "HEAD");
  return commit.ok ? commit.value : null;
}
