import { describe, expect, test } from "vitest";
import type { ListedAction, ListedRule } from "../../src/strength/list-outcomes.js";
import { listSteps, type PlacedRule } from "../../src/strength/list-steps.js";
import { fc, runs } from "../support/random.js";

const rule = (name: string, as: "block" | "log" = "block"): ListedRule => ({
  name,
  expression: `http.request.uri.path eq "/${name}"`,
  does: { as } satisfies ListedAction,
});
const placed = (names: string, as: "block" | "log" = "block"): readonly PlacedRule[] =>
  [...names].map((id) => ({ id, rule: rule(id, as) }));
const namesIn = (list: readonly ListedRule[]) => list.map(({ name }) => name).join("");

describe("the steps of a changed list", () => {
  test.each<readonly [string, string, string, string, readonly string[]]>([
    ["a new rule", "ac", "abc", "b", ["abc"]],
    ["a removed rule", "abc", "ac", "b", ["ac"]],
    ["a moved rule", "abc", "cab", "c", ["cab"]],
    ["two new rules", "c", "abc", "ab", ["ac", "abc"]],
    ["two new rules, the last one first", "c", "abc", "ba", ["bc", "abc"]],
    ["two moved rules", "abcd", "cdab", "cd", ["cabd", "cdab"]],
    ["a rule that moves behind one that moves later", "abc", "cab", "ac", ["abc", "cab"]],
  ])("are one list a change for %s", (_, before, after, changed, lists) => {
    const steps = [...listSteps(placed(before), placed(after), [...changed]).values()];
    expect(steps.map((step) => namesIn(step.after))).toEqual(lists);
  });

  test("change a rule in its place", () => {
    const after = [...placed("a"), ...placed("b", "log"), ...placed("c", "log")];
    const steps = [...listSteps(placed("abc"), after, ["c", "b"]).values()];
    expect(steps.map((step) => step.after.map(({ name, does }) => `${name} ${does.as}`))).toEqual([
      ["a block", "b block", "c log"],
      ["a block", "b log", "c log"],
    ]);
  });

  test("leave out rules that are switched off", () => {
    const step = listSteps(placed("ab"), [{ id: "a", rule: null }, ...placed("b")], ["a"]).get("a");
    expect(step).toEqual({ before: [rule("a"), rule("b")], after: [rule("b")] });
  });

  test("lead from the list before to the list after, and move no other rule", () => {
    const ids = [..."abcdefgh"];
    const cases = fc.tuple(
      fc.subarray(ids),
      fc.shuffledSubarray(ids, { minLength: ids.length }),
      fc.shuffledSubarray(ids, { minLength: ids.length }),
      fc.subarray(ids),
      fc.subarray(ids),
    );
    const property = fc.property(cases, ([kept, order, otherOrder, goers, comers]) => {
      // Kept rules stand in the same order on both sides, with the others anywhere between.
      const sideOf = (places: readonly string[], others: readonly string[]) => {
        const inOrder = kept.values();
        const isThere = (each: string) => kept.includes(each) || others.includes(each);
        return places
          .filter(isThere)
          .map((each) => (kept.includes(each) ? (inOrder.next().value ?? each) : each))
          .join("");
      };
      const [before, afterText] = [sideOf(order, goers), sideOf(otherOrder, comers)];
      const changed = order.filter((each) => !kept.includes(each) && (before + afterText).includes(each));
      const steps = [...listSteps(placed(before), placed(afterText), changed).values()];
      expect(steps.length).toBe(changed.length);
      let list = before;
      for (const [index, step] of steps.entries()) {
        expect(namesIn(step.before)).toBe(list);
        list = namesIn(step.after);
        const isOther = (name: string) => !changed.slice(0, index + 1).includes(name);
        const stay = changed.slice(index + 1);
        expect([...list].filter((each) => kept.includes(each))).toEqual(kept);
        expect([...list].filter(isOther).sort().join("")).toBe(
          [...before]
            .filter((each) => isOther(each) && (kept.includes(each) || stay.includes(each)))
            .sort()
            .join(""),
        );
      }
      if (changed.length > 0) expect(list).toBe(afterText);
    });
    fc.assert(property, { numRuns: runs(4_000) });
  });
});
