import { describe, expect, test } from "vitest";
import { zoneward } from "../support/cli.js";

describe("expression check", () => {
  test("an expression that the engine takes is valid", async () => {
    const args = ["expression", "check", 'http.host eq "shop.example" and not ssl'];
    expect(await zoneward(args)).toEqual({ code: 0, out: "Valid: 1 expression.\n", err: "" });
  });

  test("a mistake is shown where it is, in an expression of several lines too", async () => {
    const { code, out, err } = await zoneward(["expression", "check", 'ssl and\n  (http.hots eq "a")']);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("argument:2:4: error: The expression cannot be used\n");
    expect(err).toContain("http.host");
    expect(err).toContain('\n  2 |   (http.hots eq "a")\n         ^\n');
  });

  test("what a phase lacks is a warning, since no list of that is published", async () => {
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

  test("each line of standard input is an expression, and JSON has them all", async () => {
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

describe("expression match", () => {
  const EXPRESSION = 'http.host eq "shop.example" and starts_with(http.request.uri.path, "/pay")';

  test("a verdict comes with the conditions that decided, and what they looked at", async () => {
    const { code, out } = await zoneward(["expression", "match", EXPRESSION, "https://shop.example/cart"]);
    expect(code).toBe(0);
    expect(out).toBe(
      "does not match  https://shop.example/cart\n" +
        '  starts_with(http.request.uri.path, "/pay") is false; http.request.uri.path is "/cart".\n',
    );
  });

  test("what a URL does not tell is not known, and can be said", async () => {
    const args = ["expression", "match", 'ip.src.country eq "GB"', "https://shop.example/"];
    const unknown = await zoneward(args);
    expect(unknown.out).toContain("not known  https://shop.example/\n");
    expect(unknown.out).toContain("(say it with --field)");
    const known = await zoneward([...args, "--field", "ip.src.country=GB"]);
    expect(known.out).toContain("matches  https://shop.example/\n");
  });

  test("a field can be a list or a map, as JSON", async () => {
    const { out } = await zoneward([
      ...["expression", "match", 'any(http.request.headers["accept"][*] eq "a")', "https://shop.example/"],
      ...["--field", 'http.request.headers={"accept":["b","a"]}'],
    ]);
    expect(out).toContain("matches  https://shop.example/\n");
  });

  test("each line of standard input is a URL; one that is none is an error, and the others go on", async () => {
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
    [["expression", "match"], "The expression is missing: zoneward expression match EXPRESSION URL."],
    [["expression", "match", "http.hots", "https://a.example/"], "argument:1:1: error"],
    [["expression", "match", "ssl", "https://a.example/", "--field", "x"], "--field x is not NAME=VALUE"],
    [
      ["expression", "match", "ssl", "x", "--phase", "page_shield_policy"],
      "goes with zoneward expression check",
    ],
    [["expression", "check", "ssl", "https://a.example/"], "goes with zoneward expression match"],
  ])("%j is refused with what to say instead", async (args, message) => {
    const { code, out, err } = await zoneward(args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
  });
});
