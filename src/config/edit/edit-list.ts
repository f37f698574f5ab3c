import type { Json } from "../../model/json.js";
import { flowRemovals, lastLeft } from "./flow.js";
import {
  behindColon,
  dashOf,
  endOf,
  indentAt,
  insertedAfter,
  type ListNode,
  linesOf,
  type Page,
  startOf,
} from "./layout.js";
import { itemLines } from "./lines.js";
import type { Splice } from "./splice.js";
import { valueText } from "./value-text.js";

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
  if (list.flow === true) return editFlow(page, list, removed, added);
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

function editFlow(
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
