import type { PendingChange } from "../kinds/kind.js";
import type { LayerMove } from "../model/detection.js";
import type { Item, Triple } from "../model/item.js";
import type { Layer, Strength } from "../model/strength.js";
import type { MatchedKind } from "./build.js";

interface DraftedKind extends MatchedKind {
  readonly drafted: readonly PendingChange[];
}

/** The layers of all objects of a zone, those of others included, where some change moves one; else none. */
export function layerMoves(all: readonly DraftedKind[]): readonly LayerMove[] {
  const changing = all.flatMap(({ state, drafted }) =>
    drafted
      .filter(({ triple }) => isLayered(triple, state))
      .map(({ at, triple }) => ({
        change: at,
        before: layersOf(triple.live, state),
        after: layersOf(triple.want, state),
        ...(besideOf(triple.live, state) === besideOf(triple.want, state)
          ? {}
          : { isUnknown: true as const }),
      })),
  );
  if (!changing.some(isMoving)) return [];
  const staying = all.flatMap(({ state, matched: { triples, unmanaged }, drafted }) => {
    const moving = new Set(drafted.map(({ triple }) => triple));
    const kept = triples.filter((triple) => !moving.has(triple)).map(({ live }) => live);
    return [...kept, ...unmanaged].map((item) => layersOf(item, state));
  });
  return [...changing, ...staying.map((layers) => ({ change: null, before: layers, after: layers }))].filter(
    ({ change, before }) => change !== null || before.length > 0,
  );
}

function isMoving({ before, after, isUnknown }: LayerMove): boolean {
  return isUnknown === true || JSON.stringify(before) !== JSON.stringify(after);
}

/** Whether it can have layers, be it that it has none while it is switched off. */
function isLayered({ live, want }: Triple, state: MatchedKind["state"]): boolean {
  return [live, want].some((item) => strengthsOf(item, state).some(({ as }) => as === "layers"));
}

function layersOf(item: Item | null, state: MatchedKind["state"]): readonly Layer[] {
  return strengthsOf(item, state).flatMap((strength) => (strength.as === "layers" ? strength.layers : []));
}

/** What else it does, of which nobody knows whether it blocks loads. */
function besideOf(item: Item | null, state: MatchedKind["state"]): string {
  const all = strengthsOf(item, state).flatMap((strength) =>
    strength.as === "layers" ? (strength.beside?.is ?? []) : [],
  );
  return JSON.stringify(all);
}

function strengthsOf(
  item: Item | null,
  { kind, live: { around } }: MatchedKind["state"],
): readonly Strength[] {
  return item === null ? [] : Object.values(kind.dimensions(item.normal, around));
}
