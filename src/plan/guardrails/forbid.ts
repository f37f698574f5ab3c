import { kindNamed } from "../../kinds/index.js";
import { cutEnd } from "../../model/cut.js";
import {
  DEFAULT_EVIDENCE_DAYS,
  type DriftGuardrail,
  type Forbiddable,
  type Guardrail,
  type Guardrails,
} from "../../model/guardrails.js";
import { isDrift, type Origin, originOf } from "../../model/item.js";
import { type Action, type Breach, type Change, isNotIncluded } from "../../model/plan.js";
import { lifting, type Sentences, says } from "../../model/sentence.js";
import { type Dimensions, type Effect, SERVICE, type Shift } from "../../model/strength.js";
import { RULES, type Unmanaged } from "../../model/unmanaged.js";
import { effectOf, redirects } from "../../strength/index.js";
import { hasCall } from "../digest.js";

import {
  type Check,
  counted,
  type Finding,
  findingIn,
  joinFindings,
  listed,
  MAX_CHARS,
  nameOf,
  namesOf,
  short,
  withReasons,
  type Zone,
} from "./finding.js";
import { loadChecks } from "./forbid-loads.js";

/** The guardrails of `forbid:` that a zone's plan breaks. */
export function forbidden(
  plan: Zone,
  { forbid, evidenceDays = DEFAULT_EVIDENCE_DAYS }: Guardrails,
  task: RunTask,
): readonly Breach[] {
  return forbid.flatMap((guardrail) => {
    const check = checksFor[task][guardrail] ?? checks[guardrail];
    const finding = check(plan, evidenceDays);
    if (finding === null) return [];
    const indices = new Set(finding.changes.map(({ index }) => index));
    const changes = [...indices].sort((a, b) => a - b);
    return [{ guardrail, advice: howToAllow(guardrail), message: finding.message, changes }];
  });
}

/** What a run makes: a plan to review, a report of drift, or a plan to apply, even of drift. */
export type RunTask = "plan" | "drift" | "apply";

/** An undeclared live object with its protection. */
interface Undeclared extends Pick<Unmanaged, "ref" | "list" | "does" | "effect"> {
  readonly dimensions: Dimensions;
}

/** The guardrails of `forbid:` against declaring live objects, since a declared effect counts as intended. */
export function forbiddenToDeclare(
  zone: string,
  objects: readonly Undeclared[],
  { forbid }: Guardrails,
): readonly Breach[] {
  const withEffect = (...effects: readonly Effect[]) =>
    objects.filter(({ effect }) => effects.includes(effect));
  const checks = {
    weakens: [
      [`Undeclared objects of ${zone} weaken protection`, withEffect("weakens", "mixed")],
      [`Undeclared objects of ${zone} have an unknown effect`, withEffect("unknown")],
    ],
    redirects: [
      [
        `Undeclared objects of ${zone} send logs elsewhere`,
        objects.filter(({ dimensions }) => redirects({}, dimensions).length > 0),
      ],
    ],
  } as const;
  return (["weakens", "redirects"] as const).flatMap((guardrail) => {
    const messages = checks[guardrail].flatMap(([text, by]) =>
      by.length === 0 ? [] : [`${text}: ${listed(by.map(effectText))}.`],
    );
    if (messages.length === 0 || !forbid.includes(guardrail)) return [];
    return [{ guardrail, message: messages.join(" "), advice: howToAllow(guardrail), changes: [] }];
  });
}

const checks: { readonly [guardrail in Forbiddable]: Check } = {
  weakens: ({ zone, changes }) =>
    weaker(changes, ({ shifts }) => shifts, {
      weaker: (n) => `${counted(n, "change")} ${n === 1 ? "weakens" : "weaken"} protection in ${zone}`,
      unknown: (n) => `${counted(n, "change")} in ${zone} ${n === 1 ? "has" : "have"} an unknown effect`,
    }),
  deletes: ({ zone, changes }) => {
    const deleting = changes.filter(isDeleting);
    return findingIn(
      deleting,
      `${zone} would lose ${counted(deleting.length, "object")}: ${namesOf(deleting)}.`,
    );
  },
  service_off: ({ zone, changes }) => {
    const sure = changes.filter((change) => switchesOff(change.shifts) || declaresOff(change));
    const unsure = changes.filter(({ shifts }) => switchesOff(shifts, "unknown"));
    const may = sure.length === 0 ? "may" : "would";
    return findingIn([...sure, ...unsure], `Client-side security ${may} be switched off for ${zone}.`);
  },
  ...loadChecks,
  redirects: ({ zone, changes }) =>
    redirected(changes, (change) => change.redirects, `${zone} would send logs to a new destination`),
  drift: (plan) =>
    fromOutside(
      plan,
      "drift",
      (n) => `In ${plan.zone}, an apply would undo ${counted(n, "change")} made outside the files`,
    ),
  conflict: (plan) =>
    fromOutside(
      plan,
      "conflict",
      (n) => `In ${plan.zone}, ${counted(n, "object")} changed since the base, in the files and outside them`,
    ),
  unmanaged: ({ zone, changes, live: { unmanaged, letGo }, notPlanned }) => {
    const firstDeclared = changes.filter(
      ({ takenOver, action, origins }) => takenOver === true && action === "create" && isDrift(origins.rest),
    );
    const textsOf = (known: Unmanaged["known"]) =>
      unmanaged.filter((each) => each.known === known).map(effectText);
    const unreadSections = notPlanned
      .filter((each) => each.object === undefined && !isNotIncluded(each))
      .map(({ section }) => section);
    const [notListed, newlyListed] = [textsOf("not_listed"), textsOf("newly_listed")];
    const parts = [
      ...(notListed.length === 0 ? [] : [`${zone} has undeclared live objects: ${listed(notListed)}.`]),
      ...(unreadSections.length === 0
        ? []
        : [`Undeclared live objects in ${unreadSections.join(" and ")} of ${zone} are unknown.`]),
      ...(letGo.length === 0
        ? []
        : [
            `The files no longer manage ${letGo.join(" and ")} of ${zone}, so undeclared objects there are no longer reported.`,
          ]),
      // A change must not hide objects from its own review.
      ...(newlyListed.length === 0
        ? []
        : [`Only this change acknowledges in ${zone}: ${listed(newlyListed)}.`]),
      ...(firstDeclared.length === 0
        ? []
        : [
            `This change declares objects of ${zone} that were created outside the files: ${namesOf(firstDeclared)}.`,
          ]),
    ];
    return parts.length === 0 ? null : { message: parts.join(" "), changes: firstDeclared };
  },
};

/** Whether a live object is deleted, also in a replacement. */
export function isDeleting({ action, replaces = false }: { action: Action; replaces?: boolean }): boolean {
  return action === "delete" || replaces;
}

/** `rule "Office" (skips the later managed rulesets: every request)` */
function effectText({
  ref: { kind, key, id },
  list,
  does,
}: Pick<Unmanaged, "ref" | "list" | "does">): string {
  const name = key === "" ? (id ?? "unnamed") : JSON.stringify(cutEnd(key, MAX_CHARS));
  return `${list === RULES ? "rule" : kind} ${name} (${cutEnd(does, MAX_CHARS)})`;
}

type Checks = { readonly [guardrail in Forbiddable]?: Check };

/** Checks for `drift`. They judge the changes made outside the files, not the changes that would revert them. */
const driftChecks: { readonly [guardrail in DriftGuardrail]: Check } = {
  weakens: ({ zone, changes }) =>
    weaker(changes, ({ drift }) => drift?.shifts ?? [], {
      weaker: (n) =>
        `In ${zone}, ${counted(n, "change")} made outside the files ${n === 1 ? "weakens" : "weaken"} protection`,
      unknown: (n) =>
        `In ${zone}, ${counted(n, "change")} made outside the files ${n === 1 ? "has" : "have"} an unknown effect`,
    }),
  redirects: ({ zone, changes }) =>
    redirected(
      changes,
      ({ drift }) => drift?.redirects ?? [],
      `${zone} sends logs to a new destination because of changes outside the files`,
    ),
  service_off: ({ zone, changes }) => {
    const switching = changes.filter(({ drift }) => switchesOff(drift?.shifts ?? []));
    return findingIn(switching, `Client-side security of ${zone} was switched off outside the files.`);
  },
  // An object that the revert would create or replace is not live any more.
  deletes: ({ zone, changes }) => {
    const lost = changes.filter(({ action, replaces }) => action === "create" || replaces);
    return findingIn(lost, `Objects of ${zone} were deleted outside the files: ${namesOf(lost)}.`);
  },
};

/**
 * For `apply`: the plan's guardrails have judged the origins. Changes by an earlier run of the same apply look taken over
 * from live, so only their effect counts.
 */
function withCallsOnly(check: Check): Check {
  return (plan, evidenceDays) => check({ ...plan, changes: plan.changes.filter(hasCall) }, evidenceDays);
}

const applyChecks: Checks = {
  conflict: withCallsOnly(checks.conflict),
  unmanaged: withCallsOnly(checks.unmanaged),
};

const checksFor: { readonly [task in RunTask]: Checks } = {
  plan: {},
  drift: driftChecks,
  apply: applyChecks,
};

function switchesOff(shifts: readonly Shift[], as: Shift["way"] = "weaker"): boolean {
  return shifts.some(({ dimension, way }) => dimension === SERVICE && way === as);
}

/** A service that is undeclared in the base may have been on. */
function declaresOff({ ref, before, after, inBase = before }: Change): boolean {
  const kind = kindNamed(ref.kind);
  const isOff = after?.normal.enabled === false && inBase?.normal.enabled !== false;
  return isOff && SERVICE in (kind?.dimensions(after, null) ?? {});
}

function redirected(
  changes: readonly Change[],
  redirectsOf: (change: Change) => readonly string[],
  text: string,
): Finding | null {
  const redirecting = changes.filter((change) => redirectsOf(change).length > 0);
  const texts = redirecting.map(
    (change) => `${nameOf(change)} (${redirectsOf(change).map(short).join("; ")})`,
  );
  return findingIn(redirecting, `${text}: ${listed(texts)}.`);
}

function weaker(
  changes: readonly Change[],
  shiftsOf: (change: Change) => readonly Shift[],
  words: { readonly [which in "weaker" | "unknown"]: (changes: number) => string },
): Finding | null {
  const changesWith = (...effects: readonly Effect[]) =>
    changes.filter((change) => effects.includes(effectOf(shiftsOf(change))));
  const findingWith = (found: readonly Change[], text: (changes: number) => string) => {
    const reasons = found.map((change) =>
      withReasons(
        change,
        shiftsOf(change).filter(({ way }) => way !== "stronger" && way !== "neutral"),
      ),
    );
    const mixedCount = found.filter((change) => effectOf(shiftsOf(change)) === "mixed").length;
    const mixed = mixedCount === 0 ? "" : ` (${mixedCount} mixed)`;
    return findingIn(found, `${text(found.length)}${mixed}: ${listed(reasons)}.`);
  };
  return joinFindings(
    findingWith(changesWith("weakens", "mixed"), words.weaker),
    findingWith(changesWith("unknown"), words.unknown),
  );
}

/** Changes with an origin outside the files, or possibly so. */
function fromOutside(
  { zone, changes }: Zone,
  origin: Origin,
  lead: (changes: number) => string,
): Finding | null {
  const fieldsFrom = (from: Origin, change: Change) =>
    change.fields.filter(({ path }) => originOf(change.origins, path) === from).map(({ path }) => path);
  const changesFrom = (from: Origin) =>
    changes.filter(
      (change) =>
        fieldsFrom(from, change).length > 0 || (change.fields.length === 0 && change.origins.rest === from),
    );
  const [certain, all] = [changesFrom(origin), changesFrom("unknown")];
  const unknown = all.filter(hasCall);
  // A change that is taken over is not reverted, so it is no drift.
  const unclear = origin === "conflict" ? all.filter((change) => !hasCall(change)) : [];
  const textsOf = (found: readonly Change[], from: Origin = "unknown") =>
    listed(found.map((change) => [nameOf(change), ...inBrackets(fieldsFrom(from, change))].join(" ")));
  const hasBase = changes.some(({ origins }) => origins.rest !== "unknown");
  const notKnown = findingIn(
    unknown,
    hasBase
      ? `The origin of changes of ${zone} is unknown, because variables of the base are not set: ${textsOf(unknown)}.`
      : says`The origin of the changes of ${zone} is unknown without a readable base. Name one with ${{ flag: "base" }}.`,
  );
  const notCompared = findingIn(
    unclear,
    `The files no longer declare objects of ${zone} that may have been changed outside: ${textsOf(unclear)}.`,
  );
  const found = findingIn(certain, `${lead(certain.length)}: ${textsOf(certain, origin)}.`);
  return joinFindings(found, joinFindings(notCompared, notKnown));
}

function inBrackets(texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : [`(${listed(texts)})`];
}

export function howToAllow(guardrail: Guardrail): Sentences {
  return says`If this is intended, ${lifting(guardrail)}.`;
}
