import { cut } from "../model/cut.js";
import { INVISIBLE, RUNNER_MARK, STRAY_MARK } from "../model/invisible-characters.js";

/** Longer texts are cut in output for people. */
export const MAX_CHARS = 2_000;

/** Text from files or the service, harmless on a terminal: see `visible`; of a very long one the middle is left out. */
export function plain(text: string, maxChars = MAX_CHARS): string {
  return cut(visible(text), maxChars);
}

/**
 * The same, not cut: for output that programs read. Control characters (escape sequences, line ends), characters that
 * turn the direction of text, invisible ones and what a runner takes for a command show as `\u{…}`. No two texts look
 * the same afterwards that only differ in such characters: a `\u{` that was there shows as `\u{5c}u{`. So do letters
 * that look like Latin ones among those, as in a name that is made to look like another, or where all of their script do.
 */
export function visible(text: string): string {
  if (!MAY_BE_UNSAFE.test(text)) return atLineStart(text);
  const shown = atLineStart(text.replace(UNSAFE, escaped));
  return BEYOND_ASCII.test(shown) ? lookalikesSpelled(shown) : shown;
}

/** All but what is printable in ASCII, and what begins a runner's mark or an escape. */
const MAY_BE_UNSAFE = /[^ -"$-[\]-~]/;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Scripts with letters that are drawn as Latin ones are. */
const LOOKALIKES = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;

function lookalikesSpelled(shown: string): string {
  const letters = shown.match(LOOKALIKES) ?? [];
  return letters.every((letter) => AS_LATIN.has(letter))
    ? shown.replace(LOOKALIKES, escaped)
    : shown.replace(WORD, mixedSpelled);
}

/** A text as it looks: two that differ and look alike are the same as this. */
export function looks(text: string): string {
  return text.normalize("NFKC").replace(LOOKALIKES, (letter) => AS_LATIN.get(letter) ?? letter);
}

/** Letters that are drawn as a Latin one is, and that one: Cyrillic, Greek and Armenian. */
const AS_LATIN: ReadonlyMap<string, string> = new Map(
  [
    ["аЬсԁеһіјӏорԛѕԝхуѵАВСЕНІЈКМОРԚЅТԜХУ", "abcdehijlopqswxyvABCEHIJKMOPQSTWXY"],
    ["οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oABEZHIKMNOPTYX"],
    ["օոսհԼՕՍՏ", "onuhLOUS"],
  ].flatMap(([letters = "", latin = ""]) =>
    Array.from(letters, (each, at) => [each, latin.charAt(at)] as const),
  ),
);

const WORD = /[\p{L}\p{M}]+/gu;

function mixedSpelled(word: string): string {
  return /[a-z]/i.test(word) ? word.replace(LOOKALIKES, escaped) : word;
}

/** All but ASCII as escapes, for two texts that look alike otherwise. The text is one that is visible. */
export function spelledOut(text: string): string {
  return text.replace(/[^ -~]/gu, escaped);
}

/** A part of a visible text that is to begin a line. */
export function atLineStart(shown: string): string {
  return shown.replace(COMMAND, "$1\\u{3a}");
}

const UNSAFE = new RegExp(`${STRAY_MARK}|(?! )${INVISIBLE}|${RUNNER_MARK}|\\\\(?=u\\{)`, "gu");

/** GitHub's runner reads `::command::` on both outputs, at the start of a line and behind blanks there. */
const COMMAND = /^( *):(?=:)/;

function escaped(run: string): string {
  return Array.from(run, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`).join("");
}

/** `1 call`, `2 calls`. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** `1,204`. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Of the first time and the last, RFC 3339: `2026-11-02 to 2026-11-21`, or one day; nothing where none is known. */
export function daysText({
  first,
  last,
}: {
  readonly first: string | null;
  readonly last: string | null;
}): string {
  if (first === null || last === null) return "";
  const [from, to] = [first.slice(0, DAY_CHARS), last.slice(0, DAY_CHARS)];
  return from === to ? from : `${from} to ${to}`;
}

const DAY_CHARS = 10;

/** With a capital at the start, as headings have it. */
export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
