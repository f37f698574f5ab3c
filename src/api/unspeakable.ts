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
 * What of a secret is one too: a message may repeat no more than a password. The host of a URL of the web is none, nor
 * are the names of its parameters; of any other URL the host is somebody's bucket.
 */
function partsOf(text: string): readonly string[] {
  const [, scheme = "", user = "", host = "", rest = text] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:([^@/?#]*)@)?([^/?#]*)(.*)$/is.exec(text) ?? [];
  const hosts = /^https?$/i.test(scheme) ? [] : [host, host.replace(/:\d*$/, "")];
  const values = rest.split(/[/?&#]/).flatMap((part) => [part, part.slice(part.indexOf("=") + 1)]);
  return [...user.split(":"), ...hosts, rest.replace(/[?#].*$/s, "").replace(/^\/|\/$/g, ""), ...values]
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
