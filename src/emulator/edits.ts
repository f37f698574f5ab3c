import { equal, isObject, type Json, type JsonObject } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { Enveloped } from "./answer.js";
import { type Check, checkObject, checkOneOf, checkText, child, seedProblem } from "./checks.js";
import { phases } from "./resources/rulesets/phases.js";
import type { Store } from "./store.js";

/**
 * What somebody else changes in a zone, in terms of the API's own objects. It is carried out as another client would,
 * by calls of the API, so identifiers, versions and times move as they would, and limits hold.
 */
export type Edit =
  | { readonly edit: "settings"; readonly zone: string; readonly set: JsonObject }
  | ({ readonly edit: "policy" | "logpush_job" | "ruleset"; readonly zone: string } & ListEdit)
  /** In the entry point of the phase, which is made where there is none yet. */
  | ({ readonly edit: "rule"; readonly zone: string; readonly phase: string } & ListEdit);

/** Of the objects of a list. */
export type ListEdit =
  /** The body of a request that creates one; of a rule, also with its `position`. */
  | { readonly add: JsonObject }
  /** The fields that get these values, in all objects that fit; the other fields stay. */
  | { readonly set: JsonObject; readonly where?: JsonObject }
  | { readonly remove: true; readonly where?: JsonObject };

/** An edit that was made. */
export interface Edited {
  /** On which side of the request. */
  readonly when: "before" | "after";
  readonly edit: Edit;
  /** None: nothing fitted. */
  readonly calls: readonly EditCall[];
}

/** One call by which an edit was made; one that is refused has changed nothing. */
export interface EditCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly response: Json | null;
}

/** Calls the API as somebody else. */
export type Ask = (method: string, path: string, body: JsonObject | null) => Enveloped;

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

/** Checks an edit as somebody wrote it. What is set and added is looked at by the API, when the edit is made. */
export const checkEdit: Check = (value, pointer) => {
  if (!isObject(value)) return checkFields(value, pointer);
  return [...checkFields(value, pointer), ...checkRequired(value, pointer), ...checkDeed(value, pointer)];
};

const checkAnyObject: Check = (value, pointer) =>
  isObject(value) ? [] : [seedProblem(pointer, "an object is expected here.")];

const checkTrue: Check = (value, pointer) =>
  value === true ? [] : [seedProblem(pointer, "only true can stand here.")];

const checkFields = checkObject(
  new Map([
    ["edit", checkOneOf(["settings", "policy", "logpush_job", "ruleset", "rule"])],
    ["zone", checkText],
    ["phase", checkOneOf(phases)],
    ["where", checkAnyObject],
    ["add", checkAnyObject],
    ["set", checkAnyObject],
    ["remove", checkTrue],
  ]),
);

function checkRequired(edit: JsonObject, pointer: string): readonly Problem[] {
  const isRule = edit.edit === "rule";
  const missing = ["edit", "zone", ...(isRule ? ["phase"] : [])].filter((field) => edit[field] === undefined);
  return [
    ...missing.map((field) => seedProblem(pointer, `the field "${field}" is missing.`)),
    ...(isRule || edit.phase === undefined
      ? []
      : [seedProblem(child(pointer, "phase"), "only the edit of a rule has a phase.")]),
  ];
}

/** What is done: one thing, and to which objects it can be done. */
function checkDeed(edit: JsonObject, pointer: string): readonly Problem[] {
  const possible = edit.edit === "settings" ? ["set"] : ["add", "set", "remove"];
  const deeds = ["add", "set", "remove"].filter((field) => edit[field] !== undefined);
  const isOne = deeds.length === 1 && deeds.every((field) => possible.includes(field));
  const chooses = edit.edit !== "settings" && edit.add === undefined;
  return [
    ...(isOne ? [] : [seedProblem(pointer, `an edit has one of these: ${possible.join(", ")}.`)]),
    ...(chooses || edit.where === undefined
      ? []
      : [seedProblem(child(pointer, "where"), "there is nothing to choose from here.")]),
  ];
}
