import { type Day, daysUntil } from "./day.js";
import { type Problem, remarked, type Span } from "./problem.js";

/** A warning that somebody has decided to live with: `# zoneward: accept CODE until 2026-12-31: why`. */
export interface Acceptance {
  readonly code: string;
  /** The last day on which it holds. */
  readonly until: Day;
  readonly reason: string;
  /** The entry that the comment stands above, or beside. */
  readonly entry: Pick<Span, "file" | "pointer">;
}

/** How many days before an acceptance ends it says so. */
const SOON_DAYS = 14;

/**
 * Problems, with a warning that is accepted as a note that says until when and why. After its last day it is a warning
 * again. Errors stay what they are.
 */
export function accepting(
  problems: readonly Problem[],
  acceptances: readonly Acceptance[],
  today: Day,
): readonly Problem[] {
  if (acceptances.length === 0) return problems;
  return problems.map((each) => {
    const { at, severity, code } = each;
    if (severity !== "warning" || at === null) return each;
    const fitting = acceptances.filter(
      ({ code: accepted, entry }) =>
        accepted === code && entry.file === at.file && isWithin(at.pointer, entry.pointer),
    );
    const [last] = fitting.toSorted((a, b) => (a.until < b.until ? 1 : -1));
    if (last === undefined) return each;
    const { until, reason } = last;
    const days = daysUntil(until, today);
    if (days < 0)
      return remarked(each, {
        after: ` It was accepted until ${until} (${reason}): mend it, or accept it until a later day.`,
      });
    const soon = days <= SOON_DAYS ? { days_left: days } : {};
    return { ...each, severity: "note", accepted: { until, reason, ...soon } };
  });
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}
