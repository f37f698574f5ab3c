import { describe, expect, test } from "vitest";
import { zoneward } from "../support/cli.js";

describe("expression check", () => {
  test("accepts a valid expression", async () => {
    const args = ["expression", "check", 'http.host eq "shop.example" and not ssl'];
    expect(await zoneward(args)).toEqual({ code: 0, out: "Valid: 1 expression.\n", err: "" });
  });

  test("points at a mistake, even in an expression of several lines", async () => {
    const { code, out, err } = await zoneward(["expression", "check", 'ssl and\n  (http.hots eq "a")']);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("argument:2:4: error: Unknown name http.hots\n");
    expect(err).toContain("http.host");
    expect(err).toContain('\n  2 |   (http.hots eq "a")\n         ^\n');
  });

  test("points the caret at the whole word", async () => {
    const { err } = await zoneward(["expression", "check", "http.host eq cafe.example.com"]);
    expect(err).toContain("argument:1:14: error");
    expect(err).toContain('Put strings in double quotes: "cafe.example.com".');
  });

  test("warns of conditions that never match together", async () => {
    const text = 'ssl or (http.host eq "a" and http.host eq "b")';
    const { code, err } = await zoneward(["expression", "check", text]);
    expect(code).toBe(0);
    expect(err).toContain("argument:1:9: warning");
    expect(err).toContain("No request meets all of these conditions");
  });

  test("warns of fields that a phase may lack", async () => {
    const text = "http.response.code eq 200";
    const there = await zoneward(["expression", "check", text]);
    expect(there).toEqual({ code: 0, out: "Valid: 1 expression.\n", err: "" });
    const lacking = await zoneward([
      ...["expression", "check", text],
      ...["--phase", "http_request_firewall_managed"],
    ]);
    expect(lacking.code).toBe(0);
    expect(lacking.err).toContain("argument:1:1: warning");
  });

  test("warns of an unknown name at its place", async () => {
    const text = 'ssl and new_function(http.host) eq "a"';
    const { code, out, err } = await zoneward(["expression", "check", text]);
    expect([code, out]).toEqual([0, "Valid: 1 expression.\n"]);
    expect(err).toContain(
      "argument:1:9: warning: Unknown function new_function [expression_unknown_function]\n",
    );
    expect(err).toContain("Function `new_function` is unknown to this version.");
    const typo = await zoneward(["expression", "check", 'lowr(http.host) eq "a"']);
    expect([typo.code, typo.out]).toEqual([1, ""]);
  });

  test("refuses an expression beyond the service's limit", async () => {
    const { code, err } = await zoneward(["expression", "check", `http.host eq "${"a".repeat(4_100)}"`]);
    expect(code).toBe(1);
    expect(err).toContain("the limit is 4096");
  });

  test("reads each line of standard input as an expression, and prints all as JSON", async () => {
    const input = 'ssl\nhttp.host = "a"\n';
    const { code, out, err } = await zoneward(["expression", "check", "--format", "json"], { input });
    expect([code, err]).toEqual([1, ""]);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      results: [
        { text: "ssl", ok: true, problems: [] },
        { ok: false, problems: [{ source: { file: "stdin", line: 2, column: 11 } }] },
      ],
    });
  });
});

const MATCH = ["expression", "match", "ssl", "https://a.example/"];

describe("expression match", () => {
  const EXPRESSION = 'http.host eq "shop.example" and starts_with(http.request.uri.path, "/pay")';

  test("names the deciding conditions and the values they used", async () => {
    const { code, out } = await zoneward(["expression", "match", EXPRESSION, "https://shop.example/cart"]);
    expect(code).toBe(0);
    expect(out).toBe(
      "does not match  https://shop.example/cart\n" +
        '  starts_with(http.request.uri.path, "/pay") is false; http.request.uri.path is "/cart".\n',
    );
  });

  test("reports unknown fields, which flags can set", async () => {
    const args = ["expression", "match", 'ip.src.country eq "GB"', "https://shop.example/"];
    const unknown = await zoneward(args);
    expect(unknown.out).toContain("unknown  https://shop.example/\n");
    expect(unknown.out).toContain("(pass --field)");
    const known = await zoneward([...args, "--field", "ip.src.country=GB"]);
    expect(known.out).toContain("matches  https://shop.example/\n");
  });

  test("accepts lists and maps as JSON in --field", async () => {
    const { out } = await zoneward([
      ...["expression", "match", 'any(http.request.headers["accept"][*] eq "a")', "https://shop.example/"],
      ...["--field", 'http.request.headers={"accept":["b","a"]}'],
    ]);
    expect(out).toContain("matches  https://shop.example/\n");
  });

  test("reads a value by its field's type, and quotes only text", async () => {
    const { out } = await zoneward([
      ...["expression", "match", 'not ssl or http.user_agent eq "123" or cf.edge.server_port gt 443'],
      ...["https://shop.example/", "--field", "http.user_agent=124", "--field", "cf.edge.server_port=443"],
    ]);
    expect(out).toBe(
      "does not match  https://shop.example/\n" +
        "  ssl is true.\n" +
        '  http.user_agent eq "123" is false; http.user_agent is "124".\n' +
        "  cf.edge.server_port gt 443 is false; cf.edge.server_port is 443.\n",
    );
  });

  test("decides an expression with an unknown part if the known part is enough", async () => {
    const text = 'http.host eq "a.example" and new_function(cf.new.field)';
    const other = await zoneward(["expression", "match", text, "https://b.example/"]);
    expect([other.code, other.err]).toEqual([0, ""]);
    expect(other.out).toContain("does not match  https://b.example/\n");
    const open = await zoneward(["expression", "match", text, "https://a.example/"]);
    expect(open.out).toContain(
      "new_function(cf.new.field) is unknown; new_function is unknown to this version; cf.new.field is unknown to this version.",
    );
  });

  test("reports an account list as unknown", async () => {
    const args = ["expression", "match", "ip.src in $office", "https://shop.example/"];
    const { out } = await zoneward([...args, "--field", "ip.src=10.1.2.3"]);
    expect(out).toContain(
      "ip.src in $office is unknown; ip.src is 10.1.2.3; the contents of the account's list $office are unknown here.",
    );
  });

  test("reads each line of standard input as a URL, and reports invalid ones", async () => {
    const input = "https://shop.example/pay\nshop.example/pay\nhttps://shop.example/\n";
    const { code, out } = await zoneward(["expression", "match", EXPRESSION, "--format", "json"], { input });
    expect(code).toBe(1);
    expect(JSON.parse(out).results).toMatchObject([
      { url: "https://shop.example/pay", matches: true },
      { url: "shop.example/pay", matches: null },
      {
        matches: false,
        reasons: [
          { truth: false, decides: true },
          { truth: true, decides: false },
        ],
      },
    ]);
  });

  test.each([
    [["expression", "match"], "Run zoneward expression match EXPRESSION URL."],
    [["expression", "match", "http.hots", "https://a.example/"], "argument:1:1: error"],
    [["expression", "match", "ssl", "https://a.example/", "--field", "x"], "--field x is not NAME=VALUE"],
    [
      ["expression", "match", "ssl", "x", "--phase", "page_shield_policy"],
      "belongs to zoneward expression check",
    ],
    [["expression", "check", "ssl", "https://a.example/"], "belongs to zoneward expression match"],
    [[...MATCH, "--field", "ip.source=10.0.0.1"], "No field `ip.source` exists. Did you mean `ip.src`?"],
    [[...MATCH, "--field", "true=true"], "No field `true` exists."],
    [[...MATCH, "--field", "ip.src=foo"], "`foo` is not an IP address."],
    [[...MATCH, "--field", "cf.client.bot=yes"], "`yes` is neither `true` nor `false`."],
    [[...MATCH, "--field", "cf.edge.server_port=1.5"], "`1.5` is not a whole number."],
    [[...MATCH, "--field", 'http.request.headers={"a":"b"}'], 'such as {"a": ["b"]}'],
    [[...MATCH, "--field", "http.request.headers.names=a"], 'such as ["b"]'],
  ])("refuses %j with a fix", async (args, message) => {
    const { code, out, err } = await zoneward(args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
  });
});
