import { argsOf, extensionOf, isNormal } from "../evaluate/request.js";
import { presentName } from "../tables/fields.js";
import type { Known } from "../value.js";

/** Values by field name, in the form that callers use. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * A request with all of these values, and with the requested fields that follow from them. Null: it is unknown whether
 * such a request exists. To show that one expression covers another needs no such request: what holds for any values
 * also holds for consistent ones.
 */
export function consistentValues(values: Values, fieldNames: ReadonlySet<string>): Values | null {
  const request = [withAddress, withHeaders, withPort].reduce<Values | null>(
    (current, step) => (current === null ? null : step(current, fieldNames)),
    values,
  );
  if (request === null) return null;
  const names = Object.keys(request);
  const areIndependent = FAMILIES.every(
    (family) => new Set(names.map(presentName).filter((each) => family.test(each))).size < 2,
  );
  return areIndependent && names.every((name) => isUsual(name, request[name])) && isEncrypted(request)
    ? request
    : null;
}

/** Fields of one family depend on each other in ways that are not modelled. */
const FAMILIES: readonly RegExp[] = [
  /^ip\.src(\.|$)/,
  /^cf\.(client\.bot$|bot_management\.|verified_bot_category$)/,
  /^cf\.waf\.(score|class)/,
  /^cf\.waf\.content_scan\./,
  /^cf\.waf\.(auth_detected|credential_check\.)/,
  /^cf\.llm\./,
  /^cf\.(api_gateway|schema_validation)\./,
  /^cf\.sequence\./,
  /^cf\.zone\./,
  /^cf\.colo\./,
  /^cf\.tls_client_auth\./,
  /^cf\.tls_(?!client_auth)/,
  /^http\.request\.(timestamp|body|jwt)\./,
  /^(raw\.)?http\.response\.|^cf\.response\./,
  /^(icmp|sip|tcp|udp|ip(?!\.src))(\.|$)/,
  /^http\.cookie$|^http\.request\.cookies$/,
];

/** Values of real requests, as examples that readers recognise. */
export function usualValues(name: string): readonly Known[] {
  return USUAL.get(presentName(name)) ?? [];
}

const ENCRYPTED = [443, 2053, 2083, 2087, 2096, 8443];
const PLAIN = [80, 8080, 8880, 2052, 2082, 2086, 2095];
const VERSIONS = ["HTTP/2", "HTTP/1.1", "HTTP/3", "HTTP/1.0"];
const CONTINENTS = ["EU", "NA", "AS", "AF", "SA", "OC", "AN"];
const USUAL: ReadonlyMap<string, readonly Known[]> = new Map<string, readonly Known[]>([
  ["http.request.version", VERSIONS],
  ["ip.src.continent", CONTINENTS],
  ["ip.src.country", ["GB", "US", "DE", "FR", "JP", "BR", "AU", "IN"]],
  ["cf.edge.server_port", [...ENCRYPTED, ...PLAIN].map(BigInt)],
]);

function isUsual(name: string, value: unknown): boolean {
  const shape = SHAPES.get(presentName(name));
  if (typeof value === "number" || typeof value === "bigint") return value >= 0;
  return shape === undefined || (typeof value === "string" && shape.test(value));
}

const SHAPES: ReadonlyMap<string, RegExp> = new Map([
  ["http.request.version", new RegExp(`^(${VERSIONS.join("|")})$`)],
  ["ip.src.continent", new RegExp(`^(${CONTINENTS.join("|")})$`)],
  ["ip.src.country", /^[A-Z]{2}$/],
  ["http.host", /^[^/?#\s]*$/],
  ["http.request.uri.path.extension", /^[^/.?A-Z]*$/],
  ["raw.http.request.uri.path.extension", /^[^/.?A-Z]*$/],
  ["http.request.uri.path", /^[^?]*$/],
  ["raw.http.request.uri.path", /^[^?]*$/],
]);

/** Newer protocol versions and fields about a TLS handshake need encryption. */
function isEncrypted({ ssl, "http.request.version": version, ...fields }: Values): boolean {
  if (ssl !== false) return true;
  return (
    version !== "HTTP/2" &&
    version !== "HTTP/3" &&
    !Object.keys(fields).some((name) => name.startsWith("cf.tls_"))
  );
}

const RAW = "raw.";
const URI = "http.request.uri";
const FULL = "http.request.full_uri";

/** Derives the parts of the address from the whole. Raw fields get the same parts, as if nothing rewrote them. */
function withAddress(values: Values, fieldNames: ReadonlySet<string>): Values | null {
  const raw = Object.entries(values).filter(([name]) => name.startsWith(RAW));
  const parts = {
    ...Object.fromEntries(raw.map(([name, value]) => [name.slice(RAW.length), value])),
    ...values,
  };
  const derived = derivedParts(parts);
  if (derived === null) return null;
  const fields: Values = { ...parts, ...derived };
  const names = [...fieldNames].filter((name) => Object.hasOwn(fields, plainOf(name)));
  const isBoth = names.some((name) => name.startsWith(RAW)) && names.some((name) => isPart(name));
  const path = fields[`${URI}.path`];
  if (isBoth && typeof path === "string" && !isNormal(path)) return null;
  const requested = Object.entries(values).filter(([name]) => fieldNames.has(name));
  const filled = {
    ...Object.fromEntries(requested),
    ...Object.fromEntries(names.map((name) => [name, fields[plainOf(name)]])),
  };
  return Object.values(filled).includes(undefined) || hasLooseArguments(filled) ? null : filled;
}

function plainOf(name: string): string {
  return name.startsWith(RAW) ? name.slice(RAW.length) : name;
}

function isPart(name: string): boolean {
  return name.startsWith(URI) || name === FULL;
}

/** Null: not an address. Undefined: the part is uncertain. */
function derivedParts(parts: Values): Values | null {
  const { [FULL]: full, ssl, "http.host": host, [URI]: uri } = parts;
  const { [`${URI}.path`]: path, [`${URI}.query`]: query } = parts;
  if (full !== undefined) {
    const match = /^(https?):\/\/([^/?#\s]+)(\/.*)$/s.exec(String(full));
    if (match === null) return null;
    const [, scheme, host, uriText = ""] = match;
    return { ssl: scheme === "https", "http.host": host, [URI]: uriText, ...derivedFromUri(uriText) };
  }
  if (uri !== undefined) {
    const isWhole = typeof ssl === "boolean" && typeof host === "string" && host !== "";
    return {
      ...derivedFromUri(String(uri)),
      ...(isWhole ? { [FULL]: `http${ssl ? "s" : ""}://${host}${uri}` } : {}),
    };
  }
  return {
    ...(typeof path === "string" ? derivedFromPath(path) : {}),
    ...(typeof query === "string" ? argsOf(`${URI}.args`, query) : {}),
  };
}

function derivedFromUri(uri: string): Values {
  const mark = uri.includes("?") ? uri.indexOf("?") : uri.length;
  const [path, query] = [uri.slice(0, mark), uri.slice(mark + 1)];
  return {
    [`${URI}.path`]: path,
    [`${URI}.query`]: query,
    ...derivedFromPath(path),
    ...argsOf(`${URI}.args`, query),
  };
}

function derivedFromPath(path: string): Values {
  return { [`${URI}.path.extension`]: extensionOf(path) ?? undefined };
}

/** Whether there are names and values of arguments without their query. */
function hasLooseArguments(values: Values): boolean {
  const names = Object.keys(values).filter((name) => plainOf(name).startsWith(`${URI}.args`));
  const queries = [FULL, URI, `${URI}.query`];
  return (
    new Set(names.map(plainOf)).size > 1 &&
    !Object.keys(values).some((name) => queries.includes(plainOf(name)))
  );
}

const HEADERS = "http.request.headers";

/** Fields that stand for one header, by header name. */
const AS_FIELDS = {
  "http.host": "host",
  "http.cookie": "cookie",
  "http.referer": "referer",
  "http.user_agent": "user-agent",
  "http.x_forwarded_for": "x-forwarded-for",
} as const;

/** A header with a field of its own has the field's value. Header names are in lower case. */
function withHeaders(values: Values): Values | null {
  const { [HEADERS]: headers, [`${HEADERS}.names`]: names, [`${HEADERS}.values`]: headerValues } = values;
  const pairs = Object.entries(AS_FIELDS).flatMap(([field, header]): (readonly [string, unknown])[] => {
    const value = values[field];
    return value === undefined ? [] : [[header, [value]]];
  });
  const lists = [names, headerValues].filter((each) => each !== undefined).length;
  if (headers === undefined) return lists + Math.min(pairs.length, 1) > 1 ? null : values;
  if (typeof headers !== "object" || headers === null || lists > 0) return null;
  const keys = Object.keys(headers);
  if (keys.some((key) => key !== key.toLowerCase())) return null;
  if (keys.includes("cookie") && values["http.request.cookies"] !== undefined) return null;
  const shown = pairs.filter(([header]) => keys.includes(header));
  return shown.length === 0 ? values : { ...values, [HEADERS]: { ...headers, ...Object.fromEntries(shown) } };
}

/** The service accepts encrypted requests on some ports and unencrypted requests on others. */
function withPort(values: Values): Values | null {
  const { "cf.edge.server_port": port, "http.host": host, ssl } = values;
  if (port === undefined) return values;
  const hostPort = /:(\d+)$/.exec(String(host ?? ""))?.[1];
  if (hostPort !== undefined && Number(hostPort) !== Number(port)) return null;
  if (ssl === undefined) return Number(port) >= 1 && Number(port) <= 65_535 ? values : null;
  return PORTS.get(Number(port)) === ssl ? values : null;
}

const PORTS: ReadonlyMap<number, boolean> = new Map([
  ...ENCRYPTED.map((port) => [port, true] as const),
  ...PLAIN.map((port) => [port, false] as const),
]);
