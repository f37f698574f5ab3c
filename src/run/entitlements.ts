import { isOfPlan } from "../api/problems.js";
import { namesWith } from "../kinds/fields.js";
import { notIncluded, type Wanted } from "../kinds/included.js";
import type { Kind } from "../kinds/kind.js";
import { NOT_ENTITLED } from "../model/plan.js";
import { type Problem, remarked } from "../model/problem.js";
import { type Sentences, says } from "../model/sentence.js";

/**
 * What the service refuses because of the zone's plan there, in the words of the kind: that the plan has none of it, or how
 * many there can be. For log-push the service says the same of both; where the zone has none, it may have none.
 *
 * @param live how many the zone has; null: that is not known
 */
export function inWordsOf(kind: Kind, reason: Problem, wanted: Wanted, live: number | null = null): Problem {
  if (!isOfPlan(reason)) return reason;
  const { quota } = reason.http;
  if (reason.code === NOT_ENTITLED || (quota === undefined && live === 0)) {
    const { why, ...said } = notIncluded(kind, wanted);
    return remarked({ ...reason, ...said }, { after: why });
  }
  return remarked(reason, { after: fullText(kind, quota?.allowed ?? live) });
}

/**
 * The same of a call: of what is optional nothing that could be read has said so, and it is sent again with the next apply.
 */
export function inWordsOfCall(
  kind: Kind,
  reason: Problem,
  wanted: Wanted,
  live: number | null = null,
): Problem {
  const said = inWordsOf(kind, reason, wanted, live);
  if (said.code !== NOT_ENTITLED || wanted.as !== "optional") return said;
  const { section } = wanted;
  const after = ` Leave ${section} out for this zone, or each apply tries again: ${section}: null in the zone removes what a template or the defaults declare.`;
  return remarked(said, { after });
}

/** @param allowed how many there can be; null: nobody says, and it may be none */
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
