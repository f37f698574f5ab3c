import { hasErrors, type Problem } from "../model/problem.js";
import { foldProblems } from "../render/fold.js";
import { DEFAULT_BYTES } from "../render/markdown/fit-to-size.js";
import { type Matched, matchedJson, matchedText } from "../render/matched.js";
import { type Palette, palette } from "../render/palette.js";
import {
  type Checked,
  checkedJson,
  noPlanText,
  problemsJson,
  problemsText,
  type ZoneReport,
} from "../render/problems.js";
import { count, plain } from "../render/safe-text.js";
import { EXIT } from "../run/exit-codes.js";
import type { Arguments, Refusal, Terminal } from "./command.js";
import { readNumber } from "./inputs.js";

/**
 * Warnings and errors on stderr, with `--quiet` too: a warning may be about protection.
 *
 * @param zones problems that these zones share are shown once
 */
export function showProblems(
  problems: readonly Problem[],
  terminal: Terminal,
  zones: readonly string[] = [],
): void {
  if (problems.length === 0) return;
  const folded = foldProblems(problems, zones);
  terminal.err(`${problemsText(folded, palette(terminal.colors.err))}\n`);
}

/** Shows a report on zones, and the problems of those that could not be read. */
export function showZones(
  { zones, told }: ZoneReport,
  args: Arguments,
  terminal: Terminal,
  { json, text }: { readonly json: () => string; readonly text: (colors: Palette) => string },
): number {
  const problems = zones.flatMap(({ found }) => (found.ok ? [] : found.problems));
  if (args.text("format") === "json") terminal.out(json());
  else {
    terminal.out(text(palette(terminal.colors.out)));
    showProblems([...told, ...problems], terminal);
  }
  return problems.length > 0 ? EXIT.error : EXIT.done;
}

/**
 * Reports a refusal and returns its exit code. With another format than text, the problems appear in that format, on
 * stdout and in files, so that its reader gets what it expects.
 */
export async function refuse(
  { problems, code = EXIT.error, zones = [] }: Refusal,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const format = formatOf(args);
  const page = await problemsIn(format, problems, args);
  if (page !== null) terminal.out(page);
  const asText = noPlanText(foldProblems(problems, zones), palette(false));
  const unwritten = await inFiles(problems, asText, args, terminal);
  if (format !== "json") showProblems(problems, terminal, zones);
  showProblems(unwritten, terminal);
  return code;
}

/** The format for standard output: a `--format` without a file. */
function formatOf(args: Arguments): string | undefined {
  return args.texts("format").find((each) => !each.includes("="));
}

/** Returns why a file could not be written. */
async function inFiles(
  problems: readonly Problem[],
  asText: string,
  args: Arguments,
  terminal: Terminal,
): Promise<readonly Problem[]> {
  if (!args.texts("format").some((each) => each.includes("="))) return [];
  const { writeProblemPages } = await import("./plan-pages.js");
  const pageOf = async (format: string) => (await problemsIn(format, problems, args)) ?? asText;
  const unwritten = await writeProblemPages(args, terminal, pageOf);
  // A file that was refused is already among the problems.
  const details = problems.map(({ detail }) => detail);
  return unwritten.filter(({ detail }) => !details.includes(detail));
}

/** null: text, which goes to stderr. */
export async function problemsIn(
  format: string | undefined,
  problems: readonly Problem[],
  args: Arguments,
): Promise<string | null> {
  switch (format) {
    case "json":
      return problemsJson(problems, false);
    case "markdown": {
      const maxBytes = readNumber(args, "max-bytes");
      const { problemsMarkdown } = await import("../render/plan-markdown.js");
      return problemsMarkdown(problems, (maxBytes.ok ? maxBytes.value : null) ?? DEFAULT_BYTES);
    }
    case "html":
      return (await import("../render/plan-html.js")).problemsHtml(problems);
    case "sarif":
      return (await import("../render/sarif.js")).problemsSarif(problems);
    case "codequality":
      return (await import("../render/code-quality.js")).problemsCodeQuality(problems);
    case "junit":
      return (await import("../render/junit.js")).testsJunit([], problems);
    default:
      return null;
  }
}

/**
 * Reports checked texts: problems on stderr and "Valid" on stdout, or everything as JSON on stdout.
 *
 * @param noun the name of one text
 * @returns the exit code
 */
export function tellChecked(
  checked: readonly Checked[],
  noun: string,
  args: Arguments,
  terminal: Terminal,
): number {
  const problems = checked.flatMap((each) => each.problems);
  const code = hasErrors(problems) ? EXIT.error : EXIT.done;
  if (args.text("format") === "json") {
    terminal.out(checkedJson(checked));
    return code;
  }
  showProblems(problems, terminal);
  if (args.on("quiet")) return code;
  if (code === EXIT.done)
    terminal.out(`Valid: ${count(checked.length, noun)}.\n${checked.map(notes).join("")}`);
  else terminal.err(`${count(problems.filter(({ severity }) => severity === "error").length, "error")}.\n`);
  return code;
}

function notes({ at, advice }: Checked): string {
  const place = at.file === "stdin" ? `${at.file}:${at.line}: ` : "";
  return advice.map(({ message }) => `  ${place}note: ${plain(message)}\n`).join("");
}

/** Shows the answers for single URLs, and returns the exit code. */
export function tellMatched(matched: readonly Matched[], args: Arguments, terminal: Terminal): number {
  const isJson = args.text("format") === "json";
  terminal.out(isJson ? matchedJson(matched) : matchedText(matched, palette(terminal.colors.out)));
  if (matched.some(({ outcome }) => outcome === NOT_A_URL)) return EXIT.error;
  return answerCode(
    args,
    matched.every(({ isGood }) => isGood),
  );
}

export const NOT_A_URL = "not a URL";

/**
 * The exit code of an answer, for scripts.
 *
 * @param isGood whether everything is allowed, or matches; an undecided answer is not good
 */
export function answerCode(args: Arguments, isGood: boolean): number {
  return isGood || !args.on("exit-code") ? EXIT.done : EXIT.changes;
}
