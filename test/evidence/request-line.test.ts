import { describe, expect, test } from "vitest";
import { zoneOf } from "../../src/evidence/hosts.js";
import { lineEvaluator, PathCounts, UndecidedCounts } from "../../src/evidence/line-counts.js";
import { isRequestLine, requestIn, zoneOrHostIn } from "../../src/evidence/request-line.js";
import type { Answer } from "../../src/expression/evaluate/asking.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { parsedExpression } from "../../src/expression/parse/parse.js";
import type { JsonObject } from "../../src/model/json.js";

/** A line as the service writes it. */
const LINE: JsonObject = {
  BotScore: "12",
  ClientASN: 64500,
  ClientCountry: "sa",
  ClientIP: "2001:db8::1",
  ClientRequestHost: "shop.example.com",
  ClientRequestMethod: "POST",
  ClientRequestProtocol: "HTTP/2",
  ClientRequestReferer: "",
  ClientRequestScheme: "https",
  ClientRequestURI: "/api/a.JSON?x=1?2&x=3",
  ClientRequestUserAgent: "curl/8",
  ClientSSLCipher: "AEAD-AES128-GCM-SHA256",
  ClientSSLProtocol: "TLSv1.3",
  Cookies: { Session: "s" },
  EdgeResponseStatus: 200,
  EdgeStartTimestamp: 1732406400000000000,
  JA3Hash: "e7d705a3286e19ea42f587b344ee6865",
  JA4: "t13d1516h2_8daaf6152771_b186095e22b6",
  RequestHeaders: { "content-type": "application/json", "x-forwarded-for": "192.0.2.1" },
  WAFAttackScore: 5,
  WAFRCEAttackScore: 8,
  WAFSQLiAttackScore: 6,
  WAFXSSAttackScore: 7,
  ZoneName: "example.com",
};

function ask(text: string, line: JsonObject = LINE): Answer {
  const parsed = parsedExpression(text);
  if (!parsed.ok) throw new Error(text);
  return lineEvaluator([parsed.tree])(line)(parsed.tree);
}

describe("fields of a request in a log line", () => {
  test.each([
    'http.host eq "shop.example.com"',
    'http.request.uri eq "/api/a.JSON?x=1?2&x=3"',
    'http.request.uri.path eq "/api/a.JSON"',
    'http.request.uri.path.extension eq "json"',
    'http.request.uri.query eq "x=1?2&x=3"',
    'http.request.uri.args["x"][1] eq "3"',
    'any(http.request.uri.args.values[*] eq "1?2")',
    'http.request.full_uri eq "https://shop.example.com/api/a.JSON?x=1?2&x=3"',
    "ssl",
    'http.request.method eq "POST"',
    'http.request.version eq "HTTP/2"',
    'http.user_agent eq "curl/8"',
    'http.referer eq ""',
    "ip.src in {2001:db8::/32}",
    "ip.src.asnum eq 64500",
    "ip.geoip.asnum eq 64500",
    'ip.src.country eq "SA"',
    'ip.geoip.country in {"SA"}',
    'cf.tls_version eq "TLSv1.3"',
    'cf.tls_cipher contains "AES128"',
    "cf.bot_management.score lt 30",
    'cf.bot_management.ja3_hash eq "e7d705a3286e19ea42f587b344ee6865"',
    'cf.bot_management.ja4 contains "_8daaf6152771_"',
    "cf.waf.score eq 5 and cf.waf.score.sqli eq 6 and cf.waf.score.xss eq 7 and cf.waf.score.rce eq 8",
    "http.response.code eq 200",
    'any(http.request.headers["content-type"][*] contains "json")',
    'http.request.headers["content-type"][0] eq "application/json"',
    'http.request.cookies["Session"][0] eq "s"',
    'http.x_forwarded_for eq "192.0.2.1"',
    'has_key(http.request.headers, "content-type")',
  ])("%s", (text) => {
    expect(ask(text)).toBe(true);
    expect(ask(`not (${text})`)).toBe(false);
  });

  test("the path comes from its own log field if the URI is not logged", () => {
    const { ClientRequestURI: _, ...rest } = LINE;
    expect(ask('http.request.uri.path eq "/p"', { ...rest, ClientRequestPath: "/p" })).toBe(true);
  });

  test("every field that the line lacks is unknown", () => {
    const line = { RayID: "a", EdgeStartTimestamp: 1 };
    for (const text of [
      "ssl",
      "ip.src.asnum eq 1",
      'http.host eq "a"',
      'http.request.uri.args["a"][0] eq "b"',
    ])
      expect([ask(text, line), ask(`not ${text}`, line)]).toEqual([expect.any(Array), expect.any(Array)]);
  });

  test("headers and cookies that the line lacks are unknown, not absent", () => {
    expect(ask('http.request.headers["x-api-key"][0] eq "a"')).toEqual([
      { as: "field", name: "http.request.headers", key: "x-api-key" },
    ]);
    for (const text of [
      'not http.request.headers["x-api-key"][0] eq "a"',
      'has_key(http.request.headers, "x-api-key")',
      'any(http.request.headers["x-api-key"][*] eq "a")',
      'any(http.request.headers[*][*] eq "application/json")',
      'all(http.request.headers.names[*] ne "a")',
      'http.request.cookies["session"][0] eq "s"',
      'len(http.request.headers["x-api-key"]) gt 0',
    ])
      expect(ask(text)).toEqual([expect.objectContaining({ as: "field" })]);
  });

  test("a missing field that does not matter leaves the answer decided", () => {
    expect(ask('ssl or http.request.headers["x"][0] eq "a"')).toBe(true);
    expect(ask('cf.client.bot and http.request.method eq "GET"')).toBe(false);
  });

  test("an account's list is never known", () => {
    expect(ask("ip.src in $office")).toEqual([{ as: "list", name: "office" }]);
  });
});

describe("hostile lines", () => {
  test("values of an unexpected type are unknown", () => {
    const wrong = { a: 1 };
    const line = Object.fromEntries(Object.keys(LINE).map((name) => [name, wrong]));
    const texts = [
      "ssl",
      "ip.src.asnum eq 1",
      'http.host eq "a"',
      "ip.src in {10.0.0.0/8}",
      'ip.src.country eq "SA"',
    ];
    for (const text of texts) expect(ask(text, line)).toEqual([expect.objectContaining({ as: "field" })]);
    expect(ask('http.request.headers["a"][0] eq "b"', line)).toEqual([expect.objectContaining({ key: "a" })]);
    expect(ask("ip.src in {10.0.0.0/8}", { ClientIP: "10.0.0.999" })).toEqual([expect.anything()]);
    expect(ask("cf.waf.score eq 1", { WAFAttackScore: "1e0" })).toEqual([expect.anything()]);
    expect(ask("cf.waf.score eq 1", { WAFAttackScore: 1.5 })).toEqual([expect.anything()]);
  });

  test("names of Object.prototype members are ordinary names", () => {
    const line = JSON.parse(
      '{"__proto__":{"ClientRequestHost":"a"},"constructor":1,"RequestHeaders":{"__proto__":"p","toString":"t"}}',
    );
    expect(ask('http.host eq "a"', line)).toEqual([{ as: "field", name: "http.host", key: null }]);
    expect(ask('http.request.headers["__proto__"][0] eq "p"', line)).toBe(true);
    expect(ask('http.request.headers["tostring"][0] eq "t"', line)).toBe(true);
    expect(ask('http.request.headers["valueof"][0] eq "t"', line)).toEqual([
      expect.objectContaining({ key: "valueof" }),
    ]);
    expect(requestIn(line, ["__proto__", "toString"])).toEqual({});
    expect(({} as JsonObject).ClientRequestHost).toBeUndefined();
  });

  test("very many query arguments take linear time", () => {
    const line = { ClientRequestURI: `/?${"a&".repeat(200_000)}` };
    expect(ask('http.request.uri.args["a"][0] eq ""', line)).toBe(true);
  });
});

describe("lines of a zone", () => {
  test("a host with very many labels belongs to no zone and is rejected quickly", () => {
    const names = new Set(["example.com"]);
    expect(zoneOf("www.example.com", names)).toBe("example.com");
    for (let n = 0; n < 1_000; n += 1) expect(zoneOf(`${"a.".repeat(30_000)}example.com`, names)).toBeNull();
  });

  test("lines of other datasets are recognized", () => {
    expect(isRequestLine(LINE)).toBe(true);
    expect(isRequestLine({ ClientRequestPath: "/" })).toBe(true);
    expect(isRequestLine({ RayID: "a", ZoneName: "example.com" })).toBe(true);
    const others: readonly JsonObject[] = [
      {
        Action: "log",
        CSPDirective: "script-src-elem",
        Host: "a",
        PageURL: "https://a/",
        PolicyID: "x",
        URL: "inline",
      },
      { Action: "block", ClientIP: "192.0.2.1", ClientRequestHost: "a", ClientRequestPath: "/", Datetime: 1 },
      { ClientRequestHost: "a", ClientRequestPath: "/", ConnectionID: "c", EdgeStartTimestamp: 1 },
      { QueryName: "a", Timestamp: 1 },
      {},
    ];
    expect(others.map(isRequestLine)).toEqual(others.map(() => false));
  });

  test("the zone comes from the line, or from the host of the request", () => {
    expect(zoneOrHostIn({ ZoneName: "Example.com.", ClientRequestHost: "a.b" })).toEqual({
      is: "zone",
      name: "example.com",
    });
    expect(zoneOrHostIn({ ClientRequestHost: "Shop.Example.com:8443" })).toEqual({
      is: "host",
      name: "shop.example.com",
    });
    expect(zoneOrHostIn({ ZoneName: 1, ClientRequestHost: "" })).toBeNull();
  });
});

describe("counts", () => {
  test("paths are counted by their first segment within a limit", () => {
    const counts = new PathCounts({ left: 3 });
    for (const uri of ["/api/a", "/api/b?x", "/search?q", "/", "/late", undefined])
      counts.add(uri === undefined ? {} : { ClientRequestURI: uri });
    expect(counts.counts).toEqual({
      lines: 6,
      paths: [
        { path: "/api/*", lines: 2 },
        { path: "/", lines: 1 },
        { path: "/search", lines: 1 },
      ],
      other_paths: 2,
    });
  });

  test("unknown fields are listed with the log fields that would decide them", () => {
    const counts = new UndecidedCounts();
    const text =
      'http.request.headers["x-a"][0] eq "a" or http.host in $l or cf.client.bot or http.request.full_uri eq "a"';
    const line = { ClientRequestHost: "a" };
    const answer = ask(text, line);
    if (typeof answer === "boolean") throw new Error("decided");
    counts.add(answer, line);
    counts.add(answer, { ...line, RequestHeaders: {}, ClientRequestURI: "/" });
    expect(counts.counts).toEqual({
      lines: 2,
      untold: [
        { field: "$l", lines: 2 },
        { field: "cf.client.bot", lines: 2 },
        { field: "http.request.full_uri", lines: 2, log_fields: ["ClientRequestScheme", "ClientRequestURI"] },
        {
          field: 'http.request.headers["x-a"]',
          lines: 2,
          log_fields: ["RequestHeaders"],
          custom_log_field: { list: "request_fields", name: "x-a" },
        },
      ],
    });
  });

  test("an expensive pattern in one line leaves the work limit of other lines intact", () => {
    const text = `http.user_agent matches "${"(a|[b-d]+)".repeat(40)}x"`;
    const parsed = parsedExpression(text);
    if (!parsed.ok) throw new Error(text);
    const asked = lineEvaluator([parsed.tree]);
    for (const agent of ["a".repeat(400_000), "x", "a".repeat(100)])
      expect(asked({ ClientRequestUserAgent: agent })(parsed.tree)).toEqual(
        [evaluate(text, { "http.user_agent": agent })].map((each) => (each === "unknown" ? [] : each))[0],
      );
  });
});
