import { describe, expect, test } from "vitest";
import { renewSuggestions, suggest } from "../../src/model/suggest.js";
import { fc } from "../support/random.js";

describe("suggest", () => {
  const cases: [string, string, string[], string | null][] = [
    ["a wrong letter is found", "enabeld", ["action", "enabled"], "enabled"],
    ["letter case is no typo", "ENABLED", ["enabled"], "enabled"],
    ["two swapped letters of a short word are found", "ture", ["false", "true"], "true"],
    ["the nearest word wins", "img-scr", ["img-src", "img-sec"], "img-sec"],
    ["of two equally near words the alphabetically first wins", "b", ["bc", "ab"], "ab"],
    ["of many equally near words none is a guess", "PL5", ["PL1", "PL2", "PL3", "PL4"], null],
    ["a word of one letter is not another of one letter", "a", ["b"], null],
    ["a different word is no typo", "sandbox", ["script-src", "img-src"], null],
    ["more than three typos are too many", "upgrade-insecure-xxxxsts", ["upgrade-insecure-requests"], null],
    ["nothing is no typo", "", ["a"], null],
    ["where nothing is known nothing is found", "a", [], null],
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
