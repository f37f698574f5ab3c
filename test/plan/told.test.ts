import { expect, test } from "vitest";
import { defaultService } from "../../src/config/schema.js";
import { plan } from "../../src/index.js";
import { checkProof } from "../../src/kinds/logpush-job/check.js";
import { policy } from "../../src/kinds/policy/index.js";
import { withoutBase } from "../../src/match/base.js";
import { NOWHERE } from "../../src/model/declared-zone.js";
import type { JsonObject } from "../../src/model/json.js";
import { budgeted } from "../../src/model/work-budget.js";
import { buildZonePlan, withinBudget } from "../../src/plan/build.js";
import { wordsOf } from "../../src/strength/shifts.js";
import { start } from "../emulator/call.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const zone = "shop.example.com";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const phase = "http_request_firewall_managed";

test("a ruleset is not deployed if its exceptions could not be read", async () => {
  const emulator = await start({ seed: { zones: { [zone]: {} } }, without: ["Account WAF Read"] });
  const own = { score_rule: "6179ae15870a4bb7b2d480d4843b323c", action: "block" };
  const exception = { description: "E", expression: 'http.host eq "a.example"', skip: ["Of the account"] };
  const body = { settings: { enabled: true }, managed_ruleset: own, managed_exceptions: [exception] };
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, zones: { [zone]: body } }) });
  const { document } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
  expect(document?.changes.map(({ kind }) => kind)).toEqual(["settings"]);
  expect(document?.zones[0]?.not_planned?.map(({ section, problem }) => [section, problem.code])).toEqual([
    ["managed_ruleset", "held_back"],
    ["managed_exceptions", "unauthorized"],
  ]);
});

test("an export says where to name unnamed objects", async () => {
  const rules = [
    { action: "skip", action_parameters: { ruleset: "current" }, expression: "ip.src eq 192.0.2.1" },
    { action: "execute", action_parameters: { id: CORE, version: "latest" }, expression: "true" },
  ];
  const emulator = await start({ seed: { zones: { [zone]: { rulesets: [{ phase, rules }] } } } });
  const { out } = await zoneward(["export", zone], { cwd: await folderWith({}), env: reaching(emulator) });
  expect(out).toContain("It has no description to identify it. Set one");
});

test("unknown values are described in words", () => {
  const why = "its enabled state is unknown";
  expect(wordsOf({ as: "unknown", is: '{"enabled":"perhaps"}', why })).toBe(`unknown, since ${why}`);
});

test.each<[JsonObject, "all" | readonly string[], string | null]>([
  [
    { name: "a b", destination_conf: "gs://bucket/logs" },
    "all",
    "'a b' --zone shop.example.com --yes -c zones",
  ],
  [
    { id: 7, dataset: "dns_logs", destination_conf: "sumo://x/y" },
    ["destination_conf"],
    "7 --dataset dns_logs",
  ],
  [{ name: "it's", destination_conf: "s3://bucket/logs?region=x" }, "all", "'it'\\''s' --zone"],
  [{ name: "a", destination_conf: "s3://bucket/logs?access-key-id=x" }, "all", null],
  [{ name: "a", destination_conf: "s3://bucket/logs?x=${secret:KEYS}" }, "all", null],
  [{ name: "a", destination_conf: "azure://logs?${secret:KEYS}" }, "all", "a --zone"],
  [{ name: "a", destination_conf: "gs://bucket/logs" }, ["enabled"], null],
  [{ name: "a", destination_conf: "gs://bucket/logs", ownership_challenge: "x" }, "all", null],
])("an ownership proof is requested only for destinations that need one: %j, %j", (job, sent, command) => {
  const found = checkProof(job, sent, { zone: "shop.example.com", config: ["zones"] });
  const told = command === null ? [] : [expect.stringContaining(`zoneward logpush challenge ${command}`)];
  expect(found.map(({ detail }) => detail)).toEqual(told);
});

test("expressions beyond the work limit are reported once, and nothing is called safe", () => {
  const bodies = Array.from({ length: 12 }, (_, n) => ({
    description: `P${n}`,
    action: "allow",
    enabled: true,
    expression: `http.request.uri.path matches "^/p${n}/[a-z0-9]+(foo|bar|baz)x{2,5}"`,
    value: "script-src 'self'",
  }));
  const declared = bodies.map((body, index) => ({ path: ["policies", index], body }));
  const wanted = { ...NOWHERE, name: "shop.example.com", sections: { policies: bodies } };
  const live = { items: [], context: null };
  const state = { kind: policy, declared, base: withoutBase(policy), live };
  const planned = () =>
    withinBudget(zone, () =>
      buildZonePlan({ wanted, place: { id: "0a" }, service: defaultService, requests: 1 }, [state]),
    );
  const toldIn = (made: ReturnType<typeof planned>) =>
    made.ok ? made.value.plan.problems.filter(({ code }) => code === "not_compared") : null;
  expect(toldIn(planned())).toEqual([]);
  const [first, again] = [1, 2].map(() => budgeted(zone, planned, 100_000).problems);
  expect(first).toEqual([expect.objectContaining({ severity: "warning" })]);
  expect(again).toEqual(first);
});
