import type { Json } from "../model/json.js";
import { isObject } from "../model/json.js";
import { isLate, isSecret, type Late, type Sealed } from "../model/sealed.js";

/**
 * A step's body with what its references to secrets stand for. References stand at the top of a body; deeper down
 * there may be what the service gave, which is sent back as it is, whatever it looks like.
 */
export function bodyOf(body: Sealed | null, secrets: ReadonlyMap<string, Json>): Json | null {
  if (!isObject(body)) return body as Json | null; // a body is an object or nothing
  const filled = Object.entries(body).map(([field, value]): readonly [string, Json] => {
    if (!isSecret(value)) return [field, value];
    const secret = secrets.get(value.$secret);
    if (secret === undefined) throw new Error("every reference of a plan is among its secrets");
    return [field, secret];
  });
  return Object.fromEntries(filled);
}

/** What no message may repeat: the secrets, sent now or before, and their parts. */
export function unspeakable(secrets: ReadonlyMap<string, Json>): readonly string[] {
  return [...secrets.values()].flatMap(textsIn).flatMap((text) => [text, ...partsOf(text)]);
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
  const values = rest.split(/[/?&#]/).map((part) => part.slice(part.indexOf("=") + 1));
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

/** A step's path with the ids that earlier steps have made. */
export function pathWith(path: readonly (string | Late)[], made: ReadonlyMap<number, string>): string {
  const parts = path.map((part) => {
    if (!isLate(part)) return part;
    const id = made.get(part.$result);
    if (id === undefined) throw new Error("a step comes after those whose ids it needs");
    return id;
  });
  return parts.map((part) => `/${part}`).join("");
}
