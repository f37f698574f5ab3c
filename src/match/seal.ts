import { isSame } from "../diff/fields.js";
import type { Kind } from "../kinds/kind.js";
import type { Item } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import type { Sealed, SealedObject, Sensitive } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";

/** An object's own fields and its live state with references in place of what is sensitive. */
export interface SealedPair {
  readonly own: SealedObject;
  readonly live: Item | null;
  /** What the references stand for. */
  readonly secrets: ReadonlyMap<string, Json>;
}

/** Seals a declared object's fields, as `want` gave them, and those of the live object that it is compared with. */
export function seal(
  kind: Kind,
  declared: Declared,
  own: SealedObject,
  key: string,
  live: Item | null,
  zone: WantedZone,
): SealedPair {
  const secrets = new Map<string, Json>();
  const sealedOwn: Record<string, Sealed> = { ...own };
  const sealedLive: Record<string, Sealed> = { ...live?.normal };
  for (const { field, name } of sensitiveFields(kind, declared, zone)) {
    const value = own[field];
    if (value === undefined) continue;
    const reference = name === null ? `file:${zone.name}/${kind.name}/${key}/${field}` : `env:${name}`;
    secrets.set(reference, value as Json); // what `want` gives of a declared value is JSON
    sealedOwn[field] = { $secret: reference };
    if (live !== null) sealedLive[field] = relation(live.normal[field], value, kind, field);
  }
  const normal = withoutUndeclared(kind, sealedLive, sealedOwn);
  return { own: sealedOwn, live: live === null ? null : { ...live, normal }, secrets };
}

/** A live object that no declared one is compared with: its sensitive fields are nobody's business. */
export function withoutSensitive(kind: Kind, item: Item): Item {
  return { ...item, normal: withoutUndeclared(kind, item.normal, {}) };
}

function withoutUndeclared(kind: Kind, normal: SealedObject, own: SealedObject): SealedObject {
  const shown = Object.entries(normal).filter(([field]) => !mayBeSensitive(kind, field) || field in own);
  return Object.fromEntries(shown);
}

function mayBeSensitive({ sensitive }: Kind, field: string): boolean {
  return Object.entries(sensitive).some(([key, where]) =>
    where === "always" ? field === key : field.startsWith(`${key}.`),
  );
}

function relation(live: Sealed | undefined, own: Sealed, kind: Kind, field: string): Sensitive {
  if (live === undefined || live === null) return { $sensitive: "absent" };
  return { $sensitive: isSame(live, own, kind.meanings[field]) ? "same" : "different" };
}

/** `name`: of the secret that is the whole value; null where the value is only partly one, or written out. */
function sensitiveFields(
  kind: Kind,
  { path, body }: Declared,
  zone: WantedZone,
): readonly { readonly field: string; readonly name: string | null }[] {
  return Object.entries(kind.sensitive).flatMap(([key, where]) => {
    const value = body[key];
    if (value === undefined) return [];
    if (where === "always") return { field: key, name: zone.outside([...path, key])?.name ?? null };
    return Object.entries(isObject(value) ? value : {}).flatMap(([inner, each]) => {
      const at = [...path, key, inner];
      const isSealed = !where.insideBut.includes(inner) && holdsSecret(each, at, zone);
      return isSealed ? { field: `${key}.${inner}`, name: zone.outside(at)?.name ?? null } : [];
    });
  });
}

function holdsSecret(value: Json, path: Declared["path"], zone: WantedZone): boolean {
  if (typeof value === "string") return zone.outside(path)?.isSecret === true;
  if (isList(value)) return value.some((each, index) => holdsSecret(each, [...path, index], zone));
  return isObject(value)
    ? Object.entries(value).some(([key, each]) => holdsSecret(each, [...path, key], zone))
    : false;
}
