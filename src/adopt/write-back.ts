import { isSeq } from "yaml";
import { editMap } from "../config/edit/collections.js";
import { pageOf, type Splice, spliced } from "../config/edit/layout.js";
import { pathIn } from "../config/layers.js";
import { placesIn } from "../config/place.js";
import { readSyntax } from "../config/syntax.js";
import { declaredBody, type Secrets } from "../export/bodies.js";
import { isSame } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { knownById } from "../kinds/keys.js";
import { type Kind, keyOwning, listOf, rulesAt } from "../kinds/kind.js";
import { hasSensitive, sensitiveFields } from "../kinds/sensitive.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import { asText, equal, isObject, type Json, type JsonObject } from "../model/json.js";
import { RULES } from "../model/unmanaged.js";
import type { Declared } from "../model/wanted.js";
import type { Told, Unit } from "./drifted.js";
import {
  type Changes,
  editAt,
  type MapChange,
  NO_CHANGES,
  type OwnFile,
  placeOf,
  removalOf,
  sayingLive,
} from "./edit-value.js";
import {
  type Arriving,
  type EditedList,
  editSection,
  type ListEdits,
  movedIn,
  nextIn,
  toldOfList,
} from "./list.js";

/** Files by their names. */
export type Texts = ReadonlyMap<string, string>;

export interface WrittenBack {
  /** Those that are others now. */
  readonly texts: Texts;
  readonly told: readonly Told[];
  /** That the files take since then. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** What was changed outside, in the files. All else in them stays byte for byte. */
export function writtenBack(units: readonly Unit[], files: Texts): WrittenBack {
  const secrets: Secrets = new Map();
  const texts = new Map<string, string>();
  const taken = [...files.values()].flatMap((text) =>
    [...text.matchAll(/\$\{\w+:(\w+)/g)].flatMap(([, name]) => name ?? []),
  );
  const told: Told[] = [];
  for (const [file, own] of groupBy(units, ({ zone }) => zone.layers.at(-1)?.source.file ?? "")) {
    const text = files.get(file) ?? "";
    const edited = editFile(file, text, own, secrets, taken);
    told.push(...edited.told);
    if (edited.text !== text) texts.set(file, edited.text);
  }
  return { texts, told, secrets };
}

function editFile(
  file: string,
  text: string,
  units: readonly Unit[],
  secrets: Secrets,
  taken: readonly string[],
): { readonly text: string; readonly told: readonly Told[] } {
  const leftAll = (why: string) => ({ text, told: units.map((unit) => ({ unit, field: null, why })) });
  const syntax = readSyntax(text, placesIn(file, text));
  if (!syntax.ok) return leftAll("Its file cannot be read.");
  const page = pageOf(text);
  const told: Told[] = [];
  const splices: Splice[] = [];
  const maps: MapChange[] = [];
  for (const [zone, ofZone] of groupBy(units, (unit) => unit.zone)) {
    const layer = zone.layers.at(-1);
    if (layer === undefined) continue;
    const own: OwnFile = { doc: syntax.value, page, layer, zone };
    for (const [kind, ofKind] of groupBy(ofZone, (unit) => unit.kind)) {
      const edits = ofKind.map((unit) => editUnit(unit, own, secrets, taken));
      const ofList = editSection(own, kind, edits);
      const done = edits.map((each) => withList(each, kind, ofList));
      told.push(...done.flatMap((each) => each.told));
      maps.push(...done.flatMap((each) => each.maps));
      splices.push(...done.flatMap((each) => each.splices), ...(ofList?.splices ?? []));
    }
  }
  const ofMaps = [...groupBy(maps, ({ map }) => map)].map(([map, changes]) => {
    const removed = [...new Set(changes.flatMap((each) => each.removed))];
    const added = Object.assign({}, ...changes.map((each) => each.added));
    return editMap(page, map, changes[0]?.after ?? 0, removed, added);
  });
  const isEdited = ofMaps.every((each) => each !== null);
  const edited = isEdited ? spliced(text, [...splices, ...ofMaps.flatMap((each) => each ?? [])]) : null;
  return edited === null ? leftAll("Its edits come too close to each other.") : { text: edited, told };
}

/** What a unit takes: edits of what stays, and of its list what goes and what comes. */
interface UnitEdits extends Changes, ListEdits {
  readonly told: readonly Told[];
}

/** What is left of a unit's edits, once it is known whether its list could be edited. */
function withList(edits: UnitEdits, kind: Kind, ofList: EditedList | null): UnitEdits {
  if (edits.removed.length + edits.coming.length === 0) return edits;
  const told = edits.told.map((one) => toldOfList(one, kind, ofList));
  return { ...edits, ...(told.every(({ why }) => why !== null) ? NO_CHANGES : {}), told };
}

const CONFLICT = "The files were changed too, since the base.";
const SENSITIVE = "It is sensitive.";
const NOT_OURS =
  "It is a rule of somebody else, and adopt declares none. List it under unmanaged; declare it yourself, where it deploys a managed ruleset; or remove it at the service.";
const UNDECLARED_FIELDS =
  "The object is declared, and adopt adds no fields to it. Declare these fields, remove them at the service, or list the object under unmanaged.";
const TEMPLATE = "It is declared in a template or the defaults.";

/** A rule of a list that several kinds share may be one of a kind of which the zone declares nothing. */
function wayFor({ kind, zone }: Unit): string {
  const phase = rulesAt(kind)?.phase.name;
  const sections = kinds.flatMap((each) => {
    const isOther = rulesAt(each)?.phase.name === phase && each.shape.as === "list";
    return phase === undefined || !isOther || each.section in zone.sections ? [] : [each.section];
  });
  return sections
    .map((each) => ` If it is one of ${each}, write ${each}: [] into the zone first: then adopt declares it.`)
    .join("");
}

/** @param taken names of secrets that the files have */
function editUnit(unit: Unit, own: OwnFile, secrets: Secrets, taken: readonly string[]): UnitEdits {
  const { drifted } = unit;
  if (drifted.as === "changed") return editFields(unit, drifted, own);
  if (drifted.as === "beside")
    return left(unit, drifted.list === RULES ? NOT_OURS + wayFor(unit) : UNDECLARED_FIELDS);
  if (drifted.origin !== "drift") return left(unit, CONFLICT);
  return drifted.as === "gone"
    ? removal(unit, drifted.declared, own)
    : arrival(unit, drifted, own, secrets, taken);
}

function left(unit: Unit, why: string): UnitEdits {
  return { told: [{ unit, field: null, why }], ...NO_CHANGES, removed: [], coming: [] };
}

function editFields(
  unit: Unit,
  { declared, live, fields, standing }: Extract<Unit["drifted"], { readonly as: "changed" }>,
  own: OwnFile,
): UnitEdits {
  const { kind, zone, context: around } = unit;
  const order = listOf(kind)?.inOrder?.field;
  const hidden = new Set(sensitiveFields(kind, declared, zone, unit.secretFields).map(({ field }) => field));
  const next = kind.toConfig(live, declared.body, around);
  const done = new Map<string, string | null>();
  const changes: Changes[] = [];
  const coming: Arriving[] = [];
  const told = fields.map(({ field, origin }): Told => {
    if (origin !== "drift") return { unit, field, why: CONFLICT };
    if (hidden.has(field)) return { unit, field, why: SENSITIVE };
    if (field === order) {
      const moved = movedIn(own, declared, standing);
      if (moved.ok) coming.push(moved);
      return { unit, field, why: moved.ok ? null : moved.why };
    }
    const { key, inner } = keyOwning(kind, field, declared.body, live);
    if (key === null) return { unit, field, why: `A file that declares ${kind.section} always owns it.` };
    const inside = inner === null ? [key] : [key, inner];
    const known = done.get(JSON.stringify(inside));
    if (known !== undefined) return { unit, field, why: known };
    // Without its key nothing would manage it any more. What is not there any more in a map goes from that.
    if (inner === null && next[key] === undefined) return { unit, field, why: unsayable(kind, live, field) };
    const at = [...declared.path, ...inside];
    const isRight = (list: Json) => saysLive(unit, field, withValue(declared.body, inside, list), live);
    const edits = editAt(own, at, valueIn(declared.body, inside), valueIn(next, inside), isRight);
    if (edits.ok) changes.push(edits);
    const why = edits.ok ? null : edits.why;
    done.set(JSON.stringify(inside), why);
    return { unit, field, why };
  });
  changes.push(withoutFormerName(unit, declared, live, told, own));
  return {
    told,
    splices: changes.flatMap(({ splices }) => splices),
    maps: changes.flatMap(({ maps }) => maps),
    removed: [],
    coming,
  };
}

function unsayable(kind: Kind, { normal }: Item, field: string): string {
  const value = normal[field];
  if (value === undefined || value === null || hasSensitive(kind))
    return "What is live is nothing that a file can say.";
  const words = kind.fields[field]?.show?.(value as Json) ?? asText(value); // nothing in it is sensitive
  return `What is live is ${JSON.stringify(words)}, which no file can say.`;
}

/** An entry that gets its former name back was not renamed. */
function withoutFormerName(
  { kind }: Unit,
  { path, body }: Declared,
  live: Item,
  told: readonly Told[],
  own: OwnFile,
): Changes {
  const named = kind.shape.as === "list" ? kind.shape.named : null;
  const isNamed = told.some(({ field, why }) => field === named && why === null);
  if (named === null || !isNamed || body.renamed_from !== live.normal[named]) return NO_CHANGES;
  const edits = editAt(own, [...path, "renamed_from"], body.renamed_from, undefined, () => true);
  return edits.ok ? edits : NO_CHANGES;
}

function valueIn(body: JsonObject, inside: readonly string[]): Json | undefined {
  return inside.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), body);
}

function withValue(body: JsonObject, [key = "", inner]: readonly string[], value: Json): JsonObject {
  const map = body[key];
  return { ...body, [key]: inner === undefined || !isObject(map) ? value : { ...map, [inner]: value } };
}

function saysLive({ kind }: Unit, field: string, body: JsonObject, live: Item): boolean {
  const want = kind.toDesired(body, live);
  return isSame(live.normal[field] ?? null, want[field] ?? null, kind.fields[field]);
}

/** The entry of what was deleted outside goes. */
function removal(unit: Unit, { path }: Declared, own: OwnFile): UnitEdits {
  const { zone } = unit;
  const others = zone.layers.filter((each) => each !== own.layer);
  if (others.some((each) => pathIn(each, zone.merged, path) !== null)) return left(unit, TEMPLATE);
  // References in what goes are no reason to keep it.
  const place = placeOf(own, path, "remove");
  if (!place.ok) return left(unit, place.why);
  const none = { told: [{ unit, field: null, why: null }], ...NO_CHANGES, removed: [], coming: [] };
  if (isSeq(place.parent)) return { ...none, removed: [place.index] };
  return { ...none, maps: [removalOf(place)] };
}

/** What came outside is declared: in place of an entry that wants it gone, or in its list. */
function arrival(
  unit: Unit,
  drifted: Extract<Unit["drifted"], { readonly as: "came" }>,
  own: OwnFile,
  secrets: Secrets,
  taken: readonly string[],
): UnitEdits {
  const { kind, zone, context: around } = unit;
  const { live, declared: entry, standing } = drifted;
  const said = knownById(kind, live, kind.toConfig(live, null, around));
  const written = (body: JsonObject) =>
    declaredBody(kind, { item: live, body }, zone.name, secrets, taken, unit.secretFields);
  const told = [{ unit, field: null, why: null }];
  const next = nextIn(own, standing);
  if (!next.ok) return left(unit, next.why);
  const place = placeOf(
    own,
    entry?.path ?? [listOf(kind)?.section ?? kind.section],
    entry === null ? "add" : "replace",
  );
  if (!place.ok) return left(unit, place.why);
  if (entry === null)
    return { told, ...NO_CHANGES, removed: [], coming: [{ ...next, content: { value: written(said) } }] };
  if (place.node === null) return left(unit, TEMPLATE);
  const isSaid = (key: string) =>
    equal(entry.body[key], said[key]) || (key in live.normal && saysLive(unit, key, entry.body, live));
  const edits = sayingLive(own.page, place, said, isSaid, written);
  if (!edits.ok) return left(unit, edits.why);
  const { splices, maps } = edits;
  const coming = standing === null ? [] : [{ ...next, content: { item: place.index } }];
  return { told, splices, maps, removed: [], coming };
}
