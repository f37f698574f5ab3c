import type { Path } from "./item.js";
import type { JsonObject } from "./json.js";
import type { Problem, Span } from "./problem.js";
import type { Layer } from "./strength.js";

/** A test as the files have it, with what its zone is called filled in: what must work, and what must not. */
export interface WrittenTest {
  readonly body: JsonObject;
  /** Where a path of it stands; the empty path: the test as a whole. */
  at(path: Path): Span;
}

/** What came of a test. */
export interface TestResult {
  readonly name: string;
  /** Where it stands: to find it takes longer than most tests, and few ask. */
  at(): Span;
  /** What does not pass of it. */
  readonly problems: readonly Problem[];
}

/** A rule of another list, and the phase that this list is of. */
export interface RuleBefore {
  readonly rule: JsonObject;
  readonly phase: string;
}

/** An object that puts CSPs on pages. */
export interface PageObject {
  readonly name: string;
  readonly layers: readonly Layer[];
  /** What else it may do, where that is not known: on which requests, and why. Null: all is known. */
  readonly unknown: { readonly where: string; readonly why: string } | null;
}

/** Something that writes lines of a dataset. */
export interface LogWriter {
  readonly name: string;
  readonly dataset: string;
  /** Switched off, or gone: it writes none, whatever its filter. */
  readonly isOff: boolean;
  /** Which lines it writes, as the service has it; empty: all. Null: that is not known. */
  readonly filter: string | null;
}
