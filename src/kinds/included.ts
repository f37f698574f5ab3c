import { NOT_ENTITLED } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import { type Kind, sectionsOf } from "./kind.js";

/**
 * What is wrong with a zone whose plan at the service does not include a kind: nothing where the files list its section as
 * optional, or where it is only exported.
 */
export function notIncluded(
  { includedAs, section }: Kind,
  isWanted: Wanted,
): Pick<Problem, "code" | "severity" | "summary"> & { readonly why: string } {
  const what = includedAs ?? section;
  const ways: { readonly [wanted in Wanted]: string } = {
    required: `No permission is missing: the zone's plan at the service has no ${what}. Leave ${section} out for this zone, have the plan changed, or say optional: [${section}] there or in a template, so that it is only noted.`,
    optional: `The zone's plan at the service has no ${what}, and the files list ${section} as optional.`,
    exported: `The zone's plan at the service has no ${what}, and so none of it to read.`,
  };
  return {
    code: NOT_ENTITLED,
    severity: isWanted === "required" ? "error" : "note",
    summary: `The zone's plan has no ${what}`,
    why: ways[isWanted],
  };
}

/** What the files say of a section, or that there are none. */
export type Wanted = "required" | "optional" | "exported";

/** Whether a zone may do without a kind. */
export function wantedIn({ optional }: { readonly optional: readonly string[] }, kind: Kind): Wanted {
  return sectionsOf(kind).some((section) => optional.includes(section)) ? "optional" : "required";
}
