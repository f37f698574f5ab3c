import type { Meaning } from "../diff/meaning.js";
import { normalise } from "../expression/index.js";

/** Two filter expressions are the same where only the whitespace between their words is another. */
export const expressionMeaning: Meaning = {
  canonical: (value) => (typeof value === "string" ? normalise(value) : value),
};
