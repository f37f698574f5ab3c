import { expect, test } from "vitest";
import { createEmulator, type Faults, type Seed } from "../../src/index.js";
import { applyIn, quickFolder } from "./run.js";

const ZONE = "shop.example.com";
const WAF = "http_request_firewall_managed";
const LISTS = "*/rulesets/*";

const theirs = { action: "skip", action_parameters: { ruleset: "current" }, expression: "true" };

/** What a list has makes its new rule a call that replaces it whole. */
const withList: Seed = {
  zones: { [ZONE]: { rulesets: [{ phase: WAF, rules: [{ ...theirs, description: "Theirs" }] }] } },
};

test("a list is read again before its replacement is repeated because the service asked for a pause", async () => {
  const { report, calls } = await applied(withList, "managed_ruleset: { action: log }", {
    schedule: [{ method: "PUT", path: LISTS, fault: "429-seconds", seconds: 60 }],
  });
  expect(report?.converged).toBe(true);
  expect(calls.filter((call) => call.includes("/rulesets/")).slice(-5, -1)).toEqual([
    expect.stringContaining("GET"),
    expect.stringMatching(/^PUT .* 429$/),
    expect.stringContaining("GET"),
    expect.stringMatching(/^PUT .* 200$/),
  ]);
});

test("what somebody else adds to a list during the pause before a repetition is not lost", async () => {
  const add = { ...theirs, description: "Added meanwhile" };
  const { report, calls, rules } = await applied(withList, "managed_ruleset: { action: log }", {
    schedule: [
      { method: "PUT", path: LISTS, fault: "429-seconds", seconds: 60 },
      { method: "PUT", path: LISTS, after: { edit: "rule", zone: ZONE, phase: WAF, add } },
    ],
  });
  expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["stale_live"]);
  expect(calls.filter((call) => call.startsWith("PUT"))).toHaveLength(1);
  expect(rules).toEqual(["Theirs", "Added meanwhile"]);
});

test("a call that fails when it is sent again may have taken effect before, and its problem says so", async () => {
  const policy = { action: "log", enabled: true, expression: "true", value: "script-src 'self'" };
  const { report } = await applied(
    { zones: { [ZONE]: { policies: [{ description: "Old", ...policy }] } } },
    "policies: [{ description: Old, ensure: absent }]",
    {
      schedule: [1, 2].map((nth) => ({ method: "DELETE", fault: "truncated", nth })),
    },
  );
  const [outcome] = report?.outcomes ?? [];
  expect(outcome?.status).toBe("failed");
  expect(outcome?.problem?.detail).toContain("It was sent before, without a clear answer");
});

async function applied(seed: Seed, section: string, faults: Faults) {
  const emulator = await createEmulator({ seed, faults });
  try {
    const cwd = await quickFolder(`version: 1\nzones:\n  ${ZONE}:\n    ${section}\n`);
    const { report } = await applyIn(cwd, emulator);
    const { rulesets = [] } = emulator.state().zones[ZONE] ?? {};
    return {
      report,
      calls: emulator.log.map(({ method, path, status }) => `${method} ${path} ${status}`),
      rules: rulesets.flatMap(({ rules = [] }) => rules.map(({ description }) => description)),
    };
  } finally {
    await emulator.close();
  }
}
