import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type Edit, type PlanDocument } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

/** Custom rules, rate limits and zone settings, and what is done to them outside the files, object by object. */

const ZONE = "shop.example.com";

const FILE = `version: 1
zones:
  ${ZONE}:
    custom_rules:
      # partners first
      - { description: Partners, expression: "ip.src in {192.0.2.0/24}", action: skip, skip: { phases: [http_ratelimit] } }
      - { description: Old API, expression: 'starts_with(http.request.uri.path, "/v1/")', action: block } # gone since May
      - { description: Robots, expression: cf.client.bot, action: managed_challenge }
    rate_limits:
      - { description: Logins, expression: 'http.request.uri.path eq "/login"', characteristics: [ip.src], period: 60, requests_per_period: 10, mitigation_timeout: 600, action: block }
      - { description: Search, expression: 'http.request.uri.path eq "/search"', characteristics: [ip.src], period: 10, requests_per_period: 50, mitigation_timeout: 10, action: managed_challenge }
    zone_settings:
      ssl: strict # agreed
      min_tls_version: "1.2"
`;

const CUSTOM = { edit: "rule", zone: ZONE, phase: "http_request_firewall_custom" } as const;
const RATE = { edit: "rule", zone: ZONE, phase: "http_ratelimit" } as const;
const looser = {
  characteristics: ["cf.colo.id", "ip.src"],
  period: 60,
  requests_per_period: 100,
  mitigation_timeout: 600,
};

const EDITS: readonly Edit[] = [
  { ...CUSTOM, where: { description: "Old API" }, set: { action: "log" }, by: "alice@example.com" },
  { ...CUSTOM, where: { description: "Robots" }, remove: true, by: "bob@example.com" },
  { ...CUSTOM, add: { description: "Extra", expression: "ssl", action: "block" }, by: "carol@example.com" },
  { ...RATE, where: { description: "Logins" }, set: { ratelimit: looser }, by: "dave@example.com" },
  { ...RATE, where: { description: "Search" }, remove: true, by: "erin@example.com" },
  { edit: "zone_settings", zone: ZONE, set: { ssl: "flexible" }, by: "frank@example.com" },
];

async function story(edits: readonly Edit[]) {
  const emulator = await createEmulator({ dialect: "service", seed: { zones: { [ZONE]: {} } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": FILE });
  const run = (...args: readonly string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const apply = async (...args: readonly string[]) => {
    const { code, err } = await run("apply", "--yes", "-q", ...args);
    expect(code, err).toBe(0);
  };
  await apply();
  for (const edit of edits) for (const { status } of emulator.edit(edit)) expect(status).toBeLessThan(300);
  const live = () => {
    const { rulesets = [], zone_settings: settings } = emulator.state().zones[ZONE] ?? {};
    const rules = rulesets.flatMap(({ rules: all = [] }) => all);
    return {
      rules: rules.map(({ id: _, ref: __, version: ___, last_updated: ____, ...rule }) => rule),
      settings,
    };
  };
  return { emulator, cwd, run, apply, live };
}

test("drift --who names who changed, deleted or added each", async () => {
  const { run } = await story(EDITS);
  const { out } = await run("drift", "--who", "--format", "json");
  const { changes, unmanaged } = JSON.parse(out) as PlanDocument;
  const who = [...changes, ...unmanaged].map(({ key, who: found }) => [
    key,
    found?.by.map((each) => each.who),
  ]);
  expect(Object.fromEntries(who)).toEqual({
    "Old API": ["alice@example.com"],
    Robots: ["bob@example.com"],
    Extra: ["carol@example.com"],
    Logins: ["dave@example.com"],
    Search: ["erin@example.com"],
    zone_settings: ["frank@example.com"],
  });
});

test("drift --who names who may have moved a rule", async () => {
  const { run } = await story([
    {
      ...CUSTOM,
      where: { description: "Robots" },
      set: { position: { before: "" } },
      by: "alice@example.com",
    },
  ]);
  const { out } = await run("drift", "--who", "--format", "json");
  const { changes } = JSON.parse(out) as PlanDocument;
  expect(changes.map(({ key, who }) => [key, who?.by[0]?.who])).toEqual([["Robots", "alice@example.com"]]);
});

test.each<[only: string, changed: readonly string[]]>([
  ["custom_rule/Old*", ["Old API"]],
  ["custom_rule/Robots", ["Robots"]],
  ["rate_limit/Logins", ["Logins"]],
  ["rate_limit", ["Logins", "Search"]],
  ["zone_settings", ["zone_settings"]],
])("apply --only %s changes nothing else", async (only, changed) => {
  const { run, apply } = await story(EDITS);
  const open = async () => {
    const { changes } = JSON.parse((await run("plan", "--format", "json")).out) as PlanDocument;
    return changes.map(({ key }) => key).toSorted();
  };
  const before = await open();
  await apply("--only", only);
  expect(await open()).toEqual(before.filter((key) => !changed.includes(key)));
});

test("adopt writes what was done into the file, in its style", async () => {
  const { run, cwd } = await story(EDITS);
  const { code, err } = await run("adopt");
  expect(code, err).toBe(0);
  const lines = (text: string) => text.split("\n");
  const text = await readFile(path.join(cwd, "zoneward.yaml"), "utf8");
  expect(lines(text)).toEqual(
    lines(FILE)
      .filter((line) => !/Robots|Search/.test(line))
      .map((line) =>
        line
          .replace("action: block } # gone", "action: log } # gone")
          .replace("requests_per_period: 10,", "requests_per_period: 100,")
          .replace("strict # agreed", "flexible # agreed"),
      ),
  );
  const drift = JSON.parse((await run("drift", "--format", "json")).out) as PlanDocument;
  expect([drift.changes, drift.unmanaged.map(({ key }) => key)]).toEqual([[], ["Extra"]]);
});

test("rollback takes back all that an apply created", async () => {
  const { run, live } = await story([]);
  const { code, out, err } = await run("rollback", "--last", "--yes");
  expect([code, out]).toEqual([0, expect.stringContaining("1 zone as before.\n")]);
  expect(err).not.toContain("changed since");
  expect(live().rules).toEqual([]);
});

test("rollback takes back what an apply changed, deleted and moved", async () => {
  const { run, live, apply, cwd } = await story([]);
  const before = live();
  await writeFile(
    path.join(cwd, "zoneward.yaml"),
    `version: 1
zones:
  ${ZONE}:
    prune: [custom_rules, rate_limits]
    custom_rules:
      - { description: Old API, expression: 'starts_with(http.request.uri.path, "/v1/")', action: log }
      - { description: Partners, expression: "ip.src in {192.0.2.0/24}", action: skip, skip: { phases: [http_ratelimit] } }
    rate_limits:
      - { description: Logins, expression: 'http.request.uri.path eq "/login"', characteristics: [http.host], period: 60, score_per_period: 5, score_response_header_name: x-score, counting_expression: http.response.code eq 401, requests_to_origin: true, mitigation_timeout: 0, action: managed_challenge }
    zone_settings: { ssl: "off", min_tls_version: "1.0" }
`,
  );
  await apply("--allow", "prune_all");
  expect(live()).not.toEqual(before);
  const { code, out, err } = await run("rollback", "--last", "--yes");
  expect([code, out], err).toEqual([0, expect.stringContaining("1 zone as before.\n")]);
  expect(live()).toEqual(before);
});

test("rollback leaves what was changed since", async () => {
  const { run, live } = await story(EDITS);
  const { code, err } = await run("rollback", "--last", "--yes");
  expect(code).toBe(0);
  const said = err.replace(/\s+/g, " ");
  expect(said).toContain(
    'custom_rule "Old API" in shop.example.com, and it was changed since: action is "log"',
  );
  expect(said).toContain(
    'rate_limit "Logins" in shop.example.com, and it was changed since: requests_per_period is 100, and was created with 10. If',
  );
  expect(said).toContain('these changes stay: ssl is "flexible", and was "full" before the apply.');
  expect(live().rules.map(({ description }) => description)).toEqual(["Old API", "Extra", "Logins"]);
  expect(live().settings?.values?.ssl).toBe("flexible");
});
