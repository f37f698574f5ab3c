import type { Run } from "./command.js";
import { checkValues } from "./csp-check.js";
import { matchValue } from "./csp-match.js";
import { refuse } from "./show.js";
import { readSubcommand } from "./subcommand.js";

export const run: Run = async (args, terminal) => {
  const word = readSubcommand("csp", args.operands[0], ["check", "match"]);
  if (!word.ok) return refuse(word.problems, args, terminal);
  switch (word.value) {
    case "check":
      return checkValues(args, terminal);
    case "match":
      return matchValue(args, terminal);
  }
};
