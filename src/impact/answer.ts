import type { Truth } from "../expression/evaluate/truth.js";
import type { Csp, PageLayer, Question, Where } from "./zone-layers.js";

/** Whether something happens to a load, and by which changes. */
export interface Answer {
  readonly happens: true | "unknown";
  readonly changes: readonly number[];
  /** Changes of which it cannot be told whether they have a part in what is certain. */
  readonly maybe: readonly number[];
}

/**
 * Null: it does not happen. Whether a layer stops a load is known where its expression and its value say so. What is
 * not known is one fact for all layers that ask it: a value that moves to the same unknown pages changes nothing there.
 */
export function answerTo({ by, against }: Question, refuses: (csp: Csp) => Truth): Answer | null {
  const able = by.filter(({ csp }) => refuses(csp) !== false);
  if (able.length === 0) return null;
  const standing = against.filter(({ csp }) => refuses(csp) !== false);
  const isSure = ({ applies, csp }: PageLayer) => applies === true && refuses(csp) === true;
  if (standing.some(isSure)) return null;
  const sure = able.filter(isSure);
  if (sure.length > 0 && standing.length === 0) {
    const changes = changesOf(sure);
    return { happens: true, changes, maybe: changesOf(able).filter((each) => !changes.includes(each)) };
  }
  const isForced = forcedBy(standing, refuses);
  const free = able.filter((layer) => !isForced(layer));
  return free.length === 0 ? null : { happens: "unknown", changes: changesOf(free), maybe: [] };
}

/**
 * Whether one of those that stand against it stops the load if this layer does, and nothing else that is unknown
 * turns out true. Then this layer never makes a difference.
 */
function forcedBy(
  standing: readonly PageLayer[],
  refuses: (csp: Csp) => Truth,
): (layer: PageLayer) => boolean {
  const wheres = new Set<Where>();
  const csps = new Set<Csp>();
  const both = new Map<Where, Set<Csp>>();
  for (const { applies, where, csp } of standing) {
    if (refuses(csp) === true) wheres.add(where);
    else if (applies === true) csps.add(csp);
    else both.set(where, (both.get(where) ?? new Set()).add(csp));
  }
  return ({ where, csp }) => wheres.has(where) || csps.has(csp) || both.get(where)?.has(csp) === true;
}

function changesOf(layers: readonly PageLayer[]): readonly number[] {
  const [only] = layers;
  if (only !== undefined && layers.length === 1) return only.changes;
  return [...new Set(layers.flatMap(({ changes }) => changes))];
}
