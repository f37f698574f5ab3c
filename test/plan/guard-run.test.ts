import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Guardrails, stricter } from "../../src/model/guardrails.js";
import type { Action, Change } from "../../src/model/plan.js";
import type { Shift } from "../../src/model/strength.js";
import { guardRun } from "../../src/plan/guard-run.js";

type Outcome = Parameters<typeof guardRun>[0][number];

function change(action: Action, shifts: readonly Partial<Shift>[] = [], key = "One"): Change {
  const whole = shifts.map((each) => ({
    dimension: "d",
    way: "weaker" as const,
    why: "w",
    witness: null,
    ...each,
  }));
  return {
    ref: { kind: "policy", key, id: null },
    action,
    was: null,
    fields: [],
    shifts: whole,
    at: null,
  };
}

function planned(zone: string, changes: readonly Change[], unchanged = 0): Outcome {
  const count = (action: Action) => changes.filter((each) => each.action === action).length;
  const counts = { create: count("create"), update: count("update"), delete: count("delete") };
  return { ok: true, plan: { zone, changes, counts: { ...counts, unchanged, requests: 0 }, breaches: [] } };
}

const failed = (zone: string): Outcome => ({ ok: false, failure: { zone } });

const limited = (limits: Guardrails["limits"]): Guardrails => ({ limits, forbid: [] });

function breachesOf(outcomes: readonly Outcome[], guardrails: Guardrails): readonly string[] {
  return guardRun(outcomes, guardrails).map(({ guardrail, zone }) => `${guardrail} ${zone ?? "all"}`);
}

describe("a forbidden thing", () => {
  const weaker = change("update", [{ way: "weaker" }]);
  test.each<[sentence: string, changes: readonly Change[], forbid: Guardrails["forbid"], isRefused: boolean]>(
    [
      [
        "deletes refuses a delete, even one that changes no protection",
        [change("delete")],
        ["deletes"],
        true,
      ],
      ["deletes lets creates and updates be", [change("create"), weaker], ["deletes"], false],
      ["weakens refuses what weakens", [weaker], ["weakens"], true],
      ["weakens refuses what is mixed", [change("update", [{ way: "mixed" }])], ["weakens"], true],
      [
        "weakens refuses what is stronger in one dimension and weaker in another",
        [change("update", [{ way: "stronger" }, { way: "weaker" }])],
        ["weakens"],
        true,
      ],
      [
        "weakens refuses what cannot be decided",
        [change("create", [{ way: "unknown" }, { way: "stronger" }])],
        ["weakens"],
        true,
      ],
      ["weakens lets what strengthens be", [change("update", [{ way: "stronger" }])], ["weakens"], false],
      ["weakens lets what is neutral be, a delete too", [change("delete")], ["weakens"], false],
      [
        "service_off refuses switching the service off",
        [change("update", [{ dimension: "service", way: "weaker" }])],
        ["service_off"],
        true,
      ],
      [
        "service_off lets switching it on be",
        [change("update", [{ dimension: "service", way: "stronger" }])],
        ["service_off"],
        false,
      ],
      ["service_off lets other dimensions be", [weaker], ["service_off"], false],
      ["that nobody forbids is not refused", [change("delete"), weaker], [], false],
    ],
  )("%s", (_, changes, forbid, isRefused) => {
    const found = breachesOf([planned("a.example", changes), planned("b.example", [])], {
      limits: {},
      forbid,
    });
    expect(found).toEqual(isRefused ? [`${forbid[0]} a.example`] : []);
  });

  test("is told zone by zone, with the names of what it is, and why", () => {
    const many = ["A", "B", "C", "D", "E", "F"].map((key) => change("delete", [{ why: `gone ${key}` }], key));
    const outcomes = [planned("a.example", many), planned("b.example", [change("delete", [{}], '"q"')])];
    const found = guardRun(outcomes, { limits: {}, forbid: ["weakens", "deletes"] });
    expect(found.map(({ message }) => message)).toEqual([
      'a.example would be protected less: policy "A" (gone A), policy "B" (gone B), policy "C" (gone C), policy "D" (gone D), policy "E" (gone E) and 1 more. If that is meant, say --allow weakens.',
      'a.example would lose policy "A", policy "B", policy "C", policy "D", policy "E" and 1 more. If that is meant, say --allow deletes.',
      'b.example would be protected less: policy "\\"q\\"" (w). If that is meant, say --allow weakens.',
      'b.example would lose policy "\\"q\\"". If that is meant, say --allow deletes.',
    ]);
  });

  test("is what may be, where that cannot be decided", () => {
    const unknown = change("update", [{ way: "stronger" }, { way: "unknown", why: "another CSP" }], "policy");
    const found = guardRun([planned("a.example", [unknown])], { limits: {}, forbid: ["weakens"] });
    expect(found.map(({ message }) => message)).toEqual([
      "a.example may be protected less: policy (another CSP). If that is meant, say --allow weakens.",
    ]);
  });

  test("has its advice however long a name is", () => {
    const [breach] = guardRun([planned("a.example", [change("delete", [], "x".repeat(100_000))])], {
      limits: {},
      forbid: ["deletes"],
    });
    expect(breach?.message.length).toBeLessThan(300);
  });
});

describe("a limit", () => {
  const two = [change("create"), change("delete")];
  test.each<
    [sentence: string, outcomes: readonly Outcome[], limits: Guardrails["limits"], found: readonly string[]]
  >([
    [
      "holds over all zones together",
      [planned("a.example", two), planned("b.example", two)],
      { max_changes: 3, max_deletes: 1 },
      ["max_changes all", "max_deletes all"],
    ],
    [
      "lets through what is exactly as much",
      [planned("a.example", two, 1), planned("b.example", two, 1)],
      { max_changes: 4, max_deletes: 2, max_changed_share: 4 / 6 },
      [],
    ],
    [
      "of 0 lets through what changes nothing",
      [planned("a.example", [], 3)],
      { max_changes: 0, max_changed_share: 0 },
      [],
    ],
    ["of 0 stops the first change", [planned("a.example", two)], { max_changes: 0 }, ["max_changes all"]],
    [
      "on deletes does not count other changes",
      [planned("a.example", [change("update"), change("create")])],
      { max_deletes: 0 },
      [],
    ],
    ["of 1 lets everything change", [planned("a.example", two)], { max_changed_share: 1 }, []],
    [
      "on the share counts what stays as it is",
      [planned("a.example", two, 7)],
      { max_changed_share: 0.2 },
      ["max_changed_share all"],
    ],
    [
      "on the share does so in all zones",
      [planned("a.example", two, 7), planned("b.example", [], 1)],
      { max_changed_share: 0.2 },
      [],
    ],
    [
      "that is asked for refuses where a zone could not be planned",
      [planned("a.example", two), failed("b.example")],
      { max_changes: 9, max_changed_share: 1 },
      ["max_changes all", "max_changed_share all"],
    ],
    ["that is not asked for does not", [planned("a.example", two), failed("b.example")], {}, []],
    [
      "does not refuse where nothing would be written",
      [planned("a.example", []), failed("b.example")],
      { max_changes: 0 },
      [],
    ],
  ])("%s", (_, outcomes, limits, found) => {
    expect(breachesOf(outcomes, limited(limits))).toEqual(found);
  });

  test("says what the run comes to, what it may come to, and what to do", () => {
    const outcomes = [planned("a.example", two, 13)];
    const limits = { max_changes: 1, max_deletes: 0, max_changed_share: 0.133 };
    expect(guardRun(outcomes, limited(limits)).map(({ message }) => message)).toEqual([
      "The run would change 2 objects; max_changes is 1. If that is meant, say --allow max_changes.",
      "The run would delete 1 object; max_deletes is 0. If that is meant, say --allow max_deletes.",
      "The run would change 2 of the 15 objects that the files manage, a share of 0.134; max_changed_share is 0.133. If that is meant, say --allow max_changed_share.",
    ]);
    const unknown = guardRun([...outcomes, failed("b.example")], limited({ max_changes: 5 }));
    expect(unknown.map(({ message }) => message)).toEqual([
      "max_changes is 5, and what the run comes to is not known: it could not plan b.example. Mend that, leave out with --zone what fails, or say --allow max_changes.",
    ]);
  });
});

describe("of two sets of guardrails", () => {
  test("the smaller number and all that either forbids hold", () => {
    const one: Guardrails = { limits: { max_changes: 5, max_deletes: 0 }, forbid: ["deletes"] };
    const other: Guardrails = {
      limits: { max_changes: 3, max_changed_share: 0.5 },
      forbid: ["weakens", "deletes"],
    };
    const both: Guardrails = {
      limits: { max_changes: 3, max_deletes: 0, max_changed_share: 0.5 },
      forbid: ["weakens", "deletes"],
    };
    expect(stricter(one, other)).toEqual(both);
    expect(stricter(other, one)).toEqual(both);
  });

  test("neither lets through what the other refuses", () => {
    const guardrails: fc.Arbitrary<Guardrails> = fc.record({
      limits: fc.record(
        {
          max_changes: fc.nat(4),
          max_deletes: fc.nat(4),
          max_changed_share: fc.constantFrom(0, 0.25, 0.5, 1),
        },
        { requiredKeys: [] },
      ),
      forbid: fc.subarray(["weakens", "deletes", "service_off"] as const),
    });
    const shift = fc.record({
      dimension: fc.constantFrom("d", "service"),
      way: fc.constantFrom("stronger", "weaker", "mixed", "unknown"),
    });
    const changes = fc.array(
      fc
        .tuple(fc.constantFrom("create", "update", "delete"), fc.array(shift, { maxLength: 2 }))
        .map(([action, shifts]) => change(action, shifts)),
      { maxLength: 4 },
    );
    const outcomes = fc.array(
      fc.oneof(
        fc.tuple(changes, fc.nat(5)).map(([all, unchanged]) => planned("a.example", all, unchanged)),
        fc.constant(failed("b.example")),
      ),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(outcomes, guardrails, guardrails, (run, one, other) => {
        const either = new Set([...breachesOf(run, one), ...breachesOf(run, other)]);
        expect(new Set(breachesOf(run, stricter(one, other)))).toEqual(either);
      }),
      { numRuns: 1_000 },
    );
  });
});
