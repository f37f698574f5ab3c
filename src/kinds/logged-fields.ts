/** The phase whose rules log them. */
export const LOG_PHASE = "http_log_custom_fields";

/** The lists of custom log fields, each with the field of a log entry in which what it names is logged. */
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
