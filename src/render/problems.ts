import type { JsonObject } from "../model/json.js";
import { jsonText } from "../model/json-text.js";
import { type Accepted, hasErrors, type Problem, type Result, type Span } from "../model/problem.js";
import type { Palette } from "./palette.js";
import { count, plain } from "./safe-text.js";

/** Problems as text: `FILE:LINE:COLUMN: error: summary`, the detail, and the line with a caret. */
export function problemsText(problems: readonly Problem[], colors: Palette): string {
  const open = problems.filter(({ accepted }) => accepted === undefined);
  const lines = problems.flatMap((each) => acceptedLine(each, colors));
  return [
    ...open.map((each) => `${problemText(each, colors)}\n`),
    ...(lines.length === 0 ? [] : [lines.join("")]),
  ].join("\n");
}

/** Problems in place of a plan. */
export function noPlanText(problems: readonly Problem[], colors: Palette): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return `${problemsText(problems, colors)}\nNo plan${errors === 0 ? "" : `: ${count(errors, "error")}`}.\n`;
}

/** An accepted warning takes one line. */
function acceptedLine({ accepted, code, at }: Problem, colors: Palette): readonly string[] {
  if (accepted === undefined) return [];
  const place = at === null ? "" : `${plain(at.file)}:${at.line}: `;
  return [`${place}${colors.strong("note:")} ${code} is ${plain(acceptedText(accepted))}\n`];
}

/** `accepted until 2026-12-31, for 6 more days: REASON`; the reason is not escaped. */
export function acceptedText({ until, reason, days_left: days }: Accepted): string {
  const soon =
    days === undefined ? "" : days === 0 ? ", the last day of it" : `, for ${count(days, "more day")}`;
  return `accepted until ${until}${soon}: ${reason}`;
}

function problemText({ code, severity, summary, detail, at }: Problem, colors: Palette): string {
  const paint = { error: colors.error, warning: colors.warning, note: colors.strong }[severity];
  const place = at === null ? "" : `${plain(at.file)}:${at.line}:${at.column}: `;
  // The code is shown where a comment in the files can accept the warning.
  const codeText = severity === "warning" && at !== null ? colors.faint(` [${code}]`) : "";
  const head = `${place}${paint(`${severity}:`)} ${plain(summary)}${codeText}`;
  const excerpt = at === null || at.text.trim() === "" ? "" : `\n${excerptOf(at, colors)}`;
  return `${head}\n  ${plain(detail)}${excerpt}`;
}

/** The shown part of a long line. */
const BEFORE_CHARS = 60;
const AFTER_CHARS = 60;

function excerptOf({ line, column, text }: Span, colors: Palette): string {
  const start = Math.max(0, column - 1 - BEFORE_CHARS);
  const end = column - 1 + AFTER_CHARS;
  const shown = text.replaceAll("\t", " ");
  const before = `${start > 0 ? "…" : ""}${plain(shown.slice(start, column - 1))}`;
  // Escape the whole: two harmless parts may form a command.
  const excerpt = `${start > 0 ? "…" : ""}${plain(shown.slice(start, end))}${shown.length > end ? "…" : ""}`;
  const gutter = `  ${line} | `;
  return `${colors.faint(gutter)}${excerpt}\n${" ".repeat(gutter.length + before.length)}${colors.error("^")}`;
}

export function problemsJson(problems: readonly Problem[], ok: boolean): string {
  return jsonText({ ok, problems: problems.map(problemRecord) });
}

export function problemRecord({ code, severity, summary, detail, at, accepted }: Problem) {
  const place =
    at === null ? {} : { source: { file: at.file, line: at.line, column: at.column }, pointer: at.pointer };
  return { code, severity, summary, detail, ...place, ...(accepted === undefined ? {} : { accepted }) };
}

/** A report on zones, of which some could not be read. */
export interface ZoneReport {
  readonly zones: readonly { readonly zone: string; readonly found: Result<readonly unknown[]> }[];
  /** Problems that belong to no zone. */
  readonly told: readonly Problem[];
}

/**
 * A report on zones as JSON.
 *
 * @param named gives its name to what was found in a zone
 */
export function zonesJson(
  { zones, told }: ZoneReport,
  named: (found: readonly unknown[]) => object,
  facts: JsonObject = {},
): string {
  return jsonText({
    format_version: "1",
    ...facts,
    zones: zones.map(({ zone, found }) =>
      found.ok
        ? { zone, status: "read", ...named(found.value) }
        : { zone, status: "failed", problems: found.problems.map(problemRecord) },
    ),
    problems: told.map(problemRecord),
  });
}

/** A checked text and its problems. */
export interface Checked {
  readonly text: string;
  /** The place of the text. */
  readonly at: Span;
  readonly problems: readonly Problem[];
  /** Optional improvements. */
  readonly advice: readonly { readonly code: string; readonly message: string }[];
}

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
