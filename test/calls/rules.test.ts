import { expect, test } from "vitest";
import { callsOf, type PendingStep, rulesAfter } from "../../src/calls/index.js";
import type { Kind, PendingChange } from "../../src/kinds/kind.js";
import { managedException } from "../../src/kinds/managed-exceptions/index.js";
import type { Phase, PhaseRuleset } from "../../src/kinds/phase.js";
import type { Item } from "../../src/model/item.js";
import type { JsonObject } from "../../src/model/json.js";
import { change, changesOf, item } from "./changes.js";

const PHASE: Phase = { kind: "k", name: "http_config_settings", description: "Some rules" };

const notRead = () => Promise.reject(new Error("calls need no reads"));

/** An ordered list of rules. `place` is where a rule belongs; null means that the kind does not decide. */
function kindOf({ isSentAlone = true, place = 0 as number | null } = {}): Kind {
  return {
    ...managedException,
    at: {
      as: "rules",
      phase: PHASE,
      reads: { live: notRead, forExport: notRead },
      isSentAlone,
      actThemselves: true,
      ruleset: (context) => context as PhaseRuleset | null, // The tests below pass a ruleset.
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

/** A rule as a rollback restores it: the whole rule, and the rules that stood before it, nearest first. */
function former(id: string | null, behind: readonly string[], says: JsonObject = {}): Item {
  return item(id, says, { owns: "all", behind, raw: { id: "gone", ref: "gone", is: "former", ...says } });
}

function callsFor(changes: readonly PendingChange[], ruleset: PhaseRuleset | null, kind = kindOf()) {
  const live = { items: [], context: ruleset };
  return callsOf([changesOf(kind, changes, { live })])[0]?.drafts ?? [];
}

/** The rules that a call sends. */
function rulesIn(call: PendingStep | undefined): readonly JsonObject[] {
  const body = call?.body as { readonly rules: readonly JsonObject[] } | undefined; // Only list calls have this body.
  return body?.rules ?? [];
}

const brief = (rules: readonly JsonObject[]) => rules.map(({ id, is }) => id ?? is);
const moving = { fields: ["position"] };

test("sends one changed rule alone and without its id, provided that the list is unchanged", () => {
  const ruleset = rulesetOf("a", "b");
  const [call, ...others] = callsFor([change(item("a", {}), item("a", { is: "other" }))], ruleset);
  expect(others).toEqual([]);
  expect(call).toMatchObject({ method: "PATCH", body: { description: "a", is: "other" } });
  expect(call?.path).toEqual(["zones", "z", "rulesets", "s", "rules", "a"]);
  expect(call?.body).not.toHaveProperty("id");
  const fields = { version: "7", rules: ruleset.rules };
  expect(call?.precondition).toEqual({ read: "/some/entrypoint", fields });
  expect(call?.reads).toEqual([{ ref: { kind: "k", key: PHASE.name, id: "s" }, state: fields }]);
});

test("sends the whole list for one rule if the kind requires whole lists", () => {
  const kind = kindOf({ isSentAlone: false });
  const [call] = callsFor([change(item("a", {}), item("a", { is: "other" }))], rulesetOf("a", "b"), kind);
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
    "puts a new rule at the place that its kind gives",
    [change(null, item(null, { is: "new" }))],
    ["new", "a", "b", "c"],
  ],
  ["leaves out a deleted rule", [change(item("b", {}), null)], ["a", "c"]],
  [
    "keeps changed rules in place",
    [change(item("a", {}), item("a", {})), change(item("c", {}), item("c", {}))],
    ["a", "b", "c"],
  ],
  [
    "moves a rule to its new place",
    [change(item("b", {}), null), change(item("c", {}), item("c", {}), moving)],
    ["c", "a"],
  ],
  [
    "puts a restored rule after the nearest rule that stood before it",
    [change(null, former(null, ["x", "b", "a"]))],
    ["a", "b", "former", "c"],
  ],
  [
    "puts a restored rule first if no rule stood before it",
    [change(null, former(null, []))],
    ["former", "a", "b", "c"],
  ],
  [
    "ignores the current places of other moving rules when rules move back",
    [change(item("a", {}), former("a", ["c"]), moving), change(item("c", {}), former("c", []), moving)],
    ["c", "a", "b"],
  ],
])("a list call %s", (_, changes, rules) => {
  const [call] = callsFor(changes, rulesetOf("a", "b", "c"));
  expect(call?.method).toBe("PUT");
  expect(brief(rulesIn(call))).toEqual(rules);
});

test.each<[string, number, JsonObject]>([
  ["before the next rule", 1, { before: "c" }],
  ["at the end", 2, { after: "" }],
])("a call for one moved rule gives its position: %s", (_, place, position) => {
  const kind = kindOf({ place });
  const [call] = callsFor([change(item("a", {}), item("a", {}), moving)], rulesetOf("a", "b", "c"), kind);
  expect(call).toMatchObject({ method: "PATCH", body: { position } });
});

test("appends a new rule if its kind gives no place", () => {
  const kind = kindOf({ place: null });
  const [call] = callsFor([change(null, item(null, { is: "new" }))], rulesetOf("a", "b"), kind);
  expect(brief(rulesIn(call))).toEqual(["a", "b", "new"]);
});

test("restores a whole rule except its id and ref, which the service assigns", () => {
  const ref = { ref: "ref-a" };
  const [call] = callsFor([change(item("a", ref), former("a", []))], rulesetOf("a"));
  expect(call?.body).toEqual({ is: "former", ...ref });
  const [list] = callsFor([change(null, former(null, []))], rulesetOf("a"));
  expect(rulesIn(list)).toContainEqual({ is: "former" });
});

test("reads new rules back in the order of the list", () => {
  const changes = [change(null, item(null, { is: "one" })), change(null, item(null, { is: "two" }))];
  const [call] = callsFor(changes, rulesetOf("a"));
  expect(brief(rulesIn(call))).toEqual(["two", "one", "a"]);
  expect(call?.effects.map((effect) => effect.item?.normal.is)).toEqual(["two", "one"]);
  expect(call?.changes).toEqual([0, 1]);
});

test("creates an empty list first if the list is missing, then fills it unless another rule came first", () => {
  const [post, put] = callsFor([change(null, item(null, { is: "new" }))], null);
  expect(post).toMatchObject({
    method: "POST",
    path: ["zones", "z", "rulesets"],
    body: { kind: "zone", phase: PHASE.name, rules: [] },
    effects: [],
    findCreated: { list: "/zones/z/rulesets", where: { kind: "zone", phase: PHASE.name }, known: [] },
  });
  expect(put).toMatchObject({
    method: "PUT",
    path: ["zones", "z", "rulesets", { $result: 0 }],
    needs: [0],
    precondition: { read: `/zones/z/rulesets/phases/${PHASE.name}/entrypoint`, fields: { rules: null } },
  });
});

test("merges the changes of several kinds in one list into one call and one state", () => {
  const ruleset = rulesetOf("a", "b");
  const live = { items: [], context: ruleset };
  const kinds = [
    changesOf(kindOf(), [], { live }),
    changesOf(kindOf(), [change(item("a", {}), null)], { live }),
    changesOf(kindOf(), [change(item("b", {}), item("b", { is: "other" }))], { live }),
  ];
  const calls = callsOf(kinds).map(({ drafts }) => drafts);
  expect(calls.map((each) => each.map(({ method }) => method))).toEqual([[], ["PUT"], []]);
  const after = [{ id: "b", description: "b", is: "other" }];
  expect(calls[1]?.[0]?.body).toEqual({ rules: after });
  expect(rulesAfter(kinds)(PHASE.name, ruleset.rules)).toEqual(after);
  expect(rulesAfter(kinds)("another", ruleset.rules)).toBe(ruleset.rules);
});
