/**
 * What the desired state is read for. To be checked: secrets need not be set, and what the live state could tell is
 * judged by the files alone.
 */
export type Purpose = "check" | "plan";
