import type { PlannedImpact } from "../plan/generated/plan-document.js";
import { impactMoves, type Move, nothingMovedText, type ShownDetection, unseenText } from "./impact-moves.js";
import type { Palette } from "./palette.js";
import { urlText } from "./url-text.js";

/**
 * What a change does to what pages load today: how many of each, and the first few.
 *
 * @param lead what the line of each move begins with
 */
export function impactLines(
  impact: PlannedImpact,
  indent: string,
  colors: Palette,
  lead = "",
): readonly string[] {
  const moves = impactMoves(impact, MAX_SHOWN);
  const unseen = unseenText(impact);
  const lines = [
    ...(unseen === null ? [] : [`${indent}${colors.warning(unseen)}`]),
    ...moves.flatMap((move) => movedLines(move, `${indent}${lead}`, indent, colors)),
  ];
  return lines.length > 0 ? lines : [colors.faint(`${indent}${nothingMovedText(impact)}`)];
}

const MAX_SHOWN = 5;

function movedLines(
  { heading, sum, isDanger, shown, rest }: Move,
  start: string,
  indent: string,
  colors: Palette,
): readonly string[] {
  const width = Math.max(...shown.map(({ mark }) => mark.length));
  const paint = isDanger ? colors.error : colors.strong;
  return [
    `${start}${paint(`${heading}:`)} ${sum}`,
    ...shown.map((each) => {
      const gap = " ".repeat(width - each.mark.length);
      const column = width === 0 ? "" : `${markPaint(each, colors)(each.mark)}${gap}  `;
      return `${indent}  ${column}${placeText(each)}`;
    }),
    ...(rest > 0 ? [colors.faint(`${indent}  and ${rest} more: --format json has all`)] : []),
  ];
}

function markPaint({ isMalicious }: ShownDetection, colors: Palette): Palette["remove"] {
  return isMalicious ? colors.remove : colors.faint;
}

function placeText({ url, page }: ShownDetection): string {
  return page === null ? urlText(url) : `${urlText(url)} on ${urlText(page)}`;
}
