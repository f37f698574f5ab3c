import { includes } from "../csp/inclusion/includes.js";
import { coverage } from "../expression/coverage/coverage.js";
import type { LayerMove } from "../model/detection.js";
import type { Layer } from "../model/strength.js";
import { restricts } from "./compare-layers.js";
import { NOTHING } from "./scope-words.js";
import { blockingUpgrades, withoutUpgrade } from "./upgrades.js";

/** The moves of a zone, with what each change starts to block. */
export function withBlocking(moves: readonly LayerMove[]): readonly LayerMove[] {
  const upgrading = new Set(blockingUpgrades(moves));
  return moves.map((move) => {
    if (move.change === null) return move;
    const upgradesOthers = upgrading.has(move.change);
    return { ...move, upgradesOthers, startsToBlock: startsToBlock(move, upgradesOthers) };
  });
}

/** An unknown effect may block. An object that may have blocked nothing before may start to block. */
function startsToBlock({ before, after, isUnknown }: LayerMove, upgradesOthers: boolean): boolean {
  const [did, does] = [enforced(before), enforced(after)];
  if (did.some((layer) => surelyBlocked(layer, does))) return false;
  return isUnknown === true || upgradesOthers || does.some((layer) => did.length === 0 || restricts(layer));
}

/** Pages and values that stay as they are need no answer: they block before and after, or neither. */
function surelyBlocked(layer: Layer, does: readonly Layer[]): boolean {
  const isSomewhere =
    does.some(({ where }) => where === layer.where) || coverage(layer.where, NOTHING) === "superset";
  const isRefusing =
    does.some(({ csp }) => csp === layer.csp) || includes(withoutUpgrade(layer.csp), "") === false;
  return restricts(layer) && isSomewhere && isRefusing;
}

function enforced(layers: readonly Layer[]): readonly Layer[] {
  return layers.filter(({ mode }) => mode === "enforce");
}
