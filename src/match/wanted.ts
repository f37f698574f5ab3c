import { isSame } from "../diff/fields.js";
import type { Kind } from "../kinds/kind.js";
import { type Item, type Triple, WITHOUT_BASE } from "../model/item.js";
import type { Json } from "../model/json.js";
import { asText } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { type Pair, pinOf } from "./pair.js";
import { type SealedPair, seal, withoutSensitive } from "./seal.js";

/** What one declared object comes to. An object that cannot change in place is two triples: one goes, one comes. */
export interface Wanted {
  readonly triples: readonly Triple[];
  readonly problems: readonly Problem[];
  readonly secrets: ReadonlyMap<string, Json>;
}

/** The triple of a declared object, or its two: what cannot change in place goes, and comes again. */
export function toTriples(kind: Kind, { declared, live }: Pair, zone: WantedZone): Wanted {
  if (declared.body.ensure === "absent") return live === null ? NOTHING : removed(kind, declared, live);
  if (live === null) return created(kind, declared, "is not live", zone);
  const plain = kind.want(declared.body, live);
  const key = keyOf(kind, { ...live.normal, ...plain });
  const sealed = seal(kind, declared, plain, key, live, zone);
  const fixed = changedFixed(kind, sealed);
  return fixed.length > 0
    ? replaced(kind, declared, live, fixed, zone)
    : updated(kind, declared, key, sealed);
}

const NOTHING: Wanted = { triples: [], problems: [], secrets: new Map() };

function removed(kind: Kind, { path }: Declared, live: Item): Wanted {
  return {
    ...NOTHING,
    triples: [{ ...WITHOUT_BASE, want: null, live: { ...withoutSensitive(kind, live), at: path } }],
  };
}

/** What the file does not own is filled in from live. */
function updated(kind: Kind, { path }: Declared, key: string, { own, live, secrets }: SealedPair): Wanted {
  const ref = { kind: kind.name, key, id: live?.ref.id ?? null };
  const normal = { ...live?.normal, ...own };
  const want: Item = { ref, normal, raw: live?.raw ?? null, owns: Object.keys(own), at: path };
  return { triples: [{ ...WITHOUT_BASE, want, live }], problems: [], secrets };
}

/** What the file does not own is filled in from the defaults. A new object reads in the order of its file. */
function created(kind: Kind, declared: Declared, why: string, zone: WantedZone): Wanted {
  const plain = kind.want(declared.body, null);
  const key = keyOf(kind, plain);
  const { own, secrets } = seal(kind, declared, plain, key, null, zone);
  const problems = missing(kind, own, key, why, declared, zone);
  if (problems.length > 0) return { triples: [], problems, secrets };
  const defaults = kind.creation.possible ? kind.creation.defaults : {};
  const want: Item = {
    ref: { kind: kind.name, key, id: null },
    normal: { ...own, ...defaults, ...own },
    raw: null,
    owns: Object.keys(own),
    at: declared.path,
  };
  return { triples: [{ ...WITHOUT_BASE, want, live: null }], problems: [], secrets };
}

/** The new object is made of the file and the defaults alone, so that it is the same whenever it is made. */
function replaced(
  kind: Kind,
  declared: Declared,
  live: Item,
  fixed: readonly string[],
  zone: WantedZone,
): Wanted {
  const fresh = created(kind, declared, cannot(fixed), zone);
  const [want] = fresh.triples.map((triple) => triple.want);
  if (pinOf(declared) !== null) {
    const key = keyOf(kind, { ...live.normal, ...kind.want(declared.body, live) });
    return { ...NOTHING, problems: [...fresh.problems, pinnedReplaced(key, fixed, declared, zone)] };
  }
  if (want === undefined || want === null) return fresh;
  return {
    triples: [...removed(kind, declared, live).triples, ...fresh.triples],
    problems: fixed.map((field) => replacement(kind, field, want, live, declared, zone)),
    secrets: fresh.secrets,
  };
}

/** The fields that would have to change and cannot. */
function changedFixed(kind: Kind, { own, live }: SealedPair): readonly string[] {
  return Object.keys(kind.immutable).filter((field) => {
    const [before, after] = [live?.normal[field], own[field]];
    return before !== undefined && after !== undefined && !isSame(before, after, kind.meanings[field]);
  });
}

function cannot(fixed: readonly string[]): string {
  return `cannot change its ${fixed.join(" and ")} in place`;
}

function missing(
  kind: Kind,
  own: SealedObject,
  key: string,
  why: string,
  declared: Declared,
  zone: WantedZone,
): readonly Problem[] {
  const fields = kind.creation.possible ? kind.creation.required.filter((field) => !(field in own)) : [];
  if (fields.length === 0) return [];
  const detail = `${JSON.stringify(key)} ${why} in ${zone.name}, and to create it ${fields.join(", ")} must be given. Add ${fields.length === 1 ? "it" : "them"}, or correct the name.`;
  const summary = "Too little to create it";
  return [{ code: "cannot_create", severity: "error", summary, detail, at: zone.locate(declared.path) }];
}

/** The new object would have another id, and then the pin would lead nowhere. */
function pinnedReplaced(
  key: string,
  fixed: readonly string[],
  { path }: Declared,
  zone: WantedZone,
): Problem {
  return {
    code: "pinned_replaced",
    severity: "error",
    summary: "A pinned object that would be replaced",
    detail: `${JSON.stringify(key)} ${cannot(fixed)}: it would be deleted and created again, with another id than the one that is pinned here. Remove id.`,
    at: zone.locate([...path, "id"]),
  };
}

function replacement(
  kind: Kind,
  field: string,
  want: Item,
  live: Item,
  { path }: Declared,
  zone: WantedZone,
): Problem {
  const after = { ...(kind.creation.possible ? kind.creation.implied : {}), ...want.normal };
  const lost = Object.keys(live.normal).filter(
    (each) =>
      !want.owns.includes(each) &&
      !isSame(live.normal[each] ?? null, after[each] ?? null, kind.meanings[each]),
  );
  const rest =
    lost.length === 0 ? "" : ` What the file does not declare does not come along: ${lost.join(", ")}.`;
  return {
    code: "replaced",
    severity: "warning",
    summary: "A change that is a delete and a create",
    detail: `The ${field} of ${JSON.stringify(want.ref.key)} cannot change in place: it is deleted and created again. ${kind.immutable[field]}${rest}`,
    at: zone.locate([...path, ...field.split(".")]),
  };
}

function keyOf(kind: Kind, normal: SealedObject): string {
  return kind.shape.as === "one" ? kind.name : asText(normal[kind.shape.named]);
}
