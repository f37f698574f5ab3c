import { across } from "../kinds/between/index.js";
import { kinds } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import { type Path, pointerOf } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";

import { hasErrors, type Problem } from "../model/problem.js";
import { remembered } from "../model/remembered.js";
import type { Declared, Service } from "../model/wanted.js";
import { declaredIn } from "./declared.js";
import type { DeclaredZone, OpenZone } from "./desired.js";
import { checkIdentities, isHex, notAnId } from "./identities.js";
import { isInside, isKnown, type Places, placeOf, placesOf } from "./known-places.js";
import { type Layer, layersOf, locate, mergeLayers, outsideOf, type Templates } from "./layers.js";
import { objectWarnings } from "./object-warnings.js";
import type { Purpose } from "./purpose.js";
import { listSections } from "./schema.js";
import { noValue } from "./shape.js";
import { valueAt } from "./value-at.js";

/**
 * What can be said offline about zones beyond the shape of their files. Values of which something is
 * known to be wrong already are passed over.
 */
export function checkZones(
  zones: readonly DeclaredZone[],
  bodies: readonly Layer[],
  templates: Templates,
  service: Service,
  known: readonly Problem[],
  purpose: Purpose,
): readonly Problem[] {
  const places = placesOf(known);
  const reached = new Set<JsonObject>();
  const idOwners = new Map<string, OpenZone>();
  const problems = zones.flatMap((declared) => {
    const zone = declared.open();
    for (const { body } of zone.layers) reached.add(body);
    return [
      ...zone.problems,
      ...checkZone(zone, service, places),
      ...checkId(zone, idOwners, places),
      ...(purpose === "check" && !hasErrors(known) ? [...checkAcross(zone), ...checkNew(zone)] : []),
    ];
  });
  const idle = bodies.filter(({ base, body }) => base[0] !== "zones" && !reached.has(body));
  return [problems, idle.flatMap((layer) => checkIdle(layer, templates, service, places))].flat();
}

/** A template that no zone extends yet, or the defaults of a file without zones, is read as if a zone did. */
function checkIdle(layer: Layer, templates: Templates, service: Service, places: Places): readonly Problem[] {
  const { layers, problems } = layersOf(layer, templates);
  const merged = mergeLayers(layers);
  const body: Body = {
    layers,
    merged,
    sections: merged,
    locate: (path, part, offset) => locate(layers, merged, path, part, offset),
    outside: (path) => outsideOf(layers, merged, path),
  };
  return [...problems, ...checkObjects(body, service, places)];
}

type Body = Pick<OpenZone, "layers" | "merged" | "sections" | "locate" | "outside">;

function checkZone(zone: OpenZone, service: Service, places: Places): readonly Problem[] {
  return [
    ...checkObjects(zone, service, places),
    ...leftoverNulls(zone.merged, [])
      .filter((path) => !isInside(zone, path, places))
      .map((path) => leftover(path, zone)),
    ...checkPrune(zone),
    ...checkAccount(zone, places),
  ];
}

function checkObjects(body: Body, service: Service, places: Places): readonly Problem[] {
  return kinds.flatMap((kind) => {
    const whole = declaredIn(kind, body.sections);
    const declared = whole.map((each) => usable(each, body, places));
    return [
      ...declared.flatMap((each, index) => [
        ...checkObject(kind, each, body, service, each.body === whole[index]?.body),
        ...objectWarnings(kind, each, body),
      ]),
      ...checkIdentities(kind, declared, body),
    ];
  });
}

/** A declared object without the keys that are known to be wrong, and without those that a null removes. */
function usable({ path, body: object }: Declared, body: Body, places: Places): Declared {
  if (!isKnown(body, path, places)) return { path, body: withoutNulls(object) };
  const right = Object.entries(object).filter(([key]) => !isKnown(body, [...path, key], places));
  return { path, body: withoutNulls(Object.fromEntries(right)) };
}

/** A map of nothing but nulls goes too: that it is empty then is no news. Without a null it is the same map. */
const withoutNulls = remembered((map: JsonObject): JsonObject => {
  const kept = Object.entries(map).flatMap(([key, value]): (readonly [string, Json])[] => {
    if (!isObject(value)) return value === null ? [] : [[key, value]];
    const rest = withoutNulls(value);
    return Object.keys(value).length > 0 && Object.keys(rest).length === 0 ? [] : [[key, rest]];
  });
  const isSame = kept.length === Object.keys(map).length && kept.every(([key, value]) => map[key] === value);
  return isSame ? map : Object.fromEntries(kept);
});

/**
 * What is wrong with a map or a list as a whole is shown at its key. Of an object that parts were left out of, nothing
 * can be said as a whole.
 */
function checkObject(
  kind: Kind,
  declared: Declared,
  body: Body,
  service: Service,
  isWhole: boolean,
): readonly Problem[] {
  const findings = kind.check(declared.body, service).filter(({ path }) => isWhole || path.length > 0);
  return findings.map(({ path, offset, ...finding }) => {
    const whole = [...declared.path, ...path];
    const value = valueAt(body.merged, whole);
    return { ...finding, at: body.locate(whole, isObject(value) || isList(value) ? "key" : "value", offset) };
  });
}

/** What may not be live yet has to be such as the service takes a new one. */
function checkNew(zone: OpenZone): readonly Problem[] {
  return kinds.flatMap((kind) =>
    declaredIn(kind, zone.sections).flatMap(({ path, body }) => {
      if (body.ensure === "absent" || (body.id ?? null) !== null) return [];
      const findings = kind.checkSent?.(withoutNulls(body), "all") ?? [];
      return findings.map(({ path: inner, offset: _, ...finding }) => ({
        ...finding,
        at: zone.locate([...path, ...inner]),
      }));
    }),
  );
}

/** What objects have to do with each other, as far as the files tell. */
function checkAcross(zone: OpenZone): readonly Problem[] {
  const parts = kinds
    .filter((kind) => kind.section in zone.sections)
    .map((kind) => ({
      kind: kind.name,
      objects: declaredIn(kind, zone.sections)
        .filter(({ body }) => body.ensure !== "absent")
        .map(({ path, body }) => ({ normal: kind.want(withoutNulls(body), null), at: path, was: null })),
      live: null,
    }));
  return across(parts).map(({ path, ...rest }): Problem => ({ ...rest, at: zone.locate(path) }));
}

function leftoverNulls(value: Json, path: Path): readonly Path[] {
  if (value === null) return [path];
  if (isList(value)) return value.flatMap((each, index) => leftoverNulls(each, [...path, index]));
  return isObject(value)
    ? Object.entries(value).flatMap(([key, each]) => leftoverNulls(each, [...path, key]))
    : [];
}

function leftover(path: Path, zone: OpenZone): Problem {
  const { code, summary, detail } = noValue(path, ", and no template gives one that this would remove");
  return { code, severity: "error", summary, detail, at: zone.locate(path, "key") };
}

function checkPrune(zone: OpenZone): readonly Problem[] {
  const named = isList(zone.merged.prune) ? zone.merged.prune : [];
  return [...named.entries()].flatMap(([index, section]): readonly Problem[] => {
    const isDeclared = typeof section !== "string" || Object.hasOwn(zone.sections, section);
    if (isDeclared || !listSections.includes(section)) return [];
    const detail = `${zone.name} does not declare ${section}, so there is nothing to tell declared from undeclared. Add ${section}: [] if all are to be deleted, or remove it from prune.`;
    const at = zone.locate(["prune", index]);
    return [
      {
        code: "bad_prune",
        severity: "error",
        summary: "prune names a section that is not declared",
        detail,
        at,
      },
    ];
  });
}

/** The account may stand in the zone, in what it extends, or at the top of its file. */
function checkAccount(zone: OpenZone, places: Places): readonly Problem[] {
  if (zone.accountId === null || isHex(zone.accountId)) return [];
  const isOwn = typeof zone.merged.account_id === "string";
  const at = isOwn ? zone.locate(["account_id"]) : (zone.layers.at(-1)?.source.span(["account_id"]) ?? null);
  if (at !== null && places.known.has(placeOf(at))) return [];
  return [{ code: "bad_id", severity: "error", summary: "Not an id", detail: notAnId(zone.accountId), at }];
}

function checkId(zone: OpenZone, owners: Map<string, OpenZone>, places: Places): readonly Problem[] {
  if (zone.id === null || isKnown(zone, ["id"], places)) return [];
  const at = zone.locate(["id"]);
  if (!isHex(zone.id))
    return [{ code: "bad_id", severity: "error", summary: "Not an id", detail: notAnId(zone.id), at }];
  const earlier = owners.get(zone.id);
  owners.set(zone.id, earlier ?? zone);
  if (earlier === undefined) return [];
  const detail = `${earlier.name} has the same id (${idPlace(earlier)}). Each id is one zone: correct one of them.`;
  return [{ code: "duplicate_id", severity: "error", summary: "An id given twice", detail, at }];
}

function idPlace(zone: OpenZone): string {
  const at = zone.locate(["id"]);
  return at === null ? pointerOf(["zones", zone.name]) : `${at.file}:${at.line}:${at.column}`;
}
