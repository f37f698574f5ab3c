import { allows, allowsSomeBelow } from "../csp/match/allows.js";
import { explain } from "../csp/match/explain.js";
import { quoted } from "../model/cut.js";
import type { Reports } from "../model/detection.js";
import type { ReportedLoad } from "../model/evidence.js";
import { jsonText } from "../model/json-text.js";
import { timesText } from "../render/impact-moves.js";
import { type Matched, matchedText } from "../render/matched.js";
import { palette } from "../render/palette.js";
import { count, grouped } from "../render/plain.js";
import { reportedLoads } from "../run/evidence.js";
import { isOnPage, type Tried } from "../run/named-csps.js";
import type { Arguments, Terminal } from "./command.js";
import { answerCode } from "./operands.js";
import { refuse, showProblems } from "./show.js";

/** A value, or policies of the files × what browsers reported → which of those loads it allows. */
export async function matchReported(tried: Tried, args: Arguments, terminal: Terminal): Promise<number> {
  const zones = tried.as === "files" ? tried.zones : null;
  const read = await reportedLoads(args.texts("events"), zones, terminal.cwd, terminal.bytes);
  if (!read.ok) return refuse(read.problems, args, terminal);
  const { evidence, told } = read.value;
  const all = [...evidence.loads].flatMap(([zone, loads]) =>
    cspsOf(tried, zone).flatMap((csp) => loads.map((load) => judged(load, csp, zone))),
  );
  const counts = OUTCOMES.map(
    (outcome) => [outcome, all.filter((each) => each.outcome === outcome).length] as const,
  );
  if (args.text("format") === "json")
    terminal.out(
      jsonText({
        counts: Object.fromEntries(counts.map(([outcome, n]) => [keyOf(outcome), n])),
        results: all.map(({ record }) => record),
      }),
    );
  else terminal.out(textOf(all, counts, terminal));
  showProblems(tried.as === "files" ? [...tried.problems, ...told] : told, terminal);
  return answerCode(
    args,
    all.every(({ isGood }) => isGood),
  );
}

/** What is asked whether it allows a load. */
interface Asked {
  /** Null: it is a value, and not a policy of the files. */
  readonly name: string | null;
  readonly csp: string;
  readonly where: string;
  readonly isBlocking: boolean;
}

function cspsOf(tried: Tried, zone: string): readonly Asked[] {
  if (tried.as === "value") return [{ name: null, csp: tried.csp, where: "true", isBlocking: true }];
  return tried.csps.filter((each) => each.zone === zone);
}

const OUTCOMES = ["allowed", "refused", "reported", "not known", "not on its pages"] as const;
type Outcome = (typeof OUTCOMES)[number];

/** For programs. */
function keyOf(outcome: Outcome): string {
  return outcome.replaceAll(" ", "_");
}

interface Judged extends Matched {
  readonly outcome: Outcome;
  readonly reports: Reports;
}

/** A load fares as on the page on which it fares worst. */
function judged(load: ReportedLoad, asked: Asked, zone: string): Judged {
  const { url, pages, isElsewhere, reports } = load;
  const kind = load.kind === "scripts" ? "script" : "connection";
  const own = pages
    .filter((page) => isOnPage(asked, page) !== false)
    .map((page) => ({ kind, url, page, csp: asked.csp }) as const)
    .map((attempt) => ({ attempt, verdict: allows(attempt) }));
  const refused = own.filter(({ verdict }) => verdict.allowed === false);
  const open = own.find(({ verdict }) => verdict.allowed === "unknown");
  const partly =
    reports.path_prefix === true ? refused.filter(({ attempt }) => allowsSomeBelow(attempt)) : [];
  const refusing = refused.filter((each) => !partly.includes(each));
  const untold = [
    ...(open === undefined ? [] : explain(open.attempt, open.verdict)),
    ...(partly.length > 0 ? [IN_PART] : []),
    ...(isElsewhere || pages.length === 0 ? [NO_PAGE] : []),
  ];
  const outcome = outcomeOf(refusing.length, own.length, untold.length > 0, asked);
  const [shown] = outcome === "allowed" ? own : refusing;
  const why = shown === undefined ? untold : explain(shown.attempt, shown.verdict);
  const under = asked.name === null ? "" : ` under ${quoted(asked.name)} of ${zone}`;
  const more = refusing.length > 1 ? ` and ${count(refusing.length - 1, "more page")}` : "";
  const where = refusing.length > 0 ? ` on ${shown?.attempt.page}${more}` : "";
  const { name } = asked;
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
      ...(name === null ? {} : { policy: name, zone, where: asked.where, blocks: asked.isBlocking }),
      refused_on: refusing.map(({ attempt }) => attempt.page),
      pages,
      reports,
      why,
    },
  };
}

function outcomeOf(refusing: number, own: number, isOpen: boolean, { isBlocking }: Asked): Outcome {
  if (refusing > 0) return isBlocking ? "refused" : "reported";
  if (isOpen) return "not known";
  return own === 0 ? "not on its pages" : "allowed";
}

const NO_PAGE = "Of some of its reports the page is not known.";
const IN_PART = "It stands for all URLs that begin so, and some of them may be allowed.";

/** More are in JSON. */
const MOST_SHOWN = 50;

/** What is not allowed, the most reported first, and how many there are of each. */
function textOf(
  all: readonly Judged[],
  counts: readonly (readonly [Outcome, number])[],
  terminal: Terminal,
): string {
  const bad = all.filter(({ isGood }) => !isGood).toSorted((a, b) => b.reports.count - a.reports.count);
  const shown = matchedText(bad.slice(0, MOST_SHOWN), palette(terminal.colors.out));
  const more =
    bad.length > MOST_SHOWN ? `and ${bad.length - MOST_SHOWN} more, which --format json has\n` : "";
  const sums = counts.flatMap(([outcome, n]) =>
    n === 0 && outcome !== "allowed" ? [] : [`${grouped(n)} ${outcome}`],
  );
  const policies = new Set(
    all.flatMap(({ record: { policy, zone } }) => (policy === undefined ? [] : `${policy} ${zone}`)),
  );
  const under = policies.size > 1 ? ` under ${policies.size} policies` : "";
  const loads = new Set(all.map(({ record: { kind, url } }) => `${kind} ${url}`)).size;
  return `${shown}${more}${bad.length > 0 ? "\n" : ""}${count(loads, "load")}${under}: ${sums.join(", ")}.\n`;
}
