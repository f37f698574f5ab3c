import { isSeq } from "yaml";
import { pathIn } from "../config/layers.js";
import { placesIn } from "../config/place.js";
import { readSyntax } from "../config/syntax.js";
import { editMap } from "../config/write-yaml/collections.js";
import { pageOf, type Splice, spliced } from "../config/write-yaml/layout.js";
import { declaredBody, type Secrets } from "../export/bodies.js";
import { isSame } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { bodyWithId } from "../kinds/keys.js";
import { type Kind, listOf, nameField, owningKeys, POSITION, rulesAt } from "../kinds/kind.js";
import { hasSensitive, sensitiveFields } from "../kinds/secret-fields.js";
import type { Declared } from "../model/declared-zone.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import { asText, equal, isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import type { Unit, UnitOutcome } from "./drifted.js";
import {
  type Changes,
  editAt,
  editPlaceOf,
  type MapChange,
  NO_CHANGES,
  removalOf,
  replaceEntry,
  type ZoneFile,
} from "./edit-value.js";
import {
  type EditedList,
  editSection,
  type ListEdits,
  listOutcome,
  movedIn,
  nextIn,
  type PlacedInsertion,
} from "./list.js";

/** File names → texts. */
export type Texts = ReadonlyMap<string, string>;

export interface WrittenBack {
  /** The changed files. */
  readonly texts: Texts;
  readonly outcomes: readonly UnitOutcome[];
  /** New secrets of the files. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Writes drift into the files. The rest of the files stays byte for byte. */
export function writtenBack(units: readonly Unit[], files: Texts): WrittenBack {
  const secrets: Secrets = new Map();
  const texts = new Map<string, string>();
  const taken = [...files.values()].flatMap((text) =>
    [...text.matchAll(/\$\{\w+:(\w+)/g)].flatMap(([, name]) => name ?? []),
  );
  const outcomes: UnitOutcome[] = [];
  for (const [file, fileUnits] of groupBy(units, ({ zone }) => zone.layers.at(-1)?.source.file ?? "")) {
    const text = files.get(file) ?? "";
    const edited = editFile(file, text, fileUnits, secrets, taken);
    outcomes.push(...edited.outcomes);
    if (edited.text !== text) texts.set(file, edited.text);
  }
  return { texts, outcomes, secrets };
}

function editFile(
  file: string,
  text: string,
  units: readonly Unit[],
  secrets: Secrets,
  taken: readonly string[],
): { readonly text: string; readonly outcomes: readonly UnitOutcome[] } {
  const leftAll = (why: string) => ({ text, outcomes: units.map((unit) => ({ unit, field: null, why })) });
  const syntax = readSyntax(text, placesIn(file, text));
  if (!syntax.ok) return leftAll("Its file cannot be read.");
  const page = pageOf(text);
  const outcomes: UnitOutcome[] = [];
  const splices: Splice[] = [];
  const maps: MapChange[] = [];
  for (const [zone, zoneUnits] of groupBy(units, (unit) => unit.zone)) {
    const layer = zone.layers.at(-1);
    if (layer === undefined) continue;
    const zoneFile: ZoneFile = { doc: syntax.value, page, layer, zone };
    for (const [kind, kindUnits] of groupBy(zoneUnits, (unit) => unit.kind)) {
      const edits = kindUnits.map((unit) => editUnit(unit, zoneFile, secrets, taken));
      const listEdits = editSection(zoneFile, kind, edits);
      const finalEdits = edits.map((each) => withList(each, listEdits));
      outcomes.push(...finalEdits.flatMap((each) => each.outcomes));
      maps.push(...finalEdits.flatMap((each) => each.maps));
      splices.push(...finalEdits.flatMap((each) => each.splices), ...(listEdits?.splices ?? []));
    }
  }
  const mapEdits = [...groupBy(maps, ({ map }) => map)].map(([map, changes]) => {
    const removed = [...new Set(changes.flatMap((each) => each.removed))];
    const added = Object.assign({}, ...changes.map((each) => each.added));
    return editMap(page, map, changes[0]?.after ?? 0, removed, added);
  });
  const isEdited = mapEdits.every((each) => each !== null);
  const edited = isEdited ? spliced(text, [...splices, ...mapEdits.flatMap((each) => each ?? [])]) : null;
  return edited === null ? leftAll("Its edits overlap.") : { text: edited, outcomes };
}

/** The edits for a unit: of values, and of its list. */
interface UnitEdits extends Changes, ListEdits {
  readonly outcomes: readonly UnitOutcome[];
}

/** Drops the edits of a unit if its list could not be edited. */
function withList(edits: UnitEdits, listEdits: EditedList | null): UnitEdits {
  if (edits.removed.length + edits.insertions.length === 0) return edits;
  const outcomes = edits.outcomes.map((outcome) => listOutcome(outcome, listEdits));
  return { ...edits, ...(outcomes.every(({ why }) => why !== null) ? NO_CHANGES : {}), outcomes };
}

const CONFLICT = "The files changed it too, since the base.";
const SENSITIVE = "Sensitive value.";
const NOT_OURS =
  "Acknowledge it under unmanaged, declare it if it deploys a managed ruleset, or remove it in the dashboard. adopt does not declare rules of others.";
const UNDECLARED_FIELDS =
  "Declare this, undo it in the dashboard, or acknowledge the object under unmanaged. adopt adds no fields to a declared object.";
const NAMELESS =
  "It has no description. Give it one in the dashboard, or acknowledge its id under unmanaged.";
const TEMPLATE = "A template or the defaults declare it.";

/** Advice for a foreign rule: it may belong to a kind that shares the list and that the zone does not declare. */
function wayFor({ kind, zone }: Unit): string {
  const phase = rulesAt(kind)?.phase.name;
  const sections = kinds.flatMap((sibling) => {
    const isOther = rulesAt(sibling)?.phase.name === phase && nameField(sibling) !== null;
    return phase === undefined || !isOther || sibling.section in zone.sections ? [] : [sibling.section];
  });
  return sections
    .map((each) => ` To declare it as one of ${each}, write ${each}: [] into the zone first.`)
    .join("");
}

/** @param taken names of secrets in the files */
function editUnit(unit: Unit, zoneFile: ZoneFile, secrets: Secrets, taken: readonly string[]): UnitEdits {
  const { drifted } = unit;
  if (drifted.as === "changed") return editFields(unit, drifted, zoneFile);
  if (drifted.as === "beside") {
    const { does, fields } = drifted;
    return withoutEdits(
      unit,
      fields === undefined ? NOT_OURS + wayFor(unit) : `It ${does}. ${UNDECLARED_FIELDS}`,
    );
  }
  if (drifted.origin !== "drift") return withoutEdits(unit, CONFLICT);
  return drifted.as === "gone"
    ? removal(unit, drifted.declared, zoneFile)
    : arrival(unit, drifted, zoneFile, secrets, taken);
}

/** @param why the reason why the unit was left; null: it was written back */
function withoutEdits(unit: Unit, why: string | null): UnitEdits {
  return { outcomes: [{ unit, field: null, why }], ...NO_CHANGES, removed: [], insertions: [] };
}

function editFields(
  unit: Unit,
  { declared, live, fields, position }: Extract<Unit["drifted"], { readonly as: "changed" }>,
  zoneFile: ZoneFile,
): UnitEdits {
  const { kind, zone, context } = unit;
  const hidden = new Set(sensitiveFields(kind, declared, zone, unit.secretFields).map(({ field }) => field));
  const next = kind.toConfig(live, declared.body, context);
  const keys = owningKeys(kind, declared.body, live);
  const reasons = new Map<string, string | null>();
  const changes: Changes[] = [];
  const insertions: PlacedInsertion[] = [];
  const outcomes = fields.map(({ field, origin }): UnitOutcome => {
    if (origin !== "drift") return { unit, field, why: CONFLICT };
    if (hidden.has(field)) return { unit, field, why: SENSITIVE };
    if (field === POSITION) {
      const moved = movedIn(zoneFile, declared, position);
      if (moved.ok) insertions.push(moved);
      return { unit, field, why: moved.ok ? null : moved.why };
    }
    const isAdded = Object.hasOwn(next, field) && !Object.hasOwn(declared.body, field);
    const inside = isAdded ? ([field] as const) : keys.get(field);
    if (inside === undefined)
      return { unit, field, why: `A file that declares ${kind.section} always sets it.` };
    const [key, inner] = inside;
    const knownReason = reasons.get(JSON.stringify(inside));
    if (knownReason !== undefined) return { unit, field, why: knownReason };
    // Removing a top-level key would end its management, unless another key decides. A removed key of a map is fine.
    if (inner === undefined && next[key] === undefined && !isExcluded(kind, field, next, declared, live))
      return { unit, field, why: unsayable(kind, live, field) };
    const at = [...declared.path, ...inside];
    const isRight = (list: Json) => matchesLive(unit, field, withValue(declared.body, inside, list), live);
    const edits = editAt(zoneFile, at, valueIn(declared.body, inside), valueIn(next, inside), isRight);
    if (edits.ok) changes.push(edits);
    const why = edits.ok ? null : edits.why;
    reasons.set(JSON.stringify(inside), why);
    return { unit, field, why };
  });
  changes.push(withoutFormerName(unit, declared, live, outcomes, zoneFile));
  return {
    outcomes,
    splices: changes.flatMap(({ splices }) => splices),
    maps: changes.flatMap(({ maps }) => maps),
    removed: [],
    insertions,
  };
}

/** Whether a key of the edited body excludes the field, as an action excludes what only others have. */
function isExcluded(kind: Kind, field: string, next: JsonObject, { body }: Declared, live: Item): boolean {
  const normal = { ...live.normal, ...kind.toDesired(body, live) };
  return owningKeys(kind, next, { ...live, normal }).has(field);
}

function unsayable(kind: Kind, { normal }: Item, field: string): string {
  const value = normal[field];
  if (value === undefined || value === null || hasSensitive(kind))
    return "No file can express the live value.";
  const words = kind.fields[field]?.show?.(value as Json) ?? asText(value); // nothing in it is sensitive
  return `No file can express the live value ${JSON.stringify(words)}.`;
}

/** Removes renamed_from from an entry that gets its former name back. */
function withoutFormerName(
  { kind }: Unit,
  { path, body }: Declared,
  live: Item,
  outcomes: readonly UnitOutcome[],
  zoneFile: ZoneFile,
): Changes {
  const named = nameField(kind);
  const isNamed = outcomes.some(({ field, why }) => field === named && why === null);
  if (named === null || !isNamed || body.renamed_from !== live.normal[named]) return NO_CHANGES;
  const edits = editAt(zoneFile, [...path, "renamed_from"], body.renamed_from, undefined, () => true);
  return edits.ok ? edits : NO_CHANGES;
}

function valueIn(body: JsonObject, inside: readonly string[]): Json | undefined {
  return inside.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), body);
}

function withValue(body: JsonObject, [key = "", inner]: readonly string[], value: Json): JsonObject {
  const map = body[key];
  return { ...body, [key]: inner === undefined || !isObject(map) ? value : { ...map, [inner]: value } };
}

function matchesLive({ kind }: Unit, field: string, body: JsonObject, live: Item): boolean {
  const want = kind.toDesired(body, live);
  return isSame(live.normal[field] ?? null, want[field] ?? null, kind.fields[field]);
}

/** Removes the entry of an object that was deleted outside. */
function removal(unit: Unit, { path }: Declared, zoneFile: ZoneFile): UnitEdits {
  const { zone } = unit;
  const otherLayers = zone.layers.filter((each) => each !== zoneFile.layer);
  if (otherLayers.some((each) => pathIn(each, zone.merged, path) !== null))
    return withoutEdits(unit, TEMPLATE);
  // An entry may be removed even if it has references.
  const place = editPlaceOf(zoneFile, path, "remove");
  if (!place.ok) return withoutEdits(unit, place.why);
  const noEdits = withoutEdits(unit, null);
  return isSeq(place.parent)
    ? { ...noEdits, removed: [place.index] }
    : { ...noEdits, maps: [removalOf(place)] };
}

/** Declares an object that was added outside: in place of an entry with `ensure: absent`, or as a new entry. */
function arrival(
  unit: Unit,
  drifted: Extract<Unit["drifted"], { readonly as: "came" }>,
  zoneFile: ZoneFile,
  secrets: Secrets,
  taken: readonly string[],
): UnitEdits {
  const { kind, zone, context } = unit;
  const { live, declared: entry, position } = drifted;
  const liveBody = bodyWithId(kind, live, kind.toConfig(live, null, context));
  if (entry === null && textsIn(kind.schema.required).some((key) => !Object.hasOwn(liveBody, key)))
    return withoutEdits(unit, NAMELESS);
  const toFileBody = (body: JsonObject) =>
    declaredBody(kind, { item: live, body }, zone.name, secrets, taken, unit.secretFields);
  const noEdits = withoutEdits(unit, null);
  const next = nextIn(zoneFile, position);
  if (!next.ok) return withoutEdits(unit, next.why);
  const place = editPlaceOf(
    zoneFile,
    entry?.path ?? [listOf(kind)?.section ?? kind.section],
    entry === null ? "add" : "replace",
  );
  if (!place.ok) return withoutEdits(unit, place.why);
  if (entry === null)
    return { ...noEdits, insertions: [{ ...next, content: { value: toFileBody(liveBody) } }] };
  if (place.node === null) return withoutEdits(unit, TEMPLATE);
  const isUpToDate = (key: string) =>
    equal(entry.body[key], liveBody[key]) || (key in live.normal && matchesLive(unit, key, entry.body, live));
  const edits = replaceEntry(zoneFile.page, place, liveBody, isUpToDate, toFileBody);
  if (!edits.ok) return withoutEdits(unit, edits.why);
  const { splices, maps } = edits;
  const insertions = position === null ? [] : [{ ...next, content: { item: place.index } }];
  return { ...noEdits, splices, maps, insertions };
}
