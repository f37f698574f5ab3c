import type { Effect, UnmanagedObject } from "../plan/generated/plan-document.js";
import { plain } from "./safe-text.js";
import { quoted } from "./values.js";
import { EFFECTS } from "./words.js";

/** Undeclared objects that are not listed as known. */
export function notListed(unmanaged: readonly UnmanagedObject[]): readonly UnmanagedObject[] {
  return unmanaged.filter(({ known }) => known === "not_listed");
}

/** Whether an object may weaken protection. */
export function isAlarming({ effect }: { readonly effect: Effect }): boolean {
  return EFFECTS[effect].level === "warning";
}

/** `rule "Office skip"`, as a visible text. */
export function undeclaredName({ kind, key, id, list }: UnmanagedObject, maxChars: number): string {
  const noun = list === "rules" ? "rule" : plain(kind);
  return `${noun} ${key === "" || key === id ? plain(id ?? "?") : quoted(key, maxChars)}`;
}

/** What the object does, as a visible text. */
export function doesText({ does }: UnmanagedObject): string {
  return plain(does, MAX_DOES_CHARS);
}

const MAX_DOES_CHARS = 500;

/** The YAML line that lists these objects as known, for copying into a zone's body. Null: none of them can be listed. */
export function listingLine(all: readonly UnmanagedObject[]): string | null {
  const lists = new Map<string, Set<string>>();
  for (const { list, list_as: name } of all) {
    if (name === null) continue;
    lists.set(list, (lists.get(list) ?? new Set()).add(JSON.stringify(name)));
  }
  if (lists.size === 0) return null;
  const parts = [...lists].map(([list, names]) => `${plain(list)}: [${[...names].join(", ")}]`);
  return `unmanaged: { ${parts.join(", ")} }`;
}
