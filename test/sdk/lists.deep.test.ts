import { describe, expect, test } from "vitest";
import { detectionId, newPolicy, zoneId } from "../emulator/call.js";
import { stored as job } from "../emulator/logpush.js";
import { withoutSdk } from "../support/sdk.js";
import { all, connect, everything, zone } from "./sdk-call.js";

const shop = everything.zones["shop.example"];

function withShop(sections: object) {
  return { seed: { ...everything, zones: { "shop.example": { ...shop, ...sections } } } };
}

describe.skipIf(withoutSdk)("the iterators of the SDK", () => {
  test("find every zone once on all pages", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `z${index}.example`);
    const zones = Object.fromEntries(names.map((name) => [name, {}]));
    const { emulator, sdk } = await connect({ seed: { zones } });
    expect((await all(sdk.zones.list({ per_page: 5 }))).map(({ name }) => name)).toEqual(names);
    const pages = emulator.log.map(({ path }) => new URLSearchParams(path.split("?")[1]).get("page"));
    expect(pages).toEqual([null, "2", "3", "4"]);
  });

  test("find the zones of an account", async () => {
    const zones = { "a.example": {}, "b.example": { account_id: zoneId }, "c.example": {} };
    const { sdk } = await connect({ seed: { zones } });
    const found = await all(sdk.zones.list({ account: { id: zoneId } }));
    expect(found.map(({ name, account }) => [name, account.id])).toEqual([["b.example", zoneId]]);
  });

  test("find all policies in one call", async () => {
    const policies = Array.from({ length: 25 }, (_, index) => ({ ...newPolicy, description: `${index}` }));
    const { emulator, sdk } = await connect(withShop({ policies }));
    const found = await all(sdk.pageShield.policies.list(zone));
    expect(found.map(({ description }) => Number(description))).toEqual([...policies.keys()]);
    expect(found.every(({ enabled }) => enabled)).toBe(true);
    expect(emulator.log).toHaveLength(1);
  });

  test("find all jobs", async () => {
    const events = { ...job, id: 4712, dataset: "page_shield_events" };
    const { sdk } = await connect(withShop({ logpush_jobs: [job, events] }));
    const ids = (jobs: readonly ({ readonly id?: number } | null)[]) => jobs.map((each) => each?.id);
    expect(ids(await all(sdk.logpush.jobs.list(zone)))).toEqual([job.id, events.id]);
  });
});

describe.skipIf(withoutSdk)("detections listed by the SDK", () => {
  const [script] = shop.scripts;
  const later = { last_seen_at: "2026-01-03T00:00:00Z" };
  const other = { ...script, ...later, id: "6".repeat(32), hash: "6".repeat(64), host: "blog.shop.example" };
  const rare = {
    ...script,
    id: "7".repeat(32),
    hash: "7".repeat(64),
    status: "infrequent",
    js_integrity_score: 80,
  };
  const three = withShop({ scripts: [script, other, rare] });

  test("are active, and have no pages and versions", async () => {
    const { sdk } = await connect(three);
    const found = await all(sdk.pageShield.scripts.list(zone));
    expect(found.map(({ id, js_integrity_score: score }) => [id, score])).toEqual([
      [detectionId, 2],
      [other.id, 2],
    ]);
    expect(found.map(({ page_urls }) => page_urls)).toEqual([undefined, undefined]);
    const one = await sdk.pageShield.scripts.get(detectionId, zone);
    expect([one?.page_urls, one?.versions?.length]).toEqual([script?.page_urls, 1]);
  });

  test.each([
    ["those of a status", { status: "active,infrequent" }, [detectionId, other.id, rare.id]],
    ["those of a host", { hosts: "blog.*" }, [other.id]],
    ["one page, without requesting the next", { per_page: 1, page: "2" }, [other.id]],
  ])("are %s with a filter", async (_, query, ids) => {
    const { emulator, sdk } = await connect(three);
    const found = await all(sdk.pageShield.scripts.list({ ...zone, ...query }));
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(emulator.log).toHaveLength(1);
  });
});
