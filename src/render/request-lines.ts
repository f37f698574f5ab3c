import type {
  LimitedLines,
  LinesByPath,
  MatchedLines,
  Sides,
  UndecidedLines,
  UntoldField,
} from "../model/request-lines.js";
import type { PlannedChange, PlannedRequestLines } from "../plan/generated/plan-document.js";
import { count, grouped, plain } from "./safe-text.js";

/** Texts about request logs, shared by all formats. Text of the logs is not yet escaped. */

/** `1,204 lines` */
export function linesText(lines: number): string {
  return lines === 1 ? "1 line" : `${grouped(lines)} lines`;
}

/** `38 %`; small and large shares are never `0 %` or `100 %`. */
function shareText(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const percent = (part / whole) * 100;
  if (percent < 1) return "under 1 %";
  return percent > 99 && part < whole ? "over 99 %" : `${Math.round(percent)} %`;
}

/** `/api/* 41,203, /search 9,120, other paths 12`, with `most` paths at most. */
function pathsText({ paths, other_paths: otherCount }: LinesByPath, most: number, sign = ""): string {
  const [shownPaths, hiddenPaths] = [paths.slice(0, most), paths.slice(most)];
  const hiddenCount = hiddenPaths.reduce((sum, { lines }) => sum + lines, otherCount);
  return [
    ...shownPaths.map(({ path, lines }) => `${sign}${path} ${grouped(lines)}`),
    ...(hiddenCount === 0 ? [] : [`${sign}other paths ${grouped(hiddenCount)}`]),
  ].join(", ");
}

/** Why lines are undecided: a sentence for each missing field. */
function undecidedTexts({ lines, untold }: UndecidedLines): readonly string[] {
  if (lines === 0) return [];
  if (untold.length === 0)
    return ["These lines do not decide it: the expression has an unsupported function, or is too large."];
  return untold.map(
    (each) =>
      `${linesText(each.lines)} ${each.lines === 1 ? "lacks" : "lack"} ${each.field}. ${remedy(each)}`,
  );
}

function remedy({ field, log_fields: fields, custom_log_field: custom }: UntoldField): string {
  if (field.startsWith("$")) return "Log lines never have the entries of a list.";
  if (fields === undefined) return "The dataset has no such field.";
  const job = fields.length === 0 ? "" : `have the job log ${fields.join(", ")}`;
  if (custom === undefined) return job === "" ? "Their values are not valid." : `To decide, ${job}.`;
  const list = `${custom.list}: [${JSON.stringify(custom.name)}]`;
  return `To decide, declare custom_log_fields: { ${list} }${job === "" ? "" : `, and ${job}`}. Requests without it stay undecided.`;
}

/** The effect of a change on requests, in all its zones together. Empty: no logs were given. */
export function movedTexts(members: readonly { readonly change: PlannedChange }[]): readonly string[] {
  const [first, ...rest] = members.flatMap(({ change }) => change.request_lines ?? []);
  if (first === undefined) return [];
  const { does, lines, before, after, more, fewer, becomes, kept, limited, undecided } = rest.reduce(
    sum,
    first,
  );
  if (lines === 0) return ["effect on requests unknown: no log line is from this zone"];
  const open = undecided.lines === 0 ? "" : `, ${grouped(undecided.lines)} of ${linesText(lines)} undecided`;
  const paths = [pathsText(more, MOST_PATHS, "+ "), pathsText(fewer, MOST_PATHS, "- ")].filter(
    (each) => each !== "",
  );
  const sides = `${shareText(after, lines)} of requests (was ${shareText(before, lines)}${open})`;
  const moved = `${DOES[does]} ${sides}${paths.length === 0 ? "" : `: ${paths.join(", ")}`}`;
  const acts = becomes === undefined || kept === undefined ? [] : [actText(becomes, kept, lines, open)];
  const limits = limited === undefined ? [] : [limitedText(limited, lines)];
  return [
    ...(acts.length > 0 && paths.length === 0 ? [] : [moved]),
    ...acts,
    ...limits,
    ...undecidedTexts(undecided),
  ];
}

/** `would have limited 41 of 1,204 lines (was at most 12), counted by ip.src, cf.colo.id` */
function limitedText({ before, after }: Sides<LimitedLines>, lines: number): string {
  const side = after ?? before;
  if (side?.unknown !== undefined)
    return `unknown how many requests the limit meets: ${UNKNOWN[side.unknown]}`;
  const by = side === undefined || side.by.length === 0 ? "" : `, counted by ${side.by.join(", ")}`;
  const lacked = side?.not_logged.length ? `; lines lack ${side.not_logged.join(", ")}` : "";
  return `would have limited ${limitedCount(after)} of ${linesText(lines)} (was ${limitedCount(before)})${by}${lacked}`;
}

function limitedCount(side: LimitedLines | undefined): string {
  if (side === undefined) return "0";
  if (side.lines === null) return "unknown";
  return `${side.bound === undefined ? "" : `${BOUNDS[side.bound]} `}${grouped(side.lines)}`;
}

const BOUNDS = { at_most: "at most", at_least: "at least" } as const;

const UNKNOWN: { readonly [why in NonNullable<LimitedLines["unknown"]>]: string } = {
  score: "log lines do not have the score of a response",
  requests_to_origin: "log lines do not tell which requests went to the origin",
  no_timeout: "mitigation_timeout is not set",
  no_time: "the lines lack EdgeStartTimestamp",
  not_logged: "the lines have none of the characteristics",
  undecided: "the lines do not decide which requests count",
  too_many: "too many requests to count",
};

/** `now blocks on 38 % of requests, previously only reported (41,203 of 132,430 lines): /checkout/* 41,203` */
function actText(
  becomes: NonNullable<PlannedRequestLines["becomes"]>,
  kept: LinesByPath,
  lines: number,
  open: string,
): string {
  const paths = pathsText(kept, MOST_PATHS);
  const { now, before } = ACTS[becomes];
  const share = `${now} on ${shareText(kept.lines, lines)} of requests, previously ${before}`;
  return `${share} (${grouped(kept.lines)} of ${linesText(lines)}${open})${paths === "" ? "" : `: ${paths}`}`;
}

const ACTS = {
  blocks: { now: "now blocks", before: "only reported" },
  reports: { now: "now only reports", before: "blocked" },
} as const;

const MOST_PATHS = 5;

const DOES: { readonly [does in PlannedRequestLines["does"]]: string } = {
  applies_to: "applies to",
  skips: "skips",
};

function sum(a: PlannedRequestLines, b: PlannedRequestLines): PlannedRequestLines {
  const untold = new Map(a.undecided.untold.map((each) => [each.field, each]));
  for (const field of b.undecided.untold)
    untold.set(field.field, { ...field, lines: field.lines + (untold.get(field.field)?.lines ?? 0) });
  return {
    does: a.does,
    lines: a.lines + b.lines,
    before: a.before + b.before,
    after: a.after + b.after,
    more: summedByPath(a.more, b.more),
    fewer: summedByPath(a.fewer, b.fewer),
    // The same change has the same new action in each zone.
    ...(a.becomes === undefined || a.kept === undefined
      ? {}
      : { becomes: a.becomes, kept: b.kept === undefined ? a.kept : summedByPath(a.kept, b.kept) }),
    ...(a.limited === undefined && b.limited === undefined
      ? {}
      : { limited: summedLimits(a.limited ?? {}, b.limited ?? {}) }),
    undecided: { lines: a.undecided.lines + b.undecided.lines, untold: [...untold.values()] },
  };
}

type PlannedLimits = NonNullable<PlannedRequestLines["limited"]>;

/** A zone without a side has no rate limit there, which limits nothing. */
function summedLimits(a: PlannedLimits, b: PlannedLimits): PlannedLimits {
  const summed = (side: "before" | "after") => {
    const [first, second] = [a[side], b[side]];
    return first && second ? { [side]: summedLimit(first, second) } : {};
  };
  return { ...a, ...b, ...summed("before"), ...summed("after") };
}

function summedLimit(
  a: NonNullable<PlannedLimits["after"]>,
  b: NonNullable<PlannedLimits["after"]>,
): NonNullable<PlannedLimits["after"]> {
  const by = [...new Set([...a.by, ...b.by])];
  const lacked = [...new Set([...a.not_logged, ...b.not_logged])];
  const [bound = null, other = bound] = [a.bound, b.bound].filter((each) => each !== undefined);
  const unknown = a.unknown ?? b.unknown ?? (bound === other ? null : "undecided");
  if (unknown !== null) return { lines: null, unknown, by, not_logged: lacked };
  const lines = (a.lines ?? 0) + (b.lines ?? 0);
  return { lines, ...(bound === null ? {} : { bound }), by, not_logged: lacked };
}

function summedByPath(a: LinesByPath, b: LinesByPath): PlannedRequestLines["more"] {
  const counts = new Map<string, number>();
  for (const { path, lines } of [...a.paths, ...b.paths]) counts.set(path, lines + (counts.get(path) ?? 0));
  const paths = [...counts]
    .map(([path, lines]) => ({ path, lines }))
    .sort((left, right) => right.lines - left.lines);
  return { lines: a.lines + b.lines, paths, other_paths: a.other_paths + b.other_paths };
}

/** Numbers of matching, other and undecided lines, with their paths. */
export function matchedLinesText(
  counts: MatchedLines,
  leftOut: { readonly other_datasets: number; readonly broken: number },
): string {
  const { lines, matches, does_not_match: unmatched, undecided } = counts;
  const row = (name: string, part: number) =>
    `${name.padEnd(WIDTH)}  ${grouped(part)} of ${count(lines, "line").replace(/^\d+/, grouped(lines))} (${shareText(part, lines)})`;
  return [
    row("matches", matches.lines),
    ...paths(matches),
    row("does not match", unmatched.lines),
    ...paths(unmatched),
    row("undecided", undecided.lines),
    ...undecidedTexts(undecided).map((each) => `  ${plain(each)}`),
    ...leftOutTexts(leftOut),
    "These are counts of lines. A job with a sample rate writes fewer lines than there were requests.",
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function leftOutTexts({
  other_datasets: otherDatasets,
  broken,
}: {
  readonly other_datasets: number;
  readonly broken: number;
}) {
  const texts = [
    ...(otherDatasets === 0 ? [] : [`${linesText(otherDatasets)} of other datasets`]),
    ...(broken === 0 ? [] : [`${linesText(broken)} not readable`]),
  ];
  return texts.length === 0 ? [] : [`ignored: ${texts.join(", ")}`];
}

const WIDTH = "does not match".length;

function paths({ paths: shownPaths, other_paths: otherCount }: LinesByPath): readonly string[] {
  const rows = [
    ...shownPaths.map(({ path, lines }) => [path, lines] as const),
    ...(otherCount === 0 ? [] : [["other paths", otherCount] as const]),
  ];
  return rows.map(([path, lines]) => `  ${grouped(lines).padStart(NUMBER_WIDTH)}  ${plain(path)}`);
}

const NUMBER_WIDTH = 12;
