import type { Json } from "../model/json.js";
import type { SealedObject } from "../model/sealed.js";
import type { Hindrance } from "../model/strength.js";

/**
 * A boolean as the service gives it: the published schema has a boolean, the documentation's examples show
 * the text "true". What is neither comes back as it is, so that it shows as a difference.
 */
export function readFlag(value: Json): Json {
  if (typeof value !== "string") return value;
  const text = value.toLowerCase();
  return text === "true" ? true : text === "false" ? false : value;
}

/** The boolean in the form of a live value: text where that is text, else a boolean. */
export function writeFlag(value: Json, like: Json | undefined): Json {
  return typeof like === "string" && typeof value === "boolean" ? String(value) : value;
}

/** What is switched off does nothing, whatever else it says. */
export function whileOff({ enabled }: SealedObject): readonly Hindrance[] {
  return enabled === false ? [{ as: "off" }] : [];
}
