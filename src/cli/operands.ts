import { placesIn } from "../config/place.js";
import type { Finding } from "../kinds/kind.js";
import { didYouMean } from "../model/did-you-mean.js";
import { failed, ok, type Problem, problem, type Result, type Span } from "../model/problem.js";
import type { Arguments, Terminal } from "./command.js";

/** A text to check or match. */
export interface GivenText {
  readonly text: string;
  /** @param offset a UTF-16 index into the text */
  at(offset: number): Span;
}

/** The same limit as for a file. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/**
 * The text on the command line. Without one, or with `-`, the lines of standard input that are not blank.
 *
 * @param operand the text's name in help
 */
export async function givenTexts(
  argument: string | undefined,
  operand: string,
  terminal: Terminal,
): Promise<Result<readonly GivenText[]>> {
  if (argument !== undefined && argument !== "-") return ok([argumentText(argument)]);
  if (terminal.interactive) {
    const detail = `Pass ${operand} in quotes, or pipe lines to standard input.`;
    return failed(problem("bad_operand", `Missing argument ${operand}`, detail));
  }
  const input = await readInput(terminal);
  if (!input.ok) return input;
  const lines = input.value.split(/\r?\n/).map((text, index) => inLine(text, index + 1));
  const nonBlank = lines.filter(({ text }) => text.trim() !== "");
  if (nonBlank.length > 0) return ok(nonBlank);
  const detail = `Standard input has no lines. Pass ${operand} there or on the command line.`;
  return failed(problem("bad_operand", "Empty standard input", detail));
}

/** A problem of the whole text is placed at its beginning. */
export function whole(at: GivenText["at"]): (finding: Finding) => Problem {
  return ({ code, severity, summary, detail }) => ({ code, severity, summary, detail, at: at(0) });
}

/** A text of the command line; messages call its place `argument`. */
export function argumentText(text: string): GivenText {
  const places = placesIn("argument", text);
  return { text, at: (offset) => places(offset, "") };
}

function inLine(text: string, line: number): GivenText {
  const places = placesIn("stdin", text);
  return { text, at: (offset) => ({ ...places(offset, ""), line }) };
}

export async function readInput(terminal: Terminal): Promise<Result<string>> {
  const bytes = await terminal.input(MAX_INPUT_BYTES);
  if (bytes === null) {
    const detail = `Standard input has more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB. Pass it in parts.`;
    return failed(problem("too_long", "Standard input is too long", detail));
  }
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const detail = "Standard input is not UTF-8 text. Convert it first.";
    return failed(problem("not_utf8", "Standard input is not UTF-8", detail));
  }
}

/** The subcommand, such as `list` or `show`. */
export function readSubcommand<Word extends string>(
  command: string,
  argument: string | undefined,
  words: readonly Word[],
): Result<Word> {
  const word = words.find((each) => each === argument);
  if (word !== undefined) return ok(word);
  const usage = `Run ${words.map((each) => `zoneward ${command} ${each}`).join(" or ")}.`;
  if (argument === undefined)
    return failed(problem("bad_operand", `Missing argument ${words.join(" or ")}`, usage));
  const detail = `zoneward ${command} has no ${argument}. ${didYouMean(argument, words, usage)}`;
  return failed(problem("bad_operand", "Unknown argument", detail));
}

/** Problems for words that belong to another subcommand. */
export function onlyFor(
  subcommand: string,
  flags: readonly string[],
  operand: string | undefined,
  args: Arguments,
): readonly Problem[] {
  const words = operand === undefined ? [] : [operand];
  return [
    ...flags.filter((flag) => args.on(flag)).map((flag) => elsewhere(`--${flag}`, subcommand)),
    ...words.map((word) => elsewhere(word, subcommand)),
  ];
}

function elsewhere(word: string, command: string): Problem {
  const detail = `${word} belongs to zoneward ${command}. Leave ${word} out.`;
  return problem("bad_flag", "Argument of another command", detail);
}
