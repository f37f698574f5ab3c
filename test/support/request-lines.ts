import type { Request } from "../../src/expression/evaluate/evaluate.js";
import type { JsonObject } from "../../src/model/json.js";
import { fc } from "./random.js";

/** A logged request: its log line, and its values for the engine. */
export interface LoggedRequest {
  readonly line: JsonObject;
  /** The values that the line contains, by expression field; headers and cookies by key. */
  readonly told: Request;
  /** All values of the request. */
  readonly whole: Request;
}

const HOSTS = ["shop.example.com", "api.shop.example.com", "blog.example.org"];
const PATHS = ["/", "/api/v1/a", "/api/v2/b.json", "/search", "/checkout/pay", "/a%2Fb//c"];
const QUERIES = ["", "?", "?q=a", "?q=a&q=b?c&x", "?é=%20"];
const AGENTS = ["curl/8", "Mozilla/5.0 (é)", ""];

const facts = fc.record({
  host: fc.constantFrom(...HOSTS),
  path: fc.constantFrom(...PATHS),
  query: fc.constantFrom(...QUERIES),
  isSecure: fc.boolean(),
  method: fc.constantFrom("GET", "POST"),
  version: fc.constantFrom("HTTP/1.1", "HTTP/2", "HTTP/3"),
  agent: fc.constantFrom(...AGENTS),
  referer: fc.constantFrom("", "https://a.example/"),
  ip: fc.constantFrom("192.0.2.1", "198.51.100.7", "2001:db8::1"),
  asn: fc.integer({ min: 0, max: 4_200_000_000 }),
  country: fc.constantFrom("SA", "GB", "T1"),
  score: fc.integer({ min: 1, max: 99 }),
  status: fc.constantFrom(200, 403, 503),
  headers: fc.dictionary(
    fc.constantFrom("content-type", "x-a", "__proto__"),
    fc.constantFrom("a", "b", "é"),
    {
      noNullPrototype: true,
    },
  ),
  cookies: fc.dictionary(fc.constantFrom("Session", "s"), fc.constantFrom("1", "2"), {
    noNullPrototype: true,
  }),
  /** Whether numbers are written as text. */
  isQuoted: fc.boolean(),
  /** The log fields that the job does not list. */
  unlisted: fc.uniqueArray(fc.constantFrom(...Array.from({ length: 14 }, (_, index) => index)), {
    maxLength: 6,
  }),
  /** The headers and cookies in its custom log fields. */
  listed: fc.subarray(["content-type", "x-a", "__proto__", "Session", "s"]),
});

/** Requests as jobs log them: some fields and headers are missing. */
export const loggedRequest: fc.Arbitrary<LoggedRequest> = facts.map(loggedOf);

type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

function loggedOf(request: Facts): LoggedRequest {
  const { host, path, query, isSecure, isQuoted, unlisted, listed } = request;
  const uri = path + query;
  const number = (value: number) => (isQuoted ? String(value) : value);
  // Each condition with the values that it needs.
  const rows: readonly (readonly [log: string, logged: JsonObject[string], fields: Request])[] = [
    ["ClientRequestHost", host, { "http.host": host }],
    [
      "ClientRequestURI",
      uri,
      { "http.request.uri": uri, "http.request.uri.path": path, "http.request.uri.query": query.slice(1) },
    ],
    ["ClientRequestScheme", isSecure ? "https" : "http", { ssl: isSecure }],
    ["ClientRequestMethod", request.method, { "http.request.method": request.method }],
    ["ClientRequestProtocol", request.version, { "http.request.version": request.version }],
    ["ClientRequestUserAgent", request.agent, { "http.user_agent": request.agent }],
    ["ClientRequestReferer", request.referer, { "http.referer": request.referer }],
    ["ClientIP", request.ip, { "ip.src": request.ip }],
    ["ClientASN", number(request.asn), { "ip.src.asnum": request.asn }],
    ["ClientCountry", request.country.toLowerCase(), { "ip.src.country": request.country }],
    ["BotScore", number(request.score), { "cf.bot_management.score": request.score }],
    ["EdgeResponseStatus", number(request.status), { "http.response.code": request.status }],
    ["RequestHeaders", picked(request.headers, listed), {}],
    ["Cookies", picked(request.cookies, listed), {}],
  ];
  const logged = rows.filter((_, index) => !unlisted.includes(index));
  const line = Object.fromEntries(logged.map(([name, value]) => [name, value]));
  const full = { "http.request.full_uri": `${isSecure ? "https" : "http"}://${host}${uri}` };
  const isFull = [0, 1, 2].every((index) => !unlisted.includes(index));
  return {
    line,
    told: { ...Object.assign({}, ...logged.map(([, , fields]) => fields)), ...(isFull ? full : {}) },
    whole: {
      ...Object.assign({}, ...rows.map(([, , fields]) => fields)),
      ...full,
      "http.request.headers": lists(request.headers),
      "http.request.cookies": lists(request.cookies),
    },
  };
}

function picked(all: Readonly<Record<string, string>>, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

function lists(all: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]]));
}

/** Conditions on logged values. */
const TELLABLE = [
  'http.host eq "shop.example.com"',
  'http.host contains "example"',
  'starts_with(http.request.uri.path, "/api/")',
  'http.request.uri.path matches "^/(api|search)"',
  'http.request.uri.path in {"/" "/search"}',
  'http.request.uri contains "q=a"',
  'http.request.uri.query eq "q=a"',
  'http.request.full_uri wildcard "https://*/api/*"',
  "ssl",
  'http.request.method ne "GET"',
  'http.request.version eq "HTTP/2"',
  'lower(http.user_agent) contains "curl"',
  'http.referer eq ""',
  "ip.src in {192.0.2.0/24 2001:db8::/32}",
  "ip.src.asnum lt 64500",
  'ip.src.country in {"SA" "GB"}',
  "cf.bot_management.score lt 30",
  "http.response.code ge 400",
];

/** Conditions on values that some or all lines lack. */
const UNTOLD = [
  'http.request.headers["content-type"][0] eq "a"',
  'not http.request.headers["x-a"][0] eq "b"',
  'any(http.request.headers["__proto__"][*] eq "é")',
  'http.request.cookies["Session"][0] eq "1"',
  'has_key(http.request.headers, "x-a")',
  'any(http.request.headers[*][*] eq "a")',
];

export const tellable: fc.Arbitrary<string> = expressionOver(TELLABLE);
export const untellable: fc.Arbitrary<string> = expressionOver([
  ...TELLABLE,
  ...UNTOLD,
  ...UNTOLD,
  "ip.src in $office",
]);

function expressionOver(conditions: readonly string[]): fc.Arbitrary<string> {
  const condition = fc
    .tuple(fc.constantFrom("", "", "not "), fc.constantFrom(...conditions))
    .map(([not, text]) => `${not}(${text})`);
  return fc
    .tuple(condition, fc.array(fc.tuple(fc.constantFrom("and", "or", "xor"), condition), { maxLength: 3 }))
    .map(([first, rest]) => rest.reduce((all, [by, next]) => `(${all} ${by} ${next})`, first));
}
