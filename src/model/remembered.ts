import type { JsonObject } from "./json.js";

/**
 * A value that is made when it is first asked for, and kept. Classes of Unicode characters in a regular expression take
 * a millisecond or more to read: most runs need none of them, and would only start later.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * A pure function of an object that works once per object. The objects of a template are shared by all zones that
 * extend it, so a fleet asks the same again and again.
 */
export function remembered<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found.value;
    const value = compute(key);
    known.set(key, { value });
    return value;
  };
}

/** The same for a function of two objects. */
export function rememberedPair<A extends object, B extends object, V>(
  compute: (one: A, other: B) => V,
): (one: A, other: B) => V {
  const of = remembered((one: A) => remembered((other: B) => compute(one, other)));
  return (one, other) => of(one)(other);
}

/**
 * The same for a function of a text: fleets whose files are written out have the same texts over and over. What is given
 * is shared: nobody may change it.
 */
export function rememberedText<V>(compute: (text: string) => V): (text: string) => V {
  const known = keptByText<V>();
  return (text) => known(text, () => compute(text));
}

/**
 * Gives for a value the first one that is written alike, in JSON: what is found out about one object of a fleet then holds
 * for all that are alike. Nobody may change them.
 */
export function sharedAlike<V extends object>(): (value: V) => V {
  const first = keptByText<V>();
  return (value) => first(JSON.stringify(value), () => value);
}

/** How many maps that begin with the same value are told apart. */
const MOST_MAPS = 8;

/**
 * Gives for a map the first one that has the very same values under the same keys, in the same order. They may stand in
 * several places: what is kept of such a map must not have any.
 */
export function sharedSame(): (map: JsonObject) => JsonObject {
  const known = new WeakMap<object, readonly JsonObject[]>();
  return (map) => {
    const value = Object.values(map).find((each) => typeof each === "object" && each !== null);
    if (typeof value !== "object" || value === null) return map;
    const maps = known.get(value) ?? [];
    const same = maps.find((each) => hasSame(each, map));
    if (same === undefined) known.set(value, [map, ...maps.slice(0, MOST_MAPS - 1)]);
    return same ?? map;
  };
}

function hasSame(one: JsonObject, other: JsonObject): boolean {
  const others = Object.keys(other);
  const keys = Object.keys(one);
  return (
    keys.length === others.length && keys.every((key, at) => key === others[at] && one[key] === other[key])
  );
}

/** What was made for a text: kept for the texts that were asked for last, however many there are and however long they get. */
function keptByText<V>(): (text: string, make: () => V) => V {
  let recent = new Map<string, { readonly value: V }>();
  let older = recent;
  let recentChars = 0;
  const keep = (text: string, result: { readonly value: V }) => {
    if (recent.size >= MOST_TEXTS || recentChars + text.length > MOST_CHARS) {
      older = recent;
      recent = new Map();
      recentChars = 0;
    }
    recent.set(text, result);
    recentChars += text.length;
  };
  return (text, make) => {
    const known = recent.get(text);
    if (known !== undefined) return known.value;
    const result = older.get(text) ?? { value: make() };
    keep(text, result);
    return result.value;
  };
}

/** Of the recent texts, and of the older ones as many again. */
const MOST_TEXTS = 1_000;
const MOST_CHARS = 1_000_000;
