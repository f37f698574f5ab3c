import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { createEmulator, type Emulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { essenceOf } from "../support/essence.js";
import { objectsOf } from "../support/objects.js";
import { everyNth } from "../support/random.js";
import { changes } from "./changes.js";
import { fleetFile } from "./file.js";
import { environment, others, seed, zones } from "./fleet.js";

describe.each(["service", "interface"] as const)("forty zones of four plans (%s)", (dialect) => {
  let emulator: Emulator;

  beforeAll(async () => {
    // Both dialects list jobs here. A job that can only be created could not be rolled back.
    emulator = await createEmulator({ dialect, seed, logpushCreationOnly: false });
  });
  afterAll(() => emulator.close());

  async function start(text: string) {
    const cwd = await folderWith({ "zoneward.yaml": text });
    const env = { ...reaching(emulator), ...environment };
    const run = async (...args: string[]) => zoneward([...args, "--rate-limit", "off"], { cwd, env });
    return { cwd, run };
  }

  test("an export with a file for each zone plans no changes", async () => {
    const { cwd, run } = await start("");
    const exported = await run("export", "--out-dir", "zones");
    expect(exported.code, exported.err).toBe(0);
    expect(exported.err).toContain("Exported 40 zones");
    expect(await readdir(path.join(cwd, "zones"))).toHaveLength(zones.length);
    const planned = await run("drift", "-c", "zones", "--detailed-exitcode", "--format", "json");
    expect(planned.code, planned.err).toBe(0);
    expect(JSON.parse(planned.out)).toMatchObject({ changes: [], calls: [] });
  });

  test("an export with one template for each Cloudflare plan is as short as a hand-written file and plans no changes", async () => {
    const { cwd, run } = await start("version: 1\n");
    for (const plan of ["free", "pro", "business", "enterprise"]) {
      const alike = zones.filter((zone) => zone.plan === plan);
      const named = alike.flatMap(({ name }) => ["--zone", name]);
      const exported = await run("export", ...named, "--template", plan, "-o", `${plan}.yaml`);
      expect(exported.code, exported.err).toBe(0);
      const { templates, zones: bodies } = parse(await readFile(path.join(cwd, `${plan}.yaml`), "utf8"));
      expect(Object.keys(templates)).toEqual([plan]);
      // The keys that the hand-written file also has in a zone: its own ids, and the dataset that differs.
      const own = Object.values<object>(bodies).flatMap((body) => Object.keys(body));
      expect(["extends", "vars", "logpush_jobs", "unmanaged"]).toEqual(expect.arrayContaining(own));
    }
    const files = ["free", "pro", "business", "enterprise"].flatMap((plan) => ["-c", `${plan}.yaml`]);
    const planned = await run("drift", ...files, "--detailed-exitcode", "--format", "json");
    expect(planned.code, planned.err).toBe(0);
    expect(JSON.parse(planned.out)).toMatchObject({ changes: [], calls: [], summary: { zones: 40 } });
  });

  test("one template for all zones plans no changes", async () => {
    const { run } = await start(stringify(fleetFile()));
    const planned = await run("drift", "--detailed-exitcode");
    expect([planned.code, planned.out], planned.err).toEqual([0, expect.stringContaining("no drift")]);
  });

  test.each(dialect === "service" ? changes : everyNth(changes, 3))(
    "$name: is planned, applied and rolled back",
    async ({ edit }) => {
      const before = emulator.state();
      const file = fleetFile();
      edit(file);
      const { cwd, run } = await start(stringify(file));

      const planned = await run("plan", "--detailed-exitcode", "-o", "plan.json");
      expect(planned.code, planned.err).toBe(2);
      const applied = await run("apply", "plan.json", "--yes", "--format", "json");
      expect(applied.code, applied.err).toBe(0);
      const { converged, journal } = JSON.parse(applied.out);
      expect(converged).toBe(true);
      expect(othersIn(emulator.state())).toEqual(othersIn(before));
      expect((await run("plan", "--detailed-exitcode")).code).toBe(0);

      await writeFile(path.join(cwd, "zoneward.yaml"), stringify(fleetFile()));
      const back = await run("rollback", journal, "--yes", "--format", "json");
      expect(back.code, back.err).toBe(0);
      expect(othersIn(emulator.state())).toEqual(othersIn(before));
      expect(essenceOf(emulator.state())).toEqual(essenceOf(before));
      const again = await run("drift", "--detailed-exitcode");
      expect(again.code, again.out + again.err).toBe(0);
    },
  );

  /** The objects of others, which must stay byte for byte the same even if their rulesets change. */
  function othersIn(state: Seed): ReadonlyMap<string, string> {
    const found = new Map([...objectsOf(state)].filter(([id]) => others.has(id)));
    // One rule in each zone, three in each with managed rules, and a policy and a job in each on the largest plan.
    expect(found.size).toBe(40 + 3 * 30 + 2 * 10);
    return found;
  }
});
