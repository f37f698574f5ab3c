import { isCredentialName } from "../model/credential-names.js";
import type { Declared, Interpolation, WantedZone } from "../model/declared-zone.js";
import { type Item, type Path, textsAt } from "../model/item.js";
import { equal, isList, isObject, type Json, type JsonObject, mapValues, without } from "../model/json.js";
import { secretByLook, secretsIn } from "../model/looks-secret.js";
import { asWritten } from "../model/reference.js";
import { DIFFERENT, isSecret, type SealedObject } from "../model/sealed.js";
import { nameInside, namesWith, secretKeys } from "./fields.js";
import type { Kind } from "./kind.js";

/** Where the values of a zone come from. */
type Origins = Pick<WantedZone, "interpolated">;

/** A declared field whose live value is not shown. */
export interface SensitiveField {
  readonly field: string;
  /** Whether the declared value is hidden too. */
  readonly isSecret: boolean;
  /** The name of the secret that is the whole value. Null: the value is only partly a secret, or written out. */
  readonly name: string | null;
  /** The value in the file, with unresolved references. */
  readonly written: Json;
  /** The names of unset secrets in the value. With one, the value is unknown. */
  readonly unset: readonly string[];
}

/** @param secretBefore fields with secrets in the base, whose live values are therefore secret */
export function sensitiveFields(
  kind: Kind,
  { path, body }: Declared,
  zone: Origins,
  secretBefore: ReadonlySet<string> = NO_FIELDS,
): readonly SensitiveField[] {
  const whole = secretKeys(kind.fields, "always").flatMap((key): readonly SensitiveField[] => {
    const value = body[key];
    return value === undefined
      ? []
      : [{ field: key, isSecret: true, ...sourceOf(value, [...path, key], zone) }];
  });
  const inside = secretKeys(kind.fields, "inside").flatMap((key) => {
    const map = body[key];
    return Object.entries(isObject(map) ? map : {}).flatMap(([name, each]): readonly SensitiveField[] => {
      const below = [...path, key, name];
      const field = `${key}.${name}`;
      const isSecret = interpolationsIn(each, below, zone).some((text) => text.isSecret);
      const isPlain = !isSecret && !secretBefore.has(field) && isShown(kind, field);
      if (kind.fields[field]?.secret === "apart" || isPlain) return [];
      return [{ field, isSecret, ...sourceOf(each, below, zone) }];
    });
  });
  return [...whole, ...inside];
}

/** Whether a live value in a map of secrets may be shown. Unlisted fields may be secrets. */
function isShown({ fields }: Kind, field: string): boolean {
  const secret = fields[field]?.secret;
  return secret === "text" || secret === "never";
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/** The fields that are secret in any of a zone's objects, since objects can be renamed or change places. */
export function fieldsWithSecrets(
  kind: Kind,
  declared: readonly Declared[],
  zone: Origins,
): ReadonlySet<string> {
  const sensitive = declared.flatMap((each) => sensitiveFields(kind, each, zone));
  return new Set(sensitive.flatMap(({ field, isSecret }) => (isSecret ? [field] : [])));
}

function sourceOf(
  value: Json,
  path: Path,
  zone: Origins,
): Pick<SensitiveField, "name" | "written" | "unset"> {
  return {
    name: zone.interpolated(path)?.name ?? null,
    written: valueAsWritten(value, path, zone),
    unset: [...new Set(interpolationsIn(value, path, zone).flatMap(({ unset }) => unset))],
  };
}

/** A declared value in its file's form, with unresolved references. */
function valueAsWritten(value: Json, path: Path, zone: Origins): Json {
  if (typeof value === "string") return asWritten(value, zone.interpolated(path));
  if (isList(value)) return value.map((each, index) => valueAsWritten(each, [...path, index], zone));
  if (!isObject(value)) return value;
  return mapValues(value, (each, key) => valueAsWritten(each, [...path, key], zone));
}

/** The interpolations in a declared value. */
function interpolationsIn(value: Json, path: Path, zone: Origins): readonly Interpolation[] {
  return textsAt(value, path).flatMap(({ at }) => zone.interpolated(at) ?? []);
}

/** Secret values of declared objects. */
export function declaredSecrets(kind: Kind, declared: readonly Declared[], zone: Origins): readonly Json[] {
  return declared.flatMap((each) =>
    sensitiveFields(kind, each, zone).flatMap(({ field, isSecret, unset }) => {
      const value = kind.toDesired(each.body, null)[field];
      const isKnown = isSecret && unset.length === 0 && value !== undefined;
      return isKnown ? [value as Json] : []; // a declared value is JSON
    }),
  );
}

/** Values of live objects that may be secret. */
export function liveSecrets(kind: Kind, items: readonly Item[]): readonly Json[] {
  return items.flatMap(({ normal }) =>
    Object.entries(normal).flatMap(
      ([field, value]) =>
        value && mayBeSensitive(kind, field) && !isShown(kind, field) ? [value as Json] : [], // a live value is JSON
    ),
  );
}

/**
 * A live object for a journal: secret fields are marked, without their values. The rest is kept, so that a rollback can
 * restore the whole object.
 *
 * @param declared the declared fields in the normal form. Null: undeclared, or to be deleted
 * @param secretBefore see `sensitiveFields`
 */
export function withoutSecrets(
  kind: Kind,
  { normal, raw }: Item,
  declared: SealedObject | null,
  secrets: () => readonly Json[],
  secretBefore: ReadonlySet<string>,
): JsonObject {
  const fields = raw ?? {};
  if (!hasSensitive(kind)) return fields;
  const secretValues = secrets();
  const secret = new Set([
    ...secretKeys(kind.fields, "always"),
    ...secretKeys(kind.fields, "inside"),
    ...Object.keys(normal).flatMap((field) =>
      secretInside(kind, field, normal, declared, secretValues, secretBefore),
    ),
  ]);
  return mapValues(fields, (value, name) =>
    secret.has(name) && value !== null && value !== "" ? { ...DIFFERENT } : value,
  );
}

/**
 * The name of a field in its map, if the field is a secret. A declared field is secret by the files or the base, or if
 * it is hidden and its live value differs. An undeclared field is secret by its look.
 */
function secretInside(
  kind: Kind,
  field: string,
  normal: SealedObject,
  declared: SealedObject | null,
  secrets: readonly Json[],
  secretBefore: ReadonlySet<string>,
): readonly string[] {
  return secretKeys(kind.fields, "inside").flatMap((key) => {
    const name = nameInside(key, field);
    if (name === null) return [];
    const live = normal[field] ?? null;
    const target = declared?.[field] ?? live;
    const text = JSON.stringify(live);
    const mayShow = isShown(kind, field) || equal(target, live);
    const looksSecret = () => isCredentialName(name, "parameter") || secretByLook(text).length > 0;
    const isSecretNow =
      isSecret(target) || secretBefore.has(field) || !mayShow || secretsIn(text, secrets).length > 0;
    return isSecretNow || (!isShown(kind, field) && looksSecret()) ? [name] : [];
  });
}

/** Saves work for kinds without such fields, which may have many objects. */
export function hasSensitive({ fields }: Kind): boolean {
  return namesWith(fields, "secret").length > 0;
}

/** Whether the field's values are shown only as references. */
export function mayBeSensitive({ fields }: Kind, field: string): boolean {
  if (fields[field]?.secret === "always") return true;
  return secretKeys(fields, "inside").some((key) => nameInside(key, field) !== null);
}

/** An object in the service's form, without the fields that the service changes on its own. */
export function withoutVolatile({ fields }: Kind, raw: JsonObject | null): JsonObject {
  return without(raw ?? {}, namesWith(fields, "volatile"));
}
