import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { withClient } from "../run/client.js";
import { EXIT } from "../run/exit-codes.js";
import { journalFrom, journalsIn } from "../run/journals.js";
import type { Planned } from "../run/plan.js";
import { runRollback } from "../run/rollback.js";
import { carryOutPlanned } from "./apply.js";
import { inputsOf } from "./option-names.js";
import { nothingDone, type StepContext, type StepOutcome } from "./outcome.js";
import { BEFORE_WRITING, inputFor, progressOn, unlessInterrupted } from "./plan.js";
import { say } from "./report.js";

/**
 * Rolls back from the journal of an apply. Without a digest, it only plans; with one, it applies the plan of that
 * digest. A journal cannot be trusted, so the approval is for the plan made from it.
 */
export async function rollback(step: StepContext): Promise<StepOutcome> {
  const { inputs, cwd } = step;
  const file = journalNamed(step);
  const journal = file.ok ? await journalFrom(file.value, cwd, inputs.maxAge) : file;
  if (!journal.ok) return nothingDone("rollback", EXIT.error, journal.problems);
  // The workflow names the files, whatever the journal says.
  const input = inputFor(step, null, []);
  const ran = await withClient({ environment: input.environment }, async (client) => {
    const planning = runRollback(journal.value, input, client, progressOn(step));
    const planned = await unlessInterrupted(planning, step);
    if (planned === null) return nothingDone("rollback", EXIT.interrupted, [BEFORE_WRITING]);
    if (!planned.ok) return nothingDone("rollback", EXIT.error, planned.problems);
    if (inputs.planDigest === null) return wayBack(planned, step);
    if (planned.document.digest !== inputs.planDigest) return otherWay(planned, inputs.planDigest, step);
    const carrying = {
      command: "rollback",
      document: shownOf(planned),
      saved: null,
      again: PLAN_AGAIN,
    } as const;
    return carryOutPlanned(planned, carrying, step);
  });
  return ran.ok ? ran.value : nothingDone("rollback", EXIT.error, ran.problems);
}

const PLAN_AGAIN = "Plan the rollback again, and have that plan approved.";

/** The journal file, or the only journal in a folder: the name of a file in an artifact is not known beforehand. */
function journalNamed({ inputs: { journal }, cwd }: StepContext): Result<string> {
  if (journal === null) {
    const detail =
      "rollback needs the journal of an apply. Give its file, or the folder of the downloaded artifact, as the input journal. Nothing was read or written.";
    return failed(problem("no_journal", "No journal named", detail));
  }
  const [only = journal, ...more] = journalsIn(journal, cwd);
  if (more.length === 0) return ok(only);
  const detail = `${journal} has ${more.length + 1} journals. Name one, the newest first: ${more.at(-1)}.`;
  return failed(problem("no_journal", "Several journals", detail));
}

function wayBack(planned: Planned, step: StepContext): StepOutcome {
  say(planned.problems, step, "log");
  const document = shownOf(planned);
  // The problems name what cannot be rolled back. The rest is planned.
  const isWhole = document.zones.every(({ status }) => status === "planned") && !hasErrors(planned.problems);
  return { ...nothingDone("rollback", isWhole ? EXIT.done : EXIT.error, []), document };
}

function shownOf({ document: { digest }, documentIn }: Planned): PlanDocument {
  return documentIn(inputsOf(digest));
}

function otherWay(planned: Planned, approved: string, step: StepContext): StepOutcome {
  const detail = `The rollback plan is ${planned.document.digest} now, and ${approved} was approved. The live state, the files or the journal changed. Review this plan. Nothing was written.`;
  const refusal: Problem = problem("other_plan", "Not the approved plan", detail);
  return { ...wayBack(planned, step), code: EXIT.error, problems: [refusal] };
}
