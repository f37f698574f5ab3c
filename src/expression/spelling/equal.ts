import { equal as isSame } from "../../model/json.js";
import { canonical } from "./canonical.js";

/**
 * Whether two texts are the same tree to the engine. What only means the same is not equal here: the other order of a
 * set, a range instead of a network. Texts that are no expressions are equal where only their whitespace differs.
 */
export function equal(one: string, other: string): boolean {
  return one === other || isSame(canonical(one), canonical(other));
}
