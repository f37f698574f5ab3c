import { review, SERVICE_DIRECTIVES, summaryOf } from "../csp/index.js";
import type { Problem } from "../model/problem.js";
import type { Checked } from "../render/checked.js";
import { type Arguments, EXIT, type Terminal } from "./command.js";
import { type GivenText, givenTexts } from "./given-texts.js";
import { refuse, tellChecked } from "./show.js";
import { onlyFor } from "./subcommand.js";

const OF_MATCH = ["page", "kind", "redirected-to", "nonce", "integrity", "inserted"];

/** Values → what is wrong with them, what makes them weak, and what they are without. */
export async function checkValues(args: Arguments, terminal: Terminal): Promise<number> {
  const misplaced = onlyFor("csp match", OF_MATCH, args.operands[2], args);
  if (misplaced.length > 0) return refuse(misplaced, args, terminal);
  const given = await givenTexts(args.operands[1], "VALUE", terminal);
  if (!given.ok) return refuse(given.problems, args, terminal);
  const isValid = tellChecked(given.value.map(checkValue), "value", args, terminal);
  return isValid ? EXIT.done : EXIT.error;
}

function checkValue({ text, at }: GivenText): Checked {
  const { findings, missing } = review(text, SERVICE_DIRECTIVES);
  const problems = findings.map((finding): Problem => {
    const { code, severity, message, start } = finding;
    return { code, severity, summary: summaryOf(finding), detail: message, at: at(start) };
  });
  return { text, problems, advice: missing };
}
