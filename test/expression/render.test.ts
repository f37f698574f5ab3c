import { describe, expect, test } from "vitest";
import { parse } from "../../src/expression/parse/parse.js";
import { render } from "../../src/expression/spelling/render.js";
import { accepted } from "./published.js";
import { withoutPlaces } from "./trees.js";

function rendered(text: string): string {
  const parsed = parse(text);
  return parsed.ok ? render(parsed.tree) : parsed.problem.message;
}

describe("render", () => {
  test.each([
    ["((ssl)&&(!true))", "ssl and not true"],
    ["(ssl or true) and ssl", "(ssl or true) and ssl"],
    ["(ssl and true) and ssl", "(ssl and true) and ssl"],
    ["ssl or (true and ssl)", "ssl or true and ssl"],
    ["not(ssl or true)", "not (ssl or true)"],
    ["cf.edge.server_port in{0x50 80..0120 -5}", "cf.edge.server_port in {80 80 -5}"],
    [
      "ip.src in {10/8 ::1 10.0.0.0..10.0.0.1 10.0.0.1..10.0.0.4}",
      "ip.src in {10.0.0.0/8 ::1 10.0.0.0/31 10.0.0.1..10.0.0.4}",
    ],
    ['http.host == r#"a"\\b"#', 'http.host eq "a\\"\\\\b"'],
    ['http.host == "\\xff\\x0Aé"', 'http.host eq "\\xFF\\x0A\\xC3\\xA9"'],
    ['http.host == "é\\x0A"', 'http.host eq "é\\x0A"'],
    ['http.host ~ "a\\.b"', 'http.host matches "a\\.b"'],
    ['http.host ~ "a\\"b"', 'http.host matches r#"a"b"#'],
    ['http.host ~ "[\\"]"', 'http.host matches r#"[\\"]"#'],
    ['any((not http.request.headers["a"][*] == "b"))', 'any(not http.request.headers["a"][*] eq "b")'],
    ['to_string((ssl)) == "a"', 'to_string((ssl)) eq "a"'],
  ])("%s becomes %s", (text, canonical) => {
    expect(rendered(text)).toBe(canonical);
  });

  test.skipIf(accepted.length === 0)(
    "parsing the rendered form of every accepted expression gives the same tree",
    () => {
      const changed = accepted.filter(({ expr }) => treeOf(rendered(expr)) !== treeOf(expr));
      expect(changed).toEqual([]);
    },
  );
});

function treeOf(text: string): string {
  const parsed = parse(text);
  return parsed.ok ? withoutPlaces(parsed.tree) : parsed.problem.message;
}
