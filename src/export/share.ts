import { listOf, type NamedBy } from "../kinds/kind.js";
import { equal, isObject, type JsonObject } from "../model/json.js";
import { type Body, type BodyEntry, type BodySection, isListIn, type NamedBody } from "./bodies.js";
import { type Own, ownOf, SITE } from "./pattern.js";
import { type Row, rowsOf } from "./rows.js";
import { type Kept, keptWhole, lacking, namesIn, type Place, type Split, splitMap } from "./split.js";

/** Zones that have in one template what is the same in all of them. */
export interface Sharing {
  /** Null: nothing is. */
  readonly template: NamedBody | null;
  /** With what is another in each. */
  readonly zones: readonly NamedBody[];
  /** How many objects the template has whole, and of how many a part. */
  readonly objects: { readonly whole: number; readonly partly: number };
  readonly kept: readonly Kept[];
}

/**
 * What is the same in all zones, their own names apart, in a template, which each zone extends: merged, they say what each
 * zone said before. A field that is the same goes there even where others of its object differ. What one zone lacks stays
 * with the others, so that nothing has to be removed again.
 */
export function share(zones: readonly NamedBody[], name: string): Sharing {
  const owns = zones.map((zone) => ownOf(zone.name));
  const bodies = inOneForm(zones.map(({ body }) => body));
  const sections = namesIn(bodies.map((body) => body.sections.map((each) => each.name))).map((section) =>
    splitSection(
      bodies.map((body) => body.sections.find((each) => each.name === section)),
      section,
      owns,
    ),
  );
  const place = { section: "unmanaged", object: null, field: null };
  const unmanaged = splitMap(
    bodies.map((body) => body.unmanaged),
    place,
    owns,
  );
  const kept = [...sections.flatMap((split) => split.kept), ...unmanaged.kept];
  const shared = sections.flatMap((split) => split.shared ?? []);
  const objects = {
    whole: sections.reduce((sum, { whole }) => sum + whole, 0),
    partly: sections.reduce((sum, { partly }) => sum + partly, 0),
  };
  if (shared.length === 0 && unmanaged.shared === undefined) return { template: null, zones, objects, kept };
  const asksForSite = shared.some(({ entries }) =>
    entries.some(({ body }) => JSON.stringify(body).includes(VAR)),
  );
  const ownBody = (body: Body, index: number): Body => ({
    head: { extends: [name], ...(asksForSite ? { vars: { [SITE]: owns[index]?.site ?? "" } } : {}) },
    sections: sections.flatMap((split) => split.own[index] ?? []),
    unmanaged: unmanaged.own[index] ?? {},
    notes: [...body.notes, ...sections.flatMap((split) => split.notes[index] ?? [])],
  });
  return {
    template: {
      name,
      body: { head: {}, sections: shared, unmanaged: unmanaged.shared ?? {}, notes: [] },
      secrets: [],
    },
    zones: zones.map((zone, index) => ({ ...zone, body: ownBody(bodies[index] ?? zone.body, index) })),
    objects,
    kept,
  };
}

const VAR = `\${vars.${SITE}}`;

/** What some zones have in a list is in a list in all: as one object, it is the entry of the name that goes without saying. */
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
  /** Comments that have no other place than at their zone: in the order of the zones. */
  readonly notes: readonly (readonly string[])[];
  readonly whole: number;
  readonly partly: number;
}

/** @param all in the order of the zones; undefined: the zone does not have it */
function splitSection(
  all: readonly (BodySection | undefined)[],
  name: string,
  owns: readonly Own[],
): SplitSection {
  const place: Place = { section: name, object: null, field: null };
  const nothing = { notes: [], whole: 0, partly: 0 };
  const sections = all.flatMap((each) => each ?? []);
  const [first] = sections;
  if (first === undefined || sections.length < all.length)
    return { ...keptWhole(all, place, lacking(all, owns)), ...nothing };
  const list = isListIn(first) ? listOf(first.kind) : null;
  const lists = sections.map(({ entries }) => entries);
  const { rows, kept: unlike } = list === null ? oneRow(lists) : rowsOf(lists, list, place, owns);
  const splits = rows.map((row) => splitRow(row, list, place, owns));
  const kept = [...splits.flatMap((split) => split.kept), ...unlike];
  const shared = splits.flatMap((split) => split.shared ?? []);
  if (shared.length === 0) return { shared: undefined, own: all, kept, ...nothing };
  const rest = new Map(
    rows.flatMap(({ entries }, at) => entries.map((entry, zone) => [entry, splits[at]?.own[zone]] as const)),
  );
  const own = lists.map((entries) =>
    entries.flatMap((entry) => (rest.has(entry) ? (rest.get(entry) ?? []) : [entry])),
  );
  const notes = splitNotes(
    sections.map((section) => section.notes),
    own.map(({ length }) => length > 0),
  );
  return {
    shared: { ...first, entries: shared, notes: notes.shared },
    own: own.map((entries, zone) =>
      entries.length === 0 ? undefined : { ...first, entries, notes: notes.own[zone] ?? [] },
    ),
    kept,
    notes: all.map((_, zone) => [
      ...(notes.moved[zone] ?? []),
      ...splits.flatMap((split) => split.notes[zone] ?? []),
    ]),
    whole: splits.filter((split) => split.shared !== undefined && split.kept.length === 0).length,
    partly: splits.filter((split) => split.shared !== undefined && split.kept.length > 0).length,
  };
}

/** Of a section that is no list. */
function oneRow(lists: readonly (readonly BodyEntry[])[]) {
  return { rows: [{ name: null, entries: lists.flatMap(([entry]) => entry ?? []) }], kept: [] };
}

interface SplitRow extends Split<BodyEntry> {
  readonly notes: readonly (readonly string[])[];
}

/** One object of each zone. An id is its zone's own, and what an entry is called stands wherever there is one of it. */
function splitRow(
  { name, entries, isCalled = [] }: Row,
  list: NamedBy | null,
  place: Place,
  owns: readonly Own[],
): SplitRow {
  const here = { ...place, object: name };
  const bodies = entries.map(({ body }) => body);
  const { shared, own, kept } = splitMap(
    bodies.map(({ id: _, ...body }) => body),
    here,
    owns,
  );
  const says = Object.keys(shared ?? {}).some((key) => key !== list?.named && key !== list?.within);
  if (shared === undefined || !says)
    return { ...keptWhole(entries, here, "nothing in it is the same"), notes: [] };
  const ids = bodies.flatMap(({ id }) => id ?? []);
  const rests = bodies.map(({ id, ...body }, zone): JsonObject | undefined => {
    const rest = { ...(id === undefined ? {} : { id }), ...own[zone] };
    if (Object.keys(rest).length === 0) return undefined;
    return { ...Object.fromEntries(isCalled.map((key) => [key, body[key] ?? null])), ...rest };
  });
  const notes = splitNotes(
    entries.map((entry) => entry.notes),
    rests.map((rest) => rest !== undefined),
  );
  const at = name === null ? "" : `${place.section}, ${JSON.stringify(name)}: `;
  return {
    shared: { body: shared, notes: notes.shared },
    own: rests.map((body, zone) => (body === undefined ? undefined : { body, notes: notes.own[zone] ?? [] })),
    kept: ids.length === 0 ? kept : [{ ...here, field: "id", why: "each zone has its own" }, ...kept],
    notes: notes.moved.map((moved) => moved.map((note) => `${at}${note}`)),
  };
}

/**
 * Comments: the same in all zones, of one zone's own part, and of what is no longer in the zone.
 *
 * @param has whether a zone has a part of its own
 */
function splitNotes(all: readonly (readonly string[])[], has: readonly boolean[]) {
  const [first = []] = all;
  const isSame = all.every((notes) => equal(notes, first));
  return {
    shared: isSame ? first : [],
    own: all.map((notes, zone) => (isSame || has[zone] !== true ? [] : notes)),
    moved: all.map((notes, zone) => (isSame || has[zone] === true ? [] : notes)),
  };
}
