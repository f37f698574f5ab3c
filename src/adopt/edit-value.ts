import { type Document, isMap, isScalar, isSeq, type Node } from "yaml";
import { type Layer, pathIn } from "../config/layers.js";
import { atEnd, editList } from "../config/write-yaml/collections.js";
import { find, type MapNode, type Page, type Splice, type Touch } from "../config/write-yaml/layout.js";
import { replaceBlock, replaceValue } from "../config/write-yaml/value-text.js";
import type { OpenZone } from "../config/zone.js";
import { literal } from "../export/bodies.js";
import type { Path } from "../model/item.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";

/** The file with the zone's own body. */
export interface ZoneFile {
  readonly doc: Document.Parsed;
  readonly page: Page;
  readonly layer: Layer;
  readonly zone: OpenZone;
}

/** Edits of a file. All edits of one map are applied together, since the result depends on all of them. */
export interface Changes {
  readonly splices: readonly Splice[];
  readonly maps: readonly MapChange[];
}

export interface MapChange {
  readonly map: MapNode;
  /** Where the key of the map ends. */
  readonly after: number;
  readonly removed: readonly number[];
  readonly added: JsonObject;
}

export const NO_CHANGES: Changes = { splices: [], maps: [] };

/** The edits, or a sentence on why there are none. */
export type Edits = ({ readonly ok: true } & Changes) | { readonly ok: false; readonly why: string };

export const LAYOUT = "Its layout does not allow a small edit. Edit it by hand.";
const SHARED = "It uses an alias or an anchor, so an edit would change other places too.";
const FROM_OUTSIDE = "It comes from the environment.";

/**
 * Changes a value in the zone's own body.
 *
 * @param path in the merged body
 * @param old the value in the merged body; undefined: none
 * @param next the new value; undefined or an empty map: none
 * @param isRight whether an edited list, whose order may differ, means the right thing
 */
export function editAt(
  zoneFile: ZoneFile,
  path: Path,
  old: Json | undefined,
  next: Json | undefined,
  isRight: (list: Json) => boolean,
): Edits {
  if (equal(old, next)) return { ok: true, ...NO_CHANGES };
  if (next === undefined || isEmptyMap(next)) return removeAt(zoneFile, path);
  if (old === undefined) return addAt(zoneFile, path, next);
  // A map that keeps no key is replaced as a whole: an emptied map would lose its key.
  if (isObject(old) && isObject(next) && Object.keys(next).some((key) => key in old)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])];
    return combined(keys.map((key) => editAt(zoneFile, [...path, key], old[key], next[key], () => true)));
  }
  if (isList(old) && isList(next)) return editItems(zoneFile, path, old, next, isRight);
  const place = editPlaceOf(zoneFile, path, "replace", old);
  if (!place.ok) return place;
  return replacement(zoneFile.page, place, literal(next));
}

/** Replaces a value. The new value may have references. */
function replacement(
  page: Page,
  { node, parent, after }: Pick<EditPlace, "node" | "parent" | "after">,
  next: Json,
): Edits {
  if (node === null) return { ok: false, why: LAYOUT };
  if ((isMap(node) || isSeq(node)) && node.flow !== true) {
    const splices = isMap(parent) ? replaceBlock(page, after, node, next) : null;
    return splices === null ? { ok: false, why: LAYOUT } : { ok: true, maps: [], splices };
  }
  const isInFlow = (isMap(parent) || isSeq(parent)) && parent.flow === true;
  const replaced = replaceValue(page, node, next, isInFlow ? "flow" : "block");
  return { ok: true, maps: [], splices: [replaced] };
}

function combined(edits: readonly Edits[]): Edits {
  const failure = edits.find((each) => !each.ok);
  if (failure !== undefined) return failure;
  const successes = edits.filter((each) => each.ok);
  return {
    ok: true,
    splices: successes.flatMap(({ splices }) => splices),
    maps: successes.flatMap(({ maps }) => maps),
  };
}

interface EditPlace {
  readonly ok: true;
  readonly node: Node | null;
  readonly parent: Node | null;
  readonly index: number;
  readonly after: number;
  readonly above: number;
}

/** The node for a path of the merged body, if the zone's own body has it and it can be edited. */
export function editPlaceOf(
  { doc, layer, zone }: ZoneFile,
  path: Path,
  touch: Touch,
  value?: Json,
): EditPlace | { readonly ok: false; readonly why: string } {
  const inFile = pathIn(layer, zone.merged, path);
  if (inFile === null) {
    const at = zone.locate(path);
    const where = at === null ? "" : ` (${at.file}:${at.line})`;
    return {
      ok: false,
      why: `A template or the defaults declare it${where}.`,
    };
  }
  if (isFromOutside(zone, path, value)) return { ok: false, why: FROM_OUTSIDE };
  const place = find(doc, inFile, touch);
  return place === null ? { ok: false, why: SHARED } : { ok: true, ...place };
}

function isFromOutside(zone: OpenZone, path: Path, value: Json | undefined): boolean {
  if (zone.interpolated(path) !== null) return true;
  if (isList(value)) return value.some((each, index) => isFromOutside(zone, [...path, index], each));
  return (
    isObject(value) && Object.entries(value).some(([key, each]) => isFromOutside(zone, [...path, key], each))
  );
}

function removeAt(zoneFile: ZoneFile, path: Path): Edits {
  const place = editPlaceOf(zoneFile, path, "remove");
  if (!place.ok) return place;
  const { zone, layer } = zoneFile;
  const otherLayers = zone.layers.filter((each) => each !== layer);
  if (otherLayers.some((each) => pathIn(each, zone.merged, path) !== null))
    return { ok: false, why: "A template or the defaults declare it too." };
  if (!isMap<Node, Node | null>(place.parent)) return { ok: false, why: LAYOUT };
  // An empty map is not valid, so its key goes.
  if (place.parent.items.length === 1 && path.length > 2) return removeAt(zoneFile, path.slice(0, -1));
  return { ok: true, splices: [], maps: [removalOf(place)] };
}

function isEmptyMap(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Removes the pair at a place in a map. */
export function removalOf({ parent, index, above }: EditPlace): MapChange {
  return { map: parent as MapNode, after: above, removed: [index], added: {} }; // in a map, as the caller knows
}

function addAt(zoneFile: ZoneFile, path: Path, next: Json): Edits {
  const key = path.at(-1);
  const place = editPlaceOf(zoneFile, path.slice(0, -1), "add");
  if (!place.ok) return place;
  if (!isMap<Node, Node | null>(place.node) || typeof key !== "string") return { ok: false, why: LAYOUT };
  const change = { map: place.node, after: place.after, removed: [], added: { [key]: literal(next) } };
  return { ok: true, splices: [], maps: [change] };
}

function editItems(
  zoneFile: ZoneFile,
  path: Path,
  old: readonly Json[],
  next: readonly Json[],
  isRight: (list: Json) => boolean,
): Edits {
  const [oldNames, newNames] = [old.map(nameOf), next.map(nameOf)];
  const removed = [...old.keys()].filter((index) => !newNames.includes(oldNames[index] ?? ""));
  const added = next.filter((_, index) => !oldNames.includes(newNames[index] ?? ""));
  const edited = [...old.filter((_, index) => !removed.includes(index)), ...added];
  const isEnough = isRight(edited);
  const removals = isEnough ? removed : [...old.keys()];
  const places = [
    editPlaceOf(zoneFile, path, "add"),
    ...removals.map((index) => editPlaceOf(zoneFile, [...path, index], "remove", old[index])),
  ];
  const [place] = places;
  const failure = places.find((each) => !each.ok);
  if (failure !== undefined) return failure;
  if (place?.ok !== true || !isSeq<Node>(place.node)) return { ok: false, why: LAYOUT };
  const insertions = (isEnough ? added : next).map((each) => atEnd(literal(each)));
  const splices = editList(zoneFile.page, place.node, place.after, removals, insertions);
  return splices === null ? { ok: false, why: LAYOUT } : { ok: true, splices, maps: [] };
}

/** An item may be a name, or a map with only a name. */
function nameOf(item: Json): string {
  const isOnlyName = isObject(item) && Object.keys(item).length === 1 && typeof item.name === "string";
  return JSON.stringify(isOnlyName ? item.name : item);
}

/**
 * Makes an entry declare the live state. Values that are right already stay, with their comments.
 *
 * @param isUpToDate whether the entry's value at a key is right already
 * @param toFileBody a body with references, as a file has it
 */
export function replaceEntry(
  page: Page,
  { node: map, parent, after }: EditPlace,
  liveBody: JsonObject,
  isUpToDate: (key: string) => boolean,
  toFileBody: (part: JsonObject) => JsonObject,
): Edits {
  if (!isMap<Node, Node | null>(map)) return { ok: false, why: LAYOUT };
  const keys = map.items.map(({ key }) => (isScalar(key) ? String(key.value) : ""));
  // An id identifies the object even if its name is not unique.
  const isKept = (key: string) => key in liveBody || key === "id";
  const removed = [...keys.keys()].filter((index) => !isKept(keys[index] ?? ""));
  // The first pair, behind a dash, can only be removed if the second pair stays.
  const isBehindDash = isSeq(parent) && map.flow !== true;
  if (isBehindDash && removed.includes(0) && removed.includes(1)) return { ok: false, why: LAYOUT };
  const isOutdated = (key: string) => !(keys.includes(key) && isUpToDate(key));
  const newValues = toFileBody(pick(liveBody, isOutdated));
  const changed = map.items.flatMap(({ value: node, key }, index) => {
    const next = newValues[keys[index] ?? ""];
    return next === undefined
      ? []
      : [replacement(page, { node, parent: map, after: key.range?.[1] ?? 0 }, next)];
  });
  const added = pick(newValues, (key) => !keys.includes(key));
  return combined([...changed, { ok: true, splices: [], maps: [{ map, after, removed, added }] }]);
}

function pick(body: JsonObject, isPicked: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => isPicked(key)));
}
