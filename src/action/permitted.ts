import { failed, ok, problem, type Result } from "../model/problem.js";
import type { Inputs } from "./inputs.js";
import type { WorkflowRun } from "./workflow-run.js";

/** What the step does, after a look at what has started it. */
export interface Permitted {
  readonly command: Inputs["command"];
  /** Why it is another command than the workflow says; null: it is that one. */
  readonly instead: string | null;
}

/** Which command may run on this event. A pull request is what somebody proposes: its files decide nothing yet. */
export function permitted(
  { command }: Pick<Inputs, "command">,
  run: WorkflowRun,
  hasCredential: boolean,
): Result<Permitted> {
  if (command === "apply" && isOfPull(run)) return failed(noApply(run.event));
  if (command !== "validate" && isWithSecrets(run)) return failed(noSecrets(command, run));
  const why = hasCredential || command === "validate" ? null : whyWithoutSecrets(run);
  return ok(why === null ? { command, instead: null } : { command: "validate", instead: why });
}

/** Why GitHub gives the run of a pull request no secrets; null: it does. */
function whyWithoutSecrets({ event, pull, actor }: WorkflowRun): string | null {
  if (event !== "pull_request" || pull === null) return null;
  const checked =
    "the files were checked offline, and nothing was compared with what is live. Somebody who may use the token has to plan them.";
  if (pull.isFork)
    return `This pull request comes from a fork, and GitHub gives its runs no secrets: ${checked}`;
  if (actor === "dependabot[bot]")
    return `This run was started by Dependabot, and GitHub gives it only the secrets that are kept for Dependabot, where there is no token: ${checked}`;
  return null;
}

/** Whatever was checked out, it may be what a pull request says. */
export function isOfPull({ event, causedBy, ref, pull }: WorkflowRun): boolean {
  return (
    pull !== null ||
    /^refs\/pull\//.test(ref) ||
    [event, causedBy ?? ""].some((each) => each.startsWith("pull_request") || each === "merge_group")
  );
}

function noApply(event: string) {
  const detail = `The run was started by ${event || "nothing that is known"}, which is about a pull request: what it says has not been merged, and anybody may have written it. Nothing was read or written. Apply after the merge: on push to the branch that is protected.`;
  return problem("apply_on_pull_request", "A pull request is not applied", detail);
}

/** Runs that have the secrets of the repository, and may have the files of a stranger. */
function isWithSecrets({ event, causedBy, pull }: WorkflowRun): boolean {
  return (
    event === "pull_request_target" ||
    (event === "workflow_run" && (causedBy ?? "").startsWith("pull_request")) ||
    (event === "issue_comment" && pull !== null)
  );
}

function noSecrets(command: string, { event }: WorkflowRun) {
  const detail = `The run was started by ${event}: it has the secrets of the repository, and the files may be those of a stranger, who could have them sent or shown. Run ${command} on pull_request; a fork gets validate there, without any secret.`;
  return problem("secrets_on_pull_request", "Secrets and the files of a pull request do not meet", detail);
}
