import type { Path } from "../../model/item.js";
import { isList, type JsonObject } from "../../model/json.js";
import { error } from "../finding.js";
import type { Finding } from "../kind.js";
import type { FieldList } from "../logged-fields.js";
import { fieldFrom } from "./field.js";

/** The names in one declared list. */
export function checkNames(declared: JsonObject, list: FieldList): readonly Finding[] {
  const items = isList(declared[list]) ? declared[list] : [];
  const seen = new Set<string>();
  return items.flatMap((item, index): readonly Finding[] => {
    const name = fieldFrom(item)?.name;
    if (name === undefined) return [];
    const path = [list, index, ...(typeof item === "string" ? [] : ["name"])];
    const isTwice = seen.has(name);
    seen.add(name);
    return isTwice ? [repeated(path, name, list)] : checkName(path, name, list);
  });
}

function repeated(path: Path, name: string, list: FieldList): Finding {
  const detail = `${JSON.stringify(name)} already stands in ${list}. Keep one of them.`;
  return error(path, "duplicate_log_field", "A custom log field given twice", detail);
}

function checkName(path: Path, name: string, list: FieldList): readonly Finding[] {
  if (list === "cookie_fields") return isCookieName(name) ? [] : [badName(path, name, NO_COOKIE)];
  if (!isToken(name)) return [badName(path, name, NO_HEADER)];
  const lower = name.toLowerCase();
  if (name !== lower) {
    const detail = `Header names are given in lower case. Write ${lower}.`;
    return [error(path, "log_field_case", "A header name with capitals", detail)];
  }
  // As the documentation of custom fields says of request headers.
  if (name !== "range" || !REQUEST_LISTS.includes(list)) return [];
  const detail = "The service does not log the request header range. Remove it.";
  return [
    { ...error(path, "log_field_unsupported", "A header that is not logged", detail), severity: "warning" },
  ];
}

const REQUEST_LISTS: readonly FieldList[] = ["request_fields", "transformed_request_fields"];

const NO_HEADER =
  "is no header's name: that has letters, digits and !#$%&'*+-.^_`|~ only. Write one name an item, without a value.";

const NO_COOKIE =
  "is no cookie's name: that has no blanks, commas, semicolons and equals signs. Write one name an item, without a value.";

/** RFC 9110, section 5.6.2. */
function isToken(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name);
}

/** RFC 6265 has tokens here too; what browsers send is wider, such as the brackets in `cart[id]`. */
function isCookieName(name: string): boolean {
  return /^[^\s\p{Cc},;=]+$/u.test(name);
}

function badName(path: Path, name: string, why: string): Finding {
  const detail = `${JSON.stringify(name)} ${why}`;
  return error(path, "log_field_name", "A name that no header or cookie has", detail);
}
