import { groupBy } from "../model/group-by.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { count } from "../render/safe-text.js";
import { patternOf, type ZoneLabel } from "./zone-placeholder.js";

/** A shared part, and the remaining part of each zone. */
export interface Split<Part> {
  readonly shared: Part | undefined;
  /** In the order of the zones. Undefined: nothing remains. */
  readonly perZone: readonly (Part | undefined)[];
  readonly leftovers: readonly Leftover[];
}

export type LeftoverPlace = Omit<Leftover, "why">;

export function unshared<Part>(
  perZone: readonly (Part | undefined)[],
  place: LeftoverPlace,
  why: string,
): Split<Part> {
  return { shared: undefined, perZone, leftovers: [{ ...place, why }] };
}

/** Splits maps, one for each zone, key by key. */
export function splitMap(
  maps: readonly JsonObject[],
  place: LeftoverPlace,
  labels: readonly ZoneLabel[],
): Split<JsonObject> {
  const keys = namesIn(maps.map((map) => Object.keys(map)));
  const parts = new Map(
    keys.map((key) => {
      const field = place.field === null ? key : `${place.field}.${key}`;
      const values = maps.map((map) => (Object.hasOwn(map, key) ? map[key] : undefined));
      return [key, splitValue(values, { ...place, field }, labels)];
    }),
  );
  const perZone = maps.map((map, index) => mapOf(Object.keys(map), (key) => parts.get(key)?.perZone[index]));
  return {
    shared: mapOf(keys, (key) => parts.get(key)?.shared),
    perZone,
    leftovers: [...parts.values()].flatMap(({ leftovers: kept }) => kept),
  };
}

export function namesIn(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

function mapOf(keys: readonly string[], part: (key: string) => Json | undefined): JsonObject | undefined {
  const entries = keys.flatMap((key) => {
    const value = part(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function splitValue(
  values: readonly (Json | undefined)[],
  place: LeftoverPlace,
  labels: readonly ZoneLabel[],
): Split<Json> {
  const present = values.filter((each) => each !== undefined);
  if (present.length < values.length) return unshared(values, place, lacking(values, labels));
  const pattern = patternOf(present, labels);
  if (pattern !== undefined) return { shared: pattern, perZone: values.map(() => undefined), leftovers: [] };
  const maps = present.filter(isObject);
  const split = maps.length === values.length ? splitMap(maps, place, labels) : null;
  if (split?.shared !== undefined) return split;
  return unshared(values, place, differing(present, labels));
}

/** A part of the zones that is not in their template. */
export interface Leftover {
  readonly section: string;
  /** The name in its list. Null: the section, or its single object. */
  readonly object: string | null;
  /** Keys with dots between them. Null: the whole object. */
  readonly field: string | null;
  /** Such as `only in shop.example.com`. */
  readonly why: string;
}

/** Why a part is not shared: some zones lack it. */
export function lacking(values: readonly unknown[], labels: readonly ZoneLabel[]): string {
  const zones = labels.map(({ zone }) => zone);
  const without = zones.filter((_, index) => values[index] === undefined);
  if (without.length <= MAX_NAMED && without.length * 2 <= zones.length)
    return `not in ${zonesOf(without, zones)}`;
  return `only in ${zonesOf(
    zones.filter((_, index) => values[index] !== undefined),
    zones,
  )}`;
}

/** Why a part is not shared: its values differ. Names the zones that differ, if most agree. */
function differing(values: readonly Json[], labels: readonly ZoneLabel[]): string {
  if (values.every((each) => typeof each === "string" && each.startsWith("${")))
    return "each zone has its own secret";
  const disagreeing = values.slice(0, MAX_TRIED).map((value, base) => {
    const agrees = (each: Json, index: number) =>
      patternOf(
        [value, each],
        [labels[base], labels[index]].filter((label) => label !== undefined),
      ) !== undefined;
    return labels.filter((_, index) => !agrees(values[index] ?? null, index)).map(({ zone }) => zone);
  });
  const [fewest = []] = disagreeing.toSorted((a, b) => a.length - b.length);
  const zones = labels.map(({ zone }) => zone);
  return fewest.length * 2 < zones.length ? `differs in ${zonesOf(fewest, zones)}` : "differs per zone";
}

/** Values to compare with all others. If none of them has a majority, no two zones may agree. */
const MAX_TRIED = 5;

function zonesOf(named: readonly string[], zones: readonly string[]): string {
  return named.length <= MAX_NAMED ? named.join(", ") : `${named.length} of ${count(zones.length, "zone")}`;
}

const MAX_NAMED = 3;

/** Leftovers as texts, one for all objects of a section with the same reason. */
export function leftoverTexts(leftovers: readonly Leftover[]): readonly string[] {
  const groups = groupBy(leftovers, ({ section, field, why }) => JSON.stringify([section, field, why]));
  return [...groups.values()].map((group) => {
    const [{ section, field, why }] = group;
    const names = [
      ...new Set(group.flatMap(({ object }) => (object === null ? [] : [JSON.stringify(object)]))),
    ];
    const shown =
      names.length <= MAX_NAMED ? names : [...names.slice(0, MAX_NAMED), `${names.length - MAX_NAMED} more`];
    const place = [
      section,
      ...(shown.length === 0 ? [] : [shown.join(", ")]),
      ...(field === null ? [] : [field]),
    ];
    return `${place.join(", ")}: ${why}`;
  });
}
