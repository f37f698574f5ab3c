import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import type { Json } from "../../model/json.js";
import type { Oddity } from "../kind.js";

/**
 * A note on a job whose pushes fail. The service reports the last error and its time, and clears both after a
 * successful push (the published OpenAPI document). A job that has pushed since its last error is well.
 */
export function failing({ ref, normal, raw }: Item): readonly Oddity[] {
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

/** Whether both times are known and the failure came first. */
function isBefore(failed: string | null, pushed: string | null): boolean {
  return failed !== null && pushed !== null && Date.parse(failed) <= Date.parse(pushed);
}

/**
 * Cuts the message between words. The message may contain the destination's credentials, and the caller can redact only
 * complete ones.
 */
function shortMessage(message: string): string {
  const [start] =
    message.length <= MOST_CHARS ? [message] : (/^.*(?=\s)/su.exec(message.slice(0, MOST_CHARS)) ?? [""]);
  return start === message ? message : `${start.trimEnd()} …`;
}

const MOST_CHARS = 300;
const MOST_TIME_CHARS = 40;
