import { type Attempt, allows, explain } from "../csp/index.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import { readUrl } from "../model/url.js";
import { type Matched, matchedJson, matchedText } from "../render/matched.js";
import { palette } from "../render/palette.js";
import { type Arguments, EXIT, type Terminal } from "./command.js";
import { givenTexts } from "./given-texts.js";
import { refuse } from "./show.js";

/** A value × URLs → whether a page under it loads them, and why. */
export async function matchValue(args: Arguments, terminal: Terminal): Promise<number> {
  const load = readLoad(args);
  if (!load.ok) return refuse(load.problems, args, terminal);
  const given = await givenTexts(args.operands[2], "URL", terminal);
  if (!given.ok) return refuse(given.problems, args, terminal);
  const matched = given.value.map(({ text }) => matchUrl({ ...load.value, url: text.trim() }));
  const isJson = args.text("format") === "json";
  terminal.out(isJson ? matchedJson(matched) : matchedText(matched, palette(terminal.colors.out)));
  return EXIT.done;
}

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
  if (csp === undefined) return incomplete("A CSP value");
  if (page === undefined) return incomplete("The page");
  const redirectedTo = args.text("redirected-to");
  const urls = Object.entries({ page, "redirected-to": redirectedTo ?? page });
  const wrong = urls.filter(([, written]) => readUrl(written) === null);
  if (wrong.length > 0) return failed(...wrong.map(notUrl));
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
  return failed(problem("bad_operand", "A word is missing", detail));
}

function notUrl([flag, written]: readonly [string, string]) {
  const detail = `--${flag} ${written} is no whole URL, such as https://shop.example.com/.`;
  return problem("bad_flag", "Not a URL", detail);
}
