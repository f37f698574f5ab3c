import { describe, expect, test } from "vitest";
import { changedParts, type TextRun } from "../../src/model/changed-parts.js";
import { fc } from "../support/random.js";

/** Marks changes as `[-removed-]` and `{+added+}`, as git marks changed words. */
function shown(runs: readonly TextRun[]): string {
  const signs = { same: ["", ""], removed: ["[-", "-]"], added: ["{+", "+}"] } as const;
  return runs.map(({ change, text }) => `${signs[change][0]}${text}${signs[change][1]}`).join("");
}

describe("changedParts", () => {
  const cases: readonly (readonly [says: string, before: string, after: string, shown: string])[] = [
    [
      "treats a string as one word",
      'http.host eq "a.example"',
      'http.host eq "b.example"',
      'http.host eq [-"a.example"-]{+"b.example"+}',
    ],
    [
      "shows an added condition",
      'http.host eq "a.example"',
      'http.host eq "a.example" and not ssl',
      'http.host eq "a.example"{+ and not ssl+}',
    ],
    [
      "shows one changed element of a set",
      "ip.src in {192.0.2.0/24 198.51.100.7}",
      "ip.src in {192.0.2.0/25 198.51.100.7}",
      "ip.src in {[-192.0.2.0/24-]{+192.0.2.0/25+} 198.51.100.7}",
    ],
    ["shows a changed operator", "a.b == 1 and ssl", "a.b >= 1 and ssl", "a.b [-==-]{+>=+} 1 and ssl"],
    [
      "joins adjacent words into one change",
      "kept for the old shop alone, as agreed",
      "kept for a new market alone, as agreed",
      "kept for [-the old shop-]{+a new market+} alone, as agreed",
    ],
    [
      "shows nearly unrelated texts whole",
      "true",
      'http.host eq "shop.example" and true',
      '[-true-]{+http.host eq "shop.example" and true+}',
    ],
    ["shows a new text", "", "ssl", "{+ssl+}"],
    ["shows a removed text", "ssl", "", "[-ssl-]"],
    ["shows an unchanged text", "ssl", "ssl", "ssl"],
    ["shows nothing for empty texts", "", "", ""],
    ["shows a changed line break", "a b c\nd", "a b c d", "a b c[-\n-]{+ +}d"],
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

  test("returns runs that join to both texts, with no empty run and no two adjacent runs alike", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const runs = changedParts(before, after);
        expect([side(runs, "added"), side(runs, "removed")]).toEqual([before, after]);
        expect(runs.every((run) => run.text !== "")).toBe(true);
        expect(runs.some(({ change }, index) => change === runs[index + 1]?.change)).toBe(false);
      }),
    );
  });

  test("gives up on long unrelated texts and shows them whole", () => {
    const words = (from: number) =>
      Array.from({ length: 20_000 }, (_, index) => `w${from + index}`).join(" ");
    const [before, after] = [words(0), words(100_000)];
    expect(changedParts(before, after)).toEqual([
      { change: "removed", text: before },
      { change: "added", text: after },
    ]);
  });
});
