import { canonicalName, isSame, namesWith } from "../kinds/fields.js";
import { haveSameName, mayShareScope, nameIn } from "../kinds/keys.js";
import { aboutOf, entryName, type Kind, type Live, type Shape } from "../kinds/kind.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import type { Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";

/** A declared object, and the live one that it means. */
export interface Pair {
  readonly declared: Declared;
  readonly live: Item | null;
  /** Live ones that it would mean as well, if they could become what it declares; and why they cannot stay unexplained. */
  readonly rivals: readonly Rival[];
}

export interface Rival {
  readonly live: Item;
  /** Null: it can stay. */
  readonly problem: Problem | null;
}

export interface Paired {
  readonly pairs: readonly Pair[];
  /** Entries of which it cannot be told what they mean. */
  readonly unpaired: readonly Unpaired[];
}

export interface Unpaired {
  readonly declared: Declared;
  readonly problem: Problem;
  /** Nothing live is what the entry means, and that is wrong. */
  readonly isNotLive?: true;
}

/**
 * Pairs declared objects of one kind with live ones: by id, then by name, then by former name. Of several of one name, the
 * only one that is as declared in what cannot change is meant. Where a name counts within something, such as a job's within
 * its dataset, it leads to what is within another only where it was moved: a former name or the base says so, or both
 * are the only ones of a name that is not new in the files.
 *
 * @param before what the base declares; null: there is none
 */
export function pair(
  kind: Kind,
  declared: readonly Declared[],
  live: Live,
  zone: WantedZone,
  before: readonly Declared[] | null = null,
): Paired {
  if (kind.shape.as === "one") return pairOne(kind, declared, live, zone);
  const find = finder(kind, kind.shape.named, declared, live, zone, before);
  const found = declared.map((each) => ({ declared: each, ...find(each) }));
  return {
    pairs: found.flatMap(({ declared: each, live: item, rivals = [], problem }) =>
      problem === undefined ? [{ declared: each, live: item, rivals }] : [],
    ),
    unpaired: found.flatMap(({ declared: each, problem, isNotLive }) =>
      problem === undefined ? [] : [{ declared: each, problem, ...(isNotLive && { isNotLive }) }],
    ),
  };
}

/** There can be one, or one of each: two live ones leave it open which is meant. */
function pairOne(kind: Kind, declared: readonly Declared[], live: Live, zone: WantedZone): Paired {
  const found = declared.map((each) => ({ declared: each, items: liveAbout(kind, each, live) }));
  return {
    pairs: found.flatMap(({ declared: each, items }) =>
      items.length > 1 ? [] : [{ declared: each, live: items[0] ?? null, rivals: [] }],
    ),
    unpaired: found.flatMap(({ declared: each, items }) =>
      items.length > 1 ? [{ declared: each, problem: ambiguousRule(kind, each, items, zone) }] : [],
    ),
  };
}

/** The live objects that are about what an entry is about. */
export function liveAbout(kind: Kind, { body }: Declared, { items, context }: Live): readonly Item[] {
  const about = aboutOf(kind);
  if (about === null) return items;
  const meant = about.aboutDeclared(body, context);
  return items.filter(({ raw }) => raw !== null && about.aboutLive(raw) === meant);
}

function ambiguousRule(kind: Kind, declared: Declared, items: readonly Item[], zone: WantedZone): Problem {
  const where =
    declared.path.length === 1
      ? `${kind.section} is one`
      : `${JSON.stringify(entryName(kind, declared))} is one`;
  const detail = `${zone.name} has ${items.length} live rules where ${where}: ${idsOf(items)}. Remove the others at the service.`;
  const summary = "Several live objects where there can be one";
  return {
    code: "ambiguous_rule",
    severity: "error",
    summary,
    detail,
    at: zone.locate(declared.path, "key"),
  };
}

interface Found {
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
): (each: Declared) => Found {
  const { shape } = kind;
  const pinned = new Set(declared.map(pinOf));
  const unpinned = items.filter(({ ref }) => !pinned.has(lowerCase(ref.id)));
  const free = groupBy(unpinned, ({ normal }) => nameIn(shape, normal).name);
  const placed = declared
    .map((each) => ({ each, called: nameIn(shape, each.body) }))
    .filter(({ called }) => called.within !== null);
  const isOthers = (item: Item, each: Declared) =>
    placed.some((other) => other.each !== each && haveSameName(other.called, nameIn(shape, item.normal)));
  /** What it may have been before, under its former name or in its former place. */
  const formersOf = (
    each: Declared,
    byOwn: readonly Item[],
    ofName: readonly Item[],
    ofFormer: readonly Item[],
  ): readonly Item[] => {
    const other = ofFormer.filter((item) => !ofName.includes(item));
    if (byOwn.length > 0) return other;
    const within = other.filter(withinTest(shape, each));
    if (within.length > 0) return within;
    const isKnown = before === null || namesakesOf(shape, each, before).length > 0;
    const isAlone = ofName.length === 1 && namesakesOf(shape, each, declared).length === 1;
    const moved = isKnown && isAlone ? ofName : ofName.filter(wasMoved(shape, each, declared, before ?? []));
    return [...ofFormer, ...moved].filter(isFirst);
  };
  return (each) => {
    const wrong = (key: string, code: string, summary: string, detail: string): Problem => {
      return { code, severity: "error", summary, detail, at: zone.locate([...each.path, key]) };
    };
    const not = (...why: Parameters<typeof wrong>): Found => ({ live: null, problem: wrong(...why) });
    const { renamed_from: former, ensure, [named]: name } = each.body;
    const id = pinOf(each);
    if (unlisted === true && (id !== null || ensure === "absent")) {
      const detail = `The service does not list what ${zone.name} has, so whether ${JSON.stringify(name ?? id)} is there is not known, and it can be neither changed nor deleted. Remove this entry.`;
      return not(id === null ? "ensure" : "id", "cannot_find", "An object that cannot be found", detail);
    }
    if (id !== null) {
      const item = items.find(({ ref }) => lowerCase(ref.id) === id);
      if (item !== undefined || ensure === "absent") return { live: item ?? null };
      const advice = name === undefined ? "Correct it." : `Correct it, or remove it to match by ${named}.`;
      const detail = `No live object of ${zone.name} has the id ${id}. ${advice}`;
      return { ...not("id", "pin_not_live", "A pinned id that is not live", detail), isNotLive: true };
    }
    const isWithin = withinTest(shape, each);
    const mine = (items: readonly Item[]) => items.filter((item) => !isOthers(item, each));
    const ofName = mine(candidates(free, name, named));
    const byOwn = ofName.filter(isWithin);
    const byFormer = formersOf(each, byOwn, ofName, mine(candidates(free, former, named)));
    const summary = "Several live objects of one name";
    const ambiguous = (key: string, of: Json | undefined, items: readonly Item[]) =>
      wrong(key, "ambiguous_name", summary, ambiguity(of, items, zone, shape));
    const isAsDeclared = (item: Item) =>
      changedFixed(kind, kind.toDesired(each.body, item), item).length === 0;
    const own = byOwn.length > 1 && ensure !== "absent" ? byOwn.filter(isAsDeclared) : byOwn;
    if (byOwn.length > 0 && own.length !== 1) return { live: null, problem: ambiguous(named, name, byOwn) };
    if (byOwn.length === 0 && byFormer.length > 1)
      return { live: null, problem: ambiguous("renamed_from", former ?? name, byFormer) };
    const [live = byFormer[0] ?? null] = own;
    const namesakes = byOwn.filter((item) => item !== live);
    const others = byOwn.length === 0 ? [] : byFormer;
    const elsewhere = ofName.filter((item) => !isWithin(item) && item !== live && !others.includes(item));
    const conflict = () => {
      const detail = `${JSON.stringify(name)} (${idsOf(byOwn)}) and ${JSON.stringify(former)} (${idsOf(others)}) are both live in ${zone.name}. Remove renamed_from to keep both, or pin one by id and delete the other.`;
      return wrong("renamed_from", "rename_conflict", "Old and new name are both live", detail);
    };
    if (others.length > 0 && (others.some(isAsDeclared) || ensure === "absent"))
      return { live: null, problem: conflict() };
    const rivals = [
      ...namesakes.map((item) => ({ live: item, problem: ambiguous(named, name, byOwn) })),
      ...others.map((item) => ({ live: item, problem: conflict() })),
      ...elsewhere.map((item) => ({ live: item, problem: null })),
    ];
    return { live, rivals };
  };
}

function isFirst<T>(one: T, index: number, all: readonly T[]): boolean {
  return all.indexOf(one) === index;
}

function withinTest(shape: Shape, { body }: Declared): (item: Item) => boolean {
  if (shape.as === "one" || shape.within === undefined) return () => true;
  const called = nameIn(shape, body);
  return ({ normal }) => mayShareScope(called, nameIn(shape, normal));
}

/** The entries of an entry's name. */
function namesakesOf(shape: Shape, { body }: Declared, all: readonly Declared[]): readonly Declared[] {
  const { name } = nameIn(shape, body);
  return all.filter((each) => nameIn(shape, each.body).name === name);
}

/**
 * Whether the base says that an entry had the live object's place, and moved: it has the name within that alone, and the
 * files have it there no more.
 */
function wasMoved(
  shape: Shape,
  { body }: Declared,
  declared: readonly Declared[],
  before: readonly Declared[],
): (item: Item) => boolean {
  const called = nameIn(shape, body);
  if (called.within === null) return () => false;
  const past = before.map((each) => nameIn(shape, each.body)).filter(({ name }) => name === called.name);
  const now = declared.map((each) => nameIn(shape, each.body));
  if (past.some(({ within }) => within === null || within === called.within)) return () => false;
  const gone = past.filter((each) => !now.some((other) => haveSameName(each, other)));
  return ({ normal }) => gone.length === 1 && gone.some((each) => haveSameName(each, nameIn(shape, normal)));
}

/** The fields that would have to change and cannot. */
export function changedFixed(
  kind: Kind,
  own: SealedObject,
  { normal }: Pick<Item, "normal">,
): readonly string[] {
  return namesWith(kind.fields, "fixed").filter((field) => {
    const [before, after] = [normal[field], own[field]];
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

/** Of a name; one that is spelled in the same way comes before one that only looks the same. */
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
  const apart = shape.as === "list" && shape.within !== undefined && within.size > 1;
  const how = apart ? ` with its ${shape.within} or its id` : " with id";
  return `${zone.name} has ${items.length} live objects called ${JSON.stringify(name)}: ${idsOf(items)}. ${apart ? "Say" : "Pin"} the one that is meant${how}, or delete what is too much.`;
}

function idsOf(items: readonly Item[]): string {
  return items.map((item) => item.ref.id ?? "no id").join(", ");
}
