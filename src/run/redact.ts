import type { Environment } from "../config/index.js";

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

/**
 * The last to see what the program says: whatever came of them before, nothing of this leaves it, in whatever spelling.
 * More becomes known while files are read.
 */
export class Redactor {
  readonly #values = new Set<string>();
  readonly #onAdded: (values: readonly string[]) => void;
  #pattern: RegExp | null = null;

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
    return this.#pattern === null ? text : text.replace(this.#pattern, "[redacted]");
  }

  #take(values: readonly string[]): void {
    for (const value of values) if (value.length >= MIN_REDACTED_CHARS) this.#values.add(value);
    const spellings = [...this.#values].flatMap(spellingsOf);
    if (spellings.length === 0) return;
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
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), ...inBase64, ...inUrls];
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
