import type { Item } from "../model/item.js";
import { isList, type Json, type JsonObject, mapValues, pick } from "../model/json.js";
import type { SealedObject } from "../model/sealed.js";
import { type Fields, namesWith, readFlag, writeFlag } from "./fields.js";
import type { Kind, Live, Was } from "./kind.js";

/** Reads, declares and sends a kind whose files and objects use the same field names. */
export function sameNames(fields: Fields): Pick<Kind, "normalOf" | "toDesired" | "toConfig" | "toWire"> {
  const names = namesWith(fields, "form");
  return {
    normalOf: (raw) => (oddField(fields, raw) === null ? normalFrom(fields, raw) : null),
    toDesired: (declared) => spell(fields, pick(declared, names)),
    toConfig: ({ normal }, declared) => ({
      ...pick(declared ?? {}, FINDING),
      // No field is sensitive.
      ...pick(normal as JsonObject, declared === null ? names : names.filter((name) => name in declared)),
    }),
    toWire: (want, was, live) => bodyOf(fields, names, want, was, live),
  };
}

/** Keys that identify the live object. */
const FINDING: readonly string[] = ["id", "renamed_from"];

export function spell(fields: Fields, values: JsonObject): JsonObject {
  return mapValues(values, (value, name) => {
    const { spell = (given: Json) => given } = fields[name] ?? {};
    return spell(value);
  });
}

function normalFrom(fields: Fields, raw: JsonObject): JsonObject {
  return mapValues(fields, ({ form }, name) => {
    const value = form === undefined ? null : (raw[wireName(fields, name, raw)] ?? null);
    if (value === null) return undefined;
    return form === "flag" ? readFlag(value) : value;
  });
}

function wireName(fields: Fields, name: string, raw: JsonObject): string {
  const pattern = fields[name]?.wireName;
  if (pattern === undefined || name in raw) return name;
  return Object.keys(raw).find((each) => pattern.test(each)) ?? name;
}

/** All fields of a new object, or the changed and always sent fields of a live one. */
function bodyOf(
  fields: Fields,
  names: readonly string[],
  { normal }: Item,
  was: Was | null,
  { items }: Live,
): SealedObject {
  const isSent = (name: string) =>
    fields[name]?.alwaysSent === true || was === null || was.fields.includes(name);
  const sent = Object.entries(pick(normal as JsonObject, names.filter(isSent))); // no field is sensitive
  return Object.fromEntries(
    sent.map(([name, value]) => {
      const inBody = wireName(fields, name, was?.live.raw ?? {});
      // A new object's flag has the form of the live flags. Without any, it is a boolean.
      const flags = (was === null ? items : [was.live]).flatMap(({ raw }) => raw?.[inBody] ?? []);
      return [inBody, fields[name]?.form === "flag" ? writeFlag(value, flags[0]) : value];
    }),
  );
}

/** The first field with a form other than the table's, in words. Null: none. */
export function oddField(fields: Fields, raw: JsonObject): string | null {
  for (const [name, { form }] of Object.entries(fields)) {
    const value = raw[wireName(fields, name, raw)] ?? null;
    if (form === undefined || value === null || hasForm(form, value)) continue;
    return `the ${name} ${JSON.stringify(value)}, which is not ${FORMS[form]}`;
  }
  return null;
}

type Form = NonNullable<Fields[string]["form"]>;

const FORMS: { readonly [form in Form]: string } = {
  text: "a string",
  flag: "true or false",
  list: "a list",
  any: "known",
};

function hasForm(form: Form, value: Json): boolean {
  if (form === "any") return true;
  if (form === "list") return isList(value);
  return form === "text" ? typeof value === "string" : typeof readFlag(value) === "boolean";
}
