import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { apply, createEmulator, type PlanDocument, plan } from "../../src/index.js";
import { quickFolder } from "../apply/run.js";
import { reaching } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";

const names = ["a", "b", "c", "d"].map((name) => `${name}.example.com`);
const [first = ""] = names;

/** Of rulesets and jobs, there is mostly something to tell. */
const plain = zone.map((body) => {
  const { settings = {}, policies = [] } = body as { settings?: object; policies?: readonly object[] }; // of its generator
  return { settings, policies };
});

const story = fc.record({
  template: fc.oneof({ arbitrary: plain, weight: 3 }, zone),
  other: fc.oneof(plain, zone),
  // What nobody declares may differ from zone to zone.
  live: fc.tuple(fc.constant({}), fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, liveZone)),
  changed: fc.subarray(names),
  based: fc.boolean(),
});

/** Of zones that are alike, one is planned, and the others have its plan: which must be the one that each has alone. */
test("a zone among others of its template has the plan that it has alone", async () => {
  const cwd = await quickFolder("");
  const before = await quickFolder("");
  const write = (folder: string, file: string, zones: object, template: object) =>
    writeFile(path.join(folder, file), JSON.stringify({ version: 1, templates: { shop: template }, zones }));
  await untilMet(
    { settled: runs(100), changing: runs(60) },
    (met) =>
      fc.asyncProperty(story, async ({ template, other, live, changed, based }) => {
        const zones = Object.fromEntries(
          names.map((name, index) => [name, { id: String(index + 1).repeat(32), ...live[index % 2] }]),
        );
        const emulator = await createEmulator({ seed: { zones } });
        try {
          const extending = (those: readonly string[]) =>
            Object.fromEntries(those.map((name) => [name, { id: zones[name]?.id, extends: ["shop"] }]));
          for (const folder of [cwd, before]) await write(folder, "all.yaml", extending(names), template);
          await write(cwd, "changed.yaml", extending(changed), other);
          const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
          const allow = ["prune_all"];
          await apply({ ...options, config: ["all.yaml"], allow });
          if (changed.length > 0) await apply({ ...options, config: ["changed.yaml"], allow });
          const now = { ...options, config: ["all.yaml"], ...(based ? { base: before } : {}) };
          const { document: whole } = await plan(now);
          fc.pre(whole !== null);
          if (whole === null) return;
          for (const name of names) {
            const { document: alone } = await plan({ ...now, zones: [name] });
            const own = of(whole, name);
            expect(own).toEqual(alone === null ? null : of(alone, name));
            met(own.changes.length === 0 && name !== first ? "settled" : "changing");
          }
        } finally {
          await emulator.close();
        }
      }),
    runs(60),
  );
}, 120_000);

const POLICY = {
  description: "Shop",
  action: "allow",
  expression: "ssl",
  value: "img-src 'self'",
  enabled: true,
};
const SETTINGS = { enabled: true, use_connection_url_path: true };

test.each([
  ["a value", { policies: [{ ...POLICY, value: "img-src 'self' evil.example" }] }],
  ["an expression", { policies: [{ ...POLICY, expression: "not ssl" }] }],
  ["an action", { policies: [{ ...POLICY, action: "log" }] }],
  ["whether it is on", { policies: [{ ...POLICY, enabled: false }] }],
  ["a name", { policies: [{ ...POLICY, description: "shop" }] }],
  ["one more", { policies: [POLICY, { ...POLICY, description: "Other" }] }],
  ["none", { policies: [] }],
  ["a setting", { settings: { ...SETTINGS, enabled: false } }],
])("a zone in which somebody changed %s is not taken for one that stays as it is", async (_, byHand) => {
  const zone = { settings: SETTINGS, policies: [POLICY] };
  const zones = Object.fromEntries(
    names.map((name, index) => [
      name,
      { id: String(index + 1).repeat(32), ...zone, ...(index === 2 ? byHand : {}) },
    ]),
  );
  const file = {
    version: 1,
    templates: { shop: { ...zone, prune: ["policies"] } },
    zones: Object.fromEntries(names.map((name) => [name, { extends: ["shop"] }])),
  };
  const cwd = await quickFolder(JSON.stringify(file));
  const emulator = await createEmulator({ seed: { zones } });
  const { document } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
  await emulator.close();
  expect(new Set(document?.changes.map((change) => change.zone))).toEqual(new Set([names[2]]));
  expect(new Set(document?.zones.map(({ digest }) => digest)).size).toBe(names.length);
});

test.each([
  ["a pin that is of one zone alone", [{ id: "3".repeat(32), description: "Shop" }], "pin_not_live"],
  [
    "what is to go by its id",
    [{ description: "Shop" }, { id: "4".repeat(32), description: "Old", ensure: "absent" }],
    null,
  ],
])("%s tells apart zones that are alike but for ids", async (_, policies, code) => {
  const ids = { "a.example.com": "3".repeat(32), "b.example.com": "4".repeat(32) };
  const zones = Object.fromEntries(
    Object.entries(ids).map(([name, id], index) => [
      name,
      { id: String(index + 1).repeat(32), policies: [{ ...POLICY, id }] },
    ]),
  );
  const entries = policies.map((each) => ("ensure" in each ? each : { ...POLICY, ...each }));
  const extending = Object.keys(ids).map((name) => [name, { extends: ["shop"] }]);
  const cwd = await quickFolder(
    JSON.stringify({
      version: 1,
      templates: { shop: { policies: entries } },
      zones: Object.fromEntries(extending),
    }),
  );
  const emulator = await createEmulator({ seed: { zones } });
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  const [{ document: whole }, { document: alone }] = [
    await plan(options),
    await plan({ ...options, zones: ["b.example.com"] }),
  ];
  await emulator.close();
  if (whole === null || alone === null) throw new Error("there is no plan");
  expect(of(whole, "b.example.com")).toEqual(of(alone, "b.example.com"));
  expect(whole.diagnostics.filter(({ severity }) => severity === "error").map((each) => each.code)).toEqual(
    code === null ? [] : [code],
  );
  expect(whole.changes.length > 0).toBe(code === null);
});

/** A plan numbers what is in it through. */
function of({ zones, changes, calls, seen, diagnostics, unmanaged }: PlanDocument, name: string) {
  const own = <T extends { readonly zone?: string | null }>(all: readonly T[]) =>
    all.filter((each) => each.zone === name);
  return {
    zones: own(zones),
    changes: own(changes).map(({ zone: _, ...rest }) => rest),
    calls: own(calls).map(({ method, path: at, body }) => ({ method, at: at.replace(/\d+\}/, "}"), body })),
    seen: own(seen),
    diagnostics: own(diagnostics),
    unmanaged: own(unmanaged),
  };
}
