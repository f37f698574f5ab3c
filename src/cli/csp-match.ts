import { type Attempt, allows } from "../csp/match/allows.js";
import { explain } from "../csp/match/explain.js";
import { quoted } from "../model/cut.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { isUrlOn, isWholeUrl } from "../model/url.js";
import type { Matched } from "../render/matched.js";
import { cspsFor, isOnPage, type NamedCsp, namedCsps, type Tried } from "../run/named-csps.js";
import type { Arguments, Ended, Terminal } from "./command.js";
import { filesInput } from "./inputs.js";
import { givenTexts, onlyFor } from "./operands.js";
import { policy } from "./shared-flags.js";
import { NOT_A_URL, showProblems, tellMatched } from "./show.js";

/** A CSP value, or policies of the files × URLs → whether a page under it loads them, and why. */
export async function matchValue(args: Arguments, terminal: Terminal): Promise<Ended> {
  const load = readLoad(args);
  if (!load.ok) return load;
  const tried = await readTried(args, terminal);
  if (!tried.ok) return tried;
  const urls = args.operands[tried.value.as === "files" ? 1 : 2];
  if (args.texts("events").length > 0) {
    const misplaced = toldByLogs(urls, args);
    if (misplaced.length > 0) return failed(...misplaced);
    // Loaded on demand: few ask for it, and it is large.
    return (await import("./match-reported.js")).matchReported(tried.value, args, terminal);
  }
  const { page } = load.value;
  if (page === undefined) return failed(...incomplete("--page"));
  const csps = tried.value.as === "files" ? cspsFor(tried.value, page) : [];
  if (tried.value.as === "files" && csps.length === 0) return failed(otherZone(page));
  const inputs = await givenTexts(urls, "URL", terminal);
  if (!inputs.ok) return inputs;
  const attempt = { ...load.value, page };
  const matched = inputs.value.flatMap(({ text }) =>
    tried.value.as === "value"
      ? [matchText(text.trim(), { ...attempt, csp: tried.value.csp })]
      : csps.map((csp) => matchNamed(text.trim(), csp, attempt)),
  );
  const code = tellMatched(matched, args, terminal);
  if (tried.value.as === "files") showProblems(tried.value.problems, terminal);
  return code;
}

async function readTried(args: Arguments, terminal: Terminal): Promise<Result<Tried>> {
  const names = args.texts(policy.name);
  if (names.length === 0) {
    const csp = args.operands[1];
    if (csp === undefined || csp === "-" || csp.trim() === "") return failed(...incomplete("VALUE"));
    return ok({ as: "value", csp });
  }
  const surplus = args.operands[2];
  if (surplus !== undefined) return failed(surplusValue(surplus));
  const policies = await namedCsps(filesInput(args, terminal), names);
  return policies.ok ? ok({ as: "files", ...policies.value }) : policies;
}

function surplusValue(value: string): Problem {
  const detail = `With --policy, the files have the value. Leave ${quoted(value)} out: zoneward csp match URL --policy NAME --page URL.`;
  return problem("bad_operand", "VALUE and --policy exclude each other", detail);
}

/** Flags and operands that describe a single load; logs describe each load themselves. */
function toldByLogs(url: string | undefined, args: Arguments): readonly Problem[] {
  const flags = ["page", "kind", "redirected-to", "nonce", "integrity", "inserted"].filter((flag) =>
    args.on(flag),
  );
  const words = [...(url === undefined ? [] : [quoted(url)]), ...flags.map((flag) => `--${flag}`)];
  if (words.length === 0) return [];
  const detail = `--events takes the loads from logs, and ${words.join(", ")} describes a single load. Pass one or the other.`;
  return [problem("bad_operand", "--events and a URL exclude each other", detail)];
}

function otherZone(page: string): Problem {
  const detail = `${page} is in no zone that declares the policy. Pass a page of a zone that does.`;
  return problem("bad_flag", "--page is in another zone", detail);
}

const UNDECIDED = "undecided";

/** The outcome of a load under a policy of the files, if the policy is on the page. */
function matchNamed(url: string, namedCsp: NamedCsp, load: Omit<Attempt, "url" | "csp">): Matched {
  const { name, zone, csp, where, isBlocking } = namedCsp;
  const matched = matchText(url, { ...load, csp });
  if (matched.outcome === NOT_A_URL) return matched;
  const onPage = isOnPage(namedCsp, load.page);
  const reasons = onPage === false ? [] : matched.why;
  const why = [...pageWords(namedCsp, onPage), ...reasons];
  const isRefused = !matched.isGood && onPage !== false;
  const refused = matched.outcome === UNDECIDED ? UNDECIDED : isBlocking ? "refused" : "reported";
  const outcome = onPage === false ? "not on this page" : isRefused ? refused : "allowed";
  const record = {
    ...matched.record,
    policy: name,
    zone,
    where,
    on_page: onPage,
    blocks: isBlocking,
    outcome: outcome.replaceAll(" ", "_"),
    why,
  };
  return { subject: `${url} under ${quoted(name)} of ${zone}`, outcome, isGood: !isRefused, why, record };
}

/** Why a policy is not on a page, or may not be. */
export function pageWords({ name, where }: NamedCsp, onPage: ReturnType<typeof isOnPage>): readonly string[] {
  if (onPage === false)
    return [`Policy ${quoted(name)} is not on this page. It covers pages where ${where}.`];
  if (onPage === true) return [];
  return [
    `The URL does not tell whether policy ${quoted(name)} covers this page. It covers pages where ${where}.`,
  ];
}

function matchText(url: string, load: Omit<Attempt, "url">): Matched {
  return isUrlOn(load.page, url) ? matchUrl({ ...load, url }) : notMatched(url, load);
}

function notMatched(url: string, { kind, ...rest }: Omit<Attempt, "url">): Matched {
  const why = [`${JSON.stringify(url)} is not a URL. ${HOW_TO_WRITE}`];
  const record = { kind, url, allowed: null, directive: null, why, policies: [], ...rest };
  return { subject: url, outcome: NOT_A_URL, isGood: false, why, record };
}

const HOW_TO_WRITE =
  "Write a whole URL (https://cdn.example.com/app.js), or one relative to the page (/app.js).";

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

/** The load in question, without its URL. With logs, it has no page either. */
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

function incomplete(name: string): readonly Problem[] {
  const detail =
    "Run zoneward csp match VALUE URL --page URL, or zoneward csp match URL --policy NAME --page URL.";
  return [problem("bad_operand", `Missing argument ${name}`, detail)];
}

function notUrl(flag: string, text: string | undefined): readonly Problem[] {
  if (text === undefined || isWholeUrl(text)) return [];
  const detail = `--${flag} ${text} is not a whole URL. Pass one such as https://shop.example.com/.`;
  return [problem("bad_flag", `--${flag} is not a URL`, detail)];
}
