import { isNotIncluded, type SectionNotPlanned } from "../model/plan.js";
import { type Problem, problem, type Span } from "../model/problem.js";

/** A section that could be planned, and what its changes rest on. */
interface Resting {
  readonly section: string;
  /** Other sections; none where nothing of it changes. */
  restsOn(): readonly string[];
  /** Where the files have it. */
  at(): Span | null;
}

interface HeldBack extends SectionNotPlanned {
  /** The sections that are not planned and that it rests on. */
  readonly waitsFor: readonly string[];
}

/**
 * Sections whose changes rest on what is not planned, and on such sections in turn: their order, or what a guardrail says
 * of them, cannot be told. What the zone's plan at the service does not include is known to be empty.
 */
export function heldBack(
  zone: string,
  planned: readonly Resting[],
  notPlanned: readonly SectionNotPlanned[],
): readonly HeldBack[] {
  const missing = new Set(notPlanned.filter((each) => !isNotIncluded(each)).map(({ section }) => section));
  const waiting = new Map(planned.map((each) => [each.section, each]));
  const held: HeldBack[] = [];
  for (let again = true; again; ) {
    again = false;
    for (const [section, each] of waiting) {
      const waitsFor = each.restsOn().filter((other) => missing.has(other));
      if (waitsFor.length === 0) continue;
      waiting.delete(section);
      missing.add(section);
      held.push({ section, waitsFor, problems: [problemOf(zone, section, waitsFor, each.at())] });
      again = true;
    }
  }
  return held;
}

function problemOf(zone: string, section: string, wanted: readonly string[], at: Span | null): Problem {
  const those = wanted.join(" and ");
  const detail = `${section} of ${zone} depends on ${those}, which could not be planned. Fix ${those} first, and plan again. Nothing is sent for ${section}.`;
  return problem("held_back", "Section depends on a failed section", detail, at);
}
