import { type Problem, problem } from "../model/problem.js";
import { hasDrift } from "../render/undeclared.js";
import { gitHubOf } from "./github.js";
import { driftIssue } from "./issue.js";
import { footed, writtenBy } from "./marker.js";
import type { Outcome, Surroundings } from "./outcome.js";
import { isOfPull } from "./permitted.js";
import { refusalAdvice } from "./refusal-advice.js";
import { outcomeMarkdown } from "./words.js";

/** Keeps the one issue that tells of drift: where it cannot be kept, nobody would be told, so that is an error. */
export async function tellIssue(outcome: Outcome, around: Surroundings): Promise<readonly Problem[]> {
  const { inputs, run, environment } = around;
  const { document } = outcome;
  if (inputs.issue === "off" || outcome.command !== "drift" || document === null) return [];
  if (isOfPull(run)) return [leftAlone(ON_PULL)];
  const isDrift = hasDrift(document);
  // What could not be read may have drifted: then the issue stays as it is.
  if (!isDrift && document.zones.some(({ status }) => status === "failed")) return [];
  const github = gitHubOf(environment, run);
  if (!github.ok) return github.problems;
  try {
    const by = writtenBy(run, document.digest);
    const text = isDrift ? await issueText(outcome, around) : null;
    const reply = await driftIssue(github.value, { label: inputs.label, by, text });
    if (!reply.ok) return [notKept(reply.why, refusalAdvice(reply, "issues"))];
    return reply.value === "newer there" ? [leftAlone(NEWER)] : [];
  } finally {
    await github.value.close();
  }
}

async function issueText(outcome: Outcome, { inputs, run, hide }: Surroundings): Promise<string> {
  return hide(footed(await outcomeMarkdown(outcome, inputs.maxBytes - AROUND_BYTES), run));
}

/** The marker and the last line. */
const AROUND_BYTES = 1_000;

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
