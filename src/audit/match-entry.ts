import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { type AuditEntry, nameOf, objectsIn, resultIn } from "./entry.js";
import type { Target } from "./touched.js";

/**
 * What an entry's bodies say of how the object is now. `carried`: it was so after the call, which may have found it so, as
 * one does that writes a whole list, or another field. `other object`: the call was about something else.
 */
export type EntryMatch = "live value" | "carried" | "different" | "silent" | "other object";

/** Holds an entry that may have touched the object against what is live. */
export function matchEntry(entry: AuditEntry, target: Target): EntryMatch {
  const { request, response, path, method } = entry;
  if (target.moved === "gone") return matchOfDelete(entry, target);
  if (method === "POST") return matchOfCreate(entry, target);
  const isObjectPath = target.id !== null && path.endsWith(`/${target.id}`);
  // What nobody declares has no fields to go by: whoever wrote it anew wrote what is live of it.
  if (isObjectPath && method === "PUT" && target.moved === "came" && target.fields.length === 0)
    return "live value";
  const isAlone = isObjectPath || path.split("/").length <= OF_ZONE;
  const written = (isAlone ? writtenObjects(request, target) : objectsOf(request, target)).map((each) =>
    fieldsOf(each, target),
  );
  const answeredFields = objectsOf(response, target).map((each) => fieldsOf(each, target));
  const matches = [...written, ...answeredFields].flat();
  if (matches.includes("different")) return "different";
  // All of the object comes back, whatever part of it was sent: only what sends all that moved has written it.
  if (isAlone && written.some((each) => each.length > 0 && !each.includes("silent"))) return "live value";
  const isThere = target.moved === "came" && written.length + answeredFields.length > 0;
  return isThere || matches.includes("live value") ? "carried" : "silent";
}

/** `/zones/{id}/page_shield` splits into so many parts: one object a zone. */
const OF_ZONE = 4;

/** What makes an object sends it; the answer is the object, or of a rule the list with all others. */
function matchOfCreate({ request, response }: AuditEntry, target: Target): EntryMatch {
  const answer = resultIn(response);
  const createdId = answer === null || isList(answer.rules) ? undefined : answer.id;
  if (createdId !== undefined && String(createdId) !== target.id) return "other object";
  const answeredFields = objectsOf(response, target).flatMap((each) => fieldsOf(each, target));
  if (answeredFields.includes("different")) return "different";
  if (createdId !== undefined) return "live value";
  if (!isObject(request) || isList(request.rules)) return answeredFields.length > 0 ? "carried" : "silent";
  const isNamed = [target.key, null].includes(nameOf(request));
  const matches = fieldsOf(request, target);
  if (!isNamed || matches.includes("different")) return "other object";
  // Of a name alone there may have been another one before.
  if (matches.length === 0) return "carried";
  return matches.every((each) => each === "live value") ? "live value" : "silent";
}

/** A delete has no body; what it answers may name what went, or have the list without it. */
function matchOfDelete({ response, request }: AuditEntry, { key }: Target): EntryMatch {
  const bodies = [request, response].map(resultIn).filter((each) => each !== null);
  const lists = bodies.filter(({ rules }) => isList(rules)).map((body) => objectsIn(body).map(nameOf));
  if (lists.some((names) => names.includes(key))) return "different";
  if (lists.length > 0) return "carried";
  const named = bodies.flatMap((each) => nameOf(each) ?? []);
  if (named.length === 0) return "silent";
  return named.includes(key) ? "live value" : "other object";
}

/** The body itself; of a list of rules, the one that it is about. */
function writtenObjects(body: Json | null, target: Target): readonly JsonObject[] {
  if (!isObject(body)) return [];
  return isList(body.rules) ? objectsOf(body, target) : [body];
}

/** The objects of a body that are this one: by the id, or by the name where they have none. */
function objectsOf(body: Json | null, { id, key }: Target): readonly JsonObject[] {
  return objectsIn(body).filter((each) =>
    each.id === undefined || id === null ? nameOf(each) === key : String(each.id) === id,
  );
}

/** Each field that moved, as an object of a body has it. */
function fieldsOf(
  object: JsonObject,
  { fields }: Target,
): readonly ("live value" | "different" | "silent")[] {
  return fields.map(({ path, live }) => {
    const value = path
      .split(".")
      .reduce<Json | undefined>((part, step) => (isObject(part) ? part[step] : undefined), object);
    if (value === undefined || isHidden(live)) return "silent";
    return isSame(value, live) ? "live value" : "different";
  });
}

/** What may be a secret is not in a plan, so that nothing can be held against it. */
function isHidden(live: unknown): boolean {
  return JSON.stringify(live ?? null).includes('"$sensitive"');
}

function isSame(logged: Json, live: unknown): boolean {
  if (typeof logged === "string" && typeof live === "string") return spaced(logged) === spaced(live);
  return equal(logged, live as Json); // documents are JSON
}

function spaced(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
