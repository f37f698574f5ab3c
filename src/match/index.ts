import type { Kind } from "../kinds/kind.js";
import type { Item, Triple } from "../model/item.js";
import type { Json, JsonObject } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";

/** What is declared and what is live, object by object. */
export interface Matched {
  readonly triples: readonly Triple[];
  /** Live objects that the files do not declare and that stay. */
  readonly unmanaged: readonly Item[];
  readonly problems: readonly Problem[];
}

/** Pairs a zone's declared objects of one kind with its live ones: by id, then by name, then by former name. */
export function match(
  kind: Kind,
  declared: readonly Declared[],
  live: readonly Item[],
  zone: WantedZone,
): Matched {
  const found =
    kind.shape.as === "one"
      ? { pairs: matchOne(declared, live), problems: [] }
      : matchNamed(kind.shape.named, declared, live, zone);
  const taken = new Set(found.pairs.map((pair) => pair.live));
  const rest = live.filter((item) => !taken.has(item));
  const pruned = zone.prune.includes(kind.section);
  const wanted = found.pairs.map((pair) => toTriple(kind, pair, zone));
  return {
    triples: [
      ...wanted.flatMap((each) => (each.triple === null ? [] : [each.triple])),
      ...(pruned ? rest.map((item) => ({ base: null, want: null, live: item })) : []),
    ],
    unmanaged: pruned ? [] : rest,
    problems: [...found.problems, ...wanted.flatMap((each) => each.problems)],
  };
}

interface Pair {
  readonly declared: Declared;
  readonly live: Item | null;
}

function matchOne(declared: readonly Declared[], live: readonly Item[]): readonly Pair[] {
  return declared.map((each) => ({ declared: each, live: live[0] ?? null }));
}

function matchNamed(
  named: string,
  declared: readonly Declared[],
  live: readonly Item[],
  zone: WantedZone,
): { readonly pairs: readonly Pair[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const report = (each: Declared, key: string, code: string, summary: string, detail: string): null => {
    problems.push({ code, severity: "error", summary, detail, at: zone.locate([...each.path, key]) });
    return null;
  };
  const pinned = new Set(declared.map((each) => each.body.id));
  const free = byName(live.filter((item) => !pinned.has(item.ref.id)));

  const find = (each: Declared): Item | null => {
    const { id, renamed_from: former, ensure } = each.body;
    const name = each.body[named];
    if (typeof id === "string") {
      const item = live.find((candidate) => candidate.ref.id === id.toLowerCase() || candidate.ref.id === id);
      if (item !== undefined || ensure === "absent") return item ?? null;
      const detail = `No live object of ${zone.name} has the id ${id}. Correct it, or remove it to match by ${named}.`;
      return report(each, "id", "pin_not_live", "A pinned id that is not live", detail);
    }
    const byOwn = candidates(free, name);
    const byFormer = candidates(free, former);
    if (byOwn.length > 1)
      return report(
        each,
        named,
        "ambiguous_name",
        "Several live objects of one name",
        ambiguity(name, byOwn),
      );
    if (byFormer.length > 1 && byOwn.length === 0) {
      return report(
        each,
        "renamed_from",
        "ambiguous_name",
        "Several live objects of one name",
        ambiguity(former, byFormer),
      );
    }
    if (byOwn.length === 1 && byFormer.length > 0) {
      const detail = `${JSON.stringify(name)} (${idsOf(byOwn)}) and ${JSON.stringify(former)} (${idsOf(byFormer)}) are both live in ${zone.name}. Remove renamed_from to keep both, or pin one by id and delete the other.`;
      return report(each, "renamed_from", "rename_conflict", "Old and new name are both live", detail);
    }
    return byOwn[0] ?? byFormer[0] ?? null;
  };
  const pairs = declared.flatMap((each): readonly Pair[] => {
    const before = problems.length;
    const item = find(each);
    return problems.length === before ? [{ declared: each, live: item }] : [];
  });
  return { pairs, problems };
}

function byName(live: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of live) {
    const group = groups.get(item.ref.key);
    if (group === undefined) groups.set(item.ref.key, [item]);
    else group.push(item);
  }
  return groups;
}

function candidates(groups: ReadonlyMap<string, readonly Item[]>, name: Json | undefined): readonly Item[] {
  return typeof name === "string" ? (groups.get(name) ?? []) : [];
}

function ambiguity(name: Json | undefined, items: readonly Item[]): string {
  return `${items.length} live objects are called ${JSON.stringify(name)}: ${idsOf(items)}. Pin the one that is meant with id.`;
}

function idsOf(items: readonly Item[]): string {
  return items.map((item) => item.ref.id ?? "no id").join(", ");
}

function toTriple(
  kind: Kind,
  { declared, live }: Pair,
  zone: WantedZone,
): { readonly triple: Triple | null; readonly problems: readonly Problem[] } {
  if (declared.body.ensure === "absent") {
    return {
      triple: live === null ? null : { base: null, want: null, live: { ...live, at: declared.path } },
      problems: [],
    };
  }
  const own = kind.want(declared.body);
  const missing = live === null ? missingFields(kind, own) : [];
  if (missing.length > 0) {
    const detail = `${JSON.stringify(keyOf(kind, own))} is not live in ${zone.name}, and to create it ${missing.join(", ")} must be given. Add ${missing.length === 1 ? "it" : "them"}, or correct the name.`;
    const at = zone.locate(declared.path);
    return {
      triple: null,
      problems: [
        { code: "cannot_create", severity: "error", summary: "Too little to create it", detail, at },
      ],
    };
  }
  const normal: SealedObject = { ...(live?.normal ?? defaultsOf(kind)), ...own };
  const ref = { kind: kind.name, key: keyOf(kind, normal), id: live?.ref.id ?? null };
  const want: Item = {
    ref,
    normal: inOrder(normal, own, live),
    raw: live?.raw ?? null,
    owns: Object.keys(own),
    at: declared.path,
  };
  return { triple: { base: null, want, live }, problems: [] };
}

function missingFields(kind: Kind, own: SealedObject): readonly string[] {
  return kind.creation.possible ? kind.creation.required.filter((field) => !(field in own)) : [];
}

function defaultsOf(kind: Kind): JsonObject {
  return kind.creation.possible ? kind.creation.defaults : {};
}

/** A new object reads in the order of its file, the defaults after it. */
function inOrder(normal: SealedObject, own: SealedObject, live: Item | null): SealedObject {
  return live === null ? { ...own, ...normal } : normal;
}

function keyOf(kind: Kind, normal: SealedObject): string {
  return kind.shape.as === "one" ? kind.name : String(normal[kind.shape.named]);
}
