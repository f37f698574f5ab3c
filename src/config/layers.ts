import { type Fields, valuesOf } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { haveSameKey, keyIn, mayShareScope } from "../kinds/keys.js";
import { type Key, listOf, type NamedBy } from "../kinds/kind.js";
import { quoted } from "../model/cut.js";
import type { Interpolation } from "../model/declared-zone.js";
import { didYouMean } from "../model/did-you-mean.js";
import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { type Problem, problem, type Span } from "../model/problem.js";
import { childOf } from "./place.js";
import type { SourceFile } from "./source.js";

/** A body that is written in one place: in a zone, a template, or a file's defaults. */
export interface Layer {
  readonly source: SourceFile;
  /** Where the body stands in its file. */
  readonly base: Path;
  readonly body: JsonObject;
}

export type Templates = ReadonlyMap<string, Layer>;

/** Bounds on how templates extend templates. */
const MAX_DEPTH = 20;
const MAX_LAYERS = 200;

/** Lists whose entries merge by name: section → the keys that identify an entry. */
const keyedLists: ReadonlyMap<string, NamedBy> = new Map(
  kinds.flatMap((kind) => {
    const list = listOf(kind);
    return list === null ? [] : [[list.section, list] as const];
  }),
);

const aliasesOf: ReadonlyMap<string, { readonly [alias: string]: string }> = new Map(
  kinds.map(({ section, fields }) => [section, aliasesIn(fields)]),
);

function aliasesIn(fields: Fields): { readonly [alias: string]: string } {
  const pairs = Object.entries(valuesOf(fields, "aliases")).flatMap(([key, aliases]) =>
    aliases.map((alias) => [alias, key]),
  );
  return Object.fromEntries(pairs);
}

/**
 * The layers of a body, weakest first: its templates from left to right, each after the templates that it extends
 * itself; then the body. Unknown templates and cycles are problems.
 */
export function layersOf(
  top: Layer,
  templates: Templates,
): { readonly layers: readonly Layer[]; readonly problems: readonly Problem[] } {
  const layers: Layer[] = [];
  const problems: Problem[] = [];
  let isFull = false;
  const visit = (layer: Layer, trail: readonly string[]): void => {
    for (const [index, name] of extendedBy(layer).entries()) {
      const at = (): Span => layer.source.span([...layer.base, "extends", index]);
      const template = typeof name === "string" ? templates.get(name) : undefined;
      if (typeof name !== "string" || isFull) continue;
      if (template === undefined) problems.push(unknownTemplate(name, templates, at()));
      else if (trail.includes(name))
        problems.push(cycleOf(trail.slice(trail.indexOf(name)), templates, at()));
      else if (trail.length < MAX_DEPTH && layers.length < MAX_LAYERS) visit(template, [...trail, name]);
      else {
        isFull = true;
        problems.push(tooMany(at()));
      }
    }
    layers.push(layer);
  };
  visit(top, top.base[0] === "templates" ? [String(top.base[1])] : []);
  return { layers, problems };
}

function extendedBy({ body }: Layer): readonly Json[] {
  return isList(body.extends) ? body.extends : [];
}

function unknownTemplate(name: string, templates: Templates, at: Span): Problem {
  const otherwise = "Define it under templates, or remove it from extends.";
  const advice = didYouMean(name, templates.keys(), otherwise, quoted);
  const detail = `No file defines this template. ${advice}`;
  return problem("unknown_template", `Unknown template ${quoted(name)}`, detail, at);
}

/** Reports a cycle at the same place, whichever of its templates is read first. */
function cycleOf(trail: readonly string[], templates: Templates, entered: Span): Problem {
  const first = trail.indexOf(trail.toSorted()[0] ?? "");
  const cycle = [...trail.slice(first), ...trail.slice(0, first)];
  const [start = ""] = cycle;
  const last = templates.get(cycle.at(-1) ?? "");
  const at = last?.source.span([...last.base, "extends", extendedBy(last).indexOf(start)]) ?? entered;
  const detail = `Each template extends the next: ${[...cycle, start].map(quoted).join(" → ")}. Remove one of them from an extends.`;
  return problem("template_cycle", "Templates extend each other in a circle", detail, at);
}

function tooMany(at: Span): Problem {
  const detail = `Templates may extend each other ${MAX_DEPTH} levels deep, and a zone may have ${MAX_LAYERS} templates. Merge some of them.`;
  return problem("too_many_templates", "Too many templates", detail, at);
}

/**
 * Merges layers into one body. Maps merge key by key; scalars and lists replace; lists of named objects merge by name;
 * `tests` add up. `null` removes the value of weaker layers. The caller reports nulls that remove nothing.
 */
export function mergeLayers(layers: readonly Layer[]): JsonObject {
  return layers.reduce<JsonObject>((merged, { body }) => mergeMaps(merged, ownOf(body), true), {});
}

/** The body of a layer, without `extends`. */
function ownOf({ extends: _, ...ownBody }: JsonObject): JsonObject {
  return canonicalKeys(ownBody);
}

function mergeMaps(under: JsonObject, over: JsonObject, top: boolean): JsonObject {
  const merged: Record<string, Json> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = Object.hasOwn(under, key) ? under[key] : undefined;
    const named = top ? keyedLists.get(key) : undefined;
    if (value === null && below !== undefined && below !== null) delete merged[key];
    else if (named !== undefined && isList(value))
      merged[key] = mergeNamed(isList(below) ? below : [], value, named);
    else if (top && key === "tests" && isList(below) && isList(value)) merged[key] = [...below, ...value];
    else if (isObject(below) && isObject(value)) merged[key] = mergeMaps(below, value, false);
    else merged[key] = value;
  }
  return merged;
}

function mergeNamed(under: readonly Json[], over: readonly Json[], keys: NamedBy): readonly Json[] {
  if (under.length === 0) return over;
  const merged = [...under];
  for (const entry of over) {
    const index = indexOfEntry(entry, merged, keys) ?? merged.length;
    const below = merged[index];
    merged[index] = isObject(below) && isObject(entry) ? mergeMaps(below, entry, false) : entry;
  }
  return merged;
}

/**
 * The index of the list entry with the same name. Where the entry does not set the key that the name counts within,
 * its name has to be unique. Null: not found, ambiguous, or the name is missing, which is reported elsewhere.
 */
function indexOfEntry(entry: Json | undefined, list: readonly Json[], keys: NamedBy): number | null {
  const wanted = isObject(entry) ? keyIn(keys, entry) : NAMELESS;
  if (wanted.name === null) return null;
  const fitting = (placesOf(list, keys).get(wanted.name) ?? []).flatMap((index) => {
    const below = list[index];
    const called = isObject(below) ? keyIn(keys, below) : NAMELESS;
    return mayShareScope(wanted, called) ? [{ index, isExact: wanted.within === called.within }] : [];
  });
  const match = fitting.find(({ isExact }) => isExact) ?? (fitting.length === 1 ? fitting[0] : undefined);
  return match?.index ?? null;
}

const NAMELESS: Key = { name: null, within: null };

/** Renames aliases of keys, so that both spellings merge. */
function canonicalKeys(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([section, value]) => {
      const names = new Map(Object.entries(aliasesOf.get(section) ?? {}));
      if (names.size === 0 || !isObject(value)) return [section, value];
      return [
        section,
        Object.fromEntries(Object.entries(value).map(([key, field]) => [names.get(key) ?? key, field])),
      ];
    }),
  );
}

/**
 * Where a path of the merged body, or an offset into its text, was written: in the strongest layer that has it. The
 * entries of a keyed list are found by name, since their index differs between layers.
 */
export function locate(
  layers: readonly Layer[],
  merged: JsonObject,
  path: Path,
  part?: "key" | "value",
  offset?: number,
): Span | null {
  for (let length = path.length; length >= 0; length--) {
    const parentPath = path.slice(0, length);
    for (const layer of layers.toReversed()) {
      const ownPath = pathIn(layer, merged, parentPath);
      if (ownPath === null) continue;
      return length === path.length ? layer.source.span(ownPath, part, offset) : layer.source.span(ownPath);
    }
  }
  return null;
}

/** The references in the text at a path of the merged body, from the layer that sets it. */
export function outsideOf(layers: readonly Layer[], merged: JsonObject, path: Path): Interpolation | null {
  for (const layer of layers.toReversed()) {
    const ownPath = pathIn(layer, merged, path);
    if (ownPath === null) continue;
    return layer.source.outside.get(pointerOf(ownPath)) ?? null;
  }
  return null;
}

/** Converts a path of the merged body to a path of the layer's file. Null: the layer does not have it. */
export function pathIn({ base, body }: Layer, merged: JsonObject, path: Path): Path | null {
  const ownPath: (string | number)[] = [];
  let value: Json | undefined = body;
  let whole: Json | undefined = merged;
  for (const [depth, step] of path.entries()) {
    whole = childOf(whole, step);
    const ownKey = ownStep(value, path, depth, step, whole);
    if (ownKey === null) return null;
    ownPath.push(ownKey);
    value = childOf(value, ownKey);
  }
  return [...base, ...ownPath];
}

function ownStep(
  value: Json | undefined,
  path: Path,
  depth: number,
  step: string | number,
  whole: Json | undefined,
): string | number | null {
  const section = String(path[0]);
  if (isList(value)) {
    const named = depth === 1 ? keyedLists.get(section) : undefined;
    if (named === undefined) return Number(step) < value.length ? step : null;
    const [index = null] = isObject(whole) ? (placesOf(value, named).get(whole) ?? []) : [];
    return index ?? indexOfEntry(whole, value, named) ?? (value[Number(step)] === whole ? step : null);
  }
  if (!isObject(value)) return null;
  if (Object.hasOwn(value, String(step))) return step;
  const aliases = Object.entries(depth === 1 ? (aliasesOf.get(section) ?? {}) : {});
  return aliases.find(([alias, key]) => key === step && Object.hasOwn(value, alias))?.[0] ?? null;
}

const knownPlaces = new WeakMap<readonly Json[], ReadonlyMap<string | Json, readonly number[]>>();

/**
 * The indices of a keyed list's entries, by name, and by the entry itself where merging left it unchanged. The index
 * is remembered, since merged lists do not change.
 */
function placesOf(list: readonly Json[], keys: NamedBy): ReadonlyMap<string | Json, readonly number[]> {
  const knownIndices = knownPlaces.get(list);
  if (knownIndices !== undefined) return knownIndices;
  const places = new Map<string | Json, number[]>();
  const add = (by: string | Json, index: number) => {
    const indices = places.get(by);
    if (indices === undefined) places.set(by, [index]);
    else indices.push(index);
  };
  for (const [index, entry] of list.entries()) {
    const { name } = isObject(entry) ? keyIn(keys, entry) : NAMELESS;
    if (name !== null) add(name, index);
    if (isObject(entry)) add(entry, index);
  }
  knownPlaces.set(list, places);
  return places;
}

/** Reports duplicate names in the keyed lists of one layer, and keys that are set under two names. */
export function checkLayer({ source, base, body }: Layer): readonly Problem[] {
  return Object.entries(body).flatMap(([section, value]) => {
    const named = keyedLists.get(section);
    if (named !== undefined && isList(value)) return repeatedNames(source, [...base, section], value, named);
    return isObject(value)
      ? repeatedKeys(source, [...base, section], value, aliasesOf.get(section) ?? {})
      : [];
  });
}

function repeatedNames(
  source: SourceFile,
  path: Path,
  list: readonly Json[],
  keys: NamedBy,
): readonly Problem[] {
  const { named, within } = keys;
  const seen = new Map<string, { readonly called: Key; readonly at: number }[]>();
  return list.flatMap((entry, index) => {
    const called = isObject(entry) ? keyIn(keys, entry) : NAMELESS;
    if (called.name === null) return [];
    const ofName = seen.get(called.name) ?? [];
    seen.set(called.name, ofName);
    const earlier = ofName.find((entry) => haveSameKey(entry.called, called))?.at;
    ofName.push({ called, at: index });
    if (earlier === undefined) return [];
    const before = source.span([...path, earlier, named]);
    const ownName = within === undefined ? named : `${named}, or its own ${within}`;
    const detail = `The list has this name already, at ${before.file}:${before.line}:${before.column}. Give each entry its own ${ownName}.`;
    const at = source.span([...path, index, named]);
    const summary = `Duplicate name ${quoted(called.name)}`;
    return problem("duplicate_name", summary, detail, at);
  });
}

function repeatedKeys(
  source: SourceFile,
  path: Path,
  map: JsonObject,
  aliases: { readonly [alias: string]: string },
): readonly Problem[] {
  return Object.entries(aliases).flatMap(([alias, key]) => {
    if (!(Object.hasOwn(map, alias) && Object.hasOwn(map, key))) return [];
    const detail = `${alias} and ${key} are the same field. Keep one of them.`;
    const at = source.span([...path, alias], "key");
    const summary = `Duplicate key ${alias}`;
    return problem("duplicate_key", summary, detail, at);
  });
}
