import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import { validate } from "./generated/desired-state.validate.js";
import { checkLayer, type Layer, mergeLayers } from "./layers.js";
import { checkShape } from "./schema-errors.js";
import { UNKNOWN_VAR, varTexts } from "./zone-vars.js";

/** The layers of a zone, with references filled in for that zone. */
export interface ZoneLayers {
  readonly layers: readonly Layer[];
  readonly problems: readonly Problem[];
  /** Names of the `vars` that the zone's bodies refer to. */
  readonly usedVars: ReadonlySet<string>;
}

/** Whether the body of a layer differs between zones. */
export function isPerZone({ source, base }: Layer): boolean {
  return source.perZone.size > 0 && source.perZone.has(pointerOf(base));
}

/**
 * Fills in `${zone}` and `${vars.NAME}` in all layers of a zone. The vars of a stronger layer override those of a
 * weaker one. Layers that do not name their zone stay the same object in every zone.
 */
export function layersInZone(zone: string, layers: readonly Layer[]): ZoneLayers {
  if (!layers.some(isPerZone)) return { layers, problems: [], usedVars: NO_VARS };
  const problems: Problem[] = [];
  const usedVars = new Set<string>();
  const vars = layers.map((layer) => {
    const ownVars = layer.body.vars ?? {};
    if (!isPerZone(layer)) return { ...layer, body: { vars: ownVars } };
    const part = layer.source.fill(ownVars, [...layer.base, "vars"], { zone, vars: null });
    if (part === null) return layer;
    problems.push(...part.problems);
    return { ...layer, body: { vars: part.value } };
  });
  const names = { zone, vars: varTexts(mergeLayers(vars).vars ?? {}) };
  const filled = layers.map((layer) => {
    if (!isPerZone(layer)) return layer;
    const part = layer.source.fill(layer.body, layer.base, names);
    if (part === null) return layer;
    for (const name of part.usedVars) usedVars.add(name);
    const body = isObject(part.value) ? part.value : {};
    const filledLayer: Layer = { source: part.source, base: layer.base, body };
    const unfilled = new Set(part.problems.map(({ at }) => at?.pointer));
    const shape = checkShape(part.source, asFile(layer.base, body), validate);
    problems.push(
      ...part.problems,
      ...shape.filter(({ at }) => !unfilled.has(at?.pointer)),
      ...checkLayer(filledLayer),
    );
    return filledLayer;
  });
  const zoneProblems = ofUsed(problems, filled).map((problem) => ({ ...problem, zone }));
  return { layers: filled, problems: zoneProblems, usedVars };
}

const NO_VARS: ReadonlySet<string> = new Set();

/** Drops problems of texts that a stronger layer replaces: those may use vars that the zone does not have. */
function ofUsed(problems: readonly Problem[], layers: readonly Layer[]): readonly Problem[] {
  if (!problems.some(({ code }) => code === UNKNOWN_VAR)) return problems;
  const usedTexts = new Set(textsBelow(mergeLayers(layers), []).map(({ text }) => text));
  const unused = layers.flatMap(({ source, base, body }) =>
    textsBelow(body, base).flatMap(({ path, text }) => (usedTexts.has(text) ? [] : [source.span(path)])),
  );
  const isUnused = ({ at }: Problem) =>
    unused.some(({ file, pointer }) => at?.file === file && at.pointer === pointer);
  return problems.filter((problem) => problem.code !== UNKNOWN_VAR || !isUnused(problem));
}

function textsBelow(value: Json, path: Path): readonly { readonly path: Path; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  const parts = isList(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  return [...parts].flatMap(([step, part]) => textsBelow(part, [...path, step]));
}

/** A file with only this body, at its place. */
function asFile(base: Path, body: JsonObject): Json {
  return { version: 1, ...base.reduceRight<JsonObject>((value, step) => ({ [step]: value }), body) };
}
