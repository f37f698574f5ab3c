import { includes } from "../csp/inclusion/includes.js";
import { type Csp, inForce, isDropped, parsedCsp, render } from "../csp/syntax.js";

import type { LayerMove } from "../model/detection.js";
import { lazily } from "../model/remembered.js";
import type { Layer } from "../model/strength.js";
import type { Move } from "./move.js";
import { NOTHING } from "./scope-words.js";
import { wayOf } from "./scopes.js";

/**
 * Where insecure loads are upgraded. One that is goes another way, so that the page's other policies, which may allow
 * https: alone, refuse it no more; and one that is not any longer is refused by them. Null: a layer that is not there.
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
      return { way: "unknown", why: `whether insecure loads are upgraded on fewer pages cannot be decided` };
  }
}

/** The same, as far as something is blocked by it that was not: what is no longer upgraded. */
export function compareBlockingUpgrades(before: Layer | null, after: Layer | null): Move | null {
  const move = wayOf(upgradedPages(before), upgradedPages(after));
  if (move === null || move === "stronger") return null;
  return { way: move === "unknown" ? "unknown" : "stronger", why: `${UPGRADE} ${REMOVED}` };
}

const ADDED = "added: insecure loads are upgraded, and pass where secure ones alone are allowed";
const REMOVED =
  "removed: insecure loads are no longer upgraded, and are refused where secure ones alone are allowed";

/**
 * Changes by which insecure loads are upgraded on more pages, where a policy that blocks, of another object, may refuse
 * more of them so: one that allows a host at a port of its own over http: alone.
 */
export function blockingUpgrades(moves: readonly LayerMove[]): readonly number[] {
  const coming = moves.filter(({ before, after }) => after.some((layer) => isUpgradeNew(layer, before)));
  const refusing = lazily(() => moves.filter(({ after }) => after.some(refusesMoreUpgraded)));
  return coming.flatMap(({ change }) =>
    change !== null && refusing().some((other) => other.change !== change) ? [change] : [],
  );
}

function isUpgradeNew(layer: Layer, before: readonly Layer[]): boolean {
  const now = upgradedPages(layer);
  return (
    now !== NOTHING && !before.some((each) => [null, "weaker"].includes(wayOf(upgradedPages(each), now)))
  );
}

function refusesMoreUpgraded({ mode, csp }: Layer): boolean {
  return mode === "enforce" && includes(`${csp}; ${UPGRADE}`, csp) !== true;
}

/** Browsers ignore the directive in what only reports. */
function upgradedPages(layer: Layer | null): string {
  return layer !== null && layer.mode === "enforce" && upgrades(layer.csp) ? layer.where : NOTHING;
}

/**
 * Two CSPs to be compared by what they allow. An upgrade that only one has makes loads pass, or not, that go another
 * way than before: that is compared by itself.
 */
export function withoutUpgrades(before: Layer, after: Layer): readonly [before: string, after: string] {
  const [did, does] = [before, after].map(({ mode, csp }) => mode === "enforce" && upgrades(csp));
  return did && does ? [before.csp, after.csp] : [withoutUpgrade(before.csp), withoutUpgrade(after.csp)];
}

/** The CSP of a layer as far as browsers obey it. */
export function obeyed({ mode, csp }: Layer): string {
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
  const policies = parsedCsp(csp).policies.map(({ directives }) => ({
    directives: directives.filter(({ name }) => name !== UPGRADE),
  }));
  return render({ policies } satisfies Csp);
}
