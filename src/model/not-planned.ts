import type { SectionNotPlanned } from "./plan.js";

/** The zone's plan at the service does not include it. */
export const NOT_ENTITLED = "not_entitled";

/** The zone has as many as its plan at the service includes. */
export const QUOTA_FULL = "quota_full";

/** Whether nothing can be live in it, since the zone's plan at the service does not include it. */
export function isNotIncluded({ problems }: SectionNotPlanned): boolean {
  return problems.every(({ code }) => code === NOT_ENTITLED);
}
