import { canonicalName, isSame, namesWith } from "../kinds/fields.js";
import { haveSameKey, mayShareScope } from "../kinds/keys.js";
import { entryName, type Kind, type Live, listOf, nameField } from "../kinds/kind.js";
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
  const find = finder(kind, declared, live, zone, before);
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

interface FindResult {
  readonly live: Item | null;
  readonly rivals?: Pair["rivals"];
  readonly problem?: Problem;
  readonly isNotLive?: true;
}

function finder(
  kind: Kind,
  declared: readonly Declared[],
  { items, context, unlisted }: Live,
  zone: WantedZone,
  before: readonly Declared[] | null,
): (each: Declared) => FindResult {
  const keyOf = ({ body }: Declared) => kind.keys.declared(body, context);
  const { named = "" } = listOf(kind) ?? {};
  const pinned = new Set(declared.flatMap((each) => pinOf(each) ?? []));
  const unpinned = items.filter(({ ref }) => !pinned.has(lowerCase(ref.id) ?? ""));
  const free = groupBy(unpinned, (item) => kind.keys.live(item).name);
  /** The live objects with a name. An exact spelling comes before one that only looks the same. */
  const candidates = (name: string | null, written: Json | undefined): readonly Item[] => {
    const all = name === null ? [] : (free.get(name) ?? []);
    const exact = all.filter(({ normal }) => normal[named] === written);
    return exact.length > 0 ? exact : all;
  };
  const withScope = declared
    .map((entry) => ({ entry, key: keyOf(entry) }))
    .filter(({ key }) => key.within !== null);
  const isNamedByOther = (item: Item, entry: Declared) =>
    withScope.some((other) => other.entry !== entry && haveSameKey(other.key, kind.keys.live(item)));
  const namesakesOf = (entry: Declared, all: readonly Declared[]) =>
    all.filter((each) => keyOf(each).name === keyOf(entry).name);
  const withinTest = (entry: Declared) => {
    const key = keyOf(entry);
    return (item: Item) => mayShareScope(key, kind.keys.live(item));
  };
  /** Tests whether an entry left the scope of a live object: the only scope in which the base has its name and the files do not. */
  const wasMoved = (entry: Declared): ((item: Item) => boolean) => {
    const key = keyOf(entry);
    if (key.within === null) return () => false;
    const inBase = namesakesOf(entry, before ?? []).map(keyOf);
    if (inBase.some(({ within }) => within === null || within === key.within)) return () => false;
    const left = inBase.filter((each) => !declared.some((other) => haveSameKey(each, keyOf(other))));
    return (item) => left.length === 1 && left.some((each) => haveSameKey(each, kind.keys.live(item)));
  };
  /** The live objects with the entry's former name or in its former place. */
  const formersOf = (
    entry: Declared,
    inPlace: readonly Item[],
    sameNamed: readonly Item[],
    formerNamed: readonly Item[],
  ): readonly Item[] => {
    const other = formerNamed.filter((item) => !sameNamed.includes(item));
    if (inPlace.length > 0) return other;
    const within = other.filter(withinTest(entry));
    if (within.length > 0) return within;
    const isKnown = before === null || namesakesOf(entry, before).length > 0;
    const isAlone = sameNamed.length === 1 && namesakesOf(entry, declared).length === 1;
    const moved = isKnown && isAlone ? sameNamed : sameNamed.filter(wasMoved(entry));
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
    const isWithin = withinTest(entry);
    const notNamedByOthers = (items: readonly Item[]) => items.filter((item) => !isNamedByOther(item, entry));
    const sameNamed = notNamedByOthers(candidates(keyOf(entry).name, name));
    const inPlace = sameNamed.filter(isWithin);
    const formerName = typeof former === "string" ? canonicalName(former) : null;
    const formers = formersOf(entry, inPlace, sameNamed, notNamedByOthers(candidates(formerName, former)));
    const ambiguous = (key: string, ambiguousName: Json | undefined, items: readonly Item[]) =>
      nameField(kind) === null
        ? ambiguousRule(kind, entry, items, zone)
        : errorAt(
            key,
            "ambiguous_name",
            "Several live objects have one name",
            ambiguity(kind, ambiguousName, items, zone),
          );
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

function ambiguousRule(kind: Kind, declared: Declared, items: readonly Item[], zone: WantedZone): Problem {
  const where =
    declared.path.length === 1
      ? `${kind.section} is one`
      : `${JSON.stringify(entryName(kind, declared))} is one`;
  const detail = `${zone.name} has ${items.length} live rules, and ${where}: ${idsOf(items)}. Remove the others in the dashboard.`;
  const summary = "Several live rules, one is declared";
  return problem("ambiguous_rule", summary, detail, zone.locate(declared.path, "key"));
}

function ambiguity(kind: Kind, name: Json | undefined, items: readonly Item[], zone: WantedZone): string {
  const { within } = listOf(kind) ?? {};
  const scopes = new Set(items.map((item) => kind.keys.live(item).within));
  const apart = within !== undefined && scopes.size > 1;
  const how = apart ? ` with its ${within} or its id` : " with id";
  return `${zone.name} has ${items.length} live objects called ${JSON.stringify(name)}: ${idsOf(items)}. ${apart ? "Name" : "Pin"} one of them${how}, or delete the others.`;
}

function idsOf(items: readonly Item[]): string {
  return items.map((item) => item.ref.id ?? "no id").join(", ");
}
