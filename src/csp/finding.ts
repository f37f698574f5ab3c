import type { Problem } from "../model/problem.js";

/** Something odd about a value. Offsets are UTF-16 indices into it; `end` is exclusive. */
export interface Finding {
  readonly severity: Problem["severity"];
  readonly code: string;
  /** What is wrong and what to do, in full sentences. */
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** What a value could have, and does not. */
export interface Advice {
  readonly code: string;
  /** What that would be good for, in full sentences. */
  readonly message: string;
}

/** What a finding means for its value, as a fixed text. */
export function summaryOf({ severity }: Finding): string {
  return severity === "error" ? "The CSP value cannot be used" : "The CSP value may not do what it is for";
}
