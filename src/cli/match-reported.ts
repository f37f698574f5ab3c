import { allows, allowsSomeBelow } from "../csp/match/allows.js";
import { explain } from "../csp/match/explain.js";
import { quoted } from "../model/cut.js";
import type { Reports } from "../model/detection.js";
import type { ReportedLoad } from "../model/evidence.js";
import { jsonText } from "../model/json-text.js";
import { timesText } from "../render/impact-moves.js";
import { type Matched, matchedText } from "../render/matched.js";
import { palette } from "../render/palette.js";
import { count, grouped } from "../render/safe-text.js";
import { isOnPage, type Tried } from "../run/named-csps.js";
import { reportedLoads } from "../run/reported-loads.js";
import type { Arguments, Ended, Terminal } from "./command.js";
import { answerCode, showProblems } from "./show.js";

/** A CSP value, or policies of the files × reported loads → which loads it allows. */
export async function matchReported(tried: Tried, args: Arguments, terminal: Terminal): Promise<Ended> {
  const zones = tried.as === "files" ? tried.zones : null;
  const read = await reportedLoads(args.texts("events"), zones, terminal.cwd, terminal.bytes);
  if (!read.ok) return read;
  const { evidence, warnings } = read.value;
  const judgements = [...evidence.loads].flatMap(([zone, loads]) =>
    cspsOf(tried, zone).flatMap((csp) => loads.map((load) => judge(load, csp, zone))),
  );
  const counts = OUTCOMES.map(
    (outcome) => [outcome, judgements.filter((each) => each.outcome === outcome).length] as const,
  );
  if (args.text("format") === "json")
    terminal.out(
      jsonText({
        counts: Object.fromEntries(counts.map(([outcome, n]) => [keyOf(outcome), n])),
        results: judgements.map(({ record }) => record),
      }),
    );
  else terminal.out(textOf(judgements, counts, terminal));
  showProblems(tried.as === "files" ? [...tried.problems, ...warnings] : warnings, terminal);
  return answerCode(
    args,
    judgements.every(({ isGood }) => isGood),
  );
}

/** The CSP that loads are tried under. */
interface Target {
  /** Null: a CSP value, not a policy of the files. */
  readonly name: string | null;
  readonly csp: string;
  readonly where: string;
  readonly isBlocking: boolean;
}

function cspsOf(tried: Tried, zone: string): readonly Target[] {
  if (tried.as === "value") return [{ name: null, csp: tried.csp, where: "true", isBlocking: true }];
  return tried.csps.filter((each) => each.zone === zone);
}

const OUTCOMES = ["allowed", "refused", "reported", "not known", "not on its pages"] as const;
type MatchResult = (typeof OUTCOMES)[number];

/** The outcome's name in JSON. */
function keyOf(outcome: MatchResult): string {
  return outcome.replaceAll(" ", "_");
}

interface Judgement extends Matched {
  readonly outcome: MatchResult;
  readonly reports: Reports;
}

/** The worst outcome of a load on any of its pages. */
function judge(load: ReportedLoad, target: Target, zone: string): Judgement {
  const { url, pages, isElsewhere, reports } = load;
  const kind = load.kind === "scripts" ? "script" : "connection";
  const attempts = pages
    .filter((page) => isOnPage(target, page) !== false)
    .map((page) => ({ kind, url, page, csp: target.csp }) as const)
    .map((attempt) => ({ attempt, verdict: allows(attempt) }));
  const refused = attempts.filter(({ verdict }) => verdict.allowed === false);
  const open = attempts.find(({ verdict }) => verdict.allowed === "unknown");
  const partly =
    reports.path_prefix === true ? refused.filter(({ attempt }) => allowsSomeBelow(attempt)) : [];
  const refusing = refused.filter((each) => !partly.includes(each));
  const doubts = [
    ...(open === undefined ? [] : explain(open.attempt, open.verdict)),
    ...(partly.length > 0 ? [IN_PART] : []),
    ...(isElsewhere || pages.length === 0 ? [NO_PAGE] : []),
  ];
  const outcome = outcomeOf(refusing.length, attempts.length, doubts.length > 0, target);
  const [example] = outcome === "allowed" ? attempts : refusing;
  const why = example === undefined ? doubts : explain(example.attempt, example.verdict);
  const under = target.name === null ? "" : ` under ${quoted(target.name)} of ${zone}`;
  const more = refusing.length > 1 ? ` and ${count(refusing.length - 1, "more page")}` : "";
  const where = refusing.length > 0 ? ` on ${example?.attempt.page}${more}` : "";
  const { name } = target;
  return {
    subject: `${url}${where}${under} (${timesText(reports)})`,
    outcome,
    isGood: outcome === "allowed" || outcome === "not on its pages",
    why,
    reports,
    record: {
      kind,
      url,
      outcome: keyOf(outcome),
      ...(name === null ? {} : { policy: name, zone, where: target.where, blocks: target.isBlocking }),
      refused_on: refusing.map(({ attempt }) => attempt.page),
      pages,
      reports,
      why,
    },
  };
}

function outcomeOf(refusing: number, attempts: number, isOpen: boolean, { isBlocking }: Target): MatchResult {
  if (refusing > 0) return isBlocking ? "refused" : "reported";
  if (isOpen) return "not known";
  return attempts === 0 ? "not on its pages" : "allowed";
}

const NO_PAGE = "Some reports do not name their page.";
const IN_PART = "This entry stands for all URLs with this beginning; some may be allowed.";

/** JSON has all of them. */
const MOST_SHOWN = 50;

/** Loads that are not allowed, the most reported first, and counts of all outcomes. */
function textOf(
  judged: readonly Judgement[],
  counts: readonly (readonly [MatchResult, number])[],
  terminal: Terminal,
): string {
  const bad = judged.filter(({ isGood }) => !isGood).toSorted((a, b) => b.reports.count - a.reports.count);
  const text = matchedText(bad.slice(0, MOST_SHOWN), palette(terminal.colors.out));
  const more = bad.length > MOST_SHOWN ? `and ${bad.length - MOST_SHOWN} more (see --format json)\n` : "";
  const sums = counts.flatMap(([outcome, n]) =>
    n === 0 && outcome !== "allowed" ? [] : [`${grouped(n)} ${outcome}`],
  );
  const policies = new Set(
    judged.flatMap(({ record: { policy, zone } }) => (policy === undefined ? [] : `${policy} ${zone}`)),
  );
  const under = policies.size > 1 ? ` under ${policies.size} policies` : "";
  const loads = new Set(judged.map(({ record: { kind, url } }) => `${kind} ${url}`)).size;
  return `${text}${more}${bad.length > 0 ? "\n" : ""}${count(loads, "load")}${under}: ${sums.join(", ")}.\n`;
}
