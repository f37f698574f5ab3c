import { cut } from "./cut.js";

/** Whether an id that came from outside may stand in a path. Ids at the service are 32 hexadecimal digits. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

/** What stands where an id should, for a message: `the id "../x", which is none`. */
export function notAnId(given: unknown): string {
  if (given === undefined || given === null) return "no id";
  return `the id ${cut(JSON.stringify(given), MAX_CHARS)}, which is none: ids are letters, digits, - and _`;
}

const MAX_CHARS = 100;
