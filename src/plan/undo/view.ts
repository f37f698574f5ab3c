import { nameInside, secretKeys } from "../../kinds/fields.js";
import { declaredPath, type Kind, type Live, nameField } from "../../kinds/kind.js";
import { hasSensitive } from "../../kinds/secret-fields.js";
import type { Matched } from "../../match/match.js";
import { withoutReferences } from "../../match/seal.js";
import type { Declared, Service, WantedZone } from "../../model/declared-zone.js";
import type { Item } from "../../model/item.js";
import { asText, isObject, type Json, type JsonObject, without } from "../../model/json.js";
import type { AppliedChange } from "./states-before.js";

/** The rollback of one kind in a zone. */
export interface Undoing {
  readonly kind: Kind;
  readonly live: Live;
  /** The entries that the live objects were read for. */
  readonly reading: readonly Declared[];
  /** The zone in the files, and its entries of the kind: secrets can come only from there. */
  readonly zone: WantedZone;
  readonly declared: readonly Declared[];
  readonly service: Service;
}

/** The rollback of one object. */
export type Undone = Pick<Matched, "triples" | "problems" | "secrets">;

export const NOTHING: Undone = { triples: [], problems: [], secrets: new Map() };

/** Compares an object with the journal, which has no fields that may be secret. */
export interface View {
  /** Fields that may be secret, each with its name at the service. */
  readonly secretFields: ReadonlyMap<string, string>;
  /**
   * The object without fields that may be secret.
   *
   * @param unset the values of fields that the object does not show
   */
  itemOf(raw: JsonObject, unset?: JsonObject): Item;
}

/** @param live null: the object is absent */
export function viewOf(undoing: Undoing, { change, before, afters }: AppliedChange, live: Item | null): View {
  const { kind, reading } = undoing;
  const normalOf = (raw: JsonObject) => kind.normalOf(raw, undoing.live.context, reading) ?? {};
  const journaled = [before, ...afters].filter((raw) => raw !== null);
  const seen = hasSensitive(kind) ? [...journaled, live?.raw ?? {}].map(normalOf) : [];
  const fields = [...new Set(seen.flatMap(Object.keys))];
  const inside = (key: string, field: string): readonly (readonly [string, string])[] => {
    const name = nameInside(key, field);
    const secret = kind.fields[field]?.secret;
    if (name === null) return [];
    const isMarked = journaled.some((raw) => isMark(raw[name]));
    const hasValue = secret === "text" && journaled.some((raw) => Boolean(raw[name]));
    return (secret === "never" || hasValue) && !isMarked ? [] : [[field, name]];
  };
  const secretFields = new Map([
    ...secretKeys(kind.fields, "always").map((key) => [key, key] as const),
    ...secretKeys(kind.fields, "inside").flatMap((key) => fields.flatMap((field) => inside(key, field))),
  ]);
  const [hiddenFields, hiddenNames] = [[...secretFields.keys()], [...secretFields.values()]];
  return {
    secretFields,
    itemOf(raw, unset = {}) {
      const normal = without({ ...unset, ...normalOf(raw) }, hiddenFields);
      const name = asText(normal[nameField(kind) ?? ""] ?? "");
      const key = name === "" ? (live?.ref.key ?? change.key) : name;
      const ref = { kind: kind.name, key, id: live?.ref.id ?? null };
      const open = without(raw, hiddenNames);
      return withoutReferences({ ref, normal, raw: open, owns: "all", at: declaredPath(kind, key) });
    },
  };
}

/** Whether the object before the apply is one of its kind. Anybody may have put another one into the journal. */
export function isOfKind({ kind, live, reading }: Undoing, before: JsonObject): boolean {
  return kind.normalOf(before, live.context, reading) !== null;
}

/** Whether a journal has a reference or a mark in the place of a value. */
export function isMark(value: Json | undefined): boolean {
  return isObject(value) && ("$secret" in value || "$sensitive" in value);
}
