import { includes } from "../csp/inclusion/includes.js";
import { inForce, isDropped, parsedCsp, rewritten } from "../csp/syntax.js";
import type { LayerMove } from "../model/detection.js";
import { lazily } from "../model/remembered.js";
import type { Layer } from "../model/strength.js";
import type { Move } from "./move.js";
import { NOTHING } from "./scope-words.js";
import { wayOf } from "./scopes.js";

/**
 * Compares where insecure loads are upgraded. An upgraded load passes other policies that allow https: only. Without
 * the upgrade, those policies refuse it. Null: the layer does not exist.
 */
export function compareUpgrades(before: Layer | null, after: Layer | null): Move | null {
  switch (wayOf(upgradedPages(before), upgradedPages(after))) {
    case null:
      return null;
    case "stronger":
      return { way: "mixed", why: `${UPGRADE} ${ADDED}` };
    case "weaker":
      return { way: "mixed", why: `${UPGRADE} ${REMOVED}` };
    case "mixed":
      return {
        way: "mixed",
        why: `${UPGRADE} on other pages: insecure loads are upgraded there, and no longer elsewhere`,
      };
    case "unknown":
      return { way: "unknown", why: "unknown whether insecure loads are upgraded on fewer pages" };
  }
}

/** The same for blocking: a load that is no longer upgraded may become blocked. */
export function compareBlockingUpgrades(before: Layer | null, after: Layer | null): Move | null {
  const move = wayOf(upgradedPages(before), upgradedPages(after));
  if (move === null || move === "stronger") return null;
  return { way: move === "unknown" ? "unknown" : "stronger", why: `${UPGRADE} ${REMOVED}` };
}

const ADDED = "added: insecure loads are upgraded, and pass policies that allow only https:";
const REMOVED = "removed: insecure loads are no longer upgraded, and fail policies that allow only https:";

/**
 * Changes that upgrade insecure loads on more pages while a blocking policy of another object may refuse the upgraded
 * loads: a policy that allows a host at a custom port over http: only.
 */
export function blockingUpgrades(moves: readonly LayerMove[]): readonly number[] {
  const upgrading = moves.filter(({ before, after }) => after.some((layer) => isUpgradeNew(layer, before)));
  const refusing = lazily(() => moves.filter(({ after }) => after.some(refusesMoreUpgraded)));
  return upgrading.flatMap(({ change }) =>
    change !== null && refusing().some((other) => other.change !== change) ? [change] : [],
  );
}

function isUpgradeNew(layer: Layer, before: readonly Layer[]): boolean {
  const pages = upgradedPages(layer);
  return (
    pages !== NOTHING && !before.some((each) => [null, "weaker"].includes(wayOf(upgradedPages(each), pages)))
  );
}

function refusesMoreUpgraded({ mode, csp }: Layer): boolean {
  return mode === "enforce" && includes(`${csp}; ${UPGRADE}`, csp) !== true;
}

/** Browsers ignore the directive in a reporting policy. */
function upgradedPages(layer: Layer | null): string {
  return layer !== null && layer.mode === "enforce" && upgrades(layer.csp) ? layer.where : NOTHING;
}

/**
 * Two CSPs, to be compared by their sources. An upgrade on one side only is removed here, because it is compared
 * separately.
 */
export function withoutUpgrades(before: Layer, after: Layer): readonly [before: string, after: string] {
  const isShared = [before, after].every(({ mode, csp }) => mode === "enforce" && upgrades(csp));
  return isShared ? [before.csp, after.csp] : [withoutUpgrade(before.csp), withoutUpgrade(after.csp)];
}

/** The CSP of a layer without the parts that browsers ignore in its mode. */
export function obeyedCsp({ mode, csp }: Layer): string {
  return mode === "report" ? withoutUpgrade(csp) : csp;
}

const UPGRADE = "upgrade-insecure-requests";

function upgrades(csp: string): boolean {
  return parsedCsp(csp).policies.some((policy) => {
    const directive = inForce(policy).get(UPGRADE);
    return directive !== undefined && !isDropped(directive);
  });
}

export function withoutUpgrade(csp: string): string {
  if (!csp.toLowerCase().includes(UPGRADE)) return csp;
  return rewritten(csp, (directive) => (directive.name === UPGRADE ? [] : [directive]));
}
