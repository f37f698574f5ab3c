import { describe, expect, test } from "vitest";
import { check } from "../../src/expression/check/check.js";
import { formatIp, parseIp } from "../../src/expression/ip.js";
import { parse } from "../../src/expression/parse/parse.js";
import { render } from "../../src/expression/spelling/render.js";
import { aboutFields, fieldTypes } from "../../src/expression/tables/fields.js";
import { functions } from "../../src/expression/tables/functions.js";
import { type Type, typeNamed } from "../../src/expression/tables/types.js";
import { usualNames } from "../../src/expression/tables/usual-names.js";
import { toBytes } from "../../src/expression/value.js";
import { publishedText } from "../support/published.js";
import { comparable, engineTree } from "./engine-tree.js";
import { accepted, refused } from "./published.js";
import { withoutPlaces } from "./trees.js";

test.skipIf(accepted.length === 0).each(accepted.map((each) => [each.expr, each] as const))(
  "reads %j as the engine does",
  (_name, { expr, ast }) => {
    const parsed = parse(expr);
    expect(parsed.ok && engineTree(parsed.tree)).toEqual(comparable(ast));
  },
);

/** The engine of July 2026 refuses these because of unknown fields, which the service may know by now. */
const MAY_BE_NEW = ['lower(http.unknown) == "a"', "cf.bot_management eq 5"];

const refusedByEngine = refused.filter(({ layer }) => layer === "engine");
const mistakes = refusedByEngine.filter(({ expr }) => !MAY_BE_NEW.includes(expr));
test.skipIf(refused.length === 0).each(mistakes.map((each) => [each.expr, each] as const))(
  "refuses %j where the engine does",
  (_name, { expr, line, column }) => {
    expect(placeOf(expr)).toEqual([line, column]);
    expect(check(expr)).toMatchObject([{ severity: "error", line, column }]);
  },
);

const unknown = refusedByEngine.filter(({ expr }) => MAY_BE_NEW.includes(expr));
test.skipIf(refused.length === 0).each(unknown.map((each) => [each.expr, each] as const))(
  "warns of %j where the engine refuses it",
  (_name, { expr, line, column }) => {
    expect(parse(expr)).toMatchObject({ ok: true, unknown: [{ severity: "warning", line, column }] });
    expect(check(expr)).toMatchObject([{ severity: "warning", line, column }]);
  },
);

function placeOf(text: string): readonly [number, number] | null {
  const parsed = parse(text);
  return parsed.ok ? null : [parsed.problem.line, parsed.problem.column];
}

function codeOf(text: string): string | null {
  const parsed = parse(text);
  return parsed.ok ? null : parsed.problem.code.replace("expression_", "");
}

describe("places", () => {
  test("count bytes in columns and UTF-16 units in offsets", () => {
    const parsed = parse('http.host eq "\u{1f600}é" foo');
    expect(parsed).toMatchObject({ problem: { column: 22, start: 18, end: 22 } });
  });

  test("include whitespace before the expression", () => {
    expect(placeOf(" \n\t ssl ssl")).toEqual([2, 6]);
  });

  test("whitespace after the expression is ignored, tabs too", () => {
    expect(codeOf("ssl \t\u00a0\n")).toBe(null);
  });

  test("place a missing operand before trailing whitespace", () => {
    expect(placeOf("ssl and  \n ")).toEqual([1, 8]);
  });

  test("place operands of different types after the operator that joins them", () => {
    expect(placeOf('ssl and http.request.headers.names[*] eq "a" or ssl')).toEqual([1, 49]);
    expect(placeOf('ssl and http.request.headers.names[*] eq "a" ')).toEqual([1, 45]);
  });

  test("place a wrong argument that starts like a number at its start", () => {
    expect(placeOf("decode_base64(cf.ray_id[0]) eq 1")).toEqual([1, 15]);
    expect(placeOf("lower(http.host[0]) eq 1")).toEqual([1, 16]);
    expect(placeOf("lower(decode_base64(cf.ray_id[0])) eq 1")).toEqual([1, 7]);
  });
});

describe("words", () => {
  test.each([
    ["notssl", "not ssl"],
    ['http.host eq"a"andssl', 'http.host eq "a" and ssl'],
    ['any\n(http.request.headers.names[*]eq"a")', 'any(http.request.headers.names[*] eq "a")'],
  ])("%j is read without spaces", (text, spaced) => {
    expect(shape(text)).toEqual(shape(spaced));
  });

  test("strict wildcard takes exactly one space", () => {
    expect(codeOf('http.host strict wildcard "a"')).toBe(null);
    expect(codeOf('http.host strict  wildcard "a"')).toBe("expected_operator");
  });

  test("not binds tighter than and, and tighter than xor, xor tighter than or", () => {
    expect(shape("ssl or not ssl xor ssl and true")).toEqual(shape("ssl or ((not ssl) xor (ssl and true))"));
  });

  test("parentheses group conditions", () => {
    expect(shape("(ssl and true) and ssl")).not.toEqual(shape("ssl and true and ssl"));
  });
});

function shape(text: string): string {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return withoutPlaces(parsed.tree);
}

describe("literals", () => {
  test.each([
    ['"a\\"\\\\\\x41\\101"', 'a"\\AA'],
    ['r"\\d"', "\\d"],
    ['r##"a"#b"##', 'a"#b'],
    ['"é"', toBytes("é")],
    ["61:62-63.64", "abcd"],
    ['"\\xff"', "\u00ff"],
  ])("%s is a string", (literal, value) => {
    const parsed = parse(`http.host eq ${literal}`);
    expect(parsed).toMatchObject({ tree: { test: { right: { type: "Bytes", value } } } });
  });

  test.each([
    ["0", 0n],
    ["0x1F", 31n],
    ["0120", 80n],
    ["-9223372036854775808", -(2n ** 63n)],
    [`0x${"0".repeat(1000)}1`, 1n],
  ])("%s is a number", (literal, value) => {
    expect(parse(`cf.edge.server_port eq ${literal}`)).toMatchObject({
      tree: { test: { right: { value } } },
    });
  });

  test.each([
    ["10.0.0.0/8", "10.0.0.0", "10.255.255.255"],
    ["10/8", "10.0.0.0", "10.255.255.255"],
    ["10", "10.0.0.0", "10.0.0.0"],
    ["1.1.1.01", "1.1.1.1", "1.1.1.1"],
    ["::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["::1..::ff", "::1", "::ff"],
  ])("{%s} is a range of addresses", (literal, from, to) => {
    const range = { from: parseIp(from), to: parseIp(to) };
    expect(parse(`ip.src in {${literal}}`)).toMatchObject({ tree: { test: { ranges: [range] } } });
  });

  test.each([
    "10.1",
    "1.1.1.01",
    "1.2.3.4.5",
    "1:2:3:4:5:6:7",
    "::1::",
    "1.2.3.256",
    "::1.2.3.4:1",
    "12345::",
  ])("%s is not an address", (text) => {
    expect(parseIp(text)).toBe(null);
  });

  test.each(["0.0.0.0", "::", "::1", "2001:db8::1:0:0:1", "1:0:2:3:4:5:6:7", "::ffff:1.2.3.4", "1::"])(
    "%s is written as it is read",
    (text) => {
      const ip = parseIp(text);
      expect(ip === null ? null : formatIp(ip)).toBe(text);
    },
  );

  test("a plus sign is read as a hex digit, like in the engine", () => {
    expect(parse("http.host eq +1:+f")).toMatchObject({ tree: { test: { right: { value: "\x01\x0f" } } } });
  });
});

describe("depth", () => {
  test("128 levels are accepted and 129 are refused", () => {
    expect(codeOf(`${"(".repeat(128)}ssl${")".repeat(128)}`)).toBe(null);
    expect(codeOf(`${"(".repeat(129)}ssl${")".repeat(129)}`)).toBe("too_deep");
  });

  test.each(["(", "!", "not ", "any(", "lower("])("1,000 levels of %j do not exhaust the stack", (word) => {
    expect(codeOf(word.repeat(1_000))).toBe("too_deep");
  });
});

describe("messages", () => {
  test.each([
    ["http.host EQ 'a'", "`eq`"],
    ["http.host eq 'a'", "double quotes"],
    ["http.host eq \u201ca\u201d", "typographic"],
    ['http.host === "a"', "`==`"],
    ["http.host eq example.com", '"example.com"'],
    ["http.host eq reddit.com", '"reddit.com"'],
    ["http.host eq 5", '"5"'],
    ["ip.src not in {192.0.2.1}", "`not ip.src in"],
    ['http.host in {"a", "b"}', "comma"],
    ['http.host eq\t"a"', "tab"],
    ['http.host\u00a0eq "a"', "A no-break space (U+00A0) is not allowed"],
    ['http.host eq\u00a0"a"', "A no-break space (U+00A0) is not allowed"],
    ['http.host in {"a"\u202f"b"}', "A narrow no-break space (U+202F)"],
    ["not\u00a0ssl", "A no-break space (U+00A0) is not allowed"],
    ["ssl and\u00a0ssl", "A no-break space (U+00A0) is not allowed"],
    ["ssl\u00a0and ssl", "A no-break space (U+00A0) is not allowed"],
    ["ip.src eq\u00a0192.0.2.1", "A no-break space (U+00A0) is not allowed"],
    ["cf.edge.server_port eq\u00a0443", "A no-break space (U+00A0) is not allowed"],
    ['http.host ~\u00a0"a"', "A no-break space (U+00A0) is not allowed"],
    ['starts_with(http.host,\u00a0"a")', "A no-break space (U+00A0) is not allowed"],
    ['any\u00a0(http.request.headers.names[*] eq "a")', "A no-break space (U+00A0) is not allowed"],
    ["(\u00a0ssl)", "A no-break space (U+00A0) is not allowed"],
    ['http.host eq "a\\n"', "\\x0A"],
    ['http.host ~ "(?=a)"', "ahead or behind"],
    ['http.hots eq "a"', "Did you mean `http.host`?"],
    ['startswith(http.host, "a")', "Did you mean `starts_with`?"],
    ['http.host starts_with "a"', "starts_with("],
    ["ip.src eq 192.0.2.0/24", "in {192.0.2.0/24}"],
    ["ip.src in {192.0.2.1/24}", "192.0.2.0/24"],
    ["cf.edge.server_port eq 080", "octal"],
    ["ssl eq true", "alone"],
    ['http.request.headers.names[*] eq "a"', "any("],
    ["", "empty"],
    ["http.host eq cafe.example.com", '"cafe.example.com"'],
    ["ip.src.country in {DE FR}", '"DE"'],
    ["http.host eq 8080", '"8080"'],
    ["http.host eq 10.0.0.1", '"10.0.0.1"'],
    ["http.host eq 61:62foo", '"61:62foo"'],
    ["bit_slice(cf.edge.server_prot, 0, 8) eq 0", "No field `cf.edge.server_prot` exists"],
    ["any(cf.waf.scroe[*] eq 1)", "No field `cf.waf.scroe` exists"],
    ['http.host matches "a[b"', "No `]` closes this `[`"],
    ['http.host contains {"a" "b"}', "with `or` between them"],
    ['http.host contains ["a"]', '`contains "a"`'],
    ['http.host contains("a")', '`contains "a"`'],
    ['http.host eq ("a" "b")', "`in {"],
    ['http.host matches {"a" "b"}', '"a|b"'],
    ['http.host <> "a"', "`!=`"],
    ["ip.src <> 1.1.1.1", "`!=`"],
    ['http.host eq \\"a\\"', "JSON"],
    ["http.host eq ip.src", "different types: String and IP address"],
    ["ip.src in cf.edge.server_ip", "different types"],
    ["http.host eq http.referr", "Did you mean `http.referer`?"],
    ["http.host eq lowr(http.referer)", "Did you mean `lower`?"],
    ['lowr(http.host) eq "a"', "Did you mean `lower`?"],
    ['cf.new.field "a"', "No operator stands before the value"],
    ["ip.src.asnum in {AS13335}", "13335"],
    ['ip.src.asnum eq "AS13335"', "without quotes: 13335"],
    ['not in {"b"}', "No field stands before `in`"],
    ['http.host not eq "a"', "`ne`"],
    ['http.host not contains "a"', "`not http.host contains"],
    ['http.host wildcard strict "a"', "`strict wildcard`"],
    ["ip.src in {192.0.2.1-192.0.2.10}", "two dots"],
    ['ip.src contains "192.0.2."', "`in {192.0.2.0/24}`"],
    ['ip.src matches "^10\\."', "`in {10.0.0.0/8}`"],
    ['http.host !~ "a"', "`not http.host ~"],
    ['http.host =~ "a"', "`~`"],
    ["cf.bot.score lt 30", "`cf.bot_management.score`"],
    ["IP.ASN eq 1", "`ip.src.asnum`"],
    ['http.request.scheme eq "https"', "`ssl`"],
    ['if (http.host eq "a")', "no `if`"],
    ['contains(http.host, "a")', "is an operator"],
    ['http.host eq "a.example and ssl or http.referer eq "b"', 'A closing `"` is missing'],
    [
      '(http.host eq "a.example) and (http.host eq "b")',
      'the string `"a.example) and (http.host eq …` ends only here',
    ],
    ['lowercase(http.host) eq "a"', "`lower(…)`"],
    ["\ufeffssl", "byte-order mark"],
  ])("the message for %j contains: %s", (text, advice) => {
    const parsed = parse(text);
    expect(parsed.ok ? "" : parsed.problem.message).toContain(advice);
  });
});

describe("the shown part of a problem", () => {
  test.each([
    ["http.host eq cafe.example.com", 16, "cafe.example.com"],
    ["ip.src.country in {DE FR}", 22, "DE"],
    ["bit_slice(cf.edge.server_prot, 0, 8) eq 0", 16, "cf.edge.server_prot"],
    ['http.host matches "a[b"', 20, "["],
    ['http.host eq "abc', 15, '"abc'],
    ['http.host eq r#"abc', 15, 'r#"abc'],
    ["http.host eq 61:62foo", 19, "61:62foo"],
    ["ip.src eq example.com", 11, "example.com"],
    ["ssl and htp.host", 9, "htp.host"],
  ])("of %j, refused at %i, is %j", (text, column, word) => {
    const parsed = parse(text);
    if (parsed.ok) throw new Error("The expression must be invalid.");
    const { shown } = parsed.problem;
    expect([parsed.problem.column, text.slice(shown.start, shown.end)]).toEqual([column, word]);
  });
});

describe("unknown names, which the service may know", () => {
  test.each([
    ['cf.new.field eq "x"', ["cf.new.field"]],
    ["not cf.new.flag && ssl", ["cf.new.flag"]],
    ['cf.new.map["a"][0] in {1 2}', ["cf.new.map"]],
    ["cf.new.address in {192.0.2.0/24 198.51.100.1}", ["cf.new.address"]],
    ["cf.waf.score.lfi gt 5", ["cf.waf.score.lfi"]],
    ['new_function() eq "x"', ["new_function"]],
    ['any(new_function(http.request.headers.names[*], 1, ssl)[*] eq "x")', ["new_function"]],
    ['sha512(http.host) eq "x"', ["sha512"]],
    ["ssl and (new_a(http.host) or not new_b(cf.new.field))", ["new_a", "new_b", "cf.new.field"]],
    ["http.host eq new_function(1)", ["new_function"]],
    ["http.host ne cf.new.field", ["cf.new.field"]],
    ["http.host contains http.referer", ["http.referer"]],
    ["http.host wildcard lower(http.referer)", ["lower(http.referer)"]],
    ["http.host in http.request.headers.names", ["http.request.headers.names"]],
    ["any(http.request.headers.names[*] eq http.request.cookies[*][0])", ["http.request.cookies[*][0]"]],
    ["cf.edge.server_port & ip.src.asnum", ["ip.src.asnum"]],
    ["ssl eq cf.client.bot", ["cf.client.bot"]],
    ["newfield eq 1", ["newfield"]],
    ["new_flag and not lower(new_text) in {61:62}", ["new_flag", "new_text"]],
    ["cf.new.field eq newfield", ["cf.new.field", "newfield"]],
    ["cf.new.field eq true", ["cf.new.field"]],
    ["cf.new.field eq 1.5", ["cf.new.field", "1.5"]],
    ["cf.new.field eq 2026-11-28T10:00:00Z and ssl", ["cf.new.field", "2026-11-28T10:00:00Z"]],
    ["cf.new.field ne 5m or ssl", ["cf.new.field", "5m"]],
    ["cf.new.field in {1.5s 2.5s}", ["cf.new.field", "{1.5s 2.5s}"]],
    ['cf.new.field in ["a", "]"]', ["cf.new.field", '["a", "]"]']],
    ["cf.new.field eq $list", ["cf.new.field", "$list"]],
    ["cf.new.field eq ab:cd", ["cf.new.field"]],
    ["cf.new.field eq fe80::1", ["cf.new.field"]],
    ["newfn({1 2})", ["newfn", "{1 2}"]],
    ["newfn(1.5, ab:cd, 5)", ["newfn", "1.5"]],
    ["newfn(newfn(1.5) eq [1 2], $list) gt 0.5", ["newfn", "newfn", "1.5", "[1 2]", "$list", "0.5"]],
    ["has_key(http.request.headers, http.host)", ["http.host"]],
    ["cidr(ip.src, cf.edge.server_port, cf.new.field) eq 192.0.2.1", ["cf.edge.server_port", "cf.new.field"]],
  ])("%j is accepted with warnings about %j", (text, names) => {
    const parsed = parse(text);
    expect(parsed.ok).toBe(true);
    expect(parsed.unknown.map(({ start, end }) => text.slice(start, end))).toEqual(names);
    expect(check(text)).toEqual(parsed.unknown);
    expect(parsed.unknown.map(({ severity }) => severity)).toEqual(names.map(() => "warning"));
    const again = parsed.ok ? parse(render(parsed.tree)) : parsed;
    expect(again.ok && withoutPlaces(again.tree)).toBe(shape(text));
  });

  test.each([
    "cf.new.field eq",
    'cf.new.field eq "x',
    "cf.new.field eq 'x'",
    "(new_function(http.host)",
    "new_function(http.host))",
    "new_function(http.host",
    'new_function(http.host) matches "(?=a)"',
    "new_function(any(ssl))",
    "cf.new.field or http.host",
    "ssl and and new_function()",
    "http.host eq example.com",
    "http.host eq newfield",
    "http.host eq 1.5",
    "newfn(http.host eq 1.5)",
    "ssl eq true",
    "cf.edge.server_port eq 1.5",
    "len(1.5) gt 0",
    "cf.new.field eq {1 2",
    'newfn(["a)',
    "newfn({1 2)",
    "newfn(1.5",
    "newfn(1.5 2.5)",
    "newfn(1.5,)",
    "newfn({'a'})",
    "cf.new.field eq 1.5 2.5",
    "cf.new.field 1.5",
    "cf.new.field eq =5",
    "newfield ne newfield newfield",
    "cf.new.field eq lowr(http.host)",
    "newfn(http.hots)",
    'ends_with("/a", http.host)',
    "cidr(ip.src, http.host, 24) eq 192.0.2.1",
    'http eq "a"',
    'cf.new.field newop "a"',
    "sll",
  ])("%j is still an error", (text) => {
    expect(parse(text).ok).toBe(false);
    expect(check(text).filter(({ severity }) => severity === "error")).toHaveLength(1);
  });

  test.each([
    ["newfn(1) newfn(2)", "Add the missing operator before `newfn`", "newfn"],
    ["newfn(1) equals(2)", "Add the missing operator before `equals`", "equals"],
    ["http.host equals(2)", "Add the missing operator before `equals`", "equals"],
    ["newfn(1) orders(2)", "Add the missing operator before `orders`", "orders"],
    ["ssl andnewfield", "Add the missing operator before `andnewfield`", "andnewfield"],
    ["notify(1)", "`notify` is read as `not ify`", "notify"],
  ])("the message for %j contains: %s", (text, advice, word) => {
    const parsed = parse(text);
    if (parsed.ok) throw new Error("The expression must be invalid.");
    const { message, shown } = parsed.problem;
    expect([message, text.slice(shown.start, shown.end)]).toEqual([expect.stringContaining(advice), word]);
  });

  test("an unknown name does not hide a later mistake", () => {
    expect(check('cf.new.field eq "x" and lowr(http.host) eq "a"')).toMatchObject([
      { severity: "warning", code: "expression_unknown_field", column: 1 },
      { severity: "error", code: "expression_unknown_name", column: 25 },
    ]);
  });

  test("thousands of unknown names are parsed quickly", () => {
    const text = Array.from({ length: 1_000 }, (_, index) => `cf.n.f${index}`).join(" or ");
    expect(parse(text).unknown).toHaveLength(1_000);
  });

  test("deeply nested unknown functions are parsed quickly", () => {
    const open = "newfn(1.5, ".repeat(100);
    expect(parse(`${open}{1 2${")".repeat(100)}`).ok).toBe(false);
    expect(parse(`${open}{1 2}${")".repeat(100)}`).unknown).toHaveLength(201);
  });
});

describe("names and forms that the service added after July 2026", () => {
  test.each([
    "http.request.uri.path ne raw.http.request.uri.path",
    "ip.src.asnum ge cf.bot_management.score",
    "ip.src == cf.edge.server_ip",
    "http.host eq lower(http.referer)",
    'any(http.request.headers["x"][*] eq http.host)',
    'http.request.uri.path eq coalesce(http.request.uri.args["expected_path"][0], "/")',
    "hash_in_range(0, 100, cf.random_seed) < 10",
    'hash_in_range(0, 100, cf.random_seed) < coalesce(lookup_json_integer(cf.hostname.metadata, "a"), 0)',
    "len(cf.appsec.request.failed_detections) gt 0",
    'any(cf.appsec.request.failed_detections[*] eq "waf_credential_check")',
    `concat(${Array.from({ length: 32 }, () => "http.host").join(", ")}) eq "a"`,
  ])("%j is known", (text) => {
    expect(check(text)).toEqual([]);
    const parsed = parse(text);
    const again = parse(parsed.ok ? render(parsed.tree) : "");
    expect(again.ok && withoutPlaces(again.tree)).toBe(shape(text));
  });
});

/** Added after the published tables of fields and functions. */
const LEARNT_SINCE = ["cf.appsec.request.failed_detections", "coalesce", "hash_in_range"];

describe("tables", () => {
  test("common wrong names are not fields, and each suggests a real one", () => {
    const wrong = usualNames.filter(([written, meant]) => fieldTypes.has(written) || !fieldTypes.has(meant));
    expect(wrong).toEqual([]);
  });

  const fields = publishedText("data/expression/fields.json", "the table of fields");
  const listed = publishedText("data/expression/functions.json", "the table of functions");

  test.skipIf(fields === null)("fields have the documented names, types and plans", () => {
    const documented: { name: string; engine_type: string; plan: string | null; deprecated: boolean }[] =
      JSON.parse(fields ?? "[]");
    const rows = documented.map(({ name, engine_type, plan, deprecated }) => [
      name,
      { type: typeNamed(engine_type), plan: plan ?? undefined, deprecated },
    ]);
    const ours = [...aboutFields].map(([name, about]) => [
      name,
      { type: fieldTypes.get(name), plan: about.plan, deprecated: about.replacement !== undefined },
    ]);
    expect(withoutNewer(ours)).toEqual(Object.fromEntries(rows));
  });

  test.skipIf(listed === null)("functions have the documented parameters", () => {
    const documented: Documented[] = JSON.parse(listed ?? "[]");
    const rows = documented
      .filter(({ name }) => name !== "any" && name !== "all")
      .map(({ name, params, min_args, max_args }) => [
        name,
        { min_args, max_args, params: params.map(described) },
      ]);
    const ours = [...functions].map(([name, { least, most, parameters }]) => [
      name,
      {
        min_args: least,
        max_args: most,
        // The documentation lists a repeating parameter once.
        params: parameters
          .filter(({ name: own }, index) => parameters[index - 1]?.name !== own)
          .map(ourDescription),
      },
    ]);
    expect(withoutNewer(ours)).toEqual(Object.fromEntries(rows));
  });

  function withoutNewer(all: readonly (readonly unknown[])[]) {
    return Object.fromEntries(all.filter(([name]) => !LEARNT_SINCE.includes(String(name))));
  }
});

interface Documented {
  readonly name: string;
  readonly params: readonly { name: string; types: string[]; kind: string; min?: number; max?: number }[];
  readonly min_args: number;
  readonly max_args: number | null;
}

const engineNames: Readonly<Record<string, string>> = {
  String: "Bytes",
  Integer: "Int",
  Boolean: "Bool",
  "IP address": "Ip",
  "Array<String>": "Array<Bytes>",
  "Map<Array<String>>": "Map<Array<Bytes>>",
};

function described({ name, types, kind, min, max }: Documented["params"][number]) {
  return { name, kind, types: [...new Set(types.map((type) => engineNames[type] ?? type))].sort(), min, max };
}

function ourDescription({
  name,
  kind,
  types,
  range,
}: {
  name: string;
  kind: string;
  types: readonly (Type | "Array")[];
  range: readonly [bigint, bigint] | null;
}) {
  const [min, max] = range === null ? [] : range.map(Number);
  return {
    name,
    kind,
    types: types.map((type) => (type === "Array" ? type : written(type))).sort(),
    min,
    max,
  };
}

function written(type: Type): string {
  return "of" in type ? `${type.is}<${written(type.of)}>` : type.is;
}
