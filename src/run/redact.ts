import type { Environment } from "../config/index.js";
import { spelledOut } from "../render/safe-text.js";

/** Shorter values are not redacted: they occur in ordinary words, and no credential of the service is that short. */
const MIN_CHARS = 8;

const VARIABLES = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"] as const;

export interface Credential {
  readonly variable: (typeof VARIABLES)[number];
  readonly value: string;
}

export function credentialsIn(environment: Environment): readonly Credential[] {
  return VARIABLES.flatMap((variable) => {
    const value = environment[variable] ?? "";
    return value.length < MIN_CHARS ? [] : [{ variable, value }];
  });
}

/** Shorter values occur in too many words. */
const MIN_REDACTED_CHARS = 6;

const REDACTED = "[redacted]";

/** Marks where a text was cut. */
const CUT = "…";

/** The last step of all output: it removes secrets in all spellings. More values are added while files are read. */
export class Redactor {
  readonly #values = new Set<string>();
  readonly #onAdded: (values: readonly string[]) => void;
  #pattern: RegExp | null = null;
  /** In lower case. */
  #spellings: readonly string[] = [];

  /** @param onAdded called with values that are added later */
  constructor(values: readonly string[], onAdded: (values: readonly string[]) => void = () => {}) {
    this.#onAdded = onAdded;
    this.#take(values);
  }

  add(values: readonly string[]): void {
    const fresh = values.filter((value) => value.length >= MIN_REDACTED_CHARS && !this.#values.has(value));
    if (fresh.length === 0) return;
    this.#take(fresh);
    this.#onAdded(fresh);
  }

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

  #withoutStart(text: string): string {
    const lower = text.toLowerCase();
    const start = this.#spellings.reduce((least, spelling) => {
      const at = lower.lastIndexOf(spelling.slice(0, MIN_REDACTED_CHARS));
      return at !== -1 && at < least && spelling.startsWith(lower.slice(at)) ? at : least;
    }, text.length);
    return start === text.length ? text : text.slice(0, start) + REDACTED;
  }

  /** A text that was cut in its middle can begin with the end of a secret. */
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

/** Includes each line of a value with several lines, because lines may be shown apart. */
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

/** The base64 characters that depend on the value alone, after so many bytes of other text. */
function base64After(before: number, value: string): string {
  const bytes = Buffer.from("\0".repeat(before) + value);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), whole);
}

function patternOf(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Also matches signs that are escaped for HTML or Markdown. */
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
