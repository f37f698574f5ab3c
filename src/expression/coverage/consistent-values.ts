import { argsOf, extensionOf, isNormal } from "../evaluate/request.js";
import { presentName } from "../tables/fields.js";
import type { Known } from "../value.js";

/** Values by the names of fields, in the form in which callers give them. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * A request with these values at once, and with the fields asked for that follow from them. Null where it is not known
 * that such a request exists. That one expression matches all that another does needs no such proof: what holds for
 * any values holds for consistent ones.
 */
export function consistentValues(values: Values, asked: ReadonlySet<string>): Values | null {
  const request = [withAddress, withHeaders, withPort].reduce<Values | null>(
    (known, step) => (known === null ? null : step(known, asked)),
    values,
  );
  if (request === null) return null;
  const names = Object.keys(request);
  const apart = FAMILIES.every(
    (family) => new Set(names.map(presentName).filter((each) => family.test(each))).size < 2,
  );
  return apart && names.every((name) => isUsual(name, request[name])) && isEncrypted(request)
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

/** Values that real requests have, used as examples where a made-up one would not be recognised. */
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

/** Newer versions of the protocol, and what is told of a handshake, need one. */
function isEncrypted({ ssl, "http.request.version": version, ...others }: Values): boolean {
  if (ssl !== false) return true;
  return (
    version !== "HTTP/2" &&
    version !== "HTTP/3" &&
    !Object.keys(others).some((name) => name.startsWith("cf.tls_"))
  );
}

const RAW = "raw.";
const URI = "http.request.uri";
const FULL = "http.request.full_uri";

/** The parts of the address are as the whole tells them; what was asked for as it came is as nothing rewrote it. */
function withAddress(values: Values, asked: ReadonlySet<string>): Values | null {
  const raw = Object.entries(values).filter(([name]) => name.startsWith(RAW));
  const parts = {
    ...Object.fromEntries(raw.map(([name, value]) => [name.slice(RAW.length), value])),
    ...values,
  };
  const told = toldBy(parts);
  if (told === null) return null;
  const all: Values = { ...parts, ...told };
  const names = [...asked].filter((name) => Object.hasOwn(all, plainOf(name)));
  const isBoth = names.some((name) => name.startsWith(RAW)) && names.some((name) => isPart(name));
  const path = all[`${URI}.path`];
  if (isBoth && typeof path === "string" && !isNormal(path)) return null;
  const own = Object.entries(values).filter(([name]) => asked.has(name));
  const filled = {
    ...Object.fromEntries(own),
    ...Object.fromEntries(names.map((name) => [name, all[plainOf(name)]])),
  };
  return Object.values(filled).includes(undefined) || hasLooseArguments(filled) ? null : filled;
}

function plainOf(name: string): string {
  return name.startsWith(RAW) ? name.slice(RAW.length) : name;
}

function isPart(name: string): boolean {
  return name.startsWith(URI) || name === FULL;
}

/** Null: it is no address. Undefined where a part is not certain. */
function toldBy(parts: Values): Values | null {
  const { [FULL]: full, ssl, "http.host": host, [URI]: uri } = parts;
  const { [`${URI}.path`]: path, [`${URI}.query`]: query } = parts;
  if (full !== undefined) {
    const match = /^(https?):\/\/([^/?#\s]+)(\/.*)$/s.exec(String(full));
    if (match === null) return null;
    const [, scheme, host, rest = ""] = match;
    return { ssl: scheme === "https", "http.host": host, [URI]: rest, ...toldByUri(rest) };
  }
  if (uri !== undefined) {
    const isWhole = typeof ssl === "boolean" && typeof host === "string" && host !== "";
    return {
      ...toldByUri(String(uri)),
      ...(isWhole ? { [FULL]: `http${ssl ? "s" : ""}://${host}${uri}` } : {}),
    };
  }
  return {
    ...(typeof path === "string" ? toldByPath(path) : {}),
    ...(typeof query === "string" ? argsOf(`${URI}.args`, query) : {}),
  };
}

function toldByUri(uri: string): Values {
  const mark = uri.includes("?") ? uri.indexOf("?") : uri.length;
  const [path, query] = [uri.slice(0, mark), uri.slice(mark + 1)];
  return {
    [`${URI}.path`]: path,
    [`${URI}.query`]: query,
    ...toldByPath(path),
    ...argsOf(`${URI}.args`, query),
  };
}

function toldByPath(path: string): Values {
  return { [`${URI}.path.extension`]: extensionOf(path) ?? undefined };
}

/** Names and values of arguments without the query that they stand in. */
function hasLooseArguments(values: Values): boolean {
  const names = Object.keys(values).filter((name) => plainOf(name).startsWith(`${URI}.args`));
  const queries = [FULL, URI, `${URI}.query`];
  return (
    new Set(names.map(plainOf)).size > 1 &&
    !Object.keys(values).some((name) => queries.includes(plainOf(name)))
  );
}

const HEADERS = "http.request.headers";

/** Fields that are a header each, by its name. */
const AS_FIELDS = {
  "http.host": "host",
  "http.cookie": "cookie",
  "http.referer": "referer",
  "http.user_agent": "user-agent",
  "http.x_forwarded_for": "x-forwarded-for",
} as const;

/** A header that has a field of its own says what the field says. The names of headers are in lower case. */
function withHeaders(values: Values): Values | null {
  const { [HEADERS]: headers, [`${HEADERS}.names`]: names, [`${HEADERS}.values`]: all } = values;
  const own = Object.entries(AS_FIELDS).flatMap(([field, header]): (readonly [string, unknown])[] => {
    const value = values[field];
    return value === undefined ? [] : [[header, [value]]];
  });
  const lists = [names, all].filter((each) => each !== undefined).length;
  if (headers === undefined) return lists + Math.min(own.length, 1) > 1 ? null : values;
  if (typeof headers !== "object" || headers === null || lists > 0) return null;
  const keys = Object.keys(headers);
  if (keys.some((key) => key !== key.toLowerCase())) return null;
  if (keys.includes("cookie") && values["http.request.cookies"] !== undefined) return null;
  const shown = own.filter(([header]) => keys.includes(header));
  return shown.length === 0 ? values : { ...values, [HEADERS]: { ...headers, ...Object.fromEntries(shown) } };
}

/** The service listens on some ports for encrypted requests, and on others for the rest. */
function withPort(values: Values): Values | null {
  const { "cf.edge.server_port": port, "http.host": host, ssl } = values;
  if (port === undefined) return values;
  const written = /:(\d+)$/.exec(String(host ?? ""))?.[1];
  if (written !== undefined && Number(written) !== Number(port)) return null;
  if (ssl === undefined) return Number(port) >= 1 && Number(port) <= 65_535 ? values : null;
  return PORTS.get(Number(port)) === ssl ? values : null;
}

const PORTS: ReadonlyMap<number, boolean> = new Map([
  ...ENCRYPTED.map((port) => [port, true] as const),
  ...PLAIN.map((port) => [port, false] as const),
]);
