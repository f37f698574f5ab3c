import type { PlanDocument } from "../plan/generated/plan-document.js";
import { palette } from "./palette.js";
import { count } from "./plain.js";
import { undeclaredText } from "./undeclared.js";
import type { PlanView } from "./view.js";

/** What is said of a zone that failed. */
export const FAILED: { readonly [about in PlanView["about"]]: string } = {
  plan: "could not be planned",
  drift: "could not be looked at",
};

/** `1 of 2 zones could not be planned`; null: each could. */
export function failedText({ zones }: PlanDocument, about: PlanView["about"]): string | null {
  const failed = zones.filter(({ status }) => status === "failed").length;
  if (failed === 0) return null;
  const ofAll = failed === zones.length ? "" : `of ${zones.length} `;
  return `${failed} ${ofAll}${ofAll === "" && failed === 1 ? "zone" : "zones"} ${FAILED[about]}`;
}

/** What it comes to where nothing changes: no all-clear for zones that nobody could look at. */
export function nothingText(plan: PlanDocument, about: PlanView["about"]): string {
  const failed = failedText(plan, about);
  const undeclared = undeclaredText(plan, palette(false));
  const strange = undeclared === null ? "" : `; ${undeclared}`;
  const nothing = undeclared === null ? NOTHING[about] : NOTHING_DECLARED[about];
  if (failed === null) return `${nothing}${strange}`;
  const others = plan.zones.filter(({ status }) => status === "planned").length;
  if (others === 0) return failed;
  const there = about === "plan" ? "nothing changes" : nothing;
  return `${failed}; ${there} in the other${others === 1 ? "" : ` ${count(others, "zone")}`}${strange}`;
}

const NOTHING = { plan: "no changes", drift: "nothing changed outside the files" } as const;

/** Where something is there that nobody declares, it came from outside. */
export const NOTHING_DECLARED = {
  plan: NOTHING.plan,
  drift: "nothing that is declared changed outside the files",
} as const;
