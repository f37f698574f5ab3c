import { canonicalName, isSame, namesWith } from "../kinds/fields.js";
import { haveSameName, mayShareScope, nameIn } from "../kinds/keys.js";
import { entryName, type Kind, type Live, type Shape } from "../kinds/kind.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import type { Json } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";

/** A declared object and its live object. */
export interface Pair {
  readonly declared: Declared;
  readonly live: Item | null;
  /** Further live objects that match the entry. */
  readonly rivals: readonly Rival[];
}

export interface Rival {
  readonly live: Item;
  /** Null: the object can stay. */
  readonly problem: Problem | null;
}

export interface Paired {
  readonly pairs: readonly Pair[];
  /** Entries whose live object is ambiguous, or was not found. */
  readonly unpaired: readonly Unpaired[];
}

export interface Unpaired {
  readonly declared: Declared;
  readonly problem: Problem;
  /** The pinned id is not live. */
  readonly isNotLive?: true;
}

/**
 * Pairs declared objects of one kind with live ones: by id, then by name, then by former name. Of several objects with one
 * name, the one whose unchangeable fields are as declared is taken. A name may count within a place only, such as a job's
 * within its dataset. A live object in another place matches only if the object was moved: a former name or the base says
 * so, or the entry and the live object are the only ones of a name that is not new in the files.
 *
 * @param before the entries of the base; null: there is no base
 */
export function pair(
  kind: Kind,
  declared: readonly Declared[],
  live: Live,
  zone: WantedZone,
  before: readonly Declared[] | null = null,
): Paired {
  const { named } = kind.shape;
  const find =
    named === undefined
      ? (entry: Declared) => liveOfSubject(kind, entry, live, zone)
      : finder(kind, named, declared, live, zone, before);
  const results = declared.map((each) => ({ declared: each, ...find(each) }));
  return {
    pairs: results.flatMap(({ declared: entry, live: item, rivals = [], problem }) =>
      problem === undefined ? [{ declared: entry, live: item, rivals }] : [],
    ),
    unpaired: results.flatMap(({ declared: entry, problem, isNotLive }) =>
      problem === undefined ? [] : [{ declared: entry, problem, ...(isNotLive && { isNotLive }) }],
    ),
  };
}

/** The live object of a kind with one object, or one per subject. Two live objects of one subject are ambiguous. */
function liveOfSubject(kind: Kind, entry: Declared, live: Live, zone: WantedZone): FindResult {
  const items = liveAbout(kind, entry, live);
  if (items.length > 1) return { live: null, problem: ambiguousRule(kind, entry, items, zone) };
  return { live: items[0] ?? null };
}

/** The live objects with the subject of an entry. */
export function liveAbout(kind: Kind, { body }: Declared, { items, context }: Live): readonly Item[] {
  const { each } = kind.shape;
  if (each === undefined) return items;
  const meant = each.aboutDeclared(body, context);
  return items.filter(({ raw }) => raw !== null && each.aboutLive(raw) === meant);
}

function ambiguousRule(kind: Kind, declared: Declared, items: readonly Item[], zone: WantedZone): Problem {
  const where =
    declared.path.length === 1
      ? `${kind.section} is one`
      : `${JSON.stringify(entryName(kind, declared))} is one`;
  const detail = `${zone.name} has ${items.length} live rules, and ${where}: ${idsOf(items)}. Remove the others in the dashboard.`;
  const summary = "Several live rules, one is declared";
  return problem("ambiguous_rule", summary, detail, zone.locate(declared.path, "key"));
}

interface FindResult {
  readonly live: Item | null;
  readonly rivals?: Pair["rivals"];
  readonly problem?: Problem;
  readonly isNotLive?: true;
}

function finder(
  kind: Kind,
  named: string,
  declared: readonly Declared[],
  { items, unlisted }: Live,
  zone: WantedZone,
  before: readonly Declared[] | null,
): (each: Declared) => FindResult {
  const { shape } = kind;
  const pinned = new Set(declared.map(pinOf));
  const unpinned = items.filter(({ ref }) => !pinned.has(lowerCase(ref.id)));
  const free = groupBy(unpinned, ({ normal }) => nameIn(shape, normal).name);
  const withPlace = declared
    .map((entry) => ({ each: entry, called: nameIn(shape, entry.body) }))
    .filter(({ called }) => called.within !== null);
  const isNamedByOther = (item: Item, entry: Declared) =>
    withPlace.some((other) => other.each !== entry && haveSameName(other.called, nameIn(shape, item.normal)));
  /** The live objects with the entry's former name or in its former place. */
  const formersOf = (
    entry: Declared,
    inPlace: readonly Item[],
    sameNamed: readonly Item[],
    formerNamed: readonly Item[],
  ): readonly Item[] => {
    const other = formerNamed.filter((item) => !sameNamed.includes(item));
    if (inPlace.length > 0) return other;
    const within = other.filter(withinTest(shape, entry));
    if (within.length > 0) return within;
    const isKnown = before === null || namesakesOf(shape, entry, before).length > 0;
    const isAlone = sameNamed.length === 1 && namesakesOf(shape, entry, declared).length === 1;
    const moved =
      isKnown && isAlone ? sameNamed : sameNamed.filter(wasMoved(shape, entry, declared, before ?? []));
    return [...formerNamed, ...moved].filter(isFirst);
  };
  return (entry) => {
    const errorAt = (key: string, code: string, summary: string, detail: string): Problem => {
      return problem(code, summary, detail, zone.locate([...entry.path, key]));
    };
    const failure = (...why: Parameters<typeof errorAt>): FindResult => ({
      live: null,
      problem: errorAt(...why),
    });
    const { renamed_from: former, ensure, [named]: name } = entry.body;
    const id = pinOf(entry);
    if (unlisted === true && (id !== null || ensure === "absent")) {
      const detail = `The service does not list such objects of ${zone.name}, so ${JSON.stringify(name ?? id)} cannot be found, changed or deleted. Remove this entry.`;
      return failure(id === null ? "ensure" : "id", "cannot_find", "Object cannot be found", detail);
    }
    if (id !== null) {
      const item = items.find(({ ref }) => lowerCase(ref.id) === id);
      if (item !== undefined || ensure === "absent") return { live: item ?? null };
      const advice = name === undefined ? "Correct it." : `Correct it, or remove it to match by ${named}.`;
      const detail = `No live object of ${zone.name} has the id ${id}. ${advice}`;
      return { ...failure("id", "pin_not_live", "Pinned id is not live", detail), isNotLive: true };
    }
    const isWithin = withinTest(shape, entry);
    const notNamedByOthers = (items: readonly Item[]) => items.filter((item) => !isNamedByOther(item, entry));
    const sameNamed = notNamedByOthers(candidates(free, name, named));
    const inPlace = sameNamed.filter(isWithin);
    const formers = formersOf(entry, inPlace, sameNamed, notNamedByOthers(candidates(free, former, named)));
    const summary = "Several live objects have one name";
    const ambiguous = (key: string, ambiguousName: Json | undefined, items: readonly Item[]) =>
      errorAt(key, "ambiguous_name", summary, ambiguity(ambiguousName, items, zone, shape));
    const isAsDeclared = (item: Item) =>
      changedFixed(kind, kind.toDesired(entry.body, item), item).length === 0;
    const matching = inPlace.length > 1 && ensure !== "absent" ? inPlace.filter(isAsDeclared) : inPlace;
    if (inPlace.length > 0 && matching.length !== 1)
      return { live: null, problem: ambiguous(named, name, inPlace) };
    if (inPlace.length === 0 && formers.length > 1)
      return { live: null, problem: ambiguous("renamed_from", former ?? name, formers) };
    const [live = formers[0] ?? null] = matching;
    const otherNamesakes = inPlace.filter((item) => item !== live);
    const formerRivals = inPlace.length === 0 ? [] : formers;
    const elsewhere = sameNamed.filter(
      (item) => !isWithin(item) && item !== live && !formerRivals.includes(item),
    );
    const conflict = () => {
      const detail = `${JSON.stringify(name)} (${idsOf(inPlace)}) and ${JSON.stringify(former)} (${idsOf(formerRivals)}) are both live in ${zone.name}. Remove renamed_from to keep both, or pin one by id and delete the other.`;
      return errorAt("renamed_from", "rename_conflict", "Old and new name are both live", detail);
    };
    if (formerRivals.length > 0 && (formerRivals.some(isAsDeclared) || ensure === "absent"))
      return { live: null, problem: conflict() };
    const rivals = [
      ...otherNamesakes.map((item) => ({ live: item, problem: ambiguous(named, name, inPlace) })),
      ...formerRivals.map((item) => ({ live: item, problem: conflict() })),
      ...elsewhere.map((item) => ({ live: item, problem: null })),
    ];
    return { live, rivals };
  };
}

function isFirst<T>(item: T, index: number, all: readonly T[]): boolean {
  return all.indexOf(item) === index;
}

function withinTest(shape: Shape, { body }: Declared): (item: Item) => boolean {
  if (shape.within === undefined) return () => true;
  const called = nameIn(shape, body);
  return ({ normal }) => mayShareScope(called, nameIn(shape, normal));
}

/** All entries with the name of an entry, itself included. */
function namesakesOf(shape: Shape, { body }: Declared, all: readonly Declared[]): readonly Declared[] {
  const { name } = nameIn(shape, body);
  return all.filter((each) => nameIn(shape, each.body).name === name);
}

/**
 * Tests whether an entry was moved from the live object's place: that is the only place in which the base has its name and
 * the files do not.
 */
function wasMoved(
  shape: Shape,
  { body }: Declared,
  declared: readonly Declared[],
  before: readonly Declared[],
): (item: Item) => boolean {
  const placedName = nameIn(shape, body);
  if (placedName.within === null) return () => false;
  const basePlaces = before
    .map((each) => nameIn(shape, each.body))
    .filter(({ name }) => name === placedName.name);
  const currentPlaces = declared.map((each) => nameIn(shape, each.body));
  if (basePlaces.some(({ within }) => within === null || within === placedName.within)) return () => false;
  const leftPlaces = basePlaces.filter((each) => !currentPlaces.some((other) => haveSameName(each, other)));
  return ({ normal }) =>
    leftPlaces.length === 1 && leftPlaces.some((each) => haveSameName(each, nameIn(shape, normal)));
}

/** Fields that differ and cannot change in place. */
export function changedFixed(
  kind: Kind,
  desired: SealedObject,
  { normal }: Pick<Item, "normal">,
): readonly string[] {
  return namesWith(kind.fields, "fixed").filter((field) => {
    const [before, after] = [normal[field], desired[field]];
    return before !== undefined && after !== undefined && !isSame(before, after, kind.fields[field]);
  });
}

/** Ids are text at some endpoints and numbers at others; the letter case of hexadecimal digits does not count. */
export function pinOf({ body }: Declared): string | null {
  return typeof body.id === "string" || typeof body.id === "number" ? lowerCase(String(body.id)) : null;
}

function lowerCase<T extends string | null>(id: T): T {
  return (id === null ? null : id.toLowerCase()) as T; // a text stays one, and null null
}

/** The objects with a name. An exact spelling comes before one that only looks the same. */
function candidates(
  groups: ReadonlyMap<string | null, readonly Item[]>,
  name: Json | undefined,
  named: string,
): readonly Item[] {
  if (typeof name !== "string" || name === "") return [];
  const all = groups.get(canonicalName(name)) ?? [];
  const exact = all.filter(({ normal }) => normal[named] === name);
  return exact.length > 0 ? exact : all;
}

function ambiguity(name: Json | undefined, items: readonly Item[], zone: WantedZone, shape: Shape): string {
  const within = new Set(items.map(({ normal }) => nameIn(shape, normal).within));
  const apart = shape.within !== undefined && within.size > 1;
  const how = apart ? ` with its ${shape.within} or its id` : " with id";
  return `${zone.name} has ${items.length} live objects called ${JSON.stringify(name)}: ${idsOf(items)}. ${apart ? "Name" : "Pin"} one of them${how}, or delete the others.`;
}

function idsOf(items: readonly Item[]): string {
  return items.map((item) => item.ref.id ?? "no id").join(", ");
}
