import { describe, expect, test } from "vitest";
import type { Happening, ImpactEntry, Moved, UndecidedEntry } from "../../src/model/detection.js";
import { type Guardrails, stricter } from "../../src/model/guardrails.js";
import { NO_ORIGINS } from "../../src/model/item.js";
import type { Action, Breach, Change } from "../../src/model/plan.js";
import { textOf } from "../../src/model/sentence.js";
import type { Shift } from "../../src/model/strength.js";
import { guardRun } from "../../src/plan/guardrails/index.js";
import { withBlocking } from "../../src/strength/index.js";
import { fc } from "../support/random.js";

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
    index: 0,
    ref: { kind: "policy", key, id: null },
    action,
    was: null,
    replaces: false,
    before: null,
    after: null,
    fields: [],
    shifts: whole,
    blocking: [],
    origins: NO_ORIGINS,
    redirects: [],
    drift: null,
    removed: null,
    at: null,
  };
}

const NOTHING_LIVE = { seen: [], unmanaged: [], letGo: [], unlisted: [], journaled: [] };

/** @param given of one object each */
function planned(zone: string, given: readonly Change[], unchanged = 0): Outcome {
  const changes = given.map((each, index) => ({ ...each, index, ref: { ...each.ref, id: `${index}` } }));
  return {
    ok: true,
    plan: {
      zone,
      changes,
      counts: { unchanged, requests: 0 },
      notPlanned: [],
      live: NOTHING_LIVE,
      meaning: { moves: [], impact: null, breaches: [] },
    },
  };
}

const said = ({ message, advice }: Pick<Breach, "message" | "advice">) =>
  `${textOf(message)} ${textOf(advice)}`;

type Kinds<T> = { readonly scripts: T; readonly connections: T };

/** A zone with changes of policies. */
function withImpact(total: Partial<Kinds<Partial<Moved>>>, tried?: Kinds<number | null>): Outcome {
  const none = { newly_blocked: [], newly_reported: [], newly_allowed: [], undecided: [] };
  const whole = {
    scripts: { ...none, ...total.scripts },
    connections: { ...none, ...total.connections },
  };
  const impact = {
    tried: tried ?? { scripts: 9, connections: 9 },
    total: whole,
    byChange: new Map([[0, whole]]),
    evidenceDays: new Map(),
    unseen: new Map(),
  };
  const counts = { unchanged: 0, requests: 0 };
  const plan = {
    zone: "a.example",
    changes: [change("update")],
    counts,
    notPlanned: [],
    live: NOTHING_LIVE,
    meaning: { moves: [], impact, breaches: [] },
  };
  return { ok: true, plan };
}

function entry(malicious: boolean | null, url = "https://cdn.example/a.js"): ImpactEntry {
  return { id: "1", url, malicious, page: null, own: false };
}

function undecided(malicious: boolean | null, ...may_be: readonly Happening[]): UndecidedEntry {
  return { ...entry(malicious), may_be };
}

const failed = (zone: string): Outcome => ({ ok: false, failure: { zone } });

const limited = (limits: Guardrails["limits"]): Guardrails => ({ limits, forbid: [] });

function breachesOf(outcomes: readonly Outcome[], guardrails: Guardrails): readonly string[] {
  return guardRun(outcomes, guardrails).map(({ guardrail, zone }) => `${guardrail} ${zone ?? "all"}`);
}

describe("a guardrail", () => {
  const weaker = change("update", [{ way: "weaker" }]);
  test.each<[sentence: string, changes: readonly Change[], forbid: Guardrails["forbid"], isRefused: boolean]>(
    [
      ["deletes refuses a neutral delete", [change("delete")], ["deletes"], true],
      ["deletes allows creates and updates", [change("create"), weaker], ["deletes"], false],
      ["weakens refuses a weakening change", [weaker], ["weakens"], true],
      ["weakens refuses a mixed change", [change("update", [{ way: "mixed" }])], ["weakens"], true],
      [
        "weakens refuses a change that is stronger in one dimension and weaker in another",
        [change("update", [{ way: "stronger" }, { way: "weaker" }])],
        ["weakens"],
        true,
      ],
      [
        "weakens refuses an unknown effect",
        [change("create", [{ way: "unknown" }, { way: "stronger" }])],
        ["weakens"],
        true,
      ],
      [
        "weakens allows a strengthening change",
        [change("update", [{ way: "stronger" }])],
        ["weakens"],
        false,
      ],
      ["weakens allows a neutral delete", [change("delete")], ["weakens"], false],
      [
        "service_off refuses switching the service off",
        [change("update", [{ dimension: "service", way: "weaker" }])],
        ["service_off"],
        true,
      ],
      [
        "service_off allows switching the service on",
        [change("update", [{ dimension: "service", way: "stronger" }])],
        ["service_off"],
        false,
      ],
      ["service_off allows other changes", [weaker], ["service_off"], false],
      ["that is not forbidden refuses nothing", [change("delete"), weaker], [], false],
    ],
  )("%s", (_, changes, forbid, isRefused) => {
    const found = breachesOf([planned("a.example", changes), planned("b.example", [])], {
      limits: {},
      forbid,
    });
    expect(found).toEqual(isRefused ? [`${forbid[0]} a.example`] : []);
  });

  test("is reported zone by zone with names and reasons", () => {
    const many = ["A", "B", "C", "D", "E", "F"].map((key) => change("delete", [{ why: `gone ${key}` }], key));
    const outcomes = [planned("a.example", many), planned("b.example", [change("delete", [{}], '"q"')])];
    const found = guardRun(outcomes, { limits: {}, forbid: ["weakens", "deletes"] });
    expect(found.map(said)).toEqual([
      '6 changes weaken protection in a.example: policy "A" (gone A), policy "B" (gone B), policy "C" (gone C) and 3 more. If this is intended, pass --allow weakens.',
      'a.example would lose 6 objects: policy "A", policy "B", policy "C" and 3 more. If this is intended, pass --allow deletes.',
      '1 change weakens protection in b.example: policy "\\"q\\"" (w). If this is intended, pass --allow weakens.',
      'b.example would lose 1 object: policy "\\"q\\"". If this is intended, pass --allow deletes.',
    ]);
  });

  test("counts mixed changes apart, as the plan does", () => {
    const mixed = change("update", [{ why: "reports only" }, { way: "stronger" }], "M");
    const found = guardRun([planned("a.example", [mixed, change("delete", [{ why: "gone" }], "W")])], {
      limits: {},
      forbid: ["weakens"],
    });
    expect(found.map(said)).toEqual([
      '2 changes weaken protection in a.example (1 mixed): policy "M" (reports only), policy "W" (gone). If this is intended, pass --allow weakens.',
    ]);
  });

  test("tells unknown effects apart from weakening ones", () => {
    const unknown = change("update", [{ way: "unknown", why: "another CSP" }], "U");
    const weakening = change("update", [{ why: "reports only" }], "W");
    const found = guardRun([planned("a.example", [unknown, weakening])], { limits: {}, forbid: ["weakens"] });
    expect(found.map(said)).toEqual([
      '1 change weakens protection in a.example: policy "W" (reports only). 1 change in a.example has an unknown effect: policy "U" (another CSP). If this is intended, pass --allow weakens.',
    ]);
    expect(found[0]?.changes).toEqual([0, 1]);
  });

  test("says that the effect is unknown if it is undecided", () => {
    const unknown = change("update", [{ way: "stronger" }, { way: "unknown", why: "another CSP" }], "policy");
    const found = guardRun([planned("a.example", [unknown])], { limits: {}, forbid: ["weakens"] });
    expect(found.map(said)).toEqual([
      "1 change in a.example has an unknown effect: policy (another CSP). If this is intended, pass --allow weakens.",
    ]);
  });

  test("keeps its advice with any length of names", () => {
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
      "applies to all zones together",
      [planned("a.example", two), planned("b.example", two)],
      { max_changes: 3, max_deletes: 1 },
      ["max_changes all", "max_deletes all"],
    ],
    [
      "allows exactly its number",
      [planned("a.example", two, 1), planned("b.example", two, 1)],
      { max_changes: 4, max_deletes: 2, max_changed_share: 4 / 6 },
      [],
    ],
    [
      "of 0 allows a plan without changes",
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
    ["of 1 allows everything to change", [planned("a.example", two)], { max_changed_share: 1 }, []],
    [
      "on the share counts unchanged objects",
      [planned("a.example", two, 7)],
      { max_changed_share: 0.2 },
      ["max_changed_share all"],
    ],
    [
      "on the share counts unchanged objects of all zones",
      [planned("a.example", two, 7), planned("b.example", [], 1)],
      { max_changed_share: 0.2 },
      [],
    ],
    [
      "that is set refuses if a zone could not be planned",
      [planned("a.example", two), failed("b.example")],
      { max_changes: 9, max_changed_share: 1 },
      ["max_changes all", "max_changed_share all"],
    ],
    [
      "that is not set allows a zone that could not be planned",
      [planned("a.example", two), failed("b.example")],
      {},
      [],
    ],
    ["allows a run without writes", [planned("a.example", []), failed("b.example")], { max_changes: 0 }, []],
  ])("%s", (_, outcomes, limits, found) => {
    expect(breachesOf(outcomes, limited(limits))).toEqual(found);
  });

  test("shows the count of the run, the limit, and the flag that allows it", () => {
    const outcomes = [planned("a.example", two, 13)];
    const limits = { max_changes: 1, max_deletes: 0, max_changed_share: 0.133 };
    expect(guardRun(outcomes, limited(limits)).map(said)).toEqual([
      "The run would change 2 objects; max_changes is 1. If this is intended, pass --allow max_changes.",
      "The run would delete 1 object; max_deletes is 0. If this is intended, pass --allow max_deletes.",
      "The run would change 2 of 15 objects in the files, a share of 0.134; max_changed_share is 0.133. If this is intended, pass --allow max_changed_share.",
    ]);
    const unknown = guardRun([...outcomes, failed("b.example")], limited({ max_changes: 5 }));
    expect(unknown.map(said)).toEqual([
      "max_changes is 5, and the total of the run is unknown: b.example could not be planned. Fix that, leave the failing zones out with --zone, or pass --allow max_changes.",
    ]);
  });
});

describe("starts_blocking", () => {
  const blocking = (...ways: readonly Shift["way"][]) => ({
    ...change("update"),
    blocking: ways.map((way) => ({ dimension: "csp", way, why: "reasons", witness: null })),
  });

  test.each<[sentence: string, changes: readonly Change[], isRefused: boolean]>([
    ["refuses a change that blocks more", [blocking("stronger")], true],
    ["refuses a change that blocks more and less", [blocking("mixed")], true],
    ["refuses a change that may block more", [blocking("unknown")], true],
    ["refuses a change that blocks more beside one that blocks less", [blocking("weaker", "stronger")], true],
    ["allows a change that blocks less", [blocking("weaker")], false],
    ["allows a strengthening change that blocks nothing", [change("update", [{ way: "stronger" }])], false],
  ])("%s", (_, changes, isRefused) => {
    const found = breachesOf([planned("a.example", changes)], { limits: {}, forbid: ["starts_blocking"] });
    expect(found).toEqual(isRefused ? ["starts_blocking a.example"] : []);
  });

  const guardrails = { limits: {}, forbid: ["starts_blocking"] } as const;
  const layer = (csp: string) => ({ mode: "enforce", where: "true", csp }) as const;
  const upgrading = (other: string): Outcome => {
    const [plain, upgraded] = [layer("img-src 'self'"), layer("img-src 'self'; upgrade-insecure-requests")];
    const { plan } = planned("a.example", [blocking("weaker")]) as Extract<Outcome, { ok: true }>; // planned() returns an ok outcome
    const moves = [
      { change: 0, before: [plain], after: [upgraded] },
      { change: null, before: [layer(other)], after: [layer(other)] },
    ];
    return { ok: true, plan: { ...plan, meaning: { ...plan.meaning, moves: withBlocking(moves) } } };
  };

  test("uses the loads seen today that would be blocked", () => {
    const blocked = withImpact({ connections: { newly_blocked: [entry(false)] } });
    expect(guardRun([blocked], guardrails).map(said)).toEqual([
      "Of the loads on pages of a.example today, 1 would be blocked: https://cdn.example/a.js. If this is intended, pass --allow starts_blocking.",
    ]);
    expect(breachesOf([withImpact({ connections: { newly_allowed: [entry(false)] } })], guardrails)).toEqual(
      [],
    );
  });

  test("counts upgraded loads that other policies refuse", () => {
    expect(guardRun([upgrading("script-src http://a.test:8080")], guardrails)).toMatchObject([
      { message: expect.stringContaining('may block more: policy "One" (insecure loads are upgraded') },
    ]);
    expect(guardRun([upgrading("script-src 'self' http://a.test")], guardrails)).toEqual([]);
  });

  test("names what starts to block, and whether that is certain", () => {
    const messages = [blocking("weaker", "stronger"), blocking("unknown")].map(
      (each) =>
        guardRun([planned("a.example", [each])], { limits: {}, forbid: ["starts_blocking"] }).map(said)[0],
    );
    expect(messages).toEqual([
      'a.example would block more: policy "One" (reasons). If this is intended, pass --allow starts_blocking.',
      'a.example may block more: policy "One" (reasons). If this is intended, pass --allow starts_blocking.',
    ]);
  });
});

describe("guardrails about loads seen today", () => {
  const unread = { scripts: 1, connections: null };
  test.each<[sentence: string, outcome: Outcome, refusedBy: string]>([
    ["refuse nothing without impact", withImpact({}), ""],
    ["refuse nothing if no policy changes", planned("a.example", [change("update")]), ""],
    [
      "refuse to block a script",
      withImpact({ scripts: { newly_blocked: [entry(false)] } }),
      "blocks_active_scripts",
    ],
    [
      "refuse to block a script that may be malicious",
      withImpact({ scripts: { newly_blocked: [entry(null)] } }),
      "blocks_active_scripts",
    ],
    ["allow blocking a malicious script", withImpact({ scripts: { newly_blocked: [entry(true)] } }), ""],
    ["allow reporting a script", withImpact({ scripts: { newly_reported: [entry(false)] } }), ""],
    ["allow blocking a connection", withImpact({ connections: { newly_blocked: [entry(false)] } }), ""],
    [
      "refuse to possibly block a script",
      withImpact({ scripts: { undecided: [undecided(false, "newly_blocked")] } }),
      "blocks_active_scripts",
    ],
    [
      "allow possibly reporting or allowing a script",
      withImpact({ scripts: { undecided: [undecided(false, "newly_reported", "newly_allowed")] } }),
      "",
    ],
    [
      "refuse to allow a malicious script",
      withImpact({ scripts: { newly_allowed: [entry(true)] } }),
      "allows_malicious",
    ],
    [
      "refuse to allow a connection that may be malicious",
      withImpact({ connections: { newly_allowed: [entry(null)] } }),
      "allows_malicious",
    ],
    ["allow a load that is not malicious", withImpact({ scripts: { newly_allowed: [entry(false)] } }), ""],
    [
      "refuse to possibly allow a malicious script",
      withImpact({ scripts: { undecided: [undecided(true, "newly_allowed")] } }),
      "allows_malicious",
    ],
    ["refuse to allow connections that could not be read", withImpact({}, unread), "allows_malicious"],
    [
      "refuse to block or allow scripts that could not be read",
      withImpact({}, { scripts: null, connections: 0 }),
      "blocks_active_scripts allows_malicious",
    ],
  ])("%s", (_, outcome, refusedBy) => {
    const forbid = ["blocks_active_scripts", "allows_malicious"] as const;
    const found = guardRun([outcome], { limits: {}, forbid }).map(({ guardrail }) => guardrail);
    expect(found.join(" ")).toBe(refusedBy);
  });

  test("guardrails refuse a policy change with an unknown effect", () => {
    const unknown = { change: 1, before: [], after: [], isUnknown: true } as const;
    const changes = [change("update"), change("delete", [], "Two")];
    const outcome = planned("a.example", changes);
    if (!outcome.ok) throw new Error("it is planned");
    const moved: Outcome = {
      ok: true,
      plan: { ...outcome.plan, meaning: { ...outcome.plan.meaning, moves: [unknown] } },
    };
    const forbid = ["blocks_active_scripts", "allows_malicious"] as const;
    expect(guardRun([moved], { limits: {}, forbid }).map(said)).toEqual([
      'The effect of policy "Two" in a.example is unknown. The impact on scripts is unknown. If this is intended, pass --allow blocks_active_scripts.',
      'The effect of policy "Two" in a.example is unknown. It is unknown whether malicious loads would be newly allowed. If this is intended, pass --allow allows_malicious.',
    ]);
  });

  test("known blocked loads are named even if evidence is incomplete", () => {
    const outcome = withImpact({ scripts: { newly_blocked: [entry(false)] } });
    if (!outcome.ok) throw new Error("it is planned");
    const unknown = { change: 0, before: [], after: [], isUnknown: true } as const;
    const moved: Outcome = {
      ok: true,
      plan: { ...outcome.plan, meaning: { ...outcome.plan.meaning, moves: [unknown] } },
    };
    expect(guardRun([moved], { limits: {}, forbid: ["blocks_active_scripts"] }).map(said)).toEqual([
      'Of the scripts on pages of a.example today, 1 would be blocked: https://cdn.example/a.js. The effect of policy "One" in a.example is unknown. The impact on scripts is unknown. If this is intended, pass --allow blocks_active_scripts.',
    ]);
  });

  test("guardrails name the first few loads and mark uncertain ones", () => {
    const many = Array.from({ length: 7 }, (_, n) => entry(null, `https://cdn.example/${n}.js`));
    const outcome = withImpact({
      scripts: { newly_blocked: many, undecided: [undecided(false, "newly_blocked")] },
      connections: { newly_allowed: [entry(true, "wss://evil.example/")] },
    });
    const forbid = ["blocks_active_scripts", "allows_malicious"] as const;
    expect(guardRun([outcome], { limits: {}, forbid }).map(said)).toEqual([
      "Of the scripts on pages of a.example today, 7 would be blocked: https://cdn.example/0.js, https://cdn.example/1.js, https://cdn.example/2.js and 4 more; 1 may be blocked: https://cdn.example/a.js. If this is intended, pass --allow blocks_active_scripts.",
      "Of malicious or unjudged loads on pages of a.example, 1 would be allowed: wss://evil.example/. If this is intended, pass --allow allows_malicious.",
    ]);
    expect(guardRun([withImpact({}, unread)], { limits: {}, forbid }).map(said)[0]).toBe(
      "The detected connections of a.example were not read in full. It is unknown whether malicious loads would be newly allowed. If this is intended, pass --allow allows_malicious.",
    );
  });
});

describe("two sets of guardrails", () => {
  test("combine to the smaller limits and everything that either forbids", () => {
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

  test("refuse whatever one of them refuses", () => {
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
