import type { Problem } from "./problem.js";

/** What became of one call of the plan. */
export interface CallOutcome {
  /** Its number in the plan document. */
  readonly step: number;
  readonly zone: string;
  /** `PUT /zones/…`: for people. */
  readonly call: string;
  readonly status: "done" | "failed" | "not_started";
  readonly problem: Problem | null;
}

/** What became of a zone. Converged: its live state is what the files declare, read back to be sure. */
export interface ZoneOutcomeReport {
  readonly zone: string;
  readonly converged: boolean;
  readonly problems: readonly Problem[];
}

/** What became of an apply or a rollback. */
export interface ApplyReport {
  /** Counts of calls, and of zones that are as declared or are not. */
  readonly summary: {
    readonly done: number;
    readonly failed: number;
    readonly not_started: number;
    readonly zones_converged: number;
    readonly zones_failed: number;
  };
  /** Each call of the plan, in the plan's order. */
  readonly outcomes: readonly CallOutcome[];
  readonly zones: readonly ZoneOutcomeReport[];
  /** Where it was written down, from the working directory. Null: there was no call to make. */
  readonly journal: string | null;
  /** Whether a call had an effect, or may have had one: then there can be something to roll back. */
  readonly undoable: boolean;
  /** Whether every zone of the run is as declared: then there is nothing left to do. */
  readonly converged: boolean;
}

/** Told now and then while a run goes on. */
export type Progress = (done: number, of: number, doing: string) => void;
