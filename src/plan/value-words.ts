import { cut, cutBoth, fewOf } from "../model/cut.js";
import type { Ref } from "../model/item.js";
import { equal, isObject } from "../model/json.js";
import { isMasked } from "../model/sealed.js";

/** Of longer lists of changes only the first ones are shown. */
const MAX_CHANGES = 6;

/**
 * The differences between two values, as words of a sentence: `rules: + "Block bots"`, `a.b: 1 → 2`. Objects are compared
 * key by key, lists of objects by their ids.
 */
export function changesBetween(before: unknown, after: unknown): readonly string[] {
  return fewOf(changesAt("", before, after), MAX_CHANGES);
}

function changesAt(path: string, before: unknown, after: unknown): readonly string[] {
  if (equal(before, after)) return [];
  if (isPlainMap(before) && isPlainMap(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) =>
      changesAt(path === "" ? name : `${path}.${name}`, before[name], after[name]),
    );
  }
  const [old, now] = [listOfObjects(before), listOfObjects(after)];
  if (old === null || now === null) {
    const [beforeText, afterText] = cutBoth(wholeText(before), wholeText(after), BRIEF_CHARS);
    return [`${cut(path, BRIEF_CHARS)}: ${beforeText} → ${afterText}`];
  }
  return listChanges(path, old, now);
}

/** A reference or a relation of a plan is a value of its own. */
function isPlainMap(value: unknown): value is { readonly [name: string]: unknown } {
  return isObject(value) && !isMasked(value);
}

type Listed = { readonly [name: string]: unknown };

/** Objects by their ids or names. An absent list counts as empty. */
function listOfObjects(value: unknown): ReadonlyMap<string, Listed> | null {
  if (value === null || value === undefined) return new Map();
  if (!Array.isArray(value) || !value.every(isPlainMap)) return null;
  const listed = value.map((each, index) => [nameIn(each) ?? `#${index + 1}`, each] as const);
  return new Map(listed);
}

function nameIn({ id, category, name, description }: Listed): string | null {
  const identifier = [id, category, name, description].find(
    (each) => typeof each === "string" && each !== "",
  );
  return typeof identifier === "string" ? identifier : null;
}

function listChanges(
  path: string,
  old: ReadonlyMap<string, Listed>,
  now: ReadonlyMap<string, Listed>,
): readonly string[] {
  const added = [...now].filter(([key]) => !old.has(key)).map(([, each]) => `${path}: + ${labelOf(each)}`);
  const removed = [...old].filter(([key]) => !now.has(key)).map(([, each]) => `${path}: - ${labelOf(each)}`);
  const changed = [...now].flatMap(([key, each]) =>
    old.has(key) ? changesAt(`${path}[${key}]`, old.get(key), each) : [],
  );
  const changes = [...added, ...removed, ...changed];
  return changes.length > 0 ? changes : [`${path}: in another order`];
}

function labelOf(object: Listed): string {
  const { description } = object;
  return brief(
    typeof description === "string" && description !== "" ? description : (nameIn(object) ?? object),
  );
}

/** A sensitive live value, relative to the declared one. */
const RELATIONS: ReadonlyMap<unknown, string> = new Map([
  ["same", "(as declared)"],
  ["different", "(other than declared)"],
  ["not_compared", "(sensitive, not compared)"],
  ["absent", "not set"],
]);

const BRIEF_CHARS = 200;

/** A value in a sentence. */
export function brief(value: unknown): string {
  return cut(wholeText(value), BRIEF_CHARS);
}

function wholeText(value: unknown): string {
  if (isObject(value) && "$secret" in value) return "(sensitive)";
  if (isObject(value) && "$sensitive" in value) return RELATIONS.get(value.$sensitive) ?? "(sensitive)";
  return value === undefined || value === null ? "not set" : JSON.stringify(value);
}

/** `policy "Checkout scripts"`, or only the kind if a zone has one object of it. */
export function nameOf({ kind, key }: Pick<Ref, "kind" | "key">): string {
  return key === kind ? kind : `${kind} ${JSON.stringify(cut(key, BRIEF_CHARS))}`;
}
