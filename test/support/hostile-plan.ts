import type { PlanDocument } from "../../src/index.js";

/** Where a plan document has text from files or the service. */
const FROM_OUTSIDE: readonly string[] = [
  ...["zone", "key", "was", "id", "zone_id", "file", "message", "why", "url", "page", "path", "part"],
  ...["added", "removed", "before", "after", "base", "body", "unread", "request"],
];

/** The plan with this text before every text from outside: names still differ where they did. */
export function hostilePlan(plan: PlanDocument, text: string): PlanDocument {
  return changed(plan, text, false) as PlanDocument; // only texts are others
}

function changed(value: unknown, text: string, isFromOutside: boolean): unknown {
  if (typeof value === "string") return isFromOutside ? `${text}${value}` : value;
  if (Array.isArray(value)) return value.map((each) => changed(each, text, isFromOutside));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      // What a secret is called is the program's own word.
      changed(each, text, (isFromOutside && !key.startsWith("$")) || FROM_OUTSIDE.includes(key)),
    ]),
  );
}
