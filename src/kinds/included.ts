import type { JsonObject } from "../model/json.js";
import { NOT_ENTITLED } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import { type Kind, sectionIn, sectionsOf } from "./kind.js";

/** Whether a zone's files require a kind, or only an export reads it. */
export interface Wanted {
  /** `optional`: the files allow that the zone has no such objects. */
  readonly as: "required" | "optional" | "exported";
  readonly section: string;
}

type Verdict = Pick<Problem, "code" | "severity" | "summary">;

/**
 * The problem of a zone whose Cloudflare plan does not include a kind: an error, or a note if the section is optional or
 * only exported.
 */
export function notIncluded(kind: Kind, { as, section }: Wanted): Verdict & { readonly why: string } {
  const feature = kind.service.included.as;
  const ways: { readonly [wanted in Wanted["as"]]: string } = {
    required: `${wayOut(section)} No permission is missing: that plan has no ${feature}.`,
    optional: `The zone's Cloudflare plan has no ${feature}, and the files list ${section} as optional.`,
    exported: `The zone's Cloudflare plan has no ${feature}, so none are exported.`,
  };
  return {
    code: NOT_ENTITLED,
    severity: as === "required" ? "error" : "note",
    summary: `The zone's Cloudflare plan has no ${feature}`,
    why: ways[as],
  };
}

function wayOut(section: string): string {
  return `Remove ${section} from this zone, or add optional: [${section}] to the zone or a template, or change the zone's Cloudflare plan.`;
}

/**
 * Whether the zone's Cloudflare plan is known to exclude the kind.
 *
 * @param plan the name in the zone list; null: not read
 */
export function isLeftOutOf({ service: { included } }: Kind, plan: string | null): boolean {
  return plan !== null && PLANS.includes(plan) && included.in !== undefined && !included.in.includes(plan);
}

const PLANS: readonly string[] = ["free", "pro", "business", "enterprise"];

/**
 * The problem of a section that the service would refuse: a note if the section is optional, since its calls are not
 * sent; else a warning.
 */
export function foreseenRefusal(kind: Kind, wanted: Wanted, planName: string): Problem {
  const { why: _, ...verdict } = notIncluded(kind, wanted);
  const { section } = wanted;
  const reason = `The zone's Cloudflare plan is ${JSON.stringify(planName)}, which includes no ${kind.service.included.as}.`;
  if (wanted.as === "optional") {
    const detail = `${reason} The files list ${section} as optional, so nothing is sent. If the zone can have them, remove ${section} from optional.`;
    return { ...verdict, detail, at: null };
  }
  const detail = `${reason} Cloudflare will probably refuse these changes. ${wayOut(section)}`;
  return { ...verdict, severity: "warning", detail, at: null };
}

export function wantedIn(
  zone: { readonly optional: readonly string[]; readonly sections: JsonObject },
  kind: Kind,
): Wanted {
  const isOptional = sectionsOf(kind).some((section) => zone.optional.includes(section));
  return { as: isOptional ? "optional" : "required", section: sectionIn(kind, zone.sections) };
}
