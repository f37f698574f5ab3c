import { canonicalSources } from "../csp/canonical.js";
import { inForce, isDropped, parse } from "../csp/syntax.js";

import { rememberedText } from "../model/remembered.js";
import type { Layer } from "../model/strength.js";
import type { Move, Way } from "./ways.js";

/**
 * What a change does to X-Frame-Options, which browsers pass over on pages with an enforced frame-ancestors (HTML: "the
 * X-Frame-Options header" is not checked where the CSP list has one). What a site's own header says is not known here, so
 * where it stops or starts to count, it may have been the stricter of the two. Nobody is stricter than `'none'`.
 *
 * @param pages whether the layer is on more pages or fewer; null: on the same ones
 */
export function compareFraming(before: Layer | null, after: Layer | null, pages: Way | null): Move | null {
  const [did, does] = [framing(before), framing(after)];
  const isMore = did === "by header" || (pages !== null && pages !== "weaker");
  if (does === "by some" && isMore) return { way: "unknown", why: PASSED_OVER };
  const isLess = does === "by header" || (pages !== null && pages !== "stronger");
  return did === "by some" && isLess ? { way: "unknown", why: COUNTS_AGAIN } : null;
}

const PASSED_OVER = "an enforced frame-ancestors switches X-Frame-Options off, which may have been stricter";
const COUNTS_AGAIN =
  "without an enforced frame-ancestors X-Frame-Options counts again, of which nothing is known";

/** Who may frame a page: whom X-Frame-Options allows, nobody, or some. */
type Framing = "by header" | "by nobody" | "by some";

function framing(layer: Layer | null): Framing {
  return layer === null || layer.mode === "report" ? "by header" : framingOf(layer.csp);
}

const framingOf = rememberedText((csp): Framing => {
  const lists = parse(csp).policies.flatMap((policy) => inForce(policy).get("frame-ancestors") ?? []);
  const obeyed = lists.filter((directive) => !isDropped(directive));
  if (obeyed.length === 0) return "by header";
  const isOfNobody = obeyed.some((directive) => canonicalSources(directive).length === 0);
  return isOfNobody ? "by nobody" : "by some";
});
