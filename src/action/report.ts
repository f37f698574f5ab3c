import path from "node:path";
import { hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument, SourcePlace } from "../plan/generated/plan-document.js";
import { planAnnotations, problemsAnnotations } from "../render/annotations.js";
import { foldProblems } from "../render/fold.js";
import { palette } from "../render/palette.js";
import { problemsHtml } from "../render/plan-html.js";
import { problemsText } from "../render/problems.js";
import { planSarif, problemsSarif } from "../render/sarif.js";
import type { PlanView } from "../render/view.js";
import { EXIT } from "../run/exit.js";
import { FILES_IN, type PlanShape, planIn, planView } from "../run/plan-formats.js";
import { type FileKind, writeOut } from "../run/write-files.js";
import { callsText, outcomeMarkdown } from "./markdown.js";
import { aboutOf, type Outcome, outputsOf, type StepContext } from "./outcome.js";
import type { Runner } from "./runner.js";
import { inInputs, spellingOf } from "./spelling.js";

/** A summary holds 1 MiB; what comes before and after the plan needs some. */
const SUMMARY_BYTES = 900_000;

/**
 * Tells what has come of the command: files, log, annotations, outputs, summary.
 *
 * @returns the outcome with what went wrong with that
 */
export async function report(command: Outcome, step: StepContext): Promise<Outcome> {
  const { runner, inputs } = step;
  const html = await written(inputs.htmlFile, FILES_IN.html, () => htmlOf(command), step);
  const sarif = await written(inputs.sarifFile, FILES_IN.sarif, async () => sarifOf(command, step), step);
  const outcome = withFailures(command, html, sarif);
  await log(outcome, step);
  annotate(outcome, step);
  await runner.outputs({
    ...outputsOf(outcome),
    "html-file": html.ok ? html.value : "",
    "sarif-file": sarif.ok ? sarif.value : "",
  });
  say(await summarise(outcome, runner), step);
  return outcome;
}

function withFailures(outcome: Outcome, ...files: readonly Result<string>[]): Outcome {
  const failures = files.flatMap((each) => (each.ok ? [] : each.problems));
  if (failures.length === 0) return outcome;
  return { ...outcome, code: EXIT.error, remarks: [...outcome.remarks, ...failures] };
}

/** What the command itself has said is in the log already: of an apply that began, also what went wrong. */
async function log(outcome: Outcome, { runner }: StepContext): Promise<void> {
  const { command, document, problems, applied, remarks } = outcome;
  if (remarks.length > 0) runner.log(problemsText(remarks, palette(false)));
  if (document !== null) runner.log(await planIn("text", document, aboutOf(outcome), shapeOf(outcome)));
  if (applied !== null)
    runner.log(`${command === "rollback" ? "Rollback" : "Apply"}: ${callsText(applied)}.`);
  else if (problems.length > 0) {
    const zones = document?.zones.map(({ zone }) => zone) ?? [];
    runner.log(problemsText(foldProblems(problems, zones), palette(false)));
  }
  if (command === "validate" && !hasErrors(problems)) runner.log("The files are valid.");
  if (command === "adopt" && document === null && problems.length === 0)
    runner.log("Nothing was changed outside the files.");
}

function annotate(outcome: Outcome, { inputs, run, runner, cwd }: StepContext): void {
  const { document, problems, remarks } = outcome;
  if (!inputs.annotations) return;
  const places = placesBelow(run.workspace, cwd);
  // What an apply is refused for stands in its plan too, with the line that it is about.
  const standing = document?.guardrails.filter(({ allowed }) => !allowed).map(({ name }) => name) ?? [];
  const news = problems.filter(({ code }) => !standing.some((name) => name === code));
  const told = places.problems([...news, ...remarks]);
  // Together: a step may have only so many, and what is left out is counted.
  if (document === null) runner.command(problemsAnnotations(told));
  else runner.command(planAnnotations(viewOf(withDiagnostics(places.document(document), told), outcome)));
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
  return document === null
    ? problemsHtml(problems)
    : planIn("html", document, aboutOf(outcome), shapeOf(outcome));
}

function shapeOf(outcome: Outcome): PlanShape {
  return { color: false, width: null, verbose: false, maxBytes: 0, spelling: spellingOf(outcome) };
}

function viewOf(document: PlanDocument, outcome: Outcome): PlanView {
  return planView(document, aboutOf(outcome), spellingOf(outcome));
}

function sarifOf(outcome: Outcome, { run, cwd }: StepContext): string {
  const { document, problems } = outcome;
  const places = placesBelow(run.workspace, cwd);
  return document === null
    ? problemsSarif(places.problems(problems), spellingOf(outcome))
    : planSarif(viewOf(places.document(document), outcome));
}

/** @param where in the log alone, or as annotations too */
export function say(
  problems: readonly Problem[],
  { inputs, runner }: StepContext,
  where: "log" | "everywhere" = "everywhere",
): void {
  if (problems.length === 0) return;
  const told = inInputs(problems, null);
  runner.log(problemsText(foldProblems(told, []), palette(false)));
  if (where === "everywhere" && inputs.annotations) runner.command(problemsAnnotations(told));
}

/** What is said where nothing could begin. */
export async function sayAlone(outcome: Outcome, runner: Runner): Promise<void> {
  runner.log(problemsText(outcome.problems, palette(false)));
  runner.command(problemsAnnotations(outcome.problems));
  await runner.outputs({ "exit-code": String(outcome.code) });
  runner.command(problemsAnnotations(await summarise(outcome, runner)));
}

/** A summary that cannot be written is missed, and keeps nobody from writing the comment. */
async function summarise(outcome: Outcome, runner: Runner): Promise<readonly Problem[]> {
  const markdown = await outcomeMarkdown(outcome, SUMMARY_BYTES);
  try {
    await runner.summary(markdown);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const detail = `GITHUB_STEP_SUMMARY, the file that the runner names for it, cannot be written: ${why}.`;
    return [{ ...problem("no_summary", "The summary is not written", detail), severity: "warning" }];
  }
}

/** Gives where it is; empty: it is not wanted. */
async function written(
  file: string | null,
  kind: FileKind,
  text: () => Promise<string>,
  { cwd, redactor }: StepContext,
): Promise<Result<string>> {
  if (file === null) return ok("");
  const contents = { ...kind, text: redactor.in(await text()) };
  const done = await writeOut(file, contents, cwd);
  return done.ok ? ok(path.resolve(cwd, done.value)) : done;
}

/** GitHub shows annotations and SARIF at files as the repository has them; a plan names them from where it ran. */
interface Places {
  document(document: PlanDocument): PlanDocument;
  problems(problems: readonly Problem[]): readonly Problem[];
}

function placesBelow(workspace: string, cwd: string): Places {
  const named = (file: string) => {
    const below = path.relative(workspace, path.resolve(cwd, file));
    return below.startsWith("..") || path.isAbsolute(below) ? file : below.split(path.sep).join("/");
  };
  const placed = <T extends { source?: SourcePlace | null }>(each: T): T =>
    each.source == null ? each : { ...each, source: { ...each.source, file: named(each.source.file) } };
  return {
    document: (document) => ({
      ...document,
      changes: document.changes.map((each) => ({
        ...placed(each),
        fields: each.fields.map((field) => placed(field)),
      })),
      zones: document.zones.map((each) =>
        each.problem === undefined ? each : { ...each, problem: placed(each.problem) },
      ),
      diagnostics: document.diagnostics.map((each) => placed(each)),
    }),
    problems: (problems) =>
      problems.map((each) =>
        each.at === null ? each : { ...each, at: { ...each.at, file: named(each.at.file) } },
      ),
  };
}
