/** A long text without its end: for names in sentences. Never cut between the two halves of a character. */
export function cutEnd(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A long text without its middle. It says how much is left out. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const { head, middle, tail } = cutApart(text, maxChars);
  return `${head}${leftOut(middle.length)}${tail}`;
}

/**
 * Two texts of which at least one is long, without what both have: where they begin to differ and where they end to
 * stays, and it is said where more differs in what is left out.
 */
export function cutBoth(a: string, b: string, maxChars: number): readonly [string, string] {
  if (a.length <= maxChars && b.length <= maxChars) return [a, b];
  const contextChars = Math.floor(maxChars / 8);
  const before = boundary(a, Math.max(0, sameStart(a, b) - contextChars));
  const after = Math.max(0, sameEnd(a, b) - contextChars);
  const [inA, inB] = [a, b].map((text) => cutApart(text.slice(before, endOf(text, after)), maxChars));
  if (inA === undefined || inB === undefined) return [a, b];
  const why = inA.middle === inB.middle ? "" : ", where more differs";
  const shown = (text: string, { head, middle, tail }: CutText) =>
    [
      leftOut(before),
      head,
      leftOut(middle.length, why),
      tail,
      leftOut(text.length - endOf(text, after)),
    ].join("");
  return [shown(a, inA), shown(b, inB)];
}

/** So much of a text's beginning, and of its end, where what is between is worth leaving out. It says how much that is. */
export function cutBetween(text: string, headChars: number, tailChars: number): string {
  const from = boundary(text, Math.min(text.length, headChars));
  const to = boundary(text, Math.max(0, text.length - tailChars));
  return to - from < WORTH_CHARS ? text : `${text.slice(0, from)}${leftOut(to - from)}${text.slice(to)}`;
}

/** To say that it is left out takes a third of that. */
const WORTH_CHARS = 80;

interface CutText {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
}

/** More of the beginning, by which texts are known. */
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

/** The longest that something written with several characters can be: `\u{10ffff}`. */
const ESCAPE_CHARS = 10;

/** The place, or one shortly before it that splits neither a character nor an escape. */
function boundary(text: string, at: number): number {
  const near = text.slice(Math.max(0, at - ESCAPE_CHARS), at);
  const [begun] = /\\(?:u(?:\{[0-9a-f]*)?)?$|[\ud800-\udbff]$/.exec(near) ?? [""];
  return at === text.length ? at : at - begun.length;
}

function sameStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let chars = 0;
  while (chars < most && a.charCodeAt(chars) === b.charCodeAt(chars)) chars++;
  return chars;
}

/** What is the same at the start counts for the start alone. */
function sameEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length) - sameStart(a, b);
  let chars = 0;
  while (chars < most && a.charCodeAt(a.length - 1 - chars) === b.charCodeAt(b.length - 1 - chars)) chars++;
  return chars;
}

const MAX_CHARS = 80;

/** The same of what mostly is one word, which then needs no quotes: no other text is to be taken for more of the sentence. */
export function word(text: string): string {
  return /^[\w.:+/=-]{1,200}$/.test(text) ? text : quoted(text);
}

/** A text from a file for a sentence: in quotes, and cut where it is too long for one. */
export function quoted(text: string): string {
  return JSON.stringify(cutEnd(text, MAX_CHARS));
}
