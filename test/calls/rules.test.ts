import { expect, test } from "vitest";
import { callsOf, type PendingStep, rulesAfter } from "../../src/calls/index.js";
import type { Kind, PendingChange } from "../../src/kinds/kind.js";
import { managedException } from "../../src/kinds/managed-exceptions/index.js";
import type { PhaseRuleset } from "../../src/kinds/phase.js";
import type { Item } from "../../src/model/item.js";
import type { JsonObject } from "../../src/model/json.js";
import { change, changesOf, item } from "./changes.js";

const PHASE = { kind: "k", name: "p", description: "Some rules" };

/** Rules of which the order counts. @param place of a rule that gets one; null: the kind does not say. */
function kindOf({ isSentAlone = true, place = 0 as number | null } = {}): Kind {
  return {
    ...managedException,
    at: {
      as: "rules",
      phase: PHASE,
      isSentAlone,
      actThemselves: true,
      ruleset: (context) => context as PhaseRuleset | null, // as the tests give it
      ...(place === null ? {} : { place: () => place }),
      declared: (body) => body,
    },
    toWire: ({ normal }) => normal as JsonObject,
  };
}

function rulesetOf(...ids: readonly string[]): PhaseRuleset {
  const rules = ids.map((id) => ({ id, version: "1", ref: `ref-${id}` }));
  return { id: "s", rules, description: null, raw: { version: "7", rules }, path: "/some/entrypoint" };
}

/** As a rollback has it: all of the rule, and what stood before it, nearest first. */
function former(id: string | null, behind: readonly string[], says: JsonObject = {}): Item {
  return item(id, says, { owns: "all", behind, raw: { id: "gone", ref: "gone", is: "former", ...says } });
}

function told(changes: readonly PendingChange[], ruleset: PhaseRuleset | null, kind = kindOf()) {
  const live = { items: [], context: ruleset };
  const [calls = []] = callsOf([changesOf(kind, changes, { live })]);
  return calls;
}

/** The rules that a call sends. */
function rulesIn(call: PendingStep | undefined): readonly JsonObject[] {
  const body = call?.body as { readonly rules: readonly JsonObject[] } | undefined; // of a call that sends a list
  return body?.rules ?? [];
}

const brief = (rules: readonly JsonObject[]) => rules.map(({ id, is }) => id ?? is);
const moving = { fields: ["position"] };

test("a rule that changes alone is sent alone, without its id, and the list has to be as it was read", () => {
  const ruleset = rulesetOf("a", "b");
  const [call, ...others] = told([change(item("a", {}), item("a", { is: "other" }))], ruleset);
  expect(others).toEqual([]);
  expect(call).toMatchObject({ method: "PATCH", body: { description: "a", is: "other" } });
  expect(call?.path).toEqual(["zones", "z", "rulesets", "s", "rules", "a"]);
  expect(call?.body).not.toHaveProperty("id");
  const fields = { version: "7", rules: ruleset.rules };
  expect(call?.precondition).toEqual({ read: "/some/entrypoint", fields });
  expect(call?.reads).toEqual([{ ref: { kind: "k", key: "p", id: "s" }, state: fields }]);
});

test("where the service's way is the whole list, one rule is sent in it", () => {
  const kind = kindOf({ isSentAlone: false });
  const [call] = told([change(item("a", {}), item("a", { is: "other" }))], rulesetOf("a", "b"), kind);
  expect(call?.method).toBe("PUT");
  expect(call?.body).toEqual({
    rules: [
      { id: "a", description: "a", is: "other" },
      { id: "b", ref: "ref-b" },
    ],
  });
});

test.each<[string, readonly PendingChange[], readonly unknown[]]>([
  [
    "a new rule takes the place that its kind says",
    [change(null, item(null, { is: "new" }))],
    ["new", "a", "b", "c"],
  ],
  ["a rule that goes is left out", [change(item("b", {}), null)], ["a", "c"]],
  [
    "rules that change stay where they stand",
    [change(item("a", {}), item("a", {})), change(item("c", {}), item("c", {}))],
    ["a", "b", "c"],
  ],
  [
    "a rule that moves goes to its place",
    [change(item("b", {}), null), change(item("c", {}), item("c", {}), moving)],
    ["c", "a"],
  ],
  [
    "what comes back stands behind the nearest that stood before it",
    [change(null, former(null, ["x", "b", "a"]))],
    ["a", "b", "former", "c"],
  ],
  [
    "what comes back and had nothing before it is first",
    [change(null, former(null, []))],
    ["former", "a", "b", "c"],
  ],
  [
    "of what moves back none finds its place by where another one stood meanwhile",
    [change(item("a", {}), former("a", ["c"]), moving), change(item("c", {}), former("c", []), moving)],
    ["c", "a", "b"],
  ],
])("in a list of several, %s", (_, changes, rules) => {
  const [call] = told(changes, rulesetOf("a", "b", "c"));
  expect(call?.method).toBe("PUT");
  expect(brief(rulesIn(call))).toEqual(rules);
});

test.each<[string, number, JsonObject]>([
  ["before the rule that is to be next", 1, { before: "c" }],
  ["at the end", 2, { after: "" }],
])("a rule that moves alone says where: %s", (_, place, position) => {
  const kind = kindOf({ place });
  const [call] = told([change(item("a", {}), item("a", {}), moving)], rulesetOf("a", "b", "c"), kind);
  expect(call).toMatchObject({ method: "PATCH", body: { position } });
});

test("a new rule comes last where its kind says nothing of its place", () => {
  const kind = kindOf({ place: null });
  const [call] = told([change(null, item(null, { is: "new" }))], rulesetOf("a", "b"), kind);
  expect(brief(rulesIn(call))).toEqual(["a", "b", "new"]);
});

test("what a rule was as a whole it is again, but for its id and ref, which are the service's", () => {
  const ref = { ref: "ref-a" };
  const [call] = told([change(item("a", ref), former("a", []))], rulesetOf("a"));
  expect(call?.body).toEqual({ is: "former", ...ref });
  const [list] = told([change(null, former(null, []))], rulesetOf("a"));
  expect(rulesIn(list)).toContainEqual({ is: "former" });
});

test("new rules are read back in the order of the list", () => {
  const changes = [change(null, item(null, { is: "one" })), change(null, item(null, { is: "two" }))];
  const [call] = told(changes, rulesetOf("a"));
  expect(brief(rulesIn(call))).toEqual(["two", "one", "a"]);
  expect(call?.effects.map((effect) => effect.item?.normal.is)).toEqual(["two", "one"]);
  expect(call?.changes).toEqual([0, 1]);
});

test("where there is not a list yet, an empty one is made and then filled, unless somebody else was first", () => {
  const [post, put] = told([change(null, item(null, { is: "new" }))], null);
  expect(post).toMatchObject({
    method: "POST",
    path: ["zones", "z", "rulesets"],
    body: { kind: "zone", phase: "p", rules: [] },
    effects: [],
    findCreated: { list: "/zones/z/rulesets", where: { kind: "zone", phase: "p" }, known: [] },
  });
  expect(put).toMatchObject({
    method: "PUT",
    path: ["zones", "z", "rulesets", { $result: 0 }],
    needs: [0],
    precondition: { read: "/zones/z/rulesets/phases/p/entrypoint", fields: { rules: null } },
  });
});

test("what kinds change in one list is one call, which is the first one's, and one state afterwards", () => {
  const ruleset = rulesetOf("a", "b");
  const live = { items: [], context: ruleset };
  const kinds = [
    changesOf(kindOf(), [], { live }),
    changesOf(kindOf(), [change(item("a", {}), null)], { live }),
    changesOf(kindOf(), [change(item("b", {}), item("b", { is: "other" }))], { live }),
  ];
  const calls = callsOf(kinds);
  expect(calls.map((each) => each.map(({ method }) => method))).toEqual([[], ["PUT"], []]);
  const after = [{ id: "b", description: "b", is: "other" }];
  expect(calls[1]?.[0]?.body).toEqual({ rules: after });
  expect(rulesAfter(kinds)("p", ruleset.rules)).toEqual(after);
  expect(rulesAfter(kinds)("another", ruleset.rules)).toBe(ruleset.rules);
});
