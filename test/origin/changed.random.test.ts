import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { apply, createEmulator, plan } from "../../src/index.js";
import { quickFolder } from "../apply/run.js";
import { reaching } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { zone } from "../support/random-zones.js";

const NAMES = ["a", "b", "c", "d"].map((letter) => `${letter}.example.com`);

const four = fc.tuple(zone, zone, zone, zone);
/** The zones that the change redraws. */
const which = fc.subarray([0, 1, 2, 3]);

/** Other spellings with the same meaning. */
const SPELT: Readonly<Record<string, string>> = {
  "script-src 'self'": "SCRIPT-SRC 'Self';",
  "img-src a.example b.example": "img-src b.example A.example",
  ' http.host eq "a" ': 'http.host  eq "a"',
};

function respelt(body: object): object {
  return JSON.parse(JSON.stringify(body), (_, value) => SPELT[value] ?? value);
}

function fileOf(bodies: readonly object[]): string {
  const zones = Object.fromEntries(NAMES.map((name, index) => [name, bodies[index]]));
  return JSON.stringify({ version: 1, zones });
}

/** The live state matches the base as far as possible. Then every change of the full plan is in a selected zone. */
test("without drift, a plan of the changed zones has the same changes as a full plan", async () => {
  const cwd = await quickFolder("");
  await mkdir(path.join(cwd, "before"));
  await untilMet(
    { narrowed: runs(30), changed: runs(30), "only spelt in another way": runs(30) },
    (met) =>
      fc.asyncProperty(four, four, which, async (before, drawn, anew) => {
        const now = before.map((body, index) =>
          anew.includes(index) ? (drawn[index] ?? {}) : respelt(body),
        );
        const isSpelt = (index: number) => JSON.stringify(now[index]) !== JSON.stringify(before[index]);
        const ids = Object.fromEntries(NAMES.map((name) => [name, { id: (name[0] ?? "").repeat(32) }]));
        const emulator = await createEmulator({ seed: { zones: ids } });
        try {
          const options = { cwd, environment: reaching(emulator), rateLimit: "off", allow: ["prune_all"] };
          await writeFile(path.join(cwd, "zoneward.yaml"), fileOf(before));
          await apply(options);
          await writeFile(path.join(cwd, "before/zoneward.yaml"), fileOf(before));
          const former = await plan({ ...options, base: "before" });
          await writeFile(path.join(cwd, "zoneward.yaml"), fileOf(now));
          const whole = await plan({ ...options, base: "before" });
          const part = await plan({ ...options, base: "before", changed: true });
          fc.pre(former.document !== null && whole.document !== null && part.document !== null);
          if (former.document === null || whole.document === null || part.document === null) return;
          const { zones, summary } = part.document;
          expect(zones.length + (summary.as_in_base ?? 0)).toBe(NAMES.length);
          if (zones.length < NAMES.length) met("narrowed");
          const planned = new Set(zones.map((each) => each.zone));
          const digests = new Map(former.document.zones.map((each) => [each.zone, each.digest]));
          for (const each of whole.document.zones) {
            if (planned.has(each.zone)) expect(zones).toContainEqual(each);
            else {
              expect(each.digest).toBe(digests.get(each.zone));
              if (isSpelt(NAMES.indexOf(each.zone))) met("only spelt in another way");
            }
            if (each.digest !== digests.get(each.zone)) met("changed");
          }
        } finally {
          await emulator.close();
        }
      }),
    runs(40),
  );
});
