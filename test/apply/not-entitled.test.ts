import { describe, expect, test } from "vitest";
import { apply, type PlanChoice, type ZoneSeed } from "../../src/index.js";
import { start } from "../emulator/call.js";
import { folderWith, zoneward } from "../support/cli.js";

const zone = "shop.example.com";
const policies = ["A", "B", "C", "D", "E", "F"].map((description) => ({
  description,
  action: "log",
  expression: "true",
  value: `script-src 'self' ${description.toLowerCase()}.example`,
}));
const job = { name: "logs", dataset: "dns_logs", destination_conf: "https://logs.example/in" };

/**
 * @param plan null: none, and no room for a log-push job
 * @param live a zone that has some of what its plan does not include may have more: that shows when it is written
 */
async function applied(plan: PlanChoice["plan"] | null, body: object, live: ZoneSeed = {}) {
  const rights = plan === null ? { logpushJobLimit: 0 } : { plans: [{ plan }] };
  const emulator = await start({ seed: { zones: { [zone]: live } }, ...rights });
  const file = JSON.stringify({ version: 1, zones: { [zone]: body } });
  const cwd = await folderWith({ "zoneward.yaml": file });
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
  const { report } = await apply({ cwd, environment, rateLimit: "off" });
  const again = () => zoneward(["apply", "--yes", "-q"], { cwd, env: environment });
  return { report, problems: report?.zones.flatMap((each) => each.problems) ?? [], emulator, again };
}

describe("a plan without content security rules", () => {
  test("is named with the numbers of the refusal, and no permission is asked for", async () => {
    const { report, problems } = await applied("free", { policies: policies.slice(0, 2) });
    expect(report).toMatchObject({ converged: false, summary: { done: 0, failed: 1, not_started: 1 } });
    expect(problems).toMatchObject([
      {
        code: "not_entitled",
        severity: "error",
        summary: "The zone's Cloudflare plan has no content security rules",
      },
    ]);
    expect(problems[0]?.detail).toContain("1 out of 0");
    expect(problems[0]?.detail).toContain("optional: [policies]");
    expect(problems[0]?.detail).not.toContain("permission group");
  });

  test("is noted where the files list it as optional, and the rest of the zone is carried out", async () => {
    const settings = { enabled: true };
    const [live, ...others] = policies.map((each) => ({ ...each, enabled: true }));
    const body = { policies: others, settings, optional: ["policies"] };
    const { report, problems, emulator, again } = await applied("free", body, {
      policies: live === undefined ? [] : [live],
    });
    expect(report).toMatchObject({ converged: true, summary: { done: 1, failed: 1, not_started: 4 } });
    expect(problems).toMatchObject([{ code: "not_entitled", severity: "note" }]);
    expect(emulator.state().zones[zone]?.settings).toMatchObject({ enabled: true });
    // Nothing that can be read tells: it is tried again, and said how that ends.
    const { code, out, err } = await again();
    expect([code, out]).toEqual([
      0,
      expect.stringContaining("1 zone as declared, limited by its Cloudflare plan."),
    ]);
    expect(err).toContain("policies: null in the zone removes what a template or the defaults declare");
  });
});

test("a full quota is named with its numbers and its limit, optional or not", async () => {
  const { report, problems } = await applied("enterprise", { policies, optional: ["policies"] });
  expect(report).toMatchObject({ converged: false, summary: { done: 5, failed: 1 } });
  expect(problems).toMatchObject([{ code: "quota_full", severity: "error" }]);
  expect(problems[0]?.detail).toContain("6 out of 5");
  expect(problems[0]?.detail).toContain("service.limits.policies: 5");
});

test("a zone that may have no log-push job is told from one with as many as it may have", async () => {
  const none = await applied(null, { logpush_jobs: [job] });
  expect(none.problems).toMatchObject([
    { code: "not_entitled", summary: "The zone's Cloudflare plan has no log-push jobs" },
  ]);
  expect(none.problems[0]?.detail).not.toContain("replace_with_gap");
});
