import type { Interpolation } from "./declared-zone.js";

/** `${…}` up to its brace, including a nested reference; `$${` is a literal `${`. */
export const REFERENCE = /\$\$\{|\$\{((?:\$\{[^{}]{0,200}\}|[^}$]+|\$)*)(\}?)/g;

/** The content of the braces: source, name and default. */
export const NAMED = /^(env|secret):([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Escapes a text so that it has no references. */
export function escaped(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** A text as its file has it, with references unresolved: different meanings give different texts. */
export function asWritten(text: string, from: Interpolation | null): string {
  return from?.written ?? escaped(text);
}

/** Shown in place of a sensitive value. */
export const SENSITIVE = "(sensitive)";

/** A sensitive text for display: only the names of its references, without literal text and defaults. */
export function withoutLiterals(text: string): string {
  return partsOf(text)
    .map((part) => part.reference ?? SENSITIVE)
    .join("");
}

/** The references of a text, without their defaults. */
export function referencesIn(text: string): readonly string[] {
  return partsOf(text).flatMap(({ reference }) => reference ?? []);
}

/** A reference, or literal text between two references. */
interface Part {
  /** Null: literal text. */
  readonly reference: string | null;
}

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let position = 0;
  const literalUpTo = (end: number): void => {
    if (end > position) parts.push({ reference: null });
  };
  for (const { 0: whole, 1: inner = "", index } of text.matchAll(REFERENCE)) {
    const [, source, name, fallback = null] = NAMED.exec(inner) ?? [];
    if (source === undefined) continue;
    literalUpTo(index);
    const instead = fallback === null ? "" : `:-${fallback === "" ? "" : SENSITIVE}`;
    parts.push({ reference: `\${${source}:${name}${instead}}` });
    position = index + whole.length;
  }
  literalUpTo(text.length);
  return parts;
}
