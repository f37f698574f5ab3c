import type { OpenZone } from "../config/zone.js";
import { diffFields, isSame } from "../kinds/fields.js";
import { entryName, type Kind, type Live, listOf, nameField } from "../kinds/kind.js";
import { type KindState, type Matched, match } from "../match/match.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { type Item, type Origin, originOf, type Path, type Ref, type Triple } from "../model/item.js";
import { failed, ok, type Result } from "../model/problem.js";
import type { Unmanaged } from "../model/unmanaged.js";
import { budgeted } from "../model/work-budget.js";
import { type Position, positionsIn } from "./position.js";

/** The drift of one object. `ref` is the object as plans name it. */
type Drifted =
  | {
      readonly as: "changed";
      readonly ref: Ref;
      readonly declared: Declared;
      readonly live: Item;
      readonly fields: readonly DriftedField[];
      readonly position: Position | null;
    }
  /** Declared, and no longer live. */
  | { readonly as: "gone"; readonly ref: Ref; readonly declared: Declared; readonly origin: Origin }
  /** Live, but not wanted: by `ensure: absent`, or by pruning (null). */
  | {
      readonly as: "came";
      readonly ref: Ref;
      readonly declared: Declared | null;
      readonly live: Item;
      readonly origin: Origin;
      /** Null: order does not count. */
      readonly position: Position | null;
    }
  /** A foreign rule, or undeclared fields of a declared object, which adopt never declares. */
  | ({ readonly as: "beside" } & Pick<Unmanaged, "ref" | "list" | "does" | "fields">);

interface DriftedField {
  readonly field: string;
  readonly origin: Origin;
}

/**
 * The drift of a kind in a zone, as in a document about drift.
 *
 * @param withUndeclared whether to include undeclared objects
 */
export function driftedOf(
  state: KindState,
  zone: WantedZone,
  withUndeclared: boolean,
): Result<readonly Drifted[]> {
  const { kind, declared, live } = state;
  const { value: matched } = budgeted(zone.name, () => match(state, zone, { only: "drift" }));
  const { triples, problems, unset } = matched;
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return failed(...errors);
  const byPlace = new Map(declared.map((entry) => [JSON.stringify(entry.path), entry]));
  const entryAt = (path: Path | null) => (path === null ? null : (byPlace.get(JSON.stringify(path)) ?? null));
  // A triple has sealed values. The live item has them in clear.
  const unseal = (item: Item) => live.items.find(({ raw }) => raw === item.raw) ?? item;
  const isUnset = ({ ref }: Item, path: string) =>
    unset.some(({ ref: { id }, field }) => id !== null && id === ref.id && field === path);
  const locate = positionsIn(kind, triples, live.items);
  const changed = triples.flatMap((triple) => driftedIn(kind, triple, entryAt, unseal, isUnset, locate));
  return ok([...changed, ...(withUndeclared ? undeclaredIn(matched, unseal, locate) : [])]);
}

function undeclaredIn(
  { unmanaged: undeclared, kept }: Matched,
  unseal: (item: Item) => Item,
  locate: (item: Item) => Position | null,
): readonly Drifted[] {
  return undeclared
    .filter(({ known }) => known === "not_listed")
    .map((object): Drifted => {
      const { ref } = object;
      const item = kept.find((each) => each.ref === ref);
      if (item === undefined) return { as: "beside", ...object };
      const live = unseal(item);
      return { as: "came", ref, declared: null, live, origin: "drift", position: locate(live) };
    });
}

function driftedIn(
  kind: Kind,
  { want, live, origins, noLongerDeclared, replaces }: Triple,
  entryAt: (path: Path | null) => Declared | null,
  unseal: (item: Item) => Item,
  isUnset: (item: Item, field: string) => boolean,
  locate: (item: Item) => Position | null,
): readonly Drifted[] {
  const entry = entryAt(want?.at ?? live?.at ?? null);
  if (want !== null && live !== null && replaces === undefined) {
    const fields = diffFields(live.normal, want.normal, kind.fields);
    if (fields.length === 0 || entry === null) return [];
    const drifted = fields.map(({ path }) => ({ field: path, origin: originOf(origins, path) }));
    const item = unseal(live);
    return [
      {
        as: "changed",
        ref: want.ref,
        declared: entry,
        live: item,
        fields: drifted,
        position: locate(item),
      },
    ];
  }
  if (live === null)
    return entry === null || want === null
      ? []
      : [{ as: "gone", ref: want.ref, declared: entry, origin: origins.rest }];
  const item = unseal(live);
  const { ref } = live;
  // The files delete an object that was changed outside.
  if (noLongerDeclared === true)
    return [{ as: "came", ref, declared: null, live: item, origin: "conflict", position: null }];
  if (want === null || entry === null)
    return [{ as: "came", ref, declared: entry, live: item, origin: origins.rest, position: locate(item) }];
  const desired = kind.toDesired(entry.body, item);
  const fields = Object.keys(desired)
    .filter((field) => !isSame(item.normal[field] ?? null, desired[field] ?? null, kind.fields[field]))
    .filter((field) => kind.fields[field]?.writeOnly !== true && !isUnset(item, field));
  return [
    {
      as: "changed",
      ref,
      declared: entry,
      live: item,
      fields: fields.map((field) => ({ field, origin: origins.rest })),
      position: null,
    },
  ];
}

/** The drift of one object, with everything for writing it back. */
export interface Unit {
  readonly zone: OpenZone;
  readonly kind: Kind;
  readonly context: Live["context"];
  /**
   * Fields whose live values are never written in clear: the base or the files have them as secrets in an object of the
   * kind.
   */
  readonly secretFields: ReadonlySet<string>;
  readonly drifted: Drifted;
}

/** The outcome for a unit or one of its fields. */
export interface UnitOutcome {
  readonly unit: Unit;
  /** Null: the whole object. */
  readonly field: string | null;
  /** The reason why it was left. Null: written back. */
  readonly why: string | null;
}

/** The section of a unit, or the list of a foreign rule. */
export function sectionOf({ kind, drifted }: Unit): string {
  if (drifted.as === "beside") return drifted.list;
  const entry = drifted.declared;
  return entry === null ? (listOf(kind)?.section ?? kind.section) : String(entry.path[0]);
}

/** The name in plans, which is unique. */
export function keyOf(unit: Unit): string {
  const { kind, drifted } = unit;
  return drifted.as !== "beside" && nameField(kind) !== null ? drifted.ref.key : nameOf(unit);
}

/** The name, which may not be unique. */
export function nameOf({ kind, drifted }: Unit): string {
  if (drifted.as === "beside") return drifted.ref.key === "" ? (drifted.ref.id ?? "") : drifted.ref.key;
  if (drifted.as === "came" && (drifted.declared === null || nameField(kind) !== null))
    return listOf(kind) === null ? kind.section : drifted.live.ref.key;
  return drifted.declared === null ? kind.section : entryName(kind, drifted.declared);
}

/** The value that the object's name counts within. Null: none, or not set. */
export function withinOf({ kind, drifted }: Unit): string | null {
  if (drifted.as === "beside") return null;
  return (
    drifted.as === "came" ? kind.keys.live(drifted.live) : kind.keys.declared(drifted.declared.body, null)
  ).within;
}
