import { kindNamed } from "../../kinds/index.js";
import { cutEnd, firstFew } from "../../model/cut.js";
import type {
  DetectedKind,
  Impact,
  ImpactEntry,
  LayerMove,
  Unseen,
  ZoneImpact,
} from "../../model/detection.js";
import { besidesText } from "../../model/evidence.js";
import {
  DEFAULT_EVIDENCE_DAYS,
  type DriftGuardrail,
  type Forbiddable,
  type Guardrail,
  type Guardrails,
} from "../../model/guardrails.js";
import { isDrift, type Origin, originOf } from "../../model/item.js";
import { type Breach, type Change, isNotIncluded, type ZonePlan } from "../../model/plan.js";
import { lifting, type Sentences, says } from "../../model/sentence.js";
import { type Dimensions, type Effect, SERVICE, type Shift } from "../../model/strength.js";
import { RULES, type Unmanaged } from "../../model/unmanaged.js";
import { effectOf, redirects } from "../../strength/index.js";
import { hasCall } from "../digest.js";

type Zone = Pick<ZonePlan, "zone" | "changes" | "notPlanned" | "meaning" | "live">;

/** The guardrails of `forbid:` that a zone's plan breaks. */
export function forbidden(
  plan: Zone,
  { forbid, evidenceDays = DEFAULT_EVIDENCE_DAYS }: Guardrails,
  about: Guarded,
): readonly Breach[] {
  return forbid.flatMap((guardrail) => {
    const check = checksFor[about][guardrail] ?? checks[guardrail];
    const finding = check(plan, evidenceDays);
    if (finding === null) return [];
    const indices = new Set(finding.changes.map(({ index }) => index));
    const changes = [...indices].sort((a, b) => a - b);
    return [{ guardrail, advice: howToAllow(guardrail), message: finding.message, changes }];
  });
}

/** What guardrails judge: a plan to review, drift, or a plan to apply. */
export type Guarded = "plan" | "drift" | "apply";

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

/** Null: the plan keeps the guardrail. An unknown effect counts as a breach. */
type Check = (plan: Zone, evidenceDays: number) => Finding | null;

interface Finding extends Pick<Breach, "message"> {
  readonly changes: readonly Change[];
}

/** Null: there is no such change. */
function findingIn(changes: readonly Change[], message: string | Sentences): Finding | null {
  return changes.length === 0 ? null : { message, changes };
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
  starts_blocking: ({ zone, changes, meaning: { impact, moves } }) => {
    const upgrading = changesIn(moves, ({ upgradesOthers }) => upgradesOthers === true);
    const moreIn = (change: Change) => [
      ...change.blocking.filter(({ way }) => way !== "weaker" && way !== "neutral"),
      ...(upgrading.has(change.index) ? [UPGRADES_OTHERS] : []),
    ];
    const blocking = changes.filter((change) => moreIn(change).length > 0);
    if (blocking.length === 0 && impact !== null) return blockedToday(zone, changes, impact);
    const isSure = blocking.some((change) => moreIn(change).some(({ way }) => way !== "unknown"));
    const reasons = blocking.map((change) => withReasons(change, moreIn(change)));
    return findingIn(blocking, `${zone} ${isSure ? "would" : "may"} block more: ${listed(reasons)}.`);
  },
  blocks_active_scripts: (plan) =>
    onLoads(plan, {
      affected: { outcome: "newly_blocked", kinds: ["scripts"], counts: isGood },
      harmless: "weaker",
      unknown: "The impact on scripts is unknown.",
      subject: `Of the scripts on pages of ${plan.zone} today,`,
      verb: "be blocked",
      besides: scriptsReported,
    }),
  allows_malicious: (plan) =>
    onLoads(plan, {
      affected: {
        outcome: "newly_allowed",
        kinds: LOADS,
        counts: ({ malicious }) => malicious !== false,
      },
      harmless: "stronger",
      unknown: "It is unknown whether malicious loads would be newly allowed.",
      subject: `Of malicious or unjudged loads on pages of ${plan.zone},`,
      verb: "be allowed",
    }),
  unproven: (plan, evidenceDays) => {
    const starting = changesIn(plan.meaning.moves, ({ startsToBlock }) => startsToBlock === true);
    const doubtsOf = ({ index }: Change) =>
      starting.has(index) ? doubts(plan.meaning.impact, index, evidenceDays) : [];
    const unproven = plan.changes.filter((change) => doubtsOf(change).length > 0);
    const reasons = unproven.map((change) => `${nameOf(change)} (${doubtsOf(change).join("; ")})`);
    return findingIn(unproven, `${plan.zone} would start blocking without evidence: ${listed(reasons)}.`);
  },
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
export function isDeleting({ action, replaces }: Pick<Change, "action" | "replaces">): boolean {
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

/** A change of one policy can loosen it and still make the page stricter, since all policies of a page apply together. */
const UPGRADES_OTHERS: Pick<Shift, "way" | "why"> = {
  way: "unknown",
  why: "insecure loads are upgraded, and other policies may refuse them",
};

/** A guardrail about what happens to loads of today. */
interface LoadsRule {
  readonly affected: AffectedLoads;
  /** A change in this direction affects no load that counts. */
  readonly harmless: "weaker" | "stronger";
  /** A sentence for when this cannot be judged. */
  readonly unknown: string;
  readonly subject: string;
  readonly verb: string;
  /** A finding beside the loads. Absent: none. */
  besides?(plan: Zone): Finding | null;
}

function onLoads(plan: Zone, rule: LoadsRule): Finding | null {
  const { affected, harmless, unknown: unknownText, subject, verb, besides } = rule;
  const { impact } = plan.meaning;
  const unknown = unknownOf(plan, unknownText) ?? unseenIn(plan, affected.kinds, harmless, unknownText);
  if (impact === null) return unknown;
  const missing = affected.kinds.find((kind) => impact.tried[kind] === null);
  if (missing !== undefined)
    return unknown ?? { message: unread(plan.zone, missing, unknownText), changes: policiesOf(plan) };
  const happens = (part: Impact) => affectedIn(part, affected);
  const found = impactFinding(plan.changes, impact, happens, subject, verb);
  return joinFindings(joinFindings(found, besides?.(plan) ?? null), unknown);
}

function blockedToday(zone: string, changes: readonly Change[], impact: ZoneImpact): Finding | null {
  const happens = ({ scripts, connections }: Impact): Affected => ({
    sure: [...scripts.newly_blocked, ...connections.newly_blocked],
    unsure: [],
  });
  return impactFinding(changes, impact, happens, `Of the loads on pages of ${zone} today,`, "be blocked");
}

/** The changes that block or allow some of the detections. */
function causing(
  changes: readonly Change[],
  impact: ZoneImpact,
  happens: (impact: Impact) => Affected,
): readonly Change[] {
  return changes.filter(({ index }) => {
    const impactOfChange = impact.byChange.get(index);
    if (impactOfChange === undefined) return false;
    const { sure, unsure } = happens(impactOfChange);
    return sure.length + unsure.length > 0;
  });
}

function changesIn(moves: readonly LayerMove[], isMeant: (move: LayerMove) => boolean): ReadonlySet<number> {
  return new Set(moves.flatMap((move) => (isMeant(move) ? (move.change ?? []) : [])));
}

/** Reasons why a policy may do harm once it blocks. */
function doubts(impact: ZoneImpact | null, change: number, evidenceDays: number): readonly string[] {
  const impactOfChange = impact?.byChange.get(change);
  const isTried = impact !== null && impact.tried.scripts !== null && impact.tried.connections !== null;
  if (impactOfChange === undefined || !isTried) return ["detections were not read"];
  const days = impact.evidenceDays.get(change) ?? 0;
  const blocked = { outcome: "newly_blocked", kinds: LOADS, counts: isGood } as const;
  const { sure, unsure } = affectedIn(impactOfChange, blocked);
  const besides = impact.reportedBesides?.get(change) ?? [];
  return [
    ...(impact.unseen.has(change) ? ["impact unknown"] : []),
    ...(days < evidenceDays
      ? [`${days} ${days === 1 ? "day" : "days"} of evidence, ${evidenceDays} needed`]
      : []),
    ...(sure.length === 0 ? [] : [`would block ${listed(urls(sure))}`]),
    ...(unsure.length === 0 ? [] : [`may block ${listed(urls(unsure))}`]),
    ...(besides.length === 0 ? [] : [`unexplained reports of ${besidesText(besides)}`]),
  ];
}

/** Reports of possible scripts that are no loads: inline code, and reports without a URL. */
function scriptsReported({ zone, changes, meaning: { impact } }: Zone): Finding | null {
  const reportedOf = (index: number) =>
    impact?.reportedBesides?.get(index)?.filter(({ what }) => what !== "other_load") ?? [];
  const reported = changes.filter(({ index }) => reportedOf(index).length > 0);
  const texts = reported.map((change) => `${nameOf(change)} ${besidesText(reportedOf(change.index))}`);
  return findingIn(
    reported,
    `Reports from pages of ${zone} show loads that may be blocked: ${listed(texts)}.`,
  );
}

/** Changes that move layers: only these can block or allow loads of pages. */
function policiesOf({ changes, meaning: { moves } }: Zone): readonly Change[] {
  const indices = changesIn(moves, () => true);
  return changes.filter(({ index }) => indices.has(index));
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

const checksFor: { readonly [about in Guarded]: Checks } = {
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
  return isOff && SERVICE in (kind?.dimensions(after.normal) ?? {});
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

function joinFindings(known: Finding | null, unknown: Finding | null): Finding | null {
  if (known === null || unknown === null) return known ?? unknown;
  const changes = [...known.changes, ...unknown.changes];
  return { message: `${known.message} ${unknown.message}`, changes };
}

/** Changes of objects whose effect is unknown here, such as a policy with an action that is new at the service. */
function unknownOf({ zone, changes, meaning: { moves } }: Zone, unknownText: string): Finding | null {
  const indices = changesIn(moves, ({ isUnknown }) => isUnknown === true);
  const unknown = changes.filter(({ index }) => indices.has(index));
  const message = `The effect of ${namesOf(unknown)} in ${zone} is unknown. ${unknownText}`;
  return findingIn(unknown, message);
}

/** Changes of pages with unknown loads, except changes that can only move loads the harmless way. */
function unseenIn(
  { zone, changes, meaning: { impact } }: Zone,
  kinds: readonly DetectedKind[],
  harmless: "weaker" | "stronger",
  unknownText: string,
): Finding | null {
  const found = changes.filter(({ index, blocking }) => {
    const isTouched = impact?.unseen.get(index)?.kinds.some((kind) => kinds.includes(kind)) === true;
    return isTouched && blocking.some(({ way }) => way !== harmless && way !== "neutral");
  });
  const why = impact?.unseen.get(found[0]?.index ?? -1)?.why;
  if (why === undefined) return null;
  const message = `${UNSEEN_WHY[why]} on the pages of ${namesOf(found)} in ${zone}. ${unknownText}`;
  return { message, changes: found };
}

const UNSEEN_WHY: { readonly [why in Unseen]: string } = {
  detection_off: "Detection was off",
  detection_unread: "Detection settings could not be read",
  nothing_seen: "Nothing was detected yet",
};

interface Affected {
  readonly sure: readonly ImpactEntry[];
  /** Detections for which the effect is unknown. */
  readonly unsure: readonly ImpactEntry[];
}

interface AffectedLoads {
  readonly outcome: "newly_blocked" | "newly_allowed";
  readonly kinds: readonly DetectedKind[];
  counts(entry: ImpactEntry): boolean;
}

const LOADS: readonly DetectedKind[] = ["scripts", "connections"];

function isGood({ malicious }: ImpactEntry): boolean {
  return malicious !== true;
}

function affectedIn(impact: Impact, { outcome, kinds, counts }: AffectedLoads): Affected {
  const moved = kinds.map((kind) => impact[kind]);
  return {
    sure: moved.flatMap((each) => each[outcome].filter(counts)),
    unsure: moved.flatMap(({ undecided }) =>
      undecided.filter((each) => each.may_be.includes(outcome) && counts(each)),
    ),
  };
}

/** Null: no load is affected. */
function impactFinding(
  changes: readonly Change[],
  impact: ZoneImpact,
  happens: (impact: Impact) => Affected,
  subject: string,
  verb: string,
): Finding | null {
  const { sure, unsure } = happens(impact.total);
  const parts = [
    ...(sure.length === 0 ? [] : [`${sure.length} would ${verb}: ${listed(urls(sure))}`]),
    ...(unsure.length === 0 ? [] : [`${unsure.length} may ${verb}: ${listed(urls(unsure))}`]),
  ];
  if (parts.length === 0) return null;
  return { message: `${subject} ${parts.join("; ")}.`, changes: causing(changes, impact, happens) };
}

function urls(entries: readonly ImpactEntry[]): readonly string[] {
  return [...new Set(entries.map(({ url }) => cutEnd(url, MAX_CHARS)))];
}

function unread(zone: string, kind: DetectedKind, unknownText: string): string {
  return `The detected ${kind} of ${zone} were not read in full. ${unknownText}`;
}

function withReasons(change: Change, shifts: readonly Pick<Shift, "why">[]): string {
  const shown = shifts.slice(0, MAX_REASONS).map(({ why }) => short(why));
  const more = shifts.length - shown.length;
  return `${nameOf(change)} (${[...shown, ...(more > 0 ? [`${more} more`] : [])].join("; ")})`;
}

/** The plan has the others at the change. */
const MAX_REASONS = 2;

/** Cut between words. */
function short(text: string): string {
  const start = cutEnd(text, MAX_CHARS);
  return start === text ? text : start.replace(/(?<=\S) \S*$/, " …");
}

function counted(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}

function namesOf(changes: readonly Change[]): string {
  return listed(changes.map(nameOf));
}

function nameOf({ ref: { kind, key } }: Change): string {
  return key === kind ? kind : `${kind} ${JSON.stringify(cutEnd(key, MAX_CHARS))}`;
}

/** Names and reasons can be of any length: the advice at the end is to be read too. */
const MAX_CHARS = 80;
const MAX_LISTED = 3;

function listed(texts: readonly string[]): string {
  return firstFew(texts, MAX_LISTED);
}

export function howToAllow(guardrail: Guardrail): Sentences {
  return says`If this is intended, ${lifting(guardrail)}.`;
}
