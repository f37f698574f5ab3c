import { groupBy } from "../model/group-by.js";
import type { Diagnostic } from "../plan/generated/plan-document.js";

/** Codes of changes to the review itself, in the order of display. */
export const REVIEW_CHANGES: ReadonlyMap<string, string> = new Map([
  ["guardrails_changed", "Guardrails change"],
  ["service_changed", "The service section changes"],
  ["until_extended", "End date moved later"],
  ["base_not_read", "Base cannot be read"],
  ["base_without_files", "Base has none of the files"],
]);

/** Codes for objects and sections that were removed from the files and are still live. */
export const NO_LONGER_MANAGED: ReadonlyMap<string, string> = new Map([
  ["no_longer_managed", "no longer managed"],
  ["not_deleted", "no longer declared, not deleted"],
  ["no_longer_pruned", "no longer pruned"],
  ["no_longer_told", "no longer reported"],
  ["no_longer_tested", "no longer tested"],
  ["no_longer_required", "newly optional"],
]);

/** Splits diagnostics into those about the review itself and the rest. */
export function reviewFirst(diagnostics: readonly Diagnostic[]): {
  readonly first: readonly Diagnostic[];
  readonly others: readonly Diagnostic[];
} {
  const byCode = groupBy(diagnostics, ({ code }) => code);
  return {
    first: [...REVIEW_CHANGES.keys()].flatMap((code) => byCode.get(code) ?? []),
    others: diagnostics.filter(({ code }) => !REVIEW_CHANGES.has(code)),
  };
}

/** A message without its title and its zone, which are shown beside it. */
export function ownMessage({ zone, message }: Diagnostic, title: string): string {
  const untitled = without(`${title}. `, message);
  return zone === undefined ? untitled : without(`${zone}: `, untitled);
}

/** The case of the first letter may differ. */
function without(start: string, text: string): string {
  const isThere = text.slice(0, start.length).toLowerCase() === start.toLowerCase();
  return isThere ? text.slice(start.length) : text;
}
