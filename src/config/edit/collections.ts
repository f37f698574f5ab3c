import { isObject, type Json, type JsonObject } from "../../model/json.js";
import {
  behindColon,
  dashOf,
  endOf,
  endOfPair,
  flowRemovals,
  indentAt,
  insertedAfter,
  type ListNode,
  lastLeft,
  linesOf,
  type MapNode,
  type Page,
  type Splice,
  startOf,
} from "./layout.js";
import { keyText, valueText } from "./value-text.js";

/**
 * A list without some items and with new ones at its end; what stays is not touched. Null: it is laid out in a way that
 * this cannot be done in.
 *
 * @param after where its key ends
 */
export function editList(
  page: Page,
  list: ListNode,
  after: number,
  removed: readonly number[],
  added: readonly Json[],
): readonly Splice[] | null {
  if (list.flow === true) return editFlowList(page, list, removed, added);
  const gone = removed.map((index) => {
    const item = list.items[index];
    const before = list.items[index - 1];
    if (item === undefined) return null;
    return linesOf(page, dashOf(page, item), endOf(item), before === undefined ? after : endOf(before));
  });
  const [first] = list.items;
  if (first === undefined || gone.some((each) => each === null)) return null;
  const indent = indentAt(page, dashOf(page, first));
  const lines = added.flatMap((each) => itemLines(each, indent));
  const isEmpty = removed.length === list.items.length && lines.length === 0;
  return [
    ...(isEmpty ? [behindColon(page, after, " []")] : []),
    ...gone.flatMap((each) => each ?? []),
    ...(lines.length === 0 ? [] : [insertedAfter(page, endOf(list), lines)]),
  ];
}

function editFlowList(
  page: Page,
  list: ListNode,
  removed: readonly number[],
  added: readonly Json[],
): readonly Splice[] {
  const parts = list.items.map((item) => ({ start: startOf(item), end: endOf(item) }));
  const last = lastLeft(parts, removed);
  if (last === null) return [{ start: startOf(list), end: endOf(list), text: valueText(added, "flow") }];
  const text = added.map((each) => `, ${valueText(each, "flow")}`).join("");
  const more = text === "" ? [] : [{ start: last.end, end: last.end, text }];
  return [...flowRemovals(page, parts, removed), ...more];
}

/** An item of a block list, a map in lines of its own. */
function itemLines(item: Json, indent: string): readonly string[] {
  if (!isObject(item) || Object.keys(item).length === 0) return [`${indent}- ${valueText(item, "block")}`];
  return pairLines(item, `${indent}  `).map((line, index) =>
    index === 0 ? `${indent}- ${line.slice(indent.length + 2)}` : line,
  );
}

/** Pairs of a block map. */
function pairLines(map: JsonObject, indent: string): readonly string[] {
  return Object.entries(map).map(
    ([key, value]) => `${indent}${keyText(key, "block")}: ${valueText(value, "block")}`,
  );
}

/**
 * A map without some keys and with new ones at its end; what stays is not touched. Null: it is laid out in a way that
 * this cannot be done in.
 *
 * @param after where its key ends
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
  const gone = removed.map((index) => removal(page, map, index));
  if (first === undefined || gone.some((each) => each === null)) return null;
  const lines = pairLines(added, indentAt(page, startOf(first.key)));
  const isEmpty = removed.length === map.items.length && lines.length === 0;
  return [
    ...(isEmpty ? [behindColon(page, after, " {}")] : []),
    ...gone.flatMap((each) => each ?? []),
    ...(lines.length === 0 ? [] : [insertedAfter(page, endOf(map), lines)]),
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
  const more = text === "" ? [] : [{ start: last.end, end: last.end, text }];
  return [...flowRemovals(page, parts, removed), ...more];
}

/** A pair with the comments of its key. */
function removal(page: Page, map: MapNode, index: number): Splice | null {
  const pair = map.items[index];
  const [before, next] = [map.items[index - 1], map.items[index + 1]];
  if (pair === undefined) return null;
  const start = startOf(pair.key);
  const lines = linesOf(page, start, endOfPair(pair), before === undefined ? 0 : endOfPair(before));
  if (lines !== null) return lines;
  if (before !== undefined || next === undefined) return null;
  // It stands behind a dash, which the next one then does, unless that has comments.
  const between = page.text.slice(endOfPair(pair), startOf(next.key));
  const end = between.includes("#") ? endOfPair(pair) : startOf(next.key);
  return { start, end, text: "" };
}
