import { describe, expect, test } from "vitest";
import { advice, check, review } from "../../src/expression/check/check.js";
import { reviewWhole } from "../../src/expression/check/constant.js";
import { parse } from "../../src/expression/parse/parse.js";
import { summaryOf } from "../../src/expression/problem.js";
import { accepted, refused } from "./published.js";

test.skipIf(accepted.length === 0)(
  "reports nothing without a phase for expressions that the engine accepts",
  () => {
    expect(accepted.flatMap(({ expr }) => check(expr))).toEqual([]);
  },
);

const managed = "http_request_firewall_managed";

test.skipIf(refused.length === 0).each(refused.filter(({ layer }) => layer.startsWith("availability")))(
  "warns of $expr in a phase without its fields or functions",
  ({ expr }) => {
    expect(check(expr)).toEqual([]);
    expect(check(expr, { phase: managed })).toMatchObject([{ severity: "warning" }]);
  },
);

test.skipIf(refused.length === 0).each(refused.filter(({ layer }) => layer.startsWith("phase")))(
  "refuses $expr in a phase that only allows `true`",
  ({ expr }) => {
    expect(check(expr, { phase: "http_log_custom_fields" })).toMatchObject([
      { severity: "error", code: "expression_not_true" },
    ]);
  },
);

describe("phases", () => {
  test.each([
    ["http_log_custom_fields", " true\n"],
    [managed, 'http.request.body.raw contains "a"'],
    ["page_shield_policy", 'http.host eq "a" and starts_with(http.request.uri.path, "/a")'],
    ["http_request_transform", 'http.request.accepted_languages[0] eq "en"'],
    ["http_custom_errors", "cf.response.1xxx_code eq 1020 and http.response.code eq 403"],
    ["some_other_phase", "http.response.code eq 200"],
  ])("reports nothing in %s for %j", (phase, text) => {
    expect(check(text, { phase })).toEqual([]);
  });

  test.each([
    [managed, "ssl and http.response.code eq 200", "http.response.code"],
    ["http_ratelimit", "http.response.code eq 200", "http.response.code"],
    ["http_request_transform", "http.response.code eq 200", "http.response.code"],
    ["http_response_headers_transform", "cf.response.1xxx_code eq 1020 and icmp.code eq 1", "icmp.code"],
    ["page_shield_policy", 'http.request.body.raw contains "a"', "http.request.body.raw"],
    ["http_response_page_shield", "http.response.code eq 200", "http.response.code"],
    [managed, 'any(split(http.host, ".", 3)[*] eq "a")', "split"],
    [managed, 'lower(to_string(tcp.dstport eq 1)) eq "a"', "tcp.dstport"],
  ])("warns in %s about %j, at %s", (phase, text, name) => {
    const places = check(text, { phase }).map(({ start, end }) => text.slice(start, end));
    expect(places).toContain(name);
  });

  test("reports only the syntax error of an invalid expression, in every phase", () => {
    for (const phase of [managed, "http_log_custom_fields"]) {
      expect(check("ssl and", { phase })).toMatchObject([{ code: "expression_expected_name", column: 8 }]);
    }
  });
});

describe("advice", () => {
  test.each([
    ['ip.geoip.country eq "GB"', "expression_deprecated_field"],
    ["cf.threat_score gt 5", "expression_deprecated_field"],
    ["ip.src in {}", "expression_never_true"],
    ["cf.edge.server_port in {80-90}", "expression_dashed_range"],
    ['http.host eq "https://example.com"', "expression_never_true"],
    ['ends_with(http.host, "/a")', "expression_never_true"],
    ['http.host wildcard "*/a"', "expression_never_true"],
    ['http.request.uri.path in {"a" "/b"}', "expression_never_true"],
    ['starts_with(http.request.uri.path, "api")', "expression_never_true"],
    ['http.request.uri.path contains "?"', "expression_never_true"],
    ['http.request.uri.path.extension eq ".js"', "expression_never_true"],
    ['ip.src.country in {"gb"}', "expression_never_true"],
    ['lower(http.host) eq "Example.com"', "expression_never_true"],
    ['any(upper(http.request.headers.names[*])[*] contains "a")', "expression_never_true"],
    ['http.host wildcard "example?.com"', "expression_literal_question_mark"],
    ['http.request.uri.path wildcard "/a?b=*"', "expression_never_true"],
    ['http.request.uri.path wildcard "checkout*"', "expression_never_true"],
    ['http.request.uri.path matches "^checkout"', "expression_never_true"],
    ['http.request.uri.path matches "/a\\?b"', "expression_never_true"],
    ['http.request.uri.path eq ""', "expression_never_true"],
    ['lower(http.request.uri.path) strict wildcard "/Admin*"', "expression_never_true"],
    ['lower(http.request.uri.path) matches "^/Admin"', "expression_never_true"],
    ['http.request.uri eq "https://example.com/"', "expression_never_true"],
    ['http.request.full_uri eq "example.com/a"', "expression_never_true"],
    ['http.request.uri.query eq "?a=1"', "expression_query_with_mark"],
    ['ip.src.country eq "GBR"', "expression_never_true"],
    ['ip.src.country in {"UK"}', "expression_never_true"],
    ['http.host ne "https://example.com"', "expression_always_true"],
    ['http.request.method eq "get"', "expression_method_case"],
    ['any(http.request.headers["Content-Type"][*] eq "a")', "expression_header_case"],
    ['http.host eq "*.example.com"', "expression_literal_star"],
    ['http.host contains "*.example.com"', "expression_literal_star"],
    ['http.request.uri.path in {"/a/*"}', "expression_literal_star"],
    ['starts_with(http.request.uri.path, "/api*")', "expression_literal_star"],
    ['http.user_agent contains "*bot*"', "expression_literal_star"],
  ])("warns of %s", (text, code) => {
    expect(codes(text)).toEqual([code]);
  });

  test.each([
    "cf.edge.server_port in {80 -90}",
    'http.request.uri.path contains "api"',
    'ends_with(http.request.uri.path, "index.html")',
    'lower(http.host) eq "example.com"',
    'http.request.full_uri wildcard "https://example.com/?a=*"',
    'lower(http.request.uri.path) wildcard "/Admin*"',
    'lower(ip.src.country) eq "gb"',
    'ip.src.country wildcard "gb"',
    'http.request.method eq "patch"',
    'lower(http.request.method) eq "get"',
    'http.request.uri.path matches "^/api"',
    'http.request.uri.path matches "^(a|/b)"',
    'http.request.uri.path matches "^a|^/b"',
    'http.request.uri.path matches "^a?/b"',
    'http.request.uri.path matches "/(a\\?)?b"',
    'lower(http.request.uri.path) matches "(?i)ADMIN"',
    'http.request.full_uri wildcard "http*://example.com/*"',
    'http.request.full_uri wildcard "*example.com/*"',
    'http.request.full_uri contains "example.com/a"',
    'any(http.request.headers["accept"][*] eq "*/*")',
    'any(lower(http.request.headers["accept"][*])[*] ne "A")',
    'http.request.uri.query contains "/*"',
    'http.request.uri.path contains "*/union/*"',
    'http.request.uri.path wildcard "/a*"',
    'http.request.uri.query eq "a=*"',
  ])("does not warn of %s", (text) => {
    expect(codes(text)).toEqual([]);
  });
});

describe("advice about a set", () => {
  test.each([
    ['ip.src.country in {"GB" "de"}', '"de"', "so this one never matches."],
    ['http.request.uri.path in {"/checkout"\n"cart"}', '"cart"', "so this one never matches."],
    ['http.request.uri.path in {"/a/*" "/b"}', '"/a/*"', '`http.request.uri.path wildcard "/a/*"`'],
    ['ssl and ip.src.country in {"gb" "de"}', 'ip.src.country in {"gb" "de"}', "so this is never true."],
  ])("points in %j at %j", (text, place, says) => {
    const found = review(text);
    expect(found.map(({ shown }) => text.slice(shown.start, shown.end))).toEqual([place]);
    expect(found[0]?.message).toContain(says);
  });
});

describe("advice about a condition after `not`", () => {
  test.each([
    ['not ip.src.country in {"gb" "de"}', "with the `not` before it always true"],
    ['not any(lower(http.request.headers.names[*])[*] eq "A")', "with the `not` before it always true"],
    ['not (http.host ne "https://a")', "with the `not` before it never true"],
    ["not ip.src in {}", "with the `not` before it always true"],
  ])("describes the whole result of %j, once", (text, says) => {
    expect(review(text)).toMatchObject([{ message: expect.stringContaining(says) }]);
  });
});

describe("advice about combined conditions", () => {
  test.each([
    [
      'http.host eq "a" and http.host eq "b"',
      "expression_never_true",
      'http.host eq "a" and http.host eq "b"',
    ],
    [
      'http.host ne "a" or http.host ne "b"',
      "expression_always_true",
      'http.host ne "a" or http.host ne "b"',
    ],
    [
      "cf.client.bot or not (ssl and not ssl)",
      "expression_always_true",
      "cf.client.bot or not (ssl and not ssl)",
    ],
    ["cf.client.bot or (ssl and not ssl)", "expression_never_true", "ssl and not ssl"],
  ])("warns of %j", (text, code, place) => {
    const found = reviewWhole(text);
    expect(found.map((each) => [each.code, text.slice(each.start, each.end)])).toEqual([[code, place]]);
  });

  test.each([
    'http.host eq "a" or http.host eq "b"',
    "ssl and false",
    "true",
    'http.request.headers["x"][0] ne "a" or http.request.headers["x"][0] eq "a"',
  ])("does not warn of %j", (text) => {
    expect(reviewWhole(text)).toEqual([]);
  });

  test("adds no second warning to a condition with its own warning", () => {
    expect(reviewWhole("ssl and ip.src in {}")).toHaveLength(1);
  });
});

function codes(text: string): readonly string[] {
  const parsed = parse(text);
  return parsed.ok ? advice(text, parsed.tree).map(({ code }) => code) : [parsed.problem.message];
}

test.each([
  ["http.request.uri.path", "Expression is not a condition"],
  ["ip.src <> 192.0.2.1", "Unknown operator <>"],
  ['ip.src eq "1.2.3.4"', 'Invalid expression near "1.2.3.4"'],
  ['http.host = "a"', "Unknown operator ="],
  ["http.host eq 'a'", "Unexpected single quote"],
  ["ip.src in {192.0.2.1, 192.0.2.2}", "Unexpected comma"],
  ["ip.src in [192.0.2.1]", "Unexpected bracket ["],
  ['http.host == "a" and (ssl', "Expression ends too early"],
])("the summary of %s is %s", (text, summary) => {
  expect(check(text).map((problem) => summaryOf(problem, text))).toEqual([summary]);
});
