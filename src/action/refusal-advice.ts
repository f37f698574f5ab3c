import type { Reply } from "./github.js";

type Refusal = Pick<Extract<Reply<unknown>, { ok: false }>, "status" | "isLimited">;

/**
 * What to do about what GitHub has refused; null: it has not said why.
 *
 * @param permission what the job has to be given for writing it
 */
export function refusalAdvice(
  { status, isLimited }: Refusal,
  permission: "pull-requests" | "issues",
): string | null {
  if (isLimited)
    return "GitHub limits how much may be sent in a time, and what it asks to wait is too long for a step. Run the job again later.";
  switch (status) {
    case 401:
      return "The token is not valid, or no longer: a workflow's own ends with its job.";
    case 403:
    case 404:
      return `The token may not write here: the job needs permissions: ${permission}: write. Runs for forks never have it.`;
    case 410:
      return "Issues are switched off for this repository. Switch them on in its settings.";
    default:
      return null;
  }
}
