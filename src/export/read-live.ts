import { bodyWithId, idToPin } from "../kinds/keys.js";
import { type Kind, type Live, listOf, nameField } from "../kinds/kind.js";
import { undeclaredAmong } from "../kinds/undeclared-fields.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import type { Effect } from "../model/strength.js";
import type { LiveUnmanaged, UnmanagedObject } from "../model/unmanaged.js";

/**
 * The section for the live objects of a kind.
 *
 * @param noted foreign rules that no other kind has as its objects
 */
export function sectionOf(kind: Kind, live: Live, noted: readonly LiveUnmanaged[]): Section {
  const section = (entries: readonly Entry[], notes: readonly string[]): Section => ({
    kind,
    name: inList(nameField(kind) !== null || entries.some(({ item }) => item.ref.key !== kind.name)),
    live,
    entries,
    notes: [...notes, ...noted.map(noteOf)],
    foreign: othersIn(kind, live),
  });
  const { section: name } = kind;
  const inList = (list: boolean) => (list ? (listOf(kind)?.section ?? name) : name);
  if (live.unlisted === true)
    return section([], [`Not managed: ${name}. The service does not list such objects.`]);
  if (nameField(kind) !== null) return section(namedEntries(kind, live), []);
  const groups = [...groupBy(live.items, (item) => kind.keys.live(item).name).values()];
  const twins = groups.filter(({ length }) => length > 1);
  return section(
    groups.flatMap((alike) => (alike.length > 1 ? [] : [entryOf(kind, alike[0], live)])),
    twins.map((alike) => tooMany(alike, name)),
  );
}

/** Live objects that no file can declare, and foreign rules. */
export function othersIn(kind: Kind, { context, others = [] }: Live): readonly LiveUnmanaged[] {
  return undeclaredAmong(kind, others, [], context);
}

function tooMany(items: readonly Item[], name: string): string {
  const ids = items.map(({ ref }) => ref.id).join(", ");
  return `Not managed: ${name}. ${items.length} live rules exist where one is possible: ${ids}.`;
}

function noteOf({ ref: { key, id }, does, effect }: LiveUnmanaged): string {
  const name = key === "" ? "" : ` ${JSON.stringify(key)}`;
  return `Not managed: the rule ${id}${name}, which ${does}.${MEANS[effect]}`;
}

const MEANS: { readonly [effect in Effect]: string } = {
  weakens: " It weakens protection.",
  mixed: " It weakens protection in part.",
  unknown: " Its effect is unknown.",
  neutral: "",
  strengthens: "",
};

function entryOf(kind: Kind, item: Item, { context }: Live): Entry {
  return { item, body: kind.toConfig(item, null, context), notes: [], leftOut: [] };
}

/** Names are unique in a list. Of several live objects of one name, the first is declared by its id. */
function namedEntries(kind: Kind, live: Live): readonly Entry[] {
  const groups = groupBy(live.items, (item) => {
    const { name, within } = kind.keys.live(item);
    return JSON.stringify(name === null ? [item.ref.id] : [name, within]);
  });
  return [...groups.values()].map(([item, ...twins]) => {
    const entry = entryOf(kind, item, live);
    if (twins.length === 0) return { ...entry, body: bodyWithId(kind, item, entry.body) };
    const ids = twins.map(({ ref }) => ref.id).join(", ");
    const note = `Not managed: ${twins.length} more of the name ${JSON.stringify(item.ref.key)}, which must be unique: ${ids}.`;
    return { ...entry, body: { id: idToPin(item), ...entry.body }, notes: [note] };
  });
}

/** A zone to be written to a file. */
export interface ExportedZone {
  readonly name: string;
  readonly sections: readonly Section[];
}

/** The objects of a kind to be written to a file. */
export interface Section {
  readonly kind: Kind;
  /** The key in the file. A kind with a single object or a list of them has two possible keys. */
  readonly name: string;
  /** Null: the live state could not be read. */
  readonly live: Live | null;
  readonly entries: readonly Entry[];
  /** Sentences: what is not managed, and why. */
  readonly notes: readonly string[];
  /** Foreign rules, which no file can declare. */
  readonly foreign: readonly UnmanagedObject[];
}

/** A live object and its body in the file. */
export interface Entry {
  readonly item: Item;
  /** With sensitive values in clear. The file gets references in their place. */
  readonly body: JsonObject;
  readonly notes: readonly string[];
  /** Fields that were removed from the body, with a note. */
  readonly leftOut: readonly string[];
}
