import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import type { Arguments } from "./command.js";

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
    return failed(problem("bad_operand", "A word is missing", `Say what to do: ${usage}.`));
  const close = suggest(written, words);
  const advice = close === null ? `There is ${usage}.` : `Did you mean ${close}?`;
  const detail = `zoneward ${command} has no ${written}. ${advice}`;
  return failed(problem("bad_operand", "A word that the command does not know", detail));
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
