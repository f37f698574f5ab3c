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

/** The place without the text of its line. */
export function unquoted<T extends Span | null | undefined>(at: T): T {
  return at ? { ...at, text: "" } : at;
}

/** Something the user has to know. A problem is a value: problems are collected and shown together. */
export interface Problem {
  /** Stable, snake_case, for scripts. */
  readonly code: string;
  /** A note needs no action: the files accept it. */
  readonly severity: "error" | "warning" | "note";
  /** Fixed for the code, if possible without outside data. */
  readonly summary: string;
  /** Cause and fix, in full sentences. */
  readonly detail: string;
  /** The detail with its named options as data, for shells other than the command line. */
  readonly sentences?: Sentences;
  /** The place in the desired-state files, if any. */
  readonly at: Span | null;
  /** The zone, if the place is shared by several. */
  readonly zone?: string;
  /** For an accepted warning, which is a note: until when, and why. */
  readonly accepted?: Accepted;
}

/** Until when a warning is accepted, and why. */
export interface Accepted {
  /** The last valid day: `2026-12-31`, in UTC. */
  readonly until: string;
  readonly reason: string;
  /** Present if the end is near. */
  readonly days_left?: number;
}

/** A value, or the problems that prevented it. */
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

/** The values in order, or the problems of all. */
export function allOf<const Results extends readonly Result<unknown>[]>(
  results: Results,
): Result<{ readonly [Index in keyof Results]: Results[Index] extends Result<infer T> ? T : never }> {
  const problems = results.flatMap((each) => (each.ok ? [] : each.problems));
  if (problems.length > 0) return failed(...problems);
  // A result without problems has a value.
  return ok(results.map((each) => (each.ok ? each.value : null)) as never);
}

/** An error. Without a place it is about the service, the command line or the environment. */
export function problem(
  code: string,
  summary: string,
  detail: string | Sentences,
  at?: Span | null,
): Problem {
  return problemAs("error", code, summary, detail, at);
}

export function warning(
  code: string,
  summary: string,
  detail: string | Sentences,
  at?: Span | null,
): Problem {
  return problemAs("warning", code, summary, detail, at);
}

/** The same problem as a warning, where it does not stop the rest. */
export function asWarning(reason: Problem): Problem {
  return { ...reason, severity: "warning" };
}

export function asError(reason: Problem): Problem {
  return { ...reason, severity: "error" };
}

export function note(code: string, summary: string, detail: string | Sentences, at?: Span | null): Problem {
  return problemAs("note", code, summary, detail, at);
}

function problemAs(
  severity: Problem["severity"],
  code: string,
  summary: string,
  detail: string | Sentences,
  at: Span | null = null,
): Problem {
  return { code, severity, summary, ...detailed(detail), at };
}

/** A detail, and its sentences if they name options. */
function detailed(detail: string | Sentences): Pick<Problem, "detail" | "sentences"> {
  const text = textOf(detail);
  const namesOptions = typeof detail !== "string" && detail.some((each) => typeof each !== "string");
  return namesOptions ? { detail: text, sentences: detail } : { detail: text };
}

/** Adds the zone to problems without one. */
export function inZone(problems: readonly Problem[], zone: string): readonly Problem[] {
  return problems.map((each) => ({ zone, ...each }));
}

/** Adds text before or after the detail. */
export function remarked<T extends Problem>(
  reason: T,
  { before = "", after = "" }: { readonly before?: string; readonly after?: string | Sentences },
): T {
  const { detail, sentences = [detail] } = reason;
  return { ...reason, ...detailed([before, ...sentences, ...[after].flat()]) };
}

/** Changes every text of a problem. */
export function rephrased<T extends Problem>(reason: T, change: (text: string) => string): T {
  const { detail, sentences } = reason;
  if (sentences === undefined) return { ...reason, detail: change(detail) };
  const changed = sentences.map((sentence) => {
    if (typeof sentence === "string") return change(sentence);
    return sentence.value === undefined ? sentence : { ...sentence, value: change(sentence.value) };
  });
  return { ...reason, detail: change(detail), sentences: changed };
}

/** Whether every problem has one of the codes. */
export function areAll(problems: readonly Problem[], ...codes: readonly string[]): boolean {
  return problems.every(({ code }) => codes.includes(code));
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((each) => each.severity === "error");
}

/** For a value that cannot be missing: throws, as that is a bug and not a problem of the user. */
export function absurd(why: string): never {
  throw new Error(why);
}
