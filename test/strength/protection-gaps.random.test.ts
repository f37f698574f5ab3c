import { describe, expect, test } from "vitest";
import { allows } from "../../src/csp/match/allows.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import type { Dimensions, Layer } from "../../src/model/strength.js";
import { budgeted } from "../../src/model/work-budget.js";
import { blocksBeyond, join, keepsProtection, protectionGaps } from "../../src/strength/index.js";
import { fc, runs, untilMet } from "../support/random.js";

const layered = (...layers: readonly Layer[]): Dimensions => ({ csp: { as: "layers", layers } });
const ranked = (value: number): Dimensions => ({ level: { as: "rank", value } });
const logged = (...of: string[]): Dimensions => ({ logged: { as: "set", stronger: "more", of } });
const disabled = (...of: string[]): Dimensions => ({ disabled: { as: "set", stronger: "fewer", of } });
const opaque = (is: string): Dimensions => ({ level: { as: "opaque", is } });

const self = "script-src 'self'";
const cdn = "script-src 'self' cdn.example";
const none = "script-src 'none'";
const other = "script-src other.example";
const shop = 'http.host eq "shop.example"';
const blog = 'http.host eq "blog.example"';
const blocks = (where: string, csp: string): Layer => ({ mode: "enforce", where, csp });
const reports = (where: string, csp: string): Layer => ({ mode: "report", where, csp });

describe("everything stopped both before and after is stopped in between", () => {
  test.each<[string, boolean, { now: Dimensions; before: Dimensions; after: Dimensions }]>([
    ["the weaker rank of the two is enough", true, { now: ranked(1), before: ranked(3), after: ranked(1) }],
    ["a rank below both is not enough", false, { now: ranked(0), before: ranked(3), after: ranked(1) }],
    ["ranks may be negative", false, { now: {}, before: ranked(-60), after: ranked(-40) }],
    [
      "an object that exists only before or only after may be missing",
      true,
      { now: {}, before: ranked(3), after: logged("a") },
    ],
    [
      "logging the common fields is enough",
      true,
      { now: logged("b"), before: logged("a", "b"), after: logged("b", "c") },
    ],
    [
      "logging less than the common fields is not enough",
      false,
      { now: logged("a", "c"), before: logged("a", "b"), after: logged("b", "c") },
    ],
    ["logging nothing is not enough", false, { now: {}, before: logged("a"), after: logged("a") }],
    [
      "a setting that is off before or after may be off",
      true,
      { now: disabled("a", "b"), before: disabled("a"), after: disabled("b") },
    ],
    [
      "a setting that is on before and after must be on",
      false,
      { now: disabled("a", "c"), before: disabled("a"), after: disabled("b") },
    ],
    [
      "an opaque value may be the one before",
      true,
      { now: opaque("x"), before: opaque("x"), after: opaque("y") },
    ],
    [
      "an opaque value may be the one after",
      true,
      { now: opaque("y"), before: opaque("x"), after: opaque("y") },
    ],
    [
      "a third opaque value is undecided",
      false,
      { now: opaque("z"), before: opaque("x"), after: opaque("y") },
    ],
    [
      "a rank between two opaque values is undecided",
      false,
      { now: ranked(9), before: opaque("x"), after: opaque("y") },
    ],
    [
      "a policy that exists only before may be missing",
      true,
      { now: layered(), before: layered(blocks("true", self)), after: layered() },
    ],
    [
      "an unchanged policy keeps its protection",
      true,
      {
        now: layered(blocks("true", self)),
        before: layered(blocks("true", self), blocks("true", none)),
        after: layered(blocks("true", self)),
      },
    ],
    [
      "between two policies of the same pages, one must exist",
      false,
      { now: layered(), before: layered(blocks("true", self)), after: layered(blocks("true", cdn)) },
    ],
    [
      "policies of pages that never meet have nothing in common",
      true,
      { now: layered(), before: layered(blocks(shop, self)), after: layered(blocks(blog, self)) },
    ],
    [
      "an undeclared policy covers if it applies to more pages and allows less",
      true,
      {
        now: layered(blocks("true", none)),
        before: layered(blocks("true", none), blocks(shop, self)),
        after: layered(blocks("true", none), blocks(`${shop} or ${blog}`, cdn)),
      },
    ],
    [
      "a policy that allows more than both does not cover",
      false,
      {
        now: layered(blocks("true", cdn)),
        before: layered(blocks("true", cdn), blocks(shop, self)),
        after: layered(blocks("true", cdn), blocks(shop, other)),
      },
    ],
    [
      "a policy of fewer pages does not cover",
      false,
      {
        now: layered(blocks(shop, none)),
        before: layered(blocks("true", self)),
        after: layered(blocks("true", cdn)),
      },
    ],
    [
      "two policies can cover together",
      true,
      {
        now: layered(blocks(shop, none), blocks(blog, none)),
        before: layered(blocks(`${shop} or ${blog}`, self)),
        after: layered(blocks("true", cdn)),
      },
    ],
    [
      "reporting does not take over from blocking",
      false,
      {
        now: layered(reports("true", self)),
        before: layered(blocks("true", self)),
        after: layered(blocks("true", cdn)),
      },
    ],
    [
      "blocking takes over from reporting",
      true,
      {
        now: layered(blocks("true", self)),
        before: layered(reports("true", self)),
        after: layered(reports("true", cdn)),
      },
    ],
    [
      "a load that is reported before and blocked after must at least be reported",
      false,
      {
        now: layered(),
        before: layered(reports("true", self)),
        after: layered(blocks("true", self)),
      },
    ],
    [
      "an invalid expression is undecided",
      false,
      {
        now: layered(blocks("nonsense", none)),
        before: layered(blocks(shop, self)),
        after: layered(blocks(shop, cdn)),
      },
    ],
    [
      "an invalid expression stays invalid in parentheses",
      false,
      {
        now: layered(blocks("true) or (true", none)),
        before: layered(blocks(shop, self)),
        after: layered(blocks(shop, cdn)),
      },
    ],
  ])("%s", (_, expected, { now, before, after }) => {
    expect(keepsProtection(now, before, after)).toBe(expected);
    expect(keepsProtection(now, after, before)).toBe(expected);
  });

  test("both ends are without gaps", () => {
    fc.assert(
      fc.property(state, state, (before, after) => {
        expect(keepsProtection(layered(...before), layered(...before), layered(...after))).toBe(true);
        expect(keepsProtection(layered(...after), layered(...before), layered(...after))).toBe(true);
      }),
    );
  });

  test("layers never count as complete if the evaluators find a load that passes", async () => {
    await untilMet(
      { holds: runs(100), not: runs(100) },
      (met) =>
        fc.property(state, state, state, load, (now, before, after, tried) => {
          const does = keepsProtection(layered(...now), layered(...before), layered(...after));
          met(does ? "holds" : "not");
          if (!does) return;
          for (const mode of ["enforce", "report"] as const)
            if (stops(before, tried, mode) && stops(after, tried, mode))
              expect(stops(now, tried, mode)).toBe(true);
        }),
      runs(2_000),
    );
  }, 60_000);
});

test("a gap names its dimension", () => {
  const before = { ...layered(blocks(shop, self)), ...logged("a", "b"), ...ranked(-40) };
  const after = { ...layered(blocks(shop, cdn)), ...logged("a", "b"), ...ranked(-25) };
  expect([...protectionGaps({ ...logged("a"), ...ranked(-60) }, before, after)]).toEqual([
    {
      dimension: "csp",
      why: `loads blocked by both \`${self}\` on \`${shop}\` and \`${cdn}\` on \`${shop}\``,
    },
    { dimension: "logged", why: "without b" },
    { dimension: "level", why: "-60 instead of -40" },
  ]);
});

describe("objects together", () => {
  test("protect with the strongest rank, all logged fields, and only common exclusions", () => {
    expect(join([ranked(1), ranked(3), {}])).toEqual(ranked(3));
    expect(join([logged("a"), logged("b", "a")])).toEqual(logged("a", "b"));
    expect(join([disabled("a", "b"), disabled("b", "c")])).toEqual(disabled("b"));
    expect(join([layered(blocks(shop, self)), layered()])).toEqual(layered(blocks(shop, self)));
  });

  test("have one opaque value if all of them have, in any order", () => {
    expect(join([opaque("x"), ranked(1)])).toEqual(join([ranked(1), opaque("x")]));
    expect(join([opaque("x"), opaque("y")])).not.toEqual(join([opaque("x"), opaque("z")]));
  });
});

describe("an intermediate state blocks more than both ends", () => {
  test.each<[string, boolean, Layer, Layer, Layer]>([
    [
      "not with the CSP of before on the pages of both",
      false,
      blocks(shop, self),
      blocks(blog, self),
      blocks(`(${shop}) or (${blog})`, self),
    ],
    [
      "with the CSP of before on pages of after",
      true,
      blocks(shop, self),
      blocks(blog, other),
      blocks(`(${shop}) or (${blog})`, self),
    ],
    [
      "not if its CSP allows everything that both allow",
      false,
      blocks(shop, none),
      blocks(blog, self),
      blocks(`(${shop}) or (${blog})`, cdn),
    ],
    ["on pages of neither end", true, blocks(shop, self), blocks(blog, self), blocks("true", self)],
    ["never by reporting", false, blocks(shop, self), blocks(blog, self), reports("true", none)],
  ])("%s", (_, expected, before, after, now) => {
    expect(blocksBeyond(layered(now), layered(before), layered(after))).toBe(expected);
  });
});

test("beyond the work limit, nothing is decided and every gap is assumed", () => {
  const gone = layered(blocks(shop, self));
  const isKept = (csp: string) =>
    keepsProtection(layered(blocks(shop, csp)), gone, layered(blocks(blog, self)));
  const { value, problems } = budgeted("a.example", () => [isKept(none), isKept(none)], 0);
  expect(value).toEqual([true, false]);
  expect(problems.map(({ code }) => code)).toEqual(["not_compared"]);
});

const layer = fc.record<Layer>({
  mode: fc.constantFrom("enforce", "enforce", "report"),
  where: fc.constantFrom("true", shop, blog, `not (${shop})`, `${shop} or ${blog}`),
  csp: fc.constantFrom(self, cdn, none, other, "connect-src 'self'"),
});
const state = fc.array(layer, { maxLength: 3 });
const load = fc.record({
  host: fc.constantFrom("shop.example", "blog.example", "else.example"),
  kind: fc.constantFrom("script" as const, "connection" as const),
  from: fc.constantFrom("cdn.example", "other.example", "third.example"),
});

type Load = typeof load extends fc.Arbitrary<infer Of> ? Of : never;

function stops(layers: readonly Layer[], { host, kind, from }: Load, mode: Layer["mode"]): boolean {
  return layers.some(
    (each) =>
      (each.mode === "enforce" || mode === "report") &&
      evaluate(each.where, { "http.host": host }) === true &&
      allows({ csp: each.csp, page: `https://${host}/`, kind, url: `https://${from}/x.js` }).allowed ===
        false,
  );
}
