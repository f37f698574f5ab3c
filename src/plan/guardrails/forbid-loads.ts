import { cutEnd } from "../../model/cut.js";
import type {
  DetectedKind,
  Impact,
  ImpactEntry,
  LayerMove,
  Unseen,
  ZoneImpact,
} from "../../model/detection.js";
import { besidesText } from "../../model/evidence.js";
import type { Forbiddable } from "../../model/guardrails.js";
import type { Change } from "../../model/plan.js";
import type { Shift } from "../../model/strength.js";
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
  withReasons,
  type Zone,
} from "./finding.js";

/** The guardrails about the loads of pages today. */
export const loadChecks = {
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
} satisfies { readonly [guardrail in Forbiddable]?: Check };

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
    ...(days < evidenceDays ? [`${counted(days, "day")} of evidence, ${evidenceDays} needed`] : []),
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
