import { isCredentialName } from "../../model/credential-names.js";
import type { Service } from "../../model/declared-zone.js";
import type { Item, Path } from "../../model/item.js";
import { isList, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { diffFields } from "../fields.js";
import { error, type Finding, warningAt } from "../kind.js";
import { FIELD_LISTS, type FieldList, logsCredential } from "../logged-fields.js";
import { withLimit } from "../service-limits.js";
import { fieldFrom, fields, fieldsIn, normalFrom } from "./rule.js";

/** Problems of the declared lists that can be found offline and that the schema does not find. */
export function checkDeclared(declared: JsonObject, service: Service): readonly Finding[] {
  const lists = FIELD_LISTS.filter((list) => isList(declared[list]));
  if (lists.length === 0) {
    const detail = `Name at least one of ${FIELD_LISTS.join(", ")}, or write ensure: absent to remove the live fields.`;
    return [error([], "no_log_fields", "No custom log fields", detail)];
  }
  return [
    ...lists.flatMap((list) => checkNames(declared, list)),
    ...checkForms(declared, lists),
    ...checkLimit(declared, lists, service).map(mayBeLive),
    ...lists.flatMap((list) => checkCredentials(declared, list)),
  ];
}

/** Warns of logged credentials: everyone who can read the logs can use them. */
function checkCredentials(declared: JsonObject, list: FieldList): readonly Finding[] {
  const items = isList(declared[list]) ? declared[list] : [];
  return items.flatMap((item, index): readonly Finding[] => {
    const name = fieldFrom(item)?.name ?? "";
    return isCredentialName(name, "field") ? [logsCredential([list, index], name)] : [];
  });
}

/** Only a warning, since the fields may be live and may stay. `checkWhole` refuses to change such a list. */
function mayBeLive(finding: Finding): Finding {
  const detail = `${finding.detail} Only fields that are already live can stay.`;
  return { ...finding, severity: "warning", detail };
}

/**
 * Checks the lists after the change, with undeclared lists from the live rule. An unchanged rule is not checked,
 * because the service accepted it before.
 */
export function checkWhole(want: Item, service: Service): readonly Finding[] {
  const live = want.raw === null ? null : normalFrom(want.raw);
  if (live !== null && diffFields(live, want.normal, fields).length === 0) return [];
  const owns = typeof want.owns === "string" ? [] : want.owns;
  const ownedLists = FIELD_LISTS.filter((list) => owns.includes(list));
  if (FIELD_LISTS.every((list) => fieldsIn(want.normal, list).length === 0)) {
    const detail = "Every list would be empty. Write ensure: absent instead, to remove the rule.";
    return [error([], "no_log_fields", "No custom log fields", detail)];
  }
  return [...checkForms(want.normal, ownedLists), ...checkLimit(want.normal, ownedLists, service)];
}

/**
 * Refuses a header in both of its forms, because the service logs only one (its documentation). Live lists that the
 * file does not declare are not checked.
 */
function checkForms(lists: SealedObject, owned: readonly FieldList[]): readonly Finding[] {
  return FORMS.filter((pair) => pair.some((list) => owned.includes(list))).flatMap(
    ([firstList, secondList]) => {
      const first = fieldsIn(lists, firstList).map(({ name }) => name);
      const second = fieldsIn(lists, secondList).map(({ name }) => name);
      const shared = second.filter((name) => first.includes(name));
      return shared.map((name) => {
        const detail = `It is in ${firstList} and in ${secondList}. Keep it in one of the two: Cloudflare logs a header in one form.`;
        const path = owned.includes(secondList)
          ? [secondList, second.indexOf(name)]
          : [firstList, first.indexOf(name)];
        return error(
          path,
          "log_field_both_forms",
          `Header ${JSON.stringify(name)} logged in two forms`,
          detail,
        );
      });
    },
  );
}

const FORMS: readonly (readonly [FieldList, FieldList])[] = [
  ["request_fields", "transformed_request_fields"],
  ["response_fields", "raw_response_fields"],
];

function checkNames(declared: JsonObject, list: FieldList): readonly Finding[] {
  const items = isList(declared[list]) ? declared[list] : [];
  const names = new Set<string>();
  return items.flatMap((item, index): readonly Finding[] => {
    const name = fieldFrom(item)?.name;
    if (name === undefined) return [];
    const path = [list, index, ...(typeof item === "string" ? [] : ["name"])];
    const isTwice = names.has(name);
    names.add(name);
    return isTwice ? [duplicateField(path, name, list)] : checkName(path, name, list);
  });
}

function duplicateField(path: Path, name: string, list: FieldList): Finding {
  const detail = `${list} names it already. Remove one of the two.`;
  return error(path, "duplicate_log_field", `Duplicate log field ${JSON.stringify(name)}`, detail);
}

function checkName(path: Path, name: string, list: FieldList): readonly Finding[] {
  if (list === "cookie_fields") return isCookieName(name) ? [] : [badName(path, name, NO_COOKIE)];
  if (!isToken(name)) return [badName(path, name, NO_HEADER)];
  const lower = name.toLowerCase();
  if (name !== lower) {
    const detail = `Header names must be lowercase. Write ${lower}.`;
    return [error(path, "log_field_case", `Uppercase in header name ${name}`, detail)];
  }
  // The documentation of custom fields excludes this request header.
  if (name !== "range" || !REQUEST_LISTS.includes(list)) return [];
  const detail = "Cloudflare does not log this request header. Remove it.";
  return [warningAt(path, "log_field_unsupported", "Header range is never logged", detail)];
}

const REQUEST_LISTS: readonly FieldList[] = ["request_fields", "transformed_request_fields"];

const NO_HEADER =
  "Header names have letters, digits and !#$%&'*+-.^_`|~ only. Write one name per item, without a value.";

const NO_COOKIE =
  "Cookie names have no spaces, commas, semicolons and equals signs. Write one name per item, without a value.";

/** RFC 9110, section 5.6.2. */
function isToken(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name);
}

/** RFC 6265 allows tokens only, but browsers send other characters too, such as the brackets in `cart[id]`. */
function isCookieName(name: string): boolean {
  return /^[^\s\p{Cc},;=]+$/u.test(name);
}

function badName(path: Path, name: string, why: string): Finding {
  return error(path, "log_field_name", `Invalid log field ${JSON.stringify(name)}`, why);
}

function checkLimit(lists: SealedObject, owned: readonly FieldList[], service: Service): readonly Finding[] {
  return excesses(lists, service).map(({ list, text }) => {
    const setting = list === null ? "limits.custom_log_fields" : "custom_log_fields.per_list";
    const path = list !== null && owned.includes(list) ? [list] : [];
    const detail = `${text}. Remove some, or set service.${setting} to what your account allows.`;
    return error(path, "too_many_log_fields", "Too many custom log fields", detail);
  });
}

/** The lists beyond the limits. List null: the limit is for all lists together. */
function excesses(
  lists: SealedObject,
  { limits, custom_log_fields: newer }: Service,
): readonly { readonly list: FieldList | null; readonly text: string }[] {
  const sizes = FIELD_LISTS.map((list) => ({ list, size: fieldsIn(lists, list).length }));
  if (newer !== null) {
    const limit = `the limit is ${newer.per_list}`;
    const long = sizes.filter(({ size }) => size > newer.per_list);
    return long.map(({ list, size }) => ({ list, text: `${list} has ${size} fields; ${limit}` }));
  }
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (total <= limits.custom_log_fields) return [];
  const limit = `the limit is ${limits.custom_log_fields}`;
  return [{ list: null, text: `The lists have ${total} fields together; ${limit}` }];
}

/** The service with limits raised to the number of fields in these lists. */
export function allowing(lists: SealedObject, service: Service): Service {
  const sizes = FIELD_LISTS.map((list) => fieldsIn(lists, list).length);
  const { custom_log_fields: newer } = service;
  if (newer !== null)
    return { ...service, custom_log_fields: { per_list: Math.max(newer.per_list, ...sizes) } };
  return withLimit(
    service,
    "custom_log_fields",
    sizes.reduce((sum, size) => sum + size, 0),
  );
}

/** The first excess over the limits. Null: none. */
export function excessOf(lists: SealedObject, service: Service): string | null {
  return excesses(lists, service)[0]?.text ?? null;
}
