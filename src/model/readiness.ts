import type { ImpactEntry, OtherReports, UndecidedEntry } from "./detection.js";
import type { Problem, Result } from "./problem.js";

/** Whether something that reports could block. */
export interface Readiness {
  readonly verdict: "ready" | "not_ready" | "no_evidence";
  /** Whether the service looks at what pages load. Where it does not, nobody knows what they load by now. */
  readonly detecting: boolean;
  /** From the first to the last time that the service has seen something on its pages, as it says; null: it has not. */
  readonly first: string | null;
  readonly last: string | null;
  /** Whole days between the two. */
  readonly days: number;
  /** How many loads were seen on its pages, or reported there. */
  readonly loads: number;
  /** What it would block that is not known to be malicious. */
  readonly would_block: readonly ImpactEntry[];
  /** Of which it is open. */
  readonly may_block: readonly UndecidedEntry[];
  /** What else browsers reported of it, which it would block: how often, by what it is and by the directive. */
  readonly reported_besides: readonly Omit<OtherReports, "object">[];
  /** The tests of the files that pass now and would not then, each with what it would say. */
  readonly failing_tests: readonly FailingTest[];
  /** What it would block that is malicious. */
  readonly would_stop: readonly ImpactEntry[];
}

/** A test of the files that would fail. */
export interface FailingTest {
  readonly name: string;
  readonly why: string;
}

/** An object that reports, and whether it could block. */
export interface ReadyObject extends Readiness {
  readonly name: string;
  readonly id: string | null;
}

/** What reports in one zone, or why that cannot be told. */
export interface ReadyZone {
  readonly zone: string;
  readonly found: Result<readonly ReadyObject[]>;
}

/** All that reports, zone by zone. */
export interface ReadyReport {
  /** Fewer days of evidence are too few. */
  readonly leastDays: number;
  readonly zones: readonly ReadyZone[];
  /** What is to be said of the logs. */
  readonly told: readonly Problem[];
}
