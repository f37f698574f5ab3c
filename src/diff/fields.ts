import { equal } from "../model/json.js";
import type { FieldChange } from "../model/plan.js";
import { isSensitive, type Sealed, type SealedObject } from "../model/sealed.js";
import type { Meaning, Meanings } from "./meaning.js";

/**
 * The fields in which two normal forms differ; null stands for an object that is not there.
 * Fields come in the order of `after`, then those that only `before` has.
 */
export function diffFields(
  before: SealedObject | null,
  after: SealedObject | null,
  meanings: Meanings,
): readonly FieldChange[] {
  const names = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})]);
  return [...names].flatMap((name) =>
    diffField(name, before?.[name] ?? null, after?.[name] ?? null, meanings[name]),
  );
}

/** A value that is not there has no meaning of its own. A sensitive live value knows how it stands to the declared one. */
export function isSame(before: Sealed, after: Sealed, meaning: Meaning | undefined): boolean {
  if (isSensitive(before) && after !== null) return before.$sensitive === "same";
  return before !== null && after !== null && meaning !== undefined
    ? equal(meaning.canonical(before), meaning.canonical(after))
    : equal(before, after);
}

function diffField(path: string, before: Sealed, after: Sealed, meaning: Meaning | undefined): FieldChange[] {
  if (before === after || meaning?.writeOnly === true) return [];
  if (isSame(before, after, meaning)) return [];
  const parts = before !== null && after !== null ? meaning?.parts?.(before, after) : undefined;
  return [parts === undefined ? { path, before, after } : { path, before, after, parts }];
}
