import { failed, ok, problem, type Result } from "../../model/problem.js";
import { readUrl } from "../../model/url.js";
import { unknownField } from "../parse/hints.js";
import { constantNamed, fieldType } from "../tables/fields.js";
import type { Type } from "../tables/types.js";
import { engineValue, isItems, isMap, type Seen } from "../value.js";
import type { Request } from "./evaluate.js";

/**
 * The certain facts about a request to a URL. If the service's normalisation (a setting of the zone) may change the
 * path, only the `raw.` fields have it. A URL gives no header, client address or country: `facts` may add them by field
 * name, and overrides the URL.
 */
export function requestOf(url: string, facts: Given = {}): Result<Request> {
  const parsed = readUrl(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    return failed(
      problem("url_invalid", "Not a URL of a web page", `"${url}" is not an absolute http or https URL.`),
    );
  }
  const { method, ...fields } = facts;
  return ok({
    ...fieldsOfUrl(parsed),
    ...(method === undefined ? {} : { "http.request.method": method }),
    ...fields,
  });
}

/** More facts about a request, by field name. `method` is short for `http.request.method`. */
export interface Given extends Request {
  readonly method?: string;
}

/** The Host header has a port unless it is the scheme's default. */
function fieldsOfUrl(url: URL): Request {
  const path = url.pathname;
  const query = url.search.slice(1);
  const uri = path + url.search;
  const raw = { ...argsOf("raw.http.request.uri.args", query), "raw.http.request.uri.query": query };
  const ssl = url.protocol === "https:";
  return {
    "http.host": url.host,
    ssl,
    "cf.edge.server_port": url.port === "" ? (ssl ? 443 : 80) : Number(url.port),
    "http.request.uri.query": query,
    ...argsOf("http.request.uri.args", query),
    ...raw,
    ...pathFields("raw.", path, { uri, full: `${url.origin}${uri}` }),
    ...(isNormal(path) ? pathFields("", path, { uri, full: `${url.origin}${uri}` }) : {}),
  };
}

function pathFields(
  prefix: string,
  path: string,
  { uri, full }: { readonly uri: string; readonly full: string },
): Request {
  const extension = extensionOf(path);
  return {
    [`${prefix}http.request.uri.path`]: path,
    [`${prefix}http.request.uri`]: uri,
    [`${prefix}http.request.full_uri`]: full,
    ...(extension === null ? {} : { [`${prefix}http.request.uri.path.extension`]: extension }),
  };
}

/** The service may merge slashes, decode unneeded escapes and write escapes in capitals. */
export function isNormal(path: string): boolean {
  return !path.includes("//") && path.split("%").slice(1).every(isNormalEscape);
}

function isNormalEscape(text: string): boolean {
  const hex = /^[0-9A-F]{2}/.exec(text)?.[0];
  return hex !== undefined && !/[A-Za-z0-9._~-]/.test(String.fromCharCode(Number.parseInt(hex, 16)));
}

/** In lower case, by the documentation. It does not define `.htaccess` or a dot at the end. */
export function extensionOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  if (dot === -1) return "";
  return dot === 0 || dot === name.length - 1 ? null : name.slice(dot + 1).toLowerCase();
}

/** Names and values stay as written: `a+b` and `%20` are not decoded. */
export function argsOf(name: string, query: string): Request {
  const args = new Map<string, string[]>();
  for (const part of query.split("&").filter((each) => each !== "")) {
    const at = part.includes("=") ? part.indexOf("=") : part.length;
    const key = part.slice(0, at);
    const values = args.get(key);
    if (values === undefined) args.set(key, [part.slice(at + 1)]);
    else values.push(part.slice(at + 1));
  }
  const sorted = [...args].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    [name]: Object.fromEntries(sorted),
    [`${name}.names`]: sorted.map(([key]) => key),
    [`${name}.values`]: sorted.flatMap(([, values]) => values),
  };
}

type ParsedFieldValue =
  | { readonly ok: true; readonly value: unknown }
  /** The reason, as sentences. */
  | { readonly ok: false; readonly why: string };

/** The value of a field written as text: a list or map as JSON, other values as in an expression. */
export function parseFieldValue(name: string, text: string): ParsedFieldValue {
  const type = constantNamed(name) === null ? fieldType(name) : undefined;
  if (type === undefined) return { ok: false, why: unknownField(name) };
  const value = "of" in type ? jsonIn(text) : simpleIn(text, type);
  return isKnown(engineValue(value, type)) ? { ok: true, value } : { ok: false, why: wrongType(text, type) };
}

function simpleIn(text: string, type: Type): unknown {
  switch (type.is) {
    case "Bool":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "Int":
      return /^-?[0-9]{1,20}$/.test(text) ? BigInt(text) : undefined;
    default:
      return withoutQuotes(text);
  }
}

/** Quotes around the whole text belong to the expression or to JSON. */
function withoutQuotes(text: string): string {
  const value = text.startsWith('"') ? jsonIn(text) : text;
  return typeof value === "string" ? value : text;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isKnown(value: Seen): boolean {
  if (isMap(value) || isItems(value)) return [...value.values()].every(isKnown);
  return value !== undefined;
}

function wrongType(text: string, type: Type): string {
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  switch (type.is) {
    case "Bytes":
      return `\`${shown}\` is not a string.`;
    case "Int":
      return `\`${shown}\` is not a whole number.`;
    case "Bool":
      return `\`${shown}\` is neither \`true\` nor \`false\`.`;
    case "Ip":
      return `\`${shown}\` is not an IP address.`;
    default:
      return `\`${shown}\` is not what this field has. Write it as JSON, such as ${example(type)}.`;
  }
}

const MOST_SHOWN = 80;

function example(type: Type): string {
  switch (type.is) {
    case "Array":
      return `[${example(type.of)}]`;
    case "Map":
      return `{"a": ${example(type.of)}}`;
    case "Int":
      return "1";
    case "Bool":
      return "true";
    case "Bytes":
    case "Ip":
    case "Unknown":
      return '"b"';
  }
}
