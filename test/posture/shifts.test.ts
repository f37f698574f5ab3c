import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Dimensions, Layer } from "../../src/model/strength.js";
import { effectOf, shifts } from "../../src/posture/index.js";

const on: Dimensions = { service: { as: "rank", value: 1 } };
const off: Dimensions = { service: { as: "rank", value: 0 } };
const layered = (...layers: readonly Layer[]): Dimensions => ({ csp: { as: "layers", layers } });
const blocking: Layer = { mode: "enforce", where: "true", csp: "script-src 'self'" };

describe("a change's effect", () => {
  test.each<[string, Dimensions, Dimensions, ReturnType<typeof effectOf>]>([
    ["switching on strengthens", off, on, "strengthens"],
    ["switching off weakens", on, off, "weakens"],
    ["nothing that protects before or after is neutral", layered(), layered(), "neutral"],
    ["a policy that starts to apply strengthens", {}, layered(blocking), "strengthens"],
    ["a policy that no longer applies weakens", layered(blocking), {}, "weakens"],
    [
      "from blocking to reporting weakens",
      layered(blocking),
      layered({ ...blocking, mode: "report" }),
      "weakens",
    ],
    [
      "from reporting to blocking strengthens",
      layered({ ...blocking, mode: "report" }),
      layered(blocking),
      "strengthens",
    ],
    [
      "another CSP is undecided",
      layered(blocking),
      layered({ ...blocking, csp: "script-src 'none'" }),
      "unknown",
    ],
    ["another scope is undecided", layered(blocking), layered({ ...blocking, where: "ssl" }), "unknown"],
    [
      "the same CSP in other words is neutral",
      layered(blocking),
      layered({ ...blocking, csp: "SCRIPT-SRC  'self';" }),
      "neutral",
    ],
    [
      "stronger in one dimension and weaker in another is mixed",
      { ...off, ...layered(blocking) },
      on,
      "mixed",
    ],
  ])("%s", (_, before, after, expected) => {
    expect(effectOf(shifts(before, after))).toBe(expected);
  });

  test("mirrors when before and after trade places", () => {
    const layer = fc.record<Layer>({
      mode: fc.constantFrom("enforce", "report"),
      where: fc.constantFrom("true", "ssl"),
      csp: fc.constantFrom("script-src 'self'", "script-src 'none'"),
    });
    const dimensions = fc.record<Dimensions>({
      service: fc.record({ as: fc.constant("rank" as const), value: fc.integer({ min: 0, max: 1 }) }),
      csp: fc.record({ as: fc.constant("layers" as const), layers: fc.array(layer, { maxLength: 1 }) }),
    });
    const mirror = {
      strengthens: "weakens",
      weakens: "strengthens",
      mixed: "mixed",
      neutral: "neutral",
      unknown: "unknown",
    };
    fc.assert(
      fc.property(dimensions, dimensions, (a, b) => {
        expect(effectOf(shifts(b, a))).toBe(mirror[effectOf(shifts(a, b))]);
      }),
    );
  });
});
