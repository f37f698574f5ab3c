/**
 * What the desired state is read for. `check`: secrets need not be set, and what the live state could tell is judged by
 * the files alone. `base`: as it was before a change; what it took from the environment need not be set any more.
 */
export type Purpose = "check" | "plan" | "base";
