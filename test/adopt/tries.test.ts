import { expect, test } from "vitest";
import { adopted } from "../../src/adopt/adopt.js";
import { driftedOf, type Unit } from "../../src/adopt/drifted.js";
import { desiredFrom } from "../../src/config/index.js";
import { declaredIn } from "../../src/config/zone.js";
import { policy } from "../../src/kinds/policy/index.js";
import { baseOf } from "../../src/match/base.js";

const entry = (name: string) =>
  `      - { description: ${name}, action: log, enabled: true, expression: "true", value: "script-src 'self'" }\n`;

/**
 * Runs `adopt` for zones whose policies were all deleted outside the files. Policies named bad… cannot be
 * adopted.
 */
async function story(zones: readonly (readonly string[])[]) {
  const text = `version: 1\nzones:\n${zones
    .map((names, at) => `  z${at}.example:\n    policies:\n${names.map(entry).join("")}`)
    .join("")}`;
  const { desired } = desiredFrom([{ file: "a.yaml", text }], {}, "plan");
  const units = (desired?.zones ?? []).flatMap((each): readonly Unit[] => {
    const zone = each.open();
    const declared = declaredIn(policy, zone.sections);
    const live = { items: [], context: null };
    const base = baseOf({ kind: policy, zone, declared, lacks: false, secretFields: new Set() }, live);
    const found = driftedOf({ kind: policy, base, declared, live }, zone, false);
    if (!found.ok) throw new Error("the policies must be comparable");
    return found.value.map((drifted) => ({
      zone,
      kind: policy,
      context: null,
      secretFields: new Set(),
      drifted,
    }));
  });
  const there = zones.flat().filter((name) => name.startsWith("bad"));
  let tries = 0;
  const result = await adopted(units, new Map([["a.yaml", text]]), async (texts) => {
    tries += 1;
    const lost = there.filter((name) => !texts.get("a.yaml")?.includes(`description: ${name},`));
    return lost.length > 0 ? { ok: false, why: `${lost[0]} is needed` } : { ok: true, drifted: [] };
  });
  const left = result.outcomes.flatMap(({ unit, why }) =>
    why === null ? [] : [`${unit.drifted.ref.key}: ${why}`],
  );
  const kept = [...(result.texts.get("a.yaml") ?? text).matchAll(/description: (\w+)/g)].map(
    ([, name]) => name,
  );
  return { units: units.length, tries, left, kept };
}

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}x`);

test("adopt isolates one failing zone among many in a few tries, with two more for twice the zones", async () => {
  const triesFor = async (count: number) => {
    const zones = names(count, "p").map((name, at) => [at === count - 2 ? "bad" : name]);
    const { tries, left, kept } = await story(zones);
    expect(left).toEqual(["bad: The edited file would be invalid: bad is needed"]);
    expect(kept).toEqual(["bad"]);
    return tries;
  };
  const tries = await triesFor(32);
  expect(tries).toBeLessThanOrEqual(12);
  expect(await triesFor(64)).toBeLessThanOrEqual(tries + 2);
});

test("adopt isolates failing objects of one zone, and adopts all others", async () => {
  const { units, tries, left, kept } = await story([["a", "b"], [...names(30, "p"), "bad", "badder"], ["c"]]);
  expect(units).toBe(35);
  expect(kept).toEqual(["bad", "badder"]);
  expect(left.map((each) => each.split(":")[0])).toEqual(["bad", "badder"]);
  expect(tries).toBeLessThanOrEqual(20);
});
