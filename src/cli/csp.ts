import { defaultService } from "../config/schema.js";
import { summaryOf } from "../csp/check.js";
import { SERVICE_DIRECTIVES } from "../csp/directives.js";
import { review } from "../csp/lint.js";
import { oneLine } from "../csp/syntax.js";
import { tooLong } from "../kinds/service-limits.js";
import { failed, type Problem, problem } from "../model/problem.js";
import type { Checked } from "../render/problems.js";
import type { Arguments, Ended, Run, Terminal } from "./command.js";
import { type GivenText, givenTexts, onlyFor, readSubcommand, whole } from "./operands.js";
import * as flags from "./shared-flags.js";
import { tellChecked } from "./show.js";

export const run: Run = async (args, terminal) => {
  const word = readSubcommand("csp", args.operands[0], ["check", "match"]);
  if (!word.ok) return word;
  switch (word.value) {
    case "check":
      return checkValues(args, terminal);
    case "match":
      return (await import("./csp-match.js")).matchValue(args, terminal);
  }
};

const OF_MATCH = [
  ...["page", "kind", "redirected-to", "nonce", "integrity", "inserted"],
  ...[flags.policy.name, "config", "events", "exit-code"],
];

/** CSP values → errors, weaknesses, and missing directives. */
export async function checkValues(args: Arguments, terminal: Terminal): Promise<Ended> {
  const extra = args.texts("directive");
  const problems = [
    ...onlyFor("csp match", OF_MATCH, args.operands[2], args),
    ...extra.flatMap(notDirective),
  ];
  if (problems.length > 0) return failed(...problems);
  const inputs = await givenTexts(args.operands[1], "VALUE", terminal);
  if (!inputs.ok) return inputs;
  const directives = new Set([...SERVICE_DIRECTIVES, ...extra.map((name) => name.toLowerCase())]);
  const checked = inputs.value.map((each) => checkValue(each, directives));
  return tellChecked(checked, "value", args, terminal);
}

function notDirective(name: string): readonly Problem[] {
  if (/^[a-z0-9-]+$/i.test(name)) return [];
  const detail = `--directive ${name} is not a directive name. Pass a name such as script-src-elem.`;
  return [problem("bad_flag", "--directive is not a directive name", detail)];
}

function checkValue({ text, at }: GivenText, directives: ReadonlySet<string>): Checked {
  const { findings, missing } = review(text, directives);
  const problems = findings.map((finding): Problem => {
    const { code, severity, message, start } = finding;
    return { code, severity, summary: summaryOf(finding, text), detail: message, at: at(start) };
  });
  const length = oneLine(text).length;
  const limit = defaultService.limits.policy_value_chars;
  const tooMuch = length > limit ? [tooLong("", "The CSP value", length, limit, "policy_value_chars")] : [];
  return { text, at: at(0), problems: [...problems, ...tooMuch.map(whole(at))], advice: missing };
}
