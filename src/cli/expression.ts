import { defaultService } from "../config/schema.js";
import { reviewWhole } from "../expression/check/constant.js";
import { evaluateTree } from "../expression/evaluate/evaluate.js";
import { explain, type Look, type Reason } from "../expression/evaluate/explain.js";
import { parseFieldValue, requestOf } from "../expression/evaluate/request.js";
import { readExpression } from "../expression/parse/parse.js";
import { type ExpressionProblem, summaryOf } from "../expression/problem.js";
import { normalise } from "../expression/spelling/canonical.js";
import type { Expression } from "../expression/tree.js";
import { tooLong } from "../kinds/service-limits.js";
import { allOf, failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Matched } from "../render/matched.js";
import type { Checked } from "../render/problems.js";
import type { Arguments, Ended, Run, Terminal } from "./command.js";
import { argumentText, type GivenText, givenTexts, onlyFor, readSubcommand, whole } from "./operands.js";
import { NOT_A_URL, tellChecked, tellMatched } from "./show.js";

export const run: Run = async (args, terminal) => {
  const word = readSubcommand("expression", args.operands[0], ["check", "match"]);
  if (!word.ok) return word;
  switch (word.value) {
    case "check":
      return checkExpressions(args, terminal);
    case "match":
      return matchExpression(args, terminal);
  }
};

const OF_MATCH = ["field", "requests", "exit-code"];

/** Expressions → errors and warnings. */
export async function checkExpressions(args: Arguments, terminal: Terminal): Promise<Ended> {
  const misplaced = onlyFor("expression match", OF_MATCH, args.operands[2], args);
  if (misplaced.length > 0) return failed(...misplaced);
  const inputs = await givenTexts(args.operands[1], "EXPRESSION", terminal);
  if (!inputs.ok) return inputs;
  const phase = args.text("phase");
  const options = phase === undefined ? {} : { phase };
  const checked = inputs.value.map((input): Checked => {
    const problems = reviewWhole(input.text, options).map((finding) => problemIn(input, finding));
    return { text: input.text, at: input.at(0), problems: [...problems, ...tooMuch(input)], advice: [] };
  });
  return tellChecked(checked, "expression", args, terminal);
}

function tooMuch({ text, at }: GivenText): readonly Problem[] {
  const length = normalise(text).length;
  const limit = defaultService.limits.expression_chars;
  if (length <= limit) return [];
  return [tooLong("", "The expression", length, limit, "expression_chars")].map(whole(at));
}

function problemIn({ text, at }: GivenText, finding: ExpressionProblem): Problem {
  const { code, severity, message, shown } = finding;
  return { code, severity, summary: summaryOf(finding, text), detail: message, at: at(shown.start) };
}

/** An expression × URLs → whether it covers requests to them, and why. */
export async function matchExpression(args: Arguments, terminal: Terminal): Promise<Ended> {
  const question = readQuestion(args);
  if (!question.ok) return question;
  const paths = args.texts("requests");
  if (paths.length > 0) {
    // Loaded on demand: few ask for it, and it is large.
    const { matchLines } = await import("./match-lines.js");
    return matchLines(paths, question.value, args, terminal);
  }
  const inputs = await givenTexts(args.operands[2], "URL", terminal);
  if (!inputs.ok) return inputs;
  const matched = inputs.value.map(({ text }) => matchUrl(text.trim(), question.value));
  return tellMatched(matched, args, terminal);
}

interface Question {
  readonly text: string;
  readonly tree: Expression;
  /** Further fields of the request, besides its URL. */
  readonly fields: Readonly<Record<string, unknown>>;
}

function readQuestion(args: Arguments): Result<Question> {
  const misplaced = onlyFor("expression check", ["phase"], undefined, args);
  const fields = allOf(args.texts("field").map(readField));
  const problems = [...misplaced, ...(fields.ok ? [] : fields.problems)];
  const text = args.operands[1];
  if (text === undefined) {
    const detail = "Run zoneward expression match EXPRESSION URL.";
    return failed(...problems, problem("bad_operand", "Missing argument EXPRESSION", detail));
  }
  const parsed = readExpression(text);
  if (!parsed.ok) return failed(...problems, unreadable(text, parsed.problem));
  if (problems.length > 0 || !fields.ok) return failed(...problems);
  return ok({ text, tree: parsed.tree, fields: Object.fromEntries(fields.value) });
}

/** `NAME=VALUE`. The value has the field's type; lists and maps are JSON. */
function readField(assignment: string): Result<readonly [name: string, value: unknown]> {
  const [, name, value] = /^([\w.]+)=(.*)$/s.exec(assignment) ?? [];
  if (name === undefined || value === undefined) {
    const detail = `--field ${assignment} is not NAME=VALUE. Pass a field such as http.request.method=POST.`;
    return failed(problem("bad_flag", "--field is not NAME=VALUE", detail));
  }
  const result = parseFieldValue(name, value);
  if (result.ok) return ok([name, result.value]);
  return failed(problem("bad_flag", "--field has an invalid value", `--field ${assignment}: ${result.why}`));
}

function unreadable(text: string, finding: Parameters<typeof summaryOf>[0]): Problem {
  const { code, severity, message, shown } = finding;
  return {
    code,
    severity,
    summary: summaryOf(finding, text),
    detail: message,
    at: argumentText(text).at(shown.start),
  };
}

const OUTCOMES = { true: "matches", false: "does not match", unknown: "unknown" } as const;

function matchUrl(url: string, { text, tree, fields }: Question): Matched {
  const request = requestOf(url, fields);
  if (!request.ok) {
    const why = request.problems.map(({ detail }) => detail);
    return { subject: url, outcome: NOT_A_URL, isGood: false, why, record: { url, matches: null, why } };
  }
  const matches = evaluateTree(tree, request.value);
  const reasons = explain(tree, text, request.value);
  const why = reasons.filter(({ decides }) => decides).map(sentence);
  const outcome = OUTCOMES[`${matches}`];
  return { subject: url, outcome, isGood: matches === true, why, record: { url, matches, why, reasons } };
}

function sentence({ text, truth, looked }: Reason): string {
  const verdict = truth === "unknown" ? "is unknown" : `is ${truth}`;
  // For a Boolean field alone, the verdict already says its value.
  const looks = looked.filter(({ at, found }) => at !== text || found !== "value");
  return `${text} ${verdict}${looks.map((each) => `; ${lookText(each)}`).join("")}.`;
}

function lookText({ at, found, value, is }: Look): string {
  switch (found) {
    case "value":
      return `${at} is ${is === "text" ? JSON.stringify(value) : value}`;
    case "missing":
      return `${at} is missing`;
    case "unknown":
      if (is === "new") return `${at} is unknown to this version`;
      if (is === "list") return `the contents of the account's list ${at} are unknown here`;
      return `the URL does not tell ${at} (pass --field)`;
  }
}
