import { type Kind, listOf } from "../kinds/kind.js";
import type { Item, Path, Triple } from "../model/item.js";
import type { JsonObject } from "../model/json.js";

/** Where an object belongs in a list whose order counts. */
export type Position =
  /** In front of an entry; null: behind all. Those in front of one entry have the order of their places. */
  | { readonly before: Path | null; readonly place: number }
  /** No order of the entries says where it stands. */
  | { readonly unsayable: string };

/**
 * Where live objects belong among the entries that stand as they should: in front of the first that stands behind them.
 *
 * @param triples of all entries with what they mean
 * @param items in the order of the service
 */
export function positionsIn(
  kind: Kind,
  triples: readonly Triple[],
  items: readonly Item[],
): (item: Item) => Position | null {
  const order = listOf(kind)?.inOrder;
  if (order === undefined) return () => null;
  const places = new Map(items.map(({ ref }, place) => [ref.id, place]));
  const placeOf = ({ ref }: Item) => places.get(ref.id) ?? items.length;
  const staying = triples.flatMap(({ want, live, replaces }) => {
    if (want === null || want.at === null || live === null || replaces !== undefined) return [];
    return live.normal[order.field] === undefined ? [{ at: want.at, place: placeOf(live) }] : [];
  });
  return (item) => {
    const liveOrder = item.normal[order.field];
    if (liveOrder !== undefined && !order.isSayable(liveOrder)) {
      const where = kind.fields[order.field]?.show?.(liveOrder as JsonObject); // it is not sensitive
      return {
        unsayable: `It stands ${where}, and no order of the entries says so. Move it at the service.`,
      };
    }
    const place = placeOf(item);
    const next = staying.filter((entry) => entry.place > place).sort((a, b) => a.place - b.place)[0];
    return { before: next?.at ?? null, place };
  };
}
