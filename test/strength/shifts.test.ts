import { describe, expect, test } from "vitest";
import type { Dimensions, Layer } from "../../src/model/strength.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { fc } from "../support/random.js";

const on: Dimensions = { service: { as: "rank", value: 1 } };
const off: Dimensions = { service: { as: "rank", value: 0 } };
const layered = (...layers: readonly Layer[]): Dimensions => ({ csp: { as: "layers", layers } });
const blocking: Layer = { mode: "enforce", where: "true", csp: "script-src 'self'" };
const ranked = (value: number): Dimensions => ({ level: { as: "rank", value } });
const logged = (...of: string[]): Dimensions => ({ logged: { as: "set", stronger: "more", of } });
const disabled = (...of: string[]): Dimensions => ({ disabled: { as: "set", stronger: "fewer", of } });
const opaque = (is: string): Dimensions => ({ level: { as: "opaque", is } });

describe("a change's effect", () => {
  test.each<[string, Dimensions, Dimensions, ReturnType<typeof effectOf>]>([
    ["switching on strengthens", off, on, "strengthens"],
    ["switching off weakens", on, off, "weakens"],
    ["a higher rank strengthens", ranked(-60), ranked(-40), "strengthens"],
    ["a rank that exists only after strengthens", {}, ranked(-60), "strengthens"],
    ["a rank that exists only before weakens", ranked(-60), {}, "weakens"],
    ["a new disabled object is neutral", {}, off, "neutral"],
    ["more logged fields strengthen", logged("a"), logged("a", "b"), "strengthens"],
    ["fewer logged fields weaken", logged("a", "b"), logged("b"), "weakens"],
    ["more of one and less of another is mixed", logged("a"), logged("b"), "mixed"],
    ["more disabled members weaken", disabled(), disabled("a"), "weakens"],
    ["fewer disabled members strengthen", disabled("a"), disabled(), "strengthens"],
    ["disabled members of a new object do not weaken", {}, { ...on, ...disabled("a") }, "strengthens"],
    ["another opaque value is undecided", opaque("a"), opaque("b"), "unknown"],
    ["the same opaque value is neutral", opaque("a"), opaque("a"), "neutral"],
    [
      "a rank in place of an opaque value is undecided",
      opaque("a"),
      { level: { as: "rank", value: 1 } },
      "unknown",
    ],
    ["no protection before and after is neutral", layered(), layered(), "neutral"],
    ["a policy that starts to apply strengthens", {}, layered(blocking), "strengthens"],
    ["a policy that no longer applies weakens", layered(blocking), {}, "weakens"],
    [
      "from blocking to reporting weakens",
      layered(blocking),
      layered({ ...blocking, mode: "report" }),
      "weakens",
    ],
    [
      "from reporting to blocking strengthens",
      layered({ ...blocking, mode: "report" }),
      layered(blocking),
      "strengthens",
    ],
    [
      "a CSP that allows less strengthens",
      layered(blocking),
      layered({ ...blocking, csp: "script-src 'none'" }),
      "strengthens",
    ],
    ["a part of the pages weakens", layered(blocking), layered({ ...blocking, where: "ssl" }), "weakens"],
    [
      "several policies in place of others are undecided",
      layered(blocking, { ...blocking, where: "ssl" }),
      layered({ ...blocking, csp: "script-src 'none'" }),
      "unknown",
    ],
    [
      "another spelling of a CSP is neutral",
      layered(blocking),
      layered({ ...blocking, csp: "SCRIPT-SRC  'self';" }),
      "neutral",
    ],
    [
      "stronger in one dimension and weaker in another is mixed",
      { ...off, ...layered(blocking) },
      on,
      "mixed",
    ],
  ])("%s", (_, before, after, expected) => {
    expect(effectOf(shifts(before, after))).toBe(expected);
  });

  test("mirrors when before and after are swapped", () => {
    // JSON objects, because the comparison of values accepts no others.
    const plain = <T>(of: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
      fc.record<T>(of, { noNullPrototype: true });
    const layer = plain<Layer>({
      mode: fc.constantFrom("enforce", "report"),
      where: fc.constantFrom("true", "ssl"),
      csp: fc.constantFrom("script-src 'self'", "script-src 'none'"),
    });
    const names = fc.uniqueArray(fc.constantFrom("a", "b", "c"));
    const set = (stronger: "more" | "fewer") =>
      plain({ as: fc.constant("set" as const), stronger: fc.constant(stronger), of: names });
    const dimensions: fc.Arbitrary<Dimensions> = fc.record(
      {
        service: plain({ as: fc.constant("rank" as const), value: fc.integer({ min: -2, max: 2 }) }),
        csp: plain({ as: fc.constant("layers" as const), layers: fc.array(layer, { maxLength: 1 }) }),
        logged: set("more"),
        disabled: set("fewer"),
        level: fc.oneof(
          plain({ as: fc.constant("opaque" as const), is: fc.constantFrom("x", "y") }),
          plain({ as: fc.constant("rank" as const), value: fc.integer({ min: 1, max: 2 }) }),
        ),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    const mirror = {
      strengthens: "weakens",
      weakens: "strengthens",
      mixed: "mixed",
      neutral: "neutral",
      unknown: "unknown",
    };
    fc.assert(
      fc.property(dimensions, dimensions, (a, b) => {
        expect(effectOf(shifts(b, a))).toBe(mirror[effectOf(shifts(a, b))]);
      }),
    );
  });
});

describe("a witness that can be on any host", () => {
  const hostOf = (before: Dimensions, after: Dimensions) =>
    shifts(before, after, "shop.example").map(({ witness }) =>
      witness?.as === "load" ? new URL(witness.page).host : witness?.request["http.host"],
    );
  const scope = (of: string): Dimensions => ({ requests: { as: "scope", of } });

  test("is on the given host", () => {
    expect(hostOf(layered(blocking), {})).toEqual(["shop.example"]);
    expect(hostOf(scope('http.host ne "a.example"'), scope('http.host eq "a.example"'))).toEqual([
      "shop.example",
    ]);
  });

  test("is on another host if the evaluators need it", () => {
    const elsewhere = 'not http.host eq "shop.example"';
    expect(hostOf(layered({ ...blocking, where: elsewhere }), {})).not.toEqual(["shop.example"]);
    expect(hostOf(scope(elsewhere), scope("false"))).not.toEqual(["shop.example"]);
  });
});

describe("the hosts of a zone", () => {
  const ZONE = "shop.example";
  const own = 'http.host eq "shop.example" or ends_with(http.host, ".shop.example")';
  const told = (before: string | null, after: string | null) => {
    const [old, now] = [before, after].map((where) =>
      where === null ? {} : layered({ ...blocking, where }),
    );
    const [shift] = shifts(old ?? {}, now ?? {}, ZONE);
    const page = shift?.witness?.as === "load" ? new URL(shift.witness.page).hostname : null;
    return { way: shift?.way, why: shift?.why, page };
  };

  test("are not all possible hosts if a policy is limited to them", () => {
    expect(told("true", own)).toEqual({
      way: "unknown",
      why: "unchanged on the hosts of shop.example; may differ on custom host names",
      page: null,
    });
    expect(told(own, "true")).toMatchObject({ way: "stronger" });
  });

  test("are shown if a policy is limited to one of them", () => {
    expect(told("true", 'http.host eq "shop.example"')).toMatchObject({
      way: "weaker",
      page: "www.shop.example",
    });
    expect(told('not http.host eq "shop.example"', null)).toMatchObject({ page: "www.shop.example" });
  });

  test("have no page to show if a policy is only for other hosts", () => {
    expect(told(`not (${own})`, null)).toMatchObject({ way: "weaker", page: null });
    expect(told(`not (${own})`, null).page).toBeNull();
  });

  test("include outside hosts that an expression names, with a note", () => {
    expect(told('http.host eq "pay.test"', null)).toEqual({
      way: "weaker",
      why: "no longer blocks on pay.test (pay.test is outside of shop.example: served only as a custom host name)",
      page: "pay.test",
    });
  });

  test("apply to requests too", () => {
    const scope = (of: string): Dimensions => ({ requests: { as: "scope", of } });
    expect(shifts(scope("true"), scope(own), ZONE)).toMatchObject([{ way: "unknown", witness: null }]);
    const [shift] = shifts(scope('not http.host eq "shop.example"'), scope("false"), ZONE);
    expect(shift?.witness).toMatchObject({ request: { "http.host": "www.shop.example" } });
  });
});

test.each([
  ["schemes", "a.example b.example c.example https:", "https:, a.example, b.example, 1 more"],
  ["inline sources", "a.example b.example data: 'unsafe-eval'", "data:, 'unsafe-eval', a.example, 1 more"],
  ["wildcards", "a.example *.b.example *.c.b.example *.net", "*.net, *.b.example, *.c.b.example, 1 more"],
  ["all hosts", "a.example blob: data: https://*:443", "https://*:443, blob:, data:, 1 more"],
])("the broadest new sources come first: %s", (_, sources, told) => {
  const after = { ...blocking, csp: `${blocking.csp} ${sources}` };
  const why = `script-src also allows ${told}`;
  expect(shifts(layered(blocking), layered(after))).toMatchObject([{ why }]);
});

test("directives that let code run come first", () => {
  const csp = (source: string) =>
    ["img-src", "font-src", "style-src", "frame-src", "script-src"]
      .map((name) => `${name} 'self' ${source}`)
      .join("; ");
  const before = { ...blocking, csp: csp("") };
  const why =
    "script-src also allows a.example; frame-src also allows a.example; img-src also allows a.example; 2 more";
  expect(shifts(layered(before), layered({ ...blocking, csp: csp("a.example") }))).toMatchObject([{ why }]);
});
