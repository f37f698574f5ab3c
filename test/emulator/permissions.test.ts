import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { permissionGroups } from "../../src/emulator/resources/index.js";
import { apply, createEmulator, plan } from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { folderWith, ROOT, reaching } from "../support/cli.js";
import { call, start } from "./call.js";

const ZONE = "shop.example.com";
const seed = { zones: { [ZONE]: {} } };

/** The example of each section in the documentation. */
const examples = new Map(
  kinds.map(({ section }) => {
    const file = parse(readFileSync(path.join(ROOT, `docs/examples/${section}.yaml`), "utf8"));
    return [section, file.zones[ZONE][section]] as const;
  }),
);

/** The secrets in the examples. */
const secrets = { LOGPUSH_DESTINATION: "https://logs.example/", LOGPUSH_OWNERSHIP: "proof" };

/** Plans and applies with a token that lacks one permission group. */
async function run(section: string, value: unknown, group: string, live: object = {}) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: live } }, without: [group] });
  const cwd = await folderWith({
    "zoneward.yaml": JSON.stringify({ version: 1, zones: { [ZONE]: { [section]: value } } }),
  });
  const options = { cwd, environment: { ...reaching(emulator), ...secrets }, rateLimit: "off" };
  const planned = await plan(options);
  const applied = await apply(options);
  await emulator.close();
  return { planned, applied };
}

const cases = kinds.flatMap(({ section, service: { permissions } }) =>
  [...new Set([permissions.read, permissions.write])].map((group) => [section, group] as const),
);

test.each(cases)(
  "%s without %s is refused with an error that names the permission group",
  async (section, group) => {
    const { planned, applied } = await run(section, examples.get(section), group);
    const said = [...planned.problems, ...(applied.report?.zones ?? []).flatMap(({ problems }) => problems)];
    expect(said.map(({ detail }) => detail).join("\n")).toContain(`the permission group ${group}`);
    expect(applied.report?.converged ?? false).toBe(false);
  },
);

test("a missing permission group does not affect other sections", async () => {
  const { applied } = await run("settings", examples.get("settings"), "Zone WAF Read");
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
    const { applied } = await run(section, examples.get(section), "Zone WAF Read", nothing);
    expect(applied.report?.converged).toBe(true);
  }
  await call(emulator, "PUT", `${zone}/page_shield`, { enabled: true });
  expect((await call(emulator, "GET", `${zone}/page_shield`)).body).toMatchObject({
    result: { enabled: true },
  });
});
