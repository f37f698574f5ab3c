import pico from "picocolors";

/**
 * What a colour means. Which way protection goes (`stronger`, `weaker`, `unclear`) is another thing than what comes and
 * goes (`add`, `remove`): a source that is added weakens.
 */
export type Tone =
  | "stronger"
  | "weaker"
  | "unclear"
  | "add"
  | "remove"
  | "strong"
  | "faint"
  | "error"
  | "warning";

/** How a terminal shows each. */
export type Palette = { readonly [tone in Tone]: (text: string) => string };

export function palette(color: boolean): Palette {
  const c = pico.createColors(color);
  return {
    stronger: c.green,
    weaker: c.red,
    unclear: c.yellow,
    add: c.cyan,
    remove: c.magenta,
    strong: c.bold,
    faint: c.dim,
    error: (text) => c.bold(c.red(text)),
    warning: (text) => c.bold(c.yellow(text)),
  };
}

/** How a text is set. */
export interface TextStyle {
  readonly colors: Palette;
  /** Of the terminal, in characters; null: there is none, as in a file or a log. */
  readonly width: number | null;
}

/** As many characters as a line of words may have. */
export function lineChars({ width }: TextStyle): number {
  return width === null ? LINE_CHARS : Math.min(MOST_CHARS, Math.max(LEAST_CHARS, width));
}

const LINE_CHARS = 110;
/** Narrower than that, words would stand one below the other. */
const LEAST_CHARS = 40;
/** Wider than that, nobody finds the next line. */
const MOST_CHARS = 140;

/** Visible words, some of them in a tone: each format draws that in its own way. */
export type Phrase = readonly Piece[];

export interface Piece {
  readonly tone: Tone | null;
  readonly text: string;
}

/** A phrase of these, without what is empty. */
export function phrase(...parts: readonly (string | Piece | Phrase)[]): Phrase {
  return parts
    .flatMap((part) => (typeof part === "string" ? { tone: null, text: part } : part))
    .filter(({ text }) => text !== "");
}

export function toned(tone: Tone, text: string): Piece {
  return { tone, text };
}

/** Phrases as one, with a text between them; empty ones are left out. */
export function listed(phrases: readonly Phrase[], between: string): Phrase {
  const filled = phrases.filter((each) => each.length > 0);
  return filled.flatMap((each, index) => (index === 0 ? each : [{ tone: null, text: between }, ...each]));
}

/** Without colours. */
export function bare(words: Phrase): string {
  return words.map(({ text }) => text).join("");
}

export function painted(words: Phrase, colors: Palette): string {
  return words.map(({ tone, text }) => (tone === null ? text : colors[tone](text))).join("");
}
