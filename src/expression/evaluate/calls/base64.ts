import type { Bytes } from "../../tree.js";

/** Undefined for what is no plain Base64: the service's documents do not say what comes of it. */
export function decodeBase64(text: Bytes): Bytes | undefined {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? atob(text) : undefined;
}
