import { equal, type Json, type JsonObject } from "../model/json.js";
import { type FieldError, fieldError } from "./answer.js";
import { AUDITS } from "./audit-log.js";
import {
  type Check,
  type Checks,
  checkAnyObject,
  checkObject,
  checkOneOf,
  checkText,
  child,
  must,
  ofObject,
} from "./checks.js";
import { type Edit, zoneResources } from "./resources/index.js";
import type { Ask, Editing, Store, Write } from "./resources/resource.js";

/** An edit that was made. */
export interface Edited {
  /** Before or after the request. */
  readonly when: "before" | "after";
  readonly edit: Edit;
  /** Empty: no object matched. */
  readonly calls: readonly EditCall[];
}

/** One call of an edit. A refused call changed nothing. */
export interface EditCall {
  readonly method: string;
  readonly path: string;
  readonly body: Json | null;
  readonly status: number;
  readonly response: Json | null;
}

/** Makes an edit in an existing zone, and returns its calls. */
export function carryOut(edit: Edit, store: Store, ask: Ask): readonly EditCall[] {
  const zoneId = store.byName.get(edit.zone.toLowerCase())?.id;
  return writesOf(edit, `/zones/${zoneId}`, ask).map(({ method, path, body }) => {
    const { status, body: response } = ask(method, path, body);
    return { method, path, body, status, response };
  });
}

const editings: ReadonlyMap<string, Editing> = new Map(
  zoneResources.flatMap(({ edits }) => Object.entries(edits)),
);

function writesOf(edit: Edit, zone: string, ask: Ask): readonly Write[] {
  const editing = editings.get(edit.edit);
  if (editing === undefined) return [];
  if (editing.as === "one") return "set" in edit ? editing.writes(zone, edit.set) : [];
  const list = editing.open(zone, edit, ask);
  if ("add" in edit) return [list.adding(edit.add)];
  const where = ("where" in edit && edit.where) || {};
  const fitting = list.objects.filter((object) => fits(object, where));
  return fitting.map((object): Write => {
    const path = `${list.path}/${object.id}`;
    if ("remove" in edit) return { method: "DELETE", path, body: null };
    return { method: list.update, path, body: list.updated(object, edit.set) };
  });
}

function fits(object: JsonObject, where: JsonObject): boolean {
  return Object.entries(where).every(([field, value]) => equal(object[field], value));
}

/** Checks an edit from a file. The API checks the values, when the edit is made. */
export const checkEdit: Check = ofObject((edit, pointer) => [
  ...checkFields(edit, pointer),
  ...checkRequired(edit, pointer),
  ...checkDeed(edit, pointer),
]);

const checkFields = checkObject({
  edit: checkOneOf([...editings.keys()]),
  zone: checkText,
  ...Object.assign({}, ...[...editings.values()].map(fieldsOf)),
  where: checkAnyObject,
  add: checkAnyObject,
  set: checkAnyObject,
  remove: must("must be true.", (value) => value === true),
  by: checkText,
  audited: checkOneOf(AUDITS),
});

/** The required fields of an edit, besides its name and zone. */
function fieldsOf(editing: Editing | undefined): Checks {
  return editing?.as === "list" ? editing.fields : {};
}

function editingOf({ edit }: JsonObject): Editing | undefined {
  return typeof edit === "string" ? editings.get(edit) : undefined;
}

function checkRequired(edit: JsonObject, pointer: string): readonly FieldError[] {
  const fields = fieldsOf(editingOf(edit));
  const missing = ["edit", "zone", ...Object.keys(fields)].filter((field) => edit[field] === undefined);
  return [
    ...missing.map((field) => fieldError(pointer, `the field "${field}" is missing.`)),
    ...[...editings].flatMap(([name, editing]) =>
      Object.keys(fieldsOf(editing))
        .filter((field) => edit[field] !== undefined && !Object.hasOwn(fields, field))
        .map((field) => fieldError(child(pointer, field), `only edits of a ${name} can have a ${field}.`)),
    ),
  ];
}

/** Checks that an edit does one thing, and one that its objects allow. */
function checkDeed(edit: JsonObject, pointer: string): readonly FieldError[] {
  const isAlone = editingOf(edit)?.as === "one";
  const possible = isAlone ? ["set"] : ["add", "set", "remove"];
  const deeds = ["add", "set", "remove"].filter((field) => edit[field] !== undefined);
  const isOne = deeds.length === 1 && deeds.every((field) => possible.includes(field));
  const chooses = !isAlone && edit.add === undefined;
  return [
    ...(isOne ? [] : [fieldError(pointer, `an edit needs exactly one of these: ${possible.join(", ")}.`)]),
    ...(chooses || edit.where === undefined
      ? []
      : [fieldError(child(pointer, "where"), "this edit cannot have a where.")]),
  ];
}
