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
 * Problems → the same, with a warning that is accepted as a note that says until when and why. After its last day it is a
 * warning again. Errors stay what they are.
 */
export function accepting(
  acceptances: readonly Acceptance[],
  today: Day,
): (problems: readonly Problem[]) => readonly Problem[] {
  if (acceptances.length === 0) return (problems) => problems;
  // A file may have very many of both.
  const known = new Map<string, Acceptance>();
  for (const each of acceptances) {
    const key = keyOf(each.entry.file, each.code, each.entry.pointer);
    if ((known.get(key)?.until ?? "") < each.until) known.set(key, each);
  }
  const lastFor = ({ code, at }: Problem): Acceptance | null =>
    pointersTo(at?.pointer ?? "")
      .flatMap((pointer) => known.get(keyOf(at?.file ?? "", code, pointer)) ?? [])
      .reduce<Acceptance | null>(
        (last, each) => (last === null || last.until < each.until ? each : last),
        null,
      );
  return (problems) =>
    problems.map((each) => {
      const last = each.severity === "warning" && each.at !== null ? lastFor(each) : null;
      return last === null ? each : acceptedAs(each, last, today);
    });
}

function keyOf(file: string, code: string, pointer: string): string {
  return JSON.stringify([file, code, pointer]);
}

/** A JSON pointer and those of all that it is in. */
function pointersTo(pointer: string): readonly string[] {
  const steps = pointer.split("/");
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
}

function acceptedAs(warning: Problem, { until, reason }: Acceptance, today: Day): Problem {
  const days = daysUntil(until, today);
  if (days < 0)
    return remarked(warning, {
      after: ` It was accepted until ${until} (${reason}): mend it, or accept it until a later day.`,
    });
  const soon = days <= SOON_DAYS ? { days_left: days } : {};
  return { ...warning, severity: "note", accepted: { until, reason, ...soon } };
}
