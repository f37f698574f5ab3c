import { kinds } from "../kinds/index.js";
import type { Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { palette } from "../render/palette.js";
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
