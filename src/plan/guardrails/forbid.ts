import { kinds } from "../../kinds/index.js";
import { cutEnd } from "../../model/cut.js";
import type {
  DetectedKind,
  Impact,
  ImpactEntry,
  LayerMove,
  Moved,
  Unseen,
  ZoneImpact,
} from "../../model/detection.js";
import { besidesText } from "../../model/evidence.js";
import {
  DEFAULT_EVIDENCE_DAYS,
  type Forbiddable,
  type Guardrail,
  type Guardrails,
} from "../../model/guardrails.js";
import { isDrift, type Origin, originOf } from "../../model/item.js";
import {
  type Breach,
  type Change,
  type FieldChange,
  isNotIncluded,
  type ZonePlan,
} from "../../model/plan.js";
import { lifting, type Sentences, says } from "../../model/sentence.js";
import { type Dimensions, SERVICE, type Shift } from "../../model/strength.js";
import { RULES, type Unmanaged } from "../../model/unmanaged.js";
import { effectOf, redirects } from "../../strength/index.js";

type Zone = Pick<ZonePlan, "zone" | "changes" | "notPlanned" | "meaning" | "live">;

/** The guardrails of `forbid:` that a zone's plan breaks. */
export function forbidden(
  plan: Zone,
  { forbid, evidenceDays = DEFAULT_EVIDENCE_DAYS }: Guardrails,
  about: Guarded,
): readonly Breach[] {
  return forbid.flatMap((guardrail) => {
    const rule = rulesOf[about][guardrail] ?? rules[guardrail];
    const found = rule(plan, evidenceDays);
    return found === null ? [] : [{ guardrail, advice: meant(guardrail), ...found }];
  });
}

/** What is asked of guardrails: a plan to review, drift, or a plan to carry out. */
export type Guarded = "plan" | "drift" | "apply";

/** Something live that no file declares, with what it protects by. */
interface Undeclared extends Pick<Unmanaged, "ref" | "list" | "does" | "effect"> {
  readonly dimensions: Dimensions;
}

/** The guardrails of `forbid:` that stand against declaring live objects: what they do would be meant then. */
export function forbiddenToDeclare(
  zone: string,
  objects: readonly Undeclared[],
  { forbid }: Guardrails,
): readonly Breach[] {
  const found = {
    weakens: {
      does: "is protected less, or may be,",
      by: objects.filter(({ effect }) => effect !== "strengthens" && effect !== "neutral"),
    },
    redirects: {
      does: "sends to where no file says,",
      by: objects.filter(({ dimensions }) => redirects({}, dimensions).length > 0),
    },
  };
  return (["weakens", "redirects"] as const).flatMap((guardrail) => {
    const { does, by } = found[guardrail];
    if (by.length === 0 || !forbid.includes(guardrail)) return [];
    const message = `${zone} ${does} by what no file declares: ${listed(by.map(doing))}.`;
    return [{ guardrail, message, advice: meant(guardrail), changes: [] }];
  });
}

/** What stands against a zone's plan; null: nothing. What cannot be decided may be the worst, and does. */
type Rule = (plan: Zone, evidenceDays: number) => Found | null;

/** In full sentences, and the changes that it is about. */
type Found = Pick<Breach, "message" | "changes">;

function about(message: string | Sentences, changes: readonly Numbered[] = []): Found {
  return { message, changes: [...new Set(changes.map(({ index }) => index))].sort((a, b) => a - b) };
}

/** A change and its index in the zone's plan. */
interface Numbered {
  readonly change: Change;
  readonly index: number;
}

function numbered(changes: readonly Change[]): readonly Numbered[] {
  return changes.map((change, index) => ({ change, index }));
}

const rules: { readonly [guardrail in Forbiddable]: Rule } = {
  weakens: ({ zone, changes }) =>
    weaker(zone, changes, ({ shifts }) => shifts, {
      sure: "would be protected less",
      unsure: "may be protected less",
    }),
  deletes: ({ zone, changes }) => {
    const found = numbered(changes).filter(({ change }) => isDeleting(change));
    const names = found.map(({ change }) => nameOf(change));
    return found.length === 0 ? null : about(`${zone} would lose ${listed(names)}.`, found);
  },
  service_off: ({ zone, changes }) => {
    const sure = numbered(changes).filter(({ change }) => switchesOff(change.shifts) || declaresOff(change));
    const unsure = numbered(changes).filter(({ change }) => switchesOff(change.shifts, "unknown"));
    const may = sure.length === 0 ? "may" : "would";
    const found = [...sure, ...unsure];
    return found.length === 0 ? null : about(`The service ${may} be switched off for ${zone}.`, found);
  },
  starts_blocking: ({ zone, changes, meaning: { impact, moves } }) => {
    const upgrading = changesIn(moves, ({ upgradesOthers }) => upgradesOthers === true);
    const found = changes.flatMap((change, index) => {
      const more = change.blocking.filter(({ way }) => way !== "weaker" && way !== "neutral");
      const beside = upgrading.has(index) ? [UPGRADES_OTHERS] : [];
      return more.length + beside.length === 0 ? [] : [{ change, index, more: [...more, ...beside] }];
    });
    if (found.length === 0 && impact !== null) return blockedNow(zone, changes, impact);
    const isSure = found.some(({ more }) => more.some(({ way }) => way !== "unknown"));
    const reasons = found.map(({ change, more }) => withReasons(change, more));
    return found.length === 0
      ? null
      : about(`${zone} ${isSure ? "would" : "may"} block more: ${listed(reasons)}.`, found);
  },
  blocks_active_scripts: (plan) => {
    const {
      zone,
      meaning: { impact },
    } = plan;
    const unknown =
      unknownOf(plan, "all that would be blocked") ??
      unseenIn(plan, ["scripts"], "weaker", "all that would be blocked");
    if (impact === null) return unknown;
    if (impact.tried.scripts === null)
      return (
        unknown ?? about(unread(zone, "scripts", "whether one of them would be blocked"), policiesOf(plan))
      );
    const isGood = ({ malicious }: ImpactEntry) => malicious !== true;
    const happens = ({ scripts }: Impact) => happening("newly_blocked", scripts, isGood);
    const said = saying(
      happens(impact.total),
      `Of the scripts that run on pages of ${zone} today,`,
      "be blocked",
    );
    const seen = both(
      said === null ? null : about(said, causing(plan.changes, impact, happens)),
      scriptsReported(plan),
    );
    return both(seen, unknown);
  },
  allows_malicious: (plan) => {
    const {
      zone,
      meaning: { impact },
    } = plan;
    const unknown =
      unknownOf(plan, "all that would be allowed, and may be malicious") ??
      unseenIn(
        plan,
        ["scripts", "connections"],
        "stronger",
        "all that would be allowed, and may be malicious",
      );
    if (impact === null) return unknown;
    const missing = (["scripts", "connections"] as const).find((kind) => impact.tried[kind] === null);
    if (missing !== undefined)
      return (
        unknown ?? about(unread(zone, missing, "whether a malicious one would be allowed"), policiesOf(plan))
      );
    const mayBeBad = ({ malicious }: ImpactEntry) => malicious !== false;
    const happens = (each: Impact): Happening => {
      const found = [each.scripts, each.connections].map((moved) =>
        happening("newly_allowed", moved, mayBeBad),
      );
      return { sure: found.flatMap(({ sure }) => sure), unsure: found.flatMap(({ unsure }) => unsure) };
    };
    const said = saying(
      happens(impact.total),
      `Of what is malicious, or may be, on pages of ${zone},`,
      "be allowed",
    );
    return both(said === null ? null : about(said, causing(plan.changes, impact, happens)), unknown);
  },
  unproven: (plan, evidenceDays) => {
    const starting = changesIn(plan.meaning.moves, ({ startsToBlock }) => startsToBlock === true);
    const found = numbered(plan.changes).flatMap((each) => {
      const why = starting.has(each.index) ? doubts(plan.meaning.impact, each.index, evidenceDays) : [];
      return why.length === 0 ? [] : [{ ...each, why }];
    });
    if (found.length === 0) return null;
    const reasons = found.map(({ change, why }) => `${nameOf(change)} (${why.join("; ")})`);
    return about(`${plan.zone} would begin to block by what is not proven: ${listed(reasons)}.`, found);
  },
  redirects: ({ zone, changes }) =>
    redirected(changes, (change) => change.redirects, `${zone} would send to where it did not send before`),
  drift: (plan) => fromOutside(plan, "drift", "was changed outside the files, and would be changed back"),
  conflict: (plan) => fromOutside(plan, "conflict", "was changed both in the files and outside them"),
  unmanaged: ({ zone, changes, live: { unmanaged, letGo }, notPlanned }) => {
    const made = numbered(changes).filter(
      ({ change: { takenOver, action, origins } }) =>
        takenOver === true && action === "create" && isDrift(origins.rest),
    );
    const those = (known: Unmanaged["known"]) => unmanaged.filter((each) => each.known === known).map(doing);
    const dark = notPlanned
      .filter((each) => each.object === undefined && !isNotIncluded(each))
      .map(({ section }) => section);
    const [strange, news] = [those("not_listed"), those("newly_listed")];
    const parts = [
      ...(strange.length === 0
        ? []
        : [`In ${zone} is live what no file declares or lists: ${listed(strange)}.`]),
      // A change must not be able to list what it is measured against.
      ...(dark.length === 0
        ? []
        : [`What is live in ${dark.join(" and ")} of ${zone}, and no file declares or lists, is not known.`]),
      ...(letGo.length === 0
        ? []
        : [
            `The files no longer manage ${letGo.join(" and ")} of ${zone}, so undeclared objects there are no longer told.`,
          ]),
      ...(news.length === 0 ? [] : [`In ${zone} only this change lists as known: ${listed(news)}.`]),
      ...(made.length === 0
        ? []
        : [
            `In ${zone} this change first declares what was created outside the files: ${listed(made.map(({ change }) => nameOf(change)))}.`,
          ]),
    ];
    return parts.length === 0 ? null : about(parts.join(" "), made);
  },
};

/** Whether a live object goes, be it for another one that takes its place. */
export function isDeleting({ action, replaces }: Pick<Change, "action" | "replaces">): boolean {
  return action === "delete" || replaces;
}

/** `rule "Office" (skips every request before the managed ruleset)` */
function doing({ ref: { kind, key, id }, list, does }: Pick<Unmanaged, "ref" | "list" | "does">): string {
  const name = key === "" ? (id ?? "without a name") : JSON.stringify(cutEnd(key, MAX_CHARS));
  return `${list === RULES ? "rule" : kind} ${name} (${cutEnd(does, MAX_CHARS)})`;
}

/** A change of one policy can loosen it and still make the page stricter, since all policies of a page apply together. */
const UPGRADES_OTHERS: Pick<Shift, "way" | "why"> = {
  way: "unknown",
  why: "insecure loads are upgraded, which other policies may refuse",
};

function blockedNow(zone: string, changes: readonly Change[], impact: ZoneImpact): Found | null {
  const happens = ({ scripts, connections }: Impact): Happening => ({
    sure: [...scripts.newly_blocked, ...connections.newly_blocked],
    unsure: [],
  });
  const said = saying(happens(impact.total), `Of what pages of ${zone} load today,`, "be blocked");
  return said === null ? null : about(said, causing(changes, impact, happens));
}

/** The changes because of which some of the detections are blocked or allowed. */
function causing(
  changes: readonly Change[],
  impact: ZoneImpact | null,
  happens: (impact: Impact) => Happening,
): readonly Numbered[] {
  return numbered(changes).filter(({ index }) => {
    const own = impact?.byChange.get(index);
    if (own === undefined) return false;
    const { sure, unsure } = happens(own);
    return sure.length + unsure.length > 0;
  });
}

function changesIn(moves: readonly LayerMove[], isMeant: (move: LayerMove) => boolean): ReadonlySet<number> {
  return new Set(moves.flatMap((move) => (isMeant(move) ? (move.change ?? []) : [])));
}

/** What stands against it that a policy can block without harm. */
function doubts(impact: ZoneImpact | null, change: number, evidenceDays: number): readonly string[] {
  const own = impact?.byChange.get(change);
  const isTried = impact !== null && impact.tried.scripts !== null && impact.tried.connections !== null;
  if (own === undefined || !isTried) return ["what its pages load was not read"];
  const days = impact.evidenceDays.get(change) ?? 0;
  const isGood = ({ malicious }: ImpactEntry) => malicious !== true;
  const both = [own.scripts, own.connections].map((moved) => happening("newly_blocked", moved, isGood));
  const [sure, unsure] = [both.flatMap((each) => each.sure), both.flatMap((each) => each.unsure)];
  const besides = impact.reportedBesides?.get(change) ?? [];
  return [
    ...(impact.unseen.has(change) ? ["nobody knows what its pages load"] : []),
    ...(days < evidenceDays
      ? [`${days} ${days === 1 ? "day" : "days"} of evidence, and ${evidenceDays} are asked for`]
      : []),
    ...(sure.length === 0 ? [] : [`it would block ${listed(urls(sure))}`]),
    ...(unsure.length === 0 ? [] : [`it may block ${listed(urls(unsure))}`]),
    ...(besides.length === 0 ? [] : [`unexplained reports of ${besidesText(besides)}`]),
  ];
}

/** What may be a script and is none of the loads: code that stands in a page, and what was reported without its URL. */
function scriptsReported({ zone, changes, meaning: { impact } }: Zone): Found | null {
  const reportedOf = (index: number) =>
    impact?.reportedBesides?.get(index)?.filter(({ what }) => what !== "other_load") ?? [];
  const found = numbered(changes).filter(({ index }) => reportedOf(index).length > 0);
  if (found.length === 0) return null;
  const said = found.map(({ change, index }) => `${nameOf(change)} ${besidesText(reportedOf(index))}`);
  return about(`On pages of ${zone}, browsers reported what may be blocked: of ${listed(said)}.`, found);
}

/** Those that move layers: of what pages load, only they can block or allow some. */
function policiesOf({ changes, meaning: { moves } }: Zone): readonly Numbered[] {
  const those = changesIn(moves, () => true);
  return numbered(changes).filter(({ index }) => those.has(index));
}

/** For `drift`: judged is what was done outside the files, not the changes that would take it back. */
const ofDrift: { readonly [guardrail in Forbiddable]?: Rule } = {
  weakens: ({ zone, changes }) =>
    weaker(zone, changes, ({ drift }) => drift?.shifts ?? [], {
      sure: "is protected less since something was changed outside the files",
      unsure: "may be protected less since something was changed outside the files",
    }),
  redirects: ({ zone, changes }) =>
    redirected(
      changes,
      ({ drift }) => drift?.redirects ?? [],
      `Since something was changed outside the files, ${zone} sends to where it did not send before`,
    ),
  service_off: ({ zone, changes }) => {
    const found = numbered(changes).filter(({ change }) => switchesOff(change.drift?.shifts ?? []));
    const message = `The service is switched off for ${zone} since something was changed outside the files.`;
    return found.length === 0 ? null : about(message, found);
  },
  // What the way back creates, or puts in the place of another, is not live any more.
  deletes: ({ zone, changes }) => {
    const found = numbered(changes).filter(({ change }) => change.action === "create" || change.replaces);
    const names = listed(found.map(({ change }) => nameOf(change)));
    return found.length === 0 ? null : about(`${zone} has lost outside the files: ${names}.`, found);
  },
};

/**
 * For `apply`: where its changes come from was judged with the plan. What an earlier run of the same apply has done looks
 * taken over from live, and only counts by its effect.
 */
function withCallsOnly(rule: Rule): Rule {
  return (plan, evidenceDays) => {
    // Those without a call come last: the others keep their numbers.
    const changes = plan.changes.filter(({ takenOver }) => takenOver !== true);
    return rule({ ...plan, changes }, evidenceDays);
  };
}

const ofApply: typeof ofDrift = {
  conflict: withCallsOnly(rules.conflict),
  unmanaged: withCallsOnly(rules.unmanaged),
};

const rulesOf: { readonly [about in Guarded]: typeof ofDrift } = {
  plan: {},
  drift: ofDrift,
  apply: ofApply,
};

function switchesOff(shifts: readonly Shift[], as: Shift["way"] = "weaker"): boolean {
  return shifts.some(({ dimension, way }) => dimension === SERVICE && way === as);
}

/** Of a service that the base says nothing of, it is unknown whether it was on. */
function declaresOff({ ref, before, after, past = before }: Change): boolean {
  const kind = kinds.find(({ name }) => name === ref.kind);
  const isOff = after?.normal.enabled === false && past?.normal.enabled !== false;
  return isOff && SERVICE in (kind?.dimensions(after.normal) ?? {});
}

function redirected(
  changes: readonly Change[],
  redirectsOf: (change: Change) => readonly string[],
  what: string,
): Found | null {
  const found = numbered(changes).filter(({ change }) => redirectsOf(change).length > 0);
  const texts = found.map(({ change }) => `${nameOf(change)} (${redirectsOf(change).map(short).join("; ")})`);
  return found.length === 0 ? null : about(`${what}: ${listed(texts)}.`, found);
}

function weaker(
  zone: string,
  changes: readonly Change[],
  shiftsOf: (change: Change) => readonly Shift[],
  { sure, unsure }: { readonly sure: string; readonly unsure: string },
): Found | null {
  const found = numbered(changes).flatMap(({ change, index }) => {
    const shifts = shiftsOf(change);
    const effect = effectOf(shifts);
    return ["weakens", "mixed", "unknown"].includes(effect) ? [{ change, index, shifts, effect }] : [];
  });
  const isSure = found.some(({ effect }) => effect !== "unknown");
  const reasons = found.map(({ change, shifts }) =>
    withReasons(
      change,
      shifts.filter(({ way }) => way !== "stronger" && way !== "neutral"),
    ),
  );
  return found.length === 0 ? null : about(`${zone} ${isSure ? sure : unsure}: ${listed(reasons)}.`, found);
}

/** What changes because somebody changed it outside the files, and what may. */
function fromOutside({ zone, changes }: Zone, origin: Origin, what: string): Found | null {
  const from = (wanted: Origin) =>
    numbered(changes).flatMap(({ change, index }) => {
      const own = change.fields.filter(({ path }) => originOf(change.origins, path) === wanted);
      const isIt = own.length > 0 || (change.fields.length === 0 && change.origins.rest === wanted);
      const text = `${nameOf(change)}${own.length === 0 ? "" : ` (${listed(own.map(pathOf))})`}`;
      return isIt ? [{ change, index, text }] : [];
    });
  const [found, all] = [from(origin), from("unknown")];
  const unknown = all.filter(({ change }) => change.takenOver !== true);
  // What is taken over is not changed back: it is no drift.
  const unclear = origin === "conflict" ? all.filter(({ change }) => change.takenOver === true) : [];
  const textsOf = (those: typeof found) => listed(those.map(({ text }) => text));
  const hasBase = changes.some(({ origins }) => origins.rest !== "unknown");
  const notKnown =
    unknown.length === 0
      ? null
      : about(
          hasBase
            ? `Where these of ${zone} come from is not known, since the base takes them from what is not set here: ${textsOf(unknown)}.`
            : says`Where the changes of ${zone} come from is not known without a base that can be read: name one with ${{ flag: "base" }}.`,
          unknown,
        );
  const notCompared =
    unclear.length === 0
      ? null
      : about(
          `${zone} lets go of what may have been changed outside the files: ${textsOf(unclear)}.`,
          unclear,
        );
  return both(
    found.length === 0 ? null : about(`In ${zone} this ${what}: ${textsOf(found)}.`, found),
    both(notCompared, notKnown),
  );
}

function pathOf({ path }: FieldChange): string {
  return path;
}

/** What is known is said also where it is not all. */
function both(known: Found | null, unknown: Found | null): Found | null {
  if (known === null || unknown === null) return known ?? unknown;
  const changes = [...new Set([...known.changes, ...unknown.changes])].sort((a, b) => a - b);
  return { message: `${known.message} ${unknown.message}`, changes };
}

/** Changes of objects whose effect is unknown here, such as a policy with an action that is new at the service. */
function unknownOf({ zone, changes, meaning: { moves } }: Zone, what: string): Found | null {
  const those = changesIn(moves, ({ isUnknown }) => isUnknown === true);
  const found = numbered(changes).filter(({ index }) => those.has(index));
  const names = listed(found.map(({ change }) => nameOf(change)));
  return found.length === 0
    ? null
    : about(
        `What ${names} of ${zone} does before or after the change is not known here, so nobody knows ${what}.`,
        found,
      );
}

/** Changes of pages whose loads are not known, except those that can only move loads the harmless way. */
function unseenIn(
  { zone, changes, meaning: { impact } }: Zone,
  kinds: readonly DetectedKind[],
  harmless: "weaker" | "stronger",
  what: string,
): Found | null {
  const found = changes.flatMap((change, index) => {
    const unseen = impact?.unseen.get(index);
    const isTouched = unseen?.kinds.some((kind) => kinds.includes(kind)) === true;
    const may = change.blocking.some(({ way }) => way !== harmless && way !== "neutral");
    return unseen !== undefined && isTouched && may ? [{ change, index, why: unseen.why }] : [];
  });
  const [first] = found;
  if (first === undefined) return null;
  const names = listed(found.map(({ change }) => nameOf(change)));
  const message = `${UNSEEN_WHY[first.why]} on the pages of ${names} of ${zone}, so nobody knows ${what}.`;
  return about(message, found);
}

const UNSEEN_WHY: { readonly [why in Unseen]: string } = {
  detection_off: "Detection is switched off, and nothing new is seen",
  detection_unread: "Whether detection is on could not be read, nor thus whether anything is seen",
  nothing_seen: "Nothing was ever seen",
};

interface Happening {
  readonly sure: readonly ImpactEntry[];
  /** Those for which it cannot be decided. */
  readonly unsure: readonly ImpactEntry[];
}

function happening(
  what: "newly_blocked" | "newly_allowed",
  { undecided, ...sure }: Moved,
  counts: (entry: ImpactEntry) => boolean,
): Happening {
  const maybe = undecided.filter(({ may_be }) => may_be.includes(what));
  return { sure: sure[what].filter(counts), unsure: maybe.filter(counts) };
}

function saying({ sure, unsure }: Happening, of: string, what: string): string | null {
  const parts = [
    ...(sure.length === 0 ? [] : [`${sure.length} would ${what}: ${listed(urls(sure))}`]),
    ...(unsure.length === 0
      ? []
      : [`${unsure.length} may ${what}, which cannot be told: ${listed(urls(unsure))}`]),
  ];
  return parts.length === 0 ? null : `${of} ${parts.join("; ")}.`;
}

function urls(entries: readonly ImpactEntry[]): readonly string[] {
  return [...new Set(entries.map(({ url }) => cutEnd(url, MAX_CHARS)))];
}

function unread(zone: string, kind: DetectedKind, what: string): string {
  return `The detected ${kind} of ${zone} were not all read, so nobody knows ${what}.`;
}

function withReasons(change: Change, shifts: readonly Pick<Shift, "why">[]): string {
  return `${nameOf(change)} (${shifts.map(({ why }) => short(why)).join("; ")})`;
}

function short(text: string): string {
  return cutEnd(text, MAX_CHARS);
}

function nameOf({ ref: { kind, key } }: Change): string {
  return key === kind ? kind : `${kind} ${JSON.stringify(cutEnd(key, MAX_CHARS))}`;
}

/** Names and reasons can be of any length: the advice at the end is to be read too. */
const MAX_CHARS = 80;
const MAX_LISTED = 5;

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** How to get past a guardrail that is right to ask. */
export function meant(guardrail: Guardrail): Sentences {
  return says`If that is meant, ${lifting(guardrail)}.`;
}
