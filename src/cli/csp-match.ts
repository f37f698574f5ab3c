import { type Attempt, allows } from "../csp/match/allows.js";
import { explain } from "../csp/match/explain.js";
import { quoted } from "../model/cut.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { isUrlOn, isWholeUrl } from "../model/url.js";
import { type Matched, matchedJson, matchedText } from "../render/matched.js";
import { palette } from "../render/palette.js";
import { EXIT } from "../run/exit.js";
import { cspsFor, isOnPage, type NamedCsp, namedCsps, type Tried } from "../run/named-csps.js";
import type { Arguments, Terminal } from "./command.js";
import { policy } from "./flags.js";
import { answerCode, givenTexts, onlyFor } from "./operands.js";
import { filesInput } from "./options.js";
import { refuse, showProblems } from "./show.js";

/** A value, or policies of the files × URLs → whether a page under it loads them, and why. */
export async function matchValue(args: Arguments, terminal: Terminal): Promise<number> {
  const load = readLoad(args);
  if (!load.ok) return refuse(load.problems, args, terminal);
  const tried = await readTried(args, terminal);
  if (!tried.ok) return refuse(tried.problems, args, terminal);
  const urls = args.operands[tried.value.as === "files" ? 1 : 2];
  if (args.texts("events").length > 0) {
    const told = toldByLogs(urls, args);
    if (told.length > 0) return refuse(told, args, terminal);
    // Few ask for it, and it is much to load.
    return (await import("./match-reported.js")).matchReported(tried.value, args, terminal);
  }
  const { page } = load.value;
  if (page === undefined) return refuse(incomplete("The page"), args, terminal);
  const meant = tried.value.as === "files" ? cspsFor(tried.value, page) : [];
  if (tried.value.as === "files" && meant.length === 0) return refuse([otherZone(page)], args, terminal);
  const given = await givenTexts(urls, "URL", terminal);
  if (!given.ok) return refuse(given.problems, args, terminal);
  const attempt = { ...load.value, page };
  const matched = given.value.flatMap(({ text }) =>
    tried.value.as === "value"
      ? [matchText(text.trim(), { ...attempt, csp: tried.value.csp })]
      : meant.map((csp) => matchNamed(text.trim(), csp, attempt)),
  );
  const isJson = args.text("format") === "json";
  terminal.out(isJson ? matchedJson(matched) : matchedText(matched, palette(terminal.colors.out)));
  if (tried.value.as === "files") showProblems(tried.value.problems, terminal);
  if (matched.some(({ outcome }) => outcome === NOT_A_URL)) return EXIT.error;
  return answerCode(
    args,
    matched.every(({ isGood }) => isGood),
  );
}

async function readTried(args: Arguments, terminal: Terminal): Promise<Result<Tried>> {
  const names = args.texts(policy.name);
  if (names.length === 0) {
    const csp = args.operands[1];
    if (csp === undefined || csp === "-" || csp.trim() === "") return failed(...incomplete("A CSP value"));
    return ok({ as: "value", csp });
  }
  const surplus = args.operands[2];
  if (surplus !== undefined) return failed(surplusValue(surplus));
  const found = await namedCsps(filesInput(args, terminal), names);
  return found.ok ? ok({ as: "files", ...found.value }) : found;
}

function surplusValue(written: string): Problem {
  const detail = `With --policy the value is that of the files: ${quoted(written)} is too much. Write zoneward csp match URL --policy NAME --page URL.`;
  return problem("bad_operand", "Two values to ask", detail);
}

/** What is said of a load, where logs say it of each. */
function toldByLogs(url: string | undefined, args: Arguments): readonly Problem[] {
  const flags = ["page", "kind", "redirected-to", "nonce", "integrity", "inserted"].filter((flag) =>
    args.on(flag),
  );
  const said = [...(url === undefined ? [] : [quoted(url)]), ...flags.map((flag) => `--${flag}`)];
  if (said.length === 0) return [];
  const detail = `--events names logs of loads, and ${said.join(", ")} is about one of them. Ask one or the other.`;
  return [problem("bad_operand", "Two things to ask", detail)];
}

function otherZone(page: string): Problem {
  const detail = `${page} is in no zone of which the files declare the policy. Ask about a page of one that has it.`;
  return problem("bad_flag", "A page of another zone", detail);
}

const NOT_A_URL = "not a URL";
const UNDECIDED = "undecided";

/** How a load fares under a policy of the files, if that is on the page at all. */
function matchNamed(url: string, named: NamedCsp, load: Omit<Attempt, "url" | "csp">): Matched {
  const { name, zone, csp, where, isBlocking } = named;
  const matched = matchText(url, { ...load, csp });
  if (matched.outcome === NOT_A_URL) return matched;
  const on = isOnPage(named, load.page);
  const told = on === false ? [] : matched.why;
  const why = [...pageWords(named, on), ...told];
  const isRefused = !matched.isGood && on !== false;
  const refused = matched.outcome === UNDECIDED ? UNDECIDED : isBlocking ? "refused" : "reported";
  const outcome = on === false ? "not on this page" : isRefused ? refused : "allowed";
  const record = {
    ...matched.record,
    policy: name,
    zone,
    where,
    on_page: on,
    blocks: isBlocking,
    outcome: outcome.replaceAll(" ", "_"),
    why,
  };
  return { subject: `${url} under ${quoted(name)} of ${zone}`, outcome, isGood: !isRefused, why, record };
}

/** Why a policy is not on a page, or may not be. */
export function pageWords({ name, where }: NamedCsp, on: ReturnType<typeof isOnPage>): readonly string[] {
  if (on === false) return [`${quoted(name)} is not on this page: it is on those of ${where}.`];
  if (on === true) return [];
  return [`Whether ${quoted(name)} is on this page, its URL does not tell: it is on those of ${where}.`];
}

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
    outcome: allowed === true ? "allowed" : allowed === false ? "refused" : UNDECIDED,
    isGood: allowed === true,
    why,
    record: { kind, url, allowed, directive, why, policies, ...rest },
  };
}

/** The load that is asked about, without its URL; the page may be told by logs. */
function readLoad(
  args: Arguments,
): Result<Omit<Attempt, "url" | "csp" | "page"> & { readonly page: string | undefined }> {
  const page = args.text("page");
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
    inserted: args.text("inserted") === "script" ? "script" : "parser",
    ...(redirectedTo === undefined ? {} : { redirectedTo }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(integrity === undefined ? {} : { integrity }),
  });
}

function incomplete(what: string): readonly Problem[] {
  const detail = `${what} is missing: zoneward csp match VALUE URL --page URL, or zoneward csp match URL --policy NAME --page URL.`;
  return [problem("bad_operand", "Missing argument", detail)];
}

function notUrl(flag: string, written: string | undefined): readonly Problem[] {
  if (written === undefined || isWholeUrl(written)) return [];
  const detail = `--${flag} ${written} is no whole URL, such as https://shop.example.com/.`;
  return [problem("bad_flag", "Not a URL", detail)];
}
