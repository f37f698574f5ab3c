import { includes } from "../csp/inclusion/includes.js";
import { coverage } from "../expression/coverage/coverage.js";
import type { LayerMove } from "../model/detection.js";
import type { Layer } from "../model/strength.js";
import { restricts } from "./compare-csp-layers.js";
import { NOTHING } from "./scope-words.js";
import { blockingUpgrades, withoutUpgrade } from "./upgrades.js";

/** The moves of a zone. Each says whether its change starts to block. */
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
  const [old, next] = [enforced(before), enforced(after)];
  if (old.some((layer) => surelyBlocks(layer, next))) return false;
  return isUnknown === true || upgradesOthers || next.some((layer) => old.length === 0 || restricts(layer));
}

/** Unchanged pages and values need no answer: they block before and after, or neither. */
function surelyBlocks(layer: Layer, next: readonly Layer[]): boolean {
  const isSomewhere =
    next.some(({ where }) => where === layer.where) || coverage(layer.where, NOTHING) === "superset";
  const isRefusing =
    next.some(({ csp }) => csp === layer.csp) || includes(withoutUpgrade(layer.csp), "") === false;
  return restricts(layer) && isSomewhere && isRefusing;
}

function enforced(layers: readonly Layer[]): readonly Layer[] {
  return layers.filter(({ mode }) => mode === "enforce");
}
