/** A place in a file. Lines and columns count from 1; a column counts UTF-16 code units. */
export interface Span {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** JSON pointer (RFC 6901) inside the file. */
  readonly pointer: string;
  /** The line of the file, for showing it with a caret. */
  readonly text: string;
}

/** Something the user has to know. A problem is a value: it is collected and shown with all others of the run. */
export interface Problem {
  /** Stable, snake_case: what scripts match on. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** Fixed text for the code, without data from outside where that is possible. */
  readonly summary: string;
  /** What is wrong here, and what to do, in full sentences. */
  readonly detail: string;
  /** Where in the desired-state files, if it is about them. */
  readonly at: Span | null;
}

/** A value, or what kept it from coming about. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed(...problems: readonly Problem[]): {
  readonly ok: false;
  readonly problems: readonly Problem[];
} {
  return { ok: false, problems };
}

/** A problem with no place in a file: one of the service, the command line or the environment. */
export function problem(code: string, summary: string, detail: string): Problem {
  return { code, severity: "error", summary, detail, at: null };
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((each) => each.severity === "error");
}
