import type { PlanDocument } from "../plan/generated/plan-document.js";
import type { PlanView } from "./view.js";

/**
 * What has to be known of drift that was looked for without a base: that more counts as drift. Null: there was one, or one
 * that could not be read, which is said by itself.
 */
export function withoutBaseText(
  { base, changes, diagnostics }: PlanDocument,
  about: PlanView["about"],
): string | null {
  const isUnread = diagnostics.some(({ code }) => code === "base_not_read" || code === "base_without_files");
  if (about === "plan" || changes.length === 0 || base !== undefined || isUnread) return null;
  return "Without --base, changes to the files that were not applied yet count too.";
}
