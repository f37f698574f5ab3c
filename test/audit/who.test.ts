import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  createEmulator,
  drift,
  type Edit,
  type EmulatorOptions,
  type PlanDocument,
  type Seed,
} from "../../src/index.js";
import type { JsonObject } from "../../src/model/json.js";
import { whoText } from "../../src/render/who-text.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const FILE = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: Shop, action: log, expression: "true", value: "script-src 'self'" }
      - { description: Old, action: log, expression: "true", value: "font-src 'self'" }
    managed_ruleset: { paranoia_level: PL2 }
    logpush_jobs:
      - { name: a, dataset: http_requests, destination_conf: "\${secret:LOGS}", enabled: true }
`;

async function applied(options: EmulatorOptions = {}, zones: readonly string[] = [ZONE]) {
  const seed = { zones: Object.fromEntries(zones.map((name) => [name, {}])) } as Seed;
  const emulator = await createEmulator({ seed, ...options });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml":
      zones.length === 1
        ? FILE
        : `version: 1\nzones:\n${zones.map((name) => `  ${name}: { settings: { enabled: true } }\n`).join("")}`,
  });
  const env = { ...reaching(emulator), LOGS: "https://logs.example/in" };
  const run = (...args: string[]) => zoneward(args, { cwd, env });
  const { code, err } = await run("apply", "--yes", "-q");
  expect(code, err).toBe(0);
  return { emulator, cwd, run };
}

const policy = (description: string, by: string, more: { set: JsonObject } | { remove: true }): Edit => ({
  edit: "policy",
  zone: ZONE,
  where: { description },
  by,
  ...more,
});

test("recognises an apply from other files as a zoneward run", async () => {
  const { cwd, run } = await applied();
  const other = FILE.replace("enabled: true }\n    policies", "enabled: false }\n    policies");
  await writeFile(path.join(cwd, "other.yaml"), other);
  expect((await run("apply", "-c", "other.yaml", "--yes", "-q")).code).toBe(0);
  expect((await run("drift", "--who")).out).toMatch(/by token "[^"]+", calling itself zoneward, \d/);
});

test("drift names the author of each change in every format", async () => {
  const { emulator, run } = await applied();
  const value = "script-src 'self' evil.example";
  emulator.edit(policy("Shop", "alice@example.com", { set: { value } }));
  emulator.edit(policy("Old", "bob@example.com", { remove: true }));
  emulator.edit({ edit: "settings", zone: ZONE, set: { enabled: false }, audited: "missing" });
  emulator.edit({ edit: "logpush_job", zone: ZONE, set: { enabled: false }, by: "carol@example.com" });
  const { code, out, err } = await run("drift", "--who");
  expect([code, err]).toEqual([0, ""]);
  const lines = out
    .split("\n")
    .flatMap((line) => (line.startsWith("      ! ") ? line.slice(8).replace(/\d{4}-.*UTC/, "TIME") : []));
  expect(lines.toSorted()).toEqual([
    "by alice@example.com in the dashboard, TIME",
    "by carol@example.com in the dashboard, TIME",
    "last logged change by bob@example.com in the dashboard, TIME",
    "not in the audit log (which may lag, and keeps 30 days)",
  ]);
  expect((await run("drift", "--who", "--format", "markdown")).out).toContain("alice@example.com");
  expect((await run("drift", "--who", "--format", "html")).out).toContain(
    "by alice@example.com in the dashboard",
  );
  const reads = emulator.log.filter(({ path: each }) => each.includes("/logs/audit"));
  expect(reads).toHaveLength(3);
  const plan = await run("plan", "--who");
  expect(plan.out).not.toContain("alice");
  expect(plan.err).toMatch(/note: Actor unknown\n {2}Without --base, /);
});

test("drift names the author of undeclared objects", async () => {
  const { emulator, cwd, run } = await applied();
  const made = { zone: ZONE, by: "dave@example.com" };
  const body = { action: "log", enabled: true, expression: "true", value: "img-src 'self'" };
  emulator.edit({ edit: "policy", add: { description: "Dave's", ...body }, ...made });
  emulator.edit({ edit: "policy", add: { description: "Known", ...body }, ...made });
  emulator.edit({ edit: "policy", add: { description: "Lost", ...body }, ...made, audited: "missing" });
  emulator.edit({ edit: "policy", add: { description: "Edited", ...body }, ...made });
  emulator.edit(policy("Edited", "erin@example.com", { set: { enabled: false } }));
  const job = { name: "theirs", dataset: "http_requests", destination_conf: "https://elsewhere.example/in" };
  emulator.edit({ edit: "logpush_job", add: { ...job, enabled: true }, ...made });
  emulator.edit({
    edit: "logpush_job",
    zone: ZONE,
    where: { name: "a" },
    by: "erin@example.com",
    set: { filter: '{"where":{"key":"ClientCountry","operator":"eq","value":"zz"}}' },
  });
  for (const [description, by] of [
    ["Skip all", "dave@example.com"],
    ["Skip more", "erin@example.com"],
  ] as const)
    emulator.edit({
      edit: "rule",
      zone: ZONE,
      phase: "http_request_firewall_managed",
      add: { action: "skip", action_parameters: { ruleset: "current" }, expression: "true", description },
      by,
    });
  const known = FILE.replace("    policies:", "    unmanaged: { policies: [Known] }\n    policies:");
  await writeFile(path.join(cwd, "zoneward.yaml"), known);
  const { unmanaged } = JSON.parse((await run("drift", "--who", "--format", "json")).out) as PlanDocument;
  const who = unmanaged.map((each) => [
    each.key,
    each.who?.found,
    ...(each.who?.by ?? []).map((by) => by.who),
  ]);
  expect(who.toSorted()).toEqual([
    ["Dave's", "named", "dave@example.com"],
    ["Edited", "candidates", "erin@example.com", "dave@example.com"],
    ["Known", undefined],
    ["Lost", "none"],
    ["Skip all", "candidates", "dave@example.com"],
    ["Skip more", "candidates", "erin@example.com"],
    ["a", "candidates", "erin@example.com", `token "emulator"`],
    ["theirs", "named", "dave@example.com"],
  ]);
  const text = (await run("drift", "--who")).out;
  expect(text).toMatch(/policy "Dave's" reports .*; by dave@example\.com in the dashboard, \d{4}-/);
  expect((await run("drift", "--who", "--format", "markdown")).out).toMatch(
    /`Dave's` .*; \*\*by `dave@example\.com` in the dashboard, /,
  );
  expect((await run("drift", "--who", "--format", "html")).out).toContain(
    "by dave@example.com in the dashboard",
  );
  expect((await run("drift", "--who=role")).out).not.toContain("dave@example.com");
  await run("drift", "--who", "-o", "plan.json");
  expect(await readFile(path.join(cwd, "plan.json"), "utf8")).not.toContain('"who"');
});

test("groups objects created alike in many zones, whenever each was created", async () => {
  const zones = ["a.example", "b.example", "c.example"];
  let now = new Date(Date.now() - 3_600_000);
  const { emulator, cwd, run } = await applied({ now: () => now }, zones);
  const managed = zones.map((zone) => `  ${zone}: { policies: [] }\n`).join("");
  await writeFile(path.join(cwd, "zoneward.yaml"), `version: 1\nzones:\n${managed}`);
  const add = {
    description: "Made",
    action: "log",
    enabled: true,
    expression: "true",
    value: "img-src 'self'",
  };
  for (const zone of zones) {
    emulator.edit({ edit: "policy", zone, add, by: "alice@example.com" });
    now = new Date(now.getTime() + 120_000);
  }
  expect((await run("drift", "--who")).out.match(/; by alice@example\.com in the dashboard\n/g)).toHaveLength(
    1,
  );
});

test("shows only roles with --who=role, and never IP addresses", async () => {
  const { emulator, cwd, run } = await applied();
  emulator.edit(policy("Shop", "alice@example.com", { set: { value: "script-src evil.example" } }));
  const { out } = await run("drift", "--who=role", "--format", "json", "-o", "plan.json");
  const [change] = (JSON.parse(out) as PlanDocument).changes;
  expect(change?.who).toEqual({
    found: "named",
    by: [{ who: "a user", through: "dashboard", time: expect.stringMatching(/^\d{4}-/) }],
  });
  expect(out).not.toMatch(/alice|192\.0\.2/);
  expect(await readFile(path.join(cwd, "plan.json"), "utf8")).not.toContain('"who"');
  expect((await run("drift", "--who", "--format", "json")).out).not.toContain("192.0.2");
  expect((await run("drift", "--who=all")).err).toContain("--who takes no value");
});

test("plans the same without the permission, and adds one note", async () => {
  const { emulator, run } = await applied({ without: ["Account Settings Read"] });
  emulator.edit(policy("Shop", "alice@example.com", { set: { value: "script-src evil.example" } }));
  const asked = await run("drift", "--who", "--detailed-exitcode", "--format", "json");
  const plain = await run("drift", "--detailed-exitcode", "--format", "json");
  const [with_, without] = [asked, plain].map(({ out }) => JSON.parse(out) as PlanDocument);
  expect([asked.code, plain.code]).toEqual([2, 2]);
  expect(with_?.changes).toEqual(without?.changes);
  expect(with_?.digest).toBe(without?.digest);
  const notes = with_?.diagnostics.filter(({ code }) => code === "who_not_known");
  expect(notes).toEqual([
    expect.objectContaining({ severity: "note", message: expect.stringContaining("Account Settings Read") }),
  ]);
});

test("escapes hostile names from the log", async () => {
  const { emulator, run } = await applied();
  const by = "\u001b[2Jalice</td>|**x**\n::error::@example.com";
  emulator.edit(policy("Shop", by, { set: { value: "script-src evil.example" } }));
  const text = (await run("drift", "--who")).out;
  expect(text).toContain("\\u{1b}[2Jalice");
  expect(text).not.toContain("\u001b");
  expect(text.split("\n").some((line) => line.trimStart().startsWith("::"))).toBe(false);
  expect((await run("drift", "--who", "--format", "markdown")).out).toContain(
    "**by `\\u{1b}[2Jalice</td>|**x**\\u{a}::error::@example.com` in the dashboard",
  );
  expect((await run("drift", "--who", "--format", "html")).out).not.toContain("alice</td>");
});

test("shows a change made in many zones once, with one query for all of them", async () => {
  const zones = ["a.example", "b.example", "c.example"];
  const { emulator, run } = await applied({}, zones);
  for (const zone of zones)
    emulator.edit({ edit: "settings", zone, set: { enabled: false }, by: "alice@example.com" });
  const before = emulator.log.length;
  const { out } = await run("drift", "--who", "--format", "markdown");
  expect(out.match(/alice@example\.com/g)).toHaveLength(1);
  expect(emulator.log.slice(before).filter(({ path: each }) => each.includes("/logs/audit"))).toHaveLength(1);
});

test("says that an actor calls itself zoneward instead of trusting the user agent", () => {
  expect(
    whoText({
      found: "named",
      by: [{ who: 'token "ci"', through: "zoneward", time: "2026-11-20T14:02:00.000Z" }],
    }),
  ).toBe('by token "ci", calling itself zoneward, 2026-11-20 14:02 UTC');
});

test("the library finds authors too", async () => {
  const { emulator, cwd } = await applied();
  emulator.edit(policy("Shop", "alice@example.com", { set: { value: "script-src evil.example" } }));
  const environment = { ...reaching(emulator), LOGS: "https://logs.example/in" };
  const { document } = await drift({ cwd, environment, who: "names" });
  expect(document?.changes[0]?.who?.by).toMatchObject([{ who: "alice@example.com" }]);
});
