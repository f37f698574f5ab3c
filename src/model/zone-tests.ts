import type { Path } from "./item.js";
import type { JsonObject } from "./json.js";
import type { Problem, Span } from "./problem.js";
import type { Layer } from "./strength.js";

/** A test of the files, with the zone's name filled in. */
export interface WrittenTest {
  readonly body: JsonObject;
  /** The place of a path in the test; the empty path is the whole test. */
  at(path: Path): Span;
}

export interface TestResult {
  readonly name: string;
  /** The test's place, computed on demand: finding it takes longer than most tests. */
  at(): Span;
  /** Why the test fails. */
  readonly problems: readonly Problem[];
}

/** A live rule of another list, and that list's phase. */
export interface RuleBefore {
  readonly rule: JsonObject;
  readonly phase: string;
  readonly isOfAccount: boolean;
}

/** An object that puts CSPs on pages. */
export interface PageObject {
  readonly name: string;
  readonly layers: readonly Layer[];
  /** An unknown further effect: on which requests, and why. Null: none. */
  readonly unknown: { readonly where: string; readonly why: string } | null;
}

/** A job that writes lines of a dataset. */
export interface LogWriter {
  readonly name: string;
  readonly dataset: string;
  /** Disabled or deleted: it writes nothing. */
  readonly isOff: boolean;
  /** The service's filter of its lines; empty: all. Null: unknown. */
  readonly filter: string | null;
}
