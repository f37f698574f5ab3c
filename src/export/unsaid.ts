import { isSame } from "../diff/fields.js";
import type { Kind } from "../kinds/kind.js";
import { hasSensitive } from "../kinds/sensitive.js";
import type { Triple } from "../model/item.js";
import type { Json } from "../model/json.js";
import type { SealedObject } from "../model/sealed.js";
import type { Entry } from "./zone.js";

/** What is live of an object and its entry does not say, as notes. What is as it is without being said is no news. */
export function unsaid(kind: Kind, { want, live }: Triple, { item, leftOut }: Entry): readonly string[] {
  if (want === null || live === null) return [];
  // What may be secret is not in the triple.
  const all: SealedObject = hasSensitive(kind) ? item.normal : live.normal;
  const usual: SealedObject = kind.creation.possible ? (kind.creation.implied ?? {}) : {};
  const fields = Object.entries(all).filter(
    ([field, value]) =>
      !want.owns.includes(field) &&
      !leftOut.includes(field) &&
      value !== null &&
      !isSame(value, usual[field] ?? null, kind.meanings[field]),
  );
  return fields.map(([field, value]) => {
    const words = hasSensitive(kind) ? "" : `, which is ${wordsFor(kind, field, value as Json)}`; // as it came
    return `Not managed: ${field}${words}.`;
  });
}

function wordsFor(kind: Kind, field: string, value: Json): string {
  return kind.explain(field, value) ?? JSON.stringify(value);
}
