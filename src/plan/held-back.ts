import { isNotIncluded, type SectionNotPlanned } from "../model/plan.js";
import { type Problem, problem, type Span } from "../model/problem.js";

interface Dependent {
  readonly section: string;
  /** Other sections. None if nothing changes in this section. */
  dependsOn(): readonly string[];
  /** The section's place in the files. */
  at(): Span | null;
}

interface HeldBack extends SectionNotPlanned {
  /** The sections that are not planned, and on which this section depends. */
  readonly waitsFor: readonly string[];
}

/**
 * Sections that depend, directly or not, on sections that are not planned: the order of their calls is unknown. A section that
 * the zone's Cloudflare plan does not include is known to be empty, so it holds nothing back.
 */
export function heldBack(
  zone: string,
  planned: readonly Dependent[],
  notPlanned: readonly SectionNotPlanned[],
): readonly HeldBack[] {
  const missing = new Set(notPlanned.filter((each) => !isNotIncluded(each)).map(({ section }) => section));
  const waiting = new Map(planned.map((each) => [each.section, each]));
  const held: HeldBack[] = [];
  for (let again = true; again; ) {
    again = false;
    for (const [section, each] of waiting) {
      const waitsFor = each.dependsOn().filter((other) => missing.has(other));
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
  const missing = wanted.join(" and ");
  const detail = `${section} of ${zone} depends on ${missing}, which could not be planned. Fix ${missing} first, and plan again. Nothing is sent for ${section}.`;
  return problem("held_back", "Section depends on a failed section", detail, at);
}
