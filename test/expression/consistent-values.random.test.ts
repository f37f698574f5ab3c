import { expect, test } from "vitest";
import { type Coverage, coverage, witness } from "../../src/expression/coverage/coverage.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { fc, runs, untilMet } from "../support/random.js";

const HOST = "http.host";
const PATH = "http.request.uri.path";
const QUERY = "http.request.uri.query";
const URI = "http.request.uri";
const FULL = "http.request.full_uri";
const EXTENSION = `${PATH}.extension`;

test.each<[string, string, Coverage]>([
  [`concat(${HOST}, ${PATH}) eq "a.example/x"`, `${HOST} eq "a.example"`, "subset"],
  [`concat(${HOST}, ${PATH}) eq "a.example/x"`, `${HOST} eq "a.example" and ${PATH} eq "/x"`, "equal"],
  [`starts_with(concat(${HOST}, ${PATH}), "a.example/x")`, `${HOST} eq "b.example"`, "disjoint"],
  [`starts_with(concat(${HOST}, ${URI}), "a.example/")`, `${HOST} eq "a.example"`, "equal"],
  [`concat(${PATH}, "?", ${QUERY}) eq "/a?b"`, `${URI} eq "/a?b"`, "equal"],
  [`concat("https://", ${HOST}, ${PATH}) eq "https://a/"`, `${HOST} eq "a" and ${PATH} eq "/"`, "equal"],
  [`ends_with(concat(${HOST}, "/x"), "a/x")`, `ends_with(${HOST}, "a")`, "equal"],
  [`starts_with(${FULL}, "https://a.example/")`, `ssl and ${HOST} eq "a.example"`, "equal"],
  [`${FULL} wildcard "https://a.example/x*"`, `${HOST} eq "a.example"`, "overlaps"],
  [`${FULL} strict wildcard "https://a.example/x*"`, `${HOST} eq "a.example"`, "subset"],
  [`starts_with(${FULL}, "http://")`, "ssl", "disjoint"],
  [`not starts_with(${FULL}, "https://")`, "not ssl", "equal"],
  [`${FULL} contains "x"`, "ssl", "overlaps"],
  [`${FULL} eq "a.example"`, "ssl", "subset"],
  [`${URI} eq "/a?b=1"`, `${PATH} eq "/a"`, "subset"],
  [`${URI} eq "/a?b=1"`, `${PATH} eq "/a" and ${QUERY} eq "b=1"`, "equal"],
  [`${URI} contains "?"`, `${QUERY} ne ""`, "superset"],
  [`${EXTENSION} eq "php"`, `${PATH} eq "/a.txt"`, "disjoint"],
  [`${EXTENSION} eq "php"`, `starts_with(${PATH}, "/api/")`, "overlaps"],
  [`${EXTENSION} eq "php"`, `ends_with(lower(${PATH}), ".php")`, "unknown"],
  [`${PATH} eq "/A.PHP"`, `${EXTENSION} eq "php"`, "subset"],
  [`${PATH} eq "/.htaccess"`, `${EXTENSION} eq "htaccess"`, "unknown"],
])("coverage relates the parts of a URL: %s / %s: %s", (a, b, stands) => {
  expect(coverage(a, b)).toBe(stands);
});

test.each<[string, string]>([
  [`${HOST} eq "a.example"`, 'http.request.headers["host"][0] eq "b.example"'],
  ['http.referer eq "a"', 'http.request.headers["referer"][0] eq "b"'],
  ['http.cookie contains "a=1"', 'http.request.cookies["a"][0] eq "2"'],
  ['http.user_agent eq "a"', 'any(http.request.headers.values[*] eq "b")'],
  ['any(http.request.headers.names[*] eq "a")', 'http.request.headers["b"][0] eq "c"'],
  ['ip.src.country eq "GB"', 'ip.src.continent eq "NA"'],
  ['ip.src.country eq "GB"', 'ip.geoip.continent eq "NA"'],
  ["ip.src in {192.0.2.0/24}", 'ip.src.country eq "GB"'],
  ['http.request.version eq "HTTP/2"', "not ssl"],
  ['http.request.version eq "HTTP/9"', 'http.request.method eq "GET"'],
  ["not ssl", 'cf.tls_version eq "TLSv1.3"'],
  ["cf.edge.server_port eq 443", "not ssl"],
  ["cf.edge.server_port eq 99999", "ssl"],
  ["cf.client.bot", "cf.bot_management.verified_bot"],
  [`raw.${PATH} eq "/a"`, `${PATH} eq "/b"`],
  [`raw.${URI} eq "/a?b"`, `raw.${PATH} eq "/b"`],
  [`raw.${EXTENSION} eq "php"`, `raw.${PATH} eq "/a.txt"`],
  [`${QUERY} eq "a=1"`, `${URI}.args["a"][0] eq "2"`],
  [`${URI}.args["a"][0] eq "1"`, `any(${URI}.args.values[*] eq "2")`],
  ['http.request.headers["X-A"][0] eq "1"', "ssl"],
])("coverage of %s and %s is unknown", (a, b) => {
  expect(coverage(a, b)).toBe("unknown");
  expect(witness(`(${a}) and (${b})`, "false")).toBe(null);
});

test.each<[string, string, Readonly<Record<string, unknown>>]>([
  [
    `${HOST} eq "a.example"`,
    'http.request.headers["host"][0] eq "a.example" and ssl',
    {
      [HOST]: "a.example",
      "http.request.headers": { host: ["a.example"] },
      ssl: false,
    },
  ],
  ["ssl", "cf.edge.server_port in {1 443}", { ssl: true, "cf.edge.server_port": 2053 }],
  ["not ssl", "cf.edge.server_port in {1 443}", { ssl: false, "cf.edge.server_port": 80 }],
  [`raw.${PATH} eq "/a"`, `not ${PATH} eq "/a"`, { [`raw.${PATH}`]: "/a", [PATH]: "/a" }],
  [`${URI} eq "/a?b=1"`, `${URI}.args["b"][0] eq "2"`, { [URI]: "/a?b=1", [`${URI}.args`]: { b: ["1"] } }],
  ['http.request.version ne "HTTP/2"', "ssl", { "http.request.version": "HTTP/1.1", ssl: false }],
  ['ip.src.country ne "GB"', "ssl", { "ip.src.country": "US", ssl: false }],
])("the witness that matches %s and not %s has consistent fields", (a, b, request) => {
  expect(witness(a, b)).toEqual(request);
  expect([evaluate(a, request), evaluate(b, request)]).toEqual([true, false]);
});

/** A random request whose fields and headers are consistent with its URL. */
const requests = fc
  .record({
    scheme: fc.constantFrom("http", "https"),
    host: fc.constantFrom("a", "b", "a.b", "A"),
    path: fc.constantFrom("/", "/a", "/b", "/a/b", "/a.b", "/x.A", "/a/", "/b/a.a", "/.a", "/a."),
    query: fc.constantFrom(null, "", "a", "a=b", "b=a&a=/", "?"),
    header: fc.constantFrom<Readonly<Record<string, string>>>({}, { x: "a" }, { x: "b", cookie: "a=b" }),
    country: fc.constantFrom(["GB", "EU"], ["US", "NA"]),
    port: fc.boolean(),
  })
  .map(({ scheme, host, path, query, header, country: [country, continent], port }) => {
    const uri = query === null ? path : `${path}?${query}`;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const [, extension = ""] = /^[^.]+\.([^.]+)$/.exec(name) ?? [];
    const isClear = !name.includes(".") || extension !== "";
    const isSecure = scheme === "https";
    const headers = Object.entries({ host, ...header });
    return {
      ssl: isSecure,
      [HOST]: host,
      [PATH]: path,
      [QUERY]: query ?? "",
      [URI]: uri,
      [FULL]: `${scheme}://${host}${uri}`,
      ...(isClear ? { [EXTENSION]: extension.toLowerCase() } : {}),
      [`raw.${PATH}`]: path,
      [`raw.${URI}`]: uri,
      "http.cookie": header.cookie ?? "",
      "http.request.headers": Object.fromEntries(headers.map(([key, value]) => [key, [value]])),
      "http.request.headers.names": headers.map(([key]) => key),
      "http.request.headers.values": headers.map(([, value]) => value),
      "http.request.version": isSecure ? "HTTP/2" : "HTTP/1.1",
      "cf.edge.server_port": isSecure ? (port ? 443 : 8443) : port ? 80 : 8080,
      "ip.src.country": country,
      "ip.src.continent": continent,
    };
  });

const texts = [
  HOST,
  PATH,
  QUERY,
  URI,
  FULL,
  EXTENSION,
  `raw.${PATH}`,
  `concat(${HOST}, ${PATH})`,
  `lower(${URI})`,
];
const operators = ["eq", "ne", "contains", "lt", "strict wildcard", "matches"];
const literals = ["a", "/", "b", "/a", "a/b", "?", "http", "https://a/", "/a?b", "a/", "", "/a.b", ".a"];
const compared = fc
  .tuple(fc.constantFrom(...texts), fc.constantFrom(...operators), fc.constantFrom(...literals))
  .filter(([, operator, text]) => operator !== "matches" || !/[?*+]/.test(text))
  .map(([value, operator, text]) => `${value} ${operator} "${text}"`);
const begun = fc
  .tuple(fc.constantFrom("starts_with", "ends_with"), fc.constantFrom(...texts), fc.constantFrom(...literals))
  .map(([call, value, text]) => `${call}(${value}, "${text}")`);
const others = fc.constantFrom(
  "ssl",
  `len(${FULL}) gt 10`,
  `len(${URI}) le 3`,
  `${FULL} wildcard "HTTPS://A/*"`,
  `${URI} in {"/a" "/b?" "/"}`,
  'http.request.headers["host"][0] eq "a"',
  'any(http.request.headers["x"][*] eq "a")',
  'any(http.request.headers.names[*] eq "cookie")',
  'http.cookie contains "a"',
  'http.request.version eq "HTTP/2"',
  "cf.edge.server_port in {80 443}",
  'ip.src.country eq "GB"',
  'ip.geoip.continent eq "NA"',
);
const dependent = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    { arbitrary: compared, weight: 3 },
    { arbitrary: begun, weight: 2 },
    { arbitrary: others, weight: 2 },
    tie("node").map((item) => `not (${item})`),
    fc
      .tuple(fc.constantFrom("and", "or", "xor"), tie("node"), tie("node"))
      .map(([operator, left, right]) => `(${left}) ${operator} (${right})`),
  ),
})).node;

const REFUTED_BY: { readonly [stands in Coverage]: readonly string[] } = {
  equal: ["true false", "false true"],
  subset: ["true false"],
  superset: ["false true"],
  disjoint: ["true true"],
  overlaps: [],
  unknown: [],
};

test("no request with consistent fields contradicts coverage", async () => {
  const least = runs(4);
  const decided = { equal: least, subset: least, superset: least, disjoint: least, overlaps: least };
  await untilMet(
    decided,
    (met) =>
      fc.property(
        dependent,
        dependent,
        fc.array(requests, { minLength: 30, maxLength: 30 }),
        (a, b, sample) => {
          const stands = coverage(a, b);
          met(stands);
          const seen = sample.map((request) => `${evaluate(a, request)} ${evaluate(b, request)}`);
          expect(seen.filter((each) => REFUTED_BY[stands].includes(each))).toEqual([]);
        },
      ),
    runs(600),
  );
});

/** Lists fields that contradict each other, such as a path that differs from the full URI. */
function contradictions(request: Readonly<Record<string, unknown>>): readonly string[] {
  const full = /^(https?):\/\/([^/?]+)(\/.*)$/s.exec(String(request[FULL] ?? ""));
  const uri = full?.[3] ?? request[URI];
  const [path, query = ""] = uri === undefined ? [request[PATH]] : String(uri).split(/\?(.*)/s);
  const headers = request["http.request.headers"] as Readonly<Record<string, readonly string[]>> | undefined;
  const { ssl, [HOST]: host, [`raw.${PATH}`]: raw } = request;
  const pairs: readonly (readonly [what: string, is: unknown, should: unknown])[] = [
    ["whole", full === null, request[FULL] === undefined],
    ["ssl", ssl, full === null ? undefined : full[1] === "https"],
    ["host", host, full?.[2]],
    ["uri", request[URI], uri],
    ["path", request[PATH], path],
    ["query", request[QUERY], uri === undefined ? undefined : query],
    ["raw path", raw, path],
    ["raw uri", request[`raw.${URI}`], uri],
    ["raw path in raw uri", raw, String(request[`raw.${URI}`] ?? raw).split("?")[0]],
    ["extension", request[EXTENSION], path === undefined ? undefined : extensionOf(String(path))],
    ["host header", headers?.host?.[0], host],
    ["cookie header", headers?.cookie?.[0], request["http.cookie"]],
    ["version", request["http.request.version"] === "HTTP/2" && ssl === false, false],
    ["places", "ip.src.country" in request && "ip.geoip.continent" in request, false],
  ];
  const isOdd = (is: unknown, should: unknown) => is !== undefined && should !== undefined && is !== should;
  return pairs.flatMap(([what, is, should]) => (isOdd(is, should) ? [`${what}: ${is}, not ${should}`] : []));
}

function extensionOf(path: string): string {
  const name = path.split("/").at(-1) ?? "";
  return name.includes(".") ? (name.split(".").at(-1) ?? "").toLowerCase() : "";
}

test("witnesses have consistent fields", async () => {
  await untilMet(
    { witnesses: runs(200) },
    (met) =>
      fc.property(dependent, dependent, (a, b) => {
        const request = witness(a, b);
        if (request === null) return;
        met("witnesses");
        expect([a, b, contradictions(request)]).toEqual([a, b, []]);
        expect([evaluate(a, request), evaluate(b, request)]).toEqual([true, false]);
      }),
    runs(600),
  );
});
