import { describe, expect, test } from "vitest";
import { kinds } from "../../src/kinds/index.js";
import type { Kind } from "../../src/kinds/kind.js";
import type { SealedObject } from "../../src/model/sealed.js";
import type { Effect, Shift } from "../../src/model/strength.js";
import { effectOf, shifts } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";
import { fc, fixedSample, runs, untilMet } from "../support/random.js";
import { mirrored } from "./mirrored.js";
import { normals } from "./random-normals.js";
import { fatesOf, isConfirmed, isLess } from "./stopped-by.js";

/** Kinds whose objects are compared one by one, with random objects to compare. */
const compared = kinds.filter(({ name }) => Object.hasOwn(normals, name));
const of = (name: string): fc.Arbitrary<SealedObject> => normals[name] ?? fail(name);
const kindOf = (name: string): Kind => kinds.find((each) => each.name === name) ?? fail(name);

function fail(name: string): never {
  throw new Error(`no kind is called ${name}`);
}

/** Null: the object does not exist. */
function between(kind: Kind, before: SealedObject | null, after: SealedObject | null): readonly Shift[] {
  const of = (normal: SealedObject | null) => (normal === null ? {} : kind.dimensions(itemOf(normal), null));
  return shifts(of(before), of(after));
}

/** A gain that cannot be shown is unknown, and its reversal is a loss or neutral. */
function isUnsureGain([there, back]: readonly [Effect, Effect]): boolean {
  const ways = [there, back].toSorted().join(" ");
  return ways === "unknown weakens" || ways === "neutral unknown";
}

describe.each(compared)("a change of a $name", (kind) => {
  const object = fc.option(of(kind.name), { freq: 6 });

  test("mirrors in every dimension when before and after are swapped", async () => {
    const few = { strengthens: 1, weakens: 1, neutral: 1 };
    const every = { ...few, mixed: 1, unknown: 1 };
    await untilMet(
      kind.name === "settings" ? few : every,
      (met) =>
        fc.property(object, object, (before, after) => {
          const [there, back] = [between(kind, before, after), between(kind, after, before)];
          const names = new Set([...there, ...back].map(({ dimension }) => dimension));
          const wayIn = (all: readonly Shift[], name: string) =>
            effectOf(all.filter(({ dimension }) => dimension === name));
          const pairs = [...names].map((name) => [wayIn(there, name), wayIn(back, name)] as const);
          const unsure = pairs.filter(isUnsureGain);
          expect(pairs.filter(([way, other]) => other !== mirrored(way))).toEqual(unsure);
          if (unsure.length === 0) expect(effectOf(back)).toBe(mirrored(effectOf(there)));
          met(effectOf(there));
        }),
      runs(250),
    );
  });

  test("is neutral for a disabled object", () => {
    fc.assert(
      fc.property(of(kind.name), of(kind.name), (before, after) => {
        const off = { enabled: false };
        expect(between(kind, { ...before, ...off }, { ...after, ...off })).toEqual([]);
      }),
    );
  });

  test("has witnesses that the evaluators confirm, and none if it only strengthens", () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        for (const { way, witness } of between(kind, before, after)) {
          if (way === "stronger") expect(witness).toBeNull();
          if (witness !== null) expect(isConfirmed(witness, before ?? {}, after ?? {})).toBe(true);
        }
      }),
      { numRuns: runs(250) },
    );
  });
});

describe("a policy's effect", () => {
  const policy = kindOf("policy");
  const known = of("policy").filter(({ action }) => action === "allow" || action === "log");

  test("equals the result of trying loads on pages", async () => {
    const least = runs(15);
    const every = { strengthens: least, weakens: least, mixed: least, neutral: least, unknown: least };
    await untilMet(
      every,
      (met) =>
        fc.property(known, known, (before, after) => {
          const effect = effectOf(between(policy, before, after));
          const less = LOADS.some((load) => isLess(before, after, load));
          const more = LOADS.some((load) => isLess(after, before, load));
          met(effect);
          if (effect === "weakens" || effect === "neutral") expect(more).toBe(false);
          if (effect === "strengthens" || effect === "neutral") expect(less).toBe(false);
        }),
      runs(800),
    );
  }, 60_000);

  test("has a witness if some load on a page with a known URL newly passes", () => {
    const losing = fc
      .tuple(known, known)
      .filter(([before, after]) => LOADS.some((load) => isLess(before, after, load)));
    const sample = fixedSample(losing, runs(100));
    const missing = sample.filter(([before, after]) => !between(policy, before, after)[0]?.witness);
    expect(missing.length).toBeLessThanOrEqual(sample.length / 50);
  }, 60_000);

  test("weakens with uncovered sources and strengthens without them", () => {
    const more = fc.subarray(["new.example", "https://third.example/a.js", "*.fourth.example"], {
      minLength: 1,
    });
    const own = fc.subarray(["'self'", "cdn.example", "*.cdn.example", "https://cdn.example/app.js"]);
    const directive = fc.constantFrom("script-src", "connect-src", "default-src", "img-src", "form-action");
    fc.assert(
      fc.property(known, directive, own, more, (from, name, sources, added) => {
        const on = { ...from, enabled: true, expression: "true" };
        const small = { ...on, value: [name, ...sources].join(" ") };
        const large = { ...on, value: [name, ...sources, ...added].join(" ") };
        expect(effectOf(between(policy, small, large))).toBe("weakens");
        expect(effectOf(between(policy, large, small))).toBe("strengthens");
      }),
    );
  });

  test("mirrors with upgrades of insecure loads, and is mixed if those are added or removed", () => {
    const upgraded = known.map((each) => ({ ...each, value: `${each.value}; upgrade-insecure-requests` }));
    const either = fc.oneof(known, upgraded);
    fc.assert(
      fc.property(either, either, (before, after) => {
        const [there, back] = [between(policy, before, after), between(policy, after, before)];
        const ways = [effectOf(there), effectOf(back)] as const;
        if (!isUnsureGain(ways)) expect(ways[1]).toBe(mirrored(ways[0]));
      }),
      { numRuns: runs(200) },
    );
    fc.assert(
      fc.property(known, (from) => {
        const plain = { ...from, enabled: true, action: "allow", expression: "true" };
        const upgrading = { ...plain, value: `${from.value}; upgrade-insecure-requests` };
        expect(effectOf(between(policy, upgrading, plain))).toBe("mixed");
        expect(effectOf(between(policy, plain, upgrading))).toBe("mixed");
      }),
    );
  });

  test("weakens on a part of its pages and strengthens on all of them", () => {
    const part = fc.constantFrom(
      'http.host eq "shop.example"',
      'not starts_with(http.request.uri.path, "/a")',
      'http.request.uri.path in {"/a" "/b"}',
      'ends_with(http.request.uri.path, ".html")',
    );
    const also = fc.constantFrom("true", 'http.request.method eq "GET"', "ssl", 'ip.src.country ne "DE"');
    fc.assert(
      fc.property(known, part, also, (from, narrow, where) => {
        const on = { ...from, enabled: true, value: "script-src 'self'" };
        const all = { ...on, expression: where };
        const some = { ...on, expression: `(${where}) and (${narrow})` };
        expect(effectOf(between(policy, all, some))).toBe("weakens");
        expect(effectOf(between(policy, some, all))).toBe("strengthens");
      }),
    );
  });
});

describe("fewer protecting members weaken, and more strengthen", () => {
  const names = ["a", "b", "c", "d"];
  const parts = fc
    .tuple(fc.subarray(names, { minLength: 1 }), fc.subarray(names, { minLength: 1 }))
    .map(([some, others]) => ({ less: some, more: [...new Set([...some, ...others])] }))
    .filter(({ less, more }) => less.length < more.length);

  test.each<[string, string, SealedObject, (of: readonly string[]) => SealedObject]>([
    ["log fields of a job", "logpush_job", { dataset: "http_requests" }, (of) => ({ fields: of })],
    ["custom log fields", "custom_log_fields", { expression: "true" }, (of) => ({ cookie_fields: of })],
    [
      "enabled tags",
      "managed_ruleset",
      { paranoia_level: "PL2" },
      (of) => ({ disabled_tags: names.filter((each) => !of.includes(each)) }),
    ],
    [
      "enabled rules",
      "managed_ruleset",
      { paranoia_level: "PL2" },
      (of) => ({ disabled_rules: names.filter((each) => !of.includes(each)) }),
    ],
  ])("%s", (_, name, from, having) => {
    fc.assert(
      fc.property(parts, ({ less, more }) => {
        const [small, large] = [less, more].map((each) => ({ enabled: true, ...from, ...having(each) }));
        expect(effectOf(between(kindOf(name), large ?? null, small ?? null))).toBe("weakens");
        expect(effectOf(between(kindOf(name), small ?? null, large ?? null))).toBe("strengthens");
      }),
    );
  });
});

test("a comparison beyond the work limit is undecided", () => {
  const long = (word: string) =>
    `script-src ${Array.from({ length: 4_000 }, (_, n) => `*.${word}${n}.example`).join(" ")}`;
  const blocking = { action: "allow", enabled: true, expression: "true" };
  const policies = `${"img-src 'self' a.example,".repeat(60)}${long("b")}`;
  const found = between(
    kindOf("policy"),
    { ...blocking, value: `${"img-src a.example 'self',".repeat(60)}${long("a")}` },
    { ...blocking, value: policies },
  );
  expect(effectOf(found)).toBe("unknown");
});

const PAGES = [
  "https://shop.example/",
  "https://shop.example/checkout/pay",
  "http://blog.example/checkout",
  "https://else.example/cab",
];
const URLS = [
  "https://cdn.example/app.js",
  "https://cdn.example/other.js",
  "https://a.cdn.example/x",
  "https://other.example:8443/x",
  "https://third.example/x",
  "http://third.example/x",
  "/own.js",
];
const LOADS = PAGES.flatMap((page) =>
  URLS.flatMap((url) => (["script", "connection"] as const).map((kind) => ({ kind, page, url }))),
);

test("the judge distinguishes loads", () => {
  const policy = { enabled: true, action: "allow", expression: "true", value: "script-src 'self'" };
  expect(new Set(LOADS.flatMap((load) => fatesOf(policy, load)))).toEqual(new Set(["passes", "is blocked"]));
});
