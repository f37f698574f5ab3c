import { defaultService } from "../config/schema.js";
import { reviewWhole } from "../expression/check/constant.js";
import { type ExpressionProblem, summaryOf } from "../expression/problem.js";
import { normalise } from "../expression/spelling/normalise.js";
import { tooLong } from "../kinds/limits.js";
import type { Problem } from "../model/problem.js";
import type { Checked } from "../render/problems.js";
import { type Arguments, EXIT, type Terminal } from "./command.js";
import { type GivenText, givenTexts, whole } from "./given-texts.js";
import { refuse, tellChecked } from "./show.js";
import { onlyFor } from "./subcommand.js";

const OF_MATCH = ["field"];

/** Expressions → what is wrong with them or odd about them. */
export async function checkExpressions(args: Arguments, terminal: Terminal): Promise<number> {
  const misplaced = onlyFor("expression match", OF_MATCH, args.operands[2], args);
  if (misplaced.length > 0) return refuse(misplaced, args, terminal);
  const given = await givenTexts(args.operands[1], "EXPRESSION", terminal);
  if (!given.ok) return refuse(given.problems, args, terminal);
  const phase = args.text("phase");
  const options = phase === undefined ? {} : { phase };
  const checked = given.value.map((each): Checked => {
    const problems = reviewWhole(each.text, options).map((found) => problemIn(each, found));
    return { text: each.text, at: each.at(0), problems: [...problems, ...tooMuch(each)], advice: [] };
  });
  const isValid = tellChecked(checked, "expression", args, terminal);
  return isValid ? EXIT.done : EXIT.error;
}

function tooMuch({ text, at }: GivenText): readonly Problem[] {
  const length = normalise(text).length;
  const limit = defaultService.limits.expression_chars;
  if (length <= limit) return [];
  return [tooLong("", "The expression", length, limit, "expression_chars")].map(whole(at));
}

function problemIn({ at }: GivenText, found: ExpressionProblem): Problem {
  const { code, severity, message, shown } = found;
  return { code, severity, summary: summaryOf(found), detail: message, at: at(shown.start) };
}
