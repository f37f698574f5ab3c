import type { JsonObject } from "../../model/json.js";
import { flowRemovals, lastLeft } from "./flow.js";
import {
  behindColon,
  endOf,
  endOfPair,
  indentAt,
  insertedAfter,
  linesOf,
  type MapNode,
  type Page,
  startOf,
} from "./layout.js";
import { pairLines } from "./lines.js";
import type { Splice } from "./splice.js";
import { keyText, valueText } from "./value-text.js";

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
  if (map.flow === true) return editFlow(page, map, removed, added);
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

function editFlow(
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
