import { cutEnd } from "./cut.js";
import { type Day, daysUntil } from "./day.js";
import { suggest } from "./did-you-mean.js";
import { note, type Problem, remarked, type Span } from "./problem.js";

/** A warning that the files accept: `# zoneward: accept CODE until 2026-12-31: why`. */
export interface Acceptance {
  readonly code: string;
  /** The last valid day. */
  readonly until: Day;
  readonly reason: string;
  /** The comment's place, with the pointer of the entry below or beside it. */
  readonly at: Span;
  /** The entry by names: the same wherever it stands in its lists. */
  readonly entry: string;
}

/** How long before its end an acceptance is reported. */
const SOON_DAYS = 14;

/**
 * Warnings about a standing condition, whether or not the change is about it. Any other warning may be about the
 * change, which must not accept its own warnings.
 */
const STANDING: readonly string[] = [
  "account_rules_unread",
  "custom_fields_missing",
  "custom_fields_unused",
  "job_failing",
  "live_beyond_limit",
  "logged_by_others",
  "policies_combined",
  "policies_while_off",
  "ruleset_overruled",
  "switched_off",
  "unknown_rule",
  "unknown_tag",
  "unlisted",
  "zone_not_active",
];

/** Whether the warning comes from the text of an entry alone, and not from the live state. */
export function isOfText({ code }: Pick<Acceptance, "code">): boolean {
  return /^(csp|expression)_/.test(code);
}

/** The files before a change, for judging the acceptances that the change brings. */
export interface AcceptedBefore {
  readonly acceptances: readonly Acceptance[];
  /** The warnings of these files by key, each with the last day that they accept it. Null: they do not accept it. */
  readonly warned: () => ReadonlyMap<string, Day | null>;
}

/**
 * Turns accepted warnings into notes, until the last day. Errors stay errors.
 *
 * @param keyOf identifies a warning's text and entry
 * @param before a warning that is new needs an acceptance of the files before the change, and ends no later than that
 * one; null: there is no change
 */
export function accepting(
  acceptances: readonly Acceptance[],
  today: Day,
  keyOf: (warning: Problem) => string,
  before: AcceptedBefore | null,
): (problems: readonly Problem[]) => readonly Problem[] {
  if (acceptances.length === 0) return (problems) => problems;
  const lastOf = lastFor(before === null ? acceptances : knownBefore(acceptances, before.acceptances));
  const currentFor = lastFor(acceptances);
  return (problems) =>
    problems.map((problem) => {
      if (problem.severity !== "warning" || problem.at === null) return problem;
      const current = currentFor(problem);
      if (current === null) return problem;
      const ends = lastOf(problem) === null ? before?.warned().get(keyOf(problem)) : undefined;
      const last = ends === undefined ? lastOf(problem) : endingBy(current, ends);
      return last === null ? remarked(problem, { after: ITSELF }) : acceptedAs(problem, last, today);
    });
}

const ITSELF = " The change itself accepts this warning. The acceptance counts for later changes only.";

function knownBefore(
  acceptances: readonly Acceptance[],
  before: readonly Acceptance[],
): readonly Acceptance[] {
  const byKey = longest(before, ({ code, entry, at }) => keyOf(at.file, code, entry));
  return acceptances.flatMap((item) => {
    if (STANDING.includes(item.code)) return [item];
    const former = byKey.get(keyOf(item.at.file, item.code, item.entry));
    return former === undefined ? [] : [endingBy(item, former.until)];
  });
}

function endingBy(acceptance: Acceptance, last: Day | null): Acceptance {
  return last !== null && last < acceptance.until ? { ...acceptance, until: last } : acceptance;
}

/** The last day on which a warning is accepted. Null: it is not accepted. */
export function acceptedUntil(acceptances: readonly Acceptance[]): (warning: Problem) => Day | null {
  const lastOf = lastFor(acceptances);
  return (warning) => lastOf(warning)?.until ?? null;
}

/** The longest acceptance of a warning. */
function lastFor(acceptances: readonly Acceptance[]): (warning: Problem) => Acceptance | null {
  // A file may have thousands of warnings and of acceptances.
  const byKey = longest(acceptances, keyFor);
  return ({ code, at }) =>
    pointersTo(at?.pointer ?? "")
      .flatMap((pointer) => byKey.get(keyOf(at?.file ?? "", code, pointer)) ?? [])
      .reduce<Acceptance | null>(
        (last, each) => (last === null || last.until < each.until ? each : last),
        null,
      );
}

function longest(
  acceptances: readonly Acceptance[],
  keyFor: (acceptance: Acceptance) => string,
): ReadonlyMap<string, Acceptance> {
  const byKey = new Map<string, Acceptance>();
  for (const acceptance of acceptances) {
    const key = keyFor(acceptance);
    if ((byKey.get(key)?.until ?? "") < acceptance.until) byKey.set(key, acceptance);
  }
  return byKey;
}

/**
 * Notes about acceptances without a warning: the warning is gone, or was never about that entry.
 *
 * @param source the origin of the problems; a later source may find more
 */
export function acceptingNothing(
  acceptances: readonly Acceptance[],
  problems: readonly Problem[],
  source: keyof typeof NOTHING_THERE,
): readonly Problem[] {
  if (acceptances.length === 0) return [];
  const codes = new Set(acceptances.map(({ code }) => code));
  const met = new Set(
    problems.flatMap(({ code, severity, accepted, at }) =>
      at !== null && codes.has(code) && (severity === "warning" || accepted !== undefined)
        ? pointersTo(at.pointer).map((pointer) => keyOf(at.file, code, pointer))
        : [],
    ),
  );
  const warnings = problems.filter(({ severity }) => severity === "warning");
  const warningCodes = new Set(warnings.map(({ code }) => code));
  return acceptances
    .filter((each) => !met.has(keyFor(each)))
    .map(({ code, at }) => {
      const near = warningCodes.has(code) ? null : suggest(code, warningCodes);
      // With only some of the zones read, a warning may be missing.
      const last = source === "files" ? othersOf(at, problems) : "";
      const others = near === null ? last : ` Did you mean ${near}?`;
      const detail = `${NOTHING_THERE[source](cutEnd(code, MAX_CODE_CHARS))}${others}`;
      return note("accepts_nothing", "Acceptance without a warning", detail, at);
    });
}

/** The entry's warnings, as a further sentence: one of them may be meant. */
function othersOf({ file, pointer }: Span, problems: readonly Problem[]): string {
  const warnings = problems.filter(
    ({ severity, at }) =>
      severity === "warning" && at?.file === file && pointersTo(at.pointer).includes(pointer),
  );
  const codes = [...new Set(warnings.map(({ code }) => code))];
  return codes.length === 0 ? "" : ` Its warnings are: ${codes.join(", ")}.`;
}

const NOTHING_THERE = {
  files: (code: string) =>
    `This entry has no warning ${code}. Remove this comment, or put it above the entry that has the warning.`,
  plan: (code: string) =>
    `This plan has no warning ${code} for this entry. Remove this comment, unless the warning comes and goes.`,
};

const MAX_CODE_CHARS = 80;

function keyFor({ code, at }: Acceptance): string {
  return keyOf(at.file, code, at.pointer);
}

function keyOf(file: string, code: string, pointer: string): string {
  return JSON.stringify([file, code, pointer]);
}

/** A JSON pointer and all its parents. */
function pointersTo(pointer: string): readonly string[] {
  const steps = pointer.split("/");
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
}

function acceptedAs(warning: Problem, { until, reason }: Acceptance, today: Day): Problem {
  const days = daysUntil(until, today);
  if (days < 0)
    return remarked(warning, {
      after: ` It was accepted until ${until} (${reason}). Fix it, or accept it until a later day.`,
    });
  const soon = days <= SOON_DAYS ? { days_left: days } : {};
  return { ...warning, severity: "note", accepted: { until, reason, ...soon } };
}
