import { cutEnd } from "../model/cut.js";
import type { DetectedKind } from "../model/detection.js";
import type { Forbiddable } from "../model/guardrails.js";
import type { ImpactEntry, Moved } from "../model/impact.js";
import { type Origin, originOf } from "../model/origin.js";
import type { Breach, Change, FieldChange, ZonePlan } from "../model/plan.js";
import { SERVICE, type Shift } from "../model/strength.js";
import { RULES, type Unmanaged } from "../model/undeclared.js";
import { effectOf } from "../posture/index.js";

type Zone = Pick<ZonePlan, "zone" | "changes" | "impact" | "moves" | "unmanaged">;

/** What a zone's plan does that nothing may do. */
export function forbidden(
  plan: Zone,
  forbid: readonly Forbiddable[],
  about: "plan" | "drift",
): readonly Breach[] {
  return forbid.flatMap((guardrail) => {
    const message =
      about === "drift" && guardrail === "weakens" ? weakenedOutside(plan) : rules[guardrail](plan);
    return message === null
      ? []
      : [{ guardrail, message: `${message} If that is meant, say --allow ${guardrail}.` }];
  });
}

/** What stands against a zone's plan; null: nothing. What cannot be decided may be the worst, and does. */
type Rule = (plan: Zone) => string | null;

const rules: { readonly [guardrail in Forbiddable]: Rule } = {
  weakens: ({ zone, changes }) =>
    weaker(zone, changes, ({ shifts }) => shifts, {
      sure: "would be protected less",
      unsure: "may be protected less",
    }),
  deletes: ({ zone, changes }) => {
    const found = changes.filter(({ action }) => action === "delete");
    return found.length === 0 ? null : `${zone} would lose ${listed(found.map(nameOf))}.`;
  },
  service_off: ({ zone, changes }) => {
    const shifts = changes.flatMap((each) => each.shifts);
    const isFound = shifts.some(({ dimension, way }) => dimension === SERVICE && way === "weaker");
    return isFound ? `The service would be switched off for ${zone}.` : null;
  },
  starts_blocking: ({ zone, changes }) => {
    const found = changes.flatMap((change) => {
      const more = change.blocking.filter(({ way }) => way !== "weaker");
      return more.length === 0 ? [] : [{ change, more }];
    });
    const isSure = found.some(({ more }) => more.some(({ way }) => way !== "unknown"));
    const reasons = found.map(({ change, more }) => withReasons(change, more));
    return found.length === 0 ? null : `${zone} ${isSure ? "would" : "may"} block more: ${listed(reasons)}.`;
  },
  blocks_active_scripts: (plan) => {
    const { zone, impact } = plan;
    const unknown = unknownOf(plan, "whether a script would be blocked");
    if (unknown !== null || impact === null) return unknown;
    if (impact.tried.scripts === null) return unread(zone, "scripts", "whether one of them would be blocked");
    const isGood = ({ malicious }: ImpactEntry) => malicious !== true;
    const found = happening("newly_blocked", impact.total.scripts, isGood);
    return saying(found, `Of the scripts that run on pages of ${zone} today,`, "be blocked");
  },
  allows_malicious: (plan) => {
    const { zone, impact } = plan;
    const unknown = unknownOf(plan, "whether something malicious would be allowed");
    if (unknown !== null || impact === null) return unknown;
    const missing = (["scripts", "connections"] as const).find((kind) => impact.tried[kind] === null);
    if (missing !== undefined) return unread(zone, missing, "whether a malicious one would be allowed");
    const mayBeBad = ({ malicious }: ImpactEntry) => malicious !== false;
    const found = [impact.total.scripts, impact.total.connections].map((each) =>
      happening("newly_allowed", each, mayBeBad),
    );
    const both = { sure: found.flatMap(({ sure }) => sure), unsure: found.flatMap(({ unsure }) => unsure) };
    return saying(both, `Of what is malicious, or may be, on pages of ${zone},`, "be allowed");
  },
  drift: (plan) => fromOutside(plan, "drift", "was changed outside the files, and would be changed back"),
  conflict: (plan) => fromOutside(plan, "conflict", "was changed both in the files and outside them"),
  unmanaged: ({ zone, unmanaged }) => {
    const those = (known: Unmanaged["known"]) => unmanaged.filter((each) => each.known === known).map(doing);
    const [strange, news] = [those("not_listed"), those("newly_listed")];
    const parts = [
      ...(strange.length === 0
        ? []
        : [`In ${zone} is live what no file declares or lists: ${listed(strange)}.`]),
      // A change must not silence what it is measured by.
      ...(news.length === 0 ? [] : [`In ${zone} only this change lists as known: ${listed(news)}.`]),
    ];
    return parts.length === 0 ? null : parts.join(" ");
  },
};

/** `rule "Office" (skips every request before the managed ruleset)` */
function doing({ ref: { kind, key, id }, list, does }: Unmanaged): string {
  const name = key === "" ? (id ?? "without a name") : JSON.stringify(cutEnd(key, MAX_CHARS));
  return `${list === RULES ? "rule" : kind} ${name} (${cutEnd(does, MAX_CHARS)})`;
}

/** Of drift, what was done is the news; to go back is nobody's worry. */
function weakenedOutside({ zone, changes }: Zone): string | null {
  return weaker(zone, changes, ({ outside }) => outside ?? [], {
    sure: "is protected less since something was changed outside the files",
    unsure: "may be protected less since something was changed outside the files",
  });
}

function weaker(
  zone: string,
  changes: readonly Change[],
  shiftsOf: (change: Change) => readonly Shift[],
  { sure, unsure }: { readonly sure: string; readonly unsure: string },
): string | null {
  const found = changes.flatMap((change) => {
    const shifts = shiftsOf(change);
    const effect = effectOf(shifts);
    return ["weakens", "mixed", "unknown"].includes(effect) ? [{ change, shifts, effect }] : [];
  });
  const isSure = found.some(({ effect }) => effect !== "unknown");
  const reasons = found.map(({ change, shifts }) =>
    withReasons(
      change,
      shifts.filter(({ way }) => way !== "stronger"),
    ),
  );
  return found.length === 0 ? null : `${zone} ${isSure ? sure : unsure}: ${listed(reasons)}.`;
}

/** What changes because somebody changed it outside the files. */
function fromOutside({ zone, changes }: Zone, origin: Origin, what: string): string | null {
  const found = changes.flatMap((change) => {
    const own = change.fields.filter(({ path }) => originOf(change.origins, path) === origin);
    const isIt = own.length > 0 || (change.fields.length === 0 && change.origins.rest === origin);
    return isIt ? [`${nameOf(change)}${own.length === 0 ? "" : ` (${listed(own.map(pathOf))})`}`] : [];
  });
  if (found.length > 0) return `In ${zone} this ${what}: ${listed(found)}.`;
  const isUnknown = changes.some(({ origins }) => origins.rest === "unknown");
  return isUnknown
    ? `Where the changes of ${zone} come from is not known without a base that can be read: name one with --base.`
    : null;
}

function pathOf({ path }: FieldChange): string {
  return path;
}

/** Changes of what does something that nobody knows, such as a policy with an action that is new. */
function unknownOf({ zone, changes, moves }: Zone, what: string): string | null {
  const those = new Set(moves.flatMap(({ change, isUnknown }) => (isUnknown === true ? (change ?? []) : [])));
  const found = changes.filter((_, index) => those.has(index));
  return found.length === 0
    ? null
    : `What ${listed(found.map(nameOf))} of ${zone} does before or after the change is not known here, so nobody knows ${what}.`;
}

interface Happening {
  readonly sure: readonly ImpactEntry[];
  /** Those of which it cannot be told. */
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
  return `The detected ${kind} of ${zone} could not be read, so nobody knows ${what}.`;
}

function withReasons(change: Change, shifts: readonly Shift[]): string {
  return `${nameOf(change)} (${shifts.map(({ why }) => cutEnd(why, MAX_CHARS)).join("; ")})`;
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
