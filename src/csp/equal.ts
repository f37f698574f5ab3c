import { equal as isSame } from "../model/equal.js";
import { canonical } from "./canonical.js";
import { parse } from "./parse.js";

/** Whether two values mean the same to a browser. `a, b` is two policies: only the same two in that order equal it. */
export function equal(a: string, b: string): boolean {
  return a === b || isSame(canonical(parse(a)), canonical(parse(b)));
}
