import { isForbiddenKey } from "../../model/json.js";
import { refusalOf } from "../parse/parse.js";
import { NAME } from "../tables/new-names.js";
import { TYPE_NAMES } from "../tables/types.js";

/** Fields with their types: `Map<Array<Bytes>>`. */
export type Fields = { readonly [name: string]: string };

/**
 * Fields that the tables do not have, with types with which all of these texts can be read: the service takes the texts, so
 * they are expressions. Where several types fit, it is the first of `TYPE_NAMES`. A text that no types make an expression
 * says nothing.
 *
 * @param known fields whose types are known
 */
export function learntFields(texts: readonly string[], known: Fields = {}): Fields {
  const odd = [...new Set(texts)].filter((text) => refusalOf(text, known) !== null);
  const usable = odd.filter((text) => typesFor([text], known, { tries: MAX_TRIES }) !== null);
  const all = typesFor(usable, known, { tries: MAX_TRIES * usable.length }) ?? known;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(known, name)));
}

/** A wrong type is refused where its field is used, so most tries are short. Somebody may have made a text of many fields. */
const MAX_TRIES = 500;

/** Null: no types fit, or they are not found in so many tries. */
function typesFor(texts: readonly string[], fields: Fields, effort: { tries: number }): Fields | null {
  for (const [index, text] of texts.entries()) {
    if (effort.tries === 0) return null;
    effort.tries -= 1;
    const refused = refusalOf(text, fields);
    if (refused === null) continue;
    if (refused.code !== "unknown_name" || !mayBeKey(refused.name)) return null;
    for (const type of TYPE_NAMES) {
      const found = typesFor(texts.slice(index), { ...fields, [refused.name]: type }, effort);
      if (found !== null) return found;
    }
    return null;
  }
  return fields;
}

function mayBeKey(name: string): boolean {
  return NAME.test(name) && !isForbiddenKey(name);
}
