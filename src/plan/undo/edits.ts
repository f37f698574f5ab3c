import { equal, isList, isObject, type Json, type JsonObject } from "../../model/json.js";

/** The value at one place of an object. Undefined: none. */
type FieldValue = Json | undefined;

/** Brings one place of an object back, and leaves all other places as they are. */
export type Edit = (now: FieldValue) => FieldValue;

/** Fields by which the entries of a list are told apart. */
const NAMES = ["id", "category"] as const;
type Named = (typeof NAMES)[number];

/** The smallest edits that lead from one state to another. */
export function editsBetween(from: FieldValue, to: FieldValue): readonly Edit[] {
  if (equal(from, to)) return [];
  const [old, next] = [mapIn(from), mapIn(to)];
  if (old !== null && next !== null) {
    const fields = [...new Set([...Object.keys(next), ...Object.keys(old)])];
    return fields.flatMap((field) =>
      editsBetween(old[field], next[field]).map((edit) => inField(field, edit)),
    );
  }
  return NAMES.map((by) => editsOfEntries(by, from, to)).find((edits) => edits !== null) ?? [() => to];
}

/** Null: the entries of these lists have no such names. */
function editsOfEntries(by: Named, from: FieldValue, to: FieldValue): readonly Edit[] | null {
  const [old, next] = [entriesIn(by, from), entriesIn(by, to)];
  if (old === null || next === null) return null;
  const names = [...next.keys()];
  const removed = [...old.keys()].filter((name) => !next.has(name));
  return [...names, ...removed].flatMap((name) => {
    const behind = names.slice(0, Math.max(names.indexOf(name), 0)).reverse();
    return editsBetween(old.get(name), next.get(name)).map((edit) => inEntry(by, name, behind, edit));
  });
}

function mapIn(place: FieldValue): JsonObject | null {
  if (place === undefined) return {};
  return isObject(place) ? place : null;
}

function entriesIn(by: Named, list: FieldValue = []): ReadonlyMap<string, JsonObject> | null {
  if (!isList(list)) return null;
  const named = list.flatMap((each): readonly (readonly [string, JsonObject])[] => {
    const { [by]: name, ...rest } = isObject(each) ? each : {};
    return typeof name === "string" ? [[name, rest]] : [];
  });
  const entries = new Map(named);
  return entries.size === list.length ? entries : null;
}

/** A map that becomes empty is removed. */
function inField(field: string, edit: Edit): Edit {
  return (now) => {
    const { [field]: value, ...others } = isObject(now) ? now : {};
    const next = edit(value);
    if (next !== undefined) return { ...(isObject(now) ? now : {}), [field]: next };
    return Object.keys(others).length === 0 ? undefined : others;
  };
}

/**
 * A list or an entry that becomes empty is removed.
 *
 * @param behind the names of the entries that stood in front of it, nearest first
 */
function inEntry(by: Named, name: string, behind: readonly string[], edit: Edit): Edit {
  return (now) => {
    const list = isList(now) ? now : [];
    const indexOf = (wanted: string) => list.findIndex((each) => isObject(each) && each[by] === wanted);
    const index = indexOf(name);
    const entry = edit(list[index] ?? { [by]: name });
    const kept = isObject(entry) && Object.keys(entry).some((key) => key !== by) ? [entry] : [];
    const place = (behind.map(indexOf).find((each) => each >= 0) ?? -1) + 1;
    const next = index < 0 ? list.toSpliced(place, 0, ...kept) : list.toSpliced(index, 1, ...kept);
    return next.length === 0 ? undefined : next;
  };
}
