import { kinds } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import type { Path } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { pointerOf } from "../model/pointer.js";
import type { Problem, Span } from "../model/problem.js";
import type { Declared, Service } from "../model/wanted.js";
import { declaredIn } from "./declared.js";
import type { DeclaredZone, OpenZone } from "./desired.js";
import { type Layer, layersOf, locate, mergeLayers, pathIn, type Templates } from "./layers.js";
import { quoted } from "./quoted.js";
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
): readonly Problem[] {
  const places = placesOf(known);
  const reached = new Set<JsonObject>();
  const idOwners = new Map<string, OpenZone>();
  const problems = zones.flatMap((declared) => {
    const zone = declared.open();
    for (const { body } of zone.layers) reached.add(body);
    return [...zone.problems, ...checkZone(zone, service, places), ...checkId(zone, idOwners, places)];
  });
  const idle = bodies.filter(({ base, body }) => base[0] !== "zones" && !reached.has(body));
  return [problems, idle.flatMap((layer) => checkIdle(layer, templates, service, places))].flat();
}

/** Places as `file pointer`. */
interface Places {
  /** Of which something is known. */
  readonly known: ReadonlySet<string>;
  /** Of which that can be said, or of a part. */
  readonly around: ReadonlySet<string>;
}

function placesOf(problems: readonly Problem[]): Places {
  const spans = problems.flatMap(({ at }) => (at === null ? [] : [at]));
  const around = spans.flatMap(({ file, pointer }) => {
    const steps = pointer.split("/");
    return steps.map((_, index) => `${file} ${steps.slice(0, index + 1).join("/")}`);
  });
  return { known: new Set(spans.map(placeOf)), around: new Set(around) };
}

function placeOf({ file, pointer }: Span): string {
  return `${file} ${pointer}`;
}

/** A template that no zone extends yet, or the defaults of a file without zones, is read as if a zone did. */
function checkIdle(layer: Layer, templates: Templates, service: Service, places: Places): readonly Problem[] {
  const { layers, problems } = layersOf(layer, templates);
  const merged = mergeLayers(layers);
  const body: Body = {
    layers,
    merged,
    sections: merged,
    locate: (path, part) => locate(layers, merged, path, part),
  };
  return [...problems, ...checkObjects(body, service, places)];
}

type Body = Pick<OpenZone, "layers" | "merged" | "sections" | "locate">;

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
    const declared = declaredIn(kind, body.sections).map((each) => usable(each, body, places));
    return [
      ...declared.flatMap((each) => checkObject(kind, each, body, service)),
      ...checkIdentities(kind, declared, body),
    ];
  });
}

/** A declared object without the keys that are known to be wrong, and without those that a null removes. */
function usable({ path, body: object }: Declared, body: Body, places: Places): Declared {
  const isWrong = isKnown(body, path, places) ? (key: string) => isKnown(body, [...path, key], places) : () => false;
  const keys = Object.entries(object).filter(([key]) => !isWrong(key));
  return { path, body: withoutNulls(Object.fromEntries(keys)) };
}

function withoutNulls(map: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) => {
      if (value === null) return [];
      return [[key, isObject(value) ? withoutNulls(value) : value]];
    }),
  );
}

/** Whether something is already said about a value, or about a part of it. */
function isKnown(body: Body, path: Path, { around }: Places): boolean {
  return around.size > 0 && spotsOf(body, path).some((spot) => around.has(spot));
}

/** Whether something is already said about a value, or about what it is a part of. */
function isInside(body: Body, path: Path, { known }: Places): boolean {
  if (known.size === 0) return false;
  return path.some((_, index) => spotsOf(body, path.slice(0, index + 1)).some((spot) => known.has(spot)));
}

/** Where a path of the merged body stands in each of its layers. */
function spotsOf({ layers, merged }: Body, path: Path): readonly string[] {
  return layers.flatMap((layer) => {
    const own = pathIn(layer, merged, path);
    return own === null ? [] : [`${layer.source.file} ${pointerOf(own)}`];
  });
}

/** What is wrong with a map or a list as a whole is shown at its key. */
function checkObject(kind: Kind, declared: Declared, body: Body, service: Service): readonly Problem[] {
  return kind.check(declared.body, service).map(({ path, ...finding }) => {
    const whole = [...declared.path, ...path];
    const value = valueAt(body.merged, whole);
    return { ...finding, at: body.locate(whole, isObject(value) || isList(value) ? "key" : "value") };
  });
}

/** Ids and former names: each may lead to one live object only. */
function checkIdentities(kind: Kind, declared: readonly Declared[], body: Body): readonly Problem[] {
  if (kind.shape.as !== "list") return [];
  const { named } = kind.shape;
  const names = new Set(declared.map((each) => each.body[named]));
  const pins = new Map<string, string>();
  const formers = new Map<string, string>();
  return declared.flatMap((each): readonly Problem[] => {
    const { id, renamed_from: former } = each.body;
    const name = quoted(String(each.body[named]));
    const found = [
      ...(typeof id === "string" ? checkPin(id, name, pins) : []),
      ...(typeof former === "string" ? checkFormerName(former, name, names, formers) : []),
    ];
    return found.map(({ key, ...rest }) => ({ ...rest, severity: "error", at: body.locate([...each.path, key]) }));
  });
}

interface Wrong {
  readonly key: string;
  readonly code: string;
  readonly summary: string;
  readonly detail: string;
}

function checkPin(id: string, name: string, pins: Map<string, string>): readonly Wrong[] {
  if (!isHex(id)) return [{ key: "id", code: "bad_id", summary: "Not an id", detail: notAnId(id) }];
  const other = pins.get(id.toLowerCase());
  pins.set(id.toLowerCase(), other ?? name);
  if (other === undefined) return [];
  const detail = `${other} has the same id. Each id is one live object: give it to one of them only.`;
  return [{ key: "id", code: "duplicate_id", summary: "An id given twice", detail }];
}

function checkFormerName(
  former: string,
  name: string,
  names: ReadonlySet<Json | undefined>,
  formers: Map<string, string>,
): readonly Wrong[] {
  const other = formers.get(former);
  formers.set(former, other ?? name);
  const detail = formerAdvice(quoted(former), name, names.has(former), other);
  return detail === null
    ? []
    : [{ key: "renamed_from", code: "bad_rename", summary: "A former name that cannot be used", detail }];
}

function formerAdvice(former: string, name: string, isDeclared: boolean, other: string | undefined): string | null {
  if (former === name) return "This is the present name too. Remove renamed_from.";
  if (isDeclared) {
    return `${former} is also declared here, so what is live under that name stays that. Remove renamed_from, or the other entry.`;
  }
  if (other !== undefined) return `${other} was renamed from ${former} too, and only one can have been. Keep one of the two.`;
  return null;
}

function notAnId(id: string): string {
  return `${quoted(id)} is not an id: ids are hexadecimal, 32 digits at Cloudflare. Copy it from the dashboard, or remove it.`;
}

function leftoverNulls(value: Json, path: Path): readonly Path[] {
  if (value === null) return [path];
  if (isList(value)) return value.flatMap((each, index) => leftoverNulls(each, [...path, index]));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => leftoverNulls(each, [...path, key])) : [];
}

function leftover(path: Path, zone: OpenZone): Problem {
  const { code, summary, detail } = noValue(path, ", and no template gives one that this would remove");
  return { code, severity: "error", summary, detail, at: zone.locate(path, "key") };
}

function checkPrune(zone: OpenZone): readonly Problem[] {
  return zone.prune.flatMap((section, index): readonly Problem[] => {
    if (!listSections.includes(section) || Object.hasOwn(zone.sections, section)) return [];
    const detail = `${zone.name} does not declare ${section}, so there is nothing to tell declared from undeclared. Add ${section}: [] if all are to be deleted, or remove it from prune.`;
    const at = zone.locate(["prune", index]);
    return [{ code: "bad_prune", severity: "error", summary: "prune names a section that is not declared", detail, at }];
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
  if (!isHex(zone.id)) return [{ code: "bad_id", severity: "error", summary: "Not an id", detail: notAnId(zone.id), at }];
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

/** The interface says hexadecimal and no length; at Cloudflare it is 32 digits. */
function isHex(text: string): boolean {
  return /^[0-9a-f]{1,64}$/i.test(text);
}
