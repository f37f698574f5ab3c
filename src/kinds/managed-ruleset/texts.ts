import { isList, type Json } from "../../model/json.js";

/** The items of a list of texts; of what is no list, none. */
export function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.map(String) : [];
}
