import { writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { apply, createEmulator, type Dialect, plan, type Seed } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

/**
 * Random live states against random files: whatever can be planned is applied as planned, leaves nothing to do,
 * and leaves what nobody declared as it was. Names and values come from small pools, so that they collide.
 */
const names = fc.constantFrom("A", "B", "C", "D", "E");
const values = fc.constantFrom(
  "script-src 'self'",
  "SCRIPT-SRC 'Self';",
  "img-src a.example b.example",
  "img-src b.example A.example",
  "script-src 'none'",
);
const expressions = fc.constantFrom("true", ' http.host eq "a" ', 'http.host  eq "a"', 'http.host eq "b"');
const actions = fc.constantFrom("log", "allow");

const livePolicy = fc.record({
  description: names,
  action: actions,
  enabled: fc.boolean(),
  expression: expressions,
  value: values,
});
const settings = fc.record(
  {
    enabled: fc.boolean(),
    use_cloudflare_reporting_endpoint: fc.boolean(),
    use_connection_url_path: fc.boolean(),
  },
  { requiredKeys: [] },
);
const entry = fc.oneof(
  fc.record(
    {
      description: names,
      renamed_from: names,
      action: actions,
      enabled: fc.boolean(),
      expression: expressions,
      value: values,
    },
    { requiredKeys: ["description"] },
  ),
  fc.record({ description: names, action: actions, expression: expressions, value: values }),
  fc.record({ description: names, ensure: fc.constant("absent") }),
);
const zone = fc.record(
  {
    settings,
    policies: fc.uniqueArray(entry, { selector: (each) => each.description, maxLength: 4 }),
    prune: fc.constant(["policies"]),
  },
  { requiredKeys: [] },
);
const liveZone = fc.record({ settings, policies: fc.array(livePolicy, { maxLength: 4 }) });

const ids = { "a.example.com": "a".repeat(32), "b.example.com": "b".repeat(32) };
const story = fc.record({
  dialect: fc.constantFrom<Dialect>("service", "interface"),
  live: fc.record({ "a.example.com": liveZone, "b.example.com": liveZone }),
  config: fc.record({ "a.example.com": zone, "b.example.com": zone }),
});

test("random zones converge in one apply, by exactly the calls that were planned", async () => {
  const cwd = await folderWith({});
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(story, async ({ dialect, live, config }) => {
      const emulator = await createEmulator({ dialect, seed: seedOf(live) });
      try {
        await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones: config }));
        const options = { cwd, environment: reaching(emulator), rateLimit: "off", allow: ["prune_all"] };
        const first = await plan(options);
        fc.pre(first.document !== null);
        const { document } = first;
        if (document === null) return;
        changed += document.changes.length;
        expect((await plan(options)).document).toEqual(document);
        const before = emulator.state();
        const { report } = await apply(options);
        const failed = document.zones.filter((each) => each.status === "failed").map((each) => each.zone);
        expect(report?.zones.filter((each) => !each.converged).map((each) => each.zone)).toEqual(failed);
        expect(bare(emulator.writes())).toEqual(bare(document.calls));
        expect((await plan(options)).document?.changes).toEqual([]);
        const known = idsIn(before);
        expect(untouched(known, emulator.state(), document.changes)).toEqual(
          untouched(known, before, document.changes),
        );
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
    { numRuns: 150 },
  );
  expect(changed).toBeGreaterThan(100);
}, 120_000);

function seedOf(live: Readonly<Record<string, object>>): Seed {
  return {
    zones: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, { id, ...live[name] }])),
  };
}

function bare(calls: readonly { readonly method: string; readonly path: string; readonly body?: unknown }[]) {
  return calls.map(({ method, path: at, body }) => ({ method, path: at, body: body ?? null }));
}

function untouched(
  known: ReadonlySet<string>,
  state: Seed,
  changes: readonly { readonly zone: string; readonly kind: string; readonly id: string | null }[],
) {
  const touched = new Set(changes.map((change) => change.id ?? `${change.zone} ${change.kind}`));
  return Object.entries(state.zones).map(([name, { settings: live, policies = [] }]) => ({
    settings: touched.has(`${name} settings`) ? null : live,
    // A new policy has an id that the plan did not know.
    policies: policies.filter(({ id }) => id !== undefined && known.has(id) && !touched.has(id)),
  }));
}

function idsIn(state: Seed): ReadonlySet<string> {
  return new Set(
    Object.values(state.zones).flatMap(({ policies = [] }) => policies.map(({ id }) => id ?? "")),
  );
}
