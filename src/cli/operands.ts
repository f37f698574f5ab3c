import { placesIn } from "../config/place.js";
import type { Finding } from "../kinds/kind.js";
import { failed, ok, type Problem, problem, type Result, type Span } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import { EXIT } from "../run/exit.js";
import type { Arguments, Terminal } from "./command.js";

/** A text to work on. */
export interface GivenText {
  readonly text: string;
  /** @param offset a UTF-16 index into the text */
  at(offset: number): Span;
}

/** As much as a file may have. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/**
 * The text that stands on the command line; without one, or with `-`, each line of standard input that is not blank.
 *
 * @param operand what help calls the text
 */
export async function givenTexts(
  written: string | undefined,
  operand: string,
  terminal: Terminal,
): Promise<Result<readonly GivenText[]>> {
  if (written !== undefined && written !== "-") return ok([argumentText(written)]);
  if (terminal.interactive) {
    const detail = `Give ${operand}, in quotes for the shell, or pipe texts into standard input, one a line.`;
    return failed(problem("bad_operand", "Missing argument", detail));
  }
  const input = await readInput(terminal);
  if (!input.ok) return input;
  const lines = input.value.split(/\r?\n/).map((text, index) => inLine(text, index + 1));
  const given = lines.filter(({ text }) => text.trim() !== "");
  if (given.length > 0) return ok(given);
  const detail = `Standard input has no lines. Give ${operand} there or on the command line.`;
  return failed(problem("bad_operand", "Nothing to work on", detail));
}

/** What was found about a text as a whole stands where it begins. */
export function whole(at: GivenText["at"]): (found: Finding) => Problem {
  return ({ code, severity, summary, detail }) => ({ code, severity, summary, detail, at: at(0) });
}

/** A text of the command line, which messages call `argument`. */
export function argumentText(text: string): GivenText {
  const places = placesIn("argument", text);
  return { text, at: (offset) => places(offset, "") };
}

function inLine(text: string, line: number): GivenText {
  const places = placesIn("stdin", text);
  return { text, at: (offset) => ({ ...places(offset, ""), line }) };
}

/** All of the standard input, as text. */
export async function readInput(terminal: Terminal): Promise<Result<string>> {
  const bytes = await terminal.input(MAX_INPUT_BYTES);
  if (bytes === null) {
    const detail = `Standard input has more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB. Give it in parts.`;
    return failed(problem("too_long", "Too much input", detail));
  }
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const detail = "Standard input is not UTF-8 text. Convert it first.";
    return failed(problem("not_utf8", "Not text", detail));
  }
}

/** Which of its words stands after a command that is nothing without one. */
export function readSubcommand<Word extends string>(
  command: string,
  written: string | undefined,
  words: readonly Word[],
): Result<Word> {
  const word = words.find((each) => each === written);
  if (word !== undefined) return ok(word);
  const usage = `zoneward ${command} ${words.join("|")}`;
  if (written === undefined)
    return failed(problem("bad_operand", "Missing argument", `Say what to do: ${usage}.`));
  const close = suggest(written, words);
  const advice = close === null ? `There is ${usage}.` : `Did you mean ${close}?`;
  const detail = `zoneward ${command} has no ${written}. ${advice}`;
  return failed(problem("bad_operand", "Unknown argument", detail));
}

/**
 * What an answer comes to for scripts that go by exit codes.
 *
 * @param isGood whether all that was asked about is allowed, or matches: what is open is not
 */
export function answerCode(args: Arguments, isGood: boolean): number {
  return isGood || !args.on("exit-code") ? EXIT.done : EXIT.changes;
}

/** What was said that only another subcommand takes. */
export function onlyFor(
  other: string,
  flags: readonly string[],
  operand: string | undefined,
  args: Arguments,
): readonly Problem[] {
  const words = operand === undefined ? [] : [operand];
  return [
    ...flags.filter((flag) => args.on(flag)).map((flag) => elsewhere(`--${flag}`, other)),
    ...words.map((word) => elsewhere(word, other)),
  ];
}

function elsewhere(written: string, other: string): Problem {
  return problem("bad_flag", "Something for another command", `${written} goes with zoneward ${other}.`);
}
