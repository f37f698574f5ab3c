import { expect, test } from "vitest";
import { Client } from "../../src/api/client.js";
import { createEmulator, type Emulator, type Seed } from "../../src/index.js";
import type { ApplyReport } from "../../src/model/report.js";
import type { PlanDocument } from "../../src/plan/generated/plan-document.js";
import { runApply, standingGuardrails } from "../../src/run/apply.js";
import { runPlan } from "../../src/run/plan.js";
import { withSaved } from "../../src/run/saved-plan.js";
import { connection } from "../api/serve.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";
import { nextCase, quickFolder } from "./run.js";
import { usualIn } from "./stories.js";

const NAMES = ["a", "b", "c", "d"].map((letter) => `${letter}.example.com`);

const four = <T>(body: fc.Arbitrary<T>) => fc.tuple(body, body, body, body);

const story = fc.record({
  // If one of two jobs with the same name goes, the key of the other changes, and the plan is stale.
  live: four(
    liveZone.filter(({ logpush_jobs: jobs }) => new Set(jobs.map(({ name }) => name)).size === jobs.length),
  ),
  config: four(zone),
  dialect: fc.constantFrom("service", "interface"),
  /** The part of each zone, and the order of the parts. */
  parts: four(fc.nat(2)),
  order: fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
  /** The writes, counted over all applies, at which the run is killed. */
  kills: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
  when: fc.constantFrom("before", "after"),
});

const zonesWith = (bodies: readonly object[]) =>
  Object.fromEntries(NAMES.map((name, index) => [name, bodies[index] ?? {}]));

test("the parts of a plan, applied in any order and killed at any write, end like one apply of the whole plan", async () => {
  const cwd = await quickFolder("");
  await untilMet(
    { killed: runs(20), parts: runs(40), whole: runs(40) },
    (met) =>
      fc.asyncProperty(story, async ({ live, config, dialect, parts, order, kills, when }) => {
        await nextCase(cwd, JSON.stringify({ version: 1, zones: zonesWith(config) }));
        const bodies = live.map((body, index) => ({ id: "abcd".charAt(index).repeat(32), ...body }));
        const seed = { zones: zonesWith(bodies) } as Seed; // The generator makes valid seeds.
        const now = () => new Date(0);
        const killer = killing(kills);
        const calm = await createEmulator({ seed, dialect, now });
        const emulator = await createEmulator({
          seed,
          dialect,
          now,
          faults: {
            schedule: kills.map((nth) => ({ fault: `hang-${when}` as const, method: "write", nth })),
          },
          onRequest: killer.onRequest,
        });
        try {
          const saved = await planned(cwd, calm);
          fc.pre(standingGuardrails(saved).length === 0);
          const usual = await applied(cwd, calm, saved, [], null);
          const groups = order.map((part) => NAMES.filter((_, index) => parts[index] === part));
          for (const zones of groups.filter((each) => each.length > 0)) {
            for (;;) {
              const ran = await applied(cwd, emulator, saved, zones, killer);
              if (ran === null) {
                met("killed");
                continue;
              }
              // A zone is never stale because of a kill.
              const expected = usual?.zones.filter((each) => zones.includes(each.zone));
              expect(outcomesOf(ran)).toEqual(outcomesOf({ zones: expected ?? [] }));
              break;
            }
            if (zones.length < NAMES.length) met("parts");
          }
          expect(usualIn(emulator.state()).state).toBe(usualIn(calm.state()).state);
          const done = emulator.writes().length;
          const whole = await applied(cwd, emulator, saved, [], null);
          expect(outcomesOf(whole ?? { zones: [] })).toEqual(outcomesOf(usual ?? { zones: [] }));
          expect(emulator.writes()).toHaveLength(done);
          met("whole");
        } finally {
          await emulator.close();
          await calm.close();
        }
      }),
    runs(60),
  );
});

const outcomesOf = ({ zones }: Pick<ApplyReport, "zones">) =>
  zones.map(({ zone: name, converged, problems }) => [name, converged, problems.map(({ code }) => code)]);

/** Calls back when the run reaches a write at which it must die. */
function killing(kills: readonly number[]) {
  let writes = 0;
  let die = () => {};
  return {
    onRequest: ({ method }: { readonly method: string }) => {
      if (method !== "GET" && kills.includes(++writes)) die();
    },
    death: () => new Promise<null>((resolve) => (die = () => resolve(null))),
  };
}

function clientFor(emulator: Emulator): Client {
  const at = connection(emulator.url, {
    credential: { as: "token", token: emulator.token },
    concurrency: 1,
    rates: [],
  });
  return new Client(at, { now: () => 0, sleep: async () => {}, random: () => 0.5 });
}

const inputIn = (cwd: string) => ({ config: [], zones: [], allow: ["prune_all"], cwd, environment: {} });

async function planned(cwd: string, emulator: Emulator): Promise<PlanDocument> {
  const client = clientFor(emulator);
  try {
    const run = await runPlan(inputIn(cwd), client, () => {});
    fc.pre(run.ok);
    if (!run.ok) throw new Error("the plan was made before");
    return run.document;
  } finally {
    await client.close();
  }
}

/** @returns null if the run was killed */
async function applied(
  cwd: string,
  emulator: Emulator,
  saved: PlanDocument,
  zones: readonly string[],
  killer: Pick<ReturnType<typeof killing>, "death"> | null,
): Promise<ApplyReport | null> {
  const client = clientFor(emulator);
  const watch = { stop: new AbortController().signal, progress: () => {}, onJournal: () => {} };
  const work = async () => {
    const run = await runPlan(withSaved({ ...inputIn(cwd), zones }, saved), client, () => {});
    if (!run.ok) throw new Error(run.problems[0]?.detail);
    return runApply(run, saved, cwd, watch);
  };
  const working = work();
  working.catch(() => {}); // A killed run fails later, and its failure does not matter.
  const report = await (killer === null ? working : Promise.race([working, killer.death()]));
  const closed = client.close(); // No request is sent from here on.
  if (report !== null) await closed; // The pending requests of a killed run are not awaited.
  return report;
}
