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
 * @param plan null: the zone's Cloudflare plan is unknown and allows no log-push job
 * @param live objects beyond the Cloudflare plan, which show that the zone may have more: only a write tells
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

describe("a Cloudflare plan without content security rules", () => {
  test("is reported with the numbers of the refusal, and without asking for a permission", async () => {
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

  test("is only noted if the files list the section as optional, and the rest of the zone is applied", async () => {
    const settings = { enabled: true };
    const [live, ...others] = policies.map((each) => ({ ...each, enabled: true }));
    const body = { policies: others, settings, optional: ["policies"] };
    const { report, problems, emulator, again } = await applied("free", body, {
      policies: live === undefined ? [] : [live],
    });
    expect(report).toMatchObject({ converged: true, summary: { done: 1, failed: 1, not_started: 4 } });
    expect(problems).toMatchObject([{ code: "not_entitled", severity: "note" }]);
    expect(emulator.state().zones[zone]?.settings).toMatchObject({ enabled: true });
    // No read shows the limit, so the next apply tries again and reports the outcome.
    const { code, out, err } = await again();
    expect([code, out]).toEqual([
      0,
      expect.stringContaining("1 zone as declared, limited by its Cloudflare plan."),
    ]);
    expect(err).toContain("policies: null in the zone removes what a template or the defaults declare");
  });
});

test("reports a full quota with its numbers and its limit, even for an optional section", async () => {
  const { report, problems } = await applied("enterprise", { policies, optional: ["policies"] });
  expect(report).toMatchObject({ converged: false, summary: { done: 5, failed: 1 } });
  expect(problems).toMatchObject([{ code: "quota_full", severity: "error" }]);
  expect(problems[0]?.detail).toContain("6 out of 5");
  expect(problems[0]?.detail).toContain("service.limits.policies: 5");
});

test("distinguishes a zone without log-push jobs from one with a full quota", async () => {
  const none = await applied(null, { logpush_jobs: [job] });
  expect(none.problems).toMatchObject([
    { code: "not_entitled", summary: "The zone's Cloudflare plan has no log-push jobs" },
  ]);
  expect(none.problems[0]?.detail).not.toContain("replace_with_gap");
});
