import { expect, test } from "vitest";
import { permissionGroups } from "../../src/emulator/resources/tokens.js";
import { apply, createEmulator, plan } from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { call, start } from "./call.js";

const ZONE = "shop.example.com";
const seed = { zones: { [ZONE]: {} } };

const SECTIONS = {
  settings: { enabled: true },
  policies: [{ description: "P", action: "log", expression: "true", value: "script-src 'self'" }],
  managed_ruleset: { action: "block" },
  managed_exceptions: [{ description: "E", expression: "ip.src eq 192.0.2.1", skip: "all" }],
  custom_log_fields: { request_fields: ["x-forwarded-for"] },
  logpush_jobs: [
    {
      name: "j",
      dataset: "http_requests",
      destination_conf: "https://logs.example/",
      fields: ["RayID", "RequestHeaders"],
    },
  ],
};

/** Plans and applies with a token that lacks one permission group. */
async function run(section: string, value: object, group: string, live: object = {}) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: live } }, without: [group] });
  const cwd = await folderWith({
    "zoneward.yaml": JSON.stringify({ version: 1, zones: { [ZONE]: { [section]: value } } }),
  });
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  const planned = await plan(options);
  const applied = await apply(options);
  await emulator.close();
  return { planned, applied };
}

const cases = kinds.flatMap(
  ({
    section,
    service: {
      permissions: { read, write },
    },
  }) => [...(section === "managed_exceptions" ? [] : [[section, read] as const]), [section, write] as const],
);

test.each(cases)(
  "%s without %s is refused with an error that names the permission group",
  async (section, group) => {
    const value = SECTIONS[section as keyof typeof SECTIONS]; // SECTIONS has every section
    const { planned, applied } = await run(section, value, group);
    const said = [...planned.problems, ...(applied.report?.zones ?? []).flatMap(({ problems }) => problems)];
    expect(said.map(({ detail }) => detail).join("\n")).toContain(`the permission group ${group}`);
    expect(applied.report?.converged ?? false).toBe(false);
  },
);

test("a missing permission group does not affect other sections", async () => {
  const { applied } = await run("settings", SECTIONS.settings, "Zone WAF Read");
  expect(applied.report?.converged).toBe(true);
});

test("a token without write permission can read, and other clients can write", async () => {
  const emulator = await start({ seed, without: ["Page Shield Write"] });
  const path = `/zones/${emulator.zones[ZONE]}/page_shield`;
  expect((await call(emulator, "GET", path)).status).toBe(200);
  expect((await call(emulator, "PUT", path, { enabled: true })).status).toBe(403);
  expect(emulator.edit({ edit: "settings", zone: ZONE, set: { enabled: true } })).toMatchObject([
    { status: 200 },
  ]);
});

test("every permission group that a kind needs can be removed, and unknown ones are refused", async () => {
  const named = kinds.flatMap(({ service }) => Object.values(service.permissions));
  expect(permissionGroups).toEqual(expect.arrayContaining(named));
  await expect(createEmulator({ seed, without: ["Zone WAF"] })).rejects.toThrow(
    /Unknown permission group "Zone WAF".*Zone WAF Read/,
  );
});

test("sections seeded as null read as null until they are set", async () => {
  const nothing = { settings: null, policies: null, logpush_jobs: null };
  const emulator = await start({ seed: { zones: { [ZONE]: nothing } } });
  const zone = `/zones/${emulator.zones[ZONE]}`;
  const paths = ["/page_shield", "/page_shield/policies", "/logpush/jobs"];
  for (const path of paths)
    expect((await call(emulator, "GET", zone + path)).body).toMatchObject({ success: true, result: null });
  expect(emulator.state().zones[ZONE]).toMatchObject(nothing);
  for (const section of ["settings", "policies", "logpush_jobs"] as const) {
    const { applied } = await run(section, SECTIONS[section], "Zone WAF Read", nothing);
    expect(applied.report?.converged).toBe(true);
  }
  await call(emulator, "PUT", `${zone}/page_shield`, { enabled: true });
  expect((await call(emulator, "GET", `${zone}/page_shield`)).body).toMatchObject({
    result: { enabled: true },
  });
});
