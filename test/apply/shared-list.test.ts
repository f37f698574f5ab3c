import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type Faults, plan } from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { quickFolder } from "./run.js";

const ZONE = "shop.example.com";
const PHASE = "http_request_firewall_managed";
const RULE = "b".repeat(32);
const CORE = {
  id: RULE,
  action: "execute",
  action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" },
  expression: "true",
  enabled: true,
};

/** A zone whose plan creates an exception and leaves the managed ruleset as it is. */
async function start(isDeployed: boolean, faults: Faults = {}) {
  const rulesets = isDeployed ? [{ phase: PHASE, rules: [CORE] }] : [];
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: { rulesets } } }, faults });
  onTestFinished(() => emulator.close());
  const zone = {
    managed_ruleset: isDeployed ? { enabled: true } : { ensure: "absent" },
    managed_exceptions: [{ description: "Uploads", skip: "all", expression: "true" }],
  };
  const cwd = await quickFolder(JSON.stringify({ version: 1, zones: { [ZONE]: zone } }));
  return { emulator, options: { cwd, environment: reaching(emulator), rateLimit: "off" } };
}

const inList = { edit: "rule", zone: ZONE, phase: PHASE } as const;
const switchedOff = { ...inList, where: { id: RULE }, set: { enabled: false } };

test("a saved plan of an exception is refused for the managed ruleset that changed in its list", async () => {
  const { emulator, options } = await start(true);
  const { document } = await plan(options);
  emulator.edit(switchedOff);
  const { report } = await apply({ ...options, plan: document ?? absurd() });
  expect(report?.zones[0]?.problems).toMatchObject([
    { code: "stale_live", detail: expect.stringContaining(`rules[${RULE}].enabled: true → false`) },
  ]);
  expect(report?.zones[0]?.problems[0]?.detail).toContain(`has changed: rule list "${PHASE}" (`);
});

test("an apply of an exception is refused for the managed ruleset that changed before its first write", async () => {
  const nth = 2; // The first read is the plan's.
  const { options } = await start(true, {
    schedule: [{ method: "GET", path: "*managed/entrypoint", nth, before: switchedOff }],
  });
  const { report } = await apply(options);
  expect(report?.zones[0]?.problems).toMatchObject([
    { code: "stale_live", detail: expect.stringContaining(`rules[${RULE}].enabled: true → false`) },
  ]);
});

test("a saved plan that creates the list is refused once another rule has created it", async () => {
  const { emulator, options } = await start(false);
  const { document } = await plan(options);
  const { id: _, ...add } = CORE;
  emulator.edit({ ...inList, add });
  const { report } = await apply({ ...options, plan: document ?? absurd() });
  expect(report?.zones[0]?.problems).toMatchObject([
    { code: "stale_live", detail: expect.stringContaining(`has changed: rule list "${PHASE}" was created`) },
  ]);
});

test("a changed exception that has the name of its phase is named as an exception", async () => {
  const skip = { id: "c".repeat(32), action: "skip", action_parameters: { ruleset: "current" } };
  const exception = { ...skip, description: PHASE, expression: "true", enabled: true };
  const rulesets = [{ phase: PHASE, rules: [exception] }];
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: { rulesets } } } });
  onTestFinished(() => emulator.close());
  const zone = { managed_exceptions: [{ description: PHASE, skip: "all", expression: "ssl" }] };
  const cwd = await quickFolder(JSON.stringify({ version: 1, zones: { [ZONE]: zone } }));
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  const { document } = await plan(options);
  emulator.edit({ ...inList, where: { id: skip.id }, set: { enabled: false } });
  const { report } = await apply({ ...options, plan: document ?? absurd() });
  expect(report?.zones[0]?.problems).toMatchObject([
    {
      code: "stale_live",
      detail: expect.stringContaining(`managed_exception "${PHASE}" (enabled: true → false`),
    },
  ]);
});

function absurd(): never {
  throw new Error("expected a plan");
}
