import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import type { Json } from "../../model/json.js";

/**
 * A job that does not get its logs to their destination. The service says so with the last error and when that was, and
 * takes both back when a push succeeds (the published OpenAPI document); one that has pushed since is well.
 */
export function failing({
  ref,
  normal,
  raw,
}: Item): readonly { readonly code: string; readonly summary: string; readonly detail: string }[] {
  const [message, failed, pushed] = [raw?.error_message, raw?.last_error, raw?.last_complete].map(textOf);
  if (normal.enabled === false || (message === null && failed === null)) return [];
  if (isBefore(failed ?? null, pushed ?? null)) return [];
  const failure = message == null ? "has failed" : `fails with ${JSON.stringify(shortMessage(message))}`;
  const since = failed == null ? "" : `, last at ${cutEnd(failed, MOST_TIME_CHARS)}`;
  const last =
    pushed == null ? "It has never pushed logs" : `It last pushed logs at ${cutEnd(pushed, MOST_TIME_CHARS)}`;
  const name = ref.key === ref.id ? ref.key : JSON.stringify(ref.key);
  const id = ref.id === null || ref.key === ref.id ? "" : ` (${ref.id})`;
  return [
    {
      code: "job_failing",
      summary: `Log-push job ${name} fails`,
      detail: `The job ${name}${id} ${failure}${since}. Check its destination with zoneward logpush check. ${last}; logs that it does not push are lost.`,
    },
  ];
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Whether both times are known and the failure is the earlier one. */
function isBefore(failed: string | null, pushed: string | null): boolean {
  return failed !== null && pushed !== null && Date.parse(failed) <= Date.parse(pushed);
}

/**
 * It may name the destination with its credentials, which whoever shows it takes out. Half a credential is not known for
 * one: what is too long ends before a word.
 */
function shortMessage(message: string): string {
  const [start] =
    message.length <= MOST_CHARS ? [message] : (/^.*(?=\s)/su.exec(message.slice(0, MOST_CHARS)) ?? [""]);
  return start === message ? message : `${start.trimEnd()} …`;
}

const MOST_CHARS = 300;
const MOST_TIME_CHARS = 40;
