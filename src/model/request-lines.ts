/** Request lines by path prefix. Jobs may sample, so there may have been more requests than lines. */
export interface LinesByPath {
  readonly lines: number;
  /** The most frequent prefixes, the most first: `/api/*`, `/search`. */
  readonly paths: readonly { readonly path: string; readonly lines: number }[];
  /** Lines with other paths or no path. */
  readonly other_paths: number;
}

/** A field that keeps an answer open. */
export interface UntoldField {
  /** As in expressions: `http.request.headers["x-api-key"]`; an account list as `$name`. */
  readonly field: string;
  readonly lines: number;
  /** Log fields that a job would need for the answer; absent: no log field tells it. */
  readonly log_fields?: readonly string[];
  /** The custom log field that would log it. */
  readonly custom_log_field?: { readonly list: string; readonly name: string };
}

export interface UndecidedLines {
  readonly lines: number;
  /** The missing fields; empty: another reason, such as a function that is not modelled. */
  readonly untold: readonly UntoldField[];
}

/** The answers of request lines about one expression. */
export interface MatchedLines {
  readonly lines: number;
  readonly matches: LinesByPath;
  readonly does_not_match: LinesByPath;
  readonly undecided: UndecidedLines;
}

/** The effect on requests that an object's expression matches. */
export type RequestEffect = "applies_to" | "skips";

/** What an object does with its findings, for objects that can do either. */
export type RequestAct = "blocks" | "reports";

/** The data center, by which each rate limit counts: the service requires it, so that files need not name it. */
export const COLO = "cf.colo.id";

/** A rate limit, as far as log lines can tell its effect. Times are in seconds. */
export interface RequestLimit {
  readonly expression: string;
  /** The counted requests, as a filter expression. */
  readonly counting_expression: string;
  readonly characteristics: readonly string[];
  readonly requests: number;
  readonly period: number;
  readonly timeout: number;
  /** Why log lines never tell its effect. Null: they do. */
  readonly unknown: "score" | "requests_to_origin" | "no_timeout" | null;
}

/** The lines that a rate limit would have limited. */
export interface LimitedLines {
  /** Null: unknown. */
  readonly lines: number | null;
  /** at_most: lines share counters that the service keeps apart. at_least: some lines may or may not count. */
  readonly bound?: "at_most" | "at_least";
  /** Why the number is unknown. */
  readonly unknown?:
    | NonNullable<RequestLimit["unknown"]>
    | "no_time"
    | "not_logged"
    | "undecided"
    | "too_many";
  /** The characteristics that lines have, and those that some lines lack. */
  readonly by: readonly string[];
  readonly not_logged: readonly string[];
}

/** A value before and after a change. Absent: there is none. */
export interface Sides<T> {
  readonly before?: T;
  readonly after?: T;
}

export function mapSides<T, U>({ before, after }: Sides<T>, of: (each: T) => U): Sides<U> {
  return {
    ...(before === undefined ? {} : { before: of(before) }),
    ...(after === undefined ? {} : { after: of(after) }),
  };
}

/** A change of the matching requests, or of the action on them. Null expressions match none: a disabled object. */
export interface RequestMove {
  /** The index among the zone's changes. */
  readonly change: number;
  readonly does: RequestEffect;
  readonly before: string | null;
  readonly after: string | null;
  /** The new action, if it changes. Null: the same, or not comparable. */
  readonly becomes: RequestAct | null;
  /** The rate limits, if the object is one. */
  readonly limits?: Sides<RequestLimit>;
}

/** The answers of request lines about a change. */
export interface MovedLines {
  readonly does: RequestEffect;
  /** All lines of the zone. */
  readonly lines: number;
  /** Lines that certainly match before, and after. */
  readonly before: number;
  readonly after: number;
  /** Lines that match only after, and only before. */
  readonly more: LinesByPath;
  readonly fewer: LinesByPath;
  /** The new action on lines that match before and after, and these lines. Absent: the same action. */
  readonly becomes?: RequestAct;
  readonly kept?: LinesByPath;
  /** Lines that the rate limit would have limited. Absent: the object is not a rate limit. */
  readonly limited?: Sides<LimitedLines>;
  /** Lines that may match before or after. */
  readonly undecided: UndecidedLines;
}

/** Totals of the lines read. */
export interface LinesRead {
  /** Requests in zones of the plan. */
  readonly lines: number;
  /** The first and last known time of these requests, RFC 3339 to the second. Null: unknown. */
  readonly first: string | null;
  readonly last: string | null;
  /** Requests in other zones, or without zone and host. */
  readonly other_zones: number;
  /** Lines of other datasets. */
  readonly other_datasets: number;
  /** Lines that are not complete JSON objects. */
  readonly broken: number;
}
