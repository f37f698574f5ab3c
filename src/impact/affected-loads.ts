import type { LoadKind } from "../csp/directives.js";
import { compile } from "../csp/match/compile.js";
import type { DetectedKind, Detections, LayerMove } from "../model/detection.js";
import type { Layer } from "../model/strength.js";
import { keyOf, type Page, pagesOf, requestsFor } from "./page.js";
import { appliesTo, readWhere } from "./zone-layers.js";

/** The changes that can do something to loads, each with the kinds of these. */
export function affectedKinds(moves: readonly LayerMove[]): ReadonlyMap<number, readonly DetectedKind[]> {
  return new Map(
    moves.flatMap((move): (readonly [number, readonly DetectedKind[]])[] => {
      const kinds = [...(movedKinds([move]) ?? [])].map((kind) => `${kind}s` as const);
      return move.change === null || kinds.length === 0 ? [] : [[move.change, kinds]];
    }),
  );
}

/**
 * The changes on whose pages nothing was ever seen, so that to find nothing there means nothing. Pages of which it cannot
 * be told whether something changes there tell nothing.
 */
export function changesWithoutDetections(
  moves: readonly LayerMove[],
  detections: Detections,
): ReadonlySet<number> {
  const seen = new Map<string, Page>();
  for (const detected of [...detections.scripts, ...detections.connections])
    for (const page of pagesOf(detected)) seen.set(keyOf(page), page);
  const pages = [...seen.values()];
  const isUnseen = (move: LayerMove) => !pages.some((page) => changesOn(page, move));
  return new Set(moves.flatMap((move) => (move.change !== null && isUnseen(move) ? [move.change] : [])));
}

/** Whether a page surely has other layers of the object after the change than before. */
function changesOn(page: Page, { before, after }: LayerMove): boolean {
  const [old, now] = [before, after].map((layers) => layersOn(page, layers));
  return old !== null && now !== null && old !== now;
}

/** What of the layers applies to a page, as a text to compare; null: that is not known. */
function layersOn(page: Page, layers: readonly Layer[]): string | null {
  const requests = requestsFor(page);
  const answers = layers.map(({ where }) => appliesTo(requests, readWhere(where)));
  if (answers.includes("unknown")) return null;
  const applying = layers.filter((_, index) => answers[index] === true);
  return JSON.stringify(applying.map(({ mode, csp }) => [mode, csp]));
}

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
