import { readSource } from "./source.js";

/** A source that is on the visitor's own machine. Under a scheme of its own a host may be a part of an app. */
export function isOwnMachine(text: string): boolean {
  const source = readSource(text);
  if (source.form !== "host" || !isLoopback(source.host)) return false;
  return source.scheme === null || /^(?:https?|wss?)$/.test(source.scheme);
}

/** A host that is always the visitor's own machine. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(host);
}
