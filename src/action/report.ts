import path from "node:path";
import { hasErrors, ok, type Problem, type Result, warning } from "../model/problem.js";
import type { PlanDocument, SourcePlace } from "../plan/generated/plan-document.js";
import { planAnnotations, problemsAnnotations } from "../render/annotations.js";
import { foldProblems } from "../render/fold.js";
import { palette } from "../render/palette.js";
import { problemsHtml } from "../render/plan-html.js";
import { problemsText } from "../render/problems.js";
import { planSarif, problemsSarif } from "../render/sarif.js";
import type { PlanView } from "../render/view.js";
import { EXIT } from "../run/exit-codes.js";
import { FILES_IN, type PlanShape, planIn, planView } from "../run/plan-formats.js";
import { type FileKind, writeOut } from "../run/write-files.js";
import { callsText, outcomeMarkdown } from "./comment-markdown.js";
import { inInputs, spellingOf } from "./option-names.js";
import { aboutOf, outputsOf, type StepContext, type StepOutcome } from "./outcome.js";
import type { Runner } from "./runner.js";

/** GitHub allows 1 MiB for a summary; the text around the plan needs some of it. */
const SUMMARY_BYTES = 900_000;

/**
 * Reports the outcome of a command in files, log, annotations, outputs and summary.
 *
 * @returns the outcome, with failures of the report itself
 */
export async function report(command: StepOutcome, step: StepContext): Promise<StepOutcome> {
  const { runner, inputs } = step;
  const html = await writePage(inputs.htmlFile, FILES_IN.html, () => htmlOf(command), step);
  const sarif = await writePage(inputs.sarifFile, FILES_IN.sarif, async () => sarifOf(command, step), step);
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

function withFailures(outcome: StepOutcome, ...files: readonly Result<string>[]): StepOutcome {
  const failures = files.flatMap((each) => (each.ok ? [] : each.problems));
  if (failures.length === 0) return outcome;
  return { ...outcome, code: EXIT.error, remarks: [...outcome.remarks, ...failures] };
}

/** The command has already logged its own problems, and an apply that began has logged its failures. */
async function log(outcome: StepOutcome, { runner }: StepContext): Promise<void> {
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
  if (command === "adopt" && document === null && problems.length === 0) runner.log("No drift.");
}

function annotate(outcome: StepOutcome, { inputs, run, runner, cwd }: StepContext): void {
  const { document, problems, remarks } = outcome;
  if (inputs.annotations === "false") return;
  const places = placesBelow(run.workspace, cwd);
  // A refused apply's plan already has the refusal, with its line in the files.
  const standing = document?.guardrails.filter(({ allowed }) => !allowed).map(({ name }) => name) ?? [];
  const news = problems.filter(({ code }) => !standing.some((name) => name === code));
  const placed = places.problems([...news, ...remarks]);
  // One command for all annotations: GitHub allows only a number of them per step, and the omitted ones are counted.
  if (document === null) runner.command(problemsAnnotations(placed));
  else runner.command(planAnnotations(viewOf(withDiagnostics(places.document(document), placed), outcome)));
}

function withDiagnostics(document: PlanDocument, problems: readonly Problem[]): PlanDocument {
  const diagnostics = problems.map(({ severity, code, detail, at }) => {
    const source = at === null ? {} : { source: { file: at.file, line: at.line, column: at.column } };
    return { severity, code, message: detail, ...source };
  });
  return { ...document, diagnostics: [...diagnostics, ...document.diagnostics] };
}

async function htmlOf(outcome: StepOutcome): Promise<string> {
  const { document, problems } = outcome;
  return document === null
    ? problemsHtml(problems)
    : planIn("html", document, aboutOf(outcome), shapeOf(outcome));
}

function shapeOf(outcome: StepOutcome): PlanShape {
  return { color: false, width: null, verbose: false, maxBytes: 0, spelling: spellingOf(outcome) };
}

function viewOf(document: PlanDocument, outcome: StepOutcome): PlanView {
  return planView(document, aboutOf(outcome), spellingOf(outcome));
}

function sarifOf(outcome: StepOutcome, { run, cwd }: StepContext): string {
  const { document, problems } = outcome;
  const places = placesBelow(run.workspace, cwd);
  return document === null
    ? problemsSarif(places.problems(problems), spellingOf(outcome))
    : planSarif(viewOf(places.document(document), outcome));
}

/** @param where the log alone, or annotations too */
export function say(
  problems: readonly Problem[],
  { inputs, runner }: StepContext,
  where: "log" | "everywhere" = "everywhere",
): void {
  if (problems.length === 0) return;
  const translated = inInputs(problems, null);
  runner.log(problemsText(foldProblems(translated, []), palette(false)));
  if (where === "everywhere" && inputs.annotations === "true")
    runner.command(problemsAnnotations(translated));
}

/** Reports a step that could not start. */
export async function sayAlone(outcome: StepOutcome, runner: Runner): Promise<void> {
  runner.log(problemsText(outcome.problems, palette(false)));
  runner.command(problemsAnnotations(outcome.problems));
  await runner.outputs({ "exit-code": String(outcome.code) });
  runner.command(problemsAnnotations(await summarise(outcome, runner)));
}

/** A failing summary must not prevent the comment. */
async function summarise(outcome: StepOutcome, runner: Runner): Promise<readonly Problem[]> {
  const markdown = await outcomeMarkdown(outcome, SUMMARY_BYTES);
  try {
    await runner.summary(markdown);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const detail = `The file of GITHUB_STEP_SUMMARY cannot be written: ${why}.`;
    return [warning("no_summary", "Summary not written", detail)];
  }
}

/** Returns the file's path; empty: not asked for. */
async function writePage(
  file: string | null,
  kind: FileKind,
  text: () => Promise<string>,
  { cwd, redactor }: StepContext,
): Promise<Result<string>> {
  if (file === null) return ok("");
  const contents = { ...kind, text: redactor.in(await text()) };
  const outcome = await writeOut(file, contents, cwd);
  return outcome.ok ? ok(path.resolve(cwd, outcome.value)) : outcome;
}

/** GitHub needs paths relative to the repository. A plan has paths relative to its working directory. */
interface Places {
  document(document: PlanDocument): PlanDocument;
  problems(problems: readonly Problem[]): readonly Problem[];
}

function placesBelow(workspace: string, cwd: string): Places {
  const nameOf = (file: string) => {
    const below = path.relative(workspace, path.resolve(cwd, file));
    return below.startsWith("..") || path.isAbsolute(below) ? file : below.split(path.sep).join("/");
  };
  const relocated = <T extends { source?: SourcePlace | null }>(item: T): T =>
    item.source == null ? item : { ...item, source: { ...item.source, file: nameOf(item.source.file) } };
  return {
    document: (document) => ({
      ...document,
      changes: document.changes.map((change) => ({
        ...relocated(change),
        fields: change.fields.map((field) => relocated(field)),
      })),
      zones: document.zones.map((zone) =>
        zone.problem === undefined ? zone : { ...zone, problem: relocated(zone.problem) },
      ),
      diagnostics: document.diagnostics.map((each) => relocated(each)),
    }),
    problems: (problems) =>
      problems.map((item) =>
        item.at === null ? item : { ...item, at: { ...item.at, file: nameOf(item.at.file) } },
      ),
  };
}
