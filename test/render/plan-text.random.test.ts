import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { onCommandLine } from "../../src/model/sentence.js";
import { palette } from "../../src/render/palette.js";
import { planText } from "../../src/render/plan-text.js";
import { viewOf } from "../../src/render/view.js";
import { harmIn, hostileTexts } from "../support/hostile.js";
import { runs } from "../support/random.js";
import golden from "./golden/plan.json" with { type: "json" };

type Field = PlanDocument["changes"][number]["fields"][number];

const NO_EFFECTS = { strengthens: 0, weakens: 0, mixed: 0, neutral: 0, unknown: 0 };

/** The lines of a plan with this change in one object. */
function shown(
  field: Partial<Field>,
  object: Partial<PlanDocument["changes"][number]> = {},
  color = false,
): string {
  const zone = "shop.example.com";
  const change: Omit<PlanDocument["changes"][number], "fields"> = {
    zone,
    zone_id: "1",
    kind: "kind",
    key: "Name",
    id: "2",
    action: "update",
    origin: "unknown",
    effect: "unknown",
    dimensions: [],
    source: null,
    ...object,
  };
  const document: PlanDocument = {
    format_version: "1",
    summary: {
      zones: 1,
      create: 0,
      update: 1,
      delete: 0,
      unchanged: 0,
      unmanaged: 0,
      not_listed: 0,
      calls: 0,
      requests: 1,
      effects: NO_EFFECTS,
      impact: null,
      origins: { declared: 0, drift: 0, conflict: 0, mixed: 0, unknown: 0 },
    },
    inputs: { config: [], zones: [] },
    changes: [
      { ...change, fields: [{ path: "field", before: null, after: null, origin: "unknown", ...field }] },
    ],
    calls: [],
    zones: [{ zone, zone_id: "1", status: "planned", requests: 1 }],
    unmanaged: [],
    guardrails: [],
    seen: [],
    digest: "",
    diagnostics: [],
  };
  return planText(inNoWords(document), { colors: palette(color), width: null, verbose: true });
}

/** The kinds without their own words for values. */
function inNoWords(document: PlanDocument) {
  return viewOf(document, "plan", {
    explain: () => null,
    partsOf: () => null,
    kinds: [],
    spelling: onCommandLine,
  });
}

/** The two sides of a change, on one line or two. */
function sidesOf(text: string): readonly string[] {
  const [, a, b] = /field: (.*) → (.*)\n/.exec(text) ?? /field:\n +- (.*)\n +\+ (.*)\n/.exec(text) ?? [];
  return [a ?? "", b ?? ""];
}

const LONG = "img-src a.example; ".repeat(5_000);

describe("the two sides of a change look different", () => {
  test.each<[string, unknown, unknown]>([
    ["by something invisible", "a\u200bb", "ab"],
    ["by another invisible character", "a\u200bb", "a\u200cb"],
    ["by a variation selector", "a\ufe0f", "a"],
    ["by a turned text", "ab", "a\u202eb"],
    ["by the kind of a space", "a b", "a\u00a0b"],
    ["by a space at the end", "a", "a "],
    ["by a space at the start", "a", " a"],
    ["by a line end", "a b", "a\nb"],
    ["by a text that looks like an escape", "\u202e", "\\u{202e}"],
    ["by how a letter is composed", "caf\u00e9", "cafe\u0301"],
    ["by the width of letters", "script", "ｓｃｒｉｐｔ"],
    ["by its type", 5, "5"],
    ["by a text that looks like a list", ["a"], '["a"]'],
    ["by a text that looks like an unset value", null, "(not set)"],
    ["by a text that looks like an empty one", "", '""'],
    ["by the start of a long text", `a${LONG}`, `b${LONG}`],
    ["by the middle of a long text", `${LONG}a${LONG}`, `${LONG}b${LONG}`],
    ["by the end of a long text", `${LONG}a`, `${LONG}b`],
    ["by something invisible in a long text", `${LONG}a`, `${LONG}a\u200b`],
    ["deep in a long object", { a: [LONG, "a", LONG] }, { a: [LONG, "b", LONG] }],
  ])("%s", (_, before, after) => {
    for (const [a, b] of [
      [before, after],
      [after, before],
    ]) {
      const [one, other] = sidesOf(shown({ before: a, after: b }));
      expect(one).not.toBe("");
      expect(other).not.toBe("");
      expect(one).not.toBe(other);
      expect(one?.normalize("NFKC").trim()).not.toBe(other?.normalize("NFKC").trim());
    }
  });
});

describe("a change cannot imitate another one", () => {
  test("with an arrow in its text", () => {
    expect(shown({ before: "a → b", after: "c" })).toContain('field: "a → b" → c\n');
  });

  test("with our words for hidden values", () => {
    expect(shown({ before: "a", after: "(sensitive)" })).toContain('field: a → "(sensitive)"\n');
  });
});

describe("a plan is harmless with text in any place", () => {
  test.each(hostileTexts)("%s", (_, text) => {
    const sides = { added: [text, `${text}b`], removed: [text] };
    const parts: Field["parts"] = [{ part: text, change: "changed", ...sides }];
    const members: Field["parts"] = [{ part: "", change: "changed", ...sides }];
    const source = { file: text, line: 1, column: 1 };
    for (const color of [false, true]) {
      const plans = [
        shown(
          { path: text, before: text, after: `${text}b` },
          { key: text, was: `${text}b`, source, kind: text },
          color,
        ),
        shown({ path: text, before: { [text]: text }, after: null }, { id: text, action: "delete" }, color),
        shown({ path: text, after: `${text}; ${text}` }, { action: "create", zone: text }, color),
        shown({ path: text, parts: parts }, {}, color),
        shown({ path: text, parts: members }, {}, color),
      ];
      for (const plan of plans) expect(harmIn(plan, "people", color)).toEqual([]);
    }
  });
});

describe("a set with many changed members", () => {
  const added = Array.from({ length: 5_000 }, (_, index) => `host-${index}.example`);
  const text = shown({ parts: [{ part: "img-src", change: "changed", added, removed: ["::error::a"] }] });

  test("shows each member", () => {
    for (const member of added) expect(text).toMatch(new RegExp(`\\+ ${member}(?= |\\n)`));
  });

  test("has no line that is too long or a command", () => {
    expect(harmIn(text, "people")).toEqual([]);
  });

  test("shows how two long members differ", () => {
    const [a, b] = [`https://a.example/${"x".repeat(100_000)}a`, `https://a.example/${"x".repeat(100_000)}b`];
    const [, added = "", removed = ""] =
      /\+ (.*) - (.*)\n/.exec(
        shown({ parts: [{ part: "", change: "changed", added: [a], removed: [b] }] }),
      ) ?? [];
    expect([added.slice(-3), removed.slice(-3)]).toEqual(["xxa", "xxb"]);
    expect(added).toMatch(/^…\(\d+ characters left out\)…x+a$/);
  });
});

test("shows the own parts of each of thirty thousand zones", () => {
  const plan = golden as unknown as PlanDocument; // JSON modules have no literal types
  const names = Array.from({ length: runs(30_000) }, (_, n) => `zone-${n}.example`);
  const document: PlanDocument = {
    ...plan,
    zones: names.map((zone) => ({ zone, zone_id: null, status: "planned", requests: 1 })),
    changes: [],
    calls: names.map((zone, n) => ({
      ...{ step: n + 1, zone, method: "PUT", path: `/${n}`, body: null },
      ...{ changes: [], after: [] },
    })),
    unmanaged: names.map((zone, n) => ({
      ...{ zone, kind: "policy", key: `Theirs ${n}`, id: null, does: "does it" },
      ...{ effect: "weakens", known: "not_listed", list: "policies", list_as: `Theirs ${n}` },
    })),
  };
  const text = planText(inNoWords(document), { colors: palette(false), width: null, verbose: true });
  expect(
    text.match(
      /^zone-(\d+)\.example\n {2}undeclared \(left alone\), weakens: policy "Theirs \1" does it\n {2}to acknowledge, add to the zone: unmanaged: \{ policies: \["Theirs \1"\] \}\n {2}calls\n {4}\d+\. PUT \/\1$/gm,
    ),
  ).toHaveLength(names.length);
});
