import { groupBy } from "../model/group-by.js";
import type { Diagnostic } from "../plan/generated/plan-document.js";
import { capital } from "./safe-text.js";

/** Codes of changes to the review itself, in the order of display. */
export const REVIEW_CHANGES: readonly string[] = [
  "guardrails_changed",
  "service_changed",
  "until_extended",
  "base_not_read",
  "base_without_files",
];

/** Codes for objects and sections that were removed from the files and are still live. */
export const NO_LONGER_MANAGED: readonly string[] = [
  "no_longer_managed",
  "not_deleted",
  "no_longer_pruned",
  "no_longer_told",
  "no_longer_tested",
  "no_longer_required",
];

/** Whether the text of a plan shows the messages of a code, which stderr need not repeat. */
export function isInPlanText(code: string): boolean {
  return REVIEW_CHANGES.includes(code) || NO_LONGER_MANAGED.includes(code);
}

/** Splits diagnostics into those about the review itself and the rest. */
export function reviewFirst(diagnostics: readonly Diagnostic[]): {
  readonly first: readonly Diagnostic[];
  readonly others: readonly Diagnostic[];
} {
  const byCode = groupBy(diagnostics, ({ code }) => code);
  return {
    first: REVIEW_CHANGES.flatMap((code) => byCode.get(code) ?? []),
    others: diagnostics.filter(({ code }) => !REVIEW_CHANGES.includes(code)),
  };
}

/** A message as its summary and the rest, without the zone, which is shown beside it. */
export function titled({ code, zone, message }: Diagnostic): {
  readonly title: string;
  readonly text: string;
} {
  const end = message.indexOf(". ");
  const [title, rest] =
    end > 0 && end <= MAX_TITLE_CHARS
      ? [message.slice(0, end), message.slice(end + 2)]
      : [capital(code.replaceAll("_", " ")), message];
  const lead = `${zone}: `;
  return { title, text: zone !== undefined && rest.startsWith(lead) ? rest.slice(lead.length) : rest };
}

/** Plans of other versions and hands may have a message without a summary. */
const MAX_TITLE_CHARS = 80;
