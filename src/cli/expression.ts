import type { Run } from "./command.js";
import { checkExpressions } from "./expression-check.js";
import { matchExpression } from "./expression-match.js";
import { refuse } from "./show.js";
import { readSubcommand } from "./subcommand.js";

export const run: Run = async (args, terminal) => {
  const word = readSubcommand("expression", args.operands[0], ["check", "match"]);
  if (!word.ok) return refuse(word.problems, args, terminal);
  switch (word.value) {
    case "check":
      return checkExpressions(args, terminal);
    case "match":
      return matchExpression(args, terminal);
  }
};
