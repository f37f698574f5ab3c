import type { Regex } from "./tree.js";

/** How many steps a regular expression is when it is compiled. */
export function sizeOf(regex: Regex): number {
  switch (regex.as) {
    case "byte":
    case "assert":
    case "unknown":
      return 1;
    case "sequence":
      return sizeOfAll(regex.items);
    case "choice":
      return 1 + sizeOfAll(regex.items);
    case "repeat": {
      const size = sizeOf(regex.item);
      const optional = regex.max === null ? 1 : regex.max - regex.min;
      return regex.min * size + optional * (size + 1);
    }
  }
}

function sizeOfAll(items: readonly Regex[]): number {
  return items.reduce((sum, each) => sum + sizeOf(each), 0);
}
