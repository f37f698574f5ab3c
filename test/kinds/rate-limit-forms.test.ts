import { expect, test } from "vitest";
import { rateLimit } from "../../src/kinds/rate-limits/index.js";
import { limitFor } from "../../src/kinds/rate-limits/strength.js";
import { orderOf } from "../../src/kinds/rule-places.js";
import type { Json } from "../../src/model/json.js";
import { rateLimitShifts } from "../../src/strength/compare-rate-limits.js";

const rule = { id: "1", description: "L", action: "block", expression: 'http.request.uri.path eq "/login"' };

const CONTEXT = { ruleset: null, order: orderOf([], []), beside: null };

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
  const ways = rateLimitShifts(limitFor(normal), limitFor(without)).map(({ way }) => way);
  expect(ways).toEqual(["unknown"]);
});
