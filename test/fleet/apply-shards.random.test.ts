import { expect, test } from "vitest";
import { apply, createEmulator, merge, type PlanDocument, plan, type Seed } from "../../src/index.js";
import { nextCase, quickFolder } from "../apply/run.js";
import { usualIn } from "../apply/stories.js";
import { reaching } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";

const NAMES = ["a", "b", "c", "d", "e"].map((letter) => `${letter}.example.com`);

const five = <T>(body: fc.Arbitrary<T>) => fc.tuple(body, body, body, body, body);

const story = fc.record({
  live: five(liveZone),
  config: five(zone),
  dialect: fc.constantFrom("service", "interface"),
  planned: fc.integer({ min: 1, max: 8 }),
  applied: fc.integer({ min: 1, max: 8 }),
  order: fc.infiniteStream(fc.nat()),
  struck: fc.option(fc.nat(NAMES.length - 1)),
});

type ZoneReport = NonNullable<Awaited<ReturnType<typeof apply>>["report"]>["zones"][number];

const zonesWith = (bodies: readonly object[]) =>
  Object.fromEntries(NAMES.map((name, index) => [name, bodies[index] ?? {}]));

test("a plan is made in shards and applied in shards, in any order, and what is left is what one plan and one apply leave", async () => {
  const cwd = await quickFolder("");
  await untilMet(
    { whole: runs(20), failed: runs(20), several: runs(20) },
    (met) =>
      fc.asyncProperty(story, async ({ live, config, dialect, planned, applied, order, struck }) => {
        await nextCase(cwd, JSON.stringify({ version: 1, zones: zonesWith(config) }));
        const bodies = live.map((body, index) => ({ id: "abcde".charAt(index).repeat(32), ...body }));
        const seed = { zones: zonesWith(bodies) } as Seed; // of its generator
        const rates =
          struck === null
            ? []
            : [
                {
                  fault: "redirect" as const,
                  method: "write" as const,
                  path: `/zones/${bodies[struck]?.id}/*`,
                  chance: 1,
                },
              ];
        const now = () => new Date(0);
        const whole = await createEmulator({ seed, dialect, now, faults: { rates } });
        const parts = await createEmulator({ seed, dialect, now, faults: { rates } });
        const options = (to: typeof whole) => ({
          cwd,
          environment: reaching(to),
          rateLimit: "off",
          allow: ["prune_all"],
        });
        try {
          const usual = await plan(options(whole));
          fc.pre(usual.document !== null);
          if (usual.document === null) return;
          const one = await apply({ ...options(whole), plan: usual.document });
          const plans: PlanDocument[] = [];
          for (let index = 1; index <= planned; index++) {
            const { document } = await plan({ ...options(parts), shard: `${index}/${planned}` });
            if (document === null) throw new Error("what can be planned in one can be planned in shards");
            plans.push(document);
          }
          const { document, problems } = merge(plans);
          expect(problems).toEqual([]);
          if (document === null) return;
          expect(document.digest).toBe(usual.document.digest);
          const keys = Array.from({ length: applied }, () => order.next().value);
          const shards = keys
            .map((key, index) => ({ key, shard: `${index + 1}/${applied}` }))
            .sort((x, y) => x.key - y.key);
          const reports: ZoneReport[] = [];
          for (const { shard } of shards) {
            const ran = await apply({ ...options(parts), plan: document, shard });
            expect(ran.report === null).toBe(one.report === null);
            reports.push(...(ran.report?.zones ?? []));
          }
          expect(usualIn(parts.state()).state).toBe(usualIn(whole.state()).state);
          const told = (zones: readonly ZoneReport[]) =>
            zones
              .map(({ zone: name, converged, problems: all }) => [
                name,
                converged,
                all.map(({ code }) => code),
              ])
              .sort();
          expect(told(reports)).toEqual(told(one.report?.zones ?? []));
          const writing = new Set(document.calls.map((call) => call.zone)).size;
          if (writing > 1 && applied > 1 && planned > 1) met("several");
          met(reports.some(({ converged }) => !converged) ? "failed" : "whole");
        } finally {
          await whole.close();
          await parts.close();
        }
      }),
    runs(80),
  );
}, 240_000);
