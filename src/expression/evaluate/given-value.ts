import { unknownField } from "../parse/hints.js";
import { constantNamed, fieldType } from "../tables/fields.js";
import type { Type } from "../tables/types.js";
import { isItems, isMap, type Seen, seenIn } from "./value.js";

export type GivenValue =
  | { readonly ok: true; readonly value: unknown }
  /** Why not, as sentences. */
  | { readonly ok: false; readonly why: string };

/** The value of a field that somebody wrote as text: a list or a map as JSON, all else as it stands in an expression. */
export function givenValue(name: string, text: string): GivenValue {
  const type = constantNamed(name) === null ? fieldType(name) : undefined;
  if (type === undefined) return { ok: false, why: unknownField(name) };
  const value = "of" in type ? jsonIn(text) : simpleIn(text, type);
  return isKnown(seenIn(value, type)) ? { ok: true, value } : { ok: false, why: wrongType(text, type) };
}

function simpleIn(text: string, type: Type): unknown {
  switch (type.is) {
    case "Bool":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "Int":
      return /^-?[0-9]{1,20}$/.test(text) ? BigInt(text) : undefined;
    default:
      return unquoted(text);
  }
}

/** Quotes around the whole are those of the expression or of JSON. */
function unquoted(text: string): string {
  const value = text.startsWith('"') ? jsonIn(text) : text;
  return typeof value === "string" ? value : text;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isKnown(seen: Seen): boolean {
  if (isMap(seen) || isItems(seen)) return [...seen.values()].every(isKnown);
  return seen !== undefined;
}

function wrongType(text: string, type: Type): string {
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  switch (type.is) {
    case "Bytes":
      return `\`${shown}\` is no text.`;
    case "Int":
      return `\`${shown}\` is no whole number.`;
    case "Bool":
      return `\`${shown}\` is neither \`true\` nor \`false\`.`;
    case "Ip":
      return `\`${shown}\` is no IP address.`;
    case "Array":
    case "Map":
      return `\`${shown}\` is not what this field has. Write it as JSON, such as ${example(type)}.`;
  }
}

const MOST_SHOWN = 80;

function example(type: Type): string {
  switch (type.is) {
    case "Array":
      return `[${example(type.of)}]`;
    case "Map":
      return `{"a": ${example(type.of)}}`;
    case "Int":
      return "1";
    case "Bool":
      return "true";
    case "Bytes":
    case "Ip":
      return '"b"';
  }
}
