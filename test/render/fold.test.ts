import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { fold, ofAnyZone } from "../../src/render/fold.js";
import { fc } from "../support/random.js";
import golden from "./golden/plan.json" with { type: "json" };

type Change = PlanDocument["changes"][number];

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

const place = fc.record({ file: fc.constantFrom("a.yaml", "b.yaml"), line: fc.nat(2), column: fc.nat(1) });

const dimensions = fc.array(
  fc.record({
    dimension: fc.constant("d"),
    effect: fc.constantFrom("weakens", "unknown"),
    why: fc.constantFrom("so", "thus"),
    witness: fc.constantFrom(null, { as: "request", request: {} }),
  }),
  { maxLength: 2 },
);

/** Few values, so that changes are often equal. */
const change: fc.Arbitrary<Change> = fc.record(
  {
    zone: fc.constantFrom("a", "b", "c", "d"),
    zone_id: fc.constantFrom("1", "2"),
    kind: fc.constantFrom("k", "l"),
    key: fc.constantFrom("x", "y", "__proto__"),
    id: fc.constantFrom(null, "i"),
    was: fc.constantFrom("v", "w"),
    action: fc.constantFrom("create", "update", "delete"),
    origin: fc.constantFrom("declared", "drift"),
    effect: fc.constantFrom("weakens", "neutral"),
    drift_effect: fc.constantFrom("weakens", "neutral"),
    drift_dimensions: dimensions,
    dashboard: fc.constantFrom("https://a", "https://b"),
    dimensions,
    fields: fc.array(
      fc.record({
        path: fc.constantFrom("p", "q"),
        before: fc.constantFrom(null, 1, "1"),
        after: fc.constantFrom(null, { a: 1 }),
        base: fc.constantFrom(undefined, null, "0"),
        origin: fc.constant("declared"),
        source: place,
      }),
      { maxLength: 2 },
    ),
    source: fc.option(place),
    removed: place,
    impact: fc.constantFrom(
      {},
      { scripts: { newly_blocked: [], newly_reported: [], newly_allowed: [], undecided: [] } },
    ),
  },
  {
    requiredKeys: [
      ...(["zone", "zone_id", "kind", "key", "id", "action", "origin", "effect"] as const),
      ...(["dimensions", "fields", "source"] as const),
    ],
  },
) as fc.Arbitrary<Change>; // optional fields are absent, not undefined

describe("equal changes in many zones", () => {
  test("are folded into one with all zones", () => {
    const brands = fold(plan.changes.map((each) => ({ change: each }))).filter(({ length }) => length > 1);
    expect(brands.map((group) => [group[0].change.kind, group.map((each) => each.change.zone)])).toEqual(
      ["policy", "custom_log_fields"].map((kind) => [
        kind,
        ["a", "b", "c", "d", "e", "f"].map((letter) => `brand-${letter}.example.net`),
      ]),
    );
  });

  test("are never folded within one zone", () => {
    const [first] = plan.changes;
    if (first === undefined) throw new Error("the plan has changes");
    const alike = ["a", "a", "b"].map((zone, n) => ({ change: { ...first, zone, id: `${n}` } }));
    expect(fold(alike).map((group) => group.map((each) => each.change.id))).toEqual([["0", "2"], ["1"]]);
  });

  test("are folded even if each zone declares the fields itself", () => {
    const [first] = plan.changes;
    if (first === undefined) throw new Error("the plan has changes");
    const inZone = (zone: string, line: number) => ({
      change: {
        ...first,
        zone,
        fields: first.fields.map((each) => ({ ...each, source: { file: "zones.yaml", line, column: 7 } })),
      },
    });
    expect(fold([inZone("a", 12), inZone("b", 34)])).toHaveLength(1);
  });

  describe("that contain the zone's name", () => {
    const [first] = plan.changes;
    if (first === undefined) throw new Error("the plan has changes");
    const inZone = (zone: string, text: string) => ({
      change: {
        ...first,
        zone,
        fields: [{ path: "value", before: null, after: text, origin: "declared" as const }],
      },
    });

    test("are folded and show ${zone}", () => {
      const same = ["a.example", "b.example"].map((zone) => inZone(zone, `cdn.${zone} https://${zone}/x`));
      const groups = fold(same);
      expect(groups).toHaveLength(1);
      expect(ofAnyZone(groups[0]?.[0].change ?? first)).toEqual({
        ...same[0]?.change,
        fields: [{ path: "value", before: null, after: "cdn.${zone} https://${zone}/x", origin: "declared" }],
      });
    });

    test.each([
      ["part of another name", "a.example.net", "b.example.net"],
      ["the end of another label", "evil-a.example", "evil-b.example"],
      ["the name of one of them in both", "cdn.a.example", "cdn.a.example"],
      ["what only looks like it", "cdn.${zone}", "cdn.b.example"],
    ])("are not folded if the name is %s", (_, a, b) => {
      expect(fold([inZone("a.example", a), inZone("b.example", b)])).toHaveLength(2);
    });
  });

  test("are each in one group, in plan order, and differ only in the zone's own parts", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const groups = fold(changes.map((each, n) => ({ n, change: each })));
        expect(groups.flatMap((group) => group.map(({ n }) => n)).toSorted((a, b) => a - b)).toEqual([
          ...changes.keys(),
        ]);
        for (const group of groups) {
          const places = group.map(({ n }) => n);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          expect(new Set(group.map((each) => sharedText(each.change))).size).toBe(1);
          expect(new Set(group.map((each) => each.change.zone)).size).toBe(group.length);
        }
        // The second change of one zone is folded with the second of another.
        const firsts = groups.filter(([{ n, change: first }]) =>
          changes.slice(0, n).every((each) => sharedText(each) !== sharedText(first)),
        );
        expect(new Set(changes.map(sharedText)).size).toBe(firsts.length);
      }),
      { numRuns: 300 },
    );
  });
});

/** A second implementation: the parts of a folded change that may differ between zones. */
function sharedText(given: Change): string {
  const own = ["zone", "zone_id", "id", "source", "removed", "dashboard", "impact", "witness"];
  return JSON.stringify(given, (key, value) => (own.includes(key) ? undefined : value));
}
