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
    // Jobs are listed in both: what can only be created has no way back.
    emulator = await createEmulator({ dialect, seed, logpushCreationOnly: false });
  });
  afterAll(() => emulator.close());

  async function start(text: string) {
    const cwd = await folderWith({ "zoneward.yaml": text });
    const env = { ...reaching(emulator), ...environment };
    const run = async (...args: string[]) => zoneward([...args, "--rate-limit", "off"], { cwd, env });
    return { cwd, run };
  }

  test("an export, a file a zone, plans to nothing", async () => {
    const { cwd, run } = await start("");
    const exported = await run("export", "--out-dir", "zones");
    expect(exported.code, exported.err).toBe(0);
    expect(exported.err).toContain("Exported 40 zones");
    expect(await readdir(path.join(cwd, "zones"))).toHaveLength(zones.length);
    const planned = await run("drift", "-c", "zones", "--detailed-exitcode", "--format", "json");
    expect(planned.code, planned.err).toBe(0);
    expect(JSON.parse(planned.out)).toMatchObject({ changes: [], calls: [] });
  });

  test("an export of the zones of each plan, each with its template, is as short as what one would write, and plans to nothing", async () => {
    const { cwd, run } = await start("version: 1\n");
    for (const plan of ["free", "pro", "business", "enterprise"]) {
      const alike = zones.filter((zone) => zone.plan === plan);
      const named = alike.flatMap(({ name }) => ["--zone", name]);
      const exported = await run("export", ...named, "--template", plan, "-o", `${plan}.yaml`);
      expect(exported.code, exported.err).toBe(0);
      const { templates, zones: bodies } = parse(await readFile(path.join(cwd, `${plan}.yaml`), "utf8"));
      expect(Object.keys(templates)).toEqual([plan]);
      // What the hand-written file has of a zone too: ids of its own, and the dataset that is another one in each.
      const own = Object.values<object>(bodies).flatMap((body) => Object.keys(body));
      expect(["extends", "vars", "logpush_jobs", "unmanaged"]).toEqual(expect.arrayContaining(own));
    }
    const files = ["free", "pro", "business", "enterprise"].flatMap((plan) => ["-c", `${plan}.yaml`]);
    const planned = await run("drift", ...files, "--detailed-exitcode", "--format", "json");
    expect(planned.code, planned.err).toBe(0);
    expect(JSON.parse(planned.out)).toMatchObject({ changes: [], calls: [], summary: { zones: 40 } });
  });

  test("one template for all of them plans to nothing", async () => {
    const { run } = await start(stringify(fleetFile()));
    const planned = await run("drift", "--detailed-exitcode");
    expect([planned.code, planned.out], planned.err).toEqual([0, expect.stringContaining("no drift")]);
  });

  test.each(dialect === "service" ? changes : everyNth(changes, 3))(
    "$name: planned, applied, and rolled back",
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

  /** Byte for byte, whatever has become of the rulesets that they stand in. */
  function othersIn(state: Seed): ReadonlyMap<string, string> {
    const found = new Map([...objectsOf(state)].filter(([id]) => others.has(id)));
    // A rule in each zone, three in each with managed rules, a policy and a job in each with all there is.
    expect(found.size).toBe(40 + 3 * 30 + 2 * 10);
    return found;
  }
});
