import { expect, test } from "vitest";
import { areApart } from "../../src/csp/inclusion/includes.js";
import { allows } from "../../src/csp/match/allows.js";
import { fc, untilMet } from "../support/random.js";
import { anyLoad, collidingValue } from "./loads.js";

test.each([
  ["one of scripts and one of connections", true, "script-src 'self'", "connect-src 'none'"],
  ["whatever either reports to", true, "script-src 'self'; report-uri /a", "connect-src 'none'; report-to b"],
  ["a value that decides nothing", true, "", "default-src 'none'"],
  ["two of scripts", false, "script-src 'self'", "script-src-elem 'none'"],
  ["what one falls back to", false, "default-src 'self'", "img-src 'none'"],
  ["workers, which scripts decide too", false, "script-src 'self'", "worker-src 'none'"],
  ["frames, which children decide too", false, "child-src 'self'", "frame-src 'none'"],
  ["what no list of sources says", false, "script-src 'self'", "sandbox"],
  ["every value of several", false, "img-src 'self', script-src 'self'", "script-src 'none'"],
])("%s: apart %s", (_, apart, a, b) => {
  expect(areApart(a, b)).toBe(apart);
  expect(areApart(b, a)).toBe(apart);
});

test("of values that are apart, no load is refused by both", async () => {
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
