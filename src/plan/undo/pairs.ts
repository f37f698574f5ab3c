import type { Item } from "../../model/item.js";
import { differsFromFormer } from "./deleted.js";
import type { Past } from "./past.js";
import type { Undoing } from "./undoing.js";

/** What an apply did to objects, each with the live ones that they may be now. */
export interface Pairs {
  readonly updated: readonly Paired[];
  readonly created: readonly Paired[];
  readonly deleted: readonly Paired[];
}

export interface Paired {
  readonly past: Past;
  readonly items: readonly Item[];
}

/**
 * By the id where it is known; else by the name, and no live object is two. Where an object was deleted and another
 * one of its name created, what is like the deleted one is that one again.
 */
export function pairPast(undoing: Undoing, past: readonly Past[]): Pairs {
  const free = new Set(undoing.live.items);
  const take = (each: Past, isIt: (item: Item) => boolean, atMost: number): Paired => {
    const items = [...free].filter(isIt).slice(0, atMost);
    for (const item of items) free.delete(item);
    return { past: each, items };
  };
  const done = (action: Past["change"]["action"]) => past.filter(({ change }) => change.action === action);
  const named = ({ change, others }: Past) => {
    const isNamed = nameTest(undoing, change.key);
    return (item: Item) => isNamed(item) && !others.has(item.ref.id ?? "");
  };
  const updated = done("update").map((each) => take(each, changedTest(undoing, each), 1));
  const known = done("create").filter(({ madeId }) => madeId !== null);
  const createdKnown = known.map((each) => take(each, ({ ref }) => ref.id === each.madeId, 1));
  const back = done("delete").map((each) => {
    const isFormer = (item: Item) =>
      item.ref.id === each.change.id || differsFromFormer(undoing, each, item).length === 0;
    return take(each, (item) => named(each)(item) && isFormer(item), 1);
  });
  const unknown = done("create").filter(({ madeId }) => madeId === null);
  const createdUnknown = unknown.map((each) => take(each, named(each), free.size));
  return {
    updated,
    created: [...createdKnown, ...createdUnknown],
    deleted: back.map((each) => (each.items.length > 0 ? each : take(each.past, named(each.past), 1))),
  };
}

function nameTest({ kind }: Undoing, key: string): (item: Item) => boolean {
  return ({ ref }) => kind.shape.as === "one" || ref.key === key;
}

/** The only object of a kind is the one, whatever its id is now. */
function changedTest({ kind, live: { items } }: Undoing, { change }: Past): (item: Item) => boolean {
  const isOnly = kind.shape.as === "one" && items.length === 1;
  return ({ ref }) => isOnly || ref.id === change.id;
}
