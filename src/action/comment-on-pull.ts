import { isObject, type Json } from "../model/json.js";
import { type Problem, warning } from "../model/problem.js";
import { NO_LONGER_MANAGED, REVIEW_CHANGES } from "../render/review-first.js";
import { EXIT } from "../run/exit-codes.js";
import { doneMarkdown, outcomeMarkdown } from "./comment-markdown.js";
import { type GitHub, type Reply, refusalAdvice, withGitHub } from "./github.js";
import { isNewer, type Stamp, stampIn, stampOf } from "./marker.js";
import {
  type Draft,
  failure,
  type Home,
  keepPost,
  postsOf,
  sign,
  type Update,
  writePost,
} from "./our-posts.js";
import type { StepContext, StepOutcome } from "./outcome.js";
import type { WorkflowRun } from "./workflow-run.js";

/**
 * Comments on a pull request: what merging it would do, or what the apply after its merge did. A comment that cannot be
 * written does not fail the step, as the summary has its text.
 *
 * @returns warnings for the log and the next steps
 */
export async function tellPullRequest(outcome: StepOutcome, step: StepContext): Promise<readonly Problem[]> {
  const about = step.inputs.comment === "off" ? null : aboutPull(outcome, step.run);
  if (about === null) return [];
  const done = await withGitHub(step, async (github) => {
    const pull = await about.pull(github);
    return pull.ok ? comment(github, pull.value, about, outcome, step) : failure(pull);
  });
  if (!done.ok) return done.problems.map(({ detail }) => notWritten(detail));
  const commented = done.value;
  const url = commented === null || commented.as === "failed" ? "" : commented.url;
  await step.runner.outputs({ "comment-url": url });
  return commented === null ? [] : remarksOn(commented);
}

interface AboutPull {
  /** The number of the pull request; null: none. */
  readonly pull: (github: GitHub) => Promise<Reply<number | null>>;
  /** The name of the comment: each plan has its own comment. */
  readonly name: (label: string) => string;
  readonly text: (maxBytes: number) => string | Promise<string>;
  /** False: nothing needs attention. */
  readonly isNews: boolean;
}

/** Null: the outcome has no place on a pull request. */
function aboutPull(outcome: StepOutcome, run: WorkflowRun): AboutPull | null {
  const { event, pull } = run;
  if (outcome.command === "plan" && event === "pull_request" && pull !== null)
    return {
      pull: async () => ({ ok: true, value: pull.number }),
      name: (label) => label,
      text: (maxBytes) => outcomeMarkdown(outcome, maxBytes),
      isNews: isNews(outcome),
    };
  if (outcome.command === "apply" && run.commit !== "" && branchIn(run) !== null)
    return {
      pull: (github) => mergedPull(github, run),
      name: (label) => `applied:${label}`,
      text: (maxBytes) => doneMarkdown(outcome, run, maxBytes),
      isNews: outcome.code !== EXIT.done || (outcome.applied?.done ?? 0) > 0,
    };
  return null;
}

/** Also true for a plan without changes that releases a section, changes guardrails or end dates, or has no base. */
function isNews({ code, document }: StepOutcome): boolean {
  return (
    code !== 0 ||
    document === null ||
    document.changes.length > 0 ||
    document.diagnostics.some((each) => NEWS.includes(each.code))
  );
}

const NEWS: readonly string[] = [...NO_LONGER_MANAGED, ...REVIEW_CHANGES, "until_changed"];

/** The branch of a run; null: a tag, or none. */
export function branchIn({ ref }: Pick<WorkflowRun, "ref">): string | null {
  return /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? null;
}

/** The pull request whose merge made the run's commit, or else one that contains it. */
async function mergedPull(github: GitHub, run: WorkflowRun): Promise<Reply<number | null>> {
  const merged = await mergedPulls(github, run);
  if (!merged.ok) return merged;
  const pull = merged.value.find(({ commit }) => commit === run.commit) ?? merged.value[0];
  return { ok: true, value: pull?.number ?? null };
}

/** A merged pull request, and the commit of its merge. */
interface MergedPull {
  readonly number: number;
  readonly commit: Json;
}

/** The merged pull requests that brought the run's commit into its branch. */
export async function mergedPulls(github: GitHub, run: WorkflowRun): Promise<Reply<readonly MergedPull[]>> {
  const listed = await github.list(`/commits/${run.commit}/pulls`);
  if (!listed.ok) return listed;
  return { ok: true, value: listed.value.flatMap((each) => mergedIn(each, run) ?? []) };
}

function mergedIn(value: Json, run: WorkflowRun): MergedPull | null {
  if (!isObject(value) || !isObject(value.base)) return null;
  const { number, merged_at: mergedAt, merge_commit_sha: commit = null, base } = value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) return null;
  return typeof mergedAt === "string" && base.ref === branchIn(run) ? { number, commit } : null;
}

/** Writes or updates the comment of this name. Null: there is nothing to say. */
async function comment(
  github: GitHub,
  pull: number | null,
  about: AboutPull,
  outcome: StepOutcome,
  step: StepContext,
): Promise<Update | null> {
  const { inputs, run } = step;
  if (pull === null) return null;
  const draft: Draft = {
    name: about.name(inputs.label),
    stamp: stampOf(run, outcome.document?.digest ?? null),
    text: sign(step, about.text),
    maxBytes: inputs.maxBytes,
  };
  const home = commentsOn(github, pull);
  if (inputs.comment === "always-new") return writePost(home, null, draft);
  const posts = await postsOf(github, home, draft.name);
  if (!posts.ok) return failure(posts);
  const post = posts.value[0] ?? null; // the oldest
  if (post === null && inputs.comment === "changes-only" && !about.isNews) return null;
  return keepPost(github, home, post, draft);
}

function commentsOn(github: GitHub, pull: number): Home {
  return {
    lists: () => [`/issues/${pull}/comments`],
    key: "id",
    create: (body) => github.send("POST", `/issues/${pull}/comments`, { body }),
    update: (id, body) => github.send("PATCH", `/issues/comments/${id}`, { body }),
  };
}

/** The digest in the newest comment of ours on a pull request. Null: no comment has one. */
export async function digestShown(
  github: GitHub,
  pull: number,
  label: string,
): Promise<Reply<string | null>> {
  const posts = await postsOf(github, commentsOn(github, pull), label);
  if (!posts.ok) return posts;
  const newest = posts.value
    .flatMap(({ body }) => stampIn(body) ?? [])
    .reduce<Stamp | null>((last, each) => (last !== null && isNewer(last, each) ? last : each), null);
  return { ok: true, value: newest?.digest ?? null };
}

function remarksOn(commented: Update): readonly Problem[] {
  switch (commented.as) {
    case "written":
    case "unchanged":
    case "closed":
      return [];
    case "newer there":
      return [notWritten("A later run wrote its comment already, so this run left the comment alone.")];
    case "failed":
      return [notWritten(`${commented.why}. ${refusalAdvice(commented, "pull-requests") ?? OUT_OF_DATE}`)];
  }
}

const OUT_OF_DATE = "A comment of an earlier run may remain, and is out of date.";

function notWritten(why: string): Problem {
  const detail = `${why} The summary of the run has the text.`;
  return warning("no_comment", "Comment not written", detail);
}
