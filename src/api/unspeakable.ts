import { isObject, type Json } from "../model/json.js";

/** What no message may repeat of these values: their texts, and the parts of those. */
export function unspeakable(secret: Json): readonly string[] {
  return textsIn(secret).flatMap((text) => [text, ...partsOf(text)]);
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Shorter parts are words that any message may have. */
const MIN_CHARS = 6;

/**
 * What of a secret is one too: a message may repeat no more than a password. Of a URL the name of its host is none, nor
 * are those of its parameters.
 */
function partsOf(text: string): readonly string[] {
  const [, user = "", rest = text] = /^[a-z][a-z0-9+.-]*:\/\/(?:([^@/?#]*)@)?[^/?#]*(.*)$/is.exec(text) ?? [];
  const values = rest.split(/[/?&#]/).flatMap((part) => [part, part.slice(part.indexOf("=") + 1)]);
  return [...user.split(":"), ...values]
    .flatMap((part) => [part, ...decoded(part).split(/\s+/), decoded(part)])
    .filter((part) => part.length >= MIN_CHARS);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
