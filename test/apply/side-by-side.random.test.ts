import { expect, test } from "vitest";
import { apply, createEmulator, type Emulator, plan, type Seed } from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";
import { nextCase, quickFolder } from "./run.js";

const NAMES = ["a", "b", "c"].map((letter) => `${letter}.example.com`);

const each = (body: typeof liveZone | typeof zone) =>
  fc.tuple(...NAMES.map(() => body)) as fc.Arbitrary<readonly object[]>; // All tuples have the same type.

const story = fc.record({ live: each(liveZone), config: each(zone) });

function seedOf(live: readonly object[]): Seed {
  return {
    zones: Object.fromEntries(
      NAMES.map((name, index) => [name, { id: `${name[0]}`.repeat(32), ...live[index] }]),
    ),
  } as Seed; // The generator makes valid seeds.
}

function fileOf(config: readonly object[]): string {
  return JSON.stringify({
    version: 1,
    zones: Object.fromEntries(NAMES.map((name, index) => [name, config[index]])),
  });
}

function writesOf(emulator: Emulator, name: string) {
  const zone = `/zones/${(name[0] ?? "").repeat(32)}/`;
  const own = emulator.writes().filter((call) => call.path.startsWith(zone));
  return own.map(({ method, path: at, body }) => ({ method, path: withoutIds(at), body: carrying(body) }));
}

/** Removes the description of a list, which depends on whether an earlier apply created the list. */
function carrying(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("rules" in body)) return body;
  return { ...body, description: undefined };
}

/** Removes ids of created objects, which are new each time. */
function withoutIds(at: string): string {
  return at.replace(/\/[^/]*\d[^/]*$/, "/…");
}

/** Fills in the description of a ruleset, which later plans include once the ruleset exists. */
function asIfMadeBefore(writes: ReturnType<typeof writesOf>) {
  return writes.map(({ body, ...call }) => {
    if (typeof body !== "object" || body === null || !("rules" in body)) return { ...call, body };
    return { ...call, body: { ...body, description: "" } };
  });
}

test("a failure or stop in one zone changes nothing for the others, and each zone gets its calls in order", async () => {
  const cwd = await quickFolder("");
  await untilMet(
    { failed: runs(10), stopped: runs(10), whole: runs(10) },
    (met) =>
      fc.asyncProperty(
        story,
        fc.nat(NAMES.length - 1),
        fc.constantFrom("whole", "failed", "stopped"),
        fc.nat(12),
        async ({ live, config }, which, happens, when) => {
          await nextCase(cwd, fileOf(config));
          const struck = `${NAMES[which]?.[0]}`.repeat(32);
          const schedule = (["POST", "PUT", "PATCH", "DELETE"] as const).map((method) => ({
            fault: "redirect" as const,
            method,
            path: `/zones/${struck}/*`,
            nth: 1,
          }));
          const controller = new AbortController();
          let sent = 0;
          const emulator = await createEmulator({
            seed: seedOf(live),
            ...(happens === "failed" ? { faults: { schedule } } : {}),
            onRequest: ({ method }) => {
              if (happens === "stopped" && method !== "GET" && ++sent === when + 1) controller.abort();
            },
          });
          const calm = await createEmulator({ seed: seedOf(live) });
          const options = (to: Emulator) => ({
            cwd,
            environment: reaching(to),
            rateLimit: "off",
            allow: ["prune_all"],
          });
          try {
            const { document } = await plan(options(emulator));
            fc.pre(document !== null);
            if (document === null) return;
            const planned = document.zones.filter(({ status }) => status === "planned");
            await apply({ ...options(calm), concurrency: 1 });
            const { report } = await apply({ ...options(emulator), signal: controller.signal });
            if (report === null) throw new Error("expected a plan");
            const isStruck = document.calls.some((call) => call.path.includes(struck));
            const stoppedEarly = happens === "stopped" && report.summary.not_started > 0;
            if (happens === "whole" || (happens === "failed" && isStruck) || stoppedEarly) met(happens);
            for (const name of NAMES) {
              const isOwn = happens === "failed" && name === NAMES[which];
              const [own, all] = [writesOf(emulator, name), writesOf(calm, name)];
              if (stoppedEarly) expect(own).toEqual(all.slice(0, own.length));
              else if (!isOwn) expect(own).toEqual(all);
            }
            // The report follows the order of the plan, whatever the order in which zones end.
            expect(report.outcomes.map(({ step }) => step)).toEqual(
              document.calls.map((_, index) => index + 1),
            );
            expect(report.zones.map(({ zone }) => zone)).toEqual(NAMES);
            const finished = await apply(options(emulator));
            const converged = finished.report?.zones.filter((zone) => zone.converged).map(({ zone }) => zone);
            if (happens !== "failed") expect(converged).toEqual(planned.map(({ zone }) => zone));
            if (stoppedEarly)
              for (const name of NAMES)
                expect(asIfMadeBefore(writesOf(emulator, name))).toEqual(
                  asIfMadeBefore(writesOf(calm, name)),
                );
          } finally {
            await emulator.close();
            await calm.close();
          }
        },
      ),
    runs(40),
  );
});
