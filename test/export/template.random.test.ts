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

/** One name is part of two others, one is part of a word in the texts, and one cannot start the name of a secret. */
const NAMES = ["a.com", "b.a.com", "github.a.com"] as const;

const story = fc.record({
  common: liveZone,
  zones: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
  // Sections in which a zone differs from the common ones.
  own: fc.tuple(liveZone, liveZone, liveZone),
  parts: fc.tuple(
    fc.subarray(["settings", "policies", "rulesets", "logpush_jobs"] as const, { maxLength: 2 }),
    fc.nat(3),
  ),
});

test("zones exported with a template mean the same as without and plan no changes", async () => {
  const cwd = await folderWith({});
  const least = {
    "a template": runs(60),
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
            return [name, callingIt(name, { ...common, ...other } as Json) as ZoneSeed]; // renaming keeps every type
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
    runs(110),
  );
});

/** Texts with the zone's name, with words that contain it, and with text that looks like a reference. */
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

/** The final body of each zone. A list keeps its order only if its kind depends on it. */
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
