import { count } from "../plain.js";
import type { LeftOut } from "./fitted.js";

/**
 * What a page of limited length leaves out.
 *
 * @param elsewhere where all of it is
 */
export function noticeText(leftOut: readonly LeftOut[], maxBytes: number, elsewhere: string): string {
  const whole = leftOut.filter((each) => each.whole > 0).map((each) => count(each.whole, each.noun));
  const details = leftOut.filter((each) => each.details > 0).map((each) => count(each.details, each.noun));
  const parts = [
    ...(whole.length === 0 ? [] : [`${whole.join(", ")}`]),
    ...(details.length === 0 ? [] : [`details of ${details.join(", ")}`]),
  ];
  return `> [!IMPORTANT]\n> Left out, as there is room for ${maxBytes} bytes: ${parts.join("; ")}. ${elsewhere}`;
}

/** More than a notice takes, whatever its numbers are. */
export const NOTICE_BYTES = 400;
