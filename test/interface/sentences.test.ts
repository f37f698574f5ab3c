import { describe, expect, test } from "vitest";
import { publishedText } from "../support/published.js";
import { plain, type Unit, unitsOf } from "./document.js";
import { nothingToTest } from "./nothing-to-test.js";
import { sentences } from "./sentences.js";
import { testNamesIn } from "./test-names.js";

const text = publishedText(
  "api/interface.md",
  "the comparison of the sentence lists with the interface's documentation",
);

test("every listed sentence names an existing test", () => {
  const missing = sentences.filter(({ test: { file, name } }) => !testNamesIn(file).has(name));
  expect(missing.map((each) => each.test)).toEqual([]);
});

describe.skipIf(text === null)("the interface's documentation", () => {
  const units = unitsOf(text ?? "").filter(({ section }) => /^[2-8](\.|$)/.test(section));
  const tested = listed(sentences);
  const untested = listed(nothingToTest);

  test("has every sentence and table row of sections 2 to 8 in exactly one of the two lists", () => {
    expect(units.length).toBeGreaterThan(150);
    const inOne = (unit: Unit) =>
      tested.some((each) => is(each, unit)) !== untested.some((each) => is(each, unit));
    expect(units.filter((unit) => !inOne(unit))).toEqual([]);
  });

  test("contains every sentence in the lists", () => {
    const invented = [...tested, ...untested].filter((each) => !units.some((unit) => is(each, unit)));
    expect(invented).toEqual([]);
  });
});

function listed(
  entries: readonly { readonly section: string; readonly says: readonly string[] }[],
): readonly Unit[] {
  return entries.flatMap(({ section, says }) => says.map((each) => ({ section, text: plain(each) })));
}

/** In the lists, `…` stands for the rest of a long sentence. */
function is(entry: Unit, unit: Unit): boolean {
  if (entry.section !== unit.section) return false;
  if (!entry.text.endsWith("…")) return entry.text === unit.text;
  return unit.text.startsWith(entry.text.slice(0, -1));
}
