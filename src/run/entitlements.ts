import { isOfPlan } from "../api/problems.js";
import { namesWith } from "../kinds/fields.js";
import { notIncluded, type Wanted } from "../kinds/included.js";
import type { Kind } from "../kinds/kind.js";
import { NOT_ENTITLED } from "../model/plan.js";
import { type Problem, remarked } from "../model/problem.js";
import { type Sentences, says } from "../model/sentence.js";

/**
 * Rewords a refusal because of the zone's Cloudflare plan: the plan lacks the feature, or its limit is reached. For log-push
 * the service gives the same answer in both cases, so a zone without jobs counts as lacking the feature.
 *
 * @param live the number of objects in the zone. Null: unknown
 */
export function inWordsOf(kind: Kind, reason: Problem, wanted: Wanted, live: number | null = null): Problem {
  if (!isOfPlan(reason)) return reason;
  const { quota } = reason.http;
  if (reason.code === NOT_ENTITLED || (quota === undefined && live === 0)) {
    const { why, ...missing } = notIncluded(kind, wanted);
    return remarked({ ...reason, ...missing }, { after: ` ${why}` });
  }
  return remarked(reason, { after: [" ", ...fullText(kind, quota?.allowed ?? live)] });
}

/** For a refused call. No read has shown that an optional section is missing, so each apply would send the call again. */
export function inWordsOfCall(
  kind: Kind,
  reason: Problem,
  wanted: Wanted,
  live: number | null = null,
): Problem {
  const reworded = inWordsOf(kind, reason, wanted, live);
  if (reworded.code !== NOT_ENTITLED || wanted.as !== "optional") return reworded;
  const { section } = wanted;
  const after = ` Leave ${section} out for this zone, or each apply tries again: ${section}: null in the zone removes what a template or the defaults declare.`;
  return remarked(reworded, { after });
}

/** @param allowed the limit of objects. Null: unknown, perhaps zero */
function fullText({ section, at, fields }: Kind, allowed: number | null): Sentences {
  const can = allowed === null ? "" : `The zone can have ${allowed} ${section}, undeclared ones included. `;
  const room =
    "Delete some in the same change (ensure: absent, or prune), or upgrade the zone's Cloudflare plan.";
  if (at.as !== "collection" || at.most === undefined) return [can, room];
  const limit = `service.limits.${section}${allowed === null ? "" : `: ${allowed}`}`;
  const before = ` With ${limit} in the files, the plan shows this before the apply.`;
  if (namesWith(fields, "fixed").length === 0) return [can, room, before];
  return [
    can,
    room,
    before,
    ...says` A replaced object is still live. With that limit, apply needs ${{ flag: "allow", value: "replace_with_gap" }} to delete it first.`,
  ];
}
