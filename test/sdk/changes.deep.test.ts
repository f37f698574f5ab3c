import { describe, expect, test } from "vitest";
import { bucket } from "../emulator/logpush.js";
import { coreRuleId, executeId, scoreRuleId, skipId, wafId } from "../emulator/rulesets.js";
import { loadSdk, type Sdk, withoutSdk } from "../support/sdk.js";
import { policy } from "./calls/page-shield.js";
import { exception, logFields, threshold } from "./calls/rulesets.js";
import { account, all, connect, zone } from "./sdk-call.js";

const requests = "http_request_firewall_managed";

describe.skipIf(withoutSdk)("a change by the SDK", () => {
  test("to the settings is stored and keeps unnamed settings", async () => {
    const { sdk } = await connect();
    const { updated_at: before } = (await sdk.pageShield.get(zone)) ?? {};
    const { updated_at: after, ...changed } = await sdk.pageShield.update({ ...zone, enabled: false });
    const settings = { use_cloudflare_reporting_endpoint: true, use_connection_url_path: false };
    expect(changed).toEqual({ enabled: false, ...settings });
    expect(after).not.toBe(before);
    expect(await sdk.pageShield.get(zone)).toEqual({ ...changed, updated_at: after });
  });

  test("can create, update and delete a policy", async () => {
    const { sdk } = await connect();
    const { policies } = sdk.pageShield;
    const created = await policies.create({ ...zone, ...policy, description: "Mine", enabled: false });
    const id = created?.id ?? "";
    expect(await policies.get(id, zone)).toEqual(created);
    const updated = await policies.update(id, { ...zone, enabled: true });
    expect(updated).toMatchObject({ ...policy, id, description: "Mine", enabled: true });
    expect((await all(policies.list(zone))).at(-1)).toEqual(updated);
    await policies.delete(id, zone);
    expect((await all(policies.list(zone))).map(({ description }) => description)).toEqual(["Checkout"]);
  });

  test("can create, update and delete a log-push job", async () => {
    const { sdk } = await connect();
    const { jobs } = sdk.logpush;
    const destination_conf = "https://logs.example.com/mine";
    const created = await jobs.create({ ...zone, destination_conf, name: "mine" });
    const id = created?.id ?? 0;
    expect([created?.dataset, created?.enabled, created?.kind]).toEqual(["http_requests", false, ""]);
    const output_options = { field_names: ["RayID"] };
    const updated = await jobs.update(id, { ...zone, enabled: true, output_options });
    expect([updated?.enabled, updated?.name]).toEqual([true, "mine"]);
    expect(updated?.output_options).toEqual(output_options);
    expect(await jobs.get(id, zone)).toEqual(updated);
    expect(await sdk.logpush.validate.destinationExists({ ...zone, destination_conf })).toEqual({
      exists: true,
    });
    expect(await jobs.delete(id, zone)).toEqual({ id });
    expect(await sdk.logpush.validate.destinationExists({ ...zone, destination_conf })).toEqual({
      exists: false,
    });
  });

  test("can create a job for a bucket after the ownership proof", async () => {
    const { sdk } = await connect();
    const { ownership, jobs } = sdk.logpush;
    const job = { ...zone, destination_conf: bucket };
    await expect(jobs.create(job)).rejects.toThrow("ownership_challenge is required");
    const challenge = await ownership.create(job);
    // The emulator uses the file's name as the file's content.
    const token = challenge?.filename?.split("/").at(-1)?.replace(".txt", "") ?? "";
    expect(await ownership.validate({ ...job, ownership_challenge: "other" })).toEqual({ valid: false });
    expect(await ownership.validate({ ...job, ownership_challenge: token })).toEqual({ valid: true });
    const created = await jobs.create({ ...job, ownership_challenge: token });
    expect(created?.destination_conf).toBe(bucket);
    expect(created).not.toHaveProperty("ownership_challenge");
  });
});

describe.skipIf(withoutSdk)("a change of rulesets by the SDK", () => {
  test("can create a zone's ruleset through the entry point of its phase", async () => {
    const { sdk } = await connect();
    const phase = "http_log_custom_fields";
    const { NotFoundError } = await loadSdk();
    await expect(sdk.rulesets.phases.get(phase, zone)).rejects.toBeInstanceOf(NotFoundError);
    await sdk.rulesets.phases.update(phase, { ...zone, rules: [logFields] });
    const { id, kind, name, rules } = await sdk.rulesets.phases.get(phase, zone);
    expect([kind, name, rules.map(({ action }) => action)]).toEqual([
      "zone",
      "default",
      ["log_custom_field"],
    ]);
    expect((await all(sdk.rulesets.list(zone))).some((each) => each.id === id)).toBe(true);
    await sdk.rulesets.delete(id, zone);
    await expect(sdk.rulesets.get(id, zone)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("can change an account's own ruleset, and no managed one", async () => {
    const { sdk } = await connect();
    const created = await sdk.rulesets.create({
      ...account,
      name: "Ours",
      kind: "custom",
      phase: requests,
      rules: [],
    });
    const id = idOf(created);
    await sdk.rulesets.update(id, { ...account, description: "Exceptions", rules: [exception] });
    const { version, rules } = await sdk.rulesets.get(id, account);
    expect([version, rules.map(({ expression }) => expression)]).toEqual(["2", [exception.expression]]);
    const { BadRequestError } = await loadSdk();
    const managed = threshold.action_parameters.id;
    await expect(sdk.rulesets.delete(managed, account)).rejects.toBeInstanceOf(BadRequestError);
    const { rules: managedRules } = await sdk.rulesets.get(managed, account);
    expect(managedRules.at(-1)).toMatchObject({ id: scoreRuleId, score_threshold: 40 });
  });

  test("can add a rule at a position, redefine, move and remove it", async () => {
    const { sdk } = await connect();
    const { rules } = sdk.rulesets;
    const order = async () => (await sdk.rulesets.get(wafId, zone)).rules.map(({ id }) => id);
    const one = { ...zone, ruleset_id: wafId };
    await rules.create(wafId, { ...zone, ...exception, ref: "health", position: { before: executeId } });
    const added = (await sdk.rulesets.get(wafId, zone)).rules.find(({ ref }) => ref === "health")?.id ?? "";
    expect(await order()).toEqual([skipId, added, executeId, coreRuleId]);
    await rules.edit(added, { ...one, ...exception, ref: "health", enabled: false, position: { after: "" } });
    expect(await order()).toEqual([skipId, executeId, coreRuleId, added]);
    expect((await sdk.rulesets.get(wafId, zone)).rules.at(-1)).toMatchObject({
      enabled: false,
      ref: "health",
    });
    await rules.delete(added, one);
    expect(await order()).toEqual([skipId, executeId, coreRuleId]);
  });

  const dryRuns: readonly [what: string, call: (sdk: Sdk) => Promise<unknown>][] = [
    ["a replacement of rules", (sdk) => sdk.rulesets.update(wafId, { ...zone, rules: [], dry_run: true })],
    ["a deletion", (sdk) => sdk.rulesets.delete(wafId, { ...zone, dry_run: true })],
    ["a new rule", (sdk) => sdk.rulesets.rules.create(wafId, { ...zone, ...exception, dry_run: true })],
    [
      "a removed rule",
      (sdk) => sdk.rulesets.rules.delete(skipId, { ...zone, ruleset_id: wafId, dry_run: true }),
    ],
  ];
  test.each(dryRuns)("stores nothing in a dry run of %s", async (_, call) => {
    const { emulator, sdk } = await connect();
    const before = JSON.stringify(emulator.state());
    expect(await call(sdk)).toBeNull();
    expect(emulator.log.at(-1)?.path).toContain("dry_run=true");
    expect(JSON.stringify(emulator.state())).toBe(before);
  });
});

function idOf(created: unknown): string {
  return typeof created === "object" && created !== null && "id" in created ? String(created.id) : "";
}
