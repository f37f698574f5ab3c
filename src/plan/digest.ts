import { hash, scryptSync } from "node:crypto";
import { groupBy } from "../model/group-by.js";
import { LOAD_GUARDRAILS } from "../model/guardrails.js";
import { canonicalJson } from "../model/json.js";
import {
  type Change,
  notPlannedName,
  type Seen,
  type Step,
  type Written,
  type ZonePlan,
} from "../model/plan.js";
import { rememberedText } from "../model/remembered.js";
import { DIFFERENT, isLate, isNotCompared, type Late, type SealedObject } from "../model/sealed.js";
import type { PlanDocument, PlannedCall, PlannedChange, SeenObject } from "./generated/plan-document.js";

export const FORMAT_VERSION = "1";

/** A planned zone's part of a plan, in the form of plan documents. Two plans are compared by these parts. */
export interface ZonePart {
  readonly zone: string;
  readonly zoneId: string;
  readonly digest: string;
  readonly calls: readonly Pick<PlannedCall, "method" | "path" | "body">[];
  readonly seen: readonly Omit<SeenObject, "zone">[];
  /** Texts of the files that the calls do not show as written. Null: none. */
  readonly written: Written | null;
  /** Sections that the files have and the plan does not. */
  readonly notPlanned: readonly string[];
  /** Changes of the files that are live already, so no call shows them. */
  readonly takenOver: readonly ShownChange[];
  /** The changes that have calls. They are not in the digest, which covers the calls. */
  readonly changes: readonly ShownChange[];
}

export interface ShownChange {
  readonly action: string;
  readonly replaces: boolean;
  readonly kind: string;
  readonly key: string;
  readonly was: string | null;
  readonly fields: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[];
}

export function partOf(plan: ZonePlan): ZonePart {
  const { zone, place, digest, steps, live, secrets, notPlanned, changes } = plan;
  return {
    zone,
    zoneId: place.id,
    digest,
    calls: steps.map(callOf),
    seen: live.seen.map(seenOf),
    written: secrets.written,
    notPlanned: notPlanned.map(notPlannedName),
    takenOver: changes.filter((each) => !hasCall(each)).map(shownOf),
    changes: changes.filter(hasCall).map(shownOf),
  };
}

/** A change that is taken over from the live state has no call. */
export function hasCall({ takenOver }: Pick<Change, "takenOver">): boolean {
  return takenOver !== true;
}

export function shownOf({ ref, ...change }: Change): ShownChange {
  return shownChange({ ...ref, ...change });
}

/** The planned zones of a plan document, by name. */
export function partsOf(document: PlanDocument): ReadonlyMap<string, ZonePart> {
  const calls = groupBy(document.calls, ({ zone }) => zone);
  const seen = groupBy(document.seen, ({ zone }) => zone);
  const changes = groupBy(document.changes, ({ zone }) => zone);
  return new Map(
    document.zones.flatMap(({ zone, zone_id, digest, written, not_planned = [] }) => {
      if (zone_id === null || digest === undefined) return [];
      const changesOfZone = changes.get(zone) ?? [];
      const part: ZonePart = {
        zone,
        zoneId: zone_id,
        digest,
        calls: callsOfZone(calls.get(zone) ?? []),
        seen: (seen.get(zone) ?? []).map(({ zone: _, ...each }) => each),
        written: written ?? null,
        notPlanned: not_planned.map(notPlannedName),
        takenOver: changesOfZone.filter(({ taken_over }) => taken_over === true).map(shownIn),
        changes: changesOfZone.filter(({ taken_over }) => taken_over !== true).map(shownIn),
      };
      return [[zone, part] as const];
    }),
  );
}

function shownIn(change: PlannedChange): ShownChange {
  return shownChange({ ...change, was: change.was ?? null, replaces: change.replaces === true });
}

/** `sha256:…` of the parts of a zone's plan that an approval covers. */
export function zoneDigest(part: Omit<ZonePart, "zone" | "digest" | "changes">): string {
  const ifAny = <T>(all: readonly T[]) => (all.length === 0 ? undefined : all);
  return digestOf({
    zone_id: part.zoneId,
    calls: part.calls,
    seen: part.seen,
    written: part.written ?? undefined,
    not_planned: ifAny(part.notPlanned),
    taken_over: ifAny(part.takenOver),
  });
}

/**
 * `sha256:…` of the zones' digests and of the plan's inputs. It covers the inputs because an edited plan file must not choose
 * them for its apply.
 */
export function runDigest(
  zoneDigests: readonly string[],
  {
    base,
    inputs,
    guardrails,
  }: Pick<PlanDocument, "inputs"> & {
    readonly base?: string | null;
    /** The guardrails that would refuse the plan, lifted or not. */
    readonly guardrails: readonly { readonly name: string; readonly zone?: string | undefined }[];
  },
  zones: readonly string[],
): string {
  const ofLoads = guardrails.filter(({ name }) => LOAD_GUARDRAILS.includes(name));
  return digestOf({
    format_version: FORMAT_VERSION,
    zones: zoneDigests,
    // If the base could not be read, its name.
    base: base ?? inputs.base,
    narrowing: narrowingOf(inputs, zones),
    // These guardrails depend on logs, which an apply may not have.
    ...(ofLoads.length === 0 ? {} : { refused_by: ofLoads.map(({ name, zone }) => [name, zone ?? null]) }),
  });
}

/**
 * The inputs by which a plan differs from one of all zones and objects in the usual files.
 *
 * @returns undefined: the plan is not narrowed
 */
function narrowingOf(
  { changed, about, zones: named, only, part_of, config, guardrails }: PlanDocument["inputs"],
  zones: readonly string[],
): object | undefined {
  const narrowing = {
    ...(config.length === 0 ? {} : { config }),
    ...(guardrails === undefined ? {} : { guardrails }),
    ...(changed === true ? { changed: zones } : {}),
    ...(about === undefined ? {} : { about }),
    ...(named.length === 0 ? {} : { zones: named }),
    ...(only === undefined ? {} : { only }),
    ...(part_of === undefined ? {} : { part_of }),
  };
  return Object.keys(narrowing).length === 0 ? undefined : narrowing;
}

export function callOf({ method, path, body }: Step): ZonePart["calls"][number] {
  return { method, path: pathOf(path), body };
}

export function seenOf({ ref, state }: Seen): ZonePart["seen"][number] {
  return {
    kind: ref.kind,
    key: ref.key,
    id: ref.id,
    state: state === null ? null : uncomparedAsDifferent(state),
  };
}

/**
 * A value that cannot be compared counts as different, so a later plan that can compare it has the same digest, unless the
 * value is the same.
 */
function uncomparedAsDifferent(state: SealedObject): SealedObject {
  const entries = Object.entries(state);
  if (!entries.some(([, value]) => isNotCompared(value))) return state;
  return Object.fromEntries(
    entries.map(([field, value]) => [field, isNotCompared(value) ? DIFFERENT : value]),
  );
}

/**
 * A step's path as text: `/zones/353c…/page_shield`.
 *
 * @param stepsBefore the number of steps of earlier zones, in a document that numbers the steps of all zones
 */
export function pathOf(path: readonly (string | Late)[], stepsBefore = 0): string {
  return path.map((part) => `/${isLate(part) ? `{result:${stepsBefore + part.$result}}` : part}`).join("");
}

/** Numbers steps within the zone, since a document numbers the steps of all zones. */
function callsOfZone(calls: readonly PlannedCall[]): ZonePart["calls"] {
  const stepsBefore = (calls[0]?.step ?? 1) - 1;
  return calls.map(({ method, path, body }) => {
    const zonePath = path.replace(/\{result:(\d+)\}/g, (_, step) => `{result:${Number(step) - stepsBefore}}`);
    return { method, path: zonePath, body };
  });
}

function shownChange({ action, replaces, kind, key, was, fields }: ShownChange): ShownChange {
  const shown = fields.map(({ path, before, after }) => ({
    path,
    before: isNotCompared(before) ? DIFFERENT : before,
    after,
  }));
  return { action, replaces, kind, key, was, fields: shown };
}

/** `sha256:…` of a value as canonical JSON. */
export function digestOf(value: unknown): string {
  return `sha256:${hash("sha256", canonicalJson(value))}`;
}

/** A digest from which secrets cannot be guessed: each attempt costs some milliseconds. */
export function slowDigestOf(value: unknown): string {
  return slowly(canonicalJson(value));
}

/** Remembered, since a fleet has the same destination in many zones. */
const slowly = rememberedText((text) => scryptSync(text, "zoneward", 32, { N: 4096 }).toString("hex"));
