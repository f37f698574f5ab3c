import { expect, test } from "vitest";
import { kinds } from "../../src/kinds/index.js";
import type { SealedObject } from "../../src/model/sealed.js";
import { shifts, withOwnReasons } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";

const ruleset = { enabled: true, action: "log", expression: "true", paranoia_level: "PL1" };
const policy = { enabled: true, action: "log", expression: "true", value: "script-src 'self'" };

function told(name: string, before: SealedObject, after: SealedObject): readonly string[] {
  const kind = kinds.find((each) => each.name === name);
  if (kind?.blocking === undefined) throw new Error(`${name} is no kind that blocks`);
  const [old, now] = [itemOf(before), itemOf(after)];
  const own = shifts(kind.dimensions(old, null), kind.dimensions(now, null));
  const blocking = withOwnReasons(shifts(kind.blocking(old, null), kind.blocking(now, null)), own);
  return blocking.map(({ dimension, way, why }) => `${dimension} ${way}: ${why}`);
}

test("an object that starts blocking has the changed field as its reason", () => {
  expect(told("managed_ruleset", ruleset, { ...ruleset, action: "block" })).toEqual([
    "action stronger: action log (reports only) → block",
  ]);
  expect(told("policy", policy, { ...policy, action: "allow" })).toEqual([
    "csp stronger: from reporting to blocking",
  ]);
});

test("an object that stops blocking has the changed field as its reason", () => {
  expect(told("managed_ruleset", { ...ruleset, action: "block" }, ruleset)).toEqual([
    "action weaker: action block → log (reports only)",
  ]);
  expect(told("policy", { ...policy, action: "allow" }, policy)).toEqual([
    "csp weaker: from blocking to reporting",
  ]);
});

test("a change in the other direction is not a reason to start blocking", () => {
  const before = { ...ruleset, expression: "true" };
  const after = { ...ruleset, action: "block", expression: "ssl" };
  expect(told("managed_ruleset", before, after)).toEqual([
    "action stronger: action log (reports only) → block",
  ]);
});

test("a disabled object that starts blocking has its own reason", () => {
  const found = told("managed_ruleset", { ...ruleset, enabled: false }, { ...ruleset, action: "block" });
  expect(found[0]).toMatch(/^managed_ruleset stronger: /);
});
