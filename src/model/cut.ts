/** Cuts the end of a long text, never between two surrogates. */
export function cutEnd(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Cuts the middle of a long text, and tells how much was cut. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const { head, middle, tail } = cutApart(text, maxChars);
  return `${head}${leftOut(middle.length)}${tail}`;
}

/**
 * Cuts the common beginning and end of two long texts. Both show where they start and stop to differ, and tell whether
 * the parts left out differ too.
 */
export function cutBoth(a: string, b: string, maxChars: number): readonly [string, string] {
  if (a.length <= maxChars && b.length <= maxChars) return [a, b];
  const contextChars = Math.floor(maxChars / 8);
  const before = boundary(a, Math.max(0, sameStart(a, b) - contextChars));
  const after = Math.max(0, sameEnd(a, b) - contextChars);
  const [inA, inB] = [a, b].map((text) => cutApart(text.slice(before, endOf(text, after)), maxChars));
  if (inA === undefined || inB === undefined) return [a, b];
  const why = inA.middle === inB.middle ? "" : ", where more differs";
  const assemble = (text: string, { head, middle, tail }: CutText) =>
    [
      leftOut(before),
      head,
      leftOut(middle.length, why),
      tail,
      leftOut(text.length - endOf(text, after)),
    ].join("");
  return [assemble(a, inA), assemble(b, inB)];
}

/** Cuts the middle of a text, if that saves enough, and tells how much was cut. */
export function cutBetween(text: string, headChars: number, tailChars: number): string {
  const from = boundary(text, Math.min(text.length, headChars));
  const to = boundary(text, Math.max(0, text.length - tailChars));
  return to - from < WORTH_CHARS ? text : `${text.slice(0, from)}${leftOut(to - from)}${text.slice(to)}`;
}

/** The notice about the cut takes a third of that. */
const WORTH_CHARS = 80;

interface CutText {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
}

/** Keeps more of the beginning, which identifies a text. */
function cutApart(text: string, maxChars: number): CutText {
  if (text.length <= maxChars) return { head: text, middle: "", tail: "" };
  const from = boundary(text, Math.ceil((maxChars * 2) / 3));
  const to = boundary(text, text.length - Math.floor(maxChars / 3));
  return { head: text.slice(0, from), middle: text.slice(from, to), tail: text.slice(to) };
}

function leftOut(chars: number, why = ""): string {
  return chars === 0 ? "" : `…(${chars} characters left out${why})…`;
}

function endOf(text: string, charsAfter: number): number {
  return boundary(text, text.length - charsAfter);
}

/** The longest escape: `\u{10ffff}`. */
const ESCAPE_CHARS = 10;

/** The index, or one shortly before it that splits neither a character nor an escape. */
function boundary(text: string, at: number): number {
  const near = text.slice(Math.max(0, at - ESCAPE_CHARS), at);
  const [partial] = /\\(?:u(?:\{[0-9a-f]*)?)?$|[\ud800-\udbff]$/.exec(near) ?? [""];
  return at === text.length ? at : at - partial.length;
}

function sameStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let chars = 0;
  while (chars < most && a.charCodeAt(chars) === b.charCodeAt(chars)) chars++;
  return chars;
}

/** The common start is not counted again. */
function sameEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length) - sameStart(a, b);
  let chars = 0;
  while (chars < most && a.charCodeAt(a.length - 1 - chars) === b.charCodeAt(b.length - 1 - chars)) chars++;
  return chars;
}

/** The first few of a list, and the number of the others: `a, b and 3 more`. */
export function firstFew<Each>(
  all: readonly Each[],
  most: number,
  textOf: (each: Each) => string = String,
): string {
  const shown = all.slice(0, most).map((each) => textOf(each));
  return shown.join(", ") + (all.length > most ? ` and ${all.length - most} more` : "");
}

/** The first few parts of a list, and the number of the others as the last one: `and 3 more`. */
export function fewOf(all: readonly string[], most: number): readonly string[] {
  return all.length > most ? [...all.slice(0, most), `and ${all.length - most} more`] : all;
}

const MAX_CHARS = 80;

/** A single word as it is, and any other text in quotes, so that it cannot pass for the rest of the sentence. */
export function word(text: string): string {
  return /^[\w.:+/=-]{1,200}$/.test(text) ? text : quoted(text);
}

/** A text from a file for a sentence: quoted, and cut if it is too long. */
export function quoted(text: string): string {
  return JSON.stringify(cutEnd(text, MAX_CHARS));
}
