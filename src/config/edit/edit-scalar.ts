import { type Node, Scalar } from "yaml";
import type { Json } from "../../model/json.js";
import { isOdd } from "../yaml-text.js";
import { endOf, type Page, startOf } from "./layout.js";
import type { Splice } from "./splice.js";
import { type Surroundings, valueText } from "./value-text.js";

/** Another value in the place of one. A text in a block stays in its block, on one line. */
export function replaceValue(page: Page, node: Node, value: Json, where: Surroundings): Splice {
  const [start, end] = [startOf(node), endOf(node)];
  if (!(node instanceof Scalar)) return { start, end, text: valueText(value, where) };
  const isBlock = node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL;
  if (!isBlock) return { start, end, text: valueText(value, where, node) };
  const source = page.text.slice(start, end);
  const header = source.slice(0, source.indexOf("\n") + 1);
  const indent = /^[ ]+(?=\S)/m.exec(source.slice(header.length))?.[0];
  const isHeld = typeof value === "string" && !isOdd(value) && /^[^\s#]/.test(value) && !/\s$/.test(value);
  const text =
    isHeld && indent !== undefined ? `${header}${indent}${String(value)}` : valueText(value, where);
  return { start, end, text: source.endsWith("\n") ? text + page.eol : text };
}
