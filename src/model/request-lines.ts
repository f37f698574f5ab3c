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

/** A change of the matching requests, or of the action on them. Null expressions match none: a disabled object. */
export interface RequestMove {
  /** The index among the zone's changes. */
  readonly change: number;
  readonly does: RequestEffect;
  readonly before: string | null;
  readonly after: string | null;
  /** The new action, if it changes. Null: the same, or not comparable. */
  readonly becomes: RequestAct | null;
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
  /** Lines that are no complete JSON object. */
  readonly broken: number;
}
