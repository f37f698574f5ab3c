/**
 * Invisible or misleading characters, for a regular expression with the flag `u`: control characters, changes of text
 * direction, invisible characters, unassigned ones, and all spaces, the usual one included.
 */
export const INVISIBLE = String.raw`[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]`;

/** A character that can carry a combining mark. */
const BEARER = String.raw`[\p{L}\p{N}\p{So}]|(?!\p{Default_Ignorable_Code_Point})\p{M}`;

/**
 * Combining marks without a carrier, which would change the character before, or in a stack, which would overlap other
 * lines. No script needs more than four.
 */
export const STRAY_MARK = String.raw`(?=\p{M})(?:(?<!${BEARER})\p{M}{1,4}|(?<=\p{M}{4})\p{M})`;

/** GitHub's runner looks for `##[command]` anywhere in a line, other runners for `##vso[` and the like. */
export const RUNNER_MARK = String.raw`#(?=#[A-Za-z]{0,12}\[)`;

/** The name of an unusual space, such as "no-break space"; null: not one. */
export function blankName(character: string): string | null {
  return BLANKS.get(character) ?? null;
}

const BLANKS: ReadonlyMap<string, string> = new Map([
  ["\u000b", "vertical tab"],
  ["\u000c", "form feed"],
  ["\u0085", "next line"],
  ["\u00a0", "no-break space"],
  ["\u2002", "en space"],
  ["\u2003", "em space"],
  ["\u2007", "figure space"],
  ["\u2009", "thin space"],
  ["\u200a", "hair space"],
  ["\u2028", "line separator"],
  ["\u2029", "paragraph separator"],
  ["\u202f", "narrow no-break space"],
  ["\u3000", "ideographic space"],
]);

/** The first unusual space in a text, for a sentence: `A no-break space (U+00A0)`; null: none. */
export function oddBlankIn(text: string): string | null {
  const blank = Array.from(text).find((character) => BLANKS.has(character));
  if (blank === undefined) return null;
  const name = BLANKS.get(blank) ?? "";
  return `${/^[aeiou]/.test(name) ? "An" : "A"} ${name} (${codePointText(blank)})`;
}

/** `U+00A0` */
export function codePointText(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
