import type { JsonObject } from "./json.js";
import type { SealedObject } from "./sealed.js";

/**
 * Where a difference between the files and the live state comes from. `declared`: the files were changed. `drift`: live
 * moved away from what they said. `conflict`: both. `unknown`: there is no base to tell by, or nothing to compare
 * with it.
 */
export type Origin = "declared" | "drift" | "conflict" | "unknown";

/** The origins of an object's differences, field by field. */
export interface Origins {
  readonly fields: { readonly [field: string]: Origin };
  /** Of all other fields, and of whether it is there at all. */
  readonly rest: Origin;
}

/** Without a base, origins are unknown. */
export const NO_ORIGINS: Origins = { fields: {}, rest: "unknown" };

export function originOf({ fields, rest }: Origins, field: string): Origin {
  return Object.hasOwn(fields, field) ? (fields[field] ?? rest) : rest;
}

/** What an object's differences come from, together. */
export function originOfAll(origins: Origins, fields: readonly string[]): Origin | "mixed" {
  const [first = origins.rest, ...others] = fields.map((field) => originOf(origins, field));
  return others.every((each) => each === first) ? first : "mixed";
}

/** Whether something was changed outside the files. */
export function isDrift(origin: Origin): boolean {
  return origin === "drift" || origin === "conflict";
}

/** One object of one kind in one zone. */
export interface Ref {
  /** The kind's name, as plan documents have it: `settings`, `policy`, … */
  readonly kind: string;
  /** What people call it: a policy's description; for a kind with one object a zone, the kind's name. */
  readonly key: string;
  /** The service's id, where it has one and it is known. */
  readonly id: string | null;
}

/**
 * Whether two looks, one after the other, see the same object. By the id, which a rename leaves; where one of them has none,
 * the object was not there yet or is there no more, and it is known by its name.
 */
export function isSameObject(a: Ref, b: Ref): boolean {
  if (a.kind !== b.kind) return false;
  return a.id === null || b.id === null ? a.key === b.key : a.id === b.id;
}

/**
 * The same within one look, where what has an id and what has none are two: a new object may be called as a live one is.
 */
export function isSameNow(a: Ref, b: Ref): boolean {
  return a.kind === b.kind && a.id === b.id && (a.id !== null || a.key === b.key);
}

/** Which objects a plan is narrowed to. */
export interface Picking {
  /** Whether any object of a kind may be among them. */
  readonly hasKind: (kind: string) => boolean;
  readonly has: (ref: Pick<Ref, "kind" | "key">) => boolean;
}

/** Whether an object is among them, by its name as it is or is to be. */
export function isAmong(picking: Picking, { want, live }: Pick<Triple, "want" | "live">): boolean {
  return [want, live].some((item) => item !== null && picking.has(item.ref));
}

/** Where a value was declared: its path inside the zone's merged body. A span is made of it only when it is shown. */
export type Path = readonly (string | number)[];

/** An object as one of base, wanted and live has it. */
export interface Item {
  readonly ref: Ref;
  /** The fields that are compared, in one spelling whatever the source. */
  readonly normal: SealedObject;
  /**
   * The object as the service gave it: of a wanted item, the one that it changes; of one that owns all, as it is to
   * be. Null when there is none. It is never shown: it may hold secrets.
   */
  readonly raw: JsonObject | null;
  /** Which fields the file owns. */
  readonly owns: "nothing" | "all" | readonly string[];
  readonly at: Path | null;
  /** Of a wanted item that takes its former place in a list: the ids of what stood before it, nearest first. */
  readonly behind?: readonly string[];
}

/** The same object in the three states that a plan compares. */
export interface Triple {
  readonly base: Item | null;
  readonly want: Item | null;
  readonly live: Item | null;
  readonly origins: Origins;
  /** What is live, read in the terms of what the base declares, and with nothing sealed. Absent: it is not known. */
  readonly inTermsOfBase?: SealedObject;
  /**
   * The object as the base has it, and as it is live where the base says nothing of it. Null: the base does not have it.
   * Absent: there is no base.
   */
  readonly past?: Item | null;
  /** Fields that the base does not declare, and that the files declare in part as they are live. Absent: none. */
  readonly newlyDeclared?: readonly NewlyDeclared[];
  /** The base declares it and the files no longer do: that is why it goes. */
  readonly noLongerDeclared?: true;
  /** Why something of it could not be compared with what is live. Absent: all was. */
  readonly notCompared?: readonly string[];
  /**
   * The live one cannot become the wanted one, which takes its place. `made`: that is there already, as another object,
   * since an apply was broken off before it deleted this one.
   */
  readonly replaces?: "whole" | "made";
}

/** A field that the base does not declare, or a member of one: `rules.9fae…`. */
export interface NewlyDeclared {
  readonly field: string;
  readonly name: string;
}

/** A sensitive field of a declared object whose secrets are not set. */
export interface UnsetField {
  readonly field: string;
  /** What stands for its value in calls. */
  readonly reference: string;
  /** Of the secrets. */
  readonly names: readonly string[];
  /**
   * What it is taken for, since it cannot be compared: by its text in the files, it is what it was before, or another one;
   * `unknown`: what was written there before is not known. `nothing`: nothing is live to compare it with.
   */
  readonly taken: "unchanged" | "changed" | "unknown" | "nothing";
}

/** Of a triple that no base tells anything of. */
export const WITHOUT_BASE = { base: null, origins: NO_ORIGINS } as const;

/** A path as a JSON pointer (RFC 6901). */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
