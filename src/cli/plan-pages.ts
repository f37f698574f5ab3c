import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { DEFAULT_BYTES } from "../render/markdown/fit-to-size.js";
import { plain } from "../render/safe-text.js";
import type { About } from "../render/words.js";
import { FILES_IN, type PlanFormat, type PlanShape, planIn } from "../run/plan-formats.js";
import { writePlan } from "../run/saved-plan.js";
import { outTarget, redacted, writeOut } from "../run/write-files.js";
import { splitFile } from "./arguments.js";
import type { Arguments, Terminal } from "./command.js";
import { readNumber } from "./inputs.js";

/** The pages that flags ask for: one on standard output, the others in files. */
interface PlanPages {
  readonly onStdout: PlanFormat | null;
  readonly files: readonly PageFile[];
  readonly shape: PlanShape;
}

interface PageFile {
  readonly format: PlanFormat;
  readonly file: string;
}

/** Checks every file before anything is read or sent: each page must be writable. */
export async function readPages(args: Arguments, terminal: Terminal): Promise<Result<PlanPages>> {
  const maxBytes = readNumber(args, "max-bytes");
  if (!maxBytes.ok) return maxBytes;
  const choices = args.texts("format").map(splitFile);
  const files = choices.flatMap(([format, file]) =>
    file === null ? [] : [{ format: formatIn(format), file }],
  );
  const out = args.text("out");
  const outputs = out === undefined ? files : [...files, { format: "json" as const, file: out }];
  const twice = outputs.map(({ file }) => file).filter((file, index, names) => names.indexOf(file) < index);
  const targets = await Promise.all(
    files.map(({ format, file }) => outTarget(file, FILES_IN[format], terminal.cwd)),
  );
  const problems = [...twice.map(namedTwice), ...targets.flatMap((each) => (each.ok ? [] : each.problems))];
  if (problems.length > 0) return failed(...problems);
  const first = choices.find(([, file]) => file === null)?.[0];
  const color = terminal.colors.out;
  return ok({
    onStdout: first === undefined ? null : formatIn(first),
    files,
    shape: {
      color,
      width: terminal.columns,
      verbose: args.on("verbose"),
      maxBytes: maxBytes.value ?? DEFAULT_BYTES,
    },
  });
}

function formatIn(name: string): PlanFormat {
  return name as PlanFormat; // one of the choices of the flag
}

function namedTwice(file: string): Problem {
  const detail = `Two outputs name ${file}. Name another file for one of them.`;
  return problem("bad_flag", "Two outputs for one file", detail);
}

/** The digest of a plan in a file, for an approval. The text of the plan is the same with and without a file. */
export function tellDigest({ onStdout }: PlanPages, { digest }: PlanDocument, { out }: Terminal): void {
  if (onStdout === null || onStdout === "text") out(`Digest of the whole plan: ${plain(digest)}\n`);
}

/** Prints the plan and writes its files. Returns why a file could not be written. */
export async function writePages(
  { onStdout, files, shape }: PlanPages,
  document: PlanDocument,
  about: About,
  args: Arguments,
  terminal: Terminal,
): Promise<readonly Problem[]> {
  terminal.out(await planIn(onStdout, document, about, shape));
  const problems: Problem[] = [];
  for (const { format, file } of files) {
    const outcome = await writePage(
      format,
      file,
      document,
      about,
      { ...shape, color: false, width: null },
      terminal,
    );
    if (!outcome.ok) problems.push(...outcome.problems);
    else if (!args.on("quiet")) terminal.err(`Wrote ${plain(outcome.value)}.\n`);
  }
  return problems;
}

/** Replaces each file by the reason why there is no plan: an earlier run's file would be out of date. */
export async function writeProblemPages(
  args: Arguments,
  { redactor, cwd }: Terminal,
  pageOf: (format: string) => Promise<string>,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [format, file] of args.texts("format").map(splitFile)) {
    if (file === null) continue;
    const page = { ...FILES_IN[formatIn(format)], text: await pageOf(format) };
    const outcome = await writeOut(file, redacted(page, redactor), cwd);
    if (!outcome.ok) problems.push(...outcome.problems);
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
  // apply reads the JSON page.
  if (format === "json") return writePlan(file, document, { redactor, cwd });
  const page = { ...FILES_IN[format], text: await planIn(format, document, about, shape) };
  return writeOut(file, redacted(page, redactor), cwd);
}
