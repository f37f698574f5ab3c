import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, plan } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

const ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353";
const IDS = { "a.example.com": "a".repeat(32), "b.example.com": "b".repeat(32) };

const SECTIONS = {
  settings: { enabled: true },
  policies: [{ description: "P", action: "log", expression: "true", value: "script-src 'self'" }],
  managed_ruleset: { paranoia_level: "PL2" },
  custom_log_fields: { request_fields: ["x-forwarded-for"] },
  logpush_jobs: [
    {
      name: "j",
      dataset: "http_requests",
      destination_conf: "https://logs.example/${env:PLACE}",
      fields: ["RayID", "RequestHeaders"],
    },
  ],
};

/** Plans zones without drift: the requested paths, and the cost that the document states. */
async function costs(zones: Readonly<Record<string, object>>) {
  const seed = {
    account_id: ACCOUNT,
    zones: Object.fromEntries(Object.entries(IDS).map(([name, id]) => [name, { id }])),
  };
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones }));
  const environment = { ...reaching(emulator), PLACE: "x" };
  const options = { cwd, environment, rateLimit: "off" };
  expect((await apply(options)).report?.converged).toBe(true);
  const before = emulator.log.length;
  const { document } = await plan(options);
  expect(document?.changes).toEqual([]);
  const paths = emulator.log.slice(before).map((each) => each.path);
  expect(document?.summary.requests).toBe(paths.length);
  return { ofZones: document?.zones.map((zone) => zone.requests), paths };
}

const located = { id: IDS["a.example.com"], account_id: ACCOUNT };

test("a zone with five sections and no changes costs 6 requests, and 1 for its account", async () => {
  const { ofZones, paths } = await costs({ "a.example.com": { ...located, ...SECTIONS } });
  expect(ofZones).toEqual([6]);
  expect(paths.filter((each) => each.startsWith("/accounts/"))).toHaveLength(1);
  expect(paths).toHaveLength(7);
});

test("the account's objects and the list of zones are read once for all zones", async () => {
  const { ofZones, paths } = await costs({ "a.example.com": SECTIONS, "b.example.com": SECTIONS });
  expect(ofZones).toEqual([6, 6]);
  expect(paths).toHaveLength(12 + 1 + 1);
});

test.each(
  Object.entries(SECTIONS).map(
    ([section, value]) => [section, section === "managed_ruleset" ? 2 : 1, value] as const,
  ),
)("%s alone takes %i for its zone", async (section, expected, value) => {
  const { ofZones, paths } = await costs({ "a.example.com": { ...located, [section]: value } });
  expect(ofZones).toEqual([expected]);
  expect(paths).toHaveLength(section === "managed_ruleset" ? 3 : 1);
});

const byId = { ruleset: "4814384a9e5d4991b9815dcfc25d2f1f" };
const byRule = { score_rule: "6179ae15870a4bb7b2d480d4843b323c" };
test.each<[number, string, object]>([
  [1, "the list, for a ruleset by its name", { paranoia_level: "PL2" }],
  [2, "the list and the ruleset, for its score", { action: "log" }],
  [2, "the list and the ruleset, for its rules", { disabled_rules: [] }],
  [1, "the list, for the account's own rules, with a ruleset by its id", { ...byId, paranoia_level: "PL2" }],
  [2, "the list and the ruleset, for the score of one by its id", { ...byId, action: "log" }],
  [1, "the list, for the account's own rules, with score_rule", { ...byRule, action: "log" }],
])("managed_ruleset costs %i requests for its account: %s", async (expected, _, managed_ruleset) => {
  const { ofZones, paths } = await costs({ "a.example.com": { ...located, managed_ruleset } });
  expect(ofZones).toEqual([2]);
  expect(paths.filter((each) => each.startsWith("/accounts/"))).toHaveLength(expected);
});

test("a zone with an id and no account costs one more lookup", async () => {
  const { paths } = await costs({ "a.example.com": { id: IDS["a.example.com"], ...SECTIONS } });
  expect(paths.filter((each) => each.startsWith("/zones?"))).toHaveLength(1);
  expect(paths).toHaveLength(8);
});

test.each(["service", "interface"] as const)(
  "fifty zones with ids and no account cost one page of the zone list (%s)",
  async (dialect) => {
    const names = Array.from({ length: 50 }, (_, n) => `z${String(n).padStart(2, "0")}.example.com`);
    const idOf = (name: string) => name.slice(1, 3).padStart(32, "0");
    const emulator = await createEmulator({
      dialect,
      seed: {
        account_id: ACCOUNT,
        zones: Object.fromEntries(names.map((name) => [name, { id: idOf(name) }])),
      },
    });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({});
    const body = { managed_ruleset: SECTIONS.managed_ruleset, settings: SECTIONS.settings };
    const zones = Object.fromEntries(names.map((name) => [name, { id: idOf(name), ...body }]));
    await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones }));
    const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
    const lookUps = () =>
      emulator.log.filter(({ path: each }) => /^\/zones(\?|$)/.test(each)).map((each) => each.path);
    expect((await plan(options)).document?.summary.create).toBe(50);
    expect(lookUps()).toHaveLength(1);
    // The same page checks the ids against their names, so no request is needed before the writes.
    expect((await apply(options)).report?.converged).toBe(true);
    expect(lookUps()).toHaveLength(2);
  },
);

test("unchecked zone ids are checked together before the first write", async () => {
  const emulator = await createEmulator({
    seed: {
      account_id: ACCOUNT,
      zones: Object.fromEntries(Object.entries(IDS).map(([name, id]) => [name, { id }])),
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const zones = Object.fromEntries(
    Object.entries(IDS).map(([name, id]) => [name, { id, settings: { enabled: true } }]),
  );
  await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones }));
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  expect((await apply(options)).report?.converged).toBe(true);
  const calls = emulator.log.map((each) => `${each.method} ${each.path.split("?")[0]}`);
  expect(calls.filter((each) => each === "GET /zones")).toHaveLength(1);
  expect(calls.indexOf("GET /zones")).toBeLessThan(calls.findIndex((each) => each.startsWith("PUT")));
});

test("a policy change costs 1 more request for the settings if the files do not declare them", async () => {
  const changing = async (sections: object) => {
    const seed = { zones: { "a.example.com": { id: IDS["a.example.com"], settings: { enabled: true } } } };
    const emulator = await createEmulator({ seed });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({});
    const zones = { "a.example.com": { ...located, policies: SECTIONS.policies, ...sections } };
    await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones }));
    const { document } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
    const paths = emulator.log.map((each) => each.path.replace(/\?.*/, ""));
    expect(document?.summary.requests).toBe(paths.length);
    return paths.map((each) => each.split("/").at(-1)).sort();
  };
  expect(await changing({})).toEqual(["page_shield", "policies", "scripts"]);
  expect(await changing({ settings: { enabled: true } })).toEqual(["page_shield", "policies", "scripts"]);
});
