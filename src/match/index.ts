import { isSame } from "../diff/fields.js";
import type { Kind } from "../kinds/kind.js";
import type { Item, Triple } from "../model/item.js";
import type { Json, JsonObject } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { seal, withoutSensitive } from "./seal.js";

/** What is declared and what is live, object by object. */
export interface Matched {
  readonly triples: readonly Triple[];
  /** Live objects that the files do not declare and that stay. */
  readonly unmanaged: readonly Item[];
  readonly problems: readonly Problem[];
  /** What the references to secrets in the triples stand for. */
  readonly secrets: ReadonlyMap<string, Json>;
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
      ? matchOne(kind, declared, live, zone)
      : matchNamed(kind.shape.named, declared, live, zone);
  const taken = new Set(found.pairs.map((pair) => pair.live));
  const rest = live.filter((item) => !taken.has(item));
  const pruned = zone.prune.includes(kind.section);
  const wanted = found.pairs.map((pair) => toTriples(kind, pair, zone));
  const foreign = rest.map((item) => withoutSensitive(kind, item));
  return {
    triples: [
      ...wanted.flatMap((each) => each.triples),
      ...(pruned ? foreign.map((item) => ({ base: null, want: null, live: item })) : []),
    ],
    unmanaged: pruned ? [] : foreign,
    problems: [...found.problems, ...wanted.flatMap((each) => each.problems)],
    secrets: new Map(wanted.flatMap((each) => [...each.secrets])),
  };
}

interface Pair {
  readonly declared: Declared;
  readonly live: Item | null;
}

interface Paired {
  readonly pairs: readonly Pair[];
  readonly problems: readonly Problem[];
}

/** A kind with one object a zone: two live ones leave it open which is meant. */
function matchOne(
  kind: Kind,
  declared: readonly Declared[],
  live: readonly Item[],
  zone: WantedZone,
): Paired {
  if (live.length <= 1)
    return { pairs: declared.map((each) => ({ declared: each, live: live[0] ?? null })), problems: [] };
  const detail = `${zone.name} has ${live.length} live rules that are ${kind.section}: ${idsOf(live)}. There can be one: remove the others at the service.`;
  const problems = declared.map(({ path }): Problem => {
    const summary = "Several live objects where there can be one";
    return { code: "ambiguous_rule", severity: "error", summary, detail, at: zone.locate(path, "key") };
  });
  return { pairs: [], problems };
}

function matchNamed(
  named: string,
  declared: readonly Declared[],
  live: readonly Item[],
  zone: WantedZone,
): Paired {
  const problems: Problem[] = [];
  const report = (each: Declared, key: string, code: string, summary: string, detail: string): null => {
    problems.push({ code, severity: "error", summary, detail, at: zone.locate([...each.path, key]) });
    return null;
  };
  const pinned = new Set(declared.map((each) => pinOf(each)));
  const free = byName(live.filter((item) => !pinned.has(item.ref.id)));

  const find = (each: Declared): Item | null => {
    const { renamed_from: former, ensure } = each.body;
    const name = each.body[named];
    const id = pinOf(each);
    if (id !== null) {
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

/** Ids are text at some endpoints and numbers at others. */
function pinOf({ body }: Declared): string | null {
  return typeof body.id === "string" || typeof body.id === "number" ? String(body.id) : null;
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

/** What one declared object comes to. An object that cannot change in place is two triples: one goes, one comes. */
interface Wanted {
  readonly triples: readonly Triple[];
  readonly problems: readonly Problem[];
  readonly secrets: ReadonlyMap<string, Json>;
}

const NO_SECRETS: Wanted["secrets"] = new Map();

function toTriples(kind: Kind, { declared, live: found }: Pair, zone: WantedZone): Wanted {
  if (declared.body.ensure === "absent") {
    const live = found === null ? null : { ...withoutSensitive(kind, found), at: declared.path };
    return {
      triples: live === null ? [] : [{ base: null, want: null, live }],
      problems: [],
      secrets: NO_SECRETS,
    };
  }
  const plain = kind.want(declared.body, found);
  const key = keyOf(kind, { ...found?.normal, ...plain });
  const { own, live, secrets } = seal(kind, declared, plain, key, found, zone);
  const replaced =
    live === null ? [] : Object.keys(kind.immutable).filter((field) => isChanged(kind, field, own, live));
  const isNew = live === null || replaced.length > 0;
  const missing = isNew ? missingFields(kind, own) : [];
  if (missing.length > 0) {
    const why = live === null ? "is not live" : `cannot change its ${replaced.join(", ")} in place`;
    const detail = `${JSON.stringify(key)} ${why} in ${zone.name}, and to create it ${missing.join(", ")} must be given. Add ${missing.length === 1 ? "it" : "them"}, or correct the name.`;
    const at = zone.locate(declared.path);
    const summary = "Too little to create it";
    return {
      triples: [],
      problems: [{ code: "cannot_create", severity: "error", summary, detail, at }],
      secrets,
    };
  }
  const normal: SealedObject = { ...(live?.normal ?? defaultsOf(kind)), ...own };
  const want: Item = {
    ref: { kind: kind.name, key, id: isNew ? null : live.ref.id },
    normal: inOrder(normal, own, live),
    raw: live?.raw ?? null,
    owns: Object.keys(own),
    at: declared.path,
  };
  if (live === null || replaced.length === 0)
    return { triples: [{ base: null, want, live }], problems: [], secrets };
  return {
    triples: [
      { base: null, want: null, live: { ...live, at: declared.path } },
      { base: null, want, live: null },
    ],
    problems: replaced.map((field) => replacement(kind, field, key, declared, zone)),
    secrets,
  };
}

function isChanged(kind: Kind, field: string, own: SealedObject, live: Item): boolean {
  const [before, after] = [live.normal[field], own[field]];
  return before !== undefined && after !== undefined && !isSame(before, after, kind.meanings[field]);
}

function replacement(kind: Kind, field: string, key: string, declared: Declared, zone: WantedZone): Problem {
  return {
    code: "replaced",
    severity: "warning",
    summary: "A change that is a delete and a create",
    detail: `The ${field} of ${JSON.stringify(key)} cannot change in place: it is deleted and created again. ${kind.immutable[field]}`,
    at: zone.locate([...declared.path, field]),
  };
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
