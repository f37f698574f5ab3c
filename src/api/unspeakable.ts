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

/** Hosts and folders are called like much else, zones among it: no message is about a long one that is no name. */
const MIN_PLACE_CHARS = 12;
const DOMAIN_NAME = /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/i;

/**
 * What of a secret is one too: a message may repeat no more than a password. The host of a URL of the web is none, nor
 * are the names of its parameters; of any other URL the host is somebody's bucket.
 */
function partsOf(text: string): readonly string[] {
  const [, scheme, user = "", host = "", path = "", query = text] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:([^@/?#]*)@)?([^/?#]*)([^?#]*)(.*)$/is.exec(text) ?? [];
  const hosts = scheme === undefined || /^https?$/i.test(scheme) ? [] : [host, host.replace(/:\d*$/, "")];
  const places = [...hosts, path.replace(/^\/|\/$/g, ""), ...path.split("/")];
  const values = query.split(/[/?&#]/).flatMap((part) => [part, part.slice(part.indexOf("=") + 1)]);
  return [
    ...[...user.split(":"), ...values].flatMap(spoken).filter((part) => part.length >= MIN_CHARS),
    ...places.flatMap(spoken).filter((part) => part.length >= MIN_PLACE_CHARS && !DOMAIN_NAME.test(part)),
  ];
}

function spoken(part: string): readonly string[] {
  return [part, ...decoded(part).split(/\s+/), decoded(part)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
