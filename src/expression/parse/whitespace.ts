/** Around an expression all of Unicode's whitespace is ignored: where it begins and ends without that. */
export function trimmed(text: string): { readonly start: number; readonly end: number } {
  let end = text.length;
  while (end > 0 && isWhitespace(text.charAt(end - 1))) end -= 1;
  let start = 0;
  while (start < end && isWhitespace(text.charAt(start))) start += 1;
  return { start, end };
}

export function isWhitespace(character: string): boolean {
  return /\p{White_Space}/u.test(character);
}

/** Where the whitespace ends that is allowed inside an expression. */
export function afterSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r") at += 1;
  return at;
}
