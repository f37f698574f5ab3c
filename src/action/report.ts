import { writeFile } from "node:fs/promises";
import path from "node:path";
import { planIn, showPlan } from "../commands/show.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { planAnnotations, problemsAnnotations } from "../render/annotations.js";
import { palette } from "../render/palette.js";
import { problemsText } from "../render/problems.js";
import { problemsHtml } from "../render/problems-html.js";
import { planSarif, problemsSarif } from "../render/sarif.js";
import { aboutOf, type Outcome, type Surroundings } from "./outcome.js";
import { outputsOf } from "./outputs.js";
import { placesBelow } from "./places.js";
import type { Runner } from "./runner.js";
import { callsText, outcomeMarkdown } from "./words.js";

/** A summary holds 1 MiB; what comes before and after the plan needs some. */
const SUMMARY_BYTES = 900_000;

/**
 * Tells what has come of the command: log, annotations, files, outputs, summary.
 *
 * @returns what went wrong with that
 */
export async function report(outcome: Outcome, around: Surroundings): Promise<readonly Problem[]> {
  const { runner, inputs } = around;
  log(outcome, around);
  annotate(outcome, around);
  const html = await written(inputs.htmlFile, () => htmlOf(outcome), around);
  const sarif = await written(inputs.sarifFile, async () => sarifOf(outcome, around), around);
  await runner.outputs({
    ...outputsOf(outcome),
    "html-file": html.ok ? html.value : "",
    "sarif-file": sarif.ok ? sarif.value : "",
  });
  await runner.summary(await outcomeMarkdown(outcome, SUMMARY_BYTES));
  return [html, sarif].flatMap((each) => (each.ok ? [] : each.problems));
}

/** What the command itself has said is in the log already: of an apply that began, also what went wrong. */
function log(outcome: Outcome, { runner }: Surroundings): void {
  const { command, document, problems, applied, remarks } = outcome;
  if (remarks.length > 0) runner.log(problemsText(remarks, palette(false)));
  if (document !== null) runner.log(showPlan(document, false, false, aboutOf(outcome)));
  if (applied !== null) runner.log(`Apply: ${callsText(applied)}.`);
  else if (problems.length > 0) runner.log(problemsText(problems, palette(false)));
  if (command === "validate" && !hasErrors(problems)) runner.log("The files are valid.");
}

function annotate(
  { document, problems, remarks }: Outcome,
  { inputs, run, runner, terminal }: Surroundings,
): void {
  if (!inputs.annotations) return;
  const places = placesBelow(run.workspace, terminal.cwd);
  const told = places.problems([...problems, ...remarks]);
  // Together: a step may have only so many, and what is left out is counted.
  if (document === null) runner.command(problemsAnnotations(told));
  else runner.command(planAnnotations(withDiagnostics(places.document(document), told)));
}

function withDiagnostics(document: PlanDocument, problems: readonly Problem[]): PlanDocument {
  const told = problems.map(({ severity, code, detail, at }) => {
    const source = at === null ? {} : { source: { file: at.file, line: at.line, column: at.column } };
    return { severity, code, message: detail, ...source };
  });
  return { ...document, diagnostics: [...told, ...document.diagnostics] };
}

async function htmlOf(outcome: Outcome): Promise<string> {
  const { document, problems } = outcome;
  const shape = { color: false, verbose: false, maxBytes: 0 };
  return document === null ? problemsHtml(problems) : planIn("html", document, aboutOf(outcome), shape);
}

function sarifOf({ document, problems }: Outcome, { run, terminal }: Surroundings): string {
  const places = placesBelow(run.workspace, terminal.cwd);
  return document === null ? problemsSarif(places.problems(problems)) : planSarif(places.document(document));
}

/** What is left to say at the end. */
export function say(problems: readonly Problem[], { inputs, runner }: Surroundings): void {
  if (problems.length === 0) return;
  runner.log(problemsText(problems, palette(false)));
  if (inputs.annotations) runner.command(problemsAnnotations(problems));
}

/** What is said where nothing could begin. */
export async function sayAlone(outcome: Outcome, runner: Runner): Promise<void> {
  runner.log(problemsText(outcome.problems, palette(false)));
  runner.command(problemsAnnotations(outcome.problems));
  await runner.outputs({ "exit-code": String(outcome.code) });
  await runner.summary(await outcomeMarkdown(outcome, SUMMARY_BYTES));
}

/** Gives where it is; empty: it is not wanted. */
async function written(
  file: string | null,
  text: () => Promise<string>,
  { terminal, hide }: Surroundings,
): Promise<Result<string>> {
  if (file === null) return ok("");
  const target = path.resolve(terminal.cwd, file);
  const contents = hide(await text());
  try {
    await writeFile(target, contents);
    return ok(target);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return failed(problem("cannot_write", "A file cannot be written", `Writing ${file} failed: ${why}.`));
  }
}
