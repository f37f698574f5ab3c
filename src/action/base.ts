import { commitNamed, mergeBase, openRepository } from "../git/repository.js";
import type { Repository } from "../git/run.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { haveSameFiles } from "../run/base.js";
import { branchIn, digestShown, mergedPulls } from "./comment-on-pull.js";
import { type GitHub, type Refusal, withGitHub } from "./github.js";
import type { Inputs } from "./inputs.js";
import type { StepContext } from "./outcome.js";
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

/**
 * Checks a plan file against the review of the merged pull request, and finds its base in the repository. The file
 * proves neither: it may come from another pull request, and name a commit that was never merged.
 *
 * @returns the files before the change, as `--base` takes them; null: the plan file's own base
 */
export async function reviewedBase(saved: PlanDocument, step: StepContext): Promise<Result<string | null>> {
  const { inputs, run } = step;
  // The workflow names the plan, and a digest covers the base too.
  if (inputs.planDigest !== null) return ok(inputs.base);
  const pull = await reviewedOn(saved, step);
  if (!pull.ok) return pull;
  if (inputs.base !== null) return ok(inputs.base);
  if (run.before !== "") return baseBefore(saved, step);
  const base = saved.base ?? saved.inputs.base;
  return pull.value === null && base === undefined ? ok(null) : failed(unknownBase(base, run.event));
}

/** The pull request that the plan was reviewed on. Null: no pull request brought the run's commit. */
async function reviewedOn(saved: PlanDocument, step: StepContext): Promise<Result<number | null>> {
  if (step.run.commit === "" || branchIn(step.run) === null) return ok(null);
  const done = await withGitHub(step, async (github) => {
    const pull = await mergedPullOf(github, step);
    // A plan without calls sends nothing, and with changes-only there may be no comment about it.
    if (!pull.ok || pull.value === null || saved.calls.length === 0) return pull;
    const match = await matchReview(github, saved, pull.value, step);
    return match.ok ? pull : match;
  });
  return done.ok ? done.value : failed(...done.problems.map(({ detail }) => unknownReview(detail)));
}

async function mergedPullOf(github: GitHub, { run }: StepContext): Promise<Result<number | null>> {
  const merged = await mergedPulls(github, run);
  if (!merged.ok) return failed(unknownReview(refusalText(merged)));
  if (merged.value.length === 0) return ok(null);
  const [pull, ...more] = merged.value.filter(({ commit }) => commit === run.commit);
  if (pull !== undefined && more.length === 0) return ok(pull.number);
  const numbers = merged.value.map(({ number }) => `${number}`).join(", ");
  const why = `Commit ${run.commit} is in pull requests ${numbers}, and is not the merge of exactly one of them.`;
  return failed(unknownReview(why));
}

async function matchReview(
  github: GitHub,
  saved: PlanDocument,
  pull: number,
  { inputs: { label } }: StepContext,
): Promise<Result<null>> {
  const digest = await digestShown(github, pull, label);
  if (!digest.ok) return failed(unknownReview(refusalText(digest)));
  if (digest.value === saved.digest) return ok(null);
  if (digest.value !== null) return failed(otherPlan(saved, pull, digest.value));
  const why = `Pull request ${pull} has no comment by this token with the label ${label} and a plan digest.`;
  return failed(unknownReview(why));
}

function refusalText({ why, status }: Refusal): string {
  const isDenied = status === 403 || status === 404;
  return `${why}.${isDenied ? " The job needs permissions: pull-requests: read." : ""}`;
}

/**
 * The branch before the push, whichever way the pull request was merged. The plan's own base is used instead if its
 * files are the same: other pull requests may have been merged since the review.
 */
async function baseBefore(saved: PlanDocument, { inputs, run, cwd }: StepContext): Promise<Result<string>> {
  const repository = openRepository(cwd);
  const commit = repository.ok ? await commitNamed(repository.value, run.before) : repository;
  if (repository.ok && commit.ok) {
    const common = await mergeBase(repository.value, run.before, "HEAD");
    if (!common.ok || common.value !== run.before) return failed(rewritten(run.before));
  }
  // If git lacks the commit, planning reports that and refuses.
  const before = `git:${run.before}`;
  const isSame =
    saved.base?.startsWith("git:") === true &&
    (await haveSameFiles([saved.base, before], { config: inputs.config, cwd }));
  return ok(isSame ? (saved.base ?? before) : before);
}

const DIGEST_INSTEAD =
  "Give the digest of the reviewed plan as the input plan-digest, or plan again and apply that plan.";

function unknownReview(why: string): Problem {
  const detail = `${why} ${DIGEST_INSTEAD} Without the review, any plan file could be applied. Nothing was written.`;
  return problem("review_unknown", "Reviewed plan not found", detail);
}

function otherPlan({ digest }: PlanDocument, pull: number, reviewed: string): Problem {
  const detail = `The plan file has the plan ${digest}. The comment on the merged pull request ${pull} shows ${reviewed}. Use the plan file of the run that the comment links to, or plan again and apply that plan. Nothing was written.`;
  return problem("other_plan", "Not the reviewed plan", detail);
}

function unknownBase(base: string | undefined, event: string): Problem {
  const plan = base === undefined ? "no base" : `the base ${base}`;
  const detail = `The event ${event || "of this run"} does not name the commit before the change, and the plan file has ${plan}, which is not trusted. Give that commit as the input base, or the digest of the reviewed plan as plan-digest. Nothing was written.`;
  return problem("base_unknown", "Base of the plan unknown", detail);
}

function rewritten(before: string): Problem {
  const detail = `The branch had commit ${before} before this push, and the checkout does not contain it. Plan again with the intended base, and apply that plan by its digest. Nothing was written.`;
  return problem("base_rewritten", "The push rewrote the branch", detail);
}
