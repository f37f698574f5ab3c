import { RUNNER_MARK } from "./invisible-characters.js";
import type { Ref } from "./item.js";
import type { JsonObject } from "./json.js";
import type { Effect } from "./strength.js";

/** Something undeclared in a managed section: an object, a rule beside a managed one, or fields of an object. */
export interface UnmanagedObject {
  readonly ref: Ref;
  /** A name that says less than its key. */
  readonly name?: string;
  /** The key of `unmanaged:` to list it under. */
  readonly list: string;
  /** Its action, starting with a verb. */
  readonly does: string;
  /** The effect of its presence on protection. */
  readonly effect: Effect;
  /** For a declared object: its undeclared fields. Absent: the whole object is undeclared. */
  readonly fields?: readonly string[];
}

/** With the service's whole object, to detect changes. `raw` is never shown. */
export interface LiveUnmanaged extends UnmanagedObject {
  readonly raw: JsonObject;
}

/** With its state under `unmanaged:`. */
export interface Unmanaged extends UnmanagedObject {
  /** `newly_listed`: in the files, but not in the base. */
  readonly known: "listed" | "newly_listed" | "not_listed";
}

/** The key of `unmanaged:` for rules of any list. */
export const RULES = "rules";

/** A zone's `unmanaged:` key → names and ids, in which `*` matches any characters and `?` one. */
export type Listing = { readonly [list: string]: readonly string[] };

/** The entries of a listing that an earlier one does not have. */
export function newEntries(listing: Listing, before: Listing): Listing {
  const entries = Object.entries(listing).map(([list, names]) => {
    const listed = new Set(before[list]);
    return [list, names.filter((each) => !listed.has(each))] as const;
  });
  return Object.fromEntries(entries);
}

export function isPattern(entry: string): boolean {
  return /[*?]/.test(entry);
}

/** The patterns of a listing that match. */
export function patternsFor(
  listing: Listing,
  { list, ref, name: otherName = "" }: Pick<UnmanagedObject, "list" | "ref" | "name">,
): readonly string[] {
  const names = [ref.key, ref.id ?? "", otherName].filter((name) => name !== "");
  return (listing[list] ?? []).filter((pattern) => names.some((name) => fits(pattern, name)));
}

/**
 * The entry to list something by: its name, unless a file would read it differently or it cannot be copied as shown.
 * Null: neither a usable name nor an id.
 */
export function listedBy({ ref: { key, id } }: Pick<UnmanagedObject, "ref">): string | null {
  return SERVES.test(key) ? key : id;
}

const SERVES = new RegExp(String.raw`^(?=.*\S)(?!.*${RUNNER_MARK})[ -#%-)+->@-~]{1,80}$`);

/** Whether a name matches a pattern, in which `*` matches any characters and `?` one. */
export function fits(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name.length === first.length && isAt(first, name, 0);
  if (!isAt(first, name, 0)) return false;
  let at = first.length;
  for (const text of rest) {
    // Taking the earliest match leaves the most room for the rest.
    while (at + text.length <= name.length && !isAt(text, name, at)) at += 1;
    if (at + text.length > name.length) return false;
    at += text.length;
  }
  return name.length - last.length >= at && isAt(last, name, name.length - last.length);
}

/** Whether a text without stars matches at `start`. */
function isAt(text: string, name: string, start: number): boolean {
  if (start + text.length > name.length) return false;
  for (let index = 0; index < text.length; index++)
    if (text[index] !== "?" && text[index] !== name[start + index]) return false;
  return true;
}
