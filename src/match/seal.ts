import { isSame } from "../kinds/fields.js";
import type { Kind } from "../kinds/kind.js";
import { hasSensitive, mayBeSensitive, type SensitiveField, sensitiveFields } from "../kinds/sensitive.js";
import { type Item, pointerOf, type UnsetField } from "../model/item.js";
import { equal, isObject, type Json } from "../model/json.js";
import type { Sealed, SealedObject, Sensitive } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";

/** An object's own fields and its live state with references in place of what is sensitive. */
export interface SealedPair {
  readonly own: SealedObject;
  readonly live: Item | null;
  /** What the references stand for. */
  readonly secrets: ReadonlyMap<string, Json>;
  /** Fields of which that is not known. */
  readonly unset: readonly UnsetField[];
}

/** What the files before the change say of an object. */
export interface Former {
  /** By which a value is judged that is not there. `nothing`: they do not have it; null: it is not known. */
  readonly entry:
    | { readonly declared: Declared; readonly zone: Pick<WantedZone, "interpolated"> }
    | "nothing"
    | null;
  /** What they have as secrets in objects of its kind: its live values are not shown, whatever is declared now. */
  readonly secretFields: ReadonlySet<string>;
}

/**
 * Seals a declared object's fields, as `want` gave them, and those of the live object that it is compared with.
 *
 * @param isReplaced whether a new object takes the place of the live one: what it has is sent, the same or not
 */
export function seal(
  kind: Kind,
  declared: Declared,
  own: SealedObject,
  key: string,
  live: Item | null,
  zone: WantedZone,
  former: Former,
  isReplaced = false,
): SealedPair {
  if (!hasSensitive(kind)) return { own, live, ...NO_SECRETS };
  const secrets = new Map<string, Json>();
  const unset: UnsetField[] = [];
  const sealedOwn: Record<string, Sealed> = { ...own };
  const sealedLive: Record<string, Sealed> = { ...live?.normal };
  for (const each of sensitiveFields(kind, declared, zone, former.secretFields)) {
    const { field, name, isSecret } = each;
    const value = own[field];
    if (value === undefined) continue;
    const reference = referenceTo(name, [zone.name, kind.name, key, field]);
    const open = each.unset.length === 0 ? null : openField(kind, each, reference, live, former, isReplaced);
    const stands = open === null ? relation(live?.normal[field], value, kind, field) : RELATIONS[open.taken];
    // The field is no longer secret and did not change, so its declared value may be shown.
    const isTold = !isSecret && former.secretFields.has(field) && stands.$sensitive === "same";
    if (live !== null) sealedLive[field] = isTold ? value : stands;
    if (!isSecret) continue;
    if (open === null)
      secrets.set(reference, value as Json); // what `want` gives of a declared value is JSON
    else unset.push(open);
    sealedOwn[field] = { $secret: reference };
  }
  const normal = withoutUndeclared(kind, sealedLive, sealedOwn);
  return { own: sealedOwn, live: live === null ? null : { ...live, normal }, secrets, unset };
}

/** A field whose secrets are not set: what cannot be compared is judged by what was written there before. */
function openField(
  kind: Kind,
  { field, written, unset }: SensitiveField,
  reference: string,
  live: Item | null,
  { entry: former }: Former,
  isReplaced: boolean,
): UnsetField {
  const isThere =
    live !== null && kind.fields[field]?.writeOnly !== true && (live.normal[field] ?? null) !== null;
  const before =
    former === null || former === "nothing" ? [] : sensitiveFields(kind, former.declared, former.zone);
  const was = before.find((each) => each.field === field);
  const isOpen = former === null && !isReplaced;
  const judged = isOpen
    ? "unknown"
    : was !== undefined && equal(was.written, written)
      ? "unchanged"
      : "changed";
  return { field, reference, names: unset, taken: isThere ? judged : "nothing" };
}

/** Unknown counts as the same. An apply that has the secret compares it, and refuses a change that was not reviewed. */
const RELATIONS: { readonly [taken in UnsetField["taken"]]: Sensitive } = {
  unchanged: { $sensitive: "same" },
  unknown: { $sensitive: "same" },
  changed: { $sensitive: "not_compared" },
  nothing: { $sensitive: "absent" },
};

/**
 * What stands for a secret: where it comes from, or where in the files it is written out. Names may have a slash in
 * them: no two places have one reference.
 */
export function referenceTo(name: string | null, place: readonly string[]): string {
  return name === null ? `file:${pointerOf(place).slice(1)}` : `env:${name}`;
}

/** A live object that no declared one is compared with, without its sensitive fields. */
export function withoutSensitive(kind: Kind, item: Item): Item {
  return !hasSensitive(kind) ? item : { ...item, normal: withoutUndeclared(kind, item.normal, {}) };
}

const NO_SECRETS: Pick<SealedPair, "secrets" | "unset"> = { secrets: new Map(), unset: [] };

function withoutUndeclared(kind: Kind, normal: SealedObject, own: SealedObject): SealedObject {
  const shown = Object.entries(normal).filter(([field]) => !mayBeSensitive(kind, field) || field in own);
  return Object.fromEntries(shown);
}

function relation(live: Sealed | undefined, own: Sealed, kind: Kind, field: string): Sensitive {
  if (live === undefined || live === null) return { $sensitive: "absent" };
  return { $sensitive: isSame(live, own, kind.fields[field]) ? "same" : "different" };
}

/**
 * A live item in which nothing looks like a plan's own references to secrets or to what calls make. What the service
 * gives is anybody's data: such a map is shown and compared as text.
 */
export function withoutReferences(item: Item): Item {
  const odd = Object.entries(item.normal).filter(([, value]) => isLikeReference(value));
  const texts = odd.map(([field, value]) => [field, JSON.stringify(value)] as const);
  return odd.length === 0 ? item : { ...item, normal: { ...item.normal, ...Object.fromEntries(texts) } };
}

function isLikeReference(value: Sealed): boolean {
  return isObject(value) && Object.keys(value).some((key) => key.startsWith("$"));
}
