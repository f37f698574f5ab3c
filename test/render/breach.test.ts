import { expect, test } from "vitest";
import type { Guardrail } from "../../src/plan/generated/plan-document.js";
import { breachText, foldGuardrails } from "../../src/render/fold.js";

const zones = ["a.example", "b.example"];

function folded(messageOf: (zone: string) => string) {
  const each = (zone: string): Guardrail => ({
    name: "weakens",
    allowed: false,
    message: messageOf(zone),
    zone,
    changes: [],
  });
  const [guardrail] = foldGuardrails(zones.map(each));
  const [part, ...others] = guardrail?.parts ?? [];
  if (part === undefined || others.length > 0) throw new Error("not one part");
  return part;
}

test.each([
  [(zone: string) => `${zone} sends logs.`, "Each of 2 zones sends logs."],
  [(zone: string) => `In ${zone}, an apply would undo it.`, "In each of 2 zones, an apply would undo it."],
  [
    (zone: string) => `Objects of ${zone} changed. Give ${zone} a base.`,
    "Objects of each of 2 zones changed. Give the zone a base.",
  ],
  [(zone: string) => `It loads https://${zone}/a.js.`, "In each of 2 zones: It loads https://${zone}/a.js."],
  [() => "It is unknown.", "In each of 2 zones: It is unknown."],
])("a breach of several zones names their number: %s", (messageOf, shown) => {
  expect(breachText(folded(messageOf))).toBe(shown);
});

test("a breach of several zones, shown for one of them, names that zone", () => {
  const part = folded((zone) => `${zone} sends logs.`);
  expect(breachText(part, part.members.slice(1))).toBe("b.example sends logs.");
});
