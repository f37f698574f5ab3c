import type { Path } from "../model/item.js";
import { asText, isObject } from "../model/json.js";
import type { Sealed, SealedObject } from "../model/sealed.js";
import type { Members } from "../model/strength.js";
import { type Finding, warningAt } from "./kind.js";

/** The phase whose rules log custom fields. */
export const LOG_PHASE = "http_log_custom_fields";

/** The lists of custom log fields, each with the field of a log entry that it fills. */
const lists = [
  { list: "request_fields", loggedIn: "RequestHeaders" },
  { list: "response_fields", loggedIn: "ResponseHeaders" },
  { list: "cookie_fields", loggedIn: "Cookies" },
  { list: "raw_response_fields", loggedIn: "ResponseHeaders" },
  { list: "transformed_request_fields", loggedIn: "RequestHeaders" },
] as const;

export type FieldList = (typeof lists)[number]["list"];

/** The fields of a log entry that stay empty without custom log fields. */
export type EntryField = (typeof lists)[number]["loggedIn"];

export const FIELD_LISTS: readonly FieldList[] = lists.map(({ list }) => list);

export const ENTRY_FIELDS: readonly EntryField[] = [...new Set(lists.map(({ loggedIn }) => loggedIn))];

/** The lists that fill a field of a log entry. */
export function listsFor(field: EntryField): readonly FieldList[] {
  return lists.filter(({ loggedIn }) => loggedIn === field).map(({ list }) => list);
}

/** The entry fields for custom log fields in a job's `fields`; null: the job's fields are unknown. */
export function requestedEntryFields({ fields }: SealedObject): readonly EntryField[] | null {
  return Array.isArray(fields) ? ENTRY_FIELDS.filter((field) => fields.includes(field)) : null;
}

/** The entry fields in which a change of custom log fields logs more. */
export function newlyLogged(before: SealedObject, after: SealedObject): readonly EntryField[] {
  const isNew = (list: FieldList) => {
    const old = formsIn(before, list);
    return formsIn(after, list).some((form) => !old.includes(form));
  };
  return ENTRY_FIELDS.filter((field) => listsFor(field).some(isNew));
}

/** The logged forms of a list's fields. A header with duplicates counts as logged without them too. */
function formsIn(normal: SealedObject, list: FieldList): readonly string[] {
  const fields = normal.enabled === true ? normal[list] : [];
  return (Array.isArray(fields) ? fields : []).flatMap((field: Sealed) =>
    isObject(field) ? [asText(field.name), asText(field)] : [asText(field)],
  );
}

/** The strength of a set of logged fields. */
export function loggedSet(of: readonly string[]): Members {
  return { as: "set", stronger: "more", of, words: { come: "logged", go: "no longer logged" } };
}

/** A warning about a name that usually carries a credential. */
export function logsCredential(path: Path, name: string): Finding {
  return warningAt(
    path,
    "logs_credentials",
    `Log field ${JSON.stringify(name)} carries credentials`,
    `Everyone who can read the logs can use the credential. Remove the field, or accept it: # zoneward: accept logs_credentials until 2027-01-31: REASON.`,
  );
}

/** An expression field whose value is unchanged in the lines of `http_requests`. */
interface LineField {
  readonly field: string;
  readonly lineField: string;
  readonly as: "text" | "integer";
}

export const LINE_FIELDS: readonly LineField[] = [
  { field: "http.host", lineField: "ClientRequestHost", as: "text" },
  { field: "http.request.uri", lineField: "ClientRequestURI", as: "text" },
  { field: "http.request.method", lineField: "ClientRequestMethod", as: "text" },
  { field: "http.request.version", lineField: "ClientRequestProtocol", as: "text" },
  { field: "http.user_agent", lineField: "ClientRequestUserAgent", as: "text" },
  { field: "http.referer", lineField: "ClientRequestReferer", as: "text" },
  { field: "ip.src.asnum", lineField: "ClientASN", as: "integer" },
  { field: "cf.tls_version", lineField: "ClientSSLProtocol", as: "text" },
  { field: "cf.tls_cipher", lineField: "ClientSSLCipher", as: "text" },
  { field: "cf.bot_management.score", lineField: "BotScore", as: "integer" },
  { field: "cf.bot_management.ja3_hash", lineField: "JA3Hash", as: "text" },
  { field: "cf.bot_management.ja4", lineField: "JA4", as: "text" },
  { field: "cf.waf.score", lineField: "WAFAttackScore", as: "integer" },
  { field: "cf.waf.score.sqli", lineField: "WAFSQLiAttackScore", as: "integer" },
  { field: "cf.waf.score.xss", lineField: "WAFXSSAttackScore", as: "integer" },
  { field: "cf.waf.score.rce", lineField: "WAFRCEAttackScore", as: "integer" },
  { field: "http.response.code", lineField: "EdgeResponseStatus", as: "integer" },
];

/** The expression field with the same value as a line's field. Null: none. */
export function expressionFieldOf(name: string): Pick<LineField, "field" | "as"> | null {
  if (name === "ClientRequestPath") return { field: "http.request.uri.path", as: "text" };
  return LINE_FIELDS.find(({ lineField: by }) => by === name) ?? null;
}
