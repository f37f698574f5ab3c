import { expect, test } from "vitest";
import type { PendingStep } from "../../src/calls/index.js";
import { defaultService } from "../../src/config/schema.js";
import { policy } from "../../src/kinds/policy/index.js";
import { type Item, NO_ORIGINS } from "../../src/model/item.js";
import type { Action, Change } from "../../src/model/plan.js";
import { type Dimensions, SERVICE, type Shift } from "../../src/model/strength.js";
import { pathOf } from "../../src/plan/digest.js";
import { order as orderKinds } from "../../src/plan/order/index.js";
import { changesOf } from "../calls/changes.js";

/** A call for one change, identified by the last part of its path. */
function draft(name: string, change: number, more: Partial<PendingStep> = {}): PendingStep {
  return {
    method: "PUT",
    path: ["zones", name],
    body: {},
    changes: [change],
    needs: [],
    effects: [],
    findCreated: null,
    precondition: null,
    ...more,
  };
}

function change(action: Action, ...ways: readonly Shift["way"][]): Change {
  const shifts = ways.map((way): Shift => ({ dimension: "some", way, why: "", witness: null }));
  return {
    index: 0,
    ref: { kind: "k", key: "k", id: null },
    action,
    was: null,
    replaces: false,
    before: null,
    after: null,
    fields: [],
    shifts,
    blocking: [],
    origins: NO_ORIGINS,
    redirects: [],
    drift: null,
    removed: null,
    at: null,
  };
}

const create = change("create");
const tightening = change("update", "stronger");
const update = change("update");
const weakening = change("update", "weaker");
const remove = change("delete");

function switching(way: Shift["way"]): Change {
  return { ...update, shifts: [{ dimension: SERVICE, way, why: "", witness: null }] };
}

/** The calls of a kind, with its live objects. */
interface KindCalls {
  readonly drafts: readonly PendingStep[];
  readonly live: readonly Item[];
  readonly dimensions: (item: Item) => Dimensions;
  /** The limit of objects in the zone. */
  readonly most: number;
}

const MANY = 1000;

/** A kind whose objects do not protect. */
function calls(...drafts: readonly PendingStep[]): KindCalls {
  return { drafts, live: [], dimensions: () => ({}), most: MANY };
}

/** The kinds have one limit. */
function order(kinds: readonly KindCalls[], changes: readonly Change[]) {
  const at = { as: "collection", path: ["some"], most: "policies" } as const;
  const all = kinds.map(({ drafts, dimensions }, index) => ({
    ...changesOf({ ...policy, name: `k${index}`, at, dimensions }, []),
    drafts,
  }));
  const objects = new Map(kinds.map(({ live }, index) => [`k${index}`, { items: live, context: null }]));
  const service = {
    ...defaultService,
    limits: { ...defaultService.limits, policies: kinds[0]?.most ?? MANY },
  };
  return orderKinds(all, { objects, rules: new Map() }, service, changes);
}

/** The last parts of the calls' paths, in order. */
function ordered(drafts: readonly (readonly PendingStep[])[], changes: readonly Change[]): readonly string[] {
  const kinds = drafts.map((each) => calls(...each));
  return order(kinds, changes).steps.map(({ path }) => pathOf(path).split("/").at(-1) ?? "");
}

test("additions come before removals, across kinds", () => {
  const changes = [remove, weakening, update, tightening, create];
  const drafts = [
    [draft("removes", 0), draft("weakens", 1)],
    [draft("updates", 2)],
    [draft("tightens", 3), draft("creates", 4)],
  ];
  expect(ordered(drafts, changes)).toEqual(["creates", "tightens", "updates", "removes", "weakens"]);
});

test("the service is switched on before all other calls and off after them", () => {
  const drafts = [[draft("adds", 0), draft("off", 1), draft("on", 2)]];
  expect(ordered(drafts, [create, switching("weaker"), switching("stronger")])).toEqual([
    "on",
    "adds",
    "off",
  ]);
});

test("with equal ranks, earlier kinds add first and remove last", () => {
  const changes = [create, create, remove, remove];
  const drafts = [
    [draft("adds-a", 0), draft("drops-a", 2)],
    [draft("adds-b", 1), draft("drops-b", 3)],
  ];
  expect(ordered(drafts, changes)).toEqual(["adds-a", "adds-b", "drops-b", "drops-a"]);
});

test("a call comes after the calls of its kind that it needs, even against its rank", () => {
  const kind = calls(
    draft("goes", 0, { method: "DELETE" }),
    draft("comes", 1, { method: "POST", needs: [0] }),
  );
  const { steps } = order([kind], [remove, create]);
  expect(steps.map(({ n, method, needs }) => [n, method, needs])).toEqual([
    [1, "DELETE", []],
    [2, "POST", [1]],
  ]);
});

test("a reference to the result of another call uses that call's final number", () => {
  const kinds = [
    calls(draft("other", 0)),
    calls(
      draft("made", 1, { method: "POST" }),
      draft("", 1, { path: ["zones", { $result: 0 }], needs: [0] }),
    ),
  ];
  const { steps } = order(kinds, [create, create]);
  expect(steps.map(({ path }) => pathOf(path))).toEqual(["/zones/other", "/zones/made", "/zones/{result:2}"]);
});

/** The object after a call, with its only field. */
function making(field: string, fields: readonly string[]): Pick<PendingStep, "effects"> {
  const made = { ...item("some", 0), normal: { enabled: true, [field]: fields } };
  return { effects: [{ ref: made.ref, item: made }] };
}

test("custom log fields are created before a job logs them", () => {
  const drafts = [
    [draft("asks", 0, making("fields", ["Cookies"]))],
    [draft("has", 1, making("cookie_fields", ["a"])), draft("has-not", 1, making("request_fields", ["a"]))],
  ];
  expect(ordered(drafts, [create, update])).toEqual(["has", "asks", "has-not"]);
});

test("a job does not wait for fields that no call adds", () => {
  const asks = [draft("asks", 0, making("fields", ["Cookies"]))];
  const logs = draft("logs", 1, making("cookie_fields", ["a"]));
  const live = logs.effects.flatMap((effect) => effect.item ?? []);
  const kinds = [calls(...asks), { ...calls(logs), live }];
  const names = order(kinds, [create, update]).steps.map(({ path }) => path.at(-1));
  expect(names).toEqual(["asks", "logs"]);
});

test("steps contain no data that only ordering needs", () => {
  const kind = calls(draft("a", 0, { reads: [] }));
  const [step] = order([kind], [update]).steps;
  expect(step).not.toHaveProperty("reads");
});

/** Objects by name, each with a rank. Together they protect as the strongest. */
function ranked(live: Readonly<Record<string, number>>, ...drafts: readonly PendingStep[]): KindCalls {
  const items = Object.entries(live).map(([key, rank]) => item(key, rank));
  const dimensions: KindCalls["dimensions"] = ({ normal }) => ({
    level: { as: "rank", value: Number(normal.rank) },
  });
  return { drafts, live: items, dimensions, most: MANY };
}

function item(key: string, rank: number): Item {
  return { ref: { kind: "k", key, id: key }, normal: { key, rank }, raw: null, owns: "all", at: null };
}

function yielding(key: string, rank: number | null): Pick<PendingStep, "effects"> {
  const { ref } = item(key, 0);
  return { effects: [{ ref, item: rank === null ? null : item(key, rank) }] };
}

test("an object that protects is removed only after its replacement exists", () => {
  const kind = ranked({ a: 2, b: 1 }, draft("a", 0, yielding("a", 1)), draft("b", 1, yielding("b", 2)));
  const { steps, warnings } = order([kind], [tightening, weakening]);
  expect(steps.map(({ path }) => path.at(-1))).toEqual(["b", "a"]);
  expect(warnings).toEqual([]);
});

test("an undeclared object with the same protection counts as a replacement", () => {
  const kind = ranked({ a: 2, other: 2 }, draft("a", 0, yielding("a", 0)), draft("b", 1, yielding("b", 2)));
  expect(order([kind], [tightening, weakening]).steps.map(({ path }) => path.at(-1))).toEqual(["a", "b"]);
});

test("a call that must come first and opens a gap is followed by the call that closes it, with a warning that names both", () => {
  const kind = ranked(
    { a: 2 },
    draft("a", 0, { method: "DELETE", ...yielding("a", null) }),
    draft("b", 1, { method: "POST", needs: [0], ...yielding("b", 1) }),
    draft("c", 2, { method: "POST", needs: [0], ...yielding("c", 2) }),
  );
  const {
    steps,
    warnings: [first, ...others],
  } = order([kind], [remove, create, create]);
  expect(steps.map(({ path }) => path.at(-1))).toEqual(["a", "c", "b"]);
  expect(first).toMatchObject({ code: "unsafe_order", severity: "warning" });
  expect(first?.detail).toContain("From the DELETE of k until the POST of k");
  expect(first?.detail).toContain("level: nothing instead of 2.");
  expect(others).toEqual([]);
});

test("a single call needs no comparison", () => {
  const kind: KindCalls = {
    ...ranked({ a: 2, other: 1 }, draft("a", 0, yielding("a", 1))),
    dimensions: () => {
      throw new Error("it was asked for");
    },
  };
  expect(order([kind], [weakening]).steps).toHaveLength(1);
});

test("last calls wait even for calls that no order makes safe", () => {
  const kind = ranked(
    { a: 2 },
    draft("a", 0, yielding("a", 0)),
    draft("b", 1, { ...yielding("b", 2), needs: [0] }),
  );
  const drafts = [calls(draft("off", 2)), kind];
  expect(
    order(drafts, [weakening, create, switching("weaker")]).steps.map(({ path }) => path.at(-1)),
  ).toEqual(["a", "b", "off"]);
});

test("at a limit, each delete is followed by the next create", () => {
  const kind = {
    ...ranked(
      { a: 1, b: 2 },
      draft("comes", 0, { method: "POST", ...yielding("c", 2) }),
      draft("changes", 1, yielding("b", 1)),
      draft("goes", 2, { method: "DELETE", ...yielding("a", null) }),
    ),
    most: 2,
  };
  const names = (all: KindCalls) =>
    order([all], [create, weakening, remove]).steps.map(({ path }) => path.at(-1));
  expect(names(kind)).toEqual(["goes", "comes", "changes"]);
  expect(names({ ...kind, most: 3 })).toEqual(["comes", "changes", "goes"]);
});

test("at a limit without deletes, creates are not delayed", () => {
  const kind = {
    ...ranked({ a: 1 }, draft("x", 0, yielding("x", 1)), draft("y", 1, yielding("y", 1))),
    most: 1,
  };
  expect(order([kind], [create, create]).steps).toHaveLength(2);
});

test("a limit does not add comparisons of protection", () => {
  const asksFor = (count: number, most: number) => {
    const drafts = Array.from({ length: count }, (_, at) => draft(`n${at}`, at, yielding(`n${at}`, 1)));
    const kind = ranked({ a: 1 }, ...drafts);
    let asks = 0;
    const dimensions: KindCalls["dimensions"] = (each) => {
      asks += 1;
      return kind.dimensions(each);
    };
    const changes = drafts.map(() => create);
    expect(order([{ ...kind, dimensions, most }], changes).steps).toHaveLength(count);
    return asks;
  };
  expect(asksFor(40, 100)).toBe(asksFor(40, MANY));
  expect(asksFor(40, 20)).toBe(asksFor(40, MANY));
  expect(asksFor(80, 200) - 1).toBe(2 * (asksFor(40, 100) - 1));
});

/** Renames of many policies: each is created under its new name, and the old one is deleted. */
function renames(count: number) {
  let looks = 0;
  const layerOf = (at: number, csp: string): Dimensions => {
    const layer = {
      mode: "enforce" as const,
      csp,
      get where() {
        looks += 1;
        return `http.request.uri.path eq "/p${at}"`;
      },
    };
    return { pages: { as: "layers", layers: [layer] } };
  };
  const each = Array.from({ length: count }, (_, at) => at);
  const known = new Map<string, Dimensions>(
    each.flatMap((at) => [
      [`old${at}`, layerOf(at, `script-src h${at}.example`)] as const,
      [`new${at}`, layerOf(at, `script-src k${at}.example`)] as const,
    ]),
  );
  const kind: KindCalls = {
    ...ranked(
      Object.fromEntries(each.map((at) => [`old${at}`, 0])),
      ...each.map((at) => draft(`new${at}`, 2 * at, { method: "POST", ...yielding(`new${at}`, 0) })),
      ...each.map((at) => draft(`old${at}`, 2 * at + 1, { method: "DELETE", ...yielding(`old${at}`, null) })),
    ),
    dimensions: ({ normal: { key } }) => known.get(String(key)) ?? {},
  };
  const { steps, warnings } = order(
    [kind],
    each.flatMap(() => [create, remove]),
  );
  return { steps: steps.length, warnings, looks };
}

test("ordering twice as many renames compares twice as many pages", () => {
  const [one, two] = [renames(30), renames(60)];
  expect([one.steps, one.warnings, two.steps, two.warnings]).toEqual([60, [], 120, []]);
  expect(two.looks).toBeLessThanOrEqual(2 * one.looks);
});
