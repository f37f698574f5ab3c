import { describe, expect, test } from "vitest";
import { jsonLine, jsonText } from "../../src/model/json-text.js";
import { plain, visible } from "../../src/render/plain.js";
import { harmIn, hostileTexts } from "../support/hostile.js";
import { fc, runs } from "../support/random.js";

const texts = hostileTexts;
const hostile = fc.array(
  fc.oneof(
    fc.constantFrom("\\", "u{", "5c}", ":", "#", "[", "'", " ", "\u0301"),
    fc.string({ unit: "binary", maxLength: 3 }),
  ),
);

describe("the judge of what is harmful", () => {
  const harmless = [
    "HTML",
    "Markdown",
    "a formula",
    "a formula behind a semicolon",
    "a prototype",
    "a constructor",
    "a method",
    "another method",
    "quotes",
    "an escape that is none",
    "nothing",
    "a blank",
    "long marks",
    "long lines",
  ];

  test.each(texts.filter(([name]) => !harmless.includes(name)))(
    "sees %s that comes out as it is",
    (_, text) => {
      expect(harmIn(`${text}\n`, "people")).not.toEqual([]);
      expect(harmIn(`  ${text}\n`, "people", true)).not.toEqual([]);
    },
  );

  test("has nothing against our colours, where they were asked for", () => {
    const red = "\u001b[31mred\u001b[39m\n";
    expect([harmIn(red, "people", true), harmIn(red, "people", false)]).toEqual([[], ["control U+1b"]]);
  });
});

describe("a text is harmless when it is shown", () => {
  test.each(texts)("%s", (_, text) => {
    expect([harmIn(plain(text), "people"), harmIn(`  ${plain(text)}`, "people")]).toEqual([[], []]);
    expect(harmIn(visible(text), "programs")).toEqual([]);
  });

  test("whatever is in it", () => {
    fc.assert(
      fc.property(hostile, (parts) => {
        expect(harmIn(visible(parts.join("")), "programs")).toEqual([]);
      }),
    );
  });
});

describe("a text that is shown", () => {
  test.each([
    ["as it is", "Checkout: größer ≥ 5 €, 日本語, नमस्ते, שָׁלוֹם, é", undefined],
    ["with escapes for what cannot be seen", "a\u200b\u00a0b", "a\\u{200b}\\u{a0}b"],
    ["with escapes for tags", "\u{e0041}", "\\u{e0041}"],
    ["with an escape for what looks like one", "\\u{200b}", "\\u{5c}u{200b}"],
    ["with other backslashes as they are", "\\d+\\.\\u0041", undefined],
    ["with an escape where it would be a command", "::error::a", "\\u{3a}:error::a"],
    ["with colons elsewhere as they are", "a ::error:: [::1]", undefined],
    ["with an escape where a runner finds a command anywhere", "a ##[error]", "a \\u{23}#[error]"],
    [
      "with marks on letters as they are, and not more than four",
      `e${"\u0301".repeat(5)}`,
      "e\u0301\u0301\u0301\u0301\\u{301}",
    ],
  ])("is %s", (_, text, shown = text) => {
    expect(visible(text)).toBe(shown);
  });

  test("can be read back, so that two texts never look the same", () => {
    fc.assert(
      fc.property(hostile, (parts) => {
        const text = parts.join("");
        const back = visible(text).replace(/\\u\{([0-9a-f]+)\}/g, (_, code) =>
          String.fromCodePoint(Number.parseInt(code, 16)),
        );
        expect(back).toBe(text);
      }),
    );
  });

  test("has its start and its end, and says how much is between, where it is long", () => {
    const shown = plain(`start${"x".repeat(100_000)}end`);
    expect(shown).toMatch(/^startx+…\(98008 characters left out\)…x+end$/);
  });
});

describe("JSON is harmless and stays what it is", () => {
  test.each(texts)("%s", (_, text) => {
    const value = { text, list: [text], ...Object.fromEntries([[text, { [text]: text }]]) };
    expect([harmIn(jsonText(value), "programs"), harmIn(jsonLine(value), "programs")]).toEqual([[], []]);
    expect([JSON.parse(jsonText(value)), JSON.parse(jsonLine(value))]).toEqual([value, value]);
    expect(jsonLine(value).split("\n")).toHaveLength(2);
  });
});

// An expression that goes back and forth in one does not come to an end.
test.each(texts)("%s is shown however long it is", (_, text) => {
  const long = text.repeat(Math.ceil(runs(1_000_000) / (text.length + 1)));
  expect(plain(long).length).toBeGreaterThanOrEqual(plain(text).length);
  expect(JSON.parse(jsonLine(long))).toBe(long);
});
