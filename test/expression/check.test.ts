import { describe, expect, test } from "vitest";
import { advice } from "../../src/expression/check/advice.js";
import { check } from "../../src/expression/check/check.js";
import { parse } from "../../src/expression/parse/parse.js";
import { accepted, refused } from "./published.js";

test.skipIf(accepted.length === 0)("without a phase nothing is said of what the engine accepts", () => {
  expect(accepted.flatMap(({ expr }) => check(expr))).toEqual([]);
});

const managed = "http_request_firewall_managed";

test.skipIf(refused.length === 0).each(refused.filter(({ layer }) => layer.startsWith("availability")))(
  "$expr is warned of in a phase that lacks it",
  ({ expr }) => {
    expect(check(expr)).toEqual([]);
    expect(check(expr, { phase: managed })).toMatchObject([{ severity: "warning" }]);
  },
);

test.skipIf(refused.length === 0).each(refused.filter(({ layer }) => layer.startsWith("phase")))(
  "$expr is refused where only `true` is allowed",
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
    ["some_other_phase", "http.response.code eq 200"],
  ])("in %s, %j is fine", (phase, text) => {
    expect(check(text, { phase })).toEqual([]);
  });

  test.each([
    [managed, "ssl and http.response.code eq 200", "http.response.code"],
    ["page_shield_policy", 'http.request.body.raw contains "a"', "http.request.body.raw"],
    ["http_response_page_shield", "http.response.code eq 200", "http.response.code"],
    [managed, 'any(split(http.host, ".", 3)[*] eq "a")', "split"],
    [managed, 'lower(to_string(tcp.dstport eq 1)) eq "a"', "tcp.dstport"],
  ])("in %s, %j is warned of at %s", (phase, text, name) => {
    const places = check(text, { phase }).map(({ start, end }) => text.slice(start, end));
    expect(places).toContain(name);
  });

  test("a text that is no expression has that one problem in every phase", () => {
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
  ])("%s is warned of", (text, code) => {
    expect(codes(text)).toEqual([code]);
  });

  test.each([
    "cf.edge.server_port in {80 -90}",
    'not http.host ne "https://example.com"',
    'http.request.uri.path contains "api"',
    'ends_with(http.request.uri.path, "index.html")',
    'lower(http.host) eq "example.com"',
    'http.request.full_uri wildcard "https://example.com/?a=*"',
    'http.request.uri.path eq ""',
  ])("%s is not", (text) => {
    expect(codes(text)).toEqual([]);
  });
});

function codes(text: string): readonly string[] {
  const parsed = parse(text);
  return parsed.ok ? advice(text, parsed.tree).map(({ code }) => code) : [parsed.problem.message];
}
