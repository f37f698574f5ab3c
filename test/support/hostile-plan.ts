import type { PlanDocument } from "../../src/index.js";

/** The places of a plan document with text from files or the service. */
const FROM_OUTSIDE: readonly string[] = [
  ...["zone", "key", "was", "id", "zone_id", "file", "message", "why", "url", "page", "path", "part"],
  ...["added", "removed", "before", "after", "base", "body", "unread", "request"],
];

/** The plan with this text before every external text. Different names stay different. */
export function hostilePlan(plan: PlanDocument, text: string): PlanDocument {
  return changed(plan, text, false) as PlanDocument; // only texts differ
}

function changed(value: unknown, text: string, isFromOutside: boolean): unknown {
  if (typeof value === "string") return isFromOutside ? `${text}${value}` : value;
  if (Array.isArray(value)) return value.map((each) => changed(each, text, isFromOutside));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      // The name of a secret is constant text.
      changed(each, text, (isFromOutside && !key.startsWith("$")) || FROM_OUTSIDE.includes(key)),
    ]),
  );
}
