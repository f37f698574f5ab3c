import { cut } from "../model/cut.js";

/** Some of a sentence: of many only the first few. */
export function listed(parts: readonly string[], separator = ", "): string {
  const few = parts.slice(0, MOST).map((part) => cut(part, MOST_CHARS));
  const rest = parts.length - few.length;
  return [...few, ...(rest > 0 ? [`${rest} more`] : [])].join(separator);
}

const MOST = 3;
const MOST_CHARS = 300;
