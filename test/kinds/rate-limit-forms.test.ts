import { expect, test } from "vitest";
import { rateLimit } from "../../src/kinds/rate-limits/index.js";
import { limitFor } from "../../src/kinds/rate-limits/strength.js";
import { orderOf } from "../../src/kinds/rule-places.js";
import type { Json } from "../../src/model/json.js";
import type { SealedObject } from "../../src/model/sealed.js";
import { rateLimitShifts } from "../../src/strength/compare-rate-limits.js";
import { effectOf } from "../../src/strength/index.js";

const rule = { id: "1", description: "L", action: "block", expression: 'http.request.uri.path eq "/login"' };

const CONTEXT = { ruleset: null, order: orderOf([], []), beside: null };

const effectBetween = (before: SealedObject | null, after: SealedObject | null) =>
  effectOf(rateLimitShifts(limitFor(before), limitFor(after)));

function normalWith(characteristics: Json) {
  const ratelimit = { characteristics, period: 60, requests_per_period: 5 };
  return rateLimit.normalOf({ ...rule, ratelimit }, CONTEXT, []);
}

test("a rate limit that counts by something of an unknown form is none that files can declare", () => {
  expect(normalWith(["cf.colo.id", "ip.src"])).toMatchObject({ characteristics: ["ip.src"] });
  for (const odd of ["ip.src", { name: "ip.src" }, ["ip.src", { name: "ip.src" }]])
    expect(normalWith(odd)).toBeNull();
});

test("a rate limit without an expression is of unknown effect", () => {
  const normal = normalWith(["ip.src"]);
  const { expression: _, ...without } = normal ?? {};
  expect(effectBetween(normal, without)).toBe("unknown");
});

test("a rate limit that is neither on nor off is of unknown effect", () => {
  const normal = normalWith(["ip.src"]);
  const odd = { ...normal, enabled: "on request" };
  expect([effectBetween(normal, odd), effectBetween(null, odd)]).toEqual(["unknown", "unknown"]);
});

test("a changed name, position or response is no change of the limit", () => {
  const normal = normalWith(["ip.src"]);
  const changed = { ...normal, description: "M", position: "as declared", response: {} };
  expect(effectBetween(normal, changed)).toBe("neutral");
});
