import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORING = "6179ae15870a4bb7b2d480d4843b323c";
const [ONE, TWO] = ["1".repeat(32), "2".repeat(32)] as const;

/** Runs `adopt` for a live core ruleset with these overrides, and a file. */
async function story(overrides: object | null, sections: string) {
  const action_parameters = { id: CORE, ...(overrides === null ? {} : { overrides }) };
  const rule = { action: "execute", action_parameters, expression: "true", enabled: true };
  const seed = {
    zones: { [ZONE]: { rulesets: [{ phase: "http_request_firewall_managed", rules: [rule] }] } },
  } as Seed;
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const file = fileOf(sections);
  const cwd = await folderWith({ "zoneward.yaml": file });
  const around = { cwd, env: reaching(emulator) };
  const { code, out, err } = await zoneward(["adopt", "--format", "json"], around);
  expect(code, err).toBe(0);
  const { adopted, left } = JSON.parse(out) as {
    readonly adopted: readonly { readonly field: string }[];
    readonly left: readonly { readonly field: string; readonly why: string }[];
  };
  return {
    file,
    text: await readFile(path.join(cwd, "zoneward.yaml"), "utf8"),
    adopted: adopted.map(({ field }) => field),
    left: left.map(({ field, why }) => `${field}: ${why}`),
    drift: async () => (await zoneward(["drift", "--detailed-exitcode"], around)).code,
  };
}

function fileOf(sections: string): string {
  return `version: 1\nzones:\n  ${ZONE}:\n${sections}`;
}

describe("adopt leaves and reports a live value that no file can express", () => {
  const level = (...categories: readonly [number, boolean][]) =>
    categories.map(([number, enabled]) => ({ category: `paranoia-level-${number}`, enabled }));

  test.each([
    [
      "an invalid combination of levels",
      { categories: level([3, false]) },
      "{ paranoia_level: PL3, action: block }",
      ['paranoia_level: No file can express the live value "custom: 3 off, 4 on".'],
    ],
    [
      "a disabled scoring rule",
      { rules: [{ id: SCORING, enabled: false }] },
      "{ action: block }",
      ['action: No file can express the live value "none (the scoring rule is switched off)".'],
    ],
    [
      "an unknown action",
      { action: "log" },
      "{ action: block }",
      ["action: No file can express the live value."],
    ],
  ])("%s", async (_, overrides, section, left) => {
    const ran = await story(overrides, `    managed_ruleset: ${section} # c\n`);
    expect([ran.adopted, ran.left, ran.text]).toEqual([[], left, ran.file]);
    expect(await ran.drift()).toBe(2);
  });

  test("and adopts the other changes of the object", async () => {
    const ran = await story(
      { categories: level([3, false]), rules: [{ id: SCORING, action: "log" }] },
      "    managed_ruleset:\n      paranoia_level: PL3 # as agreed\n      action: block\n",
    );
    expect(ran.adopted).toEqual(["action"]);
    expect(ran.left).toEqual(['paranoia_level: No file can express the live value "custom: 3 off, 4 on".']);
    expect(ran.text).toBe(ran.file.replace("action: block", "action: log"));
  });
});

describe("adopt removes deleted rules from a map, and an empty map as well", () => {
  test.each([
    ["in flow style", ` { action: block, rules: { "${ONE}": { enabled: false } } }`, " { action: block }"],
    [
      "in block style",
      `\n      action: block\n      rules:\n        "${ONE}": { enabled: false }`,
      "\n      action: block",
    ],
    ["as the only content", ` { rules: { "${ONE}": { enabled: false } } }`, " {}"],
    [
      "beside a rule that stays",
      ` { rules: { "${ONE}": { enabled: false }, "${TWO}": { action: block } } }`,
      ` { rules: { "${TWO}": { action: block } } }`,
    ],
  ])("%s", async (_, before, after) => {
    const ran = await story(
      { rules: [{ id: TWO, action: "block" }] },
      `    managed_ruleset:${before}\n    settings: {}\n`,
    );
    expect([ran.adopted, ran.left]).toEqual([["rules"], []]);
    expect(ran.text).toBe(fileOf(`    managed_ruleset:${after}\n    settings: {}\n`));
    expect(await ran.drift()).toBe(0);
  });
});

test("adopt writes disabled payload logging as `ensure: absent`", async () => {
  const ran = await story(null, "    managed_ruleset: { payload_logging: { public_key: key } }\n");
  expect([ran.adopted, ran.left]).toEqual([["payload_logging"], []]);
  expect(ran.text).toBe(fileOf("    managed_ruleset: { payload_logging: { ensure: absent } }\n"));
  expect(await ran.drift()).toBe(0);
});

test("adopt leaves and reports a live field that the declared job does not have", async () => {
  const job = { name: "logs", dataset: "http_requests", destination_conf: "https://logs.example/in" };
  const seed: Seed = {
    zones: { [ZONE]: { logpush_jobs: [{ id: 1, ...job, enabled: true, transformer_id: "theirs" }] } },
  };
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const file = fileOf("    logpush_jobs:\n      - { name: logs, enabled: true }\n");
  const cwd = await folderWith({ "zoneward.yaml": file });
  const { out } = await zoneward(["adopt", "--new", "--format", "json"], { cwd, env: reaching(emulator) });
  const { left } = JSON.parse(out) as { readonly left: readonly object[] };
  expect(left).toMatchObject([
    {
      section: "logpush_jobs",
      key: "logs",
      why: expect.stringMatching(
        /^It gives every record to .*undeclared: extra\.transformer_id.* adds no fields/,
      ),
    },
  ]);
  expect(await readFile(path.join(cwd, "zoneward.yaml"), "utf8")).toBe(file);
});
