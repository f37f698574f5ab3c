import { isObject, type Json } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import { NO_LONGER_MANAGED } from "../render/review-first.js";
import { EXIT } from "../run/exit.js";
import { type GitHub, gitHubOf, type Reply, refusalAdvice } from "./github.js";
import { doneMarkdown, outcomeMarkdown } from "./markdown.js";
import { isNewer, type Written, writerIn, writtenBy } from "./marker.js";
import type { Outcome, StepContext } from "./outcome.js";
import { failure, type Home, type Kept, keepOwn, type OwnText, ownOf, saidBy, writeOwn } from "./own.js";
import type { WorkflowRun } from "./workflow-run.js";

/**
 * Says on the pull request what merging it would do, and on the one that was merged what an apply did. That a comment
 * cannot be written is no failure of the step: what it would say is in the summary.
 *
 * @returns what the next steps and the people who read the log are to know
 */
export async function tellPullRequest(outcome: Outcome, step: StepContext): Promise<readonly Problem[]> {
  const { inputs, run, runner, environment } = step;
  const about = inputs.comment === "off" ? null : aboutPull(outcome, run);
  if (about === null) return [];
  const github = gitHubOf(environment, run);
  if (!github.ok) return github.problems.map(({ detail }) => notWritten(detail));
  try {
    const pull = await about.pull(github.value);
    const commented = pull.ok ? await comment(github.value, pull.value, about, outcome, step) : failure(pull);
    const url = commented === null || commented.as === "failed" ? "" : commented.url;
    await runner.outputs({ "comment-url": url });
    return commented === null ? [] : remarksOn(commented);
  } finally {
    await github.value.close();
  }
}

/** What a comment is about. */
interface AboutPull {
  /** The pull request that it belongs on; null: on none. */
  readonly pull: (github: GitHub) => Promise<Reply<number | null>>;
  /** Each of ours has its own. */
  readonly name: (label: string) => string;
  readonly text: (maxBytes: number) => string | Promise<string>;
  /** False: there is nothing that anybody has to look at. */
  readonly isNews: boolean;
}

/** Null: nothing that a pull request is told of. */
function aboutPull(outcome: Outcome, run: WorkflowRun): AboutPull | null {
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

/** Also what changes nothing now and lets go of something, or moves what guards the changes, or when something ends. */
function isNews({ code, document }: Outcome): boolean {
  return (
    code !== 0 ||
    document === null ||
    document.changes.length > 0 ||
    document.diagnostics.some((each) => NEWS.includes(each.code))
  );
}

const NEWS: readonly string[] = [
  ...NO_LONGER_MANAGED.keys(),
  "guardrails_changed",
  "service_changed",
  "until_extended",
  "until_changed",
];

/** The branch that a run is about; null: a tag, or none. */
export function branchIn({ ref }: Pick<WorkflowRun, "ref">): string | null {
  return /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? null;
}

/** The pull request that a run is to tell: the one whose merge made the commit, or else one that had it. */
async function mergedPull(github: GitHub, run: WorkflowRun): Promise<Reply<number | null>> {
  const merged = await mergedPulls(github, run);
  if (!merged.ok) return merged;
  const made = merged.value.find(({ commit }) => commit === run.commit) ?? merged.value[0];
  return { ok: true, value: made?.number ?? null };
}

/** A pull request that was merged, and the commit that its merge made. */
interface MergedPull {
  readonly number: number;
  readonly commit: Json;
}

/** The pull requests whose merge brought the commit of a run into its branch. */
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

/** Writes the one comment of its name: the one that is there is brought up to date. Null: nothing is to be said. */
async function comment(
  github: GitHub,
  pull: number | null,
  about: AboutPull,
  outcome: Outcome,
  step: StepContext,
): Promise<Kept | null> {
  const { inputs, run } = step;
  if (pull === null) return null;
  const said: OwnText = {
    name: about.name(inputs.label),
    by: writtenBy(run, outcome.document?.digest ?? null),
    text: saidBy(step, about.text),
    maxBytes: inputs.maxBytes,
  };
  const home = commentsOn(github, pull);
  if (inputs.comment === "always-new") return writeOwn(home, null, said);
  const found = await ownOf(github, home, said.name);
  if (!found.ok) return failure(found);
  const own = found.value[0] ?? null; // the oldest
  if (own === null && inputs.comment === "changes-only" && !about.isNews) return null;
  return keepOwn(github, home, own, said);
}

function commentsOn(github: GitHub, pull: number): Home {
  return {
    lists: () => [`/issues/${pull}/comments`],
    key: "id",
    create: (body) => github.send("POST", `/issues/${pull}/comments`, { body }),
    update: (id, body) => github.send("PATCH", `/issues/comments/${id}`, { body }),
  };
}

/** The digest of the plan that the newest of our comments on a pull request shows. Null: no comment shows one. */
export async function digestShown(
  github: GitHub,
  pull: number,
  label: string,
): Promise<Reply<string | null>> {
  const found = await ownOf(github, commentsOn(github, pull), label);
  if (!found.ok) return found;
  const newest = found.value
    .flatMap(({ body }) => writerIn(body) ?? [])
    .reduce<Written | null>((last, each) => (last !== null && isNewer(last, each) ? last : each), null);
  return { ok: true, value: newest?.digest ?? null };
}

function remarksOn(commented: Kept): readonly Problem[] {
  switch (commented.as) {
    case "written":
    case "unchanged":
    case "closed":
      return [];
    case "newer there":
      return [notWritten("A later run has written its comment already, which is left as it is.")];
    case "failed":
      return [notWritten(`${commented.why}. ${refusalAdvice(commented, "pull-requests") ?? OUT_OF_DATE}`)];
  }
}

const OUT_OF_DATE = "A comment of an earlier run may still be there, and is out of date.";

function notWritten(why: string): Problem {
  const detail = `${why} The summary of the run has what the comment would have said.`;
  return { ...problem("no_comment", "The comment is not written", detail), severity: "warning" };
}
