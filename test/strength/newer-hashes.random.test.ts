import { describe, expect, test } from "vitest";
import { includes } from "../../src/csp/inclusion/includes.js";
import { type Attempt, allows } from "../../src/csp/match/allows.js";
import { blockingOf, strengthOf } from "../../src/kinds/policy/strength.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { policies } from "../csp/inline-model.js";
import { itemOf } from "../support/item-of.js";
import { fc, runs, untilMet } from "../support/random.js";

const HASHES = ["'url-sha256-AAAA'", "'URL-sha384-BBBB'", "'eval-sha256-AAAA'", "'eval-sha512-BBBB'"];
const SOURCES = ["'self'", "*", "https:", "a.example", "https://b.example", "'nonce-n'", "'strict-dynamic'"];
const LISTS = ["script-src", "default-src", "connect-src", "script-src-elem"];

const sources = fc
  .tuple(fc.subarray(SOURCES), fc.subarray([...HASHES, "'unsafe-eval'"]))
  .map((words) => words.flat());
const directive = fc.tuple(fc.constantFrom(...LISTS), sources);
const value = fc
  .uniqueArray(directive, { minLength: 1, maxLength: 2, selector: ([name]) => name })
  .map((directives) => directives.map((each) => each.flat().join(" ")).join("; "));

/** Two values, one of which often has hashes that the other lacks. */
const pair: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(value, value),
  value.map((csp): [string, string] => [csp, older(csp)]),
  value.map((csp): [string, string] => [older(csp), csp]),
  fc.tuple(value, fc.constantFrom(...HASHES, ...SOURCES)).map(([csp, more]): [string, string] => {
    return [csp, `${csp} ${more}`];
  }),
);

/** The value as browsers without support for such hashes read it. */
function older(csp: string): string {
  return csp.replace(/ '(?:url|eval)-sha[^']*'/gi, "");
}

const PAGE = "https://page.example/";
const URLS = ["https://a.example/x", "https://b.example/x", "https://c.example/x", "/x"];
const loads: readonly Omit<Attempt, "csp">[] = URLS.flatMap((url) => [
  { kind: "connection", page: PAGE, url },
  { kind: "script", page: PAGE, url },
  { kind: "script", page: PAGE, url, nonce: "n" },
  { kind: "script", page: PAGE, url, inserted: "script" },
]);

/** The loads that pass in each sort of browser. */
function passing(csp: string): ReadonlySet<string> {
  const sorts = { newer: csp, older: older(csp) };
  return new Set(
    Object.entries(sorts).flatMap(([sort, read]) => [
      ...loads.flatMap((load, at) =>
        allows({ ...load, csp: read }).allowed === true ? [`${sort} ${at}`] : [],
      ),
      ...(runsText(read) ? [`${sort} eval`] : []),
    ]),
  );
}

/** Chromium 156 evaluates no text if the list has a hash for evaluated text. */
function runsText(csp: string): boolean {
  return policies(csp).every((directives) => {
    const list = directives.get("script-src") ?? directives.get("default-src");
    return (
      list === undefined || (list.includes("'unsafe-eval'") && !list.some((each) => /^'eval-/i.test(each)))
    );
  });
}

const policyOf = (csp: string) => itemOf({ enabled: true, action: "allow", expression: "true", value: csp });

describe("The effect of hashes of URLs and of evaluated text", () => {
  test("is never better than the result in newer and older browsers", async () => {
    await untilMet(
      { lost: 1, blocked: 1, unknown: 1 },
      (met) =>
        fc.property(pair, ([before, after]) => {
          const [did, does] = [passing(before), passing(after)];
          const [old, now] = [policyOf(before), policyOf(after)];
          const effect = effectOf(shifts(strengthOf(old), strengthOf(now)));
          if (effect === "unknown") met("unknown");
          if ([...does].some((each) => !did.has(each))) {
            met("lost");
            expect(["weakens", "mixed", "unknown"]).toContain(effect);
            expect(includes(before, after)).not.toBe(true);
          }
          if ([...did].some((each) => !does.has(each))) {
            met("blocked");
            const blocking = effectOf(shifts(blockingOf(old), blockingOf(now)));
            expect(["strengthens", "mixed", "unknown"]).toContain(blocking);
          }
        }),
      runs(2000),
    );
  });

  test.each(HASHES)("is not neutral if %s is added or removed", (hash) => {
    const [without, with_] = [
      `script-src a.example 'unsafe-eval'`,
      `script-src a.example 'unsafe-eval' ${hash}`,
    ];
    const [old, now] = [policyOf(without), policyOf(with_)];
    const added = effectOf(shifts(strengthOf(old), strengthOf(now)));
    const removed = effectOf(shifts(strengthOf(now), strengthOf(old)));
    expect(["unknown", "strengthens", "mixed"]).toContain(added);
    expect(["unknown", "weakens", "mixed"]).toContain(removed);
    expect(["unknown", "strengthens", "mixed"]).toContain(effectOf(shifts(blockingOf(old), blockingOf(now))));
  });
});
