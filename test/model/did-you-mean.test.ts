import { describe, expect, test } from "vitest";
import { renewSuggestions, suggest } from "../../src/model/did-you-mean.js";
import { fc } from "../support/random.js";

describe("suggest", () => {
  const cases: [string, string, string[], string | null][] = [
    ["corrects one wrong letter", "enabeld", ["action", "enabled"], "enabled"],
    ["ignores letter case", "ENABLED", ["enabled"], "enabled"],
    ["corrects two swapped letters of a short word", "ture", ["false", "true"], "true"],
    ["picks the nearest word", "img-scr", ["img-src", "img-sec"], "img-sec"],
    ["picks the alphabetically first of two equally near words", "b", ["bc", "ab"], "ab"],
    ["suggests nothing if many words are equally near", "PL5", ["PL1", "PL2", "PL3", "PL4"], null],
    ["does not replace a word of one letter", "a", ["b"], null],
    ["suggests nothing for an unrelated word", "sandbox", ["script-src", "img-src"], null],
    ["suggests nothing beyond three typos", "upgrade-insecure-xxxxsts", ["upgrade-insecure-requests"], null],
    ["suggests nothing if half of the letters are others", "yaml", ["html", "text"], null],
    ["completes the beginning of one word", "desc", ["description", "id", "enabled"], "description"],
    [
      "suggests nothing if several words begin so",
      "requests",
      ["requests_a_period", "requests_to_origin"],
      null,
    ],
    ["suggests nothing for an empty word", "", ["a"], null],
    ["suggests nothing without known words", "a", [], null],
  ];
  test.each(cases)("%s", (_, word, known, expected) => {
    expect(suggest(word, known)).toBe(expected);
  });

  test("does not depend on the order of the known words", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (word, known) => {
        expect(suggest(word, known.toReversed())).toBe(suggest(word, known));
      }),
    );
  });

  test("stops once thousands of words were compared with thousands, until files are read again", () => {
    const known = Array.from({ length: 3_000 }, (_, index) => `a_long_name_of_a_template_${index}`);
    renewSuggestions();
    expect(suggest("a_long_name_of_a_tmplate_7", known)).toBe("a_long_name_of_a_template_7");
    for (let asked = 0; asked < 300; asked++) suggest(`something_else_${asked}`, known);
    expect(suggest("a_long_name_of_a_tmplate_7", known)).toBeNull();
    renewSuggestions();
    expect(suggest("a_long_name_of_a_tmplate_7", known)).toBe("a_long_name_of_a_template_7");
  });
});
