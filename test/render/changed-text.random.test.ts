import { expect, test } from "vitest";
import { changedRuns, changedSides } from "../../src/render/changed-text.js";
import { visible } from "../../src/render/safe-text.js";
import { fc, runs } from "../support/random.js";

test("the two lines always differ, and without elision each is its whole text", () => {
  const word = fc.constantFrom(
    "http.host",
    "eq",
    "in",
    '"a.example"',
    '"b.example"',
    "\u200b",
    "é",
    "#",
    "[a",
  );
  const text = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const runsOf = changedRuns(before, after);
      const sides = changedSides(before, after);
      if (runsOf === null || sides === null || before === after) return;
      const whole = ["added", "removed"].map((other) =>
        runsOf.flatMap((run) => (run.change === other ? [] : run.text)).join(""),
      );
      expect(whole).toEqual([visible(before), visible(after)]);
      const [a, b] = sides.map((side) => side.map((run) => run.text).join(""));
      expect(a).not.toBe(b);
    }),
    { numRuns: runs(4_000) },
  );
});
