import type { LoadKind } from "../csp/directives.js";
import { compile } from "../csp/match/compile.js";
import type { LayerMove } from "../model/detection.js";
import type { Layer } from "../model/strength.js";

/** The kinds of load that moves can do something to. Null: no layer moves. */
export function movedKinds(moves: readonly LayerMove[]): ReadonlySet<LoadKind> | null {
  const moving = moves.flatMap(({ before, after }) => [...without(before, after), ...without(after, before)]);
  if (moving.length === 0) return null;
  const values = [...new Set(moving.map(({ csp }) => csp))].map(compile);
  return new Set(
    KINDS.filter((kind) =>
      values.some(
        // One that upgrades what pages ask for changes what all other values are asked.
        ({ policies, upgradesInsecure }) =>
          upgradesInsecure || policies.some(({ deciding }) => deciding[kind] !== null),
      ),
    ),
  );
}

const KINDS = ["script", "connection"] as const satisfies readonly LoadKind[];

function without(some: readonly Layer[], others: readonly Layer[]): readonly Layer[] {
  return some.filter(
    ({ mode, where, csp }) =>
      !others.some((each) => each.mode === mode && each.where === where && each.csp === csp),
  );
}
