import type { JsonObject } from "../model/json.js";
import { type AuditEntry, nameOf, objectsIn, resultIn } from "./entry.js";

/** A changed object, and the calls that could have changed it. */
export interface Target {
  readonly zoneId: string;
  /** Null: no longer live. */
  readonly id: string | null;
  /** Its name. */
  readonly key: string;
  /** Paths of calls that change it, after the base address. Null: unknown, so its id and name have to match. */
  readonly paths: readonly string[] | null;
  /** The live values of the changed fields. Empty: the whole object. */
  readonly fields: readonly { readonly path: string; readonly live: unknown }[];
  readonly moved: "changed" | "came" | "gone";
  /** The fields in the body of a call, for an object whose parts have their own paths. Absent: it is one whole. */
  readonly fieldsIn?: (path: string, body: JsonObject) => JsonObject;
  /** Adds the fields that the object has inside others. Absent: it has none. */
  readonly withFields?: (object: JsonObject) => JsonObject;
}

/** Whether a call may have changed the object. If the paths of such calls are known, only the path is compared. */
export function mayTouch(entry: AuditEntry, target: Target): boolean {
  const { method, path } = entry;
  const zone = `/zones/${target.zoneId}/`;
  if (!path.startsWith(zone)) return false;
  if (target.paths === null)
    return method !== "DELETE" && (wroteOnlyTarget(entry, target) || isSent(entry, target));
  const call = partsOf(path.slice(zone.length));
  return target.paths.some((targetPath) => {
    if (!targetPath.startsWith(zone)) return false;
    const wanted = partsOf(targetPath.slice(zone.length));
    if (call.collection !== wanted.collection) return false;
    return isPossible(call, wanted, method, target);
  });
}

/** Whether a call created the object, or wrote only this object. */
function wroteOnlyTarget({ path, response }: AuditEntry, { id }: Target): boolean {
  if (id === null) return false;
  const result = resultIn(response);
  return path.endsWith(`/${id}`) || (result !== null && String(result.id) === id);
}

/** Whether the request has the object: by id, or by name before it had an id. */
function isSent({ request }: AuditEntry, { id, key }: Target): boolean {
  return objectsIn(request).some((sent) =>
    sent.id === undefined ? nameOf(sent) === key : String(sent.id) === id,
  );
}

/** The parts of a path. */
interface Parts {
  readonly collection: string;
  /** For rules: the id or phase of their list. */
  readonly within: string | null;
  /** The id of the object. Null: the call is about the whole collection, or creates an object. */
  readonly id: string | null;
}

/** A list of rules has several paths. All other paths are a collection and an id. */
function partsOf(rest: string): Parts {
  const words = rest.split("/");
  const [first = "", second = "", third = ""] = words;
  if (first === "rulesets") {
    const isPhase = second === "phases";
    const rule = words.indexOf("rules");
    return {
      collection: first,
      within: isPhase ? third : second === "" ? null : second,
      id: rule === -1 ? null : (words[rule + 1] ?? null),
    };
  }
  const last = words.at(-1) ?? "";
  const hasId = words.length > 1 && IDENTIFIER.test(last);
  return {
    collection: (hasId ? words.slice(0, -1) : words).join("/"),
    within: null,
    id: hasId ? last : null,
  };
}

const IDENTIFIER = /^(?:[0-9a-f]{32}|[0-9a-f-]{36}|\d+|\{.*\})$/;

function isPossible(call: Parts, wanted: Parts, method: string, { id, moved }: Target): boolean {
  if (call.within !== null && wanted.within !== null && differ(call.within, wanted.within)) return false;
  if (call.id !== null) return id === null ? method === "DELETE" : call.id === id;
  // A PUT of a whole list may add or remove the object. A POST only creates.
  if (method === "POST") return moved === "came";
  return method !== "DELETE" || moved === "gone";
}

/** Compares two ids or two phases. An id and a phase may be the same list. */
function differ(a: string, b: string): boolean {
  return a !== b && IDENTIFIER.test(a) === IDENTIFIER.test(b);
}
