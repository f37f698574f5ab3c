import type { ImpactEntry, OtherReports, UndecidedEntry } from "./detection.js";
import type { Problem, Result } from "./problem.js";

/** Whether a reporting object could block. */
export interface Readiness {
  readonly verdict: "ready" | "not_ready" | "no_evidence";
  /** Whether detection is on. Otherwise, current loads are unknown. */
  readonly detecting: boolean;
  /** The first and last time that the service saw a load on its pages; null: never. */
  readonly first: string | null;
  readonly last: string | null;
  /** Whole days between the two. */
  readonly days: number;
  /** The number of loads seen or reported on its pages. */
  readonly loads: number;
  /** Loads it would block that are not known to be malicious. */
  readonly would_block: readonly ImpactEntry[];
  /** Loads with an open verdict. */
  readonly may_block: readonly UndecidedEntry[];
  /** Further reports, which it would block, by kind and directive. */
  readonly reported_besides: readonly Omit<OtherReports, "object">[];
  /** Tests of the files that pass now and would fail then. */
  readonly failing_tests: readonly FailingTest[];
  /** Malicious loads it would block. */
  readonly would_stop: readonly ImpactEntry[];
}

/** A test of the files that would fail. */
export interface FailingTest {
  readonly name: string;
  readonly why: string;
}

/** A reporting object, and whether it could block. */
export interface ReadyObject extends Readiness {
  readonly name: string;
  readonly id: string | null;
}

/** The reporting objects of one zone, or why they could not be read. */
export interface ReadyZone {
  readonly zone: string;
  readonly found: Result<readonly ReadyObject[]>;
}

/** The reporting objects of all zones. */
export interface ReadyReport {
  /** The required days of evidence. */
  readonly leastDays: number;
  readonly zones: readonly ReadyZone[];
  /** Problems with the logs. */
  readonly told: readonly Problem[];
}
