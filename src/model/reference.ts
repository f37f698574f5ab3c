import type { Interpolation } from "./wanted.js";

/** `${…}` up to its brace, with what stands in the braces of another in it; `$${` is a literal `${`. */
export const REFERENCE = /\$\$\{|\$\{((?:\$\{[^{}]{0,200}\}|[^}$]+|\$)*)(\}?)/g;

/** What stands between the braces: where a value is from, its name, and what stands in for it. */
export const NAMED = /^(env|secret):([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** A text in which nothing is taken for a reference. */
export function escaped(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** A text as its file has it, references from outside unresolved: no two texts that mean something else are the same. */
export function asWritten(text: string, from: Interpolation | null): string {
  return from?.written ?? escaped(text);
}

/** What is shown in place of what is sensitive. */
export const SENSITIVE = "(sensitive)";

/**
 * A sensitive text as its file has it, for showing: its references by their names, and nothing of what is written out
 * beside them or as their default.
 */
export function withoutLiterals(written: string): string {
  return partsOf(written)
    .map((part) => part.reference ?? SENSITIVE)
    .join("");
}

/** The references of a text, without their defaults. */
export function referencesIn(written: string): readonly string[] {
  return partsOf(written).flatMap(({ reference }) => reference ?? []);
}

/** A reference, or what is written out between two of them. */
interface Part {
  /** Null: it is written out. */
  readonly reference: string | null;
}

function partsOf(written: string): readonly Part[] {
  const parts: Part[] = [];
  let done = 0;
  const literalUpTo = (end: number): void => {
    if (end > done) parts.push({ reference: null });
  };
  for (const { 0: whole, 1: inner = "", index } of written.matchAll(REFERENCE)) {
    const [, source, name, fallback = null] = NAMED.exec(inner) ?? [];
    if (source === undefined) continue;
    literalUpTo(index);
    const instead = fallback === null ? "" : `:-${fallback === "" ? "" : SENSITIVE}`;
    parts.push({ reference: `\${${source}:${name}${instead}}` });
    done = index + whole.length;
  }
  literalUpTo(written.length);
  return parts;
}
