import { expect, test } from "vitest";
import { createEmulator, type Edit, type PlanDocument, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";

const ZONE = "shop.example.com";
const HOUR_MS = 3_600_000;
const NAMES = ["A", "B", "C"] as const;
const FILE = `version: 1
zones:
  ${ZONE}:
    policies:
${NAMES.map((name) => `      - { description: ${name}, action: log, expression: "true", value: "script-src 'self'" }\n`).join("")}
    settings: { enabled: true }
`;

interface Write {
  readonly by: "alice@example.com" | "bob@example.com" | "carol@example.com" | "us";
  readonly on: (typeof NAMES)[number] | "settings";
  readonly value: string;
  readonly audited: "kept" | "late" | "missing";
}

const writes = fc.array(
  fc.record<Write>({
    by: fc.constantFrom("alice@example.com", "bob@example.com", "carol@example.com", "us"),
    on: fc.constantFrom(...NAMES, "settings"),
    value: fc.constantFrom("script-src a.example", "script-src b.example", "script-src 'self'", "gone"),
    audited: fc.oneof(
      { weight: 4, arbitrary: fc.constant("kept" as const) },
      { weight: 1, arbitrary: fc.constantFrom("late" as const, "missing" as const) },
    ),
  }),
  { minLength: 1, maxLength: 8 },
);

function editOf({ by, on, value, audited }: Write): Edit {
  const how = { zone: ZONE, by, ...(audited === "kept" ? {} : { audited }) };
  if (on === "settings") return { edit: on, set: { enabled: value === "script-src 'self'" }, ...how };
  const where = { description: on };
  return value === "gone"
    ? { edit: "policy", remove: true, where, ...how }
    : { edit: "policy", set: { value }, where, ...how };
}

/** The state that a write leaves. */
function stateOf({ on, value }: Write): string {
  return on === "settings" ? String(value === "script-src 'self'") : value;
}

test("drift never names a wrong author, and names the author if the log is complete", async () => {
  const propertyOf = (met: (shape: string) => void) =>
    fc.asyncProperty(writes, async (history) => {
      // The log covers the last 30 days by the emulator's clock, so all writes are recent.
      let ms = Date.now() - HOUR_MS;
      const now = () => {
        ms += 1000;
        return new Date(ms);
      };
      const emulator = await createEmulator({ seed: { zones: { [ZONE]: {} } } as Seed, now });
      try {
        const around = { cwd: await folderWith({ "zoneward.yaml": FILE }), env: reaching(emulator) };
        const apply = () => zoneward(["apply", "--yes", "-q"], around);
        expect((await apply()).code).toBe(0);
        /**
         * The last write to each object, the authors of each state since the last apply, and the authors of
         * the current state.
         */
        const last = new Map<
          string,
          {
            readonly write: Write;
            readonly writers: ReadonlyMap<string, readonly string[]>;
            readonly row: ReadonlySet<string>;
          }
        >();
        for (const write of history) {
          if (write.by === "us") {
            expect((await apply()).code).toBe(0);
            last.clear();
            continue;
          }
          if (emulator.edit(editOf(write)).length === 0) continue;
          const state = stateOf(write);
          const known = last.get(write.on);
          const writers = new Map(known?.writers);
          writers.set(state, [...(writers.get(state) ?? []), write.by]);
          const row = known !== undefined && stateOf(known.write) === state ? known.row : [];
          last.set(write.on, { write, writers, row: new Set([...row, write.by]) });
        }
        const args = ["drift", "--who", "--format", "json"];
        const asked = await zoneward(args, around);
        expect(asked.code, asked.err).toBe(0);
        for (const { key, who } of (JSON.parse(asked.out) as PlanDocument).changes) {
          const truth = last.get(key);
          expect(truth, key).toBeDefined();
          if (truth === undefined || who === undefined) continue;
          const { write, writers, row } = truth;
          if (who.found === "named") {
            met("named");
            expect(writers.get(stateOf(write)), JSON.stringify(who)).toContain(who.by[0]?.who);
          } else met("open");
          // If no log entry is late or missing, the author is among the candidates.
          if (history.every(({ audited }) => audited === "kept")) {
            expect(who.by.map((each) => each.who)).toContain(write.by);
            if (write.value !== "gone") expect(who.found).toBe(row.size === 1 ? "named" : "candidates");
          }
        }
      } finally {
        await emulator.close();
      }
    });
  await untilMet({ named: runs(300), open: runs(100) }, propertyOf, runs(500));
});
