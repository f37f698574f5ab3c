import { type Block, fitted } from "./fitted.js";
import { NOTICE_BYTES, noticeText } from "./notice.js";

/**
 * Blocks as a page of limited length.
 *
 * @param after what stands behind the notice of what is left out
 * @param elsewhere where all of it is, for that notice
 */
export function pageOf(
  before: readonly Block[],
  after: readonly Block[],
  maxBytes: number,
  elsewhere: string,
): string {
  const blocks = [...before, ...after];
  const all = fitted(blocks, maxBytes);
  if (all.leftOut.length === 0) return joined(all.parts);
  const { parts, leftOut } = fitted(blocks, maxBytes - NOTICE_BYTES);
  const { length } = before;
  return joined([
    ...parts.slice(0, length),
    noticeText(leftOut, maxBytes, elsewhere),
    ...parts.slice(length),
  ]);
}

function joined(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
