import { type Problem, problem } from "../model/problem.js";
import { hasDrift } from "../render/undeclared.js";
import { type GitHub, gitHubOf, refusalAdvice } from "./github.js";
import { outcomeMarkdown } from "./markdown.js";
import { writtenBy } from "./marker.js";
import type { Outcome, StepContext } from "./outcome.js";
import { endOwn, failure, type Home, type Kept, keepOwn, type OwnText, ownOf, saidBy } from "./own.js";
import { isOfPull } from "./workflow-run.js";

/** Keeps the one issue that tells of drift: where it cannot be kept, nobody would be told, so that is an error. */
export async function tellIssue(outcome: Outcome, step: StepContext): Promise<readonly Problem[]> {
  const { inputs, run, environment } = step;
  const { document } = outcome;
  if (inputs.issue === "off" || outcome.command !== "drift" || document === null) return [];
  if (isOfPull(run)) return [leftAlone(ON_PULL)];
  const isDrift = hasDrift(document);
  // What could not be read may have drifted: then the issue stays as it is.
  if (!isDrift && document.zones.some(({ status }) => status !== "planned")) return [];
  const github = gitHubOf(environment, run);
  if (!github.ok) return github.problems;
  try {
    const kept = await keptIssue(github.value, inputs.label, isDrift, {
      name: name(inputs.label),
      by: writtenBy(run, document.digest),
      text: saidBy(step, (maxBytes) => outcomeMarkdown(outcome, maxBytes)),
      maxBytes: inputs.maxBytes,
    });
    if (kept?.as === "failed") return [notKept(kept.why, refusalAdvice(kept, "issues"))];
    return kept?.as === "newer there" ? [leftAlone(NEWER)] : [];
  } finally {
    await github.value.close();
  }
}

function notKept(why: string, advice: string | null): Problem {
  const words = [`${why}.`, advice, "The summary of the run has what the issue would say."];
  return problem(
    "no_issue",
    "The issue about drift is not kept",
    words.filter((each) => each !== null).join(" "),
  );
}

const ON_PULL =
  "The run is about a pull request: its files are not merged, so the issue, which is about those that are, is left as it is.";
const NEWER = "A later run has written the issue about drift already, which is left as it is.";

function leftAlone(why: string): Problem {
  return { ...problem("issue_left_alone", "The issue about drift is left alone", why), severity: "warning" };
}

const LABEL = "zoneward-drift";

/** Keeps one issue open while something was changed outside the files, says in it what, and closes it when all is well. */
async function keptIssue(
  github: GitHub,
  label: string,
  isDrift: boolean,
  said: OwnText,
): Promise<Kept | null> {
  const home = issuesOf(github, label);
  const found = await ownOf(github, home, said.name);
  if (!found.ok) return failure(found);
  const own = found.value[0] ?? null;
  if (isDrift) return keepOwn(github, home, own, said);
  return own === null ? null : endOwn(github, "issues", own, said.by, CALM);
}

const CALM = "What is live is as the files declare again. Nothing is left to do here.";

/** By its label; where somebody has taken that off, among all that this author has written. */
function issuesOf(github: GitHub, label: string): Home {
  return {
    lists: (author) =>
      [`labels=${LABEL}`, `creator=${encodeURIComponent(author)}`].map(
        (which) => `/issues?state=open&${which}`,
      ),
    key: "number",
    // GitHub lists pull requests as issues too.
    isOne: (value) => value.pull_request === undefined,
    create: (body) => github.send("POST", "/issues", { title: titleOf(label), body, labels: [LABEL] }),
    update: (number, body) => github.send("PATCH", `/issues/${number}`, { body }),
  };
}

/** Comments and issues are never taken for each other. */
function name(label: string): string {
  return `drift:${label}`;
}

function titleOf(label: string): string {
  const which = label === "default" ? "" : ` (${label})`;
  return `Something was changed outside the files${which}`;
}
