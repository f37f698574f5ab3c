import { isSameName } from "../model/item.js";
import { unreadSince, type ZonePlan } from "../model/plan.js";
import { type Problem, problem } from "../model/problem.js";
import { difference, movedSections } from "./compare-plans.js";
import { partOf, partsOf, type ZonePart } from "./digest.js";
import type { PlanDocument } from "./generated/plan-document.js";
import { isRestOf, notAlone } from "./partly-applied.js";
import { nameOf } from "./value-words.js";

/**
 * Why a saved plan must not be applied to a zone that was planned again.
 *
 * @param base the base of the new plans
 * @returns empty: it can be applied
 */
export function whyStale(
  saved: PlanDocument,
  base: string | undefined,
): (fresh: ZonePlan) => readonly Problem[] {
  const parts = partsOf(saved);
  const rebased = otherBase(saved.base, base);
  return (fresh) => {
    const part = parts.get(fresh.zone);
    const stale =
      notComparedThen(saved, fresh) ?? staleSince(part, fresh.whole ?? fresh, rebased) ?? notAlone(fresh);
    if (stale === null) return [];
    const unread = stale.code === "stale_sections" ? unreadSince(part?.notPlanned ?? [], fresh) : [];
    return unread.length > 0 ? unread : [stale];
  };
}

function staleSince(before: ZonePart | undefined, fresh: ZonePlan, rebased: Problem | null): Problem | null {
  const now = partOf(fresh);
  const sections = before === undefined ? null : movedSections(before, now);
  const hasCalls = before !== undefined && before.calls.length > 0;
  if (sections !== null && (fresh.steps.length > 0 || hasCalls)) return sections;
  // Nothing is left to do: the plan was applied before, or the same changes were made otherwise.
  if (fresh.steps.length === 0 && (rebased === null || !hasCalls)) return null;
  if (rebased !== null) return rebased;
  if (before !== undefined) return isRestOf(before, now, fresh) ? null : difference(before, now);
  const detail = `The saved plan does not have ${fresh.zone}, which needs changes now. Nothing is written to this zone. Plan again.`;
  return problem("stale_files", "Files changed since the plan", detail);
}

/** Refuses changes that the saved plan could not show, since it was made without a secret. */
function notComparedThen({ inputs: { not_compared = [] } }: PlanDocument, fresh: ZonePlan): Problem | null {
  const seen = not_compared.filter(({ zone, taken }) => zone === fresh.zone && taken !== "changed");
  const isStillUnset = (each: (typeof seen)[number]) =>
    fresh.secrets.unset.some(({ ref, field }) => isSameName(ref, each) && field === each.path);
  const compared = seen.filter((each) => !isStillUnset(each));
  const unseenChanges = compared.filter((each) =>
    fresh.changes.some(
      ({ ref, fields }) => isSameName(ref, each) && fields.some(({ path }) => path === each.path),
    ),
  );
  if (unseenChanges.length === 0) return null;
  const names = [...new Set(unseenChanges.flatMap(({ secrets }) => secrets))].join(" and ");
  const fields = unseenChanges.map((each) => `${each.path} of ${nameOf(each)}`).join(", ");
  const detail = `The saved plan was made without ${names}, so ${fields} was not compared with the live state. It differs and would change, which no review has seen. Plan again with the secret set, and have that plan approved. Nothing is written to ${fresh.zone}.`;
  return problem("stale_plan", "Plan was made without a secret", detail);
}

/** Deletions and origins depend on the base. */
function otherBase(before: string | undefined, now: string | undefined): Problem | null {
  if (before === now) return null;
  const [was, is] = [before, now].map((base) => base ?? "no readable base");
  const detail = `The plan was made with ${was}, and this run has ${is}. Nothing is written. Plan again with the intended base.`;
  return problem("stale_base", "Base changed since the plan", detail);
}
