/**
 * Characters that nobody sees for what they are, as part of a regular expression with the flag `u`: control characters,
 * what turns the direction of text, what is invisible or no character at all, and spaces (the usual one too).
 */
export const INVISIBLE = String.raw`[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]`;

/** What a mark can stand on, other marks that are seen among it. */
const BEARER = String.raw`[\p{L}\p{N}\p{So}]|(?!\p{Default_Ignorable_Code_Point})\p{M}`;

/**
 * Combining marks that stand on nothing, which would go onto what stands before, or that are heaped on each other, which
 * run into other lines. No script needs more than four.
 */
export const STRAY_MARK = String.raw`(?=\p{M})(?:(?<!${BEARER})\p{M}{1,4}|(?<=\p{M}{4})\p{M})`;

/** GitHub's runner looks for `##[command]` anywhere in a line, other runners for `##vso[` and the like. */
export const RUNNER_MARK = String.raw`#(?=#[A-Za-z]{0,12}\[)`;

/** What a blank is called that is not the usual one, such as "no-break space"; null for what is no such blank. */
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

/** The first blank in a text that is not the usual one, for a sentence: `A no-break space (U+00A0)`; null: none is. */
export function oddBlankIn(text: string): string | null {
  const found = Array.from(text).find((character) => BLANKS.has(character));
  if (found === undefined) return null;
  const name = BLANKS.get(found) ?? "";
  return `${/^[aeiou]/.test(name) ? "An" : "A"} ${name} (${codePointText(found)})`;
}

/** `U+00A0` */
export function codePointText(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
