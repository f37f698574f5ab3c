import { commitNamed, mergeBase, openRepository } from "../git/repository.js";
import type { Repository } from "../git/run.js";
import type { Inputs } from "./inputs.js";
import type { PullRequest, WorkflowRun } from "./workflow-run.js";

/**
 * The files before the change, as `--base` takes them: what the workflow says; for a pull request, without a word, what it
 * is to be merged into. Null: there are none to name.
 */
export async function baseFor(
  { base }: Pick<Inputs, "base">,
  { event, pull }: WorkflowRun,
  cwd: string,
): Promise<string | null> {
  if (base !== null) return base;
  if (event !== "pull_request" || pull === null) return null;
  const repository = openRepository(cwd);
  const commit = repository.ok ? await mergedInto(pull, repository.value) : null;
  // Where the checkout does not have it, this names what is missing, and is no commit: what is not known is not passed over.
  return `git:${commit ?? `${pull.base}...HEAD`}`;
}

/** What is checked out is mostly a merge that GitHub made: its first parent is the branch as it was merged into. */
async function mergedInto({ head, base }: PullRequest, repository: Repository): Promise<string | null> {
  const second = await commitNamed(repository, "HEAD^2");
  const found =
    second.ok && second.value === head
      ? await commitNamed(repository, "HEAD^1")
      : await mergeBase(repository, base, "HEAD");
  return found.ok ? found.value : null;
}
