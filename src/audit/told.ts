import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import type { AuditEntry } from "./entry.js";
import type { Target } from "./touched.js";

/** What an entry's bodies say of how the object is now. */
export type Told = "as it is live" | "otherwise" | "nothing";

/** Holds an entry that may have touched the object against what is live. */
export function toldOf(entry: AuditEntry, target: Target): Told {
  const { request, response, path } = entry;
  if (target.moved === "gone") return toldOfGone(entry, target);
  const isOwn = target.id !== null && path.endsWith(`/${target.id}`);
  const made = target.moved === "came" && entry.method === "POST";
  const sent =
    isOwn || made || path.split("/").length <= OF_ZONE ? ownOf(request, target) : inside(request, target);
  const answered = inside(response, target);
  const all = [...sent, ...answered];
  if (target.moved === "came" && target.fields.length === 0)
    return all.some(({ id }) => id !== undefined && id === target.id) ? "as it is live" : "nothing";
  return together(all.flatMap((each) => fieldsOf(each, target)));
}

/** `/zones/{id}/page_shield` splits into so many parts: one object a zone. */
const OF_ZONE = 4;

/** A delete has no body; what it answers may name what went. */
function toldOfGone({ response, request }: AuditEntry, { key }: Target): Told {
  const named = [...objectsIn(response), ...objectsIn(request)].flatMap((each) => nameOf(each) ?? []);
  if (named.length === 0) return "nothing";
  return named.includes(key) ? "as it is live" : "otherwise";
}

/** The body itself; of a list of rules, the one that it is about. */
function ownOf(body: Json | null, target: Target): readonly JsonObject[] {
  if (!isObject(body)) return [];
  return isList(body.rules) ? inside(body, target) : [body];
}

/** The objects of a body that are this one: by the id, or by the name where they have none. */
function inside(body: Json | null, { id, key }: Target): readonly JsonObject[] {
  return objectsIn(body).filter((each) =>
    each.id === undefined || id === null ? nameOf(each) === key : String(each.id) === id,
  );
}

function objectsIn(body: Json | null): readonly JsonObject[] {
  const result = isObject(body) && isObject(body.result) ? body.result : body;
  if (!isObject(result)) return [];
  return isList(result.rules) ? result.rules.filter(isObject) : [result];
}

function nameOf({ description, name, ref }: JsonObject): string | null {
  return [description, name, ref].find((each): each is string => typeof each === "string") ?? null;
}

function fieldsOf(object: JsonObject, { fields }: Target): readonly boolean[] {
  return fields.flatMap(({ path, live }) => {
    const own = path
      .split(".")
      .reduce<Json | undefined>((at, step) => (isObject(at) ? at[step] : undefined), object);
    return own === undefined || isHidden(live) ? [] : [isSame(own, live)];
  });
}

/** What may be a secret is not in a plan, so that nothing can be held against it. */
function isHidden(live: unknown): boolean {
  return JSON.stringify(live ?? null).includes('"$sensitive"');
}

function isSame(own: Json, live: unknown): boolean {
  if (typeof own === "string" && typeof live === "string") return spaced(own) === spaced(live);
  return equal(own, live as Json); // documents are JSON
}

function spaced(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function together(fields: readonly boolean[]): Told {
  if (fields.length === 0) return "nothing";
  return fields.every((each) => each) ? "as it is live" : "otherwise";
}
