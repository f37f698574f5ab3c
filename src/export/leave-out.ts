import type { Kind } from "../kinds/kind.js";
import { isObject, type JsonObject } from "../model/json.js";
import type { Entry, ExportedZone, Section } from "./zone.js";

/** Where in a zone's body something cannot be declared. */
export interface Place {
  readonly section: string;
  /** Of a list. Null: the one object, or the section as a whole. */
  readonly index: number | null;
  /** The key inside the object, and the key below that. */
  readonly key: string | null;
  readonly inner: string | null;
}

/** Something to be left out of the file, and why, in a sentence. */
export interface LeftOut {
  readonly place: Place | null;
  readonly why: string;
  /** Its name may be what is not to be seen. */
  readonly isNameless?: true;
}

/** The zone without what cannot be declared. Each note says what is missing. */
export function leaveOut(zone: ExportedZone, all: readonly LeftOut[]): ExportedZone {
  return {
    ...zone,
    sections: zone.sections.map((section) => {
      const own = all.filter(({ place }) => place === null || place.section === section.kind.section);
      return own.length === 0 ? section : without(section, own);
    }),
  };
}

function without(section: Section, all: readonly LeftOut[]): Section {
  const isList = section.kind.shape.as === "list";
  const whole = all.find(({ place }) => place === null || (isList && place.index === null));
  if (whole !== undefined) return withoutAll(section, whole.why);
  const notes: string[] = [];
  const entries = section.entries.flatMap((entry, index) => {
    const own = all.filter(({ place }) => !isList || place?.index === index);
    if (own.length === 0) return [entry];
    const less = withoutKeys(entry, own, section);
    if (less !== null) return [less];
    const isNameless = own.some((each) => each.isNameless === true);
    const name = isNameless ? `${entry.item.ref.id} of ${section.kind.section}` : nameOf(entry, section);
    notes.push(...(isNameless ? [] : entry.notes), `Not managed: ${name}. ${own[0]?.why ?? ""}`);
    return [];
  });
  return { ...section, entries, notes: [...section.notes, ...notes] };
}

function withoutAll(section: Section, why: string): Section {
  if (section.entries.length === 0) return section;
  const notes = section.entries.flatMap((entry) => entry.notes);
  return {
    ...section,
    entries: [],
    notes: [...section.notes, ...notes, `Not managed: ${section.kind.section}. ${why}`],
  };
}

function nameOf({ item }: Entry, { kind }: Section): string {
  const id = item.ref.id === null ? "" : ` (${item.ref.id})`;
  return kind.shape.as === "one" ? kind.section : `${JSON.stringify(item.ref.key)}${id} of ${kind.section}`;
}

/** Null: without it, nothing is left to say, or which object it is. */
function withoutKeys(entry: Entry, all: readonly LeftOut[], { kind }: Section): Entry | null {
  const named = kind.shape.as === "list" ? kind.shape.named : null;
  const notes = [...entry.notes];
  let body = entry.body;
  for (const { place, why } of all) {
    const key = place?.key ?? null;
    if (key === null || key === named || !Object.hasOwn(entry.body, key)) return null;
    if (!Object.hasOwn(body, key)) continue;
    const less = withoutKey(body, key, place?.inner ?? null);
    body = less.body;
    notes.push(`Not managed: ${less.name}. ${why}`);
  }
  const isLeft = Object.keys(body).some((each) => each !== named && each !== "id");
  const leftOut = [...entry.leftOut, ...lostFields(kind, entry, body)];
  return isLeft ? { ...entry, body, notes, leftOut } : null;
}

/** Fields that a body says no more. */
function lostFields(kind: Kind, { body, item }: Entry, less: JsonObject): readonly string[] {
  const kept = kind.want(less, item);
  return Object.keys(kind.want(body, item)).filter((field) => !(field in kept));
}

function withoutKey(
  body: JsonObject,
  key: string,
  inner: string | null,
): { readonly body: JsonObject; readonly name: string } {
  const { [key]: value = null, ...rest } = body;
  if (inner === null || !isObject(value) || !Object.hasOwn(value, inner)) return { body: rest, name: key };
  const { [inner]: _, ...others } = value;
  const isEmpty = Object.keys(others).length === 0;
  return { body: isEmpty ? rest : { ...body, [key]: others }, name: `${key}.${inner}` };
}
