import { type Path, pointerOf } from "../model/item.js";
import type { JsonObject } from "../model/json.js";

import type { Problem, Span } from "../model/problem.js";
import { type Layer, pathIn } from "./layers.js";

/** Places as `file pointer`. */
export interface Places {
  /** Of which something is known. */
  readonly known: ReadonlySet<string>;
  /** Of which that can be said, or of a part. */
  readonly around: ReadonlySet<string>;
}

export function placesOf(problems: readonly Problem[]): Places {
  const spans = problems.flatMap(({ at }) => (at === null ? [] : [at]));
  const around = spans.flatMap(({ file, pointer }) => {
    const steps = pointer.split("/");
    return steps.map((_, index) => `${file} ${steps.slice(0, index + 1).join("/")}`);
  });
  return { known: new Set(spans.map(placeOf)), around: new Set(around) };
}

export function placeOf({ file, pointer }: Span): string {
  return `${file} ${pointer}`;
}

/** A merged body and what it is made of. */
interface Merged {
  readonly layers: readonly Layer[];
  readonly merged: JsonObject;
}

/** Whether something is already said about a value, or about a part of it. */
export function isKnown(body: Merged, path: Path, { around }: Places): boolean {
  return around.size > 0 && spotsOf(body, path).some((spot) => around.has(spot));
}

/** Whether something is already said about a value, or about what it is a part of. */
export function isInside(body: Merged, path: Path, { known }: Places): boolean {
  if (known.size === 0) return false;
  return path.some((_, index) => spotsOf(body, path.slice(0, index + 1)).some((spot) => known.has(spot)));
}

/** Where a path of the merged body stands in each of its layers. */
function spotsOf({ layers, merged }: Merged, path: Path): readonly string[] {
  return layers.flatMap((layer) => {
    const own = pathIn(layer, merged, path);
    return own === null ? [] : [`${layer.source.file} ${pointerOf(own)}`];
  });
}
