import { isSame, sameName } from "../kinds/fields.js";
import { calledIn, type Kind, type Live } from "../kinds/kind.js";
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
  readonly problem: Problem;
}

export interface Paired {
  readonly pairs: readonly Pair[];
  readonly problems: readonly Problem[];
}

/**
 * Pairs declared objects of one kind with live ones: by id, then by name, then by former name. Of several of one name, the
 * only one that is as declared in what cannot change is meant.
 */
export function pair(kind: Kind, declared: readonly Declared[], live: Live, zone: WantedZone): Paired {
  if (kind.shape.as === "one") return pairOne(kind, declared, live, zone);
  const find = finder(kind, kind.shape.named, declared, live, zone);
  const found = declared.map((each) => ({ declared: each, ...find(each) }));
  return {
    pairs: found.flatMap(({ declared: each, live: item, rivals = [], problem }) =>
      problem === undefined ? [{ declared: each, live: item, rivals }] : [],
    ),
    problems: found.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
  };
}

/** There can be one, or one of each: two live ones leave it open which is meant. */
function pairOne(kind: Kind, declared: readonly Declared[], live: Live, zone: WantedZone): Paired {
  const found = declared.map((each) => ({ declared: each, items: liveAbout(kind, each, live) }));
  return {
    pairs: found.flatMap(({ declared: each, items }) =>
      items.length > 1 ? [] : [{ declared: each, live: items[0] ?? null, rivals: [] }],
    ),
    problems: found.flatMap(({ declared: each, items }) =>
      items.length > 1 ? [ambiguousRule(kind, each, items, zone)] : [],
    ),
  };
}

/** The live objects that are about what an entry is about. */
export function liveAbout(kind: Kind, { body }: Declared, { items, context }: Live): readonly Item[] {
  const { about } = kind;
  if (about === undefined) return items;
  const meant = about.declared(body, context);
  return items.filter(({ raw }) => raw !== null && about.live(raw) === meant);
}

function ambiguousRule(kind: Kind, declared: Declared, items: readonly Item[], zone: WantedZone): Problem {
  const where =
    declared.path.length === 1
      ? `${kind.section} is one`
      : `${JSON.stringify(calledIn(kind, declared))} is one`;
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
}

function finder(
  kind: Kind,
  named: string,
  declared: readonly Declared[],
  { items, unlisted }: Live,
  zone: WantedZone,
): (each: Declared) => Found {
  const pinned = new Set(declared.map(pinOf));
  const unpinned = items.filter(({ ref }) => !pinned.has(lowerCase(ref.id)));
  const free = groupBy(unpinned, ({ ref }) => sameName(ref.key));
  return (each) => {
    const wrong = (key: string, code: string, summary: string, detail: string): Problem => {
      return { code, severity: "error", summary, detail, at: zone.locate([...each.path, key]) };
    };
    const not = (...why: Parameters<typeof wrong>): Found => ({ live: null, problem: wrong(...why) });
    const { renamed_from: former, ensure, [named]: name } = each.body;
    const id = pinOf(each);
    if (unlisted === true && (id !== null || ensure === "absent")) {
      const detail = `The service does not list what ${zone.name} has, so whether ${JSON.stringify(name)} is there is not known, and it can be neither changed nor deleted. Remove this entry.`;
      return not(id === null ? "ensure" : "id", "cannot_find", "An object that cannot be found", detail);
    }
    if (id !== null) {
      const item = items.find(({ ref }) => lowerCase(ref.id) === id);
      if (item !== undefined || ensure === "absent") return { live: item ?? null };
      const detail = `No live object of ${zone.name} has the id ${id}. Correct it, or remove it to match by ${named}.`;
      return not("id", "pin_not_live", "A pinned id that is not live", detail);
    }
    const byOwn = candidates(free, name);
    const byFormer = candidates(free, former);
    const summary = "Several live objects of one name";
    const ambiguous = (key: string, of: Json | undefined, items: readonly Item[]) =>
      wrong(key, "ambiguous_name", summary, ambiguity(of, items, zone));
    const isAsDeclared = (item: Item) =>
      changedFixed(kind, kind.toDesired(each.body, item), item).length === 0;
    const own = byOwn.length > 1 && ensure !== "absent" ? byOwn.filter(isAsDeclared) : byOwn;
    if (byOwn.length > 0 && own.length !== 1) return { live: null, problem: ambiguous(named, name, byOwn) };
    if (byOwn.length === 0 && byFormer.length > 1)
      return { live: null, problem: ambiguous("renamed_from", former, byFormer) };
    const [live = byFormer[0] ?? null] = own;
    const namesakes = byOwn.filter((item) => item !== live);
    const formers = byOwn.length === 0 ? [] : byFormer;
    if (namesakes.length + formers.length === 0) return { live };
    const detail = `${JSON.stringify(name)} (${idsOf(byOwn)}) and ${JSON.stringify(former)} (${idsOf(formers)}) are both live in ${zone.name}. Remove renamed_from to keep both, or pin one by id and delete the other.`;
    const conflict = wrong("renamed_from", "rename_conflict", "Old and new name are both live", detail);
    if (formers.some(isAsDeclared) || ensure === "absent") return { live: null, problem: conflict };
    const rivals = [
      ...namesakes.map((item) => ({ live: item, problem: ambiguous(named, name, byOwn) })),
      ...formers.map((item) => ({ live: item, problem: conflict })),
    ];
    return { live, rivals };
  };
}

/** The fields that would have to change and cannot. */
export function changedFixed(
  kind: Kind,
  own: SealedObject,
  { normal }: Pick<Item, "normal">,
): readonly string[] {
  return kind.immutable.filter((field) => {
    const [before, after] = [normal[field], own[field]];
    return before !== undefined && after !== undefined && !isSame(before, after, kind.meanings[field]);
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
function candidates(groups: ReadonlyMap<string, readonly Item[]>, name: Json | undefined): readonly Item[] {
  if (typeof name !== "string") return [];
  const all = groups.get(sameName(name)) ?? [];
  const exact = all.filter(({ ref }) => ref.key === name);
  return exact.length > 0 ? exact : all;
}

function ambiguity(name: Json | undefined, items: readonly Item[], zone: WantedZone): string {
  return `${zone.name} has ${items.length} live objects called ${JSON.stringify(name)}: ${idsOf(items)}. Pin the one that is meant with id, or delete what is too much.`;
}

function idsOf(items: readonly Item[]): string {
  return items.map((item) => item.ref.id ?? "no id").join(", ");
}
