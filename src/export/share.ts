import { listOf, type NamedBy } from "../kinds/kind.js";
import { equal, isObject, type JsonObject } from "../model/json.js";
import { type Body, type BodyEntry, type BodySection, isListIn, type NamedBody } from "./bodies.js";
import { type Row, rowsOf } from "./rows.js";
import {
  type Leftover,
  type LeftoverPlace,
  lacking,
  namesIn,
  type Split,
  splitMap,
  unshared,
} from "./split.js";
import { labelOf, SITE, type ZoneLabel } from "./zone-placeholder.js";

/** Zones with one template for the parts that they share. */
export interface Sharing {
  /** Null: nothing is shared. */
  readonly template: NamedBody | null;
  /** The zones with their remaining parts. */
  readonly zones: readonly NamedBody[];
  /** Numbers of objects that the template has in full and in part. */
  readonly objects: { readonly whole: number; readonly partly: number };
  readonly leftovers: readonly Leftover[];
}

/**
 * Moves the parts that all zones share into a template, which each zone extends. Merged, the zones say the same as
 * before. Names of zones may differ in shared parts. A shared field moves even if other fields of its object differ. A
 * part that one zone lacks stays in the others, so that no zone has to remove anything.
 */
export function share(zones: readonly NamedBody[], name: string): Sharing {
  const labels = zones.map((zone) => labelOf(zone.name));
  const bodies = inOneForm(zones.map(({ body }) => body));
  const sections = namesIn(bodies.map((body) => body.sections.map((each) => each.name))).map((section) =>
    splitSection(
      bodies.map((body) => body.sections.find((each) => each.name === section)),
      section,
      labels,
    ),
  );
  const place = { section: "unmanaged", object: null, field: null };
  const unmanaged = splitMap(
    bodies.map((body) => body.unmanaged),
    place,
    labels,
  );
  const leftovers = [...sections.flatMap((split) => split.leftovers), ...unmanaged.leftovers];
  const shared = sections.flatMap((split) => split.shared ?? []);
  const objects = {
    whole: sections.reduce((sum, { whole }) => sum + whole, 0),
    partly: sections.reduce((sum, { partly }) => sum + partly, 0),
  };
  if (shared.length === 0 && unmanaged.shared === undefined)
    return { template: null, zones, objects, leftovers };
  const asksForSite = shared.some(({ entries }) =>
    entries.some(({ body }) => JSON.stringify(body).includes(VAR)),
  );
  const zoneBody = (body: Body, index: number): Body => ({
    head: { extends: [name], ...(asksForSite ? { vars: { [SITE]: labels[index]?.site ?? "" } } : {}) },
    sections: sections.flatMap((split) => split.perZone[index] ?? []),
    unmanaged: unmanaged.perZone[index] ?? {},
    notes: [...body.notes, ...sections.flatMap((split) => split.notes[index] ?? [])],
  });
  return {
    template: {
      name,
      body: { head: {}, sections: shared, unmanaged: unmanaged.shared ?? {}, notes: [] },
      secrets: [],
    },
    zones: zones.map((zone, index) => ({ ...zone, body: zoneBody(bodies[index] ?? zone.body, index) })),
    objects,
    leftovers,
  };
}

const VAR = `\${vars.${SITE}}`;

/** If some zones declare a kind as a list, all do. A single object becomes the entry with the default name. */
function inOneForm(bodies: readonly Body[]): readonly Body[] {
  const lists = new Set(bodies.flatMap(({ sections }) => sections.filter(isListIn).map(({ kind }) => kind)));
  return bodies.map((body) => ({
    ...body,
    sections: body.sections.map((section) => (lists.has(section.kind) ? asList(section) : section)),
  }));
}

function asList(section: BodySection): BodySection {
  const { kind, entries } = section;
  const list = listOf(kind);
  const { [list?.named ?? ""]: key } = isObject(kind.schema.properties) ? kind.schema.properties : {};
  const implied = isObject(key) ? key.default : undefined;
  if (list === null || isListIn(section) || implied === undefined) return section;
  return {
    ...section,
    name: list.section,
    entries: entries.map(({ body, notes }) => ({ body: { [list.named]: implied, ...body }, notes })),
  };
}

interface SplitSection extends Split<BodySection> {
  /** Comments that belong at the zone, in the order of the zones. */
  readonly notes: readonly (readonly string[])[];
  readonly whole: number;
  readonly partly: number;
}

/** @param zoneSections in the order of the zones; undefined: the zone does not have it */
function splitSection(
  zoneSections: readonly (BodySection | undefined)[],
  name: string,
  labels: readonly ZoneLabel[],
): SplitSection {
  const place: LeftoverPlace = { section: name, object: null, field: null };
  const nothing = { notes: [], whole: 0, partly: 0 };
  const present = zoneSections.flatMap((each) => each ?? []);
  const [first] = present;
  if (first === undefined || present.length < zoneSections.length)
    return { ...unshared(zoneSections, place, lacking(zoneSections, labels)), ...nothing };
  const list = isListIn(first) ? listOf(first.kind) : null;
  const lists = present.map(({ entries }) => entries);
  const { rows, leftovers: unmatched } = list === null ? oneRow(lists) : rowsOf(lists, list, place, labels);
  const splits = rows.map((row) => splitRow(row, list, place, labels));
  const leftovers = [...splits.flatMap((split) => split.leftovers), ...unmatched];
  const shared = splits.flatMap((split) => split.shared ?? []);
  if (shared.length === 0) return { shared: undefined, perZone: zoneSections, leftovers, ...nothing };
  const remainders = new Map(
    rows.flatMap(({ entries }, at) =>
      entries.map((entry, zone) => [entry, splits[at]?.perZone[zone]] as const),
    ),
  );
  const perZone = lists.map((entries) =>
    entries.flatMap((entry) => (remainders.has(entry) ? (remainders.get(entry) ?? []) : [entry])),
  );
  const notes = splitNotes(
    present.map((section) => section.notes),
    perZone.map(({ length }) => length > 0),
  );
  return {
    shared: { ...first, entries: shared, notes: notes.shared },
    perZone: perZone.map((entries, zone) =>
      entries.length === 0 ? undefined : { ...first, entries, notes: notes.perZone[zone] ?? [] },
    ),
    leftovers,
    notes: zoneSections.map((_, zone) => [
      ...(notes.moved[zone] ?? []),
      ...splits.flatMap((split) => split.notes[zone] ?? []),
    ]),
    whole: splits.filter((split) => split.shared !== undefined && split.leftovers.length === 0).length,
    partly: splits.filter((split) => split.shared !== undefined && split.leftovers.length > 0).length,
  };
}

/** The row of a section that is no list. */
function oneRow(lists: readonly (readonly BodyEntry[])[]) {
  return { rows: [{ name: null, entries: lists.flatMap(([entry]) => entry ?? []) }], leftovers: [] };
}

interface SplitRow extends Split<BodyEntry> {
  readonly notes: readonly (readonly string[])[];
}

/** Splits one object of all zones. Ids stay in the zones. The keys that identify an entry stand in both parts. */
function splitRow(
  { name, entries, nameKeys = [] }: Row,
  list: NamedBy | null,
  place: LeftoverPlace,
  labels: readonly ZoneLabel[],
): SplitRow {
  const rowPlace = { ...place, object: name };
  const bodies = entries.map(({ body }) => body);
  const { shared, perZone, leftovers } = splitMap(
    bodies.map(({ id: _, ...body }) => body),
    rowPlace,
    labels,
  );
  const hasShared = Object.keys(shared ?? {}).some((key) => key !== list?.named && key !== list?.within);
  if (shared === undefined || !hasShared)
    return { ...unshared(entries, rowPlace, "differs in every field"), notes: [] };
  const ids = bodies.flatMap(({ id }) => id ?? []);
  const rests = bodies.map(({ id, ...body }, zone): JsonObject | undefined => {
    const rest = { ...(id === undefined ? {} : { id }), ...perZone[zone] };
    if (Object.keys(rest).length === 0) return undefined;
    return { ...Object.fromEntries(nameKeys.map((key) => [key, body[key] ?? null])), ...rest };
  });
  const notes = splitNotes(
    entries.map((entry) => entry.notes),
    rests.map((rest) => rest !== undefined),
  );
  const at = name === null ? "" : `${place.section}, ${JSON.stringify(name)}: `;
  return {
    shared: { body: shared, notes: notes.shared },
    perZone: rests.map((body, zone) =>
      body === undefined ? undefined : { body, notes: notes.perZone[zone] ?? [] },
    ),
    leftovers:
      ids.length === 0
        ? leftovers
        : [{ ...rowPlace, field: "id", why: "each zone has its own" }, ...leftovers],
    notes: notes.moved.map((moved) => moved.map((note) => `${at}${note}`)),
  };
}

/**
 * Splits comments: shared ones, those of a zone's own part, and those without a part in the zone.
 *
 * @param hasPart whether a zone has a part of its own
 */
function splitNotes(zoneNotes: readonly (readonly string[])[], hasPart: readonly boolean[]) {
  const [first = []] = zoneNotes;
  const isSame = zoneNotes.every((notes) => equal(notes, first));
  return {
    shared: isSame ? first : [],
    perZone: zoneNotes.map((notes, zone) => (isSame || hasPart[zone] !== true ? [] : notes)),
    moved: zoneNotes.map((notes, zone) => (isSame || hasPart[zone] === true ? [] : notes)),
  };
}
