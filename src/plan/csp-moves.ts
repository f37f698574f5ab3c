import { kindNamed } from "../kinds/index.js";
import type { LayerMove } from "../model/detection.js";
import { type Item, isSameWithinReading } from "../model/item.js";
import type { Change } from "../model/plan.js";
import type { Layer, Strength } from "../model/strength.js";
import { allItems, type ZoneState } from "../model/zone-state.js";
import { unknownForLoads } from "../strength/index.js";
import { hasCall } from "./digest.js";

/** The CSP layers of all objects of a zone, undeclared ones included. Empty if no change moves a layer. */
export function layerMoves(changes: readonly Change[], before: ZoneState): readonly LayerMove[] {
  const moving = movingObjects(changes);
  const moved = moving.flatMap((object): readonly LayerMove[] => {
    const [former, inBase, next] = [
      strengthsOf(object.before, before),
      strengthsOf(object.inBase, before),
      strengthsOf(object.after, before),
    ];
    if (![...former, ...inBase, ...next].some(isLayered)) return [];
    const isUnknown = besideIn(former) !== besideIn(next) || besideIn(inBase) !== besideIn(next);
    const isOther = !areSame(layersIn(inBase), layersIn(former));
    return [
      {
        change: object.change.index,
        before: layersIn(former),
        ...(isOther ? { inBase: layersIn(inBase) } : {}),
        after: layersIn(next),
        ...(isUnknown ? { isUnknown } : {}),
      },
    ];
  });
  if (!moved.some(isMoving)) return [];
  const staying = allItems(before)
    .filter(({ ref }) => !moving.some(({ change }) => isSameWithinReading(change.ref, ref)))
    .map((item) => layersIn(strengthsOf(item, before)));
  return [
    ...moved,
    ...staying.flatMap((layers) =>
      layers.length === 0 ? [] : [{ change: null, before: layers, after: layers }],
    ),
  ];
}

/** An object that changes, with or without a call. */
export interface MovingObject extends Pick<Change, "before" | "after"> {
  /** The object in the base. Without a base: `before`. */
  readonly inBase: Item | null;
  readonly change: Change;
}

/** Each object once. An object that has changes with and without a call moves from the base to the files. */
export function movingObjects(changes: readonly Change[]): readonly MovingObject[] {
  const takenOver = changes.filter((each) => !hasCall(each));
  const called = changes.filter(hasCall);
  const others = takenOver.filter(
    ({ ref }) => !called.some((change) => isSameWithinReading(change.ref, ref)),
  );
  return [...called, ...others].map((change) => {
    const { before } = takenOver.find(({ ref }) => isSameWithinReading(ref, change.ref)) ?? change;
    const { inBase = before, after } = change;
    return { change, before, inBase, after };
  });
}

function strengthsOf(item: Item | null, { objects }: ZoneState): readonly Strength[] {
  const kind = kindNamed(item?.ref.kind);
  if (item === null || kind === undefined) return [];
  return Object.values(kind.dimensions(item, objects.get(kind.name)?.context ?? null));
}

/** True even if the object is switched off, and so has no layers. */
function isLayered({ as }: Strength): boolean {
  return as === "layers";
}

function isMoving({ before, inBase = before, after, isUnknown }: LayerMove): boolean {
  return isUnknown === true || !areSame(before, after) || !areSame(inBase, after);
}

function areSame(some: readonly Layer[], others: readonly Layer[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}

function layersIn(strengths: readonly Strength[]): readonly Layer[] {
  return strengths.flatMap((strength) => (strength.as === "layers" ? strength.layers : []));
}

/** Properties of an object with an unknown effect on loads, as a text to compare. */
function besideIn(strengths: readonly Strength[]): string {
  const all = strengths.flatMap((strength) =>
    strength.as === "layers"
      ? [
          ...(strength.beside === undefined ? [] : [strength.beside.is]),
          ...strength.layers.flatMap((layer) =>
            layer.mode === "enforce" ? (unknownForLoads(layer) ?? []) : [],
          ),
        ]
      : [],
  );
  return JSON.stringify(all);
}
