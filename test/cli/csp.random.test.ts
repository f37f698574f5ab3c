import { describe, expect, test } from "vitest";
import { zoneward } from "../support/cli.js";
import { runs } from "../support/random.js";

const PAGE = ["--page", "https://shop.example/"];

describe("csp check", () => {
  test("accepts a good value, with a note on what is missing", async () => {
    const { code, out, err } = await zoneward(["csp", "check", "script-src 'self' cdn.example"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Valid: 1 value.\n  note: Without `object-src`");
  });

  test("shows a mistake with its column and a caret", async () => {
    const { code, out, err } = await zoneward(["csp", "check", "script-src ‘self’ cdn.example"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("argument:1:12: error: Unusable character in CSP value\n");
    expect(err).toContain(`\n  1 | script-src ‘self’ cdn.example\n${" ".repeat(17)}^\n`);
    expect(err).toContain("\n1 error.\n");
  });

  test("refuses a value beyond the service's limit", async () => {
    const { code, err } = await zoneward(["csp", "check", `script-src ${"a.example ".repeat(700)}`]);
    expect(code).toBe(1);
    expect(err).toContain("It has 7010 characters as sent; the limit is 6000.");
  });

  test("reads each line of standard input as a value, skipping blank ones", async () => {
    const input = "script-src 'self'\n\nscript-scr a.example\r\nimg-src *";
    const { code, err } = await zoneward(["csp", "check"], { input });
    expect(code).toBe(1);
    expect(err).toContain("stdin:3:1: error");
    expect(err).toContain("Did you mean `script-src`?");
  });

  test("accepts extra directives from flags", async () => {
    const args = ["csp", "check", "script-src-elem a.example; Report-To b"];
    expect((await zoneward(args)).code).toBe(1);
    const flags = ["--directive", "script-src-elem", "--directive", "REPORT-TO"];
    expect((await zoneward([...args, ...flags])).code).toBe(0);
  });

  test("prints all values with all findings as JSON, and nothing on stderr", async () => {
    const { code, out, err } = await zoneward(["csp", "check", "--format", "json", "-"], {
      input: "script-src *\nscript-src 'self', img-src *\n",
    });
    expect([code, err]).toEqual([1, ""]);
    const { ok, results } = JSON.parse(out);
    expect(ok).toBe(false);
    expect(results).toMatchObject([
      { text: "script-src *", ok: true, problems: [{ code: "csp_wildcard", severity: "warning" }] },
      {
        ok: false,
        problems: [{ code: "csp_comma", source: { file: "stdin", line: 2, column: 18 } }],
      },
    ]);
    expect(results[0].advice.map(({ code }: { code: string }) => code)).toContain("csp_no_object_src");
  });
});

describe("csp match", () => {
  test("names the deciding directive and source", async () => {
    const value = "default-src 'self'; script-src 'self' *.cdn.example";
    const { code, out } = await zoneward(["csp", "match", value, "https://a.cdn.example/x.js", ...PAGE]);
    expect(code).toBe(0);
    expect(out).toBe(
      "allowed  https://a.cdn.example/x.js\n" +
        "  The script https://a.cdn.example/x.js is allowed: script-src has *.cdn.example, which matches.\n",
    );
  });

  test("names a source that nearly matches", async () => {
    const args = ["csp", "match", "default-src 'self' cdn.example:8443", "https://cdn.example/x.js", ...PAGE];
    const { out } = await zoneward(args);
    expect(out).toContain("refused  https://cdn.example/x.js\n");
    expect(out).toContain("default-src (by fallback, as there is no script-src)");
    expect(out).toContain("cdn.example:8443 is for port 8443, and the URL has 443.");
  });

  test("reads each line of standard input as a URL", async () => {
    const input = "https://cdn.example/a.js\n/b.js\n";
    const args = ["csp", "match", "script-src 'self'", ...PAGE, "--format", "json"];
    const { code, out } = await zoneward(args, { input });
    expect(code).toBe(0);
    expect(JSON.parse(out).results).toMatchObject([
      { kind: "script", url: "https://cdn.example/a.js", allowed: false, directive: "script-src-elem" },
      { url: "/b.js", allowed: true, directive: null, policies: [{ source: { text: "'self'" } }] },
    ]);
  });

  test("reports invalid URLs, and still checks the others", async () => {
    const input =
      "foo bar\n./a.js\n?a\n//cdn.example/a.js\ncdn.example/a.js\ncdn.example:8443/a.js\nhttps://a b/\n";
    const args = ["csp", "match", "script-src 'self'", ...PAGE];
    const { code, out, err } = await zoneward(args, { input });
    expect([code, err]).toEqual([1, ""]);
    expect(out.split("\n").filter((line) => !line.startsWith("  "))).toEqual([
      "not a URL  foo bar",
      "allowed    ./a.js",
      "allowed    ?a",
      "refused    //cdn.example/a.js",
      "not a URL  cdn.example/a.js",
      "not a URL  cdn.example:8443/a.js",
      "not a URL  https://a b/",
      "",
    ]);
    expect(out).toContain('"cdn.example/a.js" is not a URL. Write a whole URL (https://');
    const json = await zoneward([...args, "--format", "json"], { input });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out).results[0]).toMatchObject({
      url: "foo bar",
      allowed: null,
      directive: null,
      policies: [],
      page: "https://shop.example/",
    });
  });

  test("reports an invalid page only once", async () => {
    const args = ["csp", "match", "img-src *", "/x", "--page", "shop.example", "--format", "json"];
    const { code, out, err } = await zoneward(args);
    expect(code).toBe(1);
    expect(JSON.parse(out + err).problems).toHaveLength(1);
  });

  test("has flags for connections, redirects, nonces, hashes and inserted scripts", async () => {
    const verdict = async (value: string, ...flags: string[]) => {
      const { out } = await zoneward(["csp", "match", value, "https://a.example/x", ...PAGE, ...flags]);
      return out.split(" ")[0];
    };
    expect(await verdict("connect-src a.example", "--kind", "connection")).toBe("allowed");
    expect(await verdict("script-src a.example", "--redirected-to", "https://b.example/")).toBe("refused");
    expect(await verdict("script-src 'nonce-abc'", "--nonce", "abc")).toBe("allowed");
    const hash = `sha256-${"A".repeat(43)}=`;
    expect(await verdict(`script-src '${hash}'`, "--integrity", hash)).toBe("allowed");
    expect(await verdict("script-src 'nonce-abc' 'strict-dynamic'", "--inserted", "script")).toBe("allowed");
    expect(await verdict("script-src a.example", "--integrity", "", "--nonce", "")).toBe("allowed");
  });

  test.each([
    [["csp"], "Run zoneward csp check or zoneward csp match."],
    [["csp", "chekc", "x"], "Did you mean check?"],
    [
      ["csp", "match"],
      "Run zoneward csp match VALUE URL --page URL, or zoneward csp match URL --policy NAME --page URL.",
    ],
    [["csp", "match", "", "https://a.example/", ...PAGE], "Missing argument VALUE"],
    [["csp", "match", "-", "https://a.example/", ...PAGE], "Missing argument VALUE"],
    [["csp", "match", "img-src *", "https://a.example/"], "Missing argument --page"],
    [["csp", "match", "img-src *", "/x", "--page", "shop.example"], "--page shop.example is not a whole URL"],
    [
      ["csp", "match", "img-src *", "/x", "--page", "shop.example:443"],
      "--page shop.example:443 is not a whole URL",
    ],
    [
      ["csp", "match", "img-src *", "/x", ...PAGE, "--directive", "a"],
      "--directive belongs to zoneward csp check.",
    ],
    [["csp", "check", "img-src *", "--directive", "a b"], "--directive a b is not a directive name"],
    [["csp", "match", "img-src *", ...PAGE], "Standard input has no lines."],
    [["csp", "check", "img-src *", "/x"], "/x belongs to zoneward csp match."],
    [["csp", "check", "img-src *", ...PAGE], "--page belongs to zoneward csp match."],
  ])("refuses %j with a fix", async (args, message) => {
    const { code, out, err } = await zoneward(args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
  });
});

describe("standard input", () => {
  test("is numbered by line in notes", async () => {
    const { out } = await zoneward(["csp", "check"], {
      input: "script-src a.example\nscript-src b.example\n",
    });
    expect(out).toContain("Valid: 2 values.\n  stdin:1: note:");
    expect(out).toContain("  stdin:2: note:");
  });

  test("may have hundreds of thousands of lines, as text and as JSON", async () => {
    const lines = runs(200_000);
    const input = "https://a.example/x.js\n".repeat(lines);
    const { code, out } = await zoneward(["csp", "match", "script-src 'self'", ...PAGE], { input });
    expect(code).toBe(0);
    expect(out.match(/^refused/gm)).toHaveLength(lines);
  });

  test.each([
    ["more bytes than a file may have", "x".repeat(16 * 1024 * 1024 + 1), "more than 16 MiB"],
    ["bytes that are not text", Buffer.from([0xff, 0x0a]), "is not UTF-8 text"],
  ])("refuses %s", async (_, input, message) => {
    const { code, err } = await zoneward(["csp", "check"], { input });
    expect(code).toBe(1);
    expect(err).toContain(message);
  });
});
