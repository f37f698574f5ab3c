import { cutEnd } from "./cut.js";
import { type Day, daysUntil } from "./day.js";
import { type Problem, remarked, type Span } from "./problem.js";

/** A warning that somebody has decided to live with: `# zoneward: accept CODE until 2026-12-31: why`. */
export interface Acceptance {
  readonly code: string;
  /** The last day on which it holds. */
  readonly until: Day;
  readonly reason: string;
  /** Where the comment stands, with the pointer of the entry that it stands above, or beside. */
  readonly at: Span;
  /** That entry by names: the same wherever it stands in its lists. */
  readonly entry: string;
}

/** How many days before an acceptance ends it says so. */
const SOON_DAYS = 14;

/**
 * Warnings about what stands, whether or not it is changed. All others may be about the change itself, and who makes a change
 * does not silence what is said of it.
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

/** Whether its warning is one that the text of an entry gives, whatever is live: where the files do not give it, nothing does. */
export function isOfText({ code }: Pick<Acceptance, "code">): boolean {
  return /^(csp|expression)_/.test(code);
}

/** What is known of the files before a change, by which what it accepts itself is judged. */
export interface AcceptedBefore {
  readonly acceptances: readonly Acceptance[];
  /** Whether they have a warning that says the same of the same entry. */
  readonly hasSame: (key: string) => boolean;
}

/**
 * Problems → the same, with a warning that is accepted as a note that says until when and why. After its last day it is a
 * warning again. Errors stay what they are.
 *
 * @param keyOf of a warning, what it says and of which entry
 * @param before a warning that is not of the files before the change too is accepted by their acceptances alone, at the longest
 * until their day; null: there is no change
 */
export function accepting(
  acceptances: readonly Acceptance[],
  today: Day,
  keyOf: (warning: Problem) => string,
  before: AcceptedBefore | null,
): (problems: readonly Problem[]) => readonly Problem[] {
  if (acceptances.length === 0) return (problems) => problems;
  const lastOf = lastFor(before === null ? acceptances : knownBefore(acceptances, before.acceptances));
  const broughtBy = lastFor(acceptances);
  return (problems) =>
    problems.map((each) => {
      if (each.severity !== "warning" || each.at === null) return each;
      const brought = broughtBy(each);
      if (brought === null) return each;
      const last = lastOf(each) ?? (before?.hasSame(keyOf(each)) === true ? brought : null);
      return last === null ? remarked(each, { after: BROUGHT }) : acceptedAs(each, last, today);
    });
}

const BROUGHT = " The change itself accepts this warning. The acceptance counts for later changes only.";

function knownBefore(
  acceptances: readonly Acceptance[],
  before: readonly Acceptance[],
): readonly Acceptance[] {
  const known = longest(before, ({ code, entry, at }) => keyOf(at.file, code, entry));
  return acceptances.flatMap((each) => {
    if (STANDING.includes(each.code)) return [each];
    const former = known.get(keyOf(each.at.file, each.code, each.entry));
    return former === undefined ? [] : [former.until < each.until ? { ...each, until: former.until } : each];
  });
}

/** The acceptance of a warning that holds longest. */
function lastFor(acceptances: readonly Acceptance[]): (warning: Problem) => Acceptance | null {
  // A file may have very many of both.
  const known = longest(acceptances, keyFor);
  return ({ code, at }) =>
    pointersTo(at?.pointer ?? "")
      .flatMap((pointer) => known.get(keyOf(at?.file ?? "", code, pointer)) ?? [])
      .reduce<Acceptance | null>(
        (last, each) => (last === null || last.until < each.until ? each : last),
        null,
      );
}

function longest(
  acceptances: readonly Acceptance[],
  keyFor: (acceptance: Acceptance) => string,
): ReadonlyMap<string, Acceptance> {
  const known = new Map<string, Acceptance>();
  for (const each of acceptances) {
    const key = keyFor(each);
    if ((known.get(key)?.until ?? "") < each.until) known.set(key, each);
  }
  return known;
}

/**
 * Of each acceptance of which none of the problems is the warning: a note at its comment. The warning is gone, or was never
 * of that entry.
 *
 * @param of what all the problems are of: more may be found of it later
 */
export function acceptingNothing(
  acceptances: readonly Acceptance[],
  problems: readonly Problem[],
  of: keyof typeof NOTHING_THERE,
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
  return acceptances
    .filter((each) => !met.has(keyFor(each)))
    .map(({ code, at }) => ({
      code: "accepts_nothing",
      severity: "note",
      summary: "An acceptance of nothing",
      // A part of the zones may lack what others have.
      detail: `${NOTHING_THERE[of](cutEnd(code, MAX_CODE_CHARS))}${of === "files" ? othersOf(at, problems) : ""}`,
      at,
    }));
}

/** The warnings that an entry has, as a further sentence: one of them may be meant. */
function othersOf({ file, pointer }: Span, problems: readonly Problem[]): string {
  const own = problems.filter(
    ({ severity, at }) =>
      severity === "warning" && at?.file === file && pointersTo(at.pointer).includes(pointer),
  );
  const codes = [...new Set(own.map(({ code }) => code))];
  return codes.length === 0 ? "" : ` Its warnings are: ${codes.join(", ")}.`;
}

const NOTHING_THERE = {
  files: (code: string) =>
    `Nothing in this entry is a warning ${code}, so this comment accepts nothing. Remove it, or put it above the entry that has the warning.`,
  plan: (code: string) =>
    `Nothing in this plan is a warning ${code} of this entry, so this comment accepts nothing. Remove it, unless the warning comes and goes.`,
};

const MAX_CODE_CHARS = 80;

function keyFor({ code, at }: Acceptance): string {
  return keyOf(at.file, code, at.pointer);
}

function keyOf(file: string, code: string, pointer: string): string {
  return JSON.stringify([file, code, pointer]);
}

/** A JSON pointer and those of all that it is in. */
function pointersTo(pointer: string): readonly string[] {
  const steps = pointer.split("/");
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
}

function acceptedAs(warning: Problem, { until, reason }: Acceptance, today: Day): Problem {
  const days = daysUntil(until, today);
  if (days < 0)
    return remarked(warning, {
      after: ` It was accepted until ${until} (${reason}): mend it, or accept it until a later day.`,
    });
  const soon = days <= SOON_DAYS ? { days_left: days } : {};
  return { ...warning, severity: "note", accepted: { until, reason, ...soon } };
}
