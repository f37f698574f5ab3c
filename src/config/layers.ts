import { kinds } from "../kinds/index.js";
import type { Path } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { pointerOf } from "../model/pointer.js";
import type { Problem, Span } from "../model/problem.js";
import { suggest } from "../model/suggest.js";
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
  kinds.flatMap(({ section, shape }) => (shape.as === "list" ? [[section, shape.named] as const] : [])),
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
  const visit = (layer: Layer, trail: readonly string[]): void => {
    if (problems.length > 0) return;
    const names = isList(layer.body.extends) ? layer.body.extends.map(String) : [];
    for (const [index, name] of names.entries()) {
      const at = layer.source.span([...layer.base, "extends", index]);
      const problem = refuseTemplate(name, trail, templates, layers.length, at);
      const template = templates.get(name);
      if (problem !== null) problems.push(problem);
      else if (template !== undefined) visit(template, [...trail, name]);
    }
    layers.push(layer);
  };
  visit(top, templateName(top));
  return { layers, problems };
}

function templateName({ base }: Layer): readonly string[] {
  return base[0] === "templates" ? [String(base[1])] : [];
}

function refuseTemplate(
  name: string,
  trail: readonly string[],
  templates: Templates,
  layers: number,
  at: Span,
): Problem | null {
  const refusal = (code: string, summary: string, detail: string): Problem => ({
    code,
    severity: "error",
    summary,
    detail,
    at,
  });
  if (!templates.has(name)) {
    const close = suggest(name, templates.keys());
    const advice = close === null ? "Define it under templates." : `Did you mean ${JSON.stringify(close)}?`;
    return refusal("unknown_template", "An unknown template", `No file defines the template ${JSON.stringify(name)}. ${advice}`);
  }
  if (trail.includes(name)) {
    const cycle = [...trail.slice(trail.indexOf(name)), name].join(" → ");
    return refusal("template_cycle", "Templates extend each other in a circle", `${cycle}. Remove one of these.`);
  }
  if (trail.length >= MAX_DEPTH || layers >= MAX_LAYERS) {
    const detail = `Templates may extend ${MAX_DEPTH} levels deep and a body ${MAX_LAYERS} templates in all. Merge some of them.`;
    return refusal("too_many_templates", "Too many templates", detail);
  }
  return null;
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
    const below = under[key];
    const named = top ? keyedLists.get(key) : undefined;
    if (value === null && below !== undefined && below !== null) delete merged[key];
    else if (named !== undefined && isList(value)) merged[key] = mergeNamed(isList(below) ? below : [], value, named);
    else if (isObject(below) && isObject(value)) merged[key] = mergeMaps(below, value, false);
    else merged[key] = value;
  }
  return merged;
}

function mergeNamed(under: readonly Json[], over: readonly Json[], named: string): readonly Json[] {
  if (under.length === 0) return over;
  const merged = [...under];
  for (const entry of over) {
    const index = merged.findIndex((each) => nameOf(each, named) === nameOf(entry, named));
    const below = merged[index];
    if (isObject(below) && isObject(entry)) merged[index] = mergeMaps(below, entry, false);
    else merged.push(entry);
  }
  return merged;
}

function nameOf(entry: Json | undefined, named: string): Json | undefined {
  return isObject(entry) ? entry[named] : undefined;
}

/** Keys that have another name are merged and read under one. */
function canonicalKeys(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([section, value]) => {
      const aliases = aliasesOf.get(section);
      if (aliases === undefined || !isObject(value)) return [section, value];
      return [section, Object.fromEntries(Object.entries(value).map(([key, each]) => [aliases[key] ?? key, each]))];
    }),
  );
}

/**
 * Where a path of the merged body was written: in the strongest layer that has it. A list entry of a keyed list is
 * found by its name, since each layer has it at an index of its own.
 */
export function locate(layers: readonly Layer[], merged: JsonObject, path: Path, part?: "key" | "value"): Span | null {
  for (let length = path.length; length >= 0; length--) {
    const wanted = path.slice(0, length);
    for (const layer of layers.toReversed()) {
      const own = pathIn(layer, merged, wanted);
      if (own !== null) return layer.source.span(own, length === path.length ? part : "value");
    }
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
    const index = value.findIndex((each) => nameOf(each, named) === nameOf(whole, named));
    return index === -1 ? null : index;
  }
  if (!isObject(value)) return null;
  if (String(step) in value) return step;
  const aliases = depth === 1 ? aliasesOf.get(section) : undefined;
  return Object.keys(aliases ?? {}).find((alias) => aliases?.[alias] === step && alias in value) ?? null;
}

/** Entries of one layer's keyed lists that have the same name, and keys given under two names. */
export function checkLayer({ source, base, body }: Layer): readonly Problem[] {
  return Object.entries(body).flatMap(([section, value]) => {
    const named = keyedLists.get(section);
    if (named !== undefined && isList(value)) return repeatedNames(source, [...base, section], value, named);
    return isObject(value) ? repeatedKeys(source, [...base, section], value, aliasesOf.get(section) ?? {}) : [];
  });
}

function repeatedNames(source: SourceFile, path: Path, list: readonly Json[], named: string): readonly Problem[] {
  const first = new Map<Json, number>();
  return list.flatMap((entry, index) => {
    const name = nameOf(entry, named);
    if (name === undefined) return [];
    const earlier = first.get(name);
    first.set(name, earlier ?? index);
    if (earlier === undefined) return [];
    const detail = `${JSON.stringify(name)} stands twice in this list, first at ${pointerOf([...path, earlier])}. Give each its own ${named}.`;
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
    if (!(alias in map && key in map)) return [];
    const detail = `${alias} and ${key} are the same field. Keep one of them.`;
    const at = source.span([...path, alias], "key");
    return { code: "duplicate_key", severity: "error", summary: "A key given twice", detail, at } as const;
  });
}
