import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { EXIT } from "../process.js";
import { foldProblems } from "../render/fold.js";
import { palette } from "../render/palette.js";
import { count, plain } from "../render/plain.js";
import { type Checked, checkedJson, problemsJson, problemsText } from "../render/problems.js";
import type { About } from "../render/words.js";
import {
  DEFAULT_BYTES,
  FILES_IN,
  LEAST_BYTES,
  type PlanFormat,
  type PlanShape,
  planIn,
} from "../run/plan-formats.js";
import { writePlan } from "../run/saved-plan.js";
import { outTarget, redacted, writeOut } from "../run/write-files.js";
import { splitFile } from "./arguments.js";
import type { Arguments, Terminal } from "./command.js";
import { readNumber } from "./complain.js";

/**
 * Warnings and errors on stderr, with `--quiet` too: what protects can rest on a warning.
 *
 * @param zones of which the same is said once
 */
export function showProblems(
  problems: readonly Problem[],
  terminal: Terminal,
  zones: readonly string[] = [],
): void {
  if (problems.length === 0) return;
  const told = foldProblems(problems, zones);
  terminal.err(`${problemsText(told, palette(terminal.colors.err))}\n`);
}

/**
 * What a command says that could not begin: where another format than text was asked for, in that on stdout, so that
 * whatever reads it gets what it expects.
 */
export async function refuse(
  problems: readonly Problem[],
  args: Arguments,
  terminal: Terminal,
  code: number = EXIT.error,
): Promise<number> {
  const format = formatOf(args);
  const page = await problemsIn(format, problems, args);
  if (page !== null) terminal.out(page);
  if (format !== "json") showProblems(problems, terminal);
  return code;
}

/** How long a plan in Markdown may be. Comments at GitHub may have 65,536 characters, with what others add. */
function maxBytesOf(args: Arguments): Result<number> {
  const given = readNumber(args, "max-bytes");
  if (!given.ok) return given;
  const bytes = given.value ?? DEFAULT_BYTES;
  if (Number.isSafeInteger(bytes) && bytes >= LEAST_BYTES) return ok(bytes);
  const detail = `--max-bytes is ${bytes}; it takes a whole number from ${LEAST_BYTES} up.`;
  return failed(problem("bad_flag", "A flag that is out of range", detail));
}

/** The format for standard output: what `--format` says without a file. */
function formatOf(args: Arguments): string | undefined {
  return args.texts("format").find((each) => !each.includes("="));
}

/** null: as text, which is for stderr. */
async function problemsIn(
  format: string | undefined,
  problems: readonly Problem[],
  args: Arguments,
): Promise<string | null> {
  switch (format) {
    case "json":
      return problemsJson(problems, false);
    case "markdown": {
      const maxBytes = maxBytesOf(args);
      const { problemsMarkdown } = await import("../render/plan-markdown.js");
      return problemsMarkdown(problems, maxBytes.ok ? maxBytes.value : DEFAULT_BYTES);
    }
    case "html":
      return (await import("../render/plan-html.js")).problemsHtml(problems);
    case "sarif":
      return (await import("../render/sarif.js")).problemsSarif(problems);
    case "codequality":
      return (await import("../render/code-quality.js")).problemsCodeQuality(problems);
    default:
      return null;
  }
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
  showProblems(problems, terminal);
  if (args.on("quiet")) return isValid;
  if (isValid) terminal.out(`Valid: ${count(checked.length, noun)}.\n${checked.map(notes).join("")}`);
  else terminal.err(`${count(problems.filter(({ severity }) => severity === "error").length, "error")}.\n`);
  return isValid;
}

function notes({ at, advice }: Checked): string {
  const place = at.file === "stdin" ? `${at.file}:${at.line}: ` : "";
  return advice.map(({ message }) => `  ${place}note: ${plain(message)}\n`).join("");
}

/** What `--format` and its companions ask for: one page on standard output, the others in files. */
interface PlanPages {
  readonly shown: PlanFormat | null;
  readonly files: readonly PageFile[];
  readonly shape: PlanShape;
}

interface PageFile {
  readonly format: PlanFormat;
  readonly file: string;
}

/** Which pages are asked for. Each file is looked at: nothing is read or sent for a page that could not be written. */
export async function readPages(args: Arguments, terminal: Terminal): Promise<Result<PlanPages>> {
  const maxBytes = maxBytesOf(args);
  if (!maxBytes.ok) return maxBytes;
  const asked = args.texts("format").map(splitFile);
  const files = asked.flatMap(([format, file]) =>
    file === null ? [] : [{ format: formatIn(format), file }],
  );
  const out = args.text("out");
  const all = out === undefined ? files : [...files, { format: "json" as const, file: out }];
  const twice = all.map(({ file }) => file).filter((file, index, names) => names.indexOf(file) < index);
  const targets = await Promise.all(
    files.map(({ format, file }) => outTarget(file, FILES_IN[format], terminal.cwd)),
  );
  const problems = [...twice.map(namedTwice), ...targets.flatMap((each) => (each.ok ? [] : each.problems))];
  if (problems.length > 0) return failed(...problems);
  const shown = asked.find(([, file]) => file === null)?.[0];
  const color = terminal.colors.out;
  return ok({
    shown: shown === undefined ? null : formatIn(shown),
    files,
    shape: { color, width: terminal.columns, verbose: args.on("verbose"), maxBytes: maxBytes.value },
  });
}

/** Its choices are checked where the command line is read. */
function formatIn(written: string): PlanFormat {
  return written as PlanFormat; // one of the choices of the flag
}

function namedTwice(file: string): Problem {
  const detail = `${file} is named twice, and a file is one thing. Name another.`;
  return problem("bad_flag", "One file for two", detail);
}

/** Shows the plan, and writes the pages that go into files. Gives why one could not be written. */
export async function writePages(
  { shown, files, shape }: PlanPages,
  document: PlanDocument,
  about: About,
  args: Arguments,
  terminal: Terminal,
): Promise<readonly Problem[]> {
  terminal.out(await planIn(shown, document, about, shape));
  const problems: Problem[] = [];
  for (const { format, file } of files) {
    const written = await writePage(
      format,
      file,
      document,
      about,
      { ...shape, color: false, width: null },
      terminal,
    );
    if (!written.ok) problems.push(...written.problems);
    else if (!args.on("quiet")) terminal.err(`Wrote ${plain(written.value)}.\n`);
  }
  return problems;
}

async function writePage(
  format: PlanFormat,
  file: string,
  document: PlanDocument,
  about: About,
  shape: PlanShape,
  { redactor, cwd }: Terminal,
): Promise<Result<string>> {
  // As JSON it is what apply takes.
  if (format === "json") return writePlan(file, document, { redactor, cwd });
  const page = { ...FILES_IN[format], text: await planIn(format, document, about, shape) };
  return writeOut(file, redacted(page, redactor), cwd);
}

/** Without a terminal, a line at most this often. */
const EVERY_MS = 10_000;

/** Tells of pauses: a short one only where the line is that progress is shown in. */
export function pausesOn(terminal: Terminal, quiet: boolean): (forMs: number) => void {
  if (quiet) return () => {};
  return (forMs) => {
    const text = `waiting ${Math.ceil(forMs / 1000)} s: the service has refused for too many requests`;
    if (terminal.interactive) terminal.status(text);
    else if (forMs >= EVERY_MS) terminal.err(`${text}\n`);
  };
}

/** Progress on stderr: one line that changes on a terminal, else a line now and then. */
export function progressOn(terminal: Terminal, quiet: boolean, now: () => number = Date.now): Progress {
  if (quiet) return () => {};
  let last = now();
  const text = (done: number, of: number, doing: string) => `${doing}: ${done} of ${count(of, "zone")}`;
  return (done, of, doing) => {
    if (terminal.interactive) terminal.status(done === of ? "" : text(done, of, doing));
    else if (now() - last >= EVERY_MS) {
      last = now();
      terminal.err(`${text(done, of, doing)}\n`);
    }
  };
}
