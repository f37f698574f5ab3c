import { cut } from "../model/cut.js";
import { INVISIBLE, RUNNER_MARK, STRAY_MARK } from "../model/invisible-characters.js";

/** Longer texts are cut in output for people. */
export const MAX_CHARS = 2_000;

/** Text from files or the service, safe for a terminal: see visible(). Long texts are cut in the middle. */
export function plain(text: string, maxChars = MAX_CHARS): string {
  return cut(visible(text), maxChars);
}

/**
 * Like plain(), not cut, for output that programs read. Control characters (escape sequences, line ends), bidirectional
 * and invisible characters, and commands to a CI runner show as `\u{…}`. Different texts stay different: an original
 * `\u{` shows as `\u{5c}u{`. Lookalikes of Latin letters are also escaped, in words that have Latin letters too, and in
 * texts made only of lookalikes.
 */
export function visible(text: string): string {
  if (!MAY_BE_UNSAFE.test(text)) return atLineStart(text);
  const shown = atLineStart(text.replace(UNSAFE, escaped));
  return BEYOND_ASCII.test(shown) ? lookalikesSpelled(shown) : shown;
}

/** Everything but printable ASCII, and the first characters of runner commands and escapes. */
const MAY_BE_UNSAFE = /[^ -"$-[\]-~]/;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Scripts with letters that look like Latin ones. */
const LOOKALIKES = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;

function lookalikesSpelled(shown: string): string {
  const letters = shown.match(LOOKALIKES) ?? [];
  return letters.every((letter) => AS_LATIN.has(letter))
    ? shown.replace(LOOKALIKES, escaped)
    : shown.replace(WORD, mixedSpelled);
}

/** A key for a text's look: texts that look alike have the same key. */
export function looks(text: string): string {
  return text.normalize("NFKC").replace(LOOKALIKES, (letter) => AS_LATIN.get(letter) ?? letter);
}

/** Cyrillic, Greek and Armenian letters → the Latin letters that they look like. */
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

/** Escapes everything beyond ASCII in a visible text, for texts that look alike otherwise. */
export function spelledOut(text: string): string {
  return text.replace(/[^ -~]/gu, escaped);
}

/** Makes a part of a visible text safe at the start of a line. */
export function atLineStart(shown: string): string {
  return shown.replace(COMMAND, "$1\\u{3a}");
}

const UNSAFE = new RegExp(`${STRAY_MARK}|(?! )${INVISIBLE}|${RUNNER_MARK}|\\\\(?=u\\{)`, "gu");

/** GitHub's runner reads `::command::` on both outputs at the start of a line, also behind blanks. */
const COMMAND = /^( *):(?=:)/;

function escaped(run: string): string {
  let shown = "";
  for (const char of run) shown += `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  return shown;
}

/** `1 call`, `2 calls`. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** `1,204`. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The days of two RFC 3339 times: `2026-11-02 to 2026-11-21`, or one day. Empty: not known. */
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

/** Capitalizes the first letter. */
export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
