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
