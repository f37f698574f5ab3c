import { expect, test } from "vitest";
import { areApart } from "../../src/csp/inclusion/includes.js";
import { allows } from "../../src/csp/match/allows.js";
import { fc, untilMet } from "../support/random.js";
import { anyLoad, collidingValue } from "./loads.js";

test.each([
  ["a script directive and a connection directive", true, "script-src 'self'", "connect-src 'none'"],
  ["different report targets", true, "script-src 'self'; report-uri /a", "connect-src 'none'; report-to b"],
  ["an empty value", true, "", "default-src 'none'"],
  ["two script directives", false, "script-src 'self'", "script-src-elem 'none'"],
  ["a directive and its fallback", false, "default-src 'self'", "img-src 'none'"],
  ["scripts and workers, which fall back to scripts", false, "script-src 'self'", "worker-src 'none'"],
  ["frames and children, which frames fall back to", false, "child-src 'self'", "frame-src 'none'"],
  ["a directive without a source list", false, "script-src 'self'", "sandbox"],
  ["two policies in one value", false, "img-src 'self', script-src 'self'", "script-src 'none'"],
])("%s: apart %s", (_, apart, a, b) => {
  expect(areApart(a, b)).toBe(apart);
  expect(areApart(b, a)).toBe(apart);
});

test("of two values that are apart, at least one allows each load", async () => {
  await untilMet(
    { apart: 50 },
    (met) =>
      fc.property(collidingValue, collidingValue, anyLoad, (a, b, load) => {
        if (!areApart(a, b)) return;
        met("apart");
        expect(allows({ ...load, csp: a }).allowed || allows({ ...load, csp: b }).allowed).toBe(true);
      }),
    2_000,
  );
});
