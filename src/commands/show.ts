import { kinds } from "../kinds/index.js";
import type { Json } from "../model/json.js";
import { hasErrors, type Problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { type Checked, checkedJson } from "../render/checked.js";
import { palette } from "../render/palette.js";
import { count, plain } from "../render/plain.js";
import { planText } from "../render/plan-text.js";
import { problemsJson, problemsText } from "../render/problems.js";
import { type Arguments, EXIT, type Terminal } from "./command.js";

/** A plan document as text, in the words of its kinds. */
export function showPlan(document: PlanDocument, color: boolean, verbose: boolean): string {
  return planText(document, { colors: palette(color), verbose, explain });
}

function explain(kind: string, field: string, value: Json): string | null {
  return kinds.find((each) => each.name === kind)?.explain(field, value) ?? null;
}

/** Warnings and errors on stderr; with `--quiet` only errors. */
export function showProblems(problems: readonly Problem[], args: Arguments, terminal: Terminal): void {
  const shown = args.on("quiet") ? problems.filter((each) => each.severity === "error") : problems;
  if (shown.length > 0) terminal.err(`${problemsText(shown, palette(terminal.colors.err))}\n`);
}

/** What a command says that could not begin: as JSON on stdout where JSON was asked for. */
export function refuse(
  problems: readonly Problem[],
  args: Arguments,
  terminal: Terminal,
  code: number = EXIT.error,
): number {
  if (args.text("format") === "json") terminal.out(problemsJson(problems, false));
  else showProblems(problems, args, terminal);
  return code;
}

/**
 * Texts that were checked: what is wrong with them on stderr, that they are valid on stdout; or all as JSON on stdout.
 *
 * @param noun what one of the texts is called
 * @returns whether none has an error
 */
export function tellChecked(
  checked: readonly Checked[],
  noun: string,
  args: Arguments,
  terminal: Terminal,
): boolean {
  const problems = checked.flatMap((each) => each.problems);
  const isValid = !hasErrors(problems);
  if (args.text("format") === "json") {
    terminal.out(checkedJson(checked));
    return isValid;
  }
  showProblems(problems, args, terminal);
  if (args.on("quiet")) return isValid;
  if (isValid) terminal.out(`Valid: ${count(checked.length, noun)}.\n${checked.map(notes).join("")}`);
  else terminal.err(`${count(problems.filter(({ severity }) => severity === "error").length, "error")}.\n`);
  return isValid;
}

function notes({ at, advice }: Checked): string {
  const place = at.file === "stdin" ? `${at.file}:${at.line}: ` : "";
  return advice.map(({ message }) => `  ${place}note: ${plain(message)}\n`).join("");
}
