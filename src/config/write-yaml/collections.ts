import { isObject, type Json, type JsonObject } from "../../model/json.js";
import {
  behindColon,
  dashOf,
  endOf,
  endOfPair,
  flowRemoval,
  indentAt,
  insertedAfter,
  insertedAt,
  type ListNode,
  lastLeft,
  linesOf,
  type MapNode,
  type Page,
  type Splice,
  startOf,
} from "./layout.js";
import { keyText, valueText } from "./value-text.js";

/** A new value for a list, or one of its items that moves, by index. */
export interface Insertion {
  readonly content: { readonly value: Json } | { readonly item: number };
  /** The index of the staying item behind it. Null: the end of the list. */
  readonly before: number | null;
}

export function atEnd(value: Json): Insertion {
  return { content: { value }, before: null };
}

/**
 * Removes and inserts items of a list, and leaves the others untouched. Null: the layout does not allow it.
 *
 * @param after where the key of the list ends
 * @param insertions in the order of the list
 */
export function editList(
  page: Page,
  list: ListNode,
  after: number,
  removed: readonly number[],
  insertions: readonly Insertion[],
): readonly Splice[] | null {
  if (list.flow === true) return editFlowList(page, list, removed, insertions);
  const linesOfItem = (index: number) => {
    const item = list.items[index];
    const before = list.items[index - 1];
    if (item === undefined) return null;
    return linesOf(page, dashOf(page, item), endOf(item), before === undefined ? after : endOf(before));
  };
  const removals = removed.map(linesOfItem);
  const [first] = list.items;
  if (first === undefined || removals.some((removal) => removal === null)) return null;
  const indent = indentAt(page, dashOf(page, first));
  const inserts = insertions.map(({ content: what, before }): Splice | null => {
    const at = before === null ? null : linesOfItem(before)?.start;
    if (at === undefined) return null;
    const added = "item" in what ? [] : itemLines(what.value, indent);
    const place = at === null ? insertedAfter(page, list, added) : insertedAt(page, list, at, added);
    if (!("item" in what)) return place;
    const lines = linesOfItem(what.item);
    const item = list.items[what.item];
    // Without a line end behind it, the next item would land on the same line.
    if (lines === null || item === undefined || page.text[lines.end - 1] !== "\n") return null;
    return { ...place, carries: { ...lines, value: startOf(item), cut: lines } };
  });
  if (inserts.some((insert) => insert === null)) return null;
  const isEmpty = removed.length === list.items.length && insertions.length === 0;
  return [
    ...(isEmpty ? [behindColon(page, after, " []")] : []),
    ...removals.flatMap((removal) => removal ?? []),
    ...inserts.flatMap((insert) => insert ?? []),
  ];
}

function editFlowList(
  page: Page,
  list: ListNode,
  removed: readonly number[],
  insertions: readonly Insertion[],
): readonly Splice[] | null {
  const parts = list.items.map((item) => ({ start: startOf(item), end: endOf(item) }));
  const moved = insertions.flatMap(({ content: what }) => ("item" in what ? [what.item] : []));
  // A comment between brackets cannot be matched to an item.
  if (moved.length > 0 && page.text.slice(startOf(list), endOf(list)).includes("#")) return null;
  const last = lastLeft(parts, [...removed, ...moved]);
  if (last === null) {
    const values = insertions.flatMap(({ content: what }) => ("value" in what ? [what.value] : []));
    if (moved.length > 0) return null;
    return [{ start: startOf(list), end: endOf(list), text: valueText(values, "flow") }];
  }
  const cuts = new Map(
    [...removed, ...moved].map((index) => [index, flowRemoval(page, parts, index, [...removed, ...moved])]),
  );
  const inserts = insertions.flatMap(({ content: what, before }): readonly Splice[] => {
    const next = before === null ? undefined : parts[before];
    const at = next?.start ?? last.end;
    const splice = (text: string, more: object = {}): Splice => ({
      start: at,
      end: at,
      text,
      of: startOf(list),
      ...more,
    });
    const [lead, trail] = next === undefined ? [", ", ""] : ["", ", "];
    if ("value" in what) return [splice(lead + valueText(what.value, "flow") + trail)];
    const [part, cut] = [parts[what.item], cuts.get(what.item)];
    if (part === undefined || cut == null) return [];
    return [splice(lead, { carries: { ...part, value: part.start, cut } }), splice(trail)];
  });
  return [...removed.flatMap((index) => cuts.get(index) ?? []), ...inserts];
}

/** The lines of an item of a block list. A map takes several lines. */
function itemLines(item: Json, indent: string): readonly string[] {
  if (!isObject(item) || Object.keys(item).length === 0) return [`${indent}- ${valueText(item, "block")}`];
  return pairLines(item, `${indent}  `).map((line, index) =>
    index === 0 ? `${indent}- ${line.slice(indent.length + 2)}` : line,
  );
}

function pairLines(map: JsonObject, indent: string): readonly string[] {
  return Object.entries(map).map(
    ([key, value]) => `${indent}${keyText(key, "block")}: ${valueText(value, "block")}`,
  );
}

/**
 * Removes keys of a map and adds new ones at its end. Null: the layout does not allow it.
 *
 * @param after where the key of the map ends
 */
export function editMap(
  page: Page,
  map: MapNode,
  after: number,
  removed: readonly number[],
  added: JsonObject,
): readonly Splice[] | null {
  if (map.flow === true) return editFlowMap(page, map, removed, added);
  const [first] = map.items;
  const removals = removed.map((index) => removal(page, map, index));
  if (first === undefined || removals.some((lines) => lines === null)) return null;
  const lines = pairLines(added, indentAt(page, startOf(first.key)));
  const isEmpty = removed.length === map.items.length && lines.length === 0;
  return [
    ...(isEmpty ? [behindColon(page, after, " {}")] : []),
    ...removals.flatMap((lines) => lines ?? []),
    ...(lines.length === 0 ? [] : [insertedAfter(page, map, lines)]),
  ];
}

function editFlowMap(
  page: Page,
  map: MapNode,
  removed: readonly number[],
  added: JsonObject,
): readonly Splice[] {
  const parts = map.items.map((pair) => ({ start: startOf(pair.key), end: endOfPair(pair) }));
  const last = lastLeft(parts, removed);
  if (last === null) return [{ start: startOf(map), end: endOf(map), text: valueText(added, "flow") }];
  const text = Object.entries(added)
    .map(([key, value]) => `, ${keyText(key, "flow")}: ${valueText(value, "flow")}`)
    .join("");
  const more = text === "" ? [] : [{ start: last.end, end: last.end, text, of: startOf(map) }];
  return [...removed.flatMap((index) => flowRemoval(page, parts, index, removed) ?? []), ...more];
}

/** Removes a pair with the comments above its key. */
function removal(page: Page, map: MapNode, index: number): Splice | null {
  const pair = map.items[index];
  const [before, next] = [map.items[index - 1], map.items[index + 1]];
  if (pair === undefined) return null;
  const start = startOf(pair.key);
  const lines = linesOf(page, start, endOfPair(pair), before === undefined ? 0 : endOfPair(before));
  if (lines !== null) return lines;
  if (before !== undefined || next === undefined) return null;
  // The pair stands behind a dash. The next pair takes its place, unless comments stand between them.
  const between = page.text.slice(endOfPair(pair), startOf(next.key));
  const end = between.includes("#") ? endOfPair(pair) : startOf(next.key);
  return { start, end, text: "" };
}
