import { describe, expect, test } from "vitest";
import { drift, plan, type Seed } from "../../src/index.js";
import { start } from "../emulator/call.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const zone = "shop.example.com";
const ID = "1".repeat(32);

async function world(live: Seed["zones"][string], body: object = {}, others: Seed["zones"] = {}) {
  const seed = { zones: { [zone]: { id: ID, ...live }, ...others } };
  const emulator = await start({ seed });
  const names = Object.keys(others).map((name) => [name, { settings: { enabled: true } }]);
  const zones = { [zone]: { settings: { enabled: true }, ...body }, ...Object.fromEntries(names) };
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, zones }) });
  const env = reaching(emulator);
  const options = { cwd, environment: env, rateLimit: "off" };
  return { emulator, cwd, env, options };
}

const told = ({ problems }: { readonly problems: readonly { code: string; detail: string }[] }) =>
  problems.filter(({ code }) => code === "zone_not_active");

describe("a zone that the service does not serve", () => {
  test.each([
    [
      "pending",
      /its nameservers are not Cloudflare's yet; traffic does not go through Cloudflare.*Set the domain's nameservers/,
    ],
    ["initializing", /being set up.*Set the domain's nameservers/],
    ["moved", /no longer Cloudflare's.*remove it from the files/],
    ["deactivated", /is deactivated.*support/],
    ["hold", /Release the hold/],
  ] as const)("is a warning that says what it means and the way on: %s", async (status, says) => {
    const { options } = await world({ status });
    for (const about of [plan, drift]) {
      const run = await about(options);
      expect(told(run)).toMatchObject([{ severity: "warning", detail: expect.stringMatching(says) }]);
      expect(run.document).not.toBeNull();
    }
  });

  test("includes a paused zone, not an active one", async () => {
    const paused = await plan((await world({ paused: true })).options);
    expect(told(paused)).toMatchObject([{ detail: expect.stringMatching(/is paused: .*Resume the zone/) }]);
    expect(told(await plan((await world({})).options))).toEqual([]);
  });

  test("costs no request, and a pinned one is reported if the list is read for other zones", async () => {
    const alone = await world({ status: "pending" }, { id: ID });
    expect(told(await plan(alone.options))).toEqual([]);
    expect(alone.emulator.log).toHaveLength(1);
    const beside = await world(
      { status: "pending" },
      { id: ID },
      { "a.example.com": {}, "b.example.com": {} },
    );
    expect(told(await plan(beside.options))).toHaveLength(1);
    expect(beside.emulator.log.filter(({ path }) => path.startsWith("/zones?"))).toHaveLength(1);
  });

  test("is reported by doctor and export, which still succeed", async () => {
    const { cwd, env } = await world({ status: "moved" });
    const empty = await folderWith({});
    const runs = [
      await zoneward(["doctor"], { cwd, env }),
      await zoneward(["doctor"], { cwd: empty, env }),
      await zoneward(["export"], { cwd: empty, env }),
      await zoneward(["export", zone], { cwd: empty, env }),
    ];
    for (const { code, err } of runs) {
      expect(code).toBe(0);
      expect(err.match(/Zone is not active/g)).toHaveLength(1);
      expect(err).toContain(zone);
    }
  });

  test("is shown safely with any text as its status", async () => {
    const { notServed } = await import("../../src/api/zone-status.js");
    expect(notServed({ status: `\u001b[31m${"x".repeat(1000)}` }).detail.length).toBeLessThan(400);
    expect(notServed({ status: 7 }).detail).toContain("status unknown");
  });
});
