import { lstat, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import Ajv2020 from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import planSchema from "../../schemas/plan.schema.json" with { type: "json" };
import { createEmulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: New, action: log, expression: "true", value: script-src 'self' }
`;

async function start(config = CONFIG, seed: Seed = { zones: { "shop.example.com": {} } }) {
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": config });
  return { emulator, cwd, run: (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) }) };
}

describe("plan", () => {
  test("exits with 0, or with 2 for changes and --detailed-exitcode", async () => {
    const { run } = await start();
    expect((await run("plan")).code).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).code).toBe(2);
  });

  test("gives the same bytes twice, on stdout and in the file, matching the schema", async () => {
    const { cwd, run } = await start();
    const first = await run("plan", "--format", "json", "-o", "plan.json");
    const second = await run("plan", "--format", "json");
    expect(second.out).toBe(first.out);
    expect(await readFile(path.join(cwd, "plan.json"), "utf8")).toBe(first.out);
    const validate = new Ajv2020.default({ strict: false }).compile(planSchema);
    expect(validate(JSON.parse(first.out)), JSON.stringify(validate.errors)).toBe(true);
  });

  test("refuses to write through a link or over something that is not a file", async () => {
    const { cwd, run } = await start();
    await writeFile(path.join(cwd, "real.json"), "");
    await symlink("real.json", path.join(cwd, "link.json"));
    const { code, err } = await run("plan", "--format", "json", "-o", "link.json");
    expect([code, err]).toEqual([1, expect.stringContaining("link.json is a link")]);
    expect((await lstat(path.join(cwd, "link.json"))).isSymbolicLink()).toBe(true);
    expect(await readFile(path.join(cwd, "real.json"), "utf8")).toBe("");
    expect((await run("plan", "-o", "/dev/null")).code).toBe(0);
    expect((await lstat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  test("numbers calls and changes across zones", async () => {
    const config =
      "version: 1\ndefaults: { settings: { enabled: true } }\nzones: { a.example.com: {}, b.example.com: {} }\n";
    const { run } = await start(config, { zones: { "a.example.com": {}, "b.example.com": {} } });
    const { calls } = JSON.parse((await run("plan", "--format", "json")).out);
    expect(calls.map(({ step, zone, changes }: Record<string, unknown>) => [step, zone, changes])).toEqual([
      [1, "a.example.com", [0]],
      [2, "b.example.com", [1]],
    ]);
  });

  test("plans the other zones if one is unreadable, and exits with 1", async () => {
    const config = `${CONFIG}  gone.example.com: { id: 00000000000000000000000000000000, settings: { enabled: true } }\n`;
    const { run } = await start(
      config.replace("id: 0000", 'id: "0000').replace("0000, settings", '0000", settings'),
    );
    const { code, out, err } = await run("plan", "--format", "json", "--detailed-exitcode");
    const document = JSON.parse(out);
    expect(code).toBe(1);
    expect(err).toContain("GET /zones/00000000000000000000000000000000/page_shield");
    expect(document.zones.map(({ status }: Record<string, unknown>) => status)).toEqual([
      "planned",
      "failed",
    ]);
    expect(document.zones[1].problem.code).toBe("no_route");
    expect(document.calls.length).toBe(2);
  });

  test("offers to apply a plan, unless a part could not be planned", async () => {
    const { run } = await start();
    expect((await run("plan")).err).toContain("To apply it, run zoneward apply");
    const partly = await start(CONFIG.replace("action: log, ", ""));
    const { code, err } = await partly.run("plan");
    expect([code, err]).toEqual([1, expect.not.stringContaining("run zoneward apply")]);
  });

  test("sends nothing for invalid files, and prints the problems as JSON on request", async () => {
    const { emulator, run } = await start(CONFIG.replace("policies", "polices"));
    const { code, out } = await run("plan", "--format", "json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      ok: false,
      problems: [
        expect.objectContaining({
          code: "unknown_key",
          severity: "error",
          source: { file: "zoneward.yaml", line: 5, column: 5 },
          pointer: "/zones/shop.example.com/polices",
        }),
      ],
    });
    expect(emulator.log).toEqual([]);
  });

  test("reads only the zones that --zone selects", async () => {
    const names = ["a", "b", "c"].map((name) => `${name}.example.com`);
    const config = `version: 1\ndefaults: { settings: { enabled: true } }\nzones: { ${names.map((name) => `${name}: {}`).join(", ")} }\n`;
    const { emulator, run } = await start(config, {
      zones: Object.fromEntries(names.map((name) => [name, {}])),
    });
    await run("plan", "--zone", "b.*");
    expect(emulator.log.map(({ path: at }) => at)).toEqual([
      expect.stringMatching(/^\/zones\?name=b\.example\.com/),
      `/zones/${emulator.zones["b.example.com"]}/page_shield`,
    ]);
  });

  test("escapes text from the service", async () => {
    const policies = [
      {
        description: "\u001b[31mred\u202e\n::error::x",
        action: "log",
        enabled: true,
        expression: "true",
        value: "script-src 'self'",
      },
    ];
    const { run } = await start(CONFIG, { zones: { "shop.example.com": { policies } } });
    const { out } = await run("plan");
    expect(out).toContain('policy "\\u{1b}[31mred\\u{202e}\\u{a}::error::x"');
    expect(out).not.toContain("\u001b");
    expect((await run("plan", "--format", "json")).out).not.toMatch(/[\u0080-\u009f\u202e]/);
  });

  test("never overwrites a file that is not a plan", async () => {
    const { cwd, run } = await start();
    const { code, err } = await run("plan", "-o", "zoneward.yaml");
    expect([code, err]).toEqual([1, expect.stringContaining("zoneward.yaml exists and is not a plan")]);
    expect(await readFile(path.join(cwd, "zoneward.yaml"), "utf8")).toBe(CONFIG);
    expect((await run("plan", "-o", "plan.json")).code).toBe(0);
    expect((await run("plan", "-o", "plan.json")).code).toBe(0);
  });

  test("reports errors in the files even without a credential", async () => {
    const cwd = await folderWith({ "zoneward.yaml": "version: 2\n" });
    const { code, err } = await zoneward(["plan"], { cwd });
    expect(code).toBe(1);
    expect(err).toContain("No credential set");
    expect(err).toContain("zoneward.yaml:1:10: error:");
  });

  test("never shows the token, even in verbose output", async () => {
    const { emulator, run } = await start();
    const { out, err } = await run("plan", "-v");
    expect(out + err).not.toContain(emulator.token);
    expect(err).toMatch(/GET \/zones\/\w+\/page_shield → 200/);
  });
});

test.each(["Page Shield Read", "Page Shield Write"])(
  "reports a missing permission %s once for many zones",
  async (group) => {
    const names = Array.from({ length: 12 }, (_, index) => `zone-${index}.example.com`);
    const emulator = await createEmulator({
      seed: { zones: Object.fromEntries(names.map((name) => [name, {}])) },
      without: [group],
    });
    onTestFinished(() => emulator.close());
    const zones = Object.fromEntries(names.map((name) => [name, { extends: ["t"] }]));
    const templates = { t: { settings: { enabled: true } } };
    const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, templates, zones }) });
    const { code, err } = await zoneward(["apply", "--yes", "-q"], { cwd, env: reaching(emulator) });
    expect(code).toBe(1);
    expect(err.match(/: error: /g)).toHaveLength(1);
    expect(err).toContain(`  Give the token the permission group ${group}. `);
    expect(err).toContain(" Authentication error (code 10000). In 12 zones: zone-0.example.com, ");
  },
);

test.each([
  ["shown when all is planned", [], true],
  ["left out when a section could not be planned", ["Zone WAF Read", "Zone WAF Write"], false],
] as const)("the advice on how to apply a plan is %s", async (_, without, isShown) => {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } }, without });
  onTestFinished(() => emulator.close());
  const rules = `    custom_rules: [{ description: A, action: block, expression: ssl }]\n`;
  const cwd = await folderWith({ "zoneward.yaml": CONFIG + rules });
  const { err } = await zoneward(["plan"], { cwd, env: reaching(emulator) });
  expect(err.includes("To apply it, run zoneward apply")).toBe(isShown);
});
