import { describe, expect, onTestFinished, test } from "vitest";
import {
  createEmulator,
  drift,
  type PlanDocument,
  type PlanOptions,
  plan,
  type Seed,
} from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { DASHBOARD_ADDRESS, inDashboard } from "../../src/model/dashboard.js";
import { checkPlan } from "../../src/plan/read-document.js";
import { folderWith, reaching } from "../support/cli.js";
import { fc } from "../support/random.js";

const ZONE = "shop.example.com";
const ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353";
const SECRET = "https://logs.example/in?header_Authorization=planted-secret";

const JOB = {
  id: 1,
  name: "a",
  dataset: "http_requests",
  enabled: true,
  destination_conf: "https://evil.example/in",
};

const SEED: Seed = {
  account_id: ACCOUNT,
  zones: {
    [ZONE]: {
      id: "a".repeat(32),
      settings: { enabled: true },
      policies: [
        {
          description: "Shop",
          action: "log",
          enabled: true,
          expression: "true",
          value: "script-src evil.example",
        },
        { description: "Theirs", action: "log", enabled: true, expression: "true", value: "font-src 'self'" },
      ],
      logpush_jobs: [JOB],
    },
  },
};

const fileWith = (value: string, expression: string) => `version: 1
zones:
  ${ZONE}:
    policies: [{ description: Shop, action: log, expression: '${expression}', value: "script-src ${value}" }]
    logpush_jobs: [{ name: a, dataset: http_requests, destination_conf: "\${secret:LOGS}" }]
`;

const BEFORE = fileWith("old.example", "true").replace("LOGS", "OLD");

async function planned(
  run: (options: PlanOptions) => Promise<{ readonly document: PlanDocument | null }>,
  now = fileWith("new.example", "true"),
): Promise<PlanDocument> {
  const emulator = await createEmulator({ seed: SEED });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": now });
  const base = await folderWith({ "zoneward.yaml": BEFORE });
  const environment = { ...reaching(emulator), LOGS: SECRET, OLD: `${SECRET}-old` };
  const { document } = await run({ cwd, environment, rateLimit: "off", base });
  if (document === null) throw new Error("there is a plan");
  return document;
}

describe.each([
  ["plan", plan],
  ["drift", drift],
] as const)("the document of a %s", (_, run) => {
  test("contains the base value of a field that was changed in the files and outside", async () => {
    const { changes } = await planned(run);
    const policy = changes.find(({ kind }) => kind === "policy");
    expect(policy?.fields).toMatchObject([
      {
        path: "value",
        before: "script-src evil.example",
        after: "script-src new.example",
        origin: "conflict",
      },
    ]);
    expect(policy?.fields[0]?.base).toBe("script-src old.example");
    expect(policy?.drift_dimensions?.map(({ effect, why }) => [effect, why])).toEqual([
      [policy?.drift_effect, expect.stringContaining("evil.example")],
    ]);
  });

  test("contains no base value of other fields", async () => {
    const { changes } = await planned(run, BEFORE);
    expect(changes.flatMap(({ fields }) => fields).length).toBeGreaterThan(0);
    expect(changes.flatMap(({ fields }) => fields).filter(({ base }) => base !== undefined)).toEqual([]);
  });

  test("contains no sensitive base value", async () => {
    const document = await planned(run);
    const job = document.changes.find(({ kind }) => kind === "logpush_job");
    expect(job?.fields).toMatchObject([{ path: "destination_conf", origin: "conflict" }]);
    expect(job?.fields[0]).not.toHaveProperty("base");
    expect(JSON.stringify(document)).not.toContain("planted-secret");
  });

  test("contains the address in the dashboard, with the account from the service", async () => {
    const { changes, unmanaged } = await planned(run);
    const below = `https://dash.cloudflare.com/${ACCOUNT}/${ZONE}`;
    expect(changes.map(({ kind, dashboard }) => [kind, dashboard])).toEqual([
      ["policy", `${below}/security/security-rules`],
      ["logpush_job", `${below}/analytics/logs`],
    ]);
    expect(unmanaged.map(({ key, dashboard }) => [key, dashboard])).toEqual([
      ["Theirs", `${below}/security/security-rules`],
    ]);
  });

  test("can be read without these fields and keeps its digest", async () => {
    const document = await planned(run);
    const changes = document.changes.map(({ dashboard: _, drift_dimensions: __, ...each }) => ({
      ...each,
      fields: each.fields.map(({ base: ___, ...rest }) => rest),
    }));
    const unmanaged = document.unmanaged.map(({ dashboard: _, ...each }) => each);
    const older = checkPlan("plan.json", { ...document, changes, unmanaged });
    expect(older.ok && older.value.digest).toBe(document.digest);
  });

  test("is refused if the address leads to another site", async () => {
    const document = await planned(run);
    const changes = document.changes.map((each) => ({ ...each, dashboard: "https://evil.example/" }));
    expect(checkPlan("plan.json", { ...document, changes })).toMatchObject({ ok: false });
  });
});

test("a plan without outside changes contains no dashboard address", async () => {
  const live = fileWith("evil.example", "true");
  const emulator = await createEmulator({ seed: SEED });
  onTestFinished(() => emulator.close());
  const section = (text: string) => text.slice(0, text.indexOf("    logpush_jobs"));
  const cwd = await folderWith({ "zoneward.yaml": section(fileWith("new.example", "true")) });
  const base = await folderWith({ "zoneward.yaml": section(live) });
  const { document } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off", base });
  expect(document?.changes).toMatchObject([{ key: "Shop", origin: "declared" }]);
  expect(document?.changes[0]).not.toHaveProperty("dashboard");
  expect(document?.changes[0]).not.toHaveProperty("drift_dimensions");
});

test("a drifted job with an unchanged destination is not reported as sending elsewhere", async () => {
  const emulator = await createEmulator({
    seed: {
      zones: { [ZONE]: { logpush_jobs: [{ ...JOB, output_options: { field_names: ["ClientIP"] } }] } },
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1
zones:
  ${ZONE}:
    logpush_jobs: [{ name: a, dataset: http_requests, destination_conf: "\${secret:LOGS}", fields: [ClientIP, RayID] }]
`,
  });
  const environment = { ...reaching(emulator), LOGS: JOB.destination_conf };
  const { document } = await drift({ cwd, environment, rateLimit: "off" });
  const [change] = document?.changes ?? [];
  expect(change?.drift_effect).toBe("weakens");
  expect(change?.drift_dimensions?.map(({ why }) => why)).toEqual([expect.stringContaining("RayID")]);
});

describe("an address in the dashboard", () => {
  const ADDRESS = new RegExp(DASHBOARD_ADDRESS);

  test.each<[string, string | undefined, string]>([
    ["shop.example.com", ACCOUNT, `${ACCOUNT}/shop.example.com`],
    ["xn--bcher-kva.example", ACCOUNT, `${ACCOUNT}/xn--bcher-kva.example`],
    ["shop.example.com", undefined, "?to=/:account/:zone"],
    ["bücher.example", ACCOUNT, "?to=/:account/:zone"],
    ["shop.example.com/../../x", ACCOUNT, "?to=/:account/:zone"],
    ["..", ACCOUNT, "?to=/:account/:zone"],
    ["a.example?x", ACCOUNT, "?to=/:account/:zone"],
    ["shop.example.com", "../evil", "?to=/:account/:zone"],
    ["shop.example.com", `${ACCOUNT}\n`, "?to=/:account/:zone"],
  ])("of %j in the account %j", (zone, account, below) => {
    expect(inDashboard("security/settings", zone, account)).toBe(
      `https://dash.cloudflare.com/${below}/security/settings`,
    );
  });

  test("is allowed by the schema for any name of the zone and the account", () => {
    const name = fc.oneof(fc.string(), fc.domain());
    fc.assert(
      fc.property(
        name,
        fc.option(fc.oneof(name, fc.constant(ACCOUNT)), { nil: undefined }),
        (zone, account) => {
          for (const { service } of kinds)
            expect(inDashboard(service.dashboard, zone, account)).toMatch(ADDRESS);
        },
      ),
    );
  });
});
