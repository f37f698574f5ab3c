import { jsonText } from "../model/json-text.js";
import { type Accepted, hasErrors, type Problem, type Span } from "../model/problem.js";
import type { Palette } from "./palette.js";
import { count, plain } from "./plain.js";

/** Problems for people: `FILE:LINE:COLUMN: error: summary`, the detail, and the line with a caret. */
export function problemsText(problems: readonly Problem[], colors: Palette): string {
  const open = problems.filter(({ accepted }) => accepted === undefined);
  const lines = problems.flatMap((each) => acceptedLine(each, colors));
  return [
    ...open.map((each) => `${problemText(each, colors)}\n`),
    ...(lines.length === 0 ? [] : [lines.join("")]),
  ].join("\n");
}

/** The same as a page of its own, whose last line says that there is no plan. */
export function noPlanText(problems: readonly Problem[], colors: Palette): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return `${problemsText(problems, colors)}\nNo plan${errors === 0 ? "" : `: ${count(errors, "error")}`}.\n`;
}

/** What somebody has decided to live with takes one line. */
function acceptedLine({ accepted, code, at }: Problem, colors: Palette): readonly string[] {
  if (accepted === undefined) return [];
  const place = at === null ? "" : `${plain(at.file)}:${at.line}: `;
  return [`${place}${colors.strong("note:")} ${code} is ${plain(acceptedText(accepted))}\n`];
}

/** `accepted until 2026-12-31, for 6 more days: REASON`; the reason may have anything in it. */
export function acceptedText({ until, reason, days_left: days }: Accepted): string {
  const soon =
    days === undefined ? "" : days === 0 ? ", the last day of it" : `, for ${count(days, "more day")}`;
  return `accepted until ${until}${soon}: ${reason}`;
}

function problemText({ code, severity, summary, detail, at }: Problem, colors: Palette): string {
  const paint = { error: colors.error, warning: colors.warning, note: colors.strong }[severity];
  const place = at === null ? "" : `${plain(at.file)}:${at.line}:${at.column}: `;
  // Who accepts it in the files names its code.
  const known = severity === "warning" && at !== null ? colors.faint(` [${code}]`) : "";
  const head = `${place}${paint(`${severity}:`)} ${plain(summary)}${known}`;
  const excerpt = at === null || at.text.trim() === "" ? "" : `\n${excerptOf(at, colors)}`;
  return `${head}\n  ${plain(detail)}${excerpt}`;
}

/** Of a long line, what stands around the place. */
const BEFORE_CHARS = 60;
const AFTER_CHARS = 60;

function excerptOf({ line, column, text }: Span, colors: Palette): string {
  const start = Math.max(0, column - 1 - BEFORE_CHARS);
  const end = column - 1 + AFTER_CHARS;
  const shown = text.replaceAll("\t", " ");
  const before = `${start > 0 ? "…" : ""}${plain(shown.slice(start, column - 1))}`;
  // Together: what is harmless in two parts may be a command in one.
  const excerpt = `${start > 0 ? "…" : ""}${plain(shown.slice(start, end))}${shown.length > end ? "…" : ""}`;
  const gutter = `  ${line} | `;
  return `${colors.faint(gutter)}${excerpt}\n${" ".repeat(gutter.length + before.length)}${colors.error("^")}`;
}

/** Problems for programs, as `--format json` prints them. */
export function problemsJson(problems: readonly Problem[], ok: boolean): string {
  return jsonText({ ok, problems: problems.map(problemRecord) });
}

export function problemRecord({ code, severity, summary, detail, at, accepted }: Problem) {
  const place =
    at === null ? {} : { source: { file: at.file, line: at.line, column: at.column }, pointer: at.pointer };
  return { code, severity, summary, detail, ...place, ...(accepted === undefined ? {} : { accepted }) };
}

/** A text that was looked at on its own, and what there is to say about it. */
export interface Checked {
  readonly text: string;
  /** Where it begins. */
  readonly at: Span;
  readonly problems: readonly Problem[];
  /** What it could have besides: nothing is wrong without. */
  readonly advice: readonly { readonly code: string; readonly message: string }[];
}

/** Checked texts for programs. */
export function checkedJson(checked: readonly Checked[]): string {
  const results = checked.map(({ text, problems, advice }) => ({
    text,
    ok: !hasErrors(problems),
    problems: problems.map(problemRecord),
    advice,
  }));
  const all = results.flatMap(({ problems }) => problems);
  return jsonText({ ok: results.every(({ ok }) => ok), problems: all, results });
}
