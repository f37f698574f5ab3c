import { RUNNER_MARK } from "./invisible-characters.js";
import type { Ref } from "./item.js";
import type { JsonObject } from "./json.js";
import type { Effect } from "./strength.js";

/** Something live in a managed section that no file declares: an object, a rule beside a managed one, or fields of an object. */
export interface UnmanagedObject {
  readonly ref: Ref;
  /** What it is called, where its key says more. */
  readonly name?: string;
  /** The key of `unmanaged:` that it can be listed under. */
  readonly list: string;
  /** What it does, in words that begin with the verb. */
  readonly does: string;
  /** What it does to protection that it is there. */
  readonly effect: Effect;
  /** Of a declared object: its fields that no file declares. Absent: it is about the object as a whole. */
  readonly fields?: readonly string[];
}

/** An unmanaged object with all that the service gave, to see whether it has changed. `raw` is never shown. */
export interface LiveUnmanaged extends UnmanagedObject {
  readonly raw: JsonObject;
}

/** The same, and whether the files list it under `unmanaged:`. */
export interface Unmanaged extends UnmanagedObject {
  /** `newly_listed`: by the files, and not by the base. */
  readonly known: "listed" | "newly_listed" | "not_listed";
}

/** The key of `unmanaged:` for rules, in whatever list they stand. */
export const RULES = "rules";

/** What a zone's files list as known: key → names and ids, in which `*` stands for any characters and `?` for one. */
export type Listing = { readonly [list: string]: readonly string[] };

/** The names and patterns of a listing that another listing does not have. */
export function newEntries(listing: Listing, before: Listing): Listing {
  const entries = Object.entries(listing).map(([list, all]) => {
    const known = before[list] ?? [];
    return [list, all.filter((each) => !known.includes(each))] as const;
  });
  return Object.fromEntries(entries);
}

/** Whether an entry of a listing stands for more than one name. */
export function isPattern(entry: string): boolean {
  return /[*?]/.test(entry);
}

/** The patterns of a listing that fit. */
export function patternsFor(
  listing: Listing,
  { list, ref, name: said = "" }: Pick<UnmanagedObject, "list" | "ref" | "name">,
): readonly string[] {
  const names = [ref.key, ref.id ?? "", said].filter((name) => name !== "");
  return (listing[list] ?? []).filter((pattern) => names.some((name) => fits(pattern, name)));
}

/**
 * What to list something by: its name, unless a file would read something else in it, or it cannot be copied as it is
 * shown. Null: it has neither a name that serves nor an id.
 */
export function listedBy({ ref: { key, id } }: Pick<UnmanagedObject, "ref">): string | null {
  return SERVES.test(key) ? key : id;
}

const SERVES = new RegExp(String.raw`^(?=.*\S)(?!.*${RUNNER_MARK})[ -#%-)+->@-~]{1,80}$`);

/** Whether a name fits a pattern, in which `*` stands for any characters and `?` for one. */
export function fits(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name.length === first.length && isAt(first, name, 0);
  if (!isAt(first, name, 0)) return false;
  let at = first.length;
  for (const text of rest) {
    // The earliest place of each leaves most room for the next.
    while (at + text.length <= name.length && !isAt(text, name, at)) at += 1;
    if (at + text.length > name.length) return false;
    at += text.length;
  }
  return name.length - last.length >= at && isAt(last, name, name.length - last.length);
}

/** Whether a text without stars stands there. */
function isAt(text: string, name: string, start: number): boolean {
  if (start + text.length > name.length) return false;
  for (let index = 0; index < text.length; index++)
    if (text[index] !== "?" && text[index] !== name[start + index]) return false;
  return true;
}
