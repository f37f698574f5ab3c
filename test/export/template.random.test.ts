import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { desiredFrom } from "../../src/config/index.js";
import { createEmulator, exportZones, plan, type ZoneSeed } from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { listOf } from "../../src/kinds/kind.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { folderWith, reaching } from "../support/cli.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone } from "../support/random-zones.js";

/** One is a part of two others, one is in a word of the texts, and one is kept from beginning a secret's name. */
const NAMES = ["a.com", "b.a.com", "github.a.com"] as const;

const story = fc.record({
  common: liveZone,
  zones: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
  // What a zone has of its own in place of what is common.
  own: fc.tuple(liveZone, liveZone, liveZone),
  parts: fc.tuple(
    fc.subarray(["settings", "policies", "rulesets", "logpush_jobs"] as const, { maxLength: 2 }),
    fc.nat(3),
  ),
});

test("zones with a template say what they say without, and plan to nothing", async () => {
  const cwd = await folderWith({});
  const least = {
    "a template": runs(80),
    "a part of an object": runs(40),
    "a name of a zone": runs(40),
    "the name of a secret": runs(20),
    "one zone": runs(20),
  };
  await untilMet(
    least,
    (met) =>
      fc.asyncProperty(story, async ({ common, zones, own, parts: [parts, count] }) => {
        const seed = Object.fromEntries(
          zones.map((name, index) => {
            const others = Object.fromEntries(parts.map((part) => [part, own[index]?.[part]]));
            const other = index < count ? others : {};
            return [name, callingIt(name, { ...common, ...other } as Json) as ZoneSeed]; // of texts, texts come out
          }),
        );
        const emulator = await createEmulator({ seed: { zones: seed } });
        try {
          const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
          const [plainly, shared] = [
            await exportZones(options),
            await exportZones({ ...options, template: "site" }),
          ];
          expect(shared.problems).toEqual([]);
          expect(shared.secrets).toEqual(plainly.secrets);
          const text = shared.text ?? "";
          expect(resolved(text)).toEqual(resolved(plainly.text ?? ""));
          await writeFile(path.join(cwd, "zoneward.yaml"), text);
          const planned = await plan(options);
          expect(planned.problems.filter(({ severity }) => severity === "error")).toEqual([]);
          expect(planned.document?.changes).toEqual([]);
          if (text.includes("extends: [site]")) met("a template");
          if (text.includes("extends: [site]") && zones.length === 1) met("one zone");
          if (text.slice(0, text.indexOf("\nzones:")).includes("${zone}")) met("a name of a zone");
          if (text.includes("secret:${vars.SITE}")) met("the name of a secret");
          const names = [...text.matchAll(/(?:description|name): (.+)/g)].map(([, name]) => name);
          if (new Set(names).size < names.length) met("a part of an object");
        } finally {
          await emulator.close();
        }
      }),
    runs(160),
  );
}, 300_000);

/** Texts that speak of the zone, also in words that are no name of it, and such as look like references. */
function callingIt(zone: string, value: Json): Json {
  if (isList(value)) return value.map((each) => callingIt(zone, each));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, callingIt(zone, each)]));
  if (typeof value !== "string") return value;
  const called = new Map(
    Object.entries({
      A: `Of ${zone}`,
      B: `${zone} and data.com`,
      C: `$\{zone} $${zone} $$\{env:HOME}`,
      D: "a.com",
      x: `not${zone}`,
      y: `${zone}.evil.org`,
      j: `logs-${zone}`,
    }),
  );
  return called.get(value) ?? value.replaceAll("b.example", `cdn.${zone}`);
}

/** Each zone's body, whatever it comes from. The order of a list counts where its kind says so. */
function resolved(text: string): JsonObject {
  const { desired, problems } = desiredFrom([{ file: "a.yaml", text }], {});
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const unordered = new Set(
    kinds.map(listOf).flatMap((list) => (list === null || list.inOrder !== undefined ? [] : [list.section])),
  );
  return Object.fromEntries(
    (desired?.zones ?? []).map((zone) => {
      const { vars: _, ...body } = zone.open().merged;
      const { managed_ruleset: one, managed_rulesets: several, ...others } = body;
      const listed = isObject(one) ? [{ ruleset: "Cloudflare OWASP Core Ruleset", ...one }] : several;
      const all = listed === undefined ? others : { ...others, managed_rulesets: listed };
      const sections = Object.entries(all).map(([section, value]) => {
        const isSet = unordered.has(section) && isList(value);
        return [
          section,
          isSet ? value.toSorted((a, b) => (sortable(a) < sortable(b) ? -1 : 1)) : value,
        ] as const;
      });
      return [zone.name, Object.fromEntries(sections)];
    }),
  );
}

function sortable(value: Json): string {
  if (!isObject(value)) return JSON.stringify(value);
  return JSON.stringify([value.description ?? value.name ?? value.ruleset ?? null, value.dataset ?? null]);
}
