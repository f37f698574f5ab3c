import { expect, test } from "vitest";
import type { Draft } from "../../src/kinds/kind.js";
import type { Action, Change } from "../../src/model/plan.js";
import type { Shift } from "../../src/model/strength.js";
import { order } from "../../src/plan/order.js";
import { pathOf } from "../../src/plan/zone-part.js";

/** A call for one change, known by the last part of its path. */
function draft(name: string, change: number, more: Partial<Draft> = {}): Draft {
  return {
    method: "PUT",
    path: ["zones", name],
    body: {},
    changes: [change],
    needs: [],
    yields: [],
    landed: null,
    expects: null,
    ...more,
  };
}

function change(action: Action, ...ways: readonly Shift["way"][]): Change {
  const shifts = ways.map((way): Shift => ({ dimension: "some", way, why: "", witness: null }));
  return {
    ref: { kind: "k", key: "k", id: null },
    action,
    was: null,
    fields: [],
    shifts,
    at: null,
  };
}

const create = change("create");
const tightening = change("update", "stronger");
const update = change("update");
const weakening = change("update", "weaker");
const remove = change("delete");

/** The calls' last path parts, in order. */
function ordered(drafts: readonly (readonly Draft[])[], changes: readonly Change[]): readonly string[] {
  return order(drafts, changes).map(({ path }) => pathOf(path).split("/").at(-1) ?? "");
}

test("what adds comes before what takes away, whatever the order of kinds", () => {
  const changes = [remove, weakening, update, tightening, create];
  const drafts = [
    [draft("removes", 0), draft("weakens", 1)],
    [draft("updates", 2)],
    [draft("tightens", 3), draft("creates", 4)],
  ];
  expect(ordered(drafts, changes)).toEqual(["creates", "tightens", "updates", "removes", "weakens"]);
});

test("a call with a place of its own comes first or last, whatever it does", () => {
  const drafts = [[draft("adds", 0), draft("off", 1, { place: "last" }), draft("on", 2, { place: "first" })]];
  expect(ordered(drafts, [create, create, remove])).toEqual(["on", "adds", "off"]);
});

test("of equal standing, earlier kinds add first and take away last", () => {
  const changes = [create, create, remove, remove];
  const drafts = [
    [draft("adds-a", 0), draft("drops-a", 2)],
    [draft("adds-b", 1), draft("drops-b", 3)],
  ];
  expect(ordered(drafts, changes)).toEqual(["adds-a", "adds-b", "drops-b", "drops-a"]);
});

test("a call comes after those of its kind that it needs, even where that is later than its standing", () => {
  const drafts = [
    [draft("goes", 0, { method: "DELETE" }), draft("comes", 1, { method: "POST", needs: [0] })],
  ];
  const steps = order(drafts, [remove, create]);
  expect(steps.map(({ n, method, needs }) => [n, method, needs])).toEqual([
    [1, "DELETE", []],
    [2, "POST", [1]],
  ]);
});

test("a reference to what another call makes follows that call's number", () => {
  const drafts = [
    [draft("other", 0)],
    [draft("made", 1, { method: "POST" }), draft("", 1, { path: ["zones", { $result: 0 }], needs: [0] })],
  ];
  const steps = order(drafts, [create, create]);
  expect(steps.map(({ path }) => pathOf(path))).toEqual(["/zones/other", "/zones/made", "/zones/{result:2}"]);
});

test("a call that requires what another kind's call provides comes after it", () => {
  const drafts = [
    [draft("asks", 0, { requires: ["Cookies"] })],
    [draft("has", 1, { provides: ["Cookies"] }), draft("has-not", 1, { provides: ["RequestHeaders"] })],
  ];
  expect(ordered(drafts, [create, update])).toEqual(["has", "asks", "has-not"]);
});

test("what no call provides is not waited for", () => {
  expect(ordered([[draft("asks", 0, { requires: ["Cookies"] })]], [create])).toEqual(["asks"]);
});

test("steps carry nothing that only ordering needed", () => {
  const [step] = order([[draft("a", 0, { provides: ["x"], requires: ["y"], touches: [] })]], [update]);
  expect(Object.keys(step ?? {}).filter((key) => ["provides", "requires", "touches"].includes(key))).toEqual(
    [],
  );
});
