import { nameInside, secretKeys, valuesOf } from "../../kinds/fields.js";
import { isCreated, type Kind, type Live } from "../../kinds/kind.js";
import type { Matched } from "../../match/match.js";
import { withoutReferences } from "../../match/seal.js";
import type { Declared, Service, WantedZone } from "../../model/declared-zone.js";
import type { Item } from "../../model/item.js";
import { type JsonObject, without } from "../../model/json.js";
import { isMasked, type SealedObject } from "../../model/sealed.js";
import { messagesFor } from "./messages.js";
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

/** One object that the apply may have changed, compared with the journal, which has no fields that may be secret. */
export interface Past extends Undoing, AppliedChange {
  readonly messages: ReturnType<typeof messagesFor>;
  /** Fields that may be secret, each with its name at the service. */
  readonly secretFields: ReadonlyMap<string, string>;
  /** Null: the object is not one of the kind. Anybody may have put it into the journal. */
  normalOf(raw: JsonObject): SealedObject | null;
  /**
   * The object without fields that may be secret.
   *
   * @param unset the values of fields that the object does not show. Absent: those of an object that always exists, where
   * nothing was set in it, before or now
   */
  itemOf(raw: JsonObject, unset?: JsonObject): Item;
}

export function pastOf(undoing: Undoing, applied: AppliedChange): Past {
  const { kind, live, reading, zone } = undoing;
  const { change, before, afters, behind } = applied;
  const normalOf = (raw: JsonObject) => kind.normalOf(raw, live.context, reading);
  const journaled = [before, ...afters].filter((raw) => raw !== null);
  const inside = (key: string, field: string): readonly (readonly [string, string])[] => {
    const name = nameInside(key, field);
    const secret = kind.fields[field]?.secret;
    if (name === null) return [];
    const isMarked = journaled.some((raw) => isMasked(raw[name]));
    const hasValue = secret === "text" && journaled.some((raw) => Boolean(raw[name]));
    return (secret === "never" || hasValue) && !isMarked ? [] : [[field, name]];
  };
  const fieldsSeen = () => {
    const seen = [...journaled.map(normalOf), ...live.items.map(({ normal }) => normal)];
    return [...new Set(seen.flatMap((normal) => Object.keys(normal ?? {})))];
  };
  const secretFields = new Map([
    ...secretKeys(kind.fields, "always").map((key) => [key, key] as const),
    ...secretKeys(kind.fields, "inside").flatMap((key) =>
      fieldsSeen().flatMap((field) => inside(key, field)),
    ),
  ]);
  const raws = [before, ...live.items.map(({ raw }) => raw)];
  const unsetValues = !isCreated(kind) && raws.some(isUnset) ? valuesOf(kind.fields, "unset") : {};
  return {
    ...undoing,
    ...applied,
    messages: messagesFor(applied, zone.name),
    secretFields,
    normalOf,
    itemOf(raw, unset = unsetValues) {
      const normal = without({ ...unset, ...normalOf(raw) }, [...secretFields.keys()]);
      const ref = { kind: kind.name, key: change.key, id: null };
      const open = without(raw, [...secretFields.values()]);
      const item: Item = { ref, normal, raw: open, owns: "all", at: [kind.section] };
      return withoutReferences(behind === null ? item : { ...item, behind });
    },
  };
}

/** Whether nothing was ever set in an object. */
export function isUnset(raw: JsonObject | null): boolean {
  return raw !== null && Object.keys(raw).length === 0;
}
