import type { JsonObject } from "../model/json.js";
import { NOT_ENTITLED } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import { type Kind, sectionIn, sectionsOf } from "./kind.js";

/** Whether a zone's files require a kind, or only an export reads it. */
export interface Wanted {
  /** `optional`: the zone may do without. */
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
    required: `The zone's Cloudflare plan has no ${feature}. Leave ${section} out for this zone, upgrade the Cloudflare plan, or write optional: [${section}] in the zone or a template. No permission is missing.`,
    optional: `The zone's Cloudflare plan has no ${feature}, and the files list ${section} as optional.`,
    exported: `The zone's Cloudflare plan has no ${feature}.`,
  };
  return {
    code: NOT_ENTITLED,
    severity: as === "required" ? "error" : "note",
    summary: `Cloudflare plan has no ${feature}`,
    why: ways[as],
  };
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
  const reason = `The zone's Cloudflare plan, ${JSON.stringify(planName)}, includes no ${kind.service.included.as}, and none are live.`;
  if (wanted.as === "optional") {
    const detail = `${reason} The files list ${section} as optional, so it is not sent. If the zone can have it, remove ${section} from optional.`;
    return { ...verdict, detail, at: null };
  }
  const detail = `${reason} The service will probably refuse it. Leave ${section} out for this zone, upgrade the Cloudflare plan, or write optional: [${section}] in the zone or a template.`;
  return { ...verdict, severity: "warning", detail, at: null };
}

export function wantedIn(
  zone: { readonly optional: readonly string[]; readonly sections: JsonObject },
  kind: Kind,
): Wanted {
  const isOptional = sectionsOf(kind).some((section) => zone.optional.includes(section));
  return { as: isOptional ? "optional" : "required", section: sectionIn(kind, zone.sections) };
}
