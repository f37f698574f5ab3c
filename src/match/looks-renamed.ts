import { namesWith } from "../kinds/fields.js";
import { type Kind, nameField } from "../kinds/kind.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import { type Problem, warning } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { UndeclaredLive } from "./undeclared.js";

/**
 * Entries that would create an object beside a live one with the same content under another name, one that is deleted or
 * that no file declares: `renamed_from` was probably forgotten. Each live object is named once.
 */
export function looksRenamed(
  kind: Kind,
  entries: readonly { readonly three: { readonly want: Declared; readonly live: Item | null } }[],
  undeclared: readonly Item[],
  ofUndeclared: UndeclaredLive,
  zone: WantedZone,
): readonly Problem[] {
  const key = nameField(kind);
  const candidates = leftOver(undeclared, ofUndeclared);
  if (key === null || candidates.length === 0) return [];
  const created = entries.flatMap(({ three: { want, live } }) => (isCreated(want.body, live) ? [want] : []));
  if (created.length === 0) return [];
  const byContent = groupBy(candidates, ({ live }) => contentOf(kind, live.normal));
  const named = new Set<LeftOver>();
  return created.flatMap((declared): readonly Problem[] => {
    const content = contentOf(kind, kind.toDesired(declared.body, null));
    const alike = content === null ? [] : (byContent.get(content) ?? []);
    const renamed = alike.find((each) => !named.has(each));
    if (renamed === undefined) return [];
    named.add(renamed);
    return [looksRenamedWarning(kind, key, declared, renamed, zone)];
  });
}

/** Undeclared live objects that the files do not list either: only these can be renamed ones. */
function leftOver(undeclared: readonly Item[], { items, unmanaged }: UndeclaredLive): readonly LeftOver[] {
  const listed = new Set(unmanaged.flatMap(({ ref, known }) => (known === "listed" ? ref : [])));
  const staying = new Set(items.map(({ ref }) => ref));
  return undeclared
    .filter(({ ref }) => !listed.has(ref))
    .map((item) => ({ live: item, isDeleted: !staying.has(item.ref) }));
}

interface LeftOver {
  readonly live: Item;
  readonly isDeleted: boolean;
}

function isCreated({ ensure, renamed_from }: Declared["body"], live: Item | null): boolean {
  return live === null && ensure !== "absent" && renamed_from === undefined;
}

/** The identifying values, to compare. They may be secrets and are never shown. Null: a value is missing, or no field identifies. */
function contentOf({ fields }: Kind, normal: SealedObject): string | null {
  const values = namesWith(fields, "identifies").map((field) => {
    const value = normal[field] ?? null;
    return value === null ? null : (fields[field]?.canonical?.(value) ?? value);
  });
  return values.length === 0 || values.includes(null) ? null : JSON.stringify(values);
}

function looksRenamedWarning(
  { name, fields }: Kind,
  named: string,
  { path, body }: Declared,
  { live, isDeleted }: LeftOver,
  zone: WantedZone,
): Problem {
  const [created, former] = [body[named], live.normal[named]].map((each) => JSON.stringify(each));
  const becomes = isDeleted ? "is deleted" : "stays undeclared";
  return warning(
    "looks_renamed",
    "New object looks like a renamed one",
    `The ${name} ${created} would be created in ${zone.name}, while ${former} with the same ${namesWith(fields, "identifies").join(" and ")} ${becomes}. If it is the same object, write renamed_from: ${former} here to keep its id.`,
    zone.locate([...path, named]),
  );
}
