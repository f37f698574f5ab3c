import { defaultService } from "../config/schema.js";
import { summaryOf } from "../csp/check.js";
import { SERVICE_DIRECTIVES } from "../csp/directives.js";
import { review } from "../csp/lint.js";
import { type Attempt, allows } from "../csp/match/allows.js";

import { explain } from "../csp/match/explain.js";
import { oneLine } from "../csp/syntax.js";
import { tooLong } from "../kinds/limits.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { isUrlOn, isWholeUrl } from "../model/url.js";
import { EXIT } from "../process.js";
import { type Matched, matchedJson, matchedText } from "../render/matched.js";
import { palette } from "../render/palette.js";
import type { Checked } from "../render/problems.js";
import type { Arguments, Run, Terminal } from "./command.js";
import { type GivenText, givenTexts, onlyFor, readSubcommand, whole } from "./operands.js";
import { refuse, tellChecked } from "./show.js";

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

const OF_MATCH = ["page", "kind", "redirected-to", "nonce", "integrity", "inserted"];

/** Values → what is wrong with them, what makes them weak, and what they are without. */
export async function checkValues(args: Arguments, terminal: Terminal): Promise<number> {
  const extra = args.texts("directive");
  const problems = [
    ...onlyFor("csp match", OF_MATCH, args.operands[2], args),
    ...extra.flatMap(notDirective),
  ];
  if (problems.length > 0) return refuse(problems, args, terminal);
  const given = await givenTexts(args.operands[1], "VALUE", terminal);
  if (!given.ok) return refuse(given.problems, args, terminal);
  const known = new Set([...SERVICE_DIRECTIVES, ...extra.map((name) => name.toLowerCase())]);
  const checked = given.value.map((each) => checkValue(each, known));
  const isValid = tellChecked(checked, "value", args, terminal);
  return isValid ? EXIT.done : EXIT.error;
}

function notDirective(name: string): readonly Problem[] {
  if (/^[a-z0-9-]+$/i.test(name)) return [];
  const detail = `--directive ${name} is no name of a directive, such as script-src-elem.`;
  return [problem("bad_flag", "Not a directive", detail)];
}

function checkValue({ text, at }: GivenText, known: ReadonlySet<string>): Checked {
  const { findings, missing } = review(text, known);
  const problems = findings.map((finding): Problem => {
    const { code, severity, message, start } = finding;
    return { code, severity, summary: summaryOf(finding), detail: message, at: at(start) };
  });
  const length = oneLine(text).length;
  const limit = defaultService.limits.policy_value_chars;
  const tooMuch = length > limit ? [tooLong("", "The CSP value", length, limit, "policy_value_chars")] : [];
  return { text, at: at(0), problems: [...problems, ...tooMuch.map(whole(at))], advice: missing };
}

/** A value × URLs → whether a page under it loads them, and why. */
export async function matchValue(args: Arguments, terminal: Terminal): Promise<number> {
  const load = readLoad(args);
  if (!load.ok) return refuse(load.problems, args, terminal);
  const given = await givenTexts(args.operands[2], "URL", terminal);
  if (!given.ok) return refuse(given.problems, args, terminal);
  const matched = given.value.map(({ text }) => matchText(text.trim(), load.value));
  const isJson = args.text("format") === "json";
  terminal.out(isJson ? matchedJson(matched) : matchedText(matched, palette(terminal.colors.out)));
  return matched.every(({ outcome }) => outcome !== NOT_A_URL) ? EXIT.done : EXIT.error;
}

const NOT_A_URL = "not a URL";

function matchText(url: string, load: Omit<Attempt, "url">): Matched {
  return isUrlOn(load.page, url) ? matchUrl({ ...load, url }) : notMatched(url, load);
}

function notMatched(url: string, { kind, ...rest }: Omit<Attempt, "url">): Matched {
  const why = [`${JSON.stringify(url)} is no URL. ${HOW_TO_WRITE}`];
  const record = { kind, url, allowed: null, directive: null, why, policies: [], ...rest };
  return { subject: url, outcome: NOT_A_URL, isGood: false, why, record };
}

const HOW_TO_WRITE =
  "Write it whole, such as https://cdn.example.com/app.js, or as the page would: /app.js, ./app.js.";

function matchUrl(attempt: Attempt): Matched {
  const verdict = allows(attempt);
  const why = explain(attempt, verdict);
  const { allowed, directive, policies } = verdict;
  const { kind, url, ...rest } = attempt;
  return {
    subject: url,
    outcome: allowed ? "allowed" : "refused",
    isGood: allowed,
    why,
    record: { kind, url, allowed, directive, why, policies, ...rest },
  };
}

function readLoad(args: Arguments): Result<Omit<Attempt, "url">> {
  const csp = args.operands[1];
  const page = args.text("page");
  if (csp === undefined || csp === "-" || csp.trim() === "") return incomplete("A CSP value");
  if (page === undefined) return incomplete("The page");
  const redirectedTo = args.text("redirected-to");
  const wrong = [
    ...onlyFor("csp check", ["directive"], undefined, args),
    ...notUrl("page", page),
    ...notUrl("redirected-to", redirectedTo),
  ];
  if (wrong.length > 0) return failed(...wrong);
  const nonce = args.text("nonce");
  const integrity = args.text("integrity");
  return ok({
    kind: args.text("kind") === "connection" ? "connection" : "script",
    page,
    csp,
    inserted: args.text("inserted") === "script" ? "script" : "parser",
    ...(redirectedTo === undefined ? {} : { redirectedTo }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(integrity === undefined ? {} : { integrity }),
  });
}

function incomplete(what: string): Result<never> {
  const detail = `${what} is missing: zoneward csp match VALUE URL --page URL.`;
  return failed(problem("bad_operand", "Missing argument", detail));
}

function notUrl(flag: string, written: string | undefined): readonly Problem[] {
  if (written === undefined || isWholeUrl(written)) return [];
  const detail = `--${flag} ${written} is no whole URL, such as https://shop.example.com/.`;
  return [problem("bad_flag", "Not a URL", detail)];
}
