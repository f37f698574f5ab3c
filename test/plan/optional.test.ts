import { describe, expect, test } from "vitest";
import { apply, drift, plan, type Seed } from "../../src/index.js";
import { start } from "../emulator/call.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const policy = {
  description: "P",
  action: "log",
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
};
const job = {
  name: "j",
  dataset: "http_requests",
  destination_conf: "${secret:LOGS}",
  fields: ["RayID"],
};
const wanted = { settings: { enabled: true }, policies: [policy], logpush_jobs: [job] };

async function world(live: Seed["zones"][string], body: object) {
  const emulator = await start({ seed: { zones: { [ZONE]: live } } });
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, zones: { [ZONE]: body } }) });
  const env = reaching(emulator);
  return {
    emulator,
    cwd,
    env,
    options: { cwd, environment: { ...env, LOGS: "https://logs.example/" }, rateLimit: "off" },
  };
}

const written = ({ writes }: Awaited<ReturnType<typeof start>>) =>
  writes().map(({ path }) => path.replace(/^\/zones\/\w+/, ""));

const codes = (problems: readonly { code: string; severity: string }[]) =>
  problems.map(({ code, severity }) => `${severity} ${code}`);

describe("an optional section that the zone's Cloudflare plan lacks", () => {
  test.each(["free", "pro", "business"] as const)("is not requested: %s", async (name) => {
    const { emulator, options } = await world(
      { plan: name },
      { ...wanted, optional: ["policies", "logpush_jobs"] },
    );
    const { report } = await apply(options);
    expect(report).toMatchObject({ converged: true });
    // Every Cloudflare plan includes log-push.
    expect(written(emulator)).toEqual(["/page_shield", "/logpush/jobs"]);
    for (const again of [plan, drift]) {
      const { document, problems } = await again(options);
      expect([document?.calls, document?.changes]).toEqual([[], []]);
      expect(codes(problems)).toEqual(["note not_entitled"]);
      expect(problems[0]?.detail).toMatch(/Cloudflare plan is ".* Website".*remove policies from optional/);
    }
  });

  test("is not requested for a zone pinned by id, which costs one lookup", async () => {
    const id = "1".repeat(32);
    const { emulator, options } = await world(
      { id, plan: "free" },
      { id, ...wanted, optional: ["policies", "logpush_jobs"] },
    );
    expect((await apply(options)).report).toMatchObject({ converged: true });
    expect((await plan(options)).document?.calls).toEqual([]);
    expect(written(emulator)).toEqual(["/page_shield", "/logpush/jobs"]);
    const looked = emulator.log.filter(({ path }) => path.startsWith("/zones?"));
    expect(looked).toHaveLength(2);
  });

  test("causes a warning if it is not optional", async () => {
    const { options } = await world({ plan: "free" }, { policies: [policy] });
    const { document, problems } = await plan(options);
    expect(document?.summary.create).toBe(1);
    expect(codes(problems)).toEqual(["warning not_entitled"]);
    expect(problems[0]?.detail).toMatch(/will probably refuse.*optional: \[policies\]/);
  });

  test("is requested if it is not optional, has live objects, or may be included", async () => {
    const required = await world({ plan: "free" }, { policies: [policy] });
    expect((await plan(required.options)).document?.summary.create).toBe(1);
    const has = await world(
      { plan: "free", policies: [{ ...policy, description: "Q" }] },
      { policies: [policy], optional: ["policies"] },
    );
    expect((await plan(has.options)).document?.summary.create).toBe(1);
    const may = await world({ plan: "enterprise" }, { policies: [policy], optional: ["policies"] });
    expect((await apply(may.options)).report?.converged).toBe(true);
  });

  test("is not mentioned if the files declare nothing in it", async () => {
    const { options } = await world(
      { plan: "free" },
      {
        policies: [],
        logpush_jobs: [{ name: "j", ensure: "absent" }],
        optional: ["policies", "logpush_jobs"],
      },
    );
    expect((await plan(options)).problems).toEqual([]);
  });

  test("is named by the key in the files", async () => {
    const ruleset = { ruleset: "Cloudflare Managed Ruleset", action: "log" };
    const { options } = await world({ plan: "free" }, { managed_rulesets: [ruleset] });
    const [problem] = (await plan(options)).problems;
    expect(problem?.detail).toMatch(/Remove managed_rulesets from .* optional: \[managed_rulesets\]/);
  });
});

test("doctor shows the sections that a zone's Cloudflare plan lacks", async () => {
  const { cwd, env } = await world({ plan: "free" }, wanted);
  const { code, out } = await zoneward(["doctor"], { cwd, env });
  expect([code, out]).toEqual([
    0,
    expect.stringContaining("settings 1, policies 0 (limit 0), logpush_jobs 0 (limit 4)"),
  ]);
});

test("doctor reports the reason once for sections that share a list of rules", async () => {
  const emulator = await start({ seed: { zones: { [ZONE]: {} } }, without: ["Zone WAF Read"] });
  const cwd = await folderWith({});
  const { err } = await zoneward(["doctor"], { cwd, env: reaching(emulator) });
  const phases = err.match(/http_\w+(?=\/entrypoint)/g);
  expect(phases).toEqual(["http_request_firewall_managed", "http_request_firewall_custom", "http_ratelimit"]);
});
