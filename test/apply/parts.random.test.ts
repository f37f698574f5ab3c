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
  // Of two jobs of a name one is called otherwise once the other is gone: the plan then has to be made again.
  live: four(
    liveZone.filter(({ logpush_jobs: jobs }) => new Set(jobs.map(({ name }) => name)).size === jobs.length),
  ),
  config: four(zone.map(({ prune, ...body }) => ({ ...body, prune: prune?.filter((each) => each in body) }))),
  dialect: fc.constantFrom("service", "interface"),
  /** Which part each zone goes with, and in which order the parts go. */
  parts: four(fc.nat(2)),
  order: fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
  /** At which writes, counted over all applies, the run is killed. */
  kills: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
  when: fc.constantFrom("before", "after"),
});

const zonesWith = (bodies: readonly object[]) =>
  Object.fromEntries(NAMES.map((name, index) => [name, bodies[index] ?? {}]));

test("the parts of a plan one after the other, killed at any write and started again, leave what one apply leaves", async () => {
  const cwd = await quickFolder("");
  await untilMet(
    { killed: runs(20), parts: runs(40), whole: runs(40) },
    (met) =>
      fc.asyncProperty(story, async ({ live, config, dialect, parts, order, kills, when }) => {
        await nextCase(cwd, JSON.stringify({ version: 1, zones: zonesWith(config) }));
        const bodies = live.map((body, index) => ({ id: "abcd".charAt(index).repeat(32), ...body }));
        const seed = { zones: zonesWith(bodies) } as Seed; // of its generator
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
              // A zone that was not killed is never stale, and one that was goes on.
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
    runs(80),
  );
}, 240_000);

const outcomesOf = ({ zones }: Pick<ApplyReport, "zones">) =>
  zones.map(({ zone: name, converged, problems }) => [name, converged, problems.map(({ code }) => code)]);

/** Tells when a write comes at which the run is to die. */
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
    rate: null,
  });
  return new Client(at, { now: () => 0, sleep: async () => {}, random: () => 0.5 });
}

const inputIn = (cwd: string) => ({ config: [], zones: [], allow: ["prune_all"], cwd, environment: {} });

async function planned(cwd: string, emulator: Emulator): Promise<PlanDocument> {
  const client = clientFor(emulator);
  try {
    const run = await runPlan(inputIn(cwd), client, () => {});
    fc.pre(run.ok);
    if (!run.ok) throw new Error("it was tried before");
    return run.document;
  } finally {
    await client.close();
  }
}

/** @returns null: it was killed */
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
  working.catch(() => {}); // of one that was killed
  const report = await (killer === null ? working : Promise.race([working, killer.death()]));
  const closed = client.close(); // from here on, nothing more is sent
  if (report !== null) await closed; // what is under way of one that was killed is not waited for
  return report;
}
