import { kinds } from "../kinds/index.js";
import type { LayerMove } from "../model/detection.js";
import { type Item, isSameNow } from "../model/item.js";
import type { Change } from "../model/plan.js";
import type { Layer, Strength } from "../model/strength.js";
import type { ZoneState } from "../model/zone-state.js";
import { unknownForLoads } from "../strength/index.js";
import { hasCall } from "./digest.js";

/** The layers of all objects of a zone, undeclared ones included, where some change moves one; else none. */
export function layerMoves(changes: readonly Change[], before: ZoneState): readonly LayerMove[] {
  const moving = onceEach(changes);
  const moved = moving.flatMap((change): readonly LayerMove[] => {
    const [former, past, next] = [
      strengthsOf(change.before, before),
      strengthsOf(change.past, before),
      strengthsOf(change.after, before),
    ];
    if (![...former, ...past, ...next].some(isLayered)) return [];
    const isUnknown = besideIn(former) !== besideIn(next) || besideIn(past) !== besideIn(next);
    const isPast = !areSame(layersIn(past), layersIn(former));
    return [
      {
        change: changes.indexOf(change.numbered),
        before: layersIn(former),
        ...(isPast ? { past: layersIn(past) } : {}),
        after: layersIn(next),
        ...(isUnknown ? { isUnknown } : {}),
      },
    ];
  });
  if (!moved.some(isMoving)) return [];
  const staying = [...before.objects.values()]
    .flatMap(({ items }) => items)
    .filter(({ ref }) => !moving.some(({ numbered }) => isSameNow(numbered.ref, ref)))
    .map((item) => layersIn(strengthsOf(item, before)));
  return [
    ...moved,
    ...staying.flatMap((layers) =>
      layers.length === 0 ? [] : [{ change: null, before: layers, after: layers }],
    ),
  ];
}

interface MovingObject extends Pick<Change, "before" | "after"> {
  readonly past: Item | null;
  /** The change by whose number it is told. */
  readonly numbered: Change;
}

/** An object that is taken over in part and changes as well moves once: from the base to the files. */
function onceEach(changes: readonly Change[]): readonly MovingObject[] {
  const takenOver = changes.filter((each) => !hasCall(each));
  const called = changes.filter(hasCall);
  return [
    ...called.map((change) => {
      const former = takenOver.find(({ ref }) => isSameNow(ref, change.ref)) ?? change;
      const { past = former.before, after } = change;
      return { numbered: change, before: former.before, past, after };
    }),
    ...takenOver
      .filter(({ ref }) => !called.some((change) => isSameNow(change.ref, ref)))
      .map((change) => ({
        numbered: change,
        before: change.before,
        past: change.before,
        after: change.after,
      })),
  ];
}

/** What an object puts on pages. */
export function layersOf(item: Item, state: ZoneState): readonly Layer[] {
  return layersIn(strengthsOf(item, state));
}

function strengthsOf(item: Item | null, { objects }: ZoneState): readonly Strength[] {
  const kind = kinds.find(({ name }) => name === item?.ref.kind);
  if (item === null || kind === undefined) return [];
  return Object.values(kind.dimensions(item.normal, objects.get(kind.name)?.context, item));
}

/** Also of an object that has no layers while it is switched off. */
function isLayered({ as }: Strength): boolean {
  return as === "layers";
}

function isMoving({ before, past = before, after, isUnknown }: LayerMove): boolean {
  return isUnknown === true || !areSame(before, after) || !areSame(past, after);
}

function areSame(some: readonly Layer[], others: readonly Layer[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}

function layersIn(strengths: readonly Strength[]): readonly Layer[] {
  return strengths.flatMap((strength) => (strength.as === "layers" ? strength.layers : []));
}

/** What else an object does whose effect on loads is unknown. */
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
