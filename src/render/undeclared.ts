import type { Effect, PlanDocument, UnmanagedObject } from "../plan/generated/plan-document.js";
import { plain } from "./plain.js";
import { quoted } from "./values.js";

/** What nobody knows of: it came from outside the files, as a change there does. */
export function notListed(unmanaged: readonly UnmanagedObject[]): readonly UnmanagedObject[] {
  return unmanaged.filter(({ known }) => known === "not_listed");
}

/** Whether a document about drift tells of any. */
export function hasDrift(document: Pick<PlanDocument, "changes" | "summary">): boolean {
  return document.changes.length > 0 || document.summary.not_listed > 0;
}

/** What it does to protection that something is there. */
export const PRESENCE: { readonly [effect in Effect]: string } = {
  weakens: "weakens",
  unknown: "effect unknown",
  mixed: "weakens and strengthens",
  strengthens: "strengthens",
  neutral: "neutral",
};

/** `rule "Office skip"`, as a visible text. */
export function undeclaredName({ kind, key, id, list }: UnmanagedObject, maxChars: number): string {
  const noun = list === "rules" ? "rule" : plain(kind);
  return `${noun} ${key === "" || key === id ? plain(id ?? "?") : quoted(key, maxChars)}`;
}

/** What it does, as a visible text. */
export function doesText({ does }: UnmanagedObject): string {
  return plain(does, MAX_DOES_CHARS);
}

const MAX_DOES_CHARS = 500;

/**
 * The line of a zone's body by which all of these would be known: YAML that can be copied. Null: none of them can be
 * listed.
 */
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
