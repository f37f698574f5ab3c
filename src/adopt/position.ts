import { type Kind, listOf, POSITION } from "../kinds/kind.js";
import { isDeclarable } from "../kinds/rule-places.js";
import type { Item, Path, Triple } from "../model/item.js";
import type { JsonObject } from "../model/json.js";

/** The position of an object in a list whose order counts. */
export type Position =
  /** In front of an entry; null: at the end. Several objects in front of one entry are ordered by `place`. */
  | { readonly before: Path | null; readonly place: number }
  /** No order of the entries can express the live position. */
  | { readonly unsayable: string };

/**
 * Finds the positions of live objects among the entries: in front of the first entry whose object stands behind it.
 *
 * @param triples of all entries
 * @param items in the live order
 */
export function positionsIn(
  kind: Kind,
  triples: readonly Triple[],
  items: readonly Item[],
): (item: Item) => Position | null {
  if (listOf(kind)?.inOrder !== true) return () => null;
  const places = new Map(items.map(({ ref }, place) => [ref.id, place]));
  const placeOf = ({ ref }: Item) => places.get(ref.id) ?? items.length;
  const staying = triples.flatMap(({ want, live, replaces }) => {
    if (want === null || want.at === null || live === null || replaces !== undefined) return [];
    return live.normal[POSITION] === undefined ? [{ at: want.at, place: placeOf(live) }] : [];
  });
  return (item) => {
    const livePosition = item.normal[POSITION];
    if (livePosition !== undefined && !isDeclarable(livePosition)) {
      const where = kind.fields[POSITION]?.show?.(livePosition as JsonObject); // it is not sensitive
      return {
        unsayable: `It stands ${where}, which no order of entries can express. Move it in the dashboard.`,
      };
    }
    const place = placeOf(item);
    const next = staying.filter((entry) => entry.place > place).sort((a, b) => a.place - b.place)[0];
    return { before: next?.at ?? null, place };
  };
}
