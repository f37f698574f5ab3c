import { placesIn } from "../config/place.js";
import { failed, ok, problem, type Result, type Span } from "../model/problem.js";
import type { Terminal } from "./command.js";

/** A text to work on. */
export interface GivenText {
  readonly text: string;
  /** @param offset a UTF-16 index into the text */
  at(offset: number): Span;
}

/** Longer ones are no values, expressions or URLs. */
const MAX_LINE_CHARS = 1_000_000;

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
  const lines = terminal.lines();
  if (lines === null) {
    const detail = `Give ${operand}, in quotes for the shell, or pipe texts into standard input, one a line.`;
    return failed(problem("bad_operand", "A word is missing", detail));
  }
  const given: GivenText[] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.length > MAX_LINE_CHARS) return failed(tooLong(line, text.length));
    if (text.trim() !== "") given.push({ text, at: inLine(text, line) });
  }
  if (given.length > 0) return ok(given);
  const detail = `Standard input has no lines. Give ${operand} there or on the command line.`;
  return failed(problem("bad_operand", "Nothing to work on", detail));
}

/** A text of the command line, which messages call `argument`. */
export function argumentText(text: string): GivenText {
  const places = placesIn("argument", text);
  return { text, at: (offset) => places(offset, "") };
}

function inLine(text: string, line: number): GivenText["at"] {
  const places = placesIn("stdin", text);
  return (offset) => ({ ...places(offset, ""), line });
}

function tooLong(line: number, chars: number) {
  const detail = `Line ${line} of standard input has ${chars} characters; a line may have ${MAX_LINE_CHARS}.`;
  return problem("too_long", "A line is too long", detail);
}
