import { asText, isObject, type Json, textsIn } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions } from "../../model/strength.js";
import { skipsOf } from "./skip.js";

/**
 * What an exception takes from protection. One that stands behind a ruleset that it is about takes nothing from that;
 * one that is switched off takes nothing.
 */
export function strengthOf({ enabled, expression, skip, position }: SealedObject): Dimensions {
  if (enabled === false) return {};
  if (enabled !== true || skip === undefined) {
    const is = JSON.stringify([enabled ?? null, expression ?? null, skip ?? null]);
    return { skipped: { as: "unknown", is, why: "whether it is switched on is not known" } };
  }
  const behind = isObject(position) ? textsIn(position.behind as Json) : [];
  return { skipped: skipsOf(skip, asText(expression ?? ""), behind) };
}
