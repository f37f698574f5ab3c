import { describe, expect, test } from "vitest";
import { jsonLine, jsonText } from "../../src/model/json-text.js";
import { plain, visible } from "../../src/render/safe-text.js";
import { harmIn, hostileTexts } from "../support/hostile.js";
import { fc, runs } from "../support/random.js";

const texts = hostileTexts;
const hostile = fc.array(
  fc.oneof(
    fc.constantFrom("\\", "u{", "5c}", ":", "#", "[", "'", " ", "\u0301"),
    fc.string({ unit: "binary", maxLength: 3 }),
  ),
);

describe("the check for harmful output", () => {
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
    "a text that looks like an escape",
    "nothing",
    "a blank",
    "long marks",
    "long lines",
  ];

  test.each(texts.filter(([name]) => !harmless.includes(name)))(
    "detects %s in unescaped output",
    (_, text) => {
      expect(harmIn(`${text}\n`, "people")).not.toEqual([]);
      expect(harmIn(`  ${text}\n`, "people", true)).not.toEqual([]);
    },
  );

  test("accepts our own colours if they are on", () => {
    const red = "\u001b[31mred\u001b[39m\n";
    expect([harmIn(red, "people", true), harmIn(red, "people", false)]).toEqual([[], ["control U+1b"]]);
  });
});

describe("a shown text is harmless", () => {
  test.each(texts)("%s", (_, text) => {
    expect([harmIn(plain(text), "people"), harmIn(`  ${plain(text)}`, "people")]).toEqual([[], []]);
    expect(harmIn(visible(text), "programs")).toEqual([]);
  });

  test("with any content", () => {
    fc.assert(
      fc.property(hostile, (parts) => {
        expect(harmIn(visible(parts.join("")), "programs")).toEqual([]);
      }),
    );
  });
});

describe("a shown text", () => {
  test.each([
    ["unchanged", "Checkout: größer ≥ 5 €, 日本語, नमस्ते, שָׁלוֹם, é", undefined],
    ["with escapes for invisible characters", "a\u200b\u00a0b", "a\\u{200b}\\u{a0}b"],
    ["with escapes for tags", "\u{e0041}", "\\u{e0041}"],
    ["with an escape for text that looks like an escape", "\\u{200b}", "\\u{5c}u{200b}"],
    ["with other backslashes unchanged", "\\d+\\.\\u0041", undefined],
    ["with an escape at the start of a command", "::error::a", "\\u{3a}:error::a"],
    ["with other colons unchanged", "a ::error:: [::1]", undefined],
    ["with an escape in a command that a runner finds anywhere", "a ##[error]", "a \\u{23}#[error]"],
    ["with at most four marks on a letter", `e${"\u0301".repeat(5)}`, "e\u0301\u0301\u0301\u0301\\u{301}"],
  ])("is %s", (_, text, shown = text) => {
    expect(visible(text)).toBe(shown);
  });

  test("can be unescaped, so that two texts never look the same", () => {
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

  test("shows the start and the end of a long text and the length between them", () => {
    const shown = plain(`start${"x".repeat(100_000)}end`);
    expect(shown).toMatch(/^startx+…\(98008 characters left out\)…x+end$/);
  });
});

describe("JSON is harmless and keeps its meaning", () => {
  test.each(texts)("%s", (_, text) => {
    const value = { text, list: [text], ...Object.fromEntries([[text, { [text]: text }]]) };
    expect([harmIn(jsonText(value), "programs"), harmIn(jsonLine(value), "programs")]).toEqual([[], []]);
    expect([JSON.parse(jsonText(value)), JSON.parse(jsonLine(value))]).toEqual([value, value]);
    expect(jsonLine(value).split("\n")).toHaveLength(2);
  });
});

// A regular expression that backtracks would not finish here.
test.each(texts)("%s of any length is shown", (_, text) => {
  const long = text.repeat(Math.ceil(runs(1_000_000) / (text.length + 1)));
  expect(plain(long).length).toBeGreaterThanOrEqual(plain(text).length);
  expect(JSON.parse(jsonLine(long))).toBe(long);
});
