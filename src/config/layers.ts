import { sameName } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { listOf } from "../kinds/kind.js";
import { quoted } from "../model/cut.js";
import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import type { Problem, Span } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
import type { Interpolation } from "../model/wanted.js";
import type { SourceFile } from "./source.js";

/** A body as written in one place: a zone's own, a template, or a file's defaults. */
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

/** Lists whose entries merge by a field: section → field. */
const keyedLists: ReadonlyMap<string, string> = new Map(
  kinds.flatMap((kind) => {
    const list = listOf(kind);
    return list === null ? [] : [[list.section, list.named] as const];
  }),
);

const aliasesOf: ReadonlyMap<string, { readonly [alias: string]: string }> = new Map(
  kinds.map(({ section, aliases }) => [section, aliases]),
);

/**
 * The layers of a body, weakest first: what it extends, left to right, each with what that extends; then itself.
 * A template that cannot be found and a cycle are problems.
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
  const close = suggest(name, templates.keys());
  const advice =
    close === null
      ? "Define it under templates, or remove it from extends."
      : `Did you mean ${quoted(close)}?`;
  const detail = `No file defines the template ${quoted(name)}. ${advice}`;
  return { code: "unknown_template", severity: "error", summary: "An unknown template", detail, at };
}

/** The same problem at the same place, whichever of its templates a circle was entered by. */
function cycleOf(trail: readonly string[], templates: Templates, found: Span): Problem {
  const first = trail.indexOf(trail.toSorted()[0] ?? "");
  const cycle = [...trail.slice(first), ...trail.slice(0, first)];
  const [start = ""] = cycle;
  const last = templates.get(cycle.at(-1) ?? "");
  const at = last?.source.span([...last.base, "extends", extendedBy(last).indexOf(start)]) ?? found;
  const detail = `Each extends the next: ${[...cycle, start].map(quoted).join(" → ")}. Remove one of these from an extends.`;
  return {
    code: "template_cycle",
    severity: "error",
    summary: "Templates that extend each other in a circle",
    detail,
    at,
  };
}

function tooMany(at: Span): Problem {
  const detail = `Templates may extend each other ${MAX_DEPTH} levels deep, and a zone ${MAX_LAYERS} of them in all. Merge some of them.`;
  return { code: "too_many_templates", severity: "error", summary: "Too many templates", detail, at };
}

/**
 * The layers as one body. Maps merge key by key; scalars and lists replace; lists of named objects merge by name;
 * `null` removes what weaker layers gave. A null that removes nothing stays, for the caller to complain about.
 */
export function mergeLayers(layers: readonly Layer[]): JsonObject {
  return layers.reduce<JsonObject>((merged, { body }) => {
    const { extends: _, ...sections } = body;
    return mergeMaps(merged, canonicalKeys(sections), true);
  }, {});
}

function mergeMaps(under: JsonObject, over: JsonObject, top: boolean): JsonObject {
  const merged: Record<string, Json> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = Object.hasOwn(under, key) ? under[key] : undefined;
    const named = top ? keyedLists.get(key) : undefined;
    if (value === null && below !== undefined && below !== null) delete merged[key];
    else if (named !== undefined && isList(value))
      merged[key] = mergeNamed(isList(below) ? below : [], value, named);
    else if (isObject(below) && isObject(value)) merged[key] = mergeMaps(below, value, false);
    else merged[key] = value;
  }
  return merged;
}

function mergeNamed(under: readonly Json[], over: readonly Json[], named: string): readonly Json[] {
  if (under.length === 0) return over;
  const merged = [...under];
  const places = new Map(placesOf(under, named));
  for (const entry of over) {
    const name = nameOf(entry, named);
    const index = (name === null ? undefined : places.get(name)) ?? merged.length;
    const below = merged[index];
    merged[index] = isObject(below) && isObject(entry) ? mergeMaps(below, entry, false) : entry;
    if (name !== null) places.set(name, index);
  }
  return merged;
}

/** Null: it has none, which is an error of its own. */
function nameOf(entry: Json | undefined, named: string): string | null {
  const name = isObject(entry) ? entry[named] : null;
  return typeof name === "string" ? sameName(name) : null;
}

/** Keys that have another name are merged and read under one. */
function canonicalKeys(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([section, value]) => {
      const names = new Map(Object.entries(aliasesOf.get(section) ?? {}));
      if (names.size === 0 || !isObject(value)) return [section, value];
      return [
        section,
        Object.fromEntries(Object.entries(value).map(([key, each]) => [names.get(key) ?? key, each])),
      ];
    }),
  );
}

/**
 * Where a path of the merged body, or an offset into the text there, was written: in the strongest layer that has it.
 * A list entry of a keyed list is
 * found by its name, since each layer has it at an index of its own.
 */
export function locate(
  layers: readonly Layer[],
  merged: JsonObject,
  path: Path,
  part?: "key" | "value",
  offset?: number,
): Span | null {
  for (let length = path.length; length >= 0; length--) {
    const wanted = path.slice(0, length);
    for (const layer of layers.toReversed()) {
      const own = pathIn(layer, merged, wanted);
      if (own === null) continue;
      return length === path.length ? layer.source.span(own, part, offset) : layer.source.span(own);
    }
  }
  return null;
}

/** How the text at a path of the merged body came from outside, in the layer that gives it. */
export function outsideOf(layers: readonly Layer[], merged: JsonObject, path: Path): Interpolation | null {
  for (const layer of layers.toReversed()) {
    const own = pathIn(layer, merged, path);
    if (own === null) continue;
    return layer.source.outside.get(pointerOf(own)) ?? null;
  }
  return null;
}

/** The path of the merged body as a path of the layer's file; null where the layer does not have it. */
export function pathIn({ base, body }: Layer, merged: JsonObject, path: Path): Path | null {
  const own: (string | number)[] = [];
  let value: Json | undefined = body;
  let whole: Json | undefined = merged;
  for (const [depth, step] of path.entries()) {
    whole = isList(whole) ? whole[Number(step)] : isObject(whole) ? whole[String(step)] : undefined;
    const found = ownStep(value, path, depth, step, whole);
    if (found === null) return null;
    own.push(found);
    value = isList(value) ? value[Number(found)] : isObject(value) ? value[String(found)] : undefined;
  }
  return [...base, ...own];
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
    const places = placesOf(value, named);
    const index = isObject(whole)
      ? (places.get(whole) ?? places.get(nameOf(whole, named) ?? whole))
      : undefined;
    return index ?? (value[Number(step)] === whole ? step : null);
  }
  if (!isObject(value)) return null;
  if (Object.hasOwn(value, String(step))) return step;
  const aliases = Object.entries(depth === 1 ? (aliasesOf.get(section) ?? {}) : {});
  return aliases.find(([alias, key]) => key === step && Object.hasOwn(value, alias))?.[0] ?? null;
}

const knownPlaces = new WeakMap<readonly Json[], ReadonlyMap<string | JsonObject, number>>();

/**
 * The indices of a keyed list's entries: by the entry itself, where merging left it as it was, and by its name, which
 * leads to the first that has it. Lists do not change, and one is asked about many times.
 */
function placesOf(list: readonly Json[], named: string): ReadonlyMap<string | JsonObject, number> {
  const known = knownPlaces.get(list);
  if (known !== undefined) return known;
  const places = new Map<string | JsonObject, number>();
  for (const [index, entry] of list.entries()) {
    const name = nameOf(entry, named);
    if (name !== null && !places.has(name)) places.set(name, index);
    if (isObject(entry)) places.set(entry, index);
  }
  knownPlaces.set(list, places);
  return places;
}

/** Entries of one layer's keyed lists that have the same name, and keys given under two names. */
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
  named: string,
): readonly Problem[] {
  const first = new Map<string, number>();
  return list.flatMap((entry, index) => {
    const name = nameOf(entry, named);
    if (name === null) return [];
    const earlier = first.get(name);
    first.set(name, earlier ?? index);
    if (earlier === undefined) return [];
    const before = source.span([...path, earlier, named]);
    const detail = `${quoted(name)} stands twice in this list, first at ${before.file}:${before.line}:${before.column}. Give each its own ${named}.`;
    const at = source.span([...path, index, named]);
    return { code: "duplicate_name", severity: "error", summary: "A name given twice", detail, at } as const;
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
    return { code: "duplicate_key", severity: "error", summary: "A key given twice", detail, at } as const;
  });
}
