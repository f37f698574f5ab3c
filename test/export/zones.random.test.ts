import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createEmulator, type Dialect, exportZones, plan, type Seed, validate } from "../../src/index.js";
import { folderWith, ROOT, reaching } from "../support/cli.js";
import { everyNth, fc, isDeep, runs, untilMet } from "../support/random.js";
import { liveZone, randomKinds } from "../support/random-zones.js";
import { parseScenario, sectionText } from "../support/scenario.js";

const ids = { "a.example.com": "a".repeat(32), "b.example.com": "b".repeat(32) };
const story = fc.record({
  dialect: fc.constantFrom<Dialect>("service", "interface"),
  live: fc.record({ "a.example.com": liveZone, "b.example.com": liveZone }),
});

test("an export of random zones is valid and plans no changes", async () => {
  const everySection = Object.fromEntries(randomKinds.map(({ section }) => [section, runs(20)]));
  await untilMet(
    everySection,
    (met) =>
      fc.asyncProperty(story, async ({ dialect, live }) => {
        const text = await exported(seedOf(live), dialect);
        for (const { section } of randomKinds) if (text.includes(`    ${section}:`)) met(section);
      }),
    runs(600),
  );
});

describe("an export of a scenario's live state is valid and plans no changes", async () => {
  const folder = path.join(ROOT, "test/scenarios");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".txt")).sort();
  test.each(everyNth(files, isDeep ? 1 : 5))("%s", async (file) => {
    const scenario = parseScenario(await readFile(path.join(folder, file), "utf8"));
    const seed = parse(sectionText(scenario, "live") ?? "zones: {}") as Seed;
    if (Object.keys(seed.zones).length > 0) await exported(seed, "service");
  });
});

test("an unchanged live job needs no ownership proof", async () => {
  const jobs = [
    "s3://bucket/logs?region=eu-west-1",
    "gs://bucket/logs",
    "azure://account.blob.core.windows.net/logs?sv=x",
    "sumo://endpoint.collection.sumologic.com/receiver/v1/http/x",
  ].map((destination_conf, index) => ({
    name: `job-${index}`,
    dataset: "http_requests",
    enabled: true,
    destination_conf,
  }));
  const text = await exported(seedOf({ "a.example.com": { logpush_jobs: jobs } }), "service");
  expect(text).not.toContain("ownership_challenge");
});

/** Exports everything in a seed, and expects the export to be valid and to plan no changes. */
async function exported(seed: Seed, dialect: Dialect): Promise<string> {
  const cwd = await folderWith({});
  const emulator = await createEmulator({ dialect, seed });
  try {
    const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
    const { text, secrets, problems } = await exportZones(options);
    expect(problems.filter(({ severity }) => severity !== "note")).toEqual([]);
    await writeFile(path.join(cwd, "zoneward.yaml"), text ?? "");
    expect((await validate({ cwd, environment: {} })).problems.filter(isError)).toEqual([]);
    const unset = await plan(options);
    expect(unset.problems.filter(isError)).toEqual([]);
    expect(unset.document?.changes).toEqual([]);
    const destinations = Object.values(emulator.state().zones).flatMap(({ logpush_jobs: jobs }) =>
      firstOfEachName(jobs ?? []).map(({ destination_conf }) => String(destination_conf)),
    );
    if (dialect === "service") expect(secrets).toHaveLength(destinations.length);
    const given = Object.fromEntries(
      secrets.map((name, index) => [name, destinations[index] ?? ""] as const),
    );
    expect((await validate({ cwd, environment: given })).problems.filter(isError)).toEqual([]);
    const planned = await plan({ ...options, environment: { ...options.environment, ...given } });
    expect(planned.problems.filter(isError)).toEqual([]);
    expect(planned.document?.changes).toEqual([]);
    expect(planned.document?.summary.zones).toBe(Object.keys(seed.zones).length);
    return text ?? "";
  } finally {
    await emulator.close();
  }
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}

interface Named {
  readonly dataset?: unknown;
  readonly name?: unknown;
  readonly destination_conf?: unknown;
}

/** Of several jobs with one name, an export lists only the first. */
function firstOfEachName(jobs: readonly Named[]): readonly Named[] {
  const isOne = (a: Named, b: Named) =>
    a === b || (Boolean(a.name) && a.name === b.name && a.dataset === b.dataset);
  return jobs.filter((job, index) => jobs.findIndex((each) => isOne(each, job)) === index);
}

function seedOf(live: Readonly<Record<string, object>>): Seed {
  return {
    zones: Object.fromEntries(
      Object.entries(ids).map(([name, id]) => [name, { id, ...(live[name] ?? {}) }] as const),
    ),
  };
}
