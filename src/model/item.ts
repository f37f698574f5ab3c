import { isList, isObject, type Json, type JsonObject } from "./json.js";
import type { SealedObject } from "./sealed.js";

/**
 * Where a difference between files and live state comes from. `declared`: the files changed. `drift`: the live state
 * moved away from the files. `conflict`: both. `unknown`: there is no base, or nothing to compare with it.
 */
export type Origin = "declared" | "drift" | "conflict" | "unknown";

/** The origins of an object's differences, field by field. */
export interface Origins {
  readonly fields: { readonly [field: string]: Origin };
  /** For all other fields, and for whether the object exists. */
  readonly rest: Origin;
}

/** Without a base, origins are unknown. */
export const NO_ORIGINS: Origins = { fields: {}, rest: "unknown" };

/** Of changes that only the files made. */
export const DECLARED: Origins = { fields: {}, rest: "declared" };

export function originOf({ fields, rest }: Origins, field: string): Origin {
  return Object.hasOwn(fields, field) ? (fields[field] ?? rest) : rest;
}

export function withOrigin(origins: Origins, fields: readonly string[], origin: Origin): Origins {
  const set = Object.fromEntries(fields.map((field) => [field, origin]));
  return { ...origins, fields: { ...origins.fields, ...set } };
}

/** The common origin of several fields. */
export function originOfAll(origins: Origins, fields: readonly string[]): Origin | "mixed" {
  const [first = origins.rest, ...more] = fields.map((field) => originOf(origins, field));
  return more.every((each) => each === first) ? first : "mixed";
}

/** Whether something was changed outside the files. */
export function isDrift(origin: Origin): boolean {
  return origin === "drift" || origin === "conflict";
}

/** One object of one kind in one zone. */
export interface Ref {
  /** The kind's name, as plan documents have it: `settings`, `policy`, … */
  readonly kind: string;
  /** A policy's description, for example; for a kind with one object per zone, the kind's name. */
  readonly key: string;
  /** The service's id; null: none, or unknown. */
  readonly id: string | null;
}

/** One key for all changes of an object in a zone: an object that is partly taken over and also changes has two. */
export function objectKey({ kind, key, id }: Ref): string {
  return JSON.stringify([kind, id ?? key]);
}

/**
 * Whether two successive readings show the same object. An id survives a rename. If one reading has no id, the object
 * was created or deleted in between, and its name counts.
 */
export function isSameAcrossReadings(a: Ref, b: Ref): boolean {
  if (a.kind !== b.kind) return false;
  return a.id === null || b.id === null ? a.key === b.key : a.id === b.id;
}

/** Within one reading, an object with an id and one without are different: a new object may have a live object's name. */
export function isSameWithinReading(a: Ref, b: Ref): boolean {
  return a.kind === b.kind && a.id === b.id && (a.id !== null || a.key === b.key);
}

/** Whether two objects have one name, whatever their ids. */
export function isSameName(a: Pick<Ref, "kind" | "key">, b: Pick<Ref, "kind" | "key">): boolean {
  return a.kind === b.kind && a.key === b.key;
}

/** The objects that a plan is narrowed to. */
export interface Picking {
  /** Whether the plan is not narrowed. */
  readonly isAll: boolean;
  /** Whether any object of this kind is selected. */
  readonly hasKind: (kind: string) => boolean;
  readonly has: (ref: Pick<Ref, "kind" | "key">) => boolean;
}

export const EVERYTHING: Picking = { isAll: true, hasKind: () => true, has: () => true };

/** Whether an object is selected, by its old or new name. */
export function isAmong(picking: Picking, { want, live }: Pick<Triple, "want" | "live">): boolean {
  return [want, live].some((item) => item !== null && picking.has(item.ref));
}

/** The path of a value inside the zone's merged body. It becomes a span only when it is shown. */
export type Path = readonly (string | number)[];

/** One object in base, desired state or live state. */
export interface Item {
  readonly ref: Ref;
  /** The compared fields, normalised. */
  readonly normal: SealedObject;
  /**
   * The service's object: for a desired item, the object that it changes, or, in a rollback, the restored rule or the
   * deleted object. Null: none. Never shown, as it may hold secrets.
   */
  readonly raw: JsonObject | null;
  /** The fields that the file owns. */
  readonly owns: "nothing" | "all" | readonly string[];
  readonly at: Path | null;
  /** For a desired item that returns to its old place in a list: the ids before that place, the nearest first. */
  readonly behind?: readonly string[];
}

/** The same object in the three states that a plan compares. */
export interface Triple {
  readonly base: Item | null;
  readonly want: Item | null;
  readonly live: Item | null;
  readonly origins: Origins;
  /** The base's object, completed by the live one. Null: the base lacks the object. Absent: no base. */
  readonly inBase?: Item | null;
  /** Fields not in the base, of which the files declare a part with their live values. Absent: none. */
  readonly newlyDeclared?: readonly NewlyDeclared[];
  /** The object is deleted because the files no longer declare it, as the base does. */
  readonly noLongerDeclared?: true;
  /** Why parts could not be compared with the live state. Absent: all were compared. */
  readonly notCompared?: readonly string[];
  /**
   * The desired object replaces the live one, which cannot change in place. `made`: an interrupted apply has already
   * created the new object, but not deleted this one.
   */
  readonly replaces?: "whole" | "made";
}

/** A field that the base does not declare, or a member of a field: `rules.9fae…`. */
export interface NewlyDeclared {
  readonly field: string;
  readonly name: string;
}

/** A sensitive field of a declared object whose secrets are not set. */
export interface UnsetField {
  readonly field: string;
  /** Its value in calls. */
  readonly reference: string;
  /** The names of the secrets. */
  readonly names: readonly string[];
  /**
   * The assumption made instead of a comparison, from the text in the files: unchanged or changed; `unknown`: the
   * earlier text is unknown; `nothing`: there is no live value.
   */
  readonly taken: "unchanged" | "changed" | "unknown" | "nothing";
}

/** For an object that the base tells nothing about. */
export const WITHOUT_BASE = { base: null, origins: NO_ORIGINS } as const;

/** A path as a JSON pointer (RFC 6901). */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The texts inside a value, with their places. */
export function textsAt(value: Json, at: Path): readonly { readonly at: Path; readonly text: string }[] {
  if (typeof value === "string") return [{ at, text: value }];
  if (isList(value)) return value.flatMap((each, index) => textsAt(each, [...at, index]));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => textsAt(each, [...at, key])) : [];
}
