/** What one comparison of two values found: nothing uncovered, something that only the second allows, or neither. */
export type Answer = "covered" | "refuted" | "open";
