import { cutEnd } from "../model/cut.js";
import type { DetectedKind, Impact, ImpactEntry, Moved, Unseen } from "../model/detection.js";
import type { Forbiddable, Guardrail } from "../model/guardrails.js";

import { type Origin, originOf } from "../model/item.js";
import { type Breach, type Change, type FieldChange, isDeleting, type ZonePlan } from "../model/plan.js";
import { SERVICE, type Shift } from "../model/strength.js";
import { RULES, type Unmanaged } from "../model/unmanaged.js";
import { blockingUpgrades, effectOf } from "../strength/index.js";

type Zone = Pick<ZonePlan, "zone" | "changes" | "impact" | "moves" | "unmanaged">;

/** What a zone's plan does that nothing may do. */
export function forbidden(
  plan: Zone,
  forbid: readonly Forbiddable[],
  about: "plan" | "drift",
): readonly Breach[] {
  return forbid.flatMap((guardrail) => {
    const rule = (about === "drift" ? ofDrift[guardrail] : undefined) ?? rules[guardrail];
    const message = rule(plan);
    return message === null ? [] : [{ guardrail, message, advice: meant(guardrail) }];
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
    const found = changes.filter(isDeleting);
    return found.length === 0 ? null : `${zone} would lose ${listed(found.map(nameOf))}.`;
  },
  service_off: ({ zone, changes }) => {
    const shifts = changes.flatMap((each) => each.shifts);
    const isFound = shifts.some(({ dimension, way }) => dimension === SERVICE && way === "weaker");
    return isFound ? `The service would be switched off for ${zone}.` : null;
  },
  starts_blocking: ({ zone, changes, impact, moves }) => {
    const upgrading = blockingUpgrades(moves);
    const found = changes.flatMap((change, index) => {
      const more = change.blocking.filter(({ way }) => way !== "weaker" && way !== "neutral");
      const beside = upgrading.includes(index) ? [UPGRADES_OTHERS] : [];
      return more.length + beside.length === 0 ? [] : [{ change, more: [...more, ...beside] }];
    });
    if (found.length === 0 && impact !== null) return blockedNow(zone, impact.total);
    const isSure = found.some(({ more }) => more.some(({ way }) => way !== "unknown"));
    const reasons = found.map(({ change, more }) => withReasons(change, more));
    return found.length === 0 ? null : `${zone} ${isSure ? "would" : "may"} block more: ${listed(reasons)}.`;
  },
  blocks_active_scripts: (plan) => {
    const { zone, impact } = plan;
    const unknown =
      unknownOf(plan, "all that would be blocked") ??
      unseenIn(plan, ["scripts"], "weaker", "all that would be blocked");
    if (impact === null) return unknown;
    if (impact.tried.scripts === null)
      return unknown ?? unread(zone, "scripts", "whether one of them would be blocked");
    const isGood = ({ malicious }: ImpactEntry) => malicious !== true;
    const found = happening("newly_blocked", impact.total.scripts, isGood);
    return both(saying(found, `Of the scripts that run on pages of ${zone} today,`, "be blocked"), unknown);
  },
  allows_malicious: (plan) => {
    const { zone, impact } = plan;
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
      return unknown ?? unread(zone, missing, "whether a malicious one would be allowed");
    const mayBeBad = ({ malicious }: ImpactEntry) => malicious !== false;
    const found = [impact.total.scripts, impact.total.connections].map((each) =>
      happening("newly_allowed", each, mayBeBad),
    );
    const all = { sure: found.flatMap(({ sure }) => sure), unsure: found.flatMap(({ unsure }) => unsure) };
    return both(saying(all, `Of what is malicious, or may be, on pages of ${zone},`, "be allowed"), unknown);
  },
  redirects: ({ zone, changes }) =>
    redirected(changes, (change) => change.redirects, `${zone} would send to where it did not send before`),
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

/** Of one policy alone a change may loosen what all of a page do together. */
const UPGRADES_OTHERS: Pick<Shift, "way" | "why"> = {
  way: "unknown",
  why: "insecure loads are upgraded, which other policies may refuse",
};

function blockedNow(zone: string, { scripts, connections }: Impact): string | null {
  const sure = [...scripts.newly_blocked, ...connections.newly_blocked];
  return saying({ sure, unsure: [] }, `Of what pages of ${zone} load today,`, "be blocked");
}

/** Of drift, what was done is the news; to go back is nobody's worry. */
const ofDrift: { readonly [guardrail in Forbiddable]?: Rule } = {
  weakens: ({ zone, changes }) =>
    weaker(zone, changes, ({ outside }) => outside?.shifts ?? [], {
      sure: "is protected less since something was changed outside the files",
      unsure: "may be protected less since something was changed outside the files",
    }),
  redirects: ({ zone, changes }) =>
    redirected(
      changes,
      ({ outside }) => outside?.redirects ?? [],
      `Since something was changed outside the files, ${zone} sends to where it did not send before`,
    ),
};

function redirected(
  changes: readonly Change[],
  redirectsOf: (change: Change) => readonly string[],
  what: string,
): string | null {
  const found = changes.flatMap((change) => {
    const places = redirectsOf(change);
    return places.length === 0 ? [] : [`${nameOf(change)} (${places.map(short).join("; ")})`];
  });
  return found.length === 0 ? null : `${what}: ${listed(found)}.`;
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
      shifts.filter(({ way }) => way !== "stronger" && way !== "neutral"),
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

/** What is known is said also where it is not all. */
function both(known: string | null, unknown: string | null): string | null {
  const parts = [known, unknown].filter((each) => each !== null);
  return parts.length === 0 ? null : parts.join(" ");
}

/** Changes of what does something that nobody knows, such as a policy with an action that is new. */
function unknownOf({ zone, changes, moves }: Zone, what: string): string | null {
  const those = new Set(moves.flatMap(({ change, isUnknown }) => (isUnknown === true ? (change ?? []) : [])));
  const found = changes.filter((_, index) => those.has(index));
  return found.length === 0
    ? null
    : `What ${listed(found.map(nameOf))} of ${zone} does before or after the change is not known here, so nobody knows ${what}.`;
}

/** Changes of pages of which nobody knows what they load, but for those that surely move things only the other way. */
function unseenIn(
  { zone, changes, impact }: Zone,
  kinds: readonly DetectedKind[],
  harmless: "weaker" | "stronger",
  what: string,
): string | null {
  const found = changes.flatMap((change, index) => {
    const unseen = impact?.unseen.get(index);
    const isTouched = unseen?.kinds.some((kind) => kinds.includes(kind)) === true;
    const may = change.blocking.some(({ way }) => way !== harmless && way !== "neutral");
    return unseen !== undefined && isTouched && may ? [{ change, why: unseen.why }] : [];
  });
  const [first] = found;
  if (first === undefined) return null;
  const names = listed(found.map(({ change }) => nameOf(change)));
  return `${UNSEEN_WHY[first.why]} on the pages of ${names} of ${zone}, so nobody knows ${what}.`;
}

const UNSEEN_WHY: { readonly [why in Unseen]: string } = {
  detection_off: "Detection is switched off, and nothing new is seen",
  detection_unread: "Whether detection is on could not be read, nor thus whether anything is seen",
  nothing_seen: "Nothing was ever seen",
};

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
export function meant(guardrail: Guardrail): string {
  return `If that is meant, say --allow ${guardrail}.`;
}
