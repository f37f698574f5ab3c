import type { Kind } from "../kinds/kind.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import type { Problem } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import type { Pair } from "./pair.js";

/** A live object that no entry of the files means, and what becomes of it. */
export interface LeftOver {
  readonly live: Item;
  readonly isDeleted: boolean;
}

/**
 * Entries that would create an object beside a live one with the same content under another name, one that is deleted or
 * that no file declares: `renamed_from` was probably forgotten. Each live object is named once.
 */
export function looksRenamed(
  kind: Kind,
  pairs: readonly Pair[],
  leftOver: readonly LeftOver[],
  zone: WantedZone,
): readonly Problem[] {
  const { shape, alikeBy = [] } = kind;
  if (shape.as === "one" || alikeBy.length === 0 || leftOver.length === 0) return [];
  const created = pairs.filter(({ declared: { body }, live }) => isCreated(body, live));
  if (created.length === 0) return [];
  const byContent = groupBy(leftOver, ({ live }) => contentOf(kind, live.normal));
  const named = new Set<LeftOver>();
  return created.flatMap(({ declared }): readonly Problem[] => {
    const content = contentOf(kind, kind.toDesired(declared.body, null));
    const alike = content === null ? [] : (byContent.get(content) ?? []);
    const other = alike.find((each) => !named.has(each));
    if (other === undefined) return [];
    named.add(other);
    return [warning(kind, shape.named, declared, other, zone)];
  });
}

function isCreated({ ensure, renamed_from }: Declared["body"], live: Item | null): boolean {
  return live === null && ensure !== "absent" && renamed_from === undefined;
}

/** As a text to compare. It may hold secrets: it is never shown. Null: something of it is not there. */
function contentOf({ alikeBy = [], meanings }: Kind, normal: SealedObject): string | null {
  const values = alikeBy.map((field) => {
    const value = normal[field] ?? null;
    return value === null ? null : (meanings[field]?.canonical(value) ?? value);
  });
  return values.includes(null) ? null : JSON.stringify(values);
}

function warning(
  { name, alikeBy = [] }: Kind,
  named: string,
  { path, body }: Declared,
  { live, isDeleted }: LeftOver,
  zone: WantedZone,
): Problem {
  const [created, old] = [body[named], live.ref.key].map((each) => JSON.stringify(each));
  const becomes = isDeleted ? "is deleted" : "stays, and no file declares it";
  return {
    code: "looks_renamed",
    severity: "warning",
    summary: "A new object that looks like a live one renamed",
    detail: `The ${name} ${created} would be created in ${zone.name}, while ${old} with the same ${alikeBy.join(" and ")} ${becomes}. If it is the same one under another name, write renamed_from: ${old} here: then it keeps its id, and only its name changes.`,
    at: zone.locate([...path, named]),
  };
}
