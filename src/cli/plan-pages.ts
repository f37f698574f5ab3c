import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { plain } from "../render/plain.js";
import type { About } from "../render/words.js";
import { FILES_IN, type PlanFormat, type PlanShape, planIn } from "../run/plan-formats.js";
import { writePlan } from "../run/saved-plan.js";
import { outTarget, redacted, writeOut } from "../run/write-files.js";
import { splitFile } from "./arguments.js";
import type { Arguments, Terminal } from "./command.js";
import { maxBytesOf } from "./options.js";

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

/** Says in each of the files why there is no plan: what an earlier run wrote there is no longer so. */
export async function writeProblemPages(
  args: Arguments,
  { redactor, cwd }: Terminal,
  pageOf: (format: string) => Promise<string>,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [format, file] of args.texts("format").map(splitFile)) {
    if (file === null) continue;
    const page = { ...FILES_IN[formatIn(format)], text: await pageOf(format) };
    const written = await writeOut(file, redacted(page, redactor), cwd);
    if (!written.ok) problems.push(...written.problems);
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
