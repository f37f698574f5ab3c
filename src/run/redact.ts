import type { Environment } from "../config/index.js";
import { spelledOut } from "../render/plain.js";

/** Shorter values are not redacted: they occur in ordinary words, and no credential of the service is that short. */
const MIN_CHARS = 8;

const VARIABLES = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"] as const;

export interface Credential {
  readonly variable: (typeof VARIABLES)[number];
  readonly value: string;
}

/** What no output may have. */
export function credentialsIn(environment: Environment): readonly Credential[] {
  return VARIABLES.flatMap((variable) => {
    const value = environment[variable] ?? "";
    return value.length < MIN_CHARS ? [] : [{ variable, value }];
  });
}

/** Whatever is shorter is part of too many words. */
const MIN_REDACTED_CHARS = 6;

const REDACTED = "[redacted]";

/** Marks where a text was cut. */
const CUT = "…";

/**
 * The last to see what the program says: whatever came of them before, nothing of this leaves it, in whatever spelling.
 * More becomes known while files are read.
 */
export class Redactor {
  readonly #values = new Set<string>();
  readonly #onAdded: (values: readonly string[]) => void;
  #pattern: RegExp | null = null;
  /** In lower case. */
  #spellings: readonly string[] = [];

  /** @param onAdded told of values that come later */
  constructor(values: readonly string[], onAdded: (values: readonly string[]) => void = () => {}) {
    this.#onAdded = onAdded;
    this.#take(values);
  }

  /** From now on, nothing shows these. */
  add(values: readonly string[]): void {
    const fresh = values.filter((value) => value.length >= MIN_REDACTED_CHARS && !this.#values.has(value));
    if (fresh.length === 0) return;
    this.#take(fresh);
    this.#onAdded(fresh);
  }

  /** A text without them. */
  in(text: string): string {
    if (this.#pattern === null) return text;
    // A text may be cut within a secret.
    const pieces = text.replace(this.#pattern, REDACTED).split(CUT);
    return pieces
      .map((piece, index) => {
        const end = index === pieces.length - 1 ? piece : this.#withoutStart(piece);
        return index === 0 ? end : this.#withoutEnd(end);
      })
      .join(CUT);
  }

  /** Without the start of a secret at the end of the text. */
  #withoutStart(text: string): string {
    const lower = text.toLowerCase();
    const start = this.#spellings.reduce((least, spelling) => {
      const at = lower.lastIndexOf(spelling.slice(0, MIN_REDACTED_CHARS));
      return at !== -1 && at < least && spelling.startsWith(lower.slice(at)) ? at : least;
    }, text.length);
    return start === text.length ? text : text.slice(0, start) + REDACTED;
  }

  /** Without the end of a secret at the start of the text, after the notice of what was left out. */
  #withoutEnd(text: string): string {
    const lower = text.toLowerCase();
    const end = this.#spellings.reduce((most, spelling) => {
      const at = lower.indexOf(spelling.slice(-MIN_REDACTED_CHARS)) + MIN_REDACTED_CHARS;
      return at >= MIN_REDACTED_CHARS && at > most && spelling.endsWith(lower.slice(0, at)) ? at : most;
    }, 0);
    return end === 0 ? text : REDACTED + text.slice(end);
  }

  #take(values: readonly string[]): void {
    for (const value of values) if (value.length >= MIN_REDACTED_CHARS) this.#values.add(value);
    const spellings = [...this.#values].flatMap(spellingsOf);
    if (spellings.length === 0) return;
    this.#spellings = [...new Set(spellings.map((spelling) => spelling.toLowerCase()))];
    const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.map(escapedPatternOf).join("|"), "gi");
  }
}

/** Of one of several lines, each line too: they may be shown apart. */
function spellingsOf(value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/).filter((line) => line.length >= MIN_REDACTED_CHARS);
  return [...new Set([value, ...lines])].flatMap(spellingsOfText);
}

function spellingsOfText(value: string): readonly string[] {
  const inBase64 = [0, 1, 2].map((before) => base64After(before, value));
  const inUrls = inBase64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [
    value,
    spelledOut(value),
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    ...inBase64,
    ...inUrls,
  ];
}

/** The characters that depend on nothing else where a text has so many bytes before the value. */
function base64After(before: number, value: string): string {
  const bytes = Buffer.from("\0".repeat(before) + value);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), whole);
}

/** A regular expression that matches the text as it is. */
function patternOf(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** The same text where signs are written as HTML or Markdown has them. */
function escapedPatternOf(text: string): string {
  return Array.from(text, (char) => (/[\w\s]/.test(char) ? char : signPatternOf(char))).join("");
}

function signPatternOf(sign: string): string {
  const entity = ENTITIES[sign];
  return `\\\\*(?:${patternOf(sign)}${entity === undefined ? "" : `|${entity}`})`;
}

const ENTITIES: { readonly [sign: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
