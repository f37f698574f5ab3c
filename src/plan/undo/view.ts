import { nameInside, secretKeys } from "../../kinds/fields.js";
import { type Kind, type Live, placeFor } from "../../kinds/kind.js";
import { hasSensitive } from "../../kinds/sensitive.js";
import type { Matched } from "../../match/match.js";
import { withoutReferences } from "../../match/seal.js";
import type { Item } from "../../model/item.js";
import { asText, isObject, type Json, type JsonObject } from "../../model/json.js";
import type { Declared, Service, WantedZone } from "../../model/wanted.js";
import type { Past } from "./past.js";

/** One kind's part of a zone that is to go back. */
export interface Undoing {
  readonly kind: Kind;
  readonly live: Live;
  /** The entries that the live objects were read for. */
  readonly reading: readonly Declared[];
  /** The zone as the files have it now, and what they declare of the kind: secrets can come only from there. */
  readonly zone: WantedZone;
  readonly declared: readonly Declared[];
  readonly service: Service;
}

/** What going back comes to for one object. */
export type Undone = Pick<Matched, "triples" | "problems" | "secrets">;

export const NOTHING: Undone = { triples: [], problems: [], secrets: new Map() };

/** How an object is compared with the journal, which says nothing of fields that may be secret. */
export interface View {
  /** Those fields of the normal form, each with its name in the object as the service has it. */
  readonly secretFields: ReadonlyMap<string, string>;
  /**
   * The object as it is to be, without those fields.
   *
   * @param unset the values of fields that the object does not show
   */
  itemOf(raw: JsonObject, unset?: JsonObject): Item;
}

/** @param live the object as it is now; null: it is absent */
export function viewOf(undoing: Undoing, { change, before, afters }: Past, live: Item | null): View {
  const { kind, reading } = undoing;
  const { shape } = kind;
  const normalOf = (raw: JsonObject) => kind.normalOf(raw, undoing.live.context, reading) ?? {};
  const journaled = [before, ...afters].filter((raw) => raw !== null);
  const seen = hasSensitive(kind) ? [...journaled, live?.raw ?? {}].map(normalOf) : [];
  const fields = [...new Set(seen.flatMap(Object.keys))];
  const inside = (key: string, field: string): readonly (readonly [string, string])[] => {
    const name = nameInside(key, field);
    const secret = kind.fields[field]?.secret;
    if (name === null) return [];
    const isMarked = journaled.some((raw) => isMark(raw[name]));
    const isSaid = secret === "text" && journaled.some((raw) => Boolean(raw[name]));
    return (secret === "never" || isSaid) && !isMarked ? [] : [[field, name]];
  };
  const secretFields = new Map([
    ...secretKeys(kind.fields, "always").map((key) => [key, key] as const),
    ...secretKeys(kind.fields, "inside").flatMap((key) => fields.flatMap((field) => inside(key, field))),
  ]);
  const secretNames = new Set(secretFields.values());
  return {
    secretFields,
    itemOf(raw, unset = {}) {
      const normal = without({ ...unset, ...normalOf(raw) }, secretFields);
      const name = shape.as === "one" ? "" : asText(normal[shape.named]);
      const key = name === "" ? (live?.ref.key ?? change.key) : name;
      const ref = { kind: kind.name, key, id: live?.ref.id ?? null };
      const open = without(raw, secretNames);
      return withoutReferences({ ref, normal, raw: open, owns: "all", at: placeFor(kind, key) });
    },
  };
}

function without<Value>(
  object: { readonly [name: string]: Value },
  names: Pick<ReadonlySet<string>, "has">,
): { readonly [name: string]: Value } {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));
}

/** Whether a journal has a reference or a mark in the place of a value. */
export function isMark(value: Json | undefined): boolean {
  return isObject(value) && ("$secret" in value || "$sensitive" in value);
}
