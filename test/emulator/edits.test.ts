import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Edit, Emulator, Seed } from "../../src/emulator/index.js";
import { folderWith } from "../support/cli.js";
import { call, newPolicy, policyId, seed, shield, start, stored } from "./call.js";
import * as logpush from "./logpush.js";
import { executeId, sent, skip, skipId, storedWaf, wafId, without } from "./rulesets.js";

const zone = "shop.example" as const;
const phase = storedWaf.phase;
const rich: Seed = {
  ...seed,
  zones: { [zone]: { ...seed.zones[zone], rulesets: [storedWaf], logpush_jobs: [logpush.stored] } },
};
const begin = (options = {}) => start({ seed: rich, ...options });
const live = (emulator: Emulator) => emulator.state().zones[zone];
const rules = (emulator: Emulator) => live(emulator)?.rulesets?.[0]?.rules ?? [];

describe("an edit by another client", () => {
  test("changes settings and keeps unnamed ones", async () => {
    const emulator = await begin();
    emulator.edit({ edit: "settings", zone, set: { enabled: false } });
    expect(live(emulator)?.settings).toMatchObject({
      enabled: false,
      use_cloudflare_reporting_endpoint: true,
    });
  });

  test("adds, changes and removes policies, selected by any field", async () => {
    const emulator = await begin();
    emulator.edit({ edit: "policy", zone, add: { ...newPolicy, description: "Theirs" } });
    emulator.edit({ edit: "policy", zone, where: { description: "Checkout" }, set: { action: "log" } });
    expect(live(emulator)?.policies).toMatchObject([
      { id: policyId, action: "log", value: stored.value, note: "kept" },
      { description: "Theirs", action: "allow" },
    ]);
    emulator.edit({ edit: "policy", zone, where: { id: policyId }, remove: true });
    expect(live(emulator)?.policies?.map(({ description }) => description)).toEqual(["Theirs"]);
  });

  test("changes all objects without a selection", async () => {
    const emulator = await begin();
    emulator.edit({ edit: "policy", zone, add: newPolicy });
    expect(emulator.edit({ edit: "policy", zone, set: { enabled: false } })).toHaveLength(2);
    expect(live(emulator)?.policies).toMatchObject([{ enabled: false }, { enabled: false }]);
  });

  test("adds a rule at a position and increments the ruleset's version", async () => {
    const emulator = await begin();
    const add = { ...without(sent(skip), "id", "ref"), description: "Theirs" };
    emulator.edit({ edit: "rule", zone, phase, add: { ...add, position: { before: "" } } });
    expect(rules(emulator).map(({ description }) => description)[0]).toBe("Theirs");
    expect(live(emulator)?.rulesets?.[0]?.version).toBe(String(Number(storedWaf.version) + 1));
  });

  test("changes a rule and keeps its id, ref and other fields", async () => {
    const emulator = await begin();
    emulator.edit({ edit: "rule", zone, phase, where: { id: skipId }, set: { enabled: false } });
    const now = rules(emulator).find(({ id }) => id === skipId);
    const { version: _v, last_updated: _at, ...fields } = skip;
    expect(now).toMatchObject({ ...fields, enabled: false, version: "4" });
  });

  test("removes a rule or a whole ruleset", async () => {
    const emulator = await begin();
    emulator.edit({ edit: "rule", zone, phase, where: { id: executeId }, remove: true });
    expect(rules(emulator).map(({ id }) => id)).not.toContain(executeId);
    emulator.edit({ edit: "ruleset", zone, where: { id: wafId }, remove: true });
    expect(live(emulator)?.rulesets).toBeUndefined();
  });

  test("creates the entry point of a phase with its first rule", async () => {
    const emulator = await begin();
    const fields = {
      action: "log_custom_field",
      expression: "true",
      action_parameters: { cookie_fields: [{ name: "a" }] },
    };
    const of = { edit: "rule", zone, phase: "http_log_custom_fields" } as const;
    expect(emulator.edit({ ...of, remove: true })).toEqual([]);
    expect(emulator.edit({ ...of, add: fields })).toMatchObject([{ method: "PUT", status: 200 }]);
    expect(live(emulator)?.rulesets?.[1]).toMatchObject({ phase: of.phase, rules: [fields] });
  });

  test("never touches the account's managed rulesets", async () => {
    const emulator = await begin();
    expect(emulator.edit({ edit: "ruleset", zone, remove: true })).toHaveLength(1);
  });

  test.each(["service", "interface"] as const)(
    "removes log-push jobs in the %s dialect, even if clients may not",
    async (dialect) => {
      const emulator = await begin({ dialect });
      const jobs = live(emulator)?.logpush_jobs?.length ?? 0;
      expect(jobs).toBeGreaterThan(0);
      expect(emulator.edit({ edit: "logpush_job", zone, remove: true })).toHaveLength(jobs);
      expect(live(emulator)?.logpush_jobs).toBeUndefined();
    },
  );

  test("reports the API's refusal and changes nothing", async () => {
    const emulator = await begin();
    const before = emulator.state();
    const [told] = emulator.edit({ edit: "policy", zone, set: { action: "none" } });
    expect(told).toMatchObject({ method: "PUT", path: `${shield}/policies/${policyId}`, status: 400 });
    expect(told?.response).toMatchObject({ success: false });
    expect(emulator.state()).toEqual(before);
  });

  test("requires an existing zone and exactly one action", async () => {
    const emulator = await begin();
    const nowhere = () => emulator.edit({ edit: "policy", zone: "x.example", remove: true });
    expect(nowhere).toThrow("The emulator cannot make this edit.\nAn edit names the unknown zone x.example");
    const unclear = { edit: "policy", zone, remove: true, set: {} } as const;
    expect(() => emulator.edit(unclear)).toThrow("an edit needs exactly one of these: add, set, remove.");
  });
});

describe("a scheduled edit", () => {
  const off: Edit = { edit: "settings", zone, set: { enabled: false } };

  test("shows in the answer only if it is made before the request", async () => {
    for (const [when, seen] of [
      ["before", false],
      ["after", true],
    ] as const) {
      const strike = when === "before" ? { before: off } : { after: off };
      const emulator = await begin({ faults: { schedule: [{ nth: 2, ...strike }] } });
      const replies = [await call(emulator, "GET", shield), await call(emulator, "GET", shield)];
      expect(replies).toMatchObject([
        { body: { result: { enabled: true } } },
        { body: { result: { enabled: seen } } },
      ]);
      expect(live(emulator)?.settings?.enabled).toBe(false);
      expect(emulator.log[1]).toMatchObject({
        status: 200,
        tookEffect: false,
        edits: [{ when, edit: off, calls: [{ method: "PUT", path: shield, status: 200 }] }],
      });
    }
  });

  test("combines with a fault and with other edits, in order", async () => {
    const add = { edit: "policy", zone, add: newPolicy } as const;
    const schedule = [{ before: add }, { fault: "500-before" as const }, { after: off }, { before: off }];
    const emulator = await begin({ faults: { schedule } });
    expect((await call(emulator, "PUT", shield, { enabled: true })).status).toBe(500);
    expect(emulator.log).toMatchObject([
      {
        fault: "500-before",
        tookEffect: false,
        edits: [
          { when: "before", edit: add },
          { when: "before", edit: off },
          { when: "after", edit: off },
        ],
      },
    ]);
    expect([live(emulator)?.settings?.enabled, live(emulator)?.policies?.length]).toEqual([false, 2]);
  });

  test("is neither logged nor counted as a request", async () => {
    const schedule = [{ before: off }, { nth: 2, fault: "500-before" as const }];
    const emulator = await begin({ faults: { schedule } });
    for (let n = 0; n < 2; n += 1) await call(emulator, "GET", shield);
    expect(emulator.log.map(({ method, fault }) => [method, fault])).toEqual([
      ["GET", undefined],
      ["GET", "500-before"],
    ]);
  });

  test("is saved in the state file, as is a write whose answer was lost", async () => {
    const stateFile = path.join(await folderWith({}), "state.json");
    const schedule = [{ before: off }, { nth: 2, fault: "500-after" as const }];
    const emulator = await begin({ stateFile, faults: { schedule } });
    const kept = async () => JSON.parse(await readFile(stateFile, "utf8")).zones[zone];
    await call(emulator, "GET", shield);
    expect(await kept()).toMatchObject({ settings: { enabled: false } });
    await call(emulator, "DELETE", `${shield}/policies/${policyId}`);
    expect(await kept()).toMatchObject({ policies: [] });
  });

  test("with a chance is made on every hit", async () => {
    const rates = [
      { chance: 1, method: "GET" as const, after: { edit: "policy", zone, add: newPolicy } as const },
    ];
    const emulator = await begin({ faults: { rates } });
    for (let n = 0; n < 3; n += 1) await call(emulator, "GET", shield);
    expect(live(emulator)?.policies).toHaveLength(4);
  });
});
