import type { Problem } from "./problem.js";

/** The outcome of one call. */
export interface CallOutcome {
  /** The step's number in the plan document. */
  readonly step: number;
  readonly zone: string;
  /** `PUT /zones/…`, for people. */
  readonly call: string;
  readonly status: "done" | "failed" | "not_started";
  readonly problem: Problem | null;
}

/** The outcome of a zone. Converged: its live state, read back, is what the files declare. */
export interface ZoneOutcomeReport {
  readonly zone: string;
  readonly converged: boolean;
  readonly problems: readonly Problem[];
}

/** The outcome of an apply or a rollback. */
export interface ApplyReport {
  /** Counts of calls and of zones. */
  readonly summary: {
    readonly done: number;
    readonly failed: number;
    readonly not_started: number;
    readonly zones_converged: number;
    readonly zones_failed: number;
  };
  /** Every call, in the plan's order. */
  readonly outcomes: readonly CallOutcome[];
  readonly zones: readonly ZoneOutcomeReport[];
  /** The journal's path, relative to the working directory. Null: there was no call. */
  readonly journal: string | null;
  /** Whether a call had, or may have had, an effect that can be rolled back. */
  readonly undoable: boolean;
  /** Whether all zones are as declared. */
  readonly converged: boolean;
}

/** Called now and then during a run. */
export type Progress = (done: number, of: number, doing: string) => void;
