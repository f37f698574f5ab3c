import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createEmulator, type Dialect, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { IN_EVERY_ZONE } from "../support/sections.js";

const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";

function policy(description: string, expression: string) {
  return { description, action: "log", enabled: true, expression, value: "img-src 'self'" };
}

/** Expressions with unknown fields in each kind that has expressions. */
const seed: Seed = {
  zones: {
    "a.example.com": {
      policies: [policy("New", 'cf.new.field eq "x"'), policy("Any", 'any(cf.new.map[*] eq "x")')],
    },
    "b.example.com": {
      policies: [
        policy("Other", 'cf.new.map["a"] eq "x"'),
        policy("Function", 'new_function(http.host) eq "x"'),
      ],
      rulesets: [
        {
          phase: "http_request_firewall_managed",
          rules: [
            {
              action: "skip",
              action_parameters: { ruleset: "current" },
              expression: "cf.new.count gt 5",
              description: "Many",
              enabled: true,
            },
            {
              action: "execute",
              action_parameters: { id: CORE },
              expression: "not cf.new.flag",
              enabled: true,
            },
          ],
        },
      ],
    },
  },
};

async function start(dialect: Dialect) {
  const emulator = await createEmulator({ dialect, seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const write = (name: string, text: string) => writeFile(path.join(cwd, name), text);
  return { run, write };
}

test.each(["service", "interface"] as const)(
  "export keeps live objects with unknown fields (%s)",
  async (dialect) => {
    const { run, write } = await start(dialect);
    const { code, out, err } = await run("export");
    expect(code).toBe(0);
    expect(parse(out).service).toEqual({
      extra_expression_fields: {
        "cf.new.field": "Bytes",
        "cf.new.map": "Map<Bytes>",
        "cf.new.flag": "Bool",
        "cf.new.count": "Int",
      },
    });
    const inEveryZone = IN_EVERY_ZONE.filter((name) => dialect === "service" || name !== "zone_settings");
    expect(err).toContain(`Exported 2 zones with ${6 + 2 * inEveryZone.length} objects.`);
    expect(
      err.replace(/Left out.*\n(?:.*The service does not list.*\n)+/, "").replace(/^Exported.*\n/, ""),
    ).toMatchInlineSnapshot(`
      "Review what weakens protection. Once declared, plan and drift do not report it:
        b.example.com: managed_exception "Many" skips the later managed rulesets: requests that match cf.new.count gt 5
      Fields that this version does not know. Check their types under service.extra_expression_fields:
        cf.new.field: Bytes, which fits policy "New" in a.example.com
        cf.new.map: Map<Bytes>, which fits policy "Any" in a.example.com and 1 more
        cf.new.flag: Bool, which fits managed_ruleset in b.example.com
        cf.new.count: Int, which fits managed_exception "Many" in b.example.com
      "
    `);
    await write("zoneward.yaml", out);
    expect((await run("drift", "--detailed-exitcode")).code).toBe(0);
    expect(out).toContain('expression: new_function(http.host) eq "x"');
    // The meaning of such an expression is unknown, so a change to it is never called safe.
    await write("zoneward.yaml", out.replace('cf.new.field eq "x"', 'cf.new.field eq "y"'));
    const planned = JSON.parse((await run("plan", "--format", "json")).out);
    expect(planned.changes).toMatchObject([{ key: "New", effect: "unknown" }]);
    await write("zoneward.yaml", out.replace("new_function(http.host)", "new_function(http.host, 1)"));
    const other = JSON.parse((await run("plan", "--format", "json")).out);
    expect(other.changes).toMatchObject([{ key: "Function", effect: "unknown" }]);
  },
);

test("export repeats the service section of the files, which precedes guessed types", async () => {
  const { run, write } = await start("service");
  await write(
    "known.yaml",
    "version: 1\nservice: { limits: { policies: 7 }, extra_expression_fields: { cf.new.field: Bytes, cf.new.map: Map<Bytes>, cf.old: Bool } }\n",
  );
  const { out, err } = await run("export", "a.example.com", "-c", "known.yaml");
  expect(parse(out).service).toEqual({
    limits: { policies: 7 },
    extra_expression_fields: { "cf.new.field": "Bytes", "cf.new.map": "Map<Bytes>", "cf.old": "Bool" },
  });
  expect(err).not.toContain("extra_expression_fields");
  const wrong = await run("export", "-c", "none.yaml");
  expect([wrong.code, wrong.out]).toEqual([1, ""]);
  expect(wrong.err).toContain("none.yaml");
});

test("export into a folder writes the types into the shared file", async () => {
  const { run } = await start("service");
  expect((await run("export", "--out-dir", "zones", "--template", "site")).code).toBe(0);
  expect((await run("plan", "-c", "zones", "--detailed-exitcode")).code).toBe(0);
});
