import { type Sentences, textOf } from "./sentence.js";

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

/** The place without what stands there. */
export function unquoted<T extends Span | null | undefined>(at: T): T {
  return at ? { ...at, text: "" } : at;
}

/** Something the user has to know. A problem is a value: it is collected and shown with all others of the run. */
export interface Problem {
  /** Stable, snake_case: what scripts match on. */
  readonly code: string;
  /** A note is nothing to mend: the files say that they know of it. */
  readonly severity: "error" | "warning" | "note";
  /** Fixed text for the code, without data from outside where that is possible. */
  readonly summary: string;
  /** What is wrong here, and what to do, in full sentences. */
  readonly detail: string;
  /** The detail with the options that it names as data, where it names some: for a shell that is not the command line. */
  readonly sentences?: Sentences;
  /** Where in the desired-state files, if it is about them. */
  readonly at: Span | null;
  /** The zone that it is found in, where its place is that of many. */
  readonly zone?: string;
  /** Of a note that would be a warning: until when and why the files accept it. */
  readonly accepted?: Accepted;
}

/** Until when and why somebody lives with a warning. */
export interface Accepted {
  /** The last day on which it holds: `2026-12-31`, in UTC. */
  readonly until: string;
  readonly reason: string;
  /** Where that is soon. */
  readonly days_left?: number;
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
export function problem(code: string, summary: string, detail: string | Sentences): Problem {
  return { code, severity: "error", summary, ...detailed(detail), at: null };
}

/** A detail, and its sentences where options are named in it. */
export function detailed(detail: string | Sentences): Pick<Problem, "detail" | "sentences"> {
  const text = textOf(detail);
  const namesOptions = typeof detail !== "string" && detail.some((each) => typeof each !== "string");
  return namesOptions ? { detail: text, sentences: detail } : { detail: text };
}

/** Problems of a zone, which know that whatever their place is. */
export function inZone(problems: readonly Problem[], zone: string): readonly Problem[] {
  return problems.map((each) => ({ zone, ...each }));
}

/** The same problem with something said before or after. */
export function remarked<T extends Problem>(
  reason: T,
  { before = "", after = "" }: { readonly before?: string; readonly after?: string | Sentences },
): T {
  const { detail, sentences = [detail] } = reason;
  return { ...reason, ...detailed([before, ...sentences, ...[after].flat()]) };
}

/** The same problem with each of its texts changed. */
export function rephrased<T extends Problem>(reason: T, change: (text: string) => string): T {
  const { detail, sentences } = reason;
  if (sentences === undefined) return { ...reason, detail: change(detail) };
  const changed = sentences.map((each) => {
    if (typeof each === "string") return change(each);
    return each.value === undefined ? each : { ...each, value: change(each.value) };
  });
  return { ...reason, detail: change(detail), sentences: changed };
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((each) => each.severity === "error");
}

/** Where a value would have to be missing that always is there: a bug here, and no problem of whoever runs this. */
export function absurd(why: string): never {
  throw new Error(why);
}
