import { expect, onTestFinished, test } from "vitest";
import { createEmulator, plan } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

test("a plan takes few seconds for thousands of unknown rule ids in one line", async () => {
  const execute = { action: "execute", action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" } };
  const phase = "http_request_firewall_managed";
  const rulesets = [{ kind: "zone" as const, phase, rules: [{ ...execute, expression: "true" }] }];
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": { rulesets } } } });
  onTestFinished(() => emulator.close());
  const ids = Array.from({ length: 10_000 }, (_, n) => n.toString(16).padStart(32, "0"));
  const zones = { "shop.example.com": { managed_ruleset: { disabled_rules: ids } } };
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, zones }) });
  const before = process.cpuUsage();
  const planned = await plan({ cwd, environment: reaching(emulator) });
  const { user } = process.cpuUsage(before);
  expect(planned.problems.filter(({ code }) => code === "unknown_rule")).toHaveLength(10_000);
  expect(user / 1e6).toBeLessThan(6);
}, 120_000);
