import { kinds } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import type { Path } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import { pointerOf } from "../model/pointer.js";
import type { Problem } from "../model/problem.js";
import type { Declared, Service } from "../model/wanted.js";
import { declaredIn } from "./declared.js";
import type { DeclaredZone, OpenZone } from "./desired.js";
import { type Layer, layersOf, locate, mergeLayers, pathIn, type Templates } from "./layers.js";
import { listSections } from "./schema.js";
import { noValue } from "./shape.js";

/**
 * What can be said offline about zones beyond the shape of their files. Values of which something is
 * known to be wrong already are passed over.
 */
export function checkZones(
  zones: readonly DeclaredZone[],
  templates: Templates,
  service: Service,
  known: readonly Problem[],
): readonly Problem[] {
  const reached = new Set<string>();
  const idOwners = new Map<string, OpenZone>();
  const problems = zones.flatMap((declared) => {
    const zone = declared.open();
    for (const { base } of zone.layers) if (base[0] === "templates") reached.add(String(base[1]));
    return [...checkTemplates(zone.layers, templates), ...checkZone(zone, service, known), ...checkId(zone, idOwners, known)];
  });
  const idle = [...templates].filter(([name]) => !reached.has(name)).map(([, layer]) => layer);
  return [...problems, ...idle.flatMap((layer) => checkIdleTemplate(layer, templates, service, known))];
}

function checkTemplates(layers: readonly Layer[], templates: Templates): readonly Problem[] {
  return layers.flatMap((layer) => layersOf(layer, templates).problems);
}

/** A template that no zone extends yet is read as if one did. */
function checkIdleTemplate(
  layer: Layer,
  templates: Templates,
  service: Service,
  known: readonly Problem[],
): readonly Problem[] {
  const { layers, problems } = layersOf(layer, templates);
  const merged = mergeLayers(layers);
  const body: Body = {
    layers,
    merged,
    sections: merged,
    locate: (path, part) => locate(layers, merged, path, part),
  };
  return [...problems, ...checkObjects(body, service, known)];
}

type Body = Pick<OpenZone, "layers" | "merged" | "sections" | "locate">;

function checkZone(zone: OpenZone, service: Service, known: readonly Problem[]): readonly Problem[] {
  return [
    ...checkObjects(zone, service, known),
    ...leftoverNulls(zone.merged, []).map((path) => {
      const { code, summary, detail } = noValue(path);
      return { code, severity: "error", summary, detail, at: zone.locate(path, "key") } as const;
    }),
    ...checkPrune(zone),
    ...(isKnown(zone, ["account_id"], known) ? [] : checkAccount(zone)),
  ];
}

function checkObjects(body: Body, service: Service, known: readonly Problem[]): readonly Problem[] {
  return kinds.flatMap((kind) => {
    const declared = declaredIn(kind, body.sections).map((each) => usable(each, body, known));
    return [
      ...declared.flatMap((each) => checkObject(kind, each, body, service)),
      ...checkIdentities(kind, declared, body),
    ];
  });
}

/** A declared object without the keys that are known to be wrong, and without those that a null removes. */
function usable({ path, body: object }: Declared, body: Body, known: readonly Problem[]): Declared {
  const keys = Object.entries(object).filter(([key, value]) => value !== null && !isKnown(body, [...path, key], known));
  return { path, body: Object.fromEntries(keys) };
}

/** Whether something is already said about a value, or about a part of it. */
function isKnown({ layers, merged }: Body, path: Path, known: readonly Problem[]): boolean {
  if (known.length === 0) return false;
  return layers.some((layer) => {
    const own = pathIn(layer, merged, path);
    if (own === null) return false;
    const pointer = pointerOf(own);
    return known.some(({ at }) => at?.file === layer.source.file && `${at.pointer}/`.startsWith(`${pointer}/`));
  });
}

function checkObject(kind: Kind, declared: Declared, body: Body, service: Service): readonly Problem[] {
  return kind
    .check(declared.body, service)
    .map(({ path, ...finding }) => ({ ...finding, at: body.locate([...declared.path, ...path]) }));
}

/** Ids and former names: each may lead to one live object only. */
function checkIdentities(kind: Kind, declared: readonly Declared[], body: Body): readonly Problem[] {
  if (kind.shape.as !== "list") return [];
  const { named } = kind.shape;
  const names = new Set(declared.map((each) => each.body[named]));
  const ids = new Map<Json, Declared>();
  return declared.flatMap((each): readonly Problem[] => {
    const { id, renamed_from } = each.body;
    const report = (key: string, code: string, summary: string, detail: string): Problem => ({
      code,
      severity: "error",
      summary,
      detail,
      at: body.locate([...each.path, key]),
    });
    const problems: Problem[] = [];
    if (typeof id === "string") {
      if (!isHex(id)) problems.push(report("id", "bad_id", "Not an id", notAnId(id)));
      const earlier = ids.get(id);
      if (earlier !== undefined) {
        const detail = `${JSON.stringify(earlier.body[named])} has the same id. Each id names one live object.`;
        problems.push(report("id", "duplicate_id", "An id given twice", detail));
      }
      ids.set(id, each);
    }
    if (typeof renamed_from === "string" && names.has(renamed_from)) {
      const detail = `${JSON.stringify(renamed_from)} is also declared here, so what is live under that name stays that. Remove renamed_from, or the other entry.`;
      problems.push(report("renamed_from", "bad_rename", "A former name that is still in use", detail));
    }
    return problems;
  });
}

function notAnId(id: string): string {
  return `${JSON.stringify(id)} is not an id: ids are hexadecimal, 32 digits at Cloudflare.`;
}

function leftoverNulls(value: Json, path: Path): readonly Path[] {
  if (value === null) return [path];
  if (isList(value)) return value.flatMap((each, index) => leftoverNulls(each, [...path, index]));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => leftoverNulls(each, [...path, key])) : [];
}

function checkPrune(zone: OpenZone): readonly Problem[] {
  return zone.prune.flatMap((section, index): readonly Problem[] => {
    if (!listSections.includes(section) || isList(zone.sections[section])) return [];
    const detail = `${zone.name} does not declare ${section}, so there is nothing to tell declared from undeclared. Add ${section}: [] if all are to be deleted, or remove it from prune.`;
    const at = zone.locate(["prune", index]);
    return [{ code: "bad_prune", severity: "error", summary: "prune names a section that is not declared", detail, at }];
  });
}

function checkAccount(zone: OpenZone): readonly Problem[] {
  if (zone.accountId === null || isHex(zone.accountId)) return [];
  const own = zone.locate(["account_id"]);
  const source = zone.layers.at(-1)?.source;
  const at = own !== null && own.pointer.endsWith("/account_id") ? own : (source?.span(["account_id"]) ?? null);
  return [{ code: "bad_id", severity: "error", summary: "Not an id", detail: notAnId(zone.accountId), at }];
}

function checkId(zone: OpenZone, owners: Map<string, OpenZone>, known: readonly Problem[]): readonly Problem[] {
  if (zone.id === null || isKnown(zone, ["id"], known)) return [];
  const at = zone.locate(["id"]);
  if (!isHex(zone.id)) return [{ code: "bad_id", severity: "error", summary: "Not an id", detail: notAnId(zone.id), at }];
  const earlier = owners.get(zone.id);
  owners.set(zone.id, zone);
  if (earlier === undefined) return [];
  const detail = `${earlier.name} has the same id (${placeOf(earlier)}). Each id is one zone.`;
  return [{ code: "duplicate_id", severity: "error", summary: "An id given twice", detail, at }];
}

function placeOf(zone: OpenZone): string {
  const at = zone.locate(["id"]);
  return at === null ? pointerOf(["zones", zone.name]) : `${at.file}:${at.line}:${at.column}`;
}


/** The interface says hexadecimal and no length; at Cloudflare it is 32 digits. */
function isHex(text: string): boolean {
  return /^[0-9a-f]{1,64}$/i.test(text);
}
