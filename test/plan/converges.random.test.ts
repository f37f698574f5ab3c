import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { apply, createEmulator, type Dialect, plan, type Seed } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { objectsOf } from "../support/objects.js";
import { fc, runs, untilMet } from "../support/random.js";
import { convergingIn, liveZone, randomKinds, zone } from "../support/random-zones.js";
import { zoneByZone } from "../support/zone-by-zone.js";

/**
 * Random live states and random files: every possible plan is applied as planned, leaves nothing to do, and leaves undeclared
 * objects unchanged.
 */
const ids = { "a.example.com": "a".repeat(32), "b.example.com": "b".repeat(32) };
const story = fc.record({
  dialect: fc.constantFrom<Dialect>("service", "interface"),
  live: fc.record({ "a.example.com": liveZone, "b.example.com": liveZone }),
  config: fc.record({ "a.example.com": zone, "b.example.com": zone }),
});

test("random zones converge in one apply with exactly the planned calls", async () => {
  const cwd = await folderWith({});
  const everyKind = Object.fromEntries(randomKinds.map(({ name }) => [name, runs(20)]));
  await untilMet(
    everyKind,
    (met) =>
      fc.asyncProperty(story, async ({ dialect, live, config }) => {
        const emulator = await createEmulator({ dialect, seed: seedOf(live) });
        try {
          const zones = mapValues(config, (body) => convergingIn(dialect, body));
          await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones }));
          const options = { cwd, environment: reaching(emulator), rateLimit: "off", allow: ["prune_all"] };
          const first = await plan(options);
          fc.pre(first.document !== null);
          const { document } = first;
          if (document === null) return;
          for (const { kind } of document.changes) met(kind);
          expect(withoutRequestIds((await plan(options)).document)).toEqual(withoutRequestIds(document));
          const before = emulator.state();
          const { report } = await apply(options);
          const failed = document.zones.filter((each) => each.status !== "planned").map((each) => each.zone);
          expect(report?.zones.filter((each) => !each.converged).map((each) => each.zone)).toEqual(failed);
          const sent = zoneByZone(emulator.writes(), document.calls);
          expect(comparable(sent)).toEqual(comparable(document.calls));
          expect((await plan(options)).document?.changes).toEqual([]);
          const touched = new Set(document.changes.map(({ id, zone, kind }) => id ?? `${zone} ${kind}`));
          const after = objectsOf(emulator.state());
          for (const [key, text] of objectsOf(before))
            if (!touched.has(key)) expect(after.get(key)).toBe(text);
          expect(
            document.changes.every(
              (each, index) =>
                each.fields.length > 0 && document.calls.some((call) => call.changes.includes(index)),
            ),
          ).toBe(true);
        } finally {
          await emulator.close();
        }
      }),
    runs(100),
  );
});

function seedOf(live: Readonly<Record<string, object>>): Seed {
  return {
    zones: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, { id, ...live[name] }])),
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Calls without parts that a plan cannot contain: the id of a new ruleset, and destinations. */
function comparable(calls: readonly Call[]): readonly Call[] {
  return calls.map(({ method, path: at, body }) => {
    const { destination_conf: _, ...rest } = (body ?? {}) as Record<string, unknown>; // a body is an object
    return {
      method,
      path: method === "PUT" ? at.replace(/\/rulesets\/[^/]+$/, "/rulesets/…") : at,
      body: rest,
    };
  });
}

/** An answer that fails has the id of its request. */
function withoutRequestIds(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document).replace(/request id [\w-]+/g, "request id"));
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
