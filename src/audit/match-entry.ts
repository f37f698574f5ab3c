import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { type AuditEntry, nameOf, objectsIn, resultIn } from "./entry.js";
import type { Target } from "./touched.js";

/**
 * How the bodies of a log entry compare with the live object. `carried`: the object had its live value after the call,
 * but the call may not have set it, such as a call that writes a whole list or another field. `other object`: the call
 * was about another object.
 */
export type EntryMatch = "live value" | "carried" | "different" | "silent" | "other object";

/** Compares a log entry that may have touched an object with its live state. */
export function matchEntry(entry: AuditEntry, target: Target): EntryMatch {
  const { request, response, path, method } = entry;
  if (target.fieldsIn !== undefined) return matchOfPart(entry, target, target.fieldsIn);
  if (target.moved === "gone") return matchOfDelete(entry, target);
  if (method === "POST") return matchOfCreate(entry, target);
  const isObjectPath = target.id !== null && path.endsWith(`/${target.id}`);
  // An undeclared object has no fields to compare. A PUT of the object wrote its live value.
  if (isObjectPath && method === "PUT" && target.moved === "came" && target.fields.length === 0)
    return "live value";
  const isAlone = isObjectPath || path.split("/").length <= OF_ZONE;
  const written = (isAlone ? writtenObjects(request, target) : objectsOf(request, target)).map((object) =>
    fieldsOf(object, target),
  );
  const answeredFields = objectsOf(response, target).map((each) => fieldsOf(each, target));
  const matches = [...written, ...answeredFields].flat();
  if (matches.includes("different")) return "different";
  // A response has the whole object, so only a request with all changed fields counts as their writer.
  if (isAlone && written.some((each) => each.length > 0 && !each.includes("silent"))) return "live value";
  const isThere = target.moved === "came" && written.length + answeredFields.length > 0;
  return isThere || matches.includes("live value") ? "carried" : "silent";
}

/** A call changes one part of the object, which has some of its fields. */
function matchOfPart(
  { path, request, response }: AuditEntry,
  { fields }: Target,
  fieldsIn: NonNullable<Target["fieldsIn"]>,
): EntryMatch {
  const [sent = [], answered = []] = [request, response].map((body) => {
    const object = resultIn(body);
    const found = object === null ? {} : fieldsIn(path, object);
    return fields.map(({ path: field, live }) => compared(found[field], live));
  });
  const all = [...sent, ...answered];
  if (all.includes("different")) return "different";
  if (!sent.includes("silent")) return "live value";
  return all.includes("live value") ? "carried" : "silent";
}

/** The number of parts of `/zones/{id}/page_shield`: one object a zone. */
const OF_ZONE = 4;

/** A create sends the object. The response is the object, or for a rule, the whole list. */
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
  // An earlier object may have had the same name.
  if (matches.length === 0) return "carried";
  return matches.every((each) => each === "live value") ? "live value" : "silent";
}

/** A delete has no body. The response may name the deleted object, or have the list without it. */
function matchOfDelete({ response, request }: AuditEntry, { key }: Target): EntryMatch {
  const bodies = [request, response].map(resultIn).filter((each) => each !== null);
  const lists = bodies.filter(({ rules }) => isList(rules)).map((body) => objectsIn(body).map(nameOf));
  if (lists.some((names) => names.includes(key))) return "different";
  if (lists.length > 0) return "carried";
  const named = bodies.flatMap((each) => nameOf(each) ?? []);
  if (named.length === 0) return "silent";
  return named.includes(key) ? "live value" : "other object";
}

/** The body itself, or the matching rules of a list. */
function writtenObjects(body: Json | null, target: Target): readonly JsonObject[] {
  if (!isObject(body)) return [];
  return isList(body.rules) ? objectsOf(body, target) : [body];
}

/** The objects in a body with the target's id, or with its name if they have no id. */
function objectsOf(body: Json | null, { id, key }: Target): readonly JsonObject[] {
  return objectsIn(body).filter((object) =>
    object.id === undefined || id === null ? nameOf(object) === key : String(object.id) === id,
  );
}

/** Compares each changed field with an object of a body. */
function fieldsOf(sent: JsonObject, { fields, withFields = (same) => same }: Target): readonly FieldMatch[] {
  const object = withFields(sent);
  return fields.map(({ path, live }) => {
    const value = path
      .split(".")
      .reduce<Json | undefined>((part, step) => (isObject(part) ? part[step] : undefined), object);
    return compared(value, live);
  });
}

type FieldMatch = "live value" | "different" | "silent";

function compared(value: Json | undefined, live: unknown): FieldMatch {
  if (value === undefined || isHidden(live)) return "silent";
  return isSame(value, live) ? "live value" : "different";
}

/** A plan does not have possible secrets, so they cannot be compared. */
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
