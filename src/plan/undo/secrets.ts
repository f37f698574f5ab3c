import { nameInside, secretKeys } from "../../kinds/fields.js";
import { areOneName, nameIn } from "../../kinds/keys.js";
import { hasSensitive, sensitiveFields } from "../../kinds/sensitive.js";
import { referenceTo, withoutReferences } from "../../match/seal.js";

import { pointerOf } from "../../model/item.js";
import { equal, isObject, type Json, type JsonObject } from "../../model/json.js";
import { isSensitive, type Sealed, type SealedObject } from "../../model/sealed.js";
import type { Declared } from "../../model/wanted.js";
import { calledThen, type Past, type Undoing } from "./past.js";

/** What the journal does not say, as the files and the environment give it. */
export interface Given {
  readonly field: string;
  /** Its name in the object as the service has it. */
  readonly name: string;
  /** As plans have it: a reference where it is a secret. */
  readonly value: Sealed;
  readonly plain: Json;
  /** The secret that it refers to. Null: it is none. */
  readonly reference: string | null;
  /** Whether it is what the apply sent, by where it comes from. */
  readonly isAsSent: boolean;
}

/** All secret fields of an object that the files give. */
export function givenFor(undoing: Undoing, past: Past, secretFields: SecretFields): readonly Given[] {
  const { kind, zone, files } = undoing;
  const declared = declaredFor(undoing, past);
  if (declared === null) return [];
  const wanted = kind.toDesired(declared.body, null);
  const known = new Map(sensitiveFields(kind, declared, files.zone).map((each) => [each.field, each]));
  return [...secretFields].flatMap(([field, name]) => {
    const plain = wanted[field] as Json | undefined; // what `want` gives of a declared value is JSON
    if (plain === undefined || plain === null || isUnset(plain)) return [];
    const secret = known.get(field);
    const place = [zone, kind.name, past.change.key, field];
    const reference = secret?.isSecret === true ? referenceTo(secret.name, place) : null;
    const value = reference === null ? plain : { $secret: reference };
    return [{ field, name, value, plain, reference, isAsSent: isSent(past, name, value) }];
  });
}

/**
 * Secret fields that the journal has all the same. They are no secrets as far as anybody knows, and since nobody knows
 * what they are, plans refer to them as to secrets.
 */
export function journaledFor(
  { kind, zone }: Undoing,
  { before, change }: Past,
  secretFields: SecretFields,
): readonly Given[] {
  return [...secretFields].flatMap(([field, name]) => {
    const plain = before?.[name] ?? null;
    if (plain === null || plain === "" || isMark(plain)) return [];
    const reference = `journal:${pointerOf([zone, kind.name, change.key, field]).slice(1)}`;
    return [{ field, name, value: { $secret: reference }, plain, reference, isAsSent: false }];
  });
}

/** Files that are read although a secret is not set have its reference where the secret would be. */
function isUnset(plain: Json): boolean {
  return JSON.stringify(plain).includes("${secret:");
}

/** The entry of the object as it was called before, else as the apply called it. */
function declaredFor(undoing: Undoing, past: Past): Declared | null {
  const { kind, files } = undoing;
  const { shape } = kind;
  const there = files.declared.filter(({ body }) => body.ensure !== "absent");
  if (shape.as === "one") return there[0] ?? null;
  const { change } = past;
  const then = calledThen(undoing, past);
  const called = (key: string | null) => there.find(({ body }) => body[shape.named] === key);
  const pinned = there.find(({ body }) => body.id !== undefined && String(body.id) === change.id);
  return (
    there.find(({ body }) => areOneName(nameIn(shape, body), then)) ??
    called(change.was ?? change.key) ??
    called(change.key) ??
    pinned ??
    null
  );
}

function isSent({ afters, replaced }: Past, name: string, value: Sealed): boolean {
  const bodies = [...afters, ...(replaced?.sent ?? [])];
  return bodies.some(({ [name]: sent }) => sent !== undefined && equal(sent, value));
}

/**
 * What the files give of an object that was replaced, where the one in its place got another value from the same place, or
 * from nobody knows where: what was there before may be another one.
 */
export function mayBeOfOther({ before, replaced }: Past, { field, name, isAsSent }: Given): boolean {
  const shown = replaced?.shown[field] ?? null;
  if (replaced === undefined || !isSensitive(shown) || shown.$sensitive === "same") return false;
  return (before?.[name] ?? "") !== "" && (isAsSent || replaced.sent.length === 0);
}

/** Secret fields that the apply has changed, by their names in the object. */
export function changedSecrets({ before, afters }: Past, secretFields: SecretFields): readonly string[] {
  const said = (raw: JsonObject | null, name: string) => raw?.[name] ?? null;
  return [...secretFields.values()].filter((name) =>
    afters.some((after) => !equal(said(after, name), said(before, name))),
  );
}

/** Fields of the normal form that may be secret, each with its name in the object as the service has it. */
export type SecretFields = ReadonlyMap<string, string>;

/** What the journal does not say of an object, or could not have said. */
export function secretFieldsIn(
  undoing: Undoing,
  { before, afters }: Past,
  live: JsonObject | null,
): SecretFields {
  const { kind } = undoing;
  if (!hasSensitive(kind)) return new Map();
  const journaled = [before, ...afters].filter((raw) => raw !== null);
  const raws = [...journaled, live].filter((raw) => raw !== null);
  const fields = new Set(raws.flatMap((raw) => Object.keys(normalOf(undoing, raw))));
  const whole = secretKeys(kind.fields, "always").map((key) => [key, key] as const);
  const inside = secretKeys(kind.fields, "inside").flatMap((key) =>
    [...fields].flatMap((field) => {
      const name = nameInside(key, field);
      if (name === null) return [];
      const { secret } = kind.fields[field] ?? {};
      const isMarked = journaled.some((raw) => isMark(raw[name]));
      const isSaid = secret === "text" && journaled.some((raw) => Boolean(raw[name]));
      return (secret === "never" || isSaid) && !isMarked ? [] : [[field, name] as const];
    }),
  );
  return new Map([...whole, ...inside]);
}

/** A reference, or what stands where something is not said. */
function isMark(value: Json | undefined): boolean {
  return isObject(value) && ("$secret" in value || "$sensitive" in value);
}

/** An object in the normal form without its secret fields. */
export function normalWithoutSecrets(
  undoing: Undoing,
  secretFields: SecretFields,
  raw: JsonObject,
): SealedObject {
  const shown = Object.entries(normalOf(undoing, raw)).filter(([field]) => !secretFields.has(field));
  const normal = Object.fromEntries(shown);
  const ref = { kind: undoing.kind.name, key: "", id: null };
  return withoutReferences({ ref, normal, raw, owns: "nothing", at: null }).normal;
}

/** An object as the service has it without its secret fields. */
export function rawWithoutSecrets(secretFields: SecretFields, raw: JsonObject): JsonObject {
  const names = new Set(secretFields.values());
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !names.has(name)));
}

function normalOf({ kind, live, reading }: Undoing, raw: JsonObject): SealedObject {
  return kind.normalOf(raw, live.context, reading) ?? {};
}
