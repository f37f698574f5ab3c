import pico from "picocolors";

/**
 * The meaning of a colour. The direction of protection (`stronger`, `weaker`, `unclear`) differs from added and removed
 * text (`add`, `remove`): a source that is added weakens.
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

/** How a terminal shows each tone. */
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

export interface TextStyle {
  readonly colors: Palette;
  /** The width of the terminal in characters. Null: no terminal, as in a file or log. */
  readonly width: number | null;
}

/** The maximal length of a line of words. */
export function lineChars({ width }: TextStyle): number {
  return width === null ? LINE_CHARS : Math.min(MOST_CHARS, Math.max(LEAST_CHARS, width));
}

const LINE_CHARS = 110;
/** On narrower lines, words would stand one below the other. */
const LEAST_CHARS = 40;
/** On wider lines, the eye loses the next line. */
const MOST_CHARS = 140;

/** Visible words, some of them in a tone. Each format draws tones in its own way. */
export type Phrase = readonly Piece[];

export interface Piece {
  readonly tone: Tone | null;
  readonly text: string;
}

/** A phrase of these parts, without empty ones. */
export function phrase(...parts: readonly (string | Piece | Phrase)[]): Phrase {
  return parts
    .flatMap((part) => (typeof part === "string" ? { tone: null, text: part } : part))
    .filter(({ text }) => text !== "");
}

export function toned(tone: Tone, text: string): Piece {
  return { tone, text };
}

/** Joins phrases with a text between them, without empty ones. */
export function listed(phrases: readonly Phrase[], between: string): Phrase {
  const filled = phrases.filter((each) => each.length > 0);
  return filled.flatMap((each, index) => (index === 0 ? each : [{ tone: null, text: between }, ...each]));
}

export function bare(words: Phrase): string {
  return words.map(({ text }) => text).join("");
}

export function painted(words: Phrase, colors: Palette): string {
  return words.map(({ tone, text }) => (tone === null ? text : colors[tone](text))).join("");
}
