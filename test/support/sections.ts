import { kinds } from "../../src/kinds/index.js";
import { listOf, sectionsOf } from "../../src/kinds/kind.js";

/** The sections of all kinds. */
export const SECTIONS: readonly string[] = kinds.flatMap(sectionsOf);

/** The sections that are lists of named objects. */
export const LISTS: readonly string[] = kinds.flatMap((kind) => listOf(kind)?.section ?? []);

/** The sections of the objects that every zone has. */
export const IN_EVERY_ZONE: readonly string[] = kinds
  .filter(({ at }) => at.as === "object")
  .map(({ section }) => section);

/** The text of a file without the sections of other kinds. */
export function onlySections(text: string, ...sections: readonly string[]): string {
  const others = SECTIONS.filter((section) => !sections.includes(section));
  return text.replace(new RegExp(`^( +)(?:${others.join("|")}):.*\\n(?:\\1 .*\\n)*`, "gm"), "");
}
