import { describe, expect, test } from "vitest";
import { changedParts, type TextRun } from "../../src/model/changed-parts.js";
import { fc } from "../support/random.js";

/** `[-removed-]` and `{+added+}`, as git shows changed words. */
function shown(runs: readonly TextRun[]): string {
  const signs = { same: ["", ""], removed: ["[-", "-]"], added: ["{+", "+}"] } as const;
  return runs.map(({ change, text }) => `${signs[change][0]}${text}${signs[change][1]}`).join("");
}

describe("what changed in a text", () => {
  const cases: readonly (readonly [says: string, before: string, after: string, shown: string])[] = [
    [
      "a string is one word",
      'http.host eq "a.example"',
      'http.host eq "b.example"',
      'http.host eq [-"a.example"-]{+"b.example"+}',
    ],
    [
      "a condition more",
      'http.host eq "a.example"',
      'http.host eq "a.example" and not ssl',
      'http.host eq "a.example"{+ and not ssl+}',
    ],
    [
      "one element of a set",
      "ip.src in {192.0.2.0/24 198.51.100.7}",
      "ip.src in {192.0.2.0/25 198.51.100.7}",
      "ip.src in {[-192.0.2.0/24-]{+192.0.2.0/25+} 198.51.100.7}",
    ],
    ["an operator", "a.b == 1 and ssl", "a.b >= 1 and ssl", "a.b [-==-]{+>=+} 1 and ssl"],
    [
      "words that follow each other are one change",
      "kept for the old shop alone, as agreed",
      "kept for a new market alone, as agreed",
      "kept for [-the old shop-]{+a new market+} alone, as agreed",
    ],
    [
      "texts with next to nothing in common are shown whole",
      "true",
      'http.host eq "shop.example" and true',
      '[-true-]{+http.host eq "shop.example" and true+}',
    ],
    ["a text that is new", "", "ssl", "{+ssl+}"],
    ["a text that is gone", "ssl", "", "[-ssl-]"],
    ["the same text", "ssl", "ssl", "ssl"],
    ["no text", "", "", ""],
    ["a line break is a change too", "a b c\nd", "a b c d", "a b c[-\n-]{+ +}d"],
  ];
  test.each(cases)("%s", (_says, before, after, expected) => {
    expect(shown(changedParts(before, after))).toBe(expected);
  });

  const side = (runs: readonly TextRun[], other: TextRun["change"]) =>
    runs
      .filter(({ change }) => change !== other)
      .map(({ text }) => text)
      .join("");
  const word = fc.constantFrom(
    "ssl",
    '"a b"',
    '"',
    "\\",
    " ",
    "\n",
    "and",
    "(",
    "{",
    "ü",
    "\u{1f600}",
    "\ud83d",
  );
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(""));

  test("its runs are the text before and the text after, none is empty, and no two of a kind touch", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const runs = changedParts(before, after);
        expect([side(runs, "added"), side(runs, "removed")]).toEqual([before, after]);
        expect(runs.every((run) => run.text !== "")).toBe(true);
        expect(runs.some(({ change }, index) => change === runs[index + 1]?.change)).toBe(false);
      }),
    );
  });

  test("long texts that have nothing in common are not compared to their end", () => {
    const words = (from: number) =>
      Array.from({ length: 20_000 }, (_, index) => `w${from + index}`).join(" ");
    const [before, after] = [words(0), words(100_000)];
    expect(changedParts(before, after)).toEqual([
      { change: "removed", text: before },
      { change: "added", text: after },
    ]);
  });
});
