import { describe, expect, test } from "vitest";
import { bucket } from "../emulator/logpush.js";
import { coreRuleId, executeId, skipId, wafId } from "../emulator/rulesets.js";
import { loadSdk, withoutSdk } from "../support/sdk.js";
import { policy } from "./calls/page-shield.js";
import { exception, logFields } from "./calls/rulesets.js";
import { all, connect, zone } from "./sdk-call.js";

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
    expect(await jobs.delete(id, zone)).toEqual({ id });
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
});
