import { compiled } from "../regex/compile.js";
import { isFound } from "../regex/search.js";
import type { Bytes } from "../tree.js";
import type { Truth } from "./truth.js";

/** Whether a regular expression of the service is found in a value. "unknown" for what is too large or not modelled. */
export function matches(pattern: Bytes, value: Bytes): Truth {
  const program = compiled(pattern);
  return program === null ? "unknown" : (isFound(program, value) ?? "unknown");
}
