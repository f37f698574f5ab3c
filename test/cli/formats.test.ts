import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { HOSTILE, harmIn, type Reader } from "../support/hostile.js";
import { serving } from "../support/hostile-service.js";
import { hostileState, PRUNING } from "../support/hostile-state.js";

const CONFIG = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: New, action: log, expression: "true", value: script-src 'self' }
`;

async function start(config = CONFIG) {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": config });
  return (...args: readonly string[]) => zoneward(args, { cwd, env: reaching(emulator) });
}

/** The start of each format. */
const formats: readonly (readonly [format: string, begins: RegExp, reader: Reader])[] = [
  ["text", /^\d \w+/, "people"],
  ["json", /^\{\n {2}"format_version"/, "programs"],
  ["markdown", /^### Plan: /, "people"],
  ["html", /^<!doctype html>/, "programs"],
  ["sarif", /^\{\n {2}"\$schema"/, "programs"],
  ["junit", /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="zoneward"/, "programs"],
];

describe("plan", () => {
  test.each(formats)("is shown as %s", async (format, begins) => {
    const run = await start();
    const { code, out, err } = await run("plan", "--format", format);
    expect({ code, err: err.includes("error:") }).toEqual({ code: 0, err: false });
    expect(out).toMatch(begins);
    expect(out).toContain(["sarif", "junit"].includes(format) ? "zoneward" : "New");
  });

  test("refuses an unknown format and names the known ones", async () => {
    const run = await start();
    const { code, err } = await run("plan", "--format", "markdwon");
    expect(code).toBe(1);
    expect(err).toContain(
      "--format must be text, json, markdown, html, sarif, codequality or junit, not markdwon. Did you mean markdown?",
    );
  });

  test("limits Markdown to --max-bytes", async () => {
    const other = ["A", "B", "C"].map(
      (name) =>
        `      - { description: ${name}, action: log, expression: "true", value: "connect-src 'self'" }\n`,
    );
    const run = await start(`${CONFIG.trimEnd()}\n${other.join("")}`);
    const { out: whole } = await run("plan", "--format", "markdown");
    expect(whole).not.toContain("Left out");
    const { out } = await run("plan", "--format", "markdown", "--max-bytes", "1000");
    expect(Buffer.byteLength(out)).toBeLessThanOrEqual(1_000);
    expect(out).toContain("Left out to fit into 1000 bytes");
    const digest = /sha256:[0-9a-f]{64}/;
    expect(digest.exec(out)?.[0]).toBe(digest.exec(whole)?.[0]);
  });

  test.each(["999", "0", "1000.5", "1e3x", "Infinity"])("refuses --max-bytes %s", async (bytes) => {
    const run = await start();
    const { code, err } = await run("plan", "--format", "markdown", `--max-bytes=${bytes}`);
    expect(code).toBe(1);
    expect(err).toMatch(/--max-bytes is .*\. Pass a (whole number, 1000 or more|number)\./);
  });

  test.each<[format: string, shown: RegExp]>([
    ["markdown", /^### No plan: 1 error\n\n#### Errors\n\n- `zoneward\.yaml:4:5` \*\*/],
    ["html", /^<!doctype html>[\s\S]*<code>zoneward\.yaml:4:5<\/code>/],
    ["sarif", /"uri": "zoneward\.yaml"[\s\S]*"startLine": 4,\s*"startColumn": 5/],
  ])("shows errors in the files as %s", async (format, shown) => {
    const run = await start("version: 1\nzones:\n  shop.example.com:\n    polices: []\n");
    const { code, out, err } = await run("plan", "--format", format);
    expect(code).toBe(1);
    expect(out).toMatch(shown);
    expect(err).toContain("zoneward.yaml:4:5: error:");
  });
});

describe("validate", () => {
  test("reports a problem at its line in SARIF", async () => {
    const run = await start("version: 1\nzones:\n  shop.example.com:\n    polices: []\n");
    const { code, out } = await run("validate", "--format", "sarif");
    expect(code).toBe(1);
    const [result] = JSON.parse(out).runs[0].results;
    expect(result.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: "zoneward.yaml" },
      region: { startLine: 4, startColumn: 5 },
    });
  });

  test("writes SARIF without results for valid files", async () => {
    const run = await start();
    const { code, out } = await run("validate", "--format", "sarif");
    expect({ code, results: JSON.parse(out).runs[0].results }).toEqual({ code: 0, results: [] });
  });

  test("refuses Markdown", async () => {
    const run = await start();
    expect((await run("validate", "--format", "markdown")).code).toBe(1);
  });
});

test("rollback and apply accept only text and JSON", async () => {
  const run = await start();
  for (const command of ["apply", "rollback"])
    expect((await run(command, "x", "--format", "markdown")).err).toContain("--format must be text or json,");
});

describe("hostile text from the service is escaped in every format", () => {
  const texts = ["a command on a line of its own", "HTML", "Markdown", "an override", "a heap of marks"];

  test.each(texts)("%s", async (name) => {
    const { env } = await serving(hostileState(HOSTILE[name] ?? ""));
    const cwd = await folderWith({ "zoneward.yaml": PRUNING });
    for (const [format, , reader] of formats) {
      const { code, out } = await zoneward(["plan", "--format", format], { cwd, env });
      expect({ format, code, harm: harmIn(out, reader) }).toEqual({ format, code: 0, harm: [] });
    }
  });
});
