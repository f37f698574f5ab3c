import type { Environment } from "../config/index.js";

/** Shorter ones are parts of words, and no credential of the service is as short. */
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

/** The last to see what the program says: whatever came of them before, no credential leaves it. */
export function hidingCredentials(environment: Environment): (text: string) => string {
  return hiding(credentialsIn(environment).map(({ value }) => value));
}

/** Takes these out of a text, in whatever spelling they are there. */
export function hiding(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets.filter((value) => value.length >= MIN_CHARS).flatMap(spellingsOf);
  if (spellings.length === 0) return (text) => text;
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(patternOf).join("|"), "gi");
  return (text) => text.replace(pattern, "[redacted]");
}

function spellingsOf(value: string): readonly string[] {
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
export function patternOf(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
