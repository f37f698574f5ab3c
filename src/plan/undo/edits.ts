import { equal } from "../../model/equal.js";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";

/** One place in an object as the service has it, and what is to stand there again. Undefined: nothing. */
export interface Edit {
  readonly path: readonly Segment[];
  readonly value: Json | undefined;
}

type Segment = string | Entry;

/** One of a list whose entries say what they are about. */
interface Entry {
  readonly by: Named;
  readonly name: string;
  /** The entries that stood before it, nearest first. */
  readonly behind: readonly string[];
}

/** What entries of lists are told apart by. */
const NAMES = ["id", "category"] as const;
type Named = (typeof NAMES)[number];

/** The smallest changes that lead from one state of an object to another: what they do not name stays. */
export function editsBetween(from: JsonObject, to: JsonObject): readonly Edit[] {
  return editsAt([], from, to);
}

/** The object with these changes made. Maps, lists and entries that then say nothing are gone. */
export function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  return edits.reduce((now, { path, value }) => {
    const next = put(now, path, value);
    return isObject(next) ? next : {};
  }, object);
}

type Place = Json | undefined;

function editsAt(path: readonly Segment[], from: Place, to: Place): readonly Edit[] {
  if (equal(from, to)) return [];
  const [old, next] = [mapIn(from), mapIn(to)];
  if (old !== null && next !== null) {
    const names = [...new Set([...Object.keys(next), ...Object.keys(old)])];
    return names.flatMap((name) => editsAt([...path, name], old[name], next[name]));
  }
  const lists = entriesOf(from, to);
  if (lists === null) return [{ path, value: to }];
  const names = [...lists.to.keys()];
  const gone = [...lists.from.keys()].filter((name) => !lists.to.has(name));
  return [...names, ...gone].flatMap((name) => {
    const behind = names.slice(0, Math.max(names.indexOf(name), 0)).reverse();
    const entry: Entry = { by: lists.by, name, behind };
    return editsAt([...path, entry], lists.from.get(name), lists.to.get(name));
  });
}

/** What is not there is a map of nothing. */
function mapIn(place: Place): JsonObject | null {
  if (place === undefined) return {};
  return isObject(place) ? place : null;
}

interface Entries {
  readonly by: Named;
  readonly from: ReadonlyMap<string, JsonObject>;
  readonly to: ReadonlyMap<string, JsonObject>;
}

/** Null: they are values as a whole. */
function entriesOf(from: Place, to: Place): Entries | null {
  for (const by of NAMES) {
    const [old, next] = [byName(from, by), byName(to, by)];
    if (old !== null && next !== null) return { by, from: old, to: next };
  }
  return null;
}

function byName(list: Place, by: Named): ReadonlyMap<string, JsonObject> | null {
  const all = list === undefined ? [] : list;
  if (!isList(all)) return null;
  const named = all.flatMap((each): readonly (readonly [string, JsonObject])[] => {
    const { [by]: name, ...said } = isObject(each) ? each : {};
    return typeof name === "string" ? [[name, said]] : [];
  });
  const entries = new Map(named);
  return entries.size === all.length ? entries : null;
}

function put(now: Place, [first, ...rest]: readonly Segment[], value: Place): Place {
  if (first === undefined) return value;
  return typeof first === "string"
    ? putField(isObject(now) ? now : {}, first, rest, value)
    : putEntry(isList(now) ? now : [], first, rest, value);
}

function putField(map: JsonObject, name: string, rest: readonly Segment[], value: Place): Place {
  const inner = put(map[name], rest, value);
  if (inner !== undefined) return { ...map, [name]: inner };
  const { [name]: _, ...others } = map;
  return Object.keys(others).length === 0 ? undefined : others;
}

function putEntry(
  list: readonly Json[],
  { by, name, behind }: Entry,
  rest: readonly Segment[],
  value: Place,
): Place {
  const indexOf = (wanted: string) => list.findIndex((each) => isObject(each) && each[by] === wanted);
  const index = indexOf(name);
  const entry = put(index < 0 ? { [by]: name } : list[index], rest, value);
  const says = isObject(entry) && Object.keys(entry).some((key) => key !== by) ? [entry] : [];
  const behindIndex = behind.map(indexOf).find((place) => place >= 0) ?? -1;
  const next = index < 0 ? list.toSpliced(behindIndex + 1, 0, ...says) : list.toSpliced(index, 1, ...says);
  return next.length === 0 ? undefined : next;
}
