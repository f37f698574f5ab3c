import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import {
  createEmulator,
  type Edit,
  type EmulatorOptions,
  type Scheduled,
  type ZoneSettingsSeed,
} from "../../src/index.js";
import type { JsonObject } from "../../src/model/json.js";
import { applyIn, quickFolder, rollbackIn } from "../apply/run.js";
import { altering } from "../support/altering-service.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { endOfWaiting } from "../support/no-waiting.js";
import { refusing } from "../support/refusing.js";
import { IN_EVERY_ZONE } from "../support/sections.js";

const ZONE = "shop.example.com";

/** A zone with these settings, and files that declare others. */
async function zoneWith(live: ZoneSettingsSeed, declared: string, options: EmulatorOptions = {}) {
  const emulator = await createEmulator({
    seed: { zones: { [ZONE]: { zone_settings: live } } },
    ...options,
  });
  onTestFinished(() => emulator.close());
  const file = `version: 1\nzones:\n  ${ZONE}:\n    zone_settings: ${declared}\n`;
  const cwd = await folderWith({ "zoneward.yaml": file });
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const text = () => readFile(path.join(cwd, "zoneward.yaml"), "utf8");
  const values = () => emulator.state().zones[ZONE]?.zone_settings?.values;
  return { emulator, cwd, run, text, values, file };
}

const hsts = (fields: JsonObject) => ({ strict_transport_security: fields });

test("takes no answer about another setting", async () => {
  const { emulator, cwd } = await zoneWith({ values: { ssl: "off" } }, "{ ssl: strict }");
  const other = JSON.stringify({ success: true, result: { id: "security_level", value: "strict" } });
  const env = await altering(emulator, (at) => (at.endsWith("/settings/ssl") ? other : undefined));
  const { code, err } = await zoneward(["drift"], { cwd, env });
  expect(code).toBe(1);
  expect(err).toContain("The zone setting ssl has an unknown form.");
});

test("warns of a challenge_ttl that Cloudflare does not document, and sends it", async () => {
  const { run } = await zoneWith({ values: { challenge_ttl: 1800 } }, "{ challenge_ttl: 5 }");
  const { code, err } = await run("validate");
  expect([code, err]).toEqual([0, expect.stringContaining("not 5. It is sent as written.")]);
});

test("says that a value was accepted and not stored", async () => {
  onTestFinished(endOfWaiting());
  const { run, values } = await zoneWith({ not_stored: ["ssl"] }, "{ ssl: origin_pull, tls_1_3: off }");
  const { code, out, err } = await run("apply", "--yes", "--allow", "weakens");
  expect(code).toBe(1);
  expect(out + err).toContain("accepted, not stored: the zone's Cloudflare plan may not have it");
  expect(out + err).toContain('ssl is "full", not "origin_pull"');
  expect(values()).toEqual({ tls_1_3: "off" });
});

describe("export", () => {
  test("has every setting that the zone has, and the file changes nothing", async () => {
    const live = { values: { ssl: "strict" }, unavailable: ["ciphers"] };
    const { emulator, run } = await zoneWith(live, "{}");
    const { code, out } = await run("export", ZONE);
    expect(code).toBe(0);
    const exported = parse(out).zones[ZONE].zone_settings;
    expect(exported).toMatchObject({
      ssl: "strict",
      tls_1_3: "on",
      challenge_ttl: 1800,
      security_header: { enabled: false, max_age: 0 },
    });
    expect(exported).not.toHaveProperty("ciphers");
    const cwd = await folderWith({ "zoneward.yaml": out });
    const planned = await zoneward(["plan"], { cwd, env: reaching(emulator) });
    expect(planned.out + planned.err).toContain("Plan: no changes");
  });

  test("goes on with a note if the token may not read settings", async () => {
    const { emulator, cwd } = await zoneWith({}, "{}");
    const front = await refusing(emulator.url);
    onTestFinished(() => front.close());
    front.arm({ method: "GET", path: /\/settings\// });
    const env = { ...reaching(emulator), CLOUDFLARE_BASE_URL: front.url };
    const { code, out, err } = await zoneward(["export", ZONE], { cwd, env });
    expect(code, err).toBe(0);
    expect(err).toMatch(/note.*Permission denied/i);
    expect(out).toContain("# Not managed: zone_settings could not be read.");
    expect(Object.keys(parse(out).zones[ZONE])).toEqual(
      IN_EVERY_ZONE.filter((name) => name !== "zone_settings"),
    );
  });
});

test("adopt keeps the way in which the file writes a switch", async () => {
  const declared = "{ ssl: full, always_use_https: false, tls_1_3: on, security_header: { max_age: 0 } }";
  const { emulator, run, text } = await zoneWith({}, declared);
  const header = hsts({ enabled: true, max_age: 300 });
  const set = { always_use_https: "on", tls_1_3: "off", security_header: header };
  emulator.edit({ edit: "zone_settings", zone: ZONE, set });
  const { code, out, err } = await run("adopt");
  expect(code, out + err).toBe(0);
  expect(await text()).toContain(
    "{ ssl: full, always_use_https: true, tls_1_3: off, security_header: { max_age: 300 } }",
  );
});

test("drift names who changed a setting", async () => {
  const { emulator, run } = await zoneWith({}, "{ ssl: full, min_tls_version: '1.0' }");
  emulator.edit({ edit: "zone_settings", zone: ZONE, set: { browser_check: "off" }, by: "bob@example.com" });
  emulator.edit({ edit: "zone_settings", zone: ZONE, set: { ssl: "strict" }, by: "eve@example.com" });
  emulator.edit({ edit: "zone_settings", zone: ZONE, set: { ssl: "off" }, by: "alice@example.com" });
  const { out } = await run("drift", "--who");
  expect(out).toMatch(/by alice@example\.com/);
  expect(out).not.toContain("bob@example.com");
});

test("rollback restores each changed setting, and leaves those that were changed since", async () => {
  const before = {
    ssl: "flexible",
    tls_1_3: "zrt",
    security_level: "high",
    http3: "off",
    security_header: hsts({ enabled: true, max_age: 86400, include_subdomains: true, nosniff: true }),
  };
  const { emulator, values } = await zoneWith({ values: before }, "{}");
  const declared =
    "{ ssl: strict, tls_1_3: on, security_level: low, security_header: { max_age: 0 }, other: { http3: on } }";
  const cwd = await quickFolder(`version: 1\nzones:\n  ${ZONE}:\n    zone_settings: ${declared}\n`);
  const { report } = await applyIn(cwd, emulator);
  expect(report?.converged).toBe(true);
  emulator.edit({ edit: "zone_settings", zone: ZONE, set: { security_level: "under_attack" } });
  await writeFile(path.join(cwd, "zoneward.yaml"), `version: 1\nzones:\n  ${ZONE}: { settings: {} }\n`);
  const { problems } = await rollbackIn(cwd, emulator, report?.journal ?? "");
  expect(values()).toEqual({ ...before, security_level: "under_attack" });
  expect(problems.map(({ code }) => code)).toContain("changed_since");
});

describe("a call without a clear answer", () => {
  const story = async (schedule: Scheduled[]) => {
    const { emulator } = await zoneWith({}, "{}", { faults: { schedule } });
    const cwd = await quickFolder(`version: 1\nzones:\n  ${ZONE}:\n    zone_settings: { ssl: strict }\n`);
    const { report } = await applyIn(cwd, emulator);
    const codes = report?.zones.flatMap(({ problems }) => problems.map(({ code }) => code));
    const { ssl = null } = emulator.state().zones[ZONE]?.zone_settings?.values ?? {};
    return { ssl, codes, calls: emulator.writes().length };
  };
  const PATCH = { method: "PATCH", path: "*/settings/ssl" } as const;

  test("is sent again if it had no effect", async () => {
    expect(await story([{ ...PATCH, fault: "reset-before" }])).toEqual({
      ssl: "strict",
      codes: [],
      calls: 2,
    });
  });

  test("is not sent again if it had an effect", async () => {
    expect(await story([{ ...PATCH, fault: "reset-after" }])).toEqual({ ssl: "strict", codes: [], calls: 1 });
  });

  test("is not sent again if somebody changed the setting", async () => {
    const after: Edit = { edit: "zone_settings", zone: ZONE, set: { ssl: "flexible" } };
    const { ssl, codes } = await story([
      { ...PATCH, fault: "reset-before" },
      { ...PATCH, after },
    ]);
    expect({ ssl, codes }).toEqual({ ssl: "flexible", codes: ["stale_live"] });
  });
});

test("guardrails count a weaker setting", async () => {
  const { run } = await zoneWith(
    { values: { ssl: "strict" } },
    "{ ssl: off }\nguardrails: { forbid: [weakens] }",
  );
  const { code, out, err } = await run("apply", "--yes");
  expect(code, out + err).toBe(3);
});
