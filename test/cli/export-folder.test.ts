import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createEmulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { endOfWaiting } from "../support/no-waiting.js";

const policy = { description: "Scripts", action: "log", enabled: true, expression: "true" };
const job = { name: "logs", dataset: "http_requests", destination_conf: "https://logs.example/in" };
const LONG = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.com`;

const seed: Seed = {
  zones: {
    "a.b-c.example": {
      policies: [{ ...policy, value: "script-src 'self'; new-src 'self'" }],
      logpush_jobs: [job],
    },
    "a-b.c.example": { policies: [{ ...policy, value: "other-src 'self'" }], logpush_jobs: [job] },
    "con.example": { settings: { enabled: true } },
    [LONG]: { settings: { enabled: true } },
  },
};

async function start() {
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  return { cwd, run };
}

test("export --out-dir writes a file per zone, which together plan to nothing", async () => {
  const { cwd, run } = await start();
  const { code, out, err } = await run("export", "--out-dir", "zones");
  expect([code, out], err).toEqual([0, ""]);
  expect(err).toContain("Exported 4 zones with");
  expect(err).toContain("Set A_B_C_EXAMPLE_LOGS, A_B_C_EXAMPLE_LOGS_2 in the environment before apply");
  const names = await readdir(path.join(cwd, "zones"));
  expect(names.toSorted()).toEqual([
    "+con.example.yaml",
    "a-b.c.example.yaml",
    "a.b-c.example.yaml",
    expect.stringMatching(/^a{60}\.b{60}.*\+[0-9a-f]{16}\.yaml$/),
    "shared.yaml",
  ]);
  const shared = parse(await readFile(path.join(cwd, "zones/shared.yaml"), "utf8"));
  expect(shared.zones).toBeUndefined();
  expect(shared.service.extra_csp_directives.toSorted()).toEqual(["new-src", "other-src"]);
  const planned = await run("plan", "-c", "zones", "--detailed-exitcode");
  expect([planned.code, planned.err]).toEqual([0, expect.any(String)]);
  expect((await run("export", "--out-dir", "zones/", "-q")).code).toBe(0);
});

test("export writes nothing if a file was edited", async () => {
  const { cwd, run } = await start();
  expect((await run("export", "--out-dir", "zones", "a-b.c.example")).code).toBe(0);
  const edited = "version: 1\n# by hand\n";
  await writeFile(path.join(cwd, "zones/con.example.yaml"), edited);
  await writeFile(path.join(cwd, "zones/+con.example.yaml"), edited);
  const { code, err } = await run("export", "--out-dir", "zones");
  expect(code).toBe(1);
  expect(err).toContain("zones/+con.example.yaml exists and is not an unedited export.");
  // The existing shared file has fewer directives, and other files may depend on it.
  expect(err).toContain(
    "zones/shared.yaml exists and is not a file with the same content, and other files of the folder may depend on it",
  );
  expect(await readdir(path.join(cwd, "zones"))).toHaveLength(4);
});

test("export overwrites the shared file only if no other file may depend on it", async () => {
  const { cwd, run } = await start();
  const both = ["a.b-c.example", "a-b.c.example"];
  const exported = (...args: string[]) => run("export", "--out-dir", "zones", ...args);
  const shared = () => readFile(path.join(cwd, "zones/shared.yaml"), "utf8");
  expect((await exported(...both)).code).toBe(0);
  expect((await exported(...both, "--template", "site")).code).toBe(0);
  expect(parse(await shared()).templates.site).toBeDefined();
  // The second zone's file is not rewritten and still extends the template.
  const one = await exported(...both.slice(0, 1), "--template", "site");
  expect(one.code).toBe(1);
  expect(one.err).toContain("other files of the folder may depend on it");
  await writeFile(path.join(cwd, "zones/shared.yaml"), `${await shared()}# by hand\n`);
  expect((await exported(...both)).err).toContain("zones/shared.yaml exists and is not an unedited export.");
});

test("export refuses --out together with --out-dir", async () => {
  const { run } = await start();
  const { code, err } = await run("export", "--out-dir", "zones", "-o", "a.yaml");
  expect(code).toBe(1);
  expect(err).toContain("--out writes one file, and --out-dir one file per zone. Pass one of them.");
});

test("export reports a section missing in many zones once", async () => {
  onTestFinished(endOfWaiting());
  const names = Array.from({ length: 12 }, (_, index) => `shop${index + 10}.example`);
  const emulator = await createEmulator({
    seed: {
      zones: {
        ...Object.fromEntries(names.map((name) => [name, { plan: "free" }])),
        "last.example": { policies: [{ ...policy, description: "", value: "script-src 'self'" }] },
      },
    } as Seed,
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const { code, err } = await run("export", "--out-dir", "zones");
  expect(code, err).toBe(0);
  expect(err.match(/^note: .*$/gm)).toEqual([
    "note: The zone's Cloudflare plan has no managed rules",
    "note: The zone's Cloudflare plan has no custom log fields",
  ]);
  expect(
    err.match(/The same holds for shop11.example, shop12.example, shop13.example and 8 more\./g),
  ).toHaveLength(2);
  const lines = err.split("\n");
  expect(lines.slice(lines.indexOf("Left out, so not managed:") + 1)).toEqual([
    expect.stringMatching(/^ {2}last\.example: unnamed policy \([0-9a-f]{32}\)\. It has no description/),
    "  shop10.example, shop11.example, shop12.example and 9 more: managed_ruleset could not be read: see above.",
    "  shop10.example, shop11.example, shop12.example and 9 more: managed_exceptions could not be read: see above.",
    "  shop10.example, shop11.example, shop12.example and 9 more: custom_log_fields could not be read: see above.",
    "",
  ]);
  const text = await readFile(path.join(cwd, "zones/shop10.example.yaml"), "utf8");
  expect(text).toContain(
    "managed_ruleset could not be read. The zone's Cloudflare plan has no managed rules.\n",
  );
  await run("export", "--out-dir", "zones");
  expect(await readFile(path.join(cwd, "zones/shop10.example.yaml"), "utf8")).toBe(text);
});

test("export --changed with a base exports only changed zones", async () => {
  const zones = { "a.example": {}, "b.example": {}, "c.example": {} };
  const emulator = await createEmulator({ seed: { zones } });
  onTestFinished(() => emulator.close());
  const file = (b: boolean) =>
    `version: 1\nzones:\n  a.example: { settings: { enabled: true } }\n  b.example: { settings: { enabled: ${b} } }\n`;
  const cwd = await folderWith({ "zoneward.yaml": file(false) });
  const before = path.relative(cwd, await folderWith({ "zoneward.yaml": file(true) }));
  const run = (...args: string[]) => zoneward(["export", ...args], { cwd, env: reaching(emulator) });
  const { code, out } = await run("--changed", "--base", before);
  expect([code, Object.keys(parse(out).zones)]).toEqual([0, ["b.example"]]);
  expect(await run("--changed", "--base", before, "a.example")).toMatchObject({
    code: 0,
    out: "",
    err: "The files change no zone. Nothing was exported.\n",
  });
  expect(await run("--changed")).toMatchObject({ code: 1, err: expect.stringContaining("add --base.") });
  expect(await run("--base", before)).toMatchObject({ code: 1, err: expect.stringContaining("--changed") });
  expect(await run("--changed", "--base", "nowhere")).toMatchObject({ code: 1, out: "" });
});

test("export leaves out an object that would show a secret variable", async () => {
  const emulator = await createEmulator({
    seed: {
      zones: {
        "shop.example.com": {
          policies: [
            { ...policy, value: "script-src 'self'", description: "Open" },
            { ...policy, value: "script-src 'self'", expression: 'http.host eq "hidden-word"' },
          ],
        },
      },
    },
  });
  onTestFinished(() => emulator.close());
  const env = { ...reaching(emulator), TOKEN_OF_OTHERS: "hidden-word", ZONEWARD_SECRETS: "TOKEN_OF_OTHERS" };
  const { code, out, err } = await zoneward(["export"], { cwd: await folderWith({}), env });
  expect(code, err).toBe(0);
  expect(out).toContain("description: Open");
  expect(out + err).not.toMatch(/hidden-word|redacted/);
  expect(out).toContain("It has the value of a secret variable, which the file would show.");
});
