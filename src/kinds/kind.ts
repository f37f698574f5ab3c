import type { Meanings } from "../diff/meaning.js";
import type { Item, Path, Triple } from "../model/item.js";
import type { Json, JsonObject } from "../model/json.js";
import type { Action, FieldChange, Step } from "../model/plan.js";
import type { Problem, Result } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
import type { SealedObject } from "../model/sealed.js";
import type { Dimensions } from "../model/strength.js";
import type { Schema, Service } from "../model/wanted.js";

/** One kind of object that the files can declare: all that the rest of the program knows about it. */
export interface Kind {
  /** As plan documents name it: `settings`, `policy`. */
  readonly name: string;
  /** The key in a zone's body: `settings`, `policies`. */
  readonly section: string;
  readonly shape: Shape;
  /** Of one object, as it is declared. Keys that the service does not have: `id`, `ensure`, `renamed_from`. */
  readonly schema: Schema;
  /** Other names that a declared key may have → its name. */
  readonly aliases: { readonly [alias: string]: string };
  readonly creation: Creation;
  /** What makes two values of a field the same. */
  readonly meanings: Meanings;
  /** The token's permission groups that reading and writing need, as the service's dashboard names them. */
  readonly permissions: { readonly read: string; readonly write: string };

  /** What is wrong with one declared object, as far as that can be said offline. */
  check(declared: JsonObject, service: Service): readonly Finding[];
  /** The zone's live objects, whole. A failed read is a problem, never an absent object. */
  read(api: ReadApi, zoneId: string): Promise<Result<readonly JsonObject[]>>;
  /** A live object, read generously. */
  live(raw: JsonObject): Item;
  /** The fields that a declared object owns, in the normal form; not the keys that say how to find it. */
  want(declared: JsonObject): SealedObject;
  dimensions(normal: SealedObject): Dimensions;
  /** The calls that carry out the zone's changes of this kind. */
  steps(changes: readonly Drafted[], zone: ZoneLive): readonly Draft[];
  /** A field's value for people, where the bare value says too little: `allow (blocks the rest)`. */
  explain(field: string, value: Json): string | null;
  /** What is odd about a live object that stays as it is. */
  concerns(
    live: Item,
    service: Service,
  ): readonly { readonly code: string; readonly summary: string; readonly detail: string }[];
}

export type Shape =
  /** One object a zone, always there. */
  | { readonly as: "one" }
  /** Any number, told apart by this field. */
  | { readonly as: "list"; readonly named: string };

export type Creation =
  | { readonly possible: false }
  | {
      readonly possible: true;
      /** Fields without which an object cannot be created. */
      readonly required: readonly string[];
      /** Fields that a new object gets when the file does not say. */
      readonly defaults: JsonObject;
    };

/** A problem inside one declared object; the path starts at the object. */
export interface Finding {
  readonly path: Path;
  readonly severity: Problem["severity"];
  readonly code: string;
  readonly summary: string;
  readonly detail: string;
}

/** A change before it has calls. `at` is its index among the zone's changes. */
export interface Drafted {
  readonly at: number;
  readonly action: Action;
  readonly triple: Triple;
  readonly fields: readonly FieldChange[];
}

export interface ZoneLive {
  readonly zoneId: string;
  /** All live objects of the kind in the zone. */
  readonly items: readonly Item[];
}

/** A step before it has a number. */
export type Draft = Omit<Step, "n" | "needs">;
