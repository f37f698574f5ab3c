import { isDeep } from "./random.js";

/** More characters than a comment on GitHub may have, once a few fields contain them. */
const LONG = isDeep ? 100_000 : 20_000;

/** Texts that do harm if they are printed unescaped, by name. */
export const HOSTILE: Readonly<Record<string, string>> = {
  "a colour": "\u001b[31mred\u001b[0m",
  "a cleared screen": "\u001b[2J\u001b[1;1Hfake",
  "an eight-bit escape": "\u009b31m\u009d0;title\u009c",
  "a title": "\u001b]0;owned\u0007",
  "a link": "\u001b]8;;https://evil.example/\u001b\\click\u001b]8;;\u001b\\",
  "a carriage return": "harmful\rharmless",
  backspaces: "harmful\b\b\b\b\b\b\bharmless",
  "a bell and a NUL": "a\u0007b\u0000c\u007fd",
  "line ends": "one\ntwo\r\nthree\u2028four\u2029five\u0085six\u000bseven\u000ceight",
  "an override": "user\u202egnp.exe\u202c",
  isolates: "\u2066a\u2067b\u2068c\u2069\u200e\u200f\u061c",
  "nothing to see": "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u034fh\u3164i\u115fj\u180ek",
  tags: `a${[..."hidden"].map((each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join("")}b\u{e0001}`,
  "variation selectors": "a\ufe0fb\u{e0100}c",
  "odd blanks": "a\u00a0b\u2003c\u3000d\u202fe\u2800f",
  "halves of characters": "a\ud83db\udc00c",
  "no characters": "a\ufffeb\u{10ffff}c\ue000d",
  "a heap of marks": `z${"\u0301\u0316".repeat(200)}`,
  "a mark on nothing": "\u0338struck",
  "a command": "::error file=a.js,line=1::forged",
  "a command behind blanks": "  \t::set-output name=a::b",
  "a command on a line of its own": "a\n::stop-commands::token\r::add-mask::x\u2028::warning::y",
  "an old command": "##[set-env name=PATH;]evil",
  "another runner's command": "x ##vso[task.setvariable variable=a]b ##teamcity[c]",
  HTML: "<script>alert(1)</script><img src=x onerror=alert(1)>&lt;",
  Markdown: "[a](javascript:alert(1)) ![b](https://evil.example/) `c` | d | **e** @team #1",
  "a formula": "=cmd|' /C calc'!A0",
  "a formula behind a semicolon": "a;=1+1; +2",
  "a prototype": "__proto__",
  "a constructor": "constructor",
  "a method": "toString",
  "another method": "valueOf",
  quotes: "\"'`\\",
  "a text that looks like an escape": "\\u{202e}\\x1b[31m",
  nothing: "",
  "a blank": " ",
  "a long word": "x".repeat(LONG),
  "long text": "many words ".repeat(LONG / 11),
  "long lines": "a line\n".repeat(LONG / 7),
  "long harm": "\u202e\u001b[1m".repeat(LONG / 5),
  "long numbers": "9".repeat(LONG),
  "long opening": "(".repeat(LONG),
  "long separators": "; ".repeat(LONG / 2),
  "long almost escapes": "\\u".repeat(LONG / 2),
  "long marks": "#".repeat(LONG),
  "long blanks": `a${" ".repeat(LONG)}b`,
  "long heap": `z${"\u0301".repeat(LONG)}`,
};

/** The same texts, without the slow long ones unless tests run at length. */
export const hostileTexts = Object.entries(HOSTILE).filter(([, text]) => isDeep || text.length < LONG / 2);

/** The consumer of the output. */
export type Reader = "people" | "programs";

/** Longer lines are unreadable for people. */
const MAX_LINE_CHARS = 5_000;

/** The only colours that the program uses. */
const OURS = /\u001b\[(?:1|2|22|31|32|33|35|36|39)m/g;

/**
 * Finds harmful parts of output. Written independently of the program's own escaping.
 *
 * @param colored whether colours are on
 */
export function harmIn(output: string, reader: Reader, colored = false): readonly string[] {
  const text = colored ? output.replace(OURS, "") : output;
  return [...new Set([...charactersIn(text), ...linesIn(text, reader)])];
}

function charactersIn(text: string): readonly string[] {
  const found: string[] = [];
  let marks = 0;
  let before = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const name = HARMFUL.find(([from, to]) => code >= from && code <= to)?.[2];
    if (name !== undefined) found.push(`${name} U+${code.toString(16)}`);
    const isMark = code >= 0x300 && code <= 0x36f;
    if (isMark && !/[\p{L}\p{N}\p{So}\p{M}]/u.test(before)) found.push("a mark on nothing");
    marks = isMark ? marks + 1 : 0;
    before = character;
    if (marks > 4) found.push("a heap of marks");
  }
  return found;
}

/** Ranges of characters and their names, without the line feed alone. */
const HARMFUL: readonly (readonly [from: number, to: number, name: string])[] = [
  [0x00, 0x09, "control"],
  [0x0b, 0x1f, "control"],
  [0x7f, 0x9f, "control"],
  [0xa0, 0xa0, "blank"],
  [0xad, 0xad, "invisible"],
  [0x34f, 0x34f, "invisible"],
  [0x61c, 0x61c, "turning"],
  [0x115f, 0x1160, "invisible"],
  [0x1680, 0x1680, "blank"],
  [0x180b, 0x180f, "invisible"],
  [0x2000, 0x200a, "blank"],
  [0x200b, 0x200d, "invisible"],
  [0x200e, 0x200f, "turning"],
  [0x2028, 0x2029, "line end"],
  [0x202a, 0x202e, "turning"],
  [0x202f, 0x202f, "blank"],
  [0x205f, 0x206f, "invisible or turning"],
  [0x2800, 0x2800, "blank"],
  [0x3000, 0x3000, "blank"],
  [0x3164, 0x3164, "invisible"],
  [0xd800, 0xdfff, "half of a character"],
  [0xe000, 0xf8ff, "private"],
  [0xfe00, 0xfe0f, "variation selector"],
  [0xfeff, 0xfeff, "invisible"],
  [0xfff0, 0xfffb, "invisible"],
  [0xfffe, 0xffff, "no character"],
  [0xe0000, 0xe0fff, "tag or selector"],
  [0xf0000, 0x10ffff, "private"],
];

function linesIn(text: string, reader: Reader): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const isCommand = /^\s*::/.test(line) || /##[a-z]*\[/i.test(line);
    const isLong = reader === "people" && line.length > MAX_LINE_CHARS;
    return [
      ...(isCommand ? [`a runner's command: ${line.slice(0, 80)}`] : []),
      ...(isLong ? [`a line of ${line.length} characters: ${line.slice(0, 200)}`] : []),
    ];
  });
}
