import { failed, ok, problem, type Result } from "../../model/problem.js";
import { readUrl } from "../../model/url.js";
import type { Request } from "./evaluate.js";

/**
 * What a URL tells about a request to it: no more than is certain. Where the service's normalisation (a setting of the
 * zone) may change the path, only the `raw.` fields have it. Header, address and country are not in a URL; `given` may
 * have them, by the names of fields, and wins over what the URL tells.
 */
export function requestOf(url: string, given: Given = {}): Result<Request> {
  const parsed = readUrl(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    return failed(
      problem("url_invalid", "Not a URL of a web page.", `"${url}" is no absolute http or https URL.`),
    );
  }
  const { method, ...fields } = given;
  return ok({
    ...told(parsed),
    ...(method === undefined ? {} : { "http.request.method": method }),
    ...fields,
  });
}

/** What else is known of a request, by the names of fields; `method` is short for `http.request.method`. */
export interface Given extends Request {
  readonly method?: string;
}

/** The Host header has a port where it is not the scheme's own. */
function told(url: URL): Request {
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
    ...located("raw.", path, { uri, full: `${url.origin}${uri}` }),
    ...(isNormal(path) ? located("", path, { uri, full: `${url.origin}${uri}` }) : {}),
  };
}

function located(
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

/** The service may merge slashes, decode what needs no escape and write escapes in capitals. */
export function isNormal(path: string): boolean {
  return !path.includes("//") && path.split("%").slice(1).every(isNormalEscape);
}

function isNormalEscape(text: string): boolean {
  const hex = /^[0-9A-F]{2}/.exec(text)?.[0];
  return hex !== undefined && !/[A-Za-z0-9._~-]/.test(String.fromCharCode(Number.parseInt(hex, 16)));
}

/** In lower case, as the documentation says. Whether `.htaccess` is one, and what a dot at the end means, it does not. */
export function extensionOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  if (dot === -1) return "";
  return dot === 0 || dot === name.length - 1 ? null : name.slice(dot + 1).toLowerCase();
}

/** Names and values stay as they are written: `a+b` and `%20` are not decoded. */
export function argsOf(name: string, query: string): Request {
  const args = new Map<string, string[]>();
  for (const part of query.split("&").filter((each) => each !== "")) {
    const at = part.includes("=") ? part.indexOf("=") : part.length;
    const key = part.slice(0, at);
    args.set(key, [...(args.get(key) ?? []), part.slice(at + 1)]);
  }
  const sorted = [...args].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    [name]: Object.fromEntries(sorted),
    [`${name}.names`]: sorted.map(([key]) => key),
    [`${name}.values`]: sorted.flatMap(([, values]) => values),
  };
}
