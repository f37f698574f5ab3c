/** Lines of requests, by what their paths begin with. A count is of lines: a job that samples writes fewer than there were requests. */
export interface LinesByPath {
  readonly lines: number;
  /** Those with most lines, the most first: `/api/*`, `/search`. */
  readonly paths: readonly { readonly path: string; readonly lines: number }[];
  /** Lines of all other paths, and those that tell none. */
  readonly other_paths: number;
}

/** What keeps an answer open. */
export interface UntoldField {
  /** As expressions have it: `http.request.headers["x-api-key"]`; a list of the account as `$name`. */
  readonly field: string;
  /** In how many of the lines. */
  readonly lines: number;
  /** What a job would have to list for lines to tell it, beside what they have; absent: no line can tell it. */
  readonly log_fields?: readonly string[];
  /** The custom log field that has it logged. */
  readonly custom_log_field?: { readonly list: string; readonly name: string };
}

export interface UndecidedLines {
  readonly lines: number;
  /** What the lines do not tell; none where it is another reason, such as a function that is not modelled. */
  readonly untold: readonly UntoldField[];
}

/** What lines of requests answer about one expression. */
export interface MatchedLines {
  readonly lines: number;
  readonly matches: LinesByPath;
  readonly does_not_match: LinesByPath;
  readonly undecided: UndecidedLines;
}

/** What becomes of requests that an object's expression matches. */
export type RequestEffect = "applies_to" | "skips";

/** What an object does with what it finds there, where that is a matter of degree. */
export type RequestAct = "blocks" | "reports";

/** A change that moves which requests that is, or what is done there. An expression is null where there are none, as of an object that is switched off. */
export interface RequestMove {
  /** Its index among the zone's changes. */
  readonly change: number;
  readonly does: RequestEffect;
  readonly before: string | null;
  readonly after: string | null;
  /** What it does there after the change, where it has done another thing before. Null: the same, or nothing to compare. */
  readonly becomes: RequestAct | null;
}

/** What lines of requests answer about a change. */
export interface MovedLines {
  readonly does: RequestEffect;
  /** All lines of the zone. */
  readonly lines: number;
  /** Those that surely match before, and after. */
  readonly before: number;
  readonly after: number;
  /** Those that match only after, and only before. */
  readonly more: LinesByPath;
  readonly fewer: LinesByPath;
  /** What it does now on those that match before and after, and those. Absent: what it has done before. */
  readonly becomes?: RequestAct;
  readonly kept?: LinesByPath;
  /** Those of which it is open whether they match before, or after. */
  readonly undecided: UndecidedLines;
}

/** How many lines there were in all. */
export interface LinesRead {
  /** Of requests in zones of the plan. */
  readonly lines: number;
  /** When the first and the last of these requests came, of those that say when: RFC 3339 to the second. Null: none does. */
  readonly first: string | null;
  readonly last: string | null;
  /** Of requests in other zones, and of those that name neither zone nor host. */
  readonly other_zones: number;
  /** Of other datasets. */
  readonly other_datasets: number;
  /** That are no whole JSON object. */
  readonly broken: number;
}
