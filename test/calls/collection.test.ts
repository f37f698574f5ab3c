import { expect, test } from "vitest";
import { callsOf, intermediateCalls, type KindChanges } from "../../src/calls/index.js";
import { defaultService } from "../../src/config/schema.js";
import type { Kind } from "../../src/kinds/kind.js";
import { policy } from "../../src/kinds/policy/index.js";
import { change, changesOf, item } from "./changes.js";

const things: Kind = {
  ...policy,
  at: { as: "collection", path: ["some", "things"] },
  toWire: ({ normal }, was) => ({ ...normal, isNew: was === null, changed: [...(was?.fields ?? [])] }),
};

function sent(own: KindChanges): readonly string[] {
  return (callsOf([own])[0]?.drafts ?? []).map(({ method, path, needs }) =>
    [method, ...path.slice(2), ...needs].join(" "),
  );
}

test.each<[string, Parameters<typeof change>, readonly string[]]>([
  ["creates a new object", [null, item(null, {})], ["POST some things"]],
  ["updates a changed object by its id", [item("a", {}), item("a", {})], ["PUT some things a"]],
  ["deletes a removed object", [item("a", {}), null], ["DELETE some things a"]],
  [
    "creates the replacement first when an object cannot change in place",
    [item("a", {}), item(null, {}), { replaces: "whole" }],
    ["POST some things", "DELETE some things a 0"],
  ],
  [
    "only deletes an object whose replacement exists already",
    [item("a", {}), item(null, {}), { replaces: "made" }],
    ["DELETE some things a"],
  ],
])("%s", (_, given, calls) => {
  expect(sent(changesOf(things, [change(...given)]))).toEqual(calls);
});

test("deletes a replaced object first when there is no room for both", () => {
  const made = change(null, item(null, {}));
  const replaced = change(item("a", {}), item(null, {}), { replaces: "whole" });
  expect(sent(changesOf(things, [made, replaced], { isFull: true }))).toEqual([
    "POST some things",
    "DELETE some things a",
    "POST some things 1",
  ]);
});

test("sends a new object whole, and an update with its changed fields", () => {
  const changes = [
    change(null, item(null, {})),
    change(item("a", {}), item("a", { x: 1 }), { fields: ["x"] }),
  ];
  expect(callsOf([changesOf(things, changes)])[0]?.drafts.map(({ body }) => body)).toEqual([
    { description: "new", isNew: true, changed: [] },
    { description: "a", x: 1, isNew: false, changed: ["x"] },
  ]);
});

test("finds a created object by its name within its scope, excluding objects known before", () => {
  const within: Kind = {
    ...things,
    sections: [{ section: "policies", named: "description", within: "set" }],
  };
  const own = changesOf(within, [
    change(null, item(null, { set: "s" })),
    change(item("a", {}), item("a", {})),
  ]);
  expect(callsOf([own])[0]?.drafts.map(({ findCreated }) => findCreated)).toEqual([
    { list: "/zones/z/some/things", where: { description: "new", set: "s" }, known: ["a"] },
    null,
  ]);
});

test("cannot find a created object when the service does not list objects", () => {
  const own = changesOf(things, [change(null, item(null, {}))], {
    live: { items: [], context: null, unlisted: true },
  });
  expect(callsOf([own])[0]?.drafts[0]?.findCreated).toBeNull();
});

const before = item("a", { enabled: true, expression: 'http.host eq "a"', value: "old" });
const after = item("a", { description: "b", enabled: true, expression: 'http.host eq "b"', value: "new" });

function between(own: KindChanges, limits: Partial<typeof defaultService.limits> = {}) {
  const service = { ...defaultService, limits: { ...defaultService.limits, ...limits } };
  return intermediateCalls(own, 0, service).map(({ method, path, effects }) => {
    const { description, expression = "", value } = effects[0]?.item?.normal ?? {};
    return [method, path.at(-1), description, expression, value];
  });
}

test("an object that moves to other requests first applies to both, under its old name", () => {
  const both = '(http.host eq "a") or (http.host eq "b")';
  expect(between(changesOf(things, [change(before, after)]))).toEqual([
    ["PUT", "a", "a", both, "old"],
    ["PUT", "a", "a", both, "new"],
  ]);
});

const off = { ...after, normal: { ...after.normal, enabled: false } };
const everywhere = { ...after, normal: { ...after.normal, expression: "true" } };

test("an object that moves to a superset applies to the superset only", () => {
  const calls = between(changesOf(things, [change(before, everywhere)]));
  expect(calls.map(([, , , expression]) => expression)).toEqual(["true", "true"]);
});

test.each<[string, Parameters<typeof change>]>([
  ["new", [null, after]],
  ["off", [before, off]],
  ["replaced", [before, after, { replaces: "whole" }]],
  ["without an expression", [item("a", { enabled: true }), after]],
])("an object that is %s gets no intermediate calls", (_, given) => {
  expect(between(changesOf(things, [change(...given)]))).toEqual([]);
});

test("an object gets no intermediate calls when the joined expression would be too long", () => {
  expect(between(changesOf(things, [change(before, after)]), { expression_chars: 20 })).toEqual([]);
});
