import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createEmulator, type Dialect, exportZones, plan, type Seed, validate } from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone } from "../support/random-zones.js";

const ids = { "a.example.com": "a".repeat(32), "b.example.com": "b".repeat(32) };
const story = fc.record({
  dialect: fc.constantFrom<Dialect>("service", "interface"),
  live: fc.record({ "a.example.com": liveZone, "b.example.com": liveZone }),
});

test("what is exported of random zones is valid, and a plan with it and its secrets is empty", async () => {
  const cwd = await folderWith({});
  const everySection = Object.fromEntries(kinds.map(({ section }) => [section, runs(30)]));
  await untilMet(
    everySection,
    (met) =>
      fc.asyncProperty(story, async ({ dialect, live }) => {
        const emulator = await createEmulator({ dialect, seed: seedOf(live) });
        try {
          const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
          const { text, secrets, problems } = await exportZones(options);
          expect(problems).toEqual([]);
          await writeFile(path.join(cwd, "zoneward.yaml"), text ?? "");
          expect((await validate({ cwd, environment: {} })).problems.filter(isError)).toEqual([]);
          const destinations = Object.values(emulator.state().zones).flatMap(({ logpush_jobs: jobs }) =>
            firstOfEachName(jobs ?? []).map(({ destination_conf }) => destination_conf),
          );
          if (dialect === "service") expect(secrets).toHaveLength(destinations.length);
          const given = Object.fromEntries(
            secrets.map((name, index) => [name, String(destinations[index])] as const),
          );
          const planned = await plan({ ...options, environment: { ...options.environment, ...given } });
          expect(planned.problems.filter(isError)).toEqual([]);
          expect(planned.document?.changes).toEqual([]);
          expect(planned.document?.summary.zones).toBe(2);
          for (const { section } of kinds) if (text?.includes(`    ${section}:`)) met(section);
        } finally {
          await emulator.close();
        }
      }),
    runs(1000),
  );
}, 300_000);

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}

interface Named {
  readonly dataset?: unknown;
  readonly name?: unknown;
  readonly destination_conf?: unknown;
}

/** Of several jobs of one name, a list has the first. */
function firstOfEachName(jobs: readonly Named[]): readonly Named[] {
  const isOne = (a: Named, b: Named) =>
    a === b || (Boolean(a.name) && a.name === b.name && a.dataset === b.dataset);
  return jobs.filter((job, index) => jobs.findIndex((each) => isOne(each, job)) === index);
}

function seedOf(live: Readonly<Record<string, object>>): Seed {
  return {
    zones: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, { id, ...live[name] }])),
  };
}
