import { type Problem, problem } from "../model/problem.js";
import { type Commented, comment } from "./comment.js";
import { gitHubOf } from "./github.js";
import { footed, writtenBy } from "./marker.js";
import type { Outcome, Surroundings } from "./outcome.js";
import { refusalAdvice } from "./refusal-advice.js";
import { outcomeMarkdown } from "./words.js";

/**
 * Says on the pull request what merging it would do. That a comment cannot be written is no failure of the step: what it
 * would say is in the summary.
 *
 * @returns what the next steps and the people who read the log are to know
 */
export async function tellPullRequest(outcome: Outcome, around: Surroundings): Promise<readonly Problem[]> {
  const { inputs, run, runner, environment, hide } = around;
  if (inputs.comment === "off" || run.event !== "pull_request" || run.pull === null) return [];
  if (outcome.command !== "plan") return [];
  const github = gitHubOf(environment, run);
  if (!github.ok) return github.problems.map(({ detail }) => notWritten(detail));
  try {
    const commented = await comment(github.value, run.pull.number, inputs.comment, {
      label: inputs.label,
      by: writtenBy(run, outcome.document?.digest ?? null),
      isNews: isNews(outcome),
      text: async (maxBytes) => hide(await commentText(outcome, around, maxBytes)),
      maxBytes: inputs.maxBytes,
    });
    await runner.outputs({ "comment-url": "url" in commented ? commented.url : "" });
    return remarksOn(commented);
  } finally {
    await github.value.close();
  }
}

async function commentText(outcome: Outcome, { run }: Surroundings, maxBytes: number): Promise<string> {
  const aroundBytes = Buffer.byteLength(footed("", run));
  return footed(await outcomeMarkdown(outcome, maxBytes - aroundBytes), run);
}

/** Also what changes nothing now and lets go of something, or moves what guards the changes. */
function isNews({ code, document }: Outcome): boolean {
  return (
    code !== 0 ||
    document === null ||
    document.changes.length > 0 ||
    document.diagnostics.some((each) => NEWS.includes(each.code))
  );
}

const NEWS: readonly string[] = ["no_longer_managed", "guardrails_changed", "service_changed"];

function remarksOn(commented: Commented): readonly Problem[] {
  switch (commented.as) {
    case "written":
    case "unchanged":
    case "nothing to say":
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
