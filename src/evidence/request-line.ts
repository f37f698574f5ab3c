import type { Request } from "../expression/evaluate/evaluate.js";
import { argsOf, extensionOf } from "../expression/evaluate/request.js";
import { presentName } from "../expression/tables/fields.js";
import { PartialMap } from "../expression/value.js";
import { ENTRY_FIELDS, type FieldList, LINE_FIELDS, listsFor } from "../kinds/logged-fields.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { FIELDS_OF_DATASETS } from "../model/log-datasets.js";

/**
 * Lines of the log dataset `http_requests` as requests of the expression engine, by the service's documentation of log
 * fields. A line has only the fields that its job lists. A missing field is unknown: the request may have had it.
 */

/** How log lines give the value of an expression field. */
interface Logged {
  /** The log fields needed: one of each list. */
  readonly by: readonly (readonly string[])[];
  /** The single header that holds the value. A job has to list it as a custom log field. */
  readonly header?: string;
  /** Undefined: the line does not have the value. */
  readonly read: (line: JsonObject) => unknown;
}

/** Logs have the URI as rules see it: as sent, unless the zone normalises it. So no line has the `raw.` fields. */
const LOGGED: ReadonlyMap<string, Logged> = new Map([
  ...LINE_FIELDS.map(({ field, lineField: by, as: type }): [string, Logged] => [
    field,
    type === "text" ? text(by) : integer(by),
  ]),
  ["ip.src", text("ClientIP")],
  ["http.request.uri.path", { by: [["ClientRequestPath", "ClientRequestURI"]], read: pathOf }],
  ["http.request.uri.path.extension", { by: [["ClientRequestPath", "ClientRequestURI"]], read: extension }],
  ["http.request.uri.query", { by: [["ClientRequestURI"]], read: queryOf }],
  ...["", ".names", ".values"].map((part): [string, Logged] => [
    `http.request.uri.args${part}`,
    { by: [["ClientRequestURI"]], read: (line) => argument(line, `http.request.uri.args${part}`) },
  ]),
  [
    "http.request.full_uri",
    { by: [["ClientRequestScheme"], ["ClientRequestHost"], ["ClientRequestURI"]], read: fullUri },
  ],
  ["ssl", { by: [["ClientRequestScheme"]], read: (line) => SCHEMES.get(line.ClientRequestScheme ?? null) }],
  ["ip.src.country", { by: [["ClientCountry"]], read: country }],
  ["http.request.headers", { by: [["RequestHeaders"]], read: (line) => byName(line.RequestHeaders, lower) }],
  ["http.x_forwarded_for", { by: [["RequestHeaders"]], header: "x-forwarded-for", read: forwardedFor }],
  ["http.request.cookies", { by: [["Cookies"]], read: (line) => byName(line.Cookies, (name) => name) }],
]);

/** The named fields of the logged request. */
export function requestIn(line: JsonObject, fields: readonly string[]): Request {
  const values = fields.map((name) => [name, LOGGED.get(presentName(name))?.read(line)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The log fields that a job has to log for a value. */
export interface Loggable {
  /** Fields of the dataset: one of each list. */
  readonly by: Logged["by"];
  /** The custom log field, if the value is a header or a cookie. */
  readonly custom?: { readonly list: FieldList; readonly name: string };
}

/** The log fields for an expression field, or for one key of it. Null: no job can log it. */
export function loggable(field: string, key: string | null): Loggable | null {
  const logged = LOGGED.get(presentName(field));
  if (logged === undefined) return null;
  const { by, header = key } = logged;
  const [entry] = ENTRY_FIELDS.filter((each) => by.flat().includes(each));
  if (entry === undefined) return { by };
  const [list] = listsFor(entry);
  // No line has all headers of a request.
  return header === null || list === undefined ? null : { by, custom: { list, name: header } };
}

/**
 * Whether a line belongs to the dataset: it has a field of this dataset and no field of only other datasets. One bucket
 * may hold several datasets, and some of them log the same requests again.
 */
export function isRequestLine(line: JsonObject): boolean {
  const names = Object.keys(line);
  return names.some((name) => OWN.has(name)) && !names.some((name) => FOREIGN.has(name));
}

const OWN: ReadonlySet<string> = new Set(FIELDS_OF_DATASETS.get("http_requests"));
const FOREIGN: ReadonlySet<string> = new Set(
  [...FIELDS_OF_DATASETS.values()].flat().filter((name) => !OWN.has(name)),
);

/** The path of the request. Null: the line does not have it. */
export function pathIn(line: JsonObject): string | null {
  return pathOf(line) ?? null;
}

/** The request's zone name, or its host without a zone name, in comparable form. Null: the line has neither. */
export function zoneOrHostIn({ ZoneName: zone, ClientRequestHost: host }: JsonObject): {
  readonly is: "zone" | "host";
  readonly name: string;
} | null {
  if (isText(zone) && zone !== "") return { is: "zone", name: hostName(zone) };
  return isText(host) && host !== "" ? { is: "host", name: hostName(host) } : null;
}

function hostName(text: string): string {
  return text
    .toLowerCase()
    .replace(/:[0-9]*$/, "")
    .replace(/\.$/, "");
}

function text(name: string): Logged {
  return { by: [[name]], read: (line) => textIn(line[name]) };
}

function textIn(value: Json | undefined): string | undefined {
  return isText(value) ? value : undefined;
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string";
}

/** Some jobs write numbers as texts. */
function integer(name: string): Logged {
  return {
    by: [[name]],
    read: ({ [name]: value }) =>
      isText(value) && /^-?[0-9]{1,18}$/.test(value) ? BigInt(value) : (value ?? undefined),
  };
}

/** Everything before the first `?`. */
function pathOf({ ClientRequestPath: path, ClientRequestURI: uri }: JsonObject): string | undefined {
  return isText(path) ? path : textIn(uri)?.split("?", 1)[0];
}

function queryOf({ ClientRequestURI: uri }: JsonObject): string | undefined {
  if (!isText(uri)) return undefined;
  const at = uri.indexOf("?");
  return at === -1 ? "" : uri.slice(at + 1);
}

function extension(line: JsonObject): string | undefined {
  const path = pathOf(line);
  return path === undefined ? undefined : (extensionOf(path) ?? undefined);
}

function argument(line: JsonObject, field: string): unknown {
  const query = queryOf(line);
  return query === undefined ? undefined : argsOf("http.request.uri.args", query)[field];
}

const SCHEMES: ReadonlyMap<Json, boolean> = new Map([
  ["https", true],
  ["http", false],
]);

function fullUri(line: JsonObject): string | undefined {
  const { ClientRequestScheme: scheme, ClientRequestHost: host, ClientRequestURI: uri } = line;
  return isText(scheme) && isText(host) && isText(uri) ? `${scheme}://${host}${uri}` : undefined;
}

/** Lines write countries in lower case, expressions in upper case. */
function country({ ClientCountry: code }: JsonObject): string | undefined {
  return textIn(code)?.toUpperCase();
}

/** Headers or cookies by name. Only those listed as custom log fields are logged, so the rest are unknown. */
function byName(value: Json | undefined, spell: (name: string) => string): PartialMap | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  return new PartialMap(
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [spell(name), typeof each === "string" ? [each] : each]),
    ),
  );
}

function forwardedFor({ RequestHeaders: headers }: JsonObject): string | undefined {
  return isObject(headers) ? textIn(headers["x-forwarded-for"]) : undefined;
}

function lower(name: string): string {
  return name.toLowerCase();
}
