import { EXIT } from "../commands/command.js";
import { type Problem, problem } from "../model/problem.js";
import { gitHubOf } from "./github.js";
import { driftIssue } from "./issue.js";
import { footed, writtenBy } from "./marker.js";
import type { Outcome, Surroundings } from "./outcome.js";
import { outcomeMarkdown } from "./words.js";

/** Keeps the one issue that tells of drift: where it cannot be kept, nobody would be told, so that is an error. */
export async function tellIssue(outcome: Outcome, around: Surroundings): Promise<readonly Problem[]> {
  const { inputs, run, environment } = around;
  const { document, code } = outcome;
  if (inputs.issue === "off" || outcome.command !== "drift" || document === null) return [];
  const isDrift = document.changes.length > 0;
  // What could not be read may have drifted: then the issue stays as it is.
  if (!isDrift && code === EXIT.error) return [];
  const github = gitHubOf(environment, run);
  if (!github.ok) return github.problems;
  try {
    const by = writtenBy(run, document.digest);
    const text = isDrift ? await issueText(outcome, around) : null;
    const reply = await driftIssue(github.value, { label: inputs.label, by, text });
    return reply.ok ? [] : [notKept(reply.why)];
  } finally {
    await github.value.close();
  }
}

async function issueText(outcome: Outcome, { inputs, run, hide }: Surroundings): Promise<string> {
  return hide(footed(await outcomeMarkdown(outcome, inputs.maxBytes - AROUND_BYTES), run));
}

/** The marker and the last line. */
const AROUND_BYTES = 1_000;

function notKept(why: string): Problem {
  const detail = `${why}. The job needs permissions: issues: write. The summary of the run has what the issue would say.`;
  return problem("no_issue", "The issue about drift is not kept", detail);
}
