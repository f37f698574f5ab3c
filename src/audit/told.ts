import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { type AuditEntry, nameOf, objectsIn, resultIn } from "./entry.js";
import type { Target } from "./touched.js";

/**
 * What an entry's bodies say of how the object is now. `carried`: it was so after the call, which may have found it so, as
 * one does that writes a whole list, or another field. `of another`: the call was about something else.
 */
export type Told = "as it is live" | "carried" | "otherwise" | "nothing" | "of another";

/** Holds an entry that may have touched the object against what is live. */
export function toldOf(entry: AuditEntry, target: Target): Told {
  const { request, response, path, method } = entry;
  if (target.moved === "gone") return toldOfGone(entry, target);
  if (method === "POST") return toldOfMade(entry, target);
  const isOwn = target.id !== null && path.endsWith(`/${target.id}`);
  // What nobody declares has no fields to go by: whoever wrote it anew wrote what is live of it.
  if (isOwn && method === "PUT" && target.moved === "came" && target.fields.length === 0)
    return "as it is live";
  const isAlone = isOwn || path.split("/").length <= OF_ZONE;
  const written = (isAlone ? ownOf(request, target) : inside(request, target)).map((each) =>
    fieldsOf(each, target),
  );
  const answered = inside(response, target).map((each) => fieldsOf(each, target));
  const told = [...written, ...answered].flat();
  if (told.includes("otherwise")) return "otherwise";
  // All of the object comes back, whatever part of it was sent: only what sends all that moved has written it.
  if (isAlone && written.some((each) => each.length > 0 && !each.includes("nothing"))) return "as it is live";
  const isThere = target.moved === "came" && written.length + answered.length > 0;
  return isThere || told.includes("as it is live") ? "carried" : "nothing";
}

/** `/zones/{id}/page_shield` splits into so many parts: one object a zone. */
const OF_ZONE = 4;

/** What makes an object sends it; the answer is the object, or of a rule the list with all others. */
function toldOfMade({ request, response }: AuditEntry, target: Target): Told {
  const answer = resultIn(response);
  const made = answer === null || isList(answer.rules) ? undefined : answer.id;
  if (made !== undefined && String(made) !== target.id) return "of another";
  const answered = inside(response, target).flatMap((each) => fieldsOf(each, target));
  if (answered.includes("otherwise")) return "otherwise";
  if (made !== undefined) return "as it is live";
  if (!isObject(request) || isList(request.rules)) return answered.length > 0 ? "carried" : "nothing";
  const isNamed = [target.key, null].includes(nameOf(request));
  const told = fieldsOf(request, target);
  if (!isNamed || told.includes("otherwise")) return "of another";
  // Of a name alone there may have been another one before.
  if (told.length === 0) return "carried";
  return told.every((each) => each === "as it is live") ? "as it is live" : "nothing";
}

/** A delete has no body; what it answers may name what went, or have the list without it. */
function toldOfGone({ response, request }: AuditEntry, { key }: Target): Told {
  const bodies = [request, response].map(resultIn).filter((each) => each !== null);
  const lists = bodies.filter(({ rules }) => isList(rules)).map((each) => objectsIn(each).map(nameOf));
  if (lists.some((names) => names.includes(key))) return "otherwise";
  if (lists.length > 0) return "carried";
  const named = bodies.flatMap((each) => nameOf(each) ?? []);
  if (named.length === 0) return "nothing";
  return named.includes(key) ? "as it is live" : "of another";
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

/** Each field that moved, as an object of a body has it. */
function fieldsOf(
  object: JsonObject,
  { fields }: Target,
): readonly ("as it is live" | "otherwise" | "nothing")[] {
  return fields.map(({ path, live }) => {
    const own = path
      .split(".")
      .reduce<Json | undefined>((at, step) => (isObject(at) ? at[step] : undefined), object);
    if (own === undefined || isHidden(live)) return "nothing";
    return isSame(own, live) ? "as it is live" : "otherwise";
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
