import type { Json } from "./json.js";

/** Shorter texts are words that any object may have. */
const MIN_SECRET_CHARS = 16;

/** The secrets that stand in a text, as they are or as JSON spells them. */
export function secretsIn(text: string, secrets: Iterable<Json>): readonly string[] {
  return [...secrets].filter((secret): secret is string => {
    if (typeof secret !== "string" || secret.length < MIN_SECRET_CHARS) return false;
    return text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
  });
}
