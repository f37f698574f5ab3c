import { toBytes } from "../bytes.js";
import type { Index } from "../tree.js";
import { isItems, isMap, type Seen } from "./value.js";

/** What a left side gives: a value, or with `[*]` the values of each element. */
export type Reading =
  | { readonly as: "one"; readonly seen: Seen }
  | { readonly as: "each"; readonly seen: readonly Seen[] };

/** Follows `[*]`, `["key"]` and `[0]` from a value. After a `[*]`, elements that lack the rest of the path drop out. */
export function walk(from: Seen, indexes: readonly Index[]): Reading {
  const last = indexes.findLastIndex(({ as }) => as === "each");
  const inEach = indexes.slice(0, last + 1);
  let items: readonly Seen[] = [from];
  for (const index of inEach) {
    const next = items.flatMap((each) => step(each, index));
    if (index.as === "each" && items.includes(undefined)) return { as: "one", seen: undefined };
    items = next.filter((each) => each !== null);
  }
  for (const index of indexes.slice(last + 1)) items = items.flatMap((each) => step(each, index));
  if (last === -1) return { as: "one", seen: items[0] };
  return { as: "each", seen: items.filter((each) => each !== null) };
}

function step(from: Seen, index: Index): readonly Seen[] {
  if (from === undefined) return [undefined];
  if (index.as === "each") return from === null ? [] : elements(from);
  return [from === null ? null : at(from, index)];
}

function elements(from: Seen): readonly Seen[] {
  if (isMap(from)) return [...from.values()];
  return isItems(from) ? from : [undefined];
}

function at(from: Seen, index: Exclude<Index, { as: "each" }>): Seen {
  if (index.as === "key")
    return isMap(from) ? found(from.has(toBytes(index.key)), from.get(toBytes(index.key))) : undefined;
  return isItems(from) ? found(index.at < from.length, from[index.at]) : undefined;
}

function found(there: boolean, seen: Seen): Seen {
  return there ? seen : null;
}
