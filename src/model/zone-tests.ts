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

/** What there is in a zone that tests ask about: as the files declare it, as it is live, or as a plan leaves it. */
export interface ZoneState {
  /** What puts a CSP on pages. Null: nobody has declared or read it. */
  readonly pages: readonly PageObject[] | null;
  /** The rules of a phase in their order, by its name. One that is not there was not declared or read. */
  readonly rules: ReadonlyMap<string, readonly JsonObject[]>;
  /** Rules of other lists that run before those of a phase, and by which requests skip them: by the name of that phase. */
  readonly before: ReadonlyMap<string, readonly RuleBefore[]>;
  /** What writes logs. Null: nobody has declared or read it. */
  readonly logs: readonly LogWriter[] | null;
  /** Managed rulesets by the names that the files have for them → their ids. */
  readonly rulesets: ReadonlyMap<string, string>;
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

/** What a plan is made of, and what it makes of that. */
export interface ZoneStates {
  readonly before: ZoneState;
  readonly after: ZoneState;
}
