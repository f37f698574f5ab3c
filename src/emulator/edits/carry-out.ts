import { equal, isObject, type JsonObject } from "../../model/json.js";

import type { Store } from "../store.js";
import type { Ask, Edit, EditCall } from "./edit.js";

/** Makes an edit, and says by which calls. The zone has been found to be there. */
export function carryOut(edit: Edit, store: Store, ask: Ask): readonly EditCall[] {
  const zoneId = store.byName.get(edit.zone.toLowerCase())?.id;
  return writesOf(edit, `/zones/${zoneId}`, ask).map(({ method, path, body }) => {
    const { status, body: response } = ask(method, path, body);
    return { method, path, status, response };
  });
}

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject | null;
}

function writesOf(edit: Edit, zone: string, ask: Ask): readonly Write[] {
  if (edit.edit === "settings") return [{ method: "PUT", path: `${zone}/page_shield`, body: edit.set }];
  const list = edit.edit === "rule" ? rulesIn(zone, edit.phase, ask) : listAt(zone, edit.edit, ask);
  if ("add" in edit) return [list.adding(edit.add)];
  const fitting = list.objects.filter((object) => fits(object, edit.where ?? {}));
  return fitting.map((object): Write => {
    const path = `${list.path}/${object.id}`;
    if ("remove" in edit) return { method: "DELETE", path, body: null };
    return { method: list.update, path, body: list.updated(object, edit.set) };
  });
}

function fits(object: JsonObject, where: JsonObject): boolean {
  return Object.entries(where).every(([field, value]) => equal(object[field], value));
}

/** A list of objects, and how the API adds to it and updates one of it. */
interface List {
  readonly objects: readonly JsonObject[];
  readonly path: string;
  readonly adding: (body: JsonObject) => Write;
  readonly update: "PUT" | "PATCH";
  readonly updated: (object: JsonObject, set: JsonObject) => JsonObject;
}

const lists = {
  policy: "/page_shield/policies",
  logpush_job: "/logpush/jobs",
  ruleset: "/rulesets",
} as const;

function listAt(zone: string, what: keyof typeof lists, ask: Ask): List {
  const path = zone + lists[what];
  return {
    // A zone's list of rulesets also has the account's managed ones, which are nobody's to change.
    objects: objectsIn(ask("GET", path, null).body?.result).filter(({ kind }) => kind !== "managed"),
    path,
    adding: (body) => ({ method: "POST", path, body }),
    update: "PUT",
    updated: (_, set) => set,
  };
}

function rulesIn(zone: string, phase: string, ask: Ask): List {
  const entryPoint = `${zone}/rulesets/phases/${phase}/entrypoint`;
  const ruleset = ask("GET", entryPoint, null).body?.result;
  const isThere = isObject(ruleset);
  const path = isThere ? `${zone}/rulesets/${ruleset.id}/rules` : entryPoint;
  return {
    objects: isThere ? objectsIn(ruleset.rules) : [],
    path,
    adding: (body) =>
      isThere ? { method: "POST", path, body } : { method: "PUT", path, body: { rules: [body] } },
    update: "PATCH",
    // The body is the rule's whole new definition, says the documentation of updates.
    updated: ({ version: _version, last_updated: _at, ...definition }, set) => ({ ...definition, ...set }),
  };
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
