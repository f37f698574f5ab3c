import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createEmulator, type PlanDocument, type Seed } from "../../src/index.js";
import { quickFolder } from "../apply/run.js";
import { reaching, zoneward } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";

const guardrails = fc.record(
  {
    max_changes: fc.nat(12),
    max_deletes: fc.nat(3),
    max_changed_share: fc.constantFrom(0.1, 0.5, 0.9),
    forbid: fc.subarray(["weakens", "deletes", "service_off", "unmanaged", "drift", "starts_blocking"]),
  },
  { requiredKeys: [] },
);

const SECRET_JOB = {
  logpush_jobs: [
    {
      name: "s",
      dataset: "http_requests",
      destination_conf: `https://$\{secret:LOGS}.example/a`,
      fields: ["RayID"],
    },
  ],
};

const story = fc.record({
  live: fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,6}$/), liveZone), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 7,
  }),
  config: fc.array(fc.oneof({ arbitrary: zone, weight: 6 }, fc.constant(SECRET_JOB)), {
    minLength: 7,
    maxLength: 7,
  }),
  before: fc.option(fc.array(zone, { minLength: 7, maxLength: 7 })),
  guardrails,
  of: fc.integer({ min: 1, max: 8 }),
  failing: fc.nat(9),
  unset: fc.boolean(),
  // Reports add to the impact, which --no-impact does not ask for.
  flags: fc
    .subarray([
      "--changed",
      "--allow=max_changes",
      "--no-impact",
      "--fail-on=weakens",
      "--only=polic*",
      "--only=policy/A",
      "--zone=[a-m]*",
      "--requests=lines.log",
      "--events=events.log",
    ])
    .filter((flags) => !(flags.includes("--no-impact") && flags.includes("--events=events.log"))),
  pinned: fc.boolean(),
});

const idOf = (index: number) => String(index + 1).repeat(32);

test("the merge of the plans of all shards is the plan of all zones, byte for byte", async () => {
  const cwd = await quickFolder("");
  const before = await quickFolder("");
  const least = runs(20);
  await untilMet(
    {
      failed: least,
      refused: least,
      limited: least,
      notSet: least,
      idle: least,
      acceptsNothing: least,
      accepted: least,
      changes: least,
      empty: least,
      based: least,
      requests: least,
      reported: least,
    },
    (met) =>
      fc.asyncProperty(story, async ({ live, config, of, ...more }) => {
        const names = live.map(([name]) => `${name}.example`);
        const fileOf = (bodies: readonly object[]) => {
          const zones = names.map((name, index) => {
            return [name, { ...(more.pinned ? { id: idOf(index) } : {}), ...bodies[index] }];
          });
          const file = {
            version: 1,
            guardrails: more.guardrails,
            tests: [{ request: {}, does_not_log: { request_fields: ["zz"] }, undecided: "ok" }],
            zones: Object.fromEntries(zones),
          };
          return JSON.stringify(file, null, 1).replace('\n "zones"', `\n ${ACCEPTED}\n "zones"`);
        };
        for (const file of await readdir(cwd)) await rm(path.join(cwd, file), { recursive: true });
        await writeFile(path.join(cwd, "zoneward.yaml"), fileOf(config));
        await writeFile(path.join(cwd, "lines.log"), linesFor(names));
        await writeFile(path.join(cwd, "events.log"), eventsFor(names));
        if (more.before !== null) await writeFile(path.join(before, "zoneward.yaml"), fileOf(more.before));
        const flags = [
          ...(more.before === null ? [] : ["--base", before]),
          ...more.flags.filter((flag) => flag !== "--changed" || more.before !== null),
        ];
        const rates = [
          { fault: "redirect" as const, path: `/zones/${idOf(more.failing)}/*/policies`, chance: 1 },
          { fault: "redirect" as const, path: `/zones/${idOf(more.failing)}/logpush/jobs`, chance: 1 },
        ];
        const emulator = await createEmulator({
          seed: {
            zones: Object.fromEntries(live.map(([, each], at) => [names[at], { id: idOf(at), ...each }])),
          } as Seed, // of its generator
          ...(more.failing < names.length ? { faults: { rates } } : {}),
        });
        const env = { ...reaching(emulator), ...(more.unset ? {} : { LOGS: "logs" }) };
        const plan = (out: string, ...args: string[]) =>
          zoneward(["plan", "-q", "-o", out, "--rate-limit=off", ...flags, ...args], { cwd, env });
        try {
          await plan("whole.json");
          fc.pre(await exists(path.join(cwd, "whole.json")));
          const files: string[] = [];
          for (let index = 1; index <= of; index++) {
            files.push(`plan-${index}.json`);
            await plan(`plan-${index}.json`, "--shard", `${index}/${of}`);
          }
          const made = await zoneward(["merge", "-q", "-o", "merged.json", ...files.reverse()], { cwd });
          expect(made.err).toBe("");
          const merged = withoutRequestIds(await readFile(path.join(cwd, "merged.json"), "utf8"));
          expect(merged).toBe(withoutRequestIds(await readFile(path.join(cwd, "whole.json"), "utf8")));
          const document = JSON.parse(merged) as PlanDocument;
          const own = await Promise.all(files.map((file) => readFile(path.join(cwd, file), "utf8")));
          const shards = own.map((text) => JSON.parse(text) as PlanDocument);
          if (document.zones.some(({ status }) => status !== "planned")) met("failed");
          if (document.guardrails.some(({ zone }) => zone !== undefined)) met("refused");
          if (document.guardrails.some(({ name }) => name.startsWith("max_"))) met("limited");
          if (document.diagnostics.some(({ code }) => code === "secrets_not_set")) met("notSet");
          if (document.diagnostics.some(({ code }) => code === "picks_nothing")) met("idle");
          if (document.diagnostics.some(({ code }) => code === "accepts_nothing")) met("acceptsNothing");
          if (document.diagnostics.some(({ accepted }) => accepted !== undefined)) met("accepted");
          if (document.changes.length > 0) met("changes");
          if (document.base !== undefined) met("based");
          if (document.changes.some(({ request_lines: lines }) => lines !== undefined)) met("requests");
          const { scripts, connections } = document.summary.impact ?? {};
          if ((scripts?.only_reported ?? 0) + (connections?.only_reported ?? 0) > 0) met("reported");
          if (shards.some(({ zones }) => zones.length === 0)) met("empty");
        } finally {
          await emulator.close();
        }
      }),
    runs(200),
  );
});

/** Of all zones: a shard may have no such warning where another one has. */
const ACCEPTED = "# zoneward: accept blocks_untried until 2099-12-31: tried elsewhere";

/** Requests in all zones and in others, and lines that are none. */
function linesFor(names: readonly string[]): string {
  const lines = [...names, "elsewhere.test"].flatMap((zone, index) =>
    ["/", "/checkout/a", "/b?c"].map((uri, at) => ({
      ...(index % 2 === 0 ? { ZoneName: zone } : {}),
      ClientRequestHost: `www.${zone}`,
      ClientRequestURI: uri,
      ClientRequestScheme: "https",
      EdgeStartTimestamp: 1_790_000_000 + index * 100_000 + at,
    })),
  );
  return [...lines.map((line) => JSON.stringify(line)), '{"QueryName":"a"}', "{cut"].join("\n");
}

/** Reports from all zones and from another one, and lines that are none. */
function eventsFor(names: readonly string[]): string {
  const lines = [...names, "elsewhere.test"].flatMap((zone, index) =>
    ["script", "connection", "other"].map((type, at) => ({
      PageURL: `https://${zone}/checkout/${at}`,
      ResourceType: type,
      Timestamp: 1_790_000_000 + index * 100_000 + at,
      URL: `https://cdn${index}.test/${type}`,
    })),
  );
  return [...lines.map((line) => JSON.stringify(line)), '{"QueryName":"a"}', "{cut"].join("\n");
}

/** Each answer has another one, and what went wrong names it. */
function withoutRequestIds(text: string): string {
  return text.replaceAll(/request id [0-9a-f]+-LOC/g, "request id");
}

async function exists(file: string): Promise<boolean> {
  return readFile(file).then(
    () => true,
    () => false,
  );
}
