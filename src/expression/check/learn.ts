import { isForbiddenKey } from "../../model/json.js";
import { refusalOf } from "../parse/parse.js";
import { NAME } from "../tables/new-names.js";
import { TYPE_NAMES } from "../tables/types.js";

/** Fields with their types: `Map<Array<Bytes>>`. */
export type Fields = { readonly [name: string]: string };

/**
 * Unknown fields, with types that make all of the texts valid. The service accepts these texts, so they are
 * expressions. If several types fit, the first of `TYPE_NAMES` is used. A text that no types make valid is ignored.
 *
 * @param knownFields fields with known types
 */
export function learntFields(texts: readonly string[], knownFields: Fields = {}): Fields {
  const refused = [...new Set(texts)].filter((text) => refusalOf(text, knownFields) !== null);
  const usable = refused.filter((text) => typesFor([text], knownFields, { tries: MAX_TRIES }) !== null);
  const fields = typesFor(usable, knownFields, { tries: MAX_TRIES * usable.length }) ?? knownFields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(knownFields, name)));
}

/** A wrong type is refused where its field is used, so most tries are short. The limit is for texts with many fields. */
const MAX_TRIES = 500;

/** Null: no types fit, or none were found within the tries. */
function typesFor(texts: readonly string[], fields: Fields, effort: { tries: number }): Fields | null {
  for (const [index, text] of texts.entries()) {
    if (effort.tries === 0) return null;
    effort.tries -= 1;
    const refused = refusalOf(text, fields);
    if (refused === null) continue;
    if (refused.code !== "unknown_name" || !mayBeKey(refused.name)) return null;
    for (const type of TYPE_NAMES) {
      const types = typesFor(texts.slice(index), { ...fields, [refused.name]: type }, effort);
      if (types !== null) return types;
    }
    return null;
  }
  return fields;
}

function mayBeKey(name: string): boolean {
  return NAME.test(name) && !isForbiddenKey(name);
}
