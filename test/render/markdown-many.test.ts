import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { foldMessages } from "../../src/render/fold.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planView } from "../../src/run/plan-formats.js";
import { rendered } from "../support/markdown.js";
import golden from "./golden/plan.json" with { type: "json" };

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

type Diagnostic = PlanDocument["diagnostics"][number];

const warned = (zone: string | undefined, message: string, line?: number): Diagnostic => ({
  ...{ severity: "warning", code: "told", message },
  ...(zone === undefined ? {} : { zone }),
  ...(line === undefined ? {} : { source: { file: "zoneward.yaml", line, column: 1 } }),
});

describe("a plan of three hundred zones within the size of a comment", () => {
  const zones = Array.from({ length: 300 }, (_, n) => `zone-${n}.example.com`);
  const long = "While the service is off, its policies are not. Switch them off too. ".repeat(5);
  const [change] = plan.changes;
  const document: PlanDocument = {
    ...plan,
    zones: zones.map((zone) => ({ zone, zone_id: null, status: "planned", requests: 1 })),
    changes: zones.map((zone, n) => ({
      ...change,
      ...{ zone, key: `Policy ${n % 6}`, effect: n % 6 < 3 ? "weakens" : "neutral" },
    })) as PlanDocument["changes"], // copies of a valid change
    calls: zones.map((zone, n) => ({
      ...{ step: n + 1, zone, method: "PUT", path: `/zones/${n}/policies`, body: { n } },
      ...{ changes: [n], after: [] },
    })),
    diagnostics: zones.slice(0, 100).map((zone, n) => warned(zone, `Policies of ${zone}: ${long}`, n + 1)),
    guardrails: [],
    unmanaged: [],
  };
  const markdown = planMarkdown(planView(document, "plan"), 60_000);

  test("names every zone of a change in many zones", () => {
    const { codes } = rendered(markdown);
    for (const zone of zones) expect(codes).toContain(zone);
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(60_000);
  });

  test("shows once a message that is the same in a hundred zones", () => {
    expect(markdown.split("Switch them off too.")).toHaveLength(6);
    expect(markdown).toContain(
      "- `told`, the same in 100 zones: `zone-0.example.com`, `zone-1.example.com`, `zone-2.example.com` and 97 more: Policies of the zone: While",
    );
    expect(markdown).toContain("- `zone-99.example.com` (`zoneward.yaml:100`)\n");
  });

  test("prefers zones over calls and other messages if space is short", () => {
    const others = zones.map((zone, n) => warned(zone, `${n} ${long}`));
    const short = planMarkdown(planView({ ...document, diagnostics: others }, "plan"), 30_000);
    const { codes } = rendered(short);
    for (const zone of zones) expect(codes).toContain(zone);
    // The last bytes can have room for a call, and for nothing larger.
    expect(short).toMatch(/Left out.*: (29\d|300) calls; details of 300 changes/);
  });
});

describe("messages", () => {
  const folded = (...all: readonly Diagnostic[]) =>
    foldMessages(all).map(({ message, members }) => [message, members.length]);

  test("with the same text in several zones are merged and name no zone", () => {
    expect(
      folded(
        warned("a.example", "a.example: the policies of a.example. cannot be read."),
        warned("b.example", "b.example: the policies of b.example. cannot be read."),
      ),
    ).toEqual([["The zone: the policies of the zone. cannot be read.", 2]]);
  });

  test("of one zone stay unchanged", () => {
    expect(folded(warned("a.example", "a.example is odd."))).toEqual([["a.example is odd.", 1]]);
  });

  test("show ${zone} in URLs and longer names when merged", () => {
    expect(
      folded(
        warned("a.example", "a.example: https://a.example:8443/x from https://www.a.example is odd."),
        warned("b.example", "b.example: https://b.example:8443/x from https://www.b.example is odd."),
      ),
    ).toEqual([["The zone: https://${zone}:8443/x from https://www.${zone} is odd.", 2]]);
  });

  test("with another text, severity or no zone are not merged", () => {
    const all = [
      warned("a.example", "aa.example is odd."),
      warned("b.example", "bb.example is odd."),
      { ...warned("c.example", "aa.example is odd."), severity: "error" as const },
      { ...warned("c.example", "aa.example is odd."), code: "other" },
      warned(undefined, "Odd."),
      warned(undefined, "Odd."),
    ];
    expect(folded(...all)).toEqual(all.map(({ message }) => [message, 1]));
  });
});
