import { isSame } from "../kinds/fields.js";
import type { Kind } from "../kinds/kind.js";
import {
  hasSensitive,
  mayBeSensitive,
  type SensitiveField,
  sensitiveFields,
} from "../kinds/secret-fields.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { type Item, pointerOf, type UnsetField } from "../model/item.js";
import { equal, isObject, type Json } from "../model/json.js";
import { NOT_COMPARED, type Sealed, type SealedObject, type Sensitive } from "../model/sealed.js";

/** The desired and the live state of an object, with references and marks in place of sensitive values. */
export interface SealedPair {
  readonly desired: SealedObject;
  readonly live: Item | null;
  /** The values of the references. */
  readonly secrets: ReadonlyMap<string, Json>;
  /** Fields whose secrets are not set. */
  readonly unset: readonly UnsetField[];
}

/** An object in the files before the change. */
export interface Former {
  /** Used to compare a value that is not set. `nothing`: the base has no such entry; null: unknown. */
  readonly entry:
    | { readonly declared: Declared; readonly zone: Pick<WantedZone, "interpolated"> }
    | "nothing"
    | null;
  /** Fields of the kind that were secrets. Their live values are not shown, even if the files now have no secret there. */
  readonly secretFields: ReadonlySet<string>;
}

/**
 * Seals the fields of a declared object and of its live object.
 *
 * @param isReplaced whether a new object takes the place of the live one: then all values are sent, the same or not
 */
export function seal(
  kind: Kind,
  declared: Declared,
  desired: SealedObject,
  key: string,
  live: Item | null,
  zone: WantedZone,
  former: Former,
  isReplaced = false,
): SealedPair {
  if (!hasSensitive(kind)) return { desired: desired, live, ...NO_SECRETS };
  const secrets = new Map<string, Json>();
  const unset: UnsetField[] = [];
  const sealedDesired: Record<string, Sealed> = { ...desired };
  const sealedLive: Record<string, Sealed> = { ...live?.normal };
  for (const sensitiveField of sensitiveFields(kind, declared, zone, former.secretFields)) {
    const { field, name, isSecret } = sensitiveField;
    const value = desired[field];
    if (value === undefined) continue;
    const reference = referenceTo(name, [zone.name, kind.name, key, field]);
    const unsetField =
      sensitiveField.unset.length === 0
        ? null
        : toUnsetField(kind, sensitiveField, reference, live, former, isReplaced);
    const relationToLive =
      unsetField === null ? relation(live?.normal[field], value, kind, field) : RELATIONS[unsetField.taken];
    // The field is no longer secret and did not change, so its declared value may be shown.
    const isShown = !isSecret && former.secretFields.has(field) && relationToLive.$sensitive === "same";
    if (live !== null) sealedLive[field] = isShown ? value : relationToLive;
    if (!isSecret) continue;
    if (unsetField === null)
      secrets.set(reference, value as Json); // a desired value is JSON
    else unset.push(unsetField);
    sealedDesired[field] = { $secret: reference };
  }
  const normal = withoutUndeclared(kind, sealedLive, sealedDesired);
  return { desired: sealedDesired, live: live === null ? null : { ...live, normal }, secrets, unset };
}

/** A field whose secrets are not set. Its texts in the files before and after are compared instead. */
function toUnsetField(
  kind: Kind,
  { field, written, unset }: SensitiveField,
  reference: string,
  live: Item | null,
  { entry: former }: Former,
  isReplaced: boolean,
): UnsetField {
  const hasLiveValue =
    live !== null && kind.fields[field]?.writeOnly !== true && (live.normal[field] ?? null) !== null;
  const before =
    former === null || former === "nothing" ? [] : sensitiveFields(kind, former.declared, former.zone);
  const beforeField = before.find((each) => each.field === field);
  const isOpen = former === null && !isReplaced;
  const comparison = isOpen
    ? "unknown"
    : beforeField !== undefined && equal(beforeField.written, written)
      ? "unchanged"
      : "changed";
  return { field, reference, names: unset, taken: hasLiveValue ? comparison : "nothing" };
}

/** Unknown counts as the same. An apply that has the secret compares it, and refuses a change that was not reviewed. */
const RELATIONS: { readonly [taken in UnsetField["taken"]]: Sensitive } = {
  unchanged: { $sensitive: "same" },
  unknown: { $sensitive: "same" },
  changed: NOT_COMPARED,
  nothing: { $sensitive: "absent" },
};

/**
 * The reference to a secret: its variable, or its place in the files. Names may contain a slash, so places are escaped and
 * no two have the same reference.
 */
export function referenceTo(name: string | null, place: readonly string[]): string {
  return name === null ? `file:${pointerOf(place).slice(1)}` : `env:${name}`;
}

/** An undeclared live object without its sensitive fields. */
export function withoutSensitive(kind: Kind, item: Item): Item {
  return !hasSensitive(kind) ? item : { ...item, normal: withoutUndeclared(kind, item.normal, {}) };
}

const NO_SECRETS: Pick<SealedPair, "secrets" | "unset"> = { secrets: new Map(), unset: [] };

function withoutUndeclared(kind: Kind, normal: SealedObject, desired: SealedObject): SealedObject {
  const shown = Object.entries(normal).filter(([field]) => !mayBeSensitive(kind, field) || field in desired);
  return Object.fromEntries(shown);
}

function relation(live: Sealed | undefined, desired: Sealed, kind: Kind, field: string): Sensitive {
  if (live === undefined || live === null) return { $sensitive: "absent" };
  return { $sensitive: isSame(live, desired, kind.fields[field]) ? "same" : "different" };
}

/**
 * Turns live values that look like a plan's references into text. Data from the service is untrusted, and references stand
 * for secrets or for ids of created objects.
 */
export function withoutReferences(item: Item): Item {
  const odd = Object.entries(item.normal).filter(([, value]) => isLikeReference(value));
  const texts = odd.map(([field, value]) => [field, JSON.stringify(value)] as const);
  return odd.length === 0 ? item : { ...item, normal: { ...item.normal, ...Object.fromEntries(texts) } };
}

function isLikeReference(value: Sealed): boolean {
  return isObject(value) && Object.keys(value).some((key) => key.startsWith("$"));
}
