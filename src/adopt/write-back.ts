import { editMap } from "../config/edit/collections.js";
import { pageOf, type Splice, spliced } from "../config/edit/layout.js";

import { placesIn } from "../config/place.js";
import { readSyntax } from "../config/syntax.js";
import type { Secrets } from "../export/declared-body.js";
import { groupBy } from "../model/group-by.js";
import { editSection, editUnit } from "./edit-unit.js";
import type { MapChange, OwnFile } from "./edit-value.js";
import type { Told, Unit } from "./unit.js";

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
      const removed = edits.flatMap((each) => each.removed);
      const added = edits.flatMap((each) => each.added);
      const ofList = editSection(own, kind.section, removed, added);
      told.push(...edits.flatMap((each) => each.told.map((one) => (ofList === null ? noList(one) : one))));
      maps.push(...edits.flatMap((each) => each.maps));
      splices.push(...edits.flatMap((each) => each.splices), ...(ofList ?? []));
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

function noList(told: Told): Told {
  return told.field !== null
    ? told
    : { ...told, why: "Its list cannot be edited: it stands elsewhere, or is shared." };
}
