import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { expand, fold } from "../../src/render/fold.js";
import { fc } from "../support/random.js";
import golden from "./golden/plan.json" with { type: "json" };

type Change = PlanDocument["changes"][number];

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

const place = fc.record({ file: fc.constantFrom("a.yaml", "b.yaml"), line: fc.nat(2), column: fc.nat(1) });

/** Few values, so that changes are often the same. */
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
    dimensions: fc.array(
      fc.record({
        dimension: fc.constant("d"),
        effect: fc.constantFrom("weakens", "unknown"),
        why: fc.constantFrom("so", "thus"),
        witness: fc.constantFrom(null, { as: "request", request: {} }),
      }),
      { maxLength: 2 },
    ),
    fields: fc.array(
      fc.record({
        path: fc.constantFrom("p", "q"),
        before: fc.constantFrom(null, 1, "1"),
        after: fc.constantFrom(null, { a: 1 }),
        origin: fc.constant("declared"),
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
) as fc.Arbitrary<Change>; // absent where fast-check says possibly undefined

describe("changes that are the same in many zones", () => {
  test("are one when folded, with all of its zones", () => {
    const brands = fold(plan.changes).filter(({ members }) => members.length > 1);
    expect(brands.map(({ shared, members }) => [shared.kind, members.map(({ zone }) => zone)])).toEqual(
      ["policy", "custom_log_fields"].map((kind) => [
        kind,
        ["a", "b", "c", "d", "e", "f"].map((letter) => `brand-${letter}.example.net`),
      ]),
    );
  });

  test("are the changes again when unfolded, in the plan's order", () => {
    expect(expand(fold(plan.changes))).toEqual(plan.changes);
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const folded = fold(changes);
        expect(expand(folded)).toEqual(changes);
        expect(new Set(folded.map(({ shared }) => JSON.stringify(shared))).size).toBe(folded.length);
      }),
      { numRuns: 300 },
    );
  });
});
