import { hash } from "node:crypto";

/** 32 lower-case hexadecimal digits, the same for the same words, so that runs can be repeated. */
export function idOf(...words: readonly (string | number)[]): string {
  return hash("sha256", JSON.stringify(words)).slice(0, 32);
}

/** Whether a text looks like an identifier of the service. */
export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{32}$/.test(text);
}
