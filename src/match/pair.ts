import { canonicalName, isSame, namesWith } from "../kinds/fields.js";
import { haveSameKey, mayShareScope } from "../kinds/keys.js";
import { entryName, type Key, type Kind, type Live, listOf, nameField } from "../kinds/kind.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import type { Json } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";

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
 * name, the one whose unchangeable fields are as declared is taken. A name may count within a scope only, such as a job's
 * within its dataset. A live object in another scope matches only if the object was moved: a former name or the base says
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
  const candidatesOf = candidatesIn(kind, declared, live, before);
  const results = declared.map((each) => ({
    declared: each,
    ...(byPin(kind, each, live, zone) ?? byName(kind, each, candidatesOf(each), zone)),
  }));
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

/** Null: the entry has no id. */
function byPin(kind: Kind, entry: Declared, { items, unlisted }: Live, zone: WantedZone): FindResult | null {
  const { named = "" } = listOf(kind) ?? {};
  const { ensure, [named]: name } = entry.body;
  const id = pinOf(entry);
  const failure = (key: string, code: string, summary: string, detail: string) => ({
    live: null,
    problem: problem(code, summary, detail, zone.locate([...entry.path, key])),
  });
  if (unlisted === true && (id !== null || ensure === "absent")) {
    const detail = `The service does not list such objects of ${zone.name}, so ${JSON.stringify(name ?? id)} cannot be found, changed or deleted. Remove this entry.`;
    return failure(id === null ? "ensure" : "id", "cannot_find", "Object cannot be found", detail);
  }
  if (id === null) return null;
  const item = items.find(({ ref }) => lowerCase(ref.id) === id);
  if (item !== undefined || ensure === "absent") return { live: item ?? null };
  const advice = name === undefined ? "Correct it." : `Correct it, or remove it to match by ${named}.`;
  const detail = `No live object of ${zone.name} has the id ${id}. ${advice}`;
  return { ...failure("id", "pin_not_live", "Pinned id is not live", detail), isNotLive: true };
}

/** The live objects that an entry may mean. */
interface Candidates {
  /** With its name, in its scope. */
  readonly named: readonly Item[];
  /** With its name, in another scope. */
  readonly elsewhere: readonly Item[];
  /** With its former name, or from its former scope. */
  readonly former: readonly Item[];
}

function candidatesIn(
  kind: Kind,
  declared: readonly Declared[],
  { items, context }: Live,
  before: readonly Declared[] | null,
): (entry: Declared) => Candidates {
  const keyOf = ({ body }: Declared) => kind.keys.declared(body, context);
  const { named = "" } = listOf(kind) ?? {};
  const pinned = new Set(declared.flatMap((each) => pinOf(each) ?? []));
  const unpinned = items.filter(({ ref }) => !pinned.has(lowerCase(ref.id) ?? ""));
  const free = groupBy(unpinned, (item) => kind.keys.live(item).name);
  const keys = { inFiles: declared.map(keyOf), inBase: before?.map(keyOf) ?? null };
  const scoped = declared.flatMap((entry, index) => {
    const key = keys.inFiles[index];
    return key === undefined || key.within === null ? [] : [{ entry, key }];
  });
  /** An exact spelling comes before one that only looks the same. */
  const withName = (entry: Declared, name: string | null, written: Json | undefined) => {
    const isOfOther = (item: Item) =>
      scoped.some((other) => other.entry !== entry && haveSameKey(other.key, kind.keys.live(item)));
    const all = name === null ? [] : (free.get(name) ?? []);
    const exact = all.filter(({ normal }) => normal[named] === written);
    return (exact.length > 0 ? exact : all).filter((item) => !isOfOther(item));
  };
  return (entry) => {
    const key = keyOf(entry);
    const { renamed_from: former, [named]: written } = entry.body;
    const isInScope = (item: Item) => mayShareScope(key, kind.keys.live(item));
    const sameNamed = withName(entry, key.name, written);
    const formerNamed = withName(entry, typeof former === "string" ? canonicalName(former) : null, former);
    const inScope = sameNamed.filter(isInScope);
    const elsewhere = sameNamed.filter((item) => !isInScope(item));
    const renamed = formerNamed.filter((item) => !sameNamed.includes(item));
    if (inScope.length > 0) return { named: inScope, elsewhere, former: renamed };
    const renamedInScope = renamed.filter(isInScope);
    if (renamedInScope.length > 0) return { named: [], elsewhere, former: renamedInScope };
    const moved = movedTo(key, keys, elsewhere, (item) => kind.keys.live(item));
    return { named: [], elsewhere, former: [...new Set([...formerNamed, ...moved])] };
  };
}

/**
 * The live objects of a name that were moved to this scope: the only object of the name, if the name is not new, or that in
 * the only scope in which the base has the name and the files do not.
 */
function movedTo(
  key: Key,
  { inFiles, inBase }: { readonly inFiles: readonly Key[]; readonly inBase: readonly Key[] | null },
  elsewhere: readonly Item[],
  keyOf: (item: Item) => Key,
): readonly Item[] {
  const ofName = (keys: readonly Key[]) => keys.filter(({ name }) => name === key.name);
  const before = ofName(inBase ?? []);
  const isAlone = elsewhere.length === 1 && ofName(inFiles).length === 1;
  if (isAlone && (inBase === null || before.length > 0)) return elsewhere;
  const wasHere = before.some(({ within }) => within === null || within === key.within);
  if (key.within === null || wasHere) return [];
  const [left, ...more] = before.filter((each) => !inFiles.some((other) => haveSameKey(each, other)));
  return left === undefined || more.length > 0
    ? []
    : elsewhere.filter((item) => haveSameKey(left, keyOf(item)));
}

function byName(
  kind: Kind,
  entry: Declared,
  { named: inScope, elsewhere, former: formers }: Candidates,
  zone: WantedZone,
): FindResult {
  const { named = "" } = listOf(kind) ?? {};
  const { renamed_from: former, ensure, [named]: name } = entry.body;
  const isAsDeclared = (item: Item) =>
    changedFixed(kind, kind.toDesired(entry.body, item), item).length === 0;
  const ambiguous = (key: string, ambiguousName: Json | undefined, items: readonly Item[]) =>
    ambiguity(kind, entry, key, ambiguousName, items, zone);
  const matching = inScope.length > 1 && ensure !== "absent" ? inScope.filter(isAsDeclared) : inScope;
  if (inScope.length > 0 && matching.length !== 1)
    return { live: null, problem: ambiguous(named, name, inScope) };
  if (inScope.length === 0 && formers.length > 1)
    return { live: null, problem: ambiguous("renamed_from", former ?? name, formers) };
  const [live = formers[0] ?? null] = matching;
  const formerRivals = inScope.length === 0 ? [] : formers;
  const conflict = () => {
    const detail = `${JSON.stringify(name)} (${idsOf(inScope)}) and ${JSON.stringify(former)} (${idsOf(formerRivals)}) are both live in ${zone.name}. Remove renamed_from to keep both, or pin one by id and delete the other.`;
    const at = zone.locate([...entry.path, "renamed_from"]);
    return problem("rename_conflict", "Old and new name are both live", detail, at);
  };
  if (formerRivals.length > 0 && (formerRivals.some(isAsDeclared) || ensure === "absent"))
    return { live: null, problem: conflict() };
  const isOther = (item: Item) => item !== live && !formerRivals.includes(item);
  return {
    live,
    rivals: [
      ...inScope
        .filter((item) => item !== live)
        .map((item) => ({ live: item, problem: ambiguous(named, name, inScope) })),
      ...formerRivals.map((item) => ({ live: item, problem: conflict() })),
      ...elsewhere.filter(isOther).map((item) => ({ live: item, problem: null })),
    ],
  };
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

function ambiguity(
  kind: Kind,
  entry: Declared,
  key: string,
  name: Json | undefined,
  items: readonly Item[],
  zone: WantedZone,
): Problem {
  if (nameField(kind) === null) {
    const where =
      entry.path.length === 1 ? `${kind.section} is one` : `${JSON.stringify(entryName(kind, entry))} is one`;
    const detail = `${zone.name} has ${items.length} live rules, and ${where}: ${idsOf(items)}. Remove the others in the dashboard.`;
    const summary = "Several live rules, one is declared";
    return problem("ambiguous_rule", summary, detail, zone.locate(entry.path, "key"));
  }
  const { within } = listOf(kind) ?? {};
  const scopes = new Set(items.map((item) => kind.keys.live(item).within));
  const apart = within !== undefined && scopes.size > 1;
  const how = apart ? ` with its ${within} or its id` : " with id";
  const detail = `${zone.name} has ${items.length} live objects called ${JSON.stringify(name)}: ${idsOf(items)}. ${apart ? "Name" : "Pin"} one of them${how}, or delete the others.`;
  const at = zone.locate([...entry.path, key]);
  return problem("ambiguous_name", "Several live objects have one name", detail, at);
}

function idsOf(items: readonly Item[]): string {
  return items.map((item) => item.ref.id ?? "no id").join(", ");
}
