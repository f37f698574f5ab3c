import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { HOSTILE, harmIn } from "../support/hostile.js";
import { some } from "../support/random.js";

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
  const run = (...args: readonly string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const read = (name: string) => readFile(path.join(cwd, name), "utf8");
  return { emulator, cwd, run, read };
}

describe("plan --format FORMAT=FILE", () => {
  test("writes several formats in one run, and prints one", async () => {
    const { run, read } = await start();
    const { code, out, err } = await run(
      ...["plan", "--format", "json=plan.json", "--format", "markdown=a.md", "--format", "html=a.html"],
      ...["--format", "sarif=a.sarif", "--format", "text=a.txt"],
    );
    expect(code, err).toBe(0);
    expect(out).toMatch(/Plan: .*1 to create/);
    expect(await read("a.txt")).toBe(out);
    expect(await read("a.md")).toMatch(/^### Plan: /);
    expect(await read("a.html")).toMatch(/^<!doctype html>/);
    expect(JSON.parse(await read("a.sarif"))).toMatchObject({ version: "2.1.0" });
    expect((await run("apply", "plan.json")).code).toBe(0);
  });

  test("prints the format without a file", async () => {
    const { run, read } = await start();
    const { out } = await run("plan", "--format", "html=a.html", "--format", "json");
    expect(JSON.parse(out)).toHaveProperty("digest");
    expect(await read("a.html")).toContain(JSON.parse(out).digest);
  });

  test("writes the reason into each file if there is no plan, replacing an earlier plan", async () => {
    const { cwd, run, read } = await start();
    const files = ["text=a.txt", "json=a.json", "markdown=a.md", "html=a.html", "sarif=a.sarif"];
    const args = [...files, "codequality=q.json", "junit=a.xml"].flatMap((each) => ["--format", each]);
    expect((await run("plan", ...args)).code).toBe(0);
    await writeFile(path.join(cwd, "zoneward.yaml"), CONFIG.replace("policies", "polices"));
    const { code, out, err } = await run("plan", ...args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain('Unknown key "polices"');
    for (const name of ["a.txt", "a.json", "a.md", "a.html", "a.sarif", "q.json", "a.xml"])
      expect(await read(name), name).toMatch(/Unknown key\W+(?:quot;)?polices/);
    expect(await read("a.txt")).toMatch(/\nNo plan: 1 error\.\n$/);
    await writeFile(path.join(cwd, "zoneward.yaml"), CONFIG);
    expect((await run("plan", ...args)).code).toBe(0);
    expect(await read("a.md")).toMatch(/^### Plan: /);
    expect(await read("a.txt")).toMatch(/\nPlan: /);
  });

  const none = "version: 1\nzones:\n  shop.example.com: { policies: [] }\n";
  const gone = "version: 1\nzones:\n  nosuch.example.com: { policies: [] }\n";
  test.each<[what: string, config: string, args: readonly string[]]>([
    ["a change", CONFIG, ["plan"]],
    ["no change", none, ["plan"]],
    ["one zone", CONFIG, ["plan", "--zone", "shop*"]],
    ["one kind", CONFIG, ["plan", "--only", "settings", "-v"]],
    ["zones that fail", gone, ["plan"]],
    ["some zones that fail", `${CONFIG}  nosuch.example.com: { policies: [] }\n`, ["plan"]],
    ["drift", CONFIG, ["drift"]],
    ["no drift", none, ["drift"]],
    ["drift of zones that fail", gone, ["drift"]],
  ])("overwrites its own files in each format: %s", async (_, config, args) => {
    const { run } = await start(config);
    const formats = ["text", "json", "markdown", "html", "sarif", "codequality", "junit"];
    const offered = formats.filter((each) => each !== "junit" || args[0] === "plan");
    const all = offered.flatMap((each) => ["--format", `${each}=${each}.out`]);
    const { code, err } = await run(...args, ...all);
    expect(err).not.toContain("cannot be written");
    const again = await run(...args, ...all);
    expect([again.code, again.err]).toEqual([code, expect.not.stringContaining("cannot be written")]);
  });

  test.each<[what: string, args: readonly string[], why: RegExp]>([
    ["two formats on standard output", ["--format", "markdown", "--format", "html"], /twice without a file/],
    ["an empty file name", ["--format", "html="], /has no file name/],
    ["an unknown format", ["--format", "pdf=a.pdf"], /not pdf/],
    ["one file for two formats", ["--format", "html=a", "--format", "sarif=a"], /Two outputs name/],
    ["the same file as -o", ["--format", "html=a", "-o", "a"], /Two outputs name/],
    ["a foreign file", ["--format", "html=zoneward.yaml"], /exists and is not a page/],
    ["a file in place of the folder", ["--format", "html=zoneward.yaml/a.html"], /Does its folder exist/],
    ["a missing folder", ["--format", "html=nosuch/a.html"], /Does its folder exist/],
    ["a link", ["--format", "html=link.html"], /is a link/],
  ])("refuses before any request: %s", async (_, args, why) => {
    const { emulator, cwd, run } = await start();
    await symlink(path.join(cwd, "elsewhere.html"), path.join(cwd, "link.html"));
    const { code, err } = await run("plan", ...args);
    expect([code, err]).toEqual([1, expect.stringMatching(why)]);
    expect(emulator.log).toEqual([]);
  });
});

describe("show", () => {
  test.each(["text", "json", "markdown", "html", "sarif"])(
    "prints a saved plan as %s like plan did, without a request or credential",
    async (format) => {
      const { emulator, cwd, run } = await start();
      const { out } = await run("plan", "-o", "plan.json", "--format", format);
      const requests = emulator.log.length;
      const shown = await zoneward(["show", "plan.json", "--format", format], { cwd });
      expect([shown.code, shown.err]).toEqual([0, ""]);
      expect(shown.out).toBe(out);
      const { digest } = JSON.parse(await readFile(path.join(cwd, "plan.json"), "utf8"));
      if (format !== "sarif") expect(out).toContain(digest);
      if (format === "text") expect(out).toMatch(/\nDigest of the whole plan: sha256:[0-9a-f]{64}\n$/);
      expect(emulator.log).toHaveLength(requests);
    },
  );

  test("prints a drift plan as drift", async () => {
    const { run } = await start();
    const { out } = await run("drift", "-o", "drift.json");
    expect((await run("show", "drift.json")).out).toBe(out);
  });

  test("prints an expired plan", async () => {
    const { run } = await start();
    await run("plan", "-o", "plan.json", "--max-age", "0");
    expect((await run("apply", "plan.json")).code).toBe(1);
    expect((await run("show", "plan.json")).code).toBe(0);
  });

  test.each<[what: string, change: (text: string) => string, why: string]>([
    ["edited", (text) => text.replaceAll("'self'", "*"), "edited"],
    ["truncated", (text) => text.slice(0, -20), "Not a plan file"],
    [
      "of another version",
      (text) => text.replace(/"format_version": "?[^,]+/, '"format_version": 99'),
      "version",
    ],
  ])("refuses a file that is %s", async (_, change, why) => {
    const { cwd, run, read } = await start();
    await run("plan", "-o", "plan.json");
    await writeFile(path.join(cwd, "plan.json"), change(await read("plan.json")));
    const { code, out, err } = await run("show", "plan.json");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(why);
  });

  test("names the file that it needs", async () => {
    const { run } = await start();
    expect((await run("show")).err).toContain("zoneward show plan.json");
    expect((await run("show", "nosuch.json")).err).toContain("cannot be read");
  });

  test.each(some(Object.entries(HOSTILE)))("escapes %s in a message", async (_, text) => {
    const { cwd, run, read } = await start();
    await run("plan", "-o", "plan.json");
    const plan = JSON.parse(await read("plan.json"));
    plan.diagnostics = [{ severity: "warning", code: "odd", message: text }];
    await writeFile(path.join(cwd, "plan.json"), JSON.stringify(plan));
    for (const format of ["text", "markdown"]) {
      const { out, err } = await run("show", "plan.json", "--format", format);
      expect(harmIn(out + err, "people")).toEqual([]);
    }
  });
});

describe("export -o folder/", () => {
  test("creates the folder and the file", async () => {
    const { run, cwd, read } = await start();
    const { code, err } = await run("export", "shop.example.com", "-o", "new/zones/");
    expect([code, err]).toEqual([0, expect.stringContaining("into new/zones/zoneward.yaml")]);
    expect(await read("new/zones/zoneward.yaml")).toContain("shop.example.com");
    await mkdir(path.join(cwd, "there"));
    expect((await run("export", "shop.example.com", "-o", "there/")).code).toBe(0);
    expect(existsSync(path.join(cwd, "there/zoneward.yaml"))).toBe(true);
  });

  test("creates no folder behind a link out of the repository", async () => {
    const { run, cwd } = await start();
    const outside = await folderWith({});
    await mkdir(path.join(cwd, ".git"));
    await symlink(outside, path.join(cwd, "link"));
    expect((await run("export", "shop.example.com", "-o", "link/new/")).code).toBe(1);
    expect(existsSync(path.join(outside, "new"))).toBe(false);
  });
});
