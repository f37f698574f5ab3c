import { describe, expect, test } from "vitest";
import { folderWith, zoneward } from "../support/cli.js";
import { refusing, serving } from "../support/hostile-service.js";
import { ZONE_ID } from "../support/hostile-state.js";

const FILES = `version: 1
account_id: 023e105f4ecef8ad9ca31a8372d0c353
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: A, action: log, expression: "true", value: "script-src 'self'" }
    managed_ruleset: { score_threshold: high }
    custom_log_fields: { cookie_fields: [a] }
    logpush_jobs:
      - { name: a, dataset: http_requests, destination_conf: "\${secret:LOGS}", fields: [RayID] }
  blog.example.com: { settings: { enabled: true } }
  news.example.com: { settings: { enabled: false } }
  pinned.example.com:
    id: 353c8d1a7323a8d9ca50e4ef0135e023
    managed_ruleset: { score_rule: 6179ae15870a4bb7b2d480d4843b323c, action: log }
  other.example.com:
    id: 453c8d1a7323a8d9ca50e4ef0135e023
    custom_log_fields: { cookie_fields: [a] }
`;

async function permissions(files: string, ...args: string[]) {
  const cwd = await folderWith({ "zoneward.yaml": files });
  return zoneward(["permissions", "-q", ...args], { cwd, env: {} });
}

test("permissions lists the permissions for plan and apply offline, grouping zones with equal needs", async () => {
  const { code, out, err } = await permissions(FILES);
  expect([code, err]).toEqual([0, expect.stringContaining("warning: cookie_fields not in any log-push job")]);
  expect(out).toMatchInlineSnapshot(`
    "Zone permissions, for shop.example.com
      PLAN              APPLY              FOR
      Zone Read         Zone Read          finding the zone by name
      Page Shield Read  Page Shield Write  settings, policies
      Zone WAF Read     Zone WAF Write     managed_ruleset
      Logs Write        Logs Write         custom_log_fields, logpush_jobs

    Zone permissions, for blog.example.com, news.example.com
      PLAN              APPLY              FOR
      Zone Read         Zone Read          finding the zone by name
      Page Shield Read  Page Shield Write  settings

    Zone permissions, for pinned.example.com
      PLAN           APPLY           FOR
      Zone Read      Zone Read       checking the zone's id
      Zone WAF Read  Zone WAF Write  managed_ruleset

    Zone permissions, for other.example.com
      PLAN       APPLY       FOR
      Zone Read  Zone Read   checking the zone's id
      Logs Read  Logs Write  custom_log_fields

    Account permissions, for account 023e105f4ecef8ad9ca31a8372d0c353 of shop.example.com
      PLAN              APPLY             FOR
      Account WAF Read  Account WAF Read  managed_ruleset

    Account permissions, for account 023e105f4ecef8ad9ca31a8372d0c353 of pinned.example.com
      PLAN              APPLY             FOR
      Account WAF Read  Account WAF Read  managed_ruleset (optional: shows account rules that skip it)

    A Write group reads too: a token for apply needs no Read group.
    "
  `);
});

test("permissions prints the same as JSON", async () => {
  const { code, out } = await permissions(FILES, "--format", "json", "--zone", "shop.example.com");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchInlineSnapshot(`
    {
      "accounts": [
        {
          "account": "023e105f4ecef8ad9ca31a8372d0c353",
          "apply": [
            {
              "group": "Account WAF Read",
              "why": [
                "managed_ruleset",
              ],
            },
          ],
          "plan": [
            {
              "group": "Account WAF Read",
              "why": [
                "managed_ruleset",
              ],
            },
          ],
          "zones": [
            "shop.example.com",
          ],
        },
      ],
      "zones": [
        {
          "apply": [
            {
              "group": "Zone Read",
              "why": [
                "finding the zone by name",
              ],
            },
            {
              "group": "Page Shield Write",
              "why": [
                "settings",
                "policies",
              ],
            },
            {
              "group": "Zone WAF Write",
              "why": [
                "managed_ruleset",
              ],
            },
            {
              "group": "Logs Write",
              "why": [
                "custom_log_fields",
                "logpush_jobs",
              ],
            },
          ],
          "plan": [
            {
              "group": "Zone Read",
              "why": [
                "finding the zone by name",
              ],
            },
            {
              "group": "Page Shield Read",
              "why": [
                "settings",
                "policies",
              ],
            },
            {
              "group": "Zone WAF Read",
              "why": [
                "managed_ruleset",
              ],
            },
            {
              "group": "Logs Write",
              "why": [
                "custom_log_fields",
                "logpush_jobs",
              ],
            },
          ],
          "zones": [
            "shop.example.com",
          ],
        },
      ],
    }
  `);
});

test("permissions includes looking up the account if the files do not name it", async () => {
  const zone = "version: 1\nzones: { a.example.com: { id: ab, managed_ruleset: { action: log } } }\n";
  const { out } = await permissions(zone);
  expect(out).toContain("checking the zone's id, finding the zone's account");
  expect(out).toContain("Account permissions, for the account of a.example.com");
});

test("permissions only reports the errors of invalid files", async () => {
  const { code, out, err } = await permissions("version: 2\n");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("zoneward.yaml:1:10: error:");
});

describe("a refusal names the missing permission group", () => {
  const zone = `/zones/${ZONE_ID}`;
  const id = "023e105f4ecef8ad9ca31a8372d0c353";
  const all = {
    "/user/tokens/verify": { status: "active" },
    "/zones": [{ id: ZONE_ID, name: "shop.example.com", account: { id } }],
    [`${zone}/page_shield`]: { enabled: false },
    [`${zone}/page_shield/policies`]: [],
    [`${zone}/page_shield/scripts`]: [],
    [`${zone}/page_shield/connections`]: [],
    [`${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`]: {
      id: "0c",
      rules: [
        {
          id: "0d",
          action: "execute",
          expression: "true",
          action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" },
        },
      ],
    },
    [`${zone}/rulesets/phases/http_log_custom_fields/entrypoint`]: { id: "0a", rules: [] },
    [`/accounts/${id}/rulesets`]: [
      { id: "4814384a9e5d4991b9815dcfc25d2f1f", name: "Cloudflare OWASP Core Ruleset", kind: "managed" },
    ],
    "/accounts/023e105f4ecef8ad9ca31a8372d0c353/rulesets/4814384a9e5d4991b9815dcfc25d2f1f": {
      id: "4814384a9e5d4991b9815dcfc25d2f1f",
      rules: [{ id: "6179ae15870a4bb7b2d480d4843b323c", score_threshold: 40, action: "block" }],
    },
    [`${zone}/logpush/jobs`]: [],
  };
  const env = { LOGS: "https://logs.example/in" };

  test.each([
    ["/zones", "Zone Read"],
    [`${zone}/page_shield`, "Page Shield Read"],
    [`${zone}/page_shield/policies`, "Page Shield Read"],
    [`${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`, "Zone WAF Read"],
    ["/accounts/023e105f4ecef8ad9ca31a8372d0c353/rulesets", "Account WAF Read"],
    [
      "/accounts/023e105f4ecef8ad9ca31a8372d0c353/rulesets/4814384a9e5d4991b9815dcfc25d2f1f",
      "Account WAF Read",
    ],
    [`${zone}/rulesets/phases/http_log_custom_fields/entrypoint`, "Logs Read"],
    [`${zone}/logpush/jobs`, "Logs Write"],
  ])("GET %s: %s", async (path, group) => {
    const state = Object.fromEntries(Object.entries(all).filter(([each]) => each !== path));
    const service = await serving(state, refusing("no", 403));
    const cwd = await folderWith({ "zoneward.yaml": FILES });
    const run = ["plan", "--zone", "shop.example.com"];
    const { err } = await zoneward(run, { cwd, env: { ...service.env, ...env } });
    expect(err).toContain(`the permission group ${group}`);
  });

  test("Zone Read for the lookup of the account", async () => {
    const { "/zones": _, ...state } = all;
    const service = await serving(state, refusing("no", 403));
    const files = `version: 1\nzones: { shop.example.com: { id: ${ZONE_ID}, managed_ruleset: { action: log } } }\n`;
    const cwd = await folderWith({ "zoneward.yaml": files });
    const { err } = await zoneward(["plan"], { cwd, env: service.env });
    expect(err).toContain("the permission group Zone Read");
  });

  test.each([
    ["settings: { enabled: true }", "Page Shield Write"],
    ["managed_ruleset: { action: log }", "Zone WAF Write"],
    ["custom_log_fields: { cookie_fields: [a] }", "Logs Write"],
    [
      "logpush_jobs: [{ name: a, dataset: http_requests, destination_conf: https://a.example/, fields: [RayID] }]",
      "Logs Write",
    ],
  ])("a call for %s: %s", async (section, group) => {
    const service = await serving(all, refusing("no", 403));
    const files = `version: 1\nzones: { shop.example.com: { ${section} } }\n`;
    const cwd = await folderWith({ "zoneward.yaml": files });
    const { err, out } = await zoneward(["apply", "--yes"], { cwd, env: service.env });
    expect(out + err).toContain(`the permission group ${group}`);
  });
});
