import { type AuditEntry, nameOf, objectsIn, resultIn } from "./entry.js";

/** A live object, by the calls that would change it. */
export interface Target {
  readonly zoneId: string;
  /** Null: it is not live any more. */
  readonly id: string | null;
  /** What people call it. */
  readonly key: string;
  /** Of calls that would change it, after the base address. Null: there are none, and its id and name have to tell. */
  readonly paths: readonly string[] | null;
  /** What is live of the fields that moved. Empty: it is about the object as a whole. */
  readonly fields: readonly { readonly path: string; readonly live: unknown }[];
  readonly moved: "changed" | "came" | "gone";
}

/** Whether a call may have changed the object: by its path alone, where the paths of such calls are known. */
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

/** Whether a call made the object, or wrote it and no other. */
function wroteOnlyTarget({ path, response }: AuditEntry, { id }: Target): boolean {
  if (id === null) return false;
  const result = resultIn(response);
  return path.endsWith(`/${id}`) || (result !== null && String(result.id) === id);
}

/** Whether what was sent has the object: as one of a list, or, before it had an id, by its name. */
function isSent({ request }: AuditEntry, { id, key }: Target): boolean {
  return objectsIn(request).some((each) =>
    each.id === undefined ? nameOf(each) === key : String(each.id) === id,
  );
}

/** A path's words, and the ids among them. */
interface Parts {
  readonly collection: string;
  /** Of rulesets: the one that it is in, by its id or its phase. */
  readonly within: string | null;
  /** Of the object itself. Null: the call is about all of them, or makes one. */
  readonly id: string | null;
}

/** Lists of rules have many paths for one thing; everything else is a collection and an id. */
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
  // A whole list may be written with or without it; one that is only made is new.
  if (method === "POST") return moved === "came";
  return method !== "DELETE" || moved === "gone";
}

/** Two ids, or two phases. An id and a phase may be the same list. */
function differ(a: string, b: string): boolean {
  return a !== b && IDENTIFIER.test(a) === IDENTIFIER.test(b);
}
