import { type Problem, problem, warning } from "../model/problem.js";
import { hasDrift } from "../run/exit-codes.js";
import { outcomeMarkdown } from "./comment-markdown.js";
import { type GitHub, refusalAdvice, withGitHub } from "./github.js";
import { stampOf } from "./marker.js";
import {
  closePost,
  type Draft,
  failure,
  type Home,
  keepPost,
  postsOf,
  sign,
  type Update,
} from "./our-posts.js";
import type { StepContext, StepOutcome } from "./outcome.js";
import { isOfPull } from "./workflow-run.js";

/** Keeps the issue about drift. A failure is an error, as the drift would go unreported. */
export async function tellIssue(outcome: StepOutcome, step: StepContext): Promise<readonly Problem[]> {
  const { inputs, run } = step;
  const { document } = outcome;
  if (inputs.issue === "off" || outcome.command !== "drift" || document === null) return [];
  if (isOfPull(run)) return [leftAlone(ON_PULL)];
  const isDrift = hasDrift(document);
  // A zone that could not be read may have drifted, so the issue stays.
  if (!isDrift && document.zones.some(({ status }) => status !== "planned")) return [];
  const draft: Draft = {
    name: `drift:${inputs.label}`, // the prefix tells issues from comments
    stamp: stampOf(run, document.digest),
    text: sign(step, (maxBytes) => outcomeMarkdown(outcome, maxBytes)),
    maxBytes: inputs.maxBytes,
  };
  const kept = await withGitHub(step, (github) => keepIssue(github, inputs.label, isDrift, draft));
  if (!kept.ok) return kept.problems;
  if (kept.value?.as === "failed") return [notKept(kept.value.why, refusalAdvice(kept.value, "issues"))];
  return kept.value?.as === "newer there" ? [leftAlone(NEWER)] : [];
}

function notKept(why: string, advice: string | null): Problem {
  const words = [`${why}.`, advice, "The summary of the run has the text."];
  return problem("no_issue", "Drift issue not updated", words.filter((each) => each !== null).join(" "));
}

const ON_PULL = "The run is for a pull request, whose files are not merged. The issue is about merged files.";
const NEWER = "A later run wrote the drift issue already.";

function leftAlone(why: string): Problem {
  return warning("issue_left_alone", "Drift issue left alone", why);
}

const LABEL = "zoneward-drift";

/** Keeps one issue open while there is drift, and closes it afterwards. */
async function keepIssue(
  github: GitHub,
  label: string,
  isDrift: boolean,
  draft: Draft,
): Promise<Update | null> {
  const home = issuesOf(github, label);
  const posts = await postsOf(github, home, draft.name);
  if (!posts.ok) return failure(posts);
  const post = posts.value[0] ?? null;
  if (isDrift) return keepPost(github, home, post, draft);
  return post === null ? null : closePost(github, "issues", post, draft.stamp, CALM);
}

const CALM = "The live state matches the files again.";

/** Found by its label, or, if the label was removed, among all issues of this author. */
function issuesOf(github: GitHub, label: string): Home {
  return {
    lists: (author) =>
      [`labels=${LABEL}`, `creator=${encodeURIComponent(author)}`].map(
        (query) => `/issues?state=open&${query}`,
      ),
    key: "number",
    // GitHub lists pull requests as issues too.
    isMatch: (value) => value.pull_request === undefined,
    create: (body) => github.send("POST", "/issues", { title: titleOf(label), body, labels: [LABEL] }),
    update: (number, body) => github.send("PATCH", `/issues/${number}`, { body }),
  };
}

function titleOf(label: string): string {
  const suffix = label === "default" ? "" : ` (${label})`;
  return `Changes outside the files${suffix}`;
}
