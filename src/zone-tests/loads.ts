import type { LoadKind } from "../csp/directives.js";
import { allows, allowsLoad, compile, type Load, prepareAll } from "../csp/match/allows.js";
import { explain } from "../csp/match/explain.js";
import { withoutNewerHashes } from "../csp/syntax.js";
import type { Truth } from "../expression/value.js";
import { fewOf, quoted } from "../model/cut.js";
import { isUrlOn } from "../model/url.js";
import { charged, isSpent } from "../model/work-budget.js";
import type { PageObject } from "../model/zone-tests.js";
import { type Answer, type Match, PASSES, type Question, TOO_MUCH_WORK } from "./question.js";

const fails = (why: string): Answer => ({ as: "fails", why });
const undecided = (why: string): Answer => ({ as: "undecided", why });

/** A CSP that is on the page, or may be. */
interface PageCsp {
  readonly name: string;
  readonly isBlocking: boolean;
  readonly csp: string;
  readonly applies: Match;
}

/** The CSPs of a page. */
export interface PageView {
  readonly page: string;
  readonly csps: readonly PageCsp[];
  /** Objects with unknown effects on the page, each with the reason. */
  readonly unknown: readonly string[];
  /** Whether the page upgrades insecure requests. One enforced CSP with the directive is enough. */
  readonly upgrades: Truth;
}

/** Null: the policies of this zone could not be read. */
export function viewOf(pages: readonly PageObject[] | null, question: Question): PageView | null {
  if (pages === null || question.page === null) return null;
  const csps = pages.flatMap(({ name, layers }) =>
    layers.flatMap(({ mode, where, csp }): readonly PageCsp[] => {
      const applies = question.matches(where);
      return applies.truth === false ? [] : [{ name, isBlocking: mode === "enforce", csp, applies }];
    }),
  );
  const unknown = pages.flatMap(({ name, unknown }) =>
    unknown === null || question.matches(unknown.where).truth === false
      ? []
      : [`the effect of the policy ${quoted(name)} is unknown: ${unknown.why}`],
  );
  const upgrading = csps.filter((each) => each.isBlocking && compile(each.csp).upgradesInsecure);
  const isSure = upgrading.some(({ applies }) => applies.truth === true);
  return { page: question.page, csps, unknown, upgrades: isSure || (upgrading.length > 0 && "unknown") };
}

/** The expected result for a load. */
export type ExpectedLoad = "allowed" | "blocked" | "reported";

/** Whether a load on the page is allowed, blocked or reported, as expected. */
export function answerLoad(kind: LoadKind, url: string, expected: ExpectedLoad, view: PageView): Answer {
  if (!isUrlOn(view.page, url))
    return {
      as: "misasked",
      why: `${quoted(url)} is not a URL. Write a full URL such as https://cdn.example.com/app.js, or a path such as /app.js.`,
    };
  const loads = prepareAll({ kind, page: view.page, url });
  const verdicts = view.csps.map((each) => ({ ...each, refuses: refusal(loads, each, view.upgrades) }));
  const blocking = verdicts.filter((each) => each.isBlocking && each.refuses !== false);
  const reporting = verdicts.filter((each) => !each.isBlocking && each.refuses !== false);
  const explained = (each: PageCsp) => wordsFor(kind, url, each, view);
  const doubtOf = (each: PageCsp) => doubtIn(each, view);
  const [blocker] = blocking.filter(isSure);
  if (blocker !== undefined)
    return expected === "blocked"
      ? PASSES
      : fails(`The policy ${quoted(blocker.name)} blocks the load. ${explained(blocker)}`);
  const doubt = [...blocking.map(doubtOf), ...view.unknown];
  if (doubt.length > 0) return undecided(`The load may be blocked: ${firstOf(doubt)}.`);
  if (expected === "allowed") return PASSES;
  const [reporter] = reporting.filter(isSure);
  if (expected === "reported") {
    if (reporter !== undefined) return PASSES;
    if (reporting.length > 0)
      return undecided(`The load may be reported: ${firstOf(reporting.map(doubtOf))}.`);
    const none = "No policy applies to the page.";
    return fails(`The load is neither blocked nor reported. ${passWords(none, view.csps, explained)}`);
  }
  if (reporter !== undefined)
    return fails(
      `The load is allowed: the policy ${quoted(reporter.name)} only reports the load (action: log). ${explained(reporter)}`,
    );
  const enforced = view.csps.filter((each) => each.isBlocking);
  const none = "No blocking policy applies to the page.";
  return fails(`The load is allowed. ${passWords(none, enforced, explained)}`);
}

export function firstOf(texts: readonly string[], separator = "; "): string {
  return fewOf(texts, MOST_NAMED).join(separator);
}

const MOST_NAMED = 5;

function isSure({ applies, refuses }: { readonly applies: Match; readonly refuses: Truth }): boolean {
  return applies.truth === true && refuses === true;
}

function doubtIn({ name, csp, applies }: PageCsp, { upgrades }: PageView): string {
  const how =
    withoutNewerHashes(csp) !== csp
      ? "browsers differ about its hashes of URLs"
      : upgrades === "unknown"
        ? "whether the page upgrades insecure loads is unknown"
        : "the page upgrades insecure loads of XMLHttpRequest and not of fetch, and the sender is unknown";
  const why = applies.truth === "unknown" ? applies.why : isSpent() ? TOO_MUCH_WORK.why : how;
  return `the policy ${quoted(name)} is undecided: ${why}`;
}

/** @param none the words where no policy applies */
function passWords(
  none: string,
  [first, ...rest]: readonly PageCsp[],
  explained: (each: PageCsp) => string,
): string {
  if (first === undefined) return none;
  const names = rest.map(({ name }) => quoted(name));
  const suffix = rest.length === 0 ? "" : ` Also applying and allowing: ${firstOf(names, ", ")}.`;
  return `The policy ${quoted(first.name)} applies and allows the load. ${explained(first)}${suffix}`;
}

/**
 * Whether a CSP refuses a load, judged as `csp match` does: a script in the page's HTML without nonce or integrity. A
 * reporting policy is asked about a script before the upgrade.
 */
function refusal(loads: readonly Load[], { csp, isBlocking }: PageCsp, upgrades: Truth): Truth {
  const answer = () => {
    const forms = [...new Set([csp, withoutNewerHashes(csp)])].map(compile);
    const answers = loads.flatMap((load) => {
      const loadUpgrades = load.kind === "script" && !isBlocking ? false : upgrades;
      return (loadUpgrades === "unknown" ? [true, false] : [loadUpgrades]).flatMap((upgradesInsecure) =>
        forms.map((compiled) => !allowsLoad({ ...compiled, upgradesInsecure }, load)),
      );
    });
    const [first = "unknown"] = answers;
    const value: Truth = answers.every((each) => each === first) ? first : "unknown";
    return { value, work: csp.length * answers.length };
  };
  return charged(() => ["load", csp, ""], answer, "unknown");
}

/** In the words of `csp match`. */
function wordsFor(kind: LoadKind, url: string, { csp }: PageCsp, { page, upgrades }: PageView): string {
  const isUpgraded = upgrades === true && !compile(csp).upgradesInsecure;
  const attempt = { kind, page, url, csp: isUpgraded ? `${csp}; upgrade-insecure-requests` : csp };
  return explain(attempt, allows(attempt)).join(" ");
}
