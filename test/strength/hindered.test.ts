import { describe, expect, test } from "vitest";
import type { Hindrance, Shift } from "../../src/model/strength.js";
import { effectOf, withHindrances } from "../../src/strength/index.js";

const ZONE = "shop.example.com";
const gain: Shift = { dimension: "level", way: "stronger", why: "more", witness: null };
const path = "http.request.uri.path";

function behind(where: string, own = "true", zone: string | null = ZONE) {
  const skip: Hindrance = { as: "skip", by: "Office", id: "1", where, scope: own, of: "all" };
  return effectOf(withHindrances([gain], [skip], [skip], new Set(), zone));
}

describe("a gain behind a rule that skips the object for every request does not count", () => {
  test.each([
    "true",
    `starts_with(${path}, "/")`,
    `${path} contains "/"`,
    `${path} matches "^/"`,
    `${path} wildcard "/*"`,
    `len(${path}) ge 1`,
    `${path} ne ""`,
    'http.request.uri contains "/"',
    'http.host ne "shop.example.com/"',
  ])("%s", (where) => {
    expect(behind(where)).toBe("neutral");
  });

  test("with the rule limited to the object's requests", () => {
    expect(behind(`${path} contains "/"`, 'http.host eq "shop.example.com"')).toBe("neutral");
    expect(behind('http.host eq "shop.example.com"', `http.host eq "${ZONE}" and ssl`)).toBe("neutral");
  });
});

describe("a gain behind a rule that may skip every request is unknown", () => {
  test.each([
    ["on the zone's own hosts", 'http.host contains "example.com"'],
    ["an expression unknown to this version", 'http.request.learnt eq "x"'],
  ])("%s", (_, where) => {
    expect(behind(where)).toBe("unknown");
  });
});

test.each([
  `${path} eq "/office"`,
  `not ${path} eq "/office"`,
  `starts_with(${path}, "//")`,
  `http.host eq "${ZONE}"`,
  "ip.src in $office",
])("a gain counts if some requests do not skip the object: %s", (where) => {
  expect(behind(where)).toBe("strengthens");
});

test("of many rules that skip an object, twenty are named, and those for other requests do not count", () => {
  const skips = Array.from({ length: 25 }, (_, n): Hindrance => {
    const [where, scope] = [`${path} eq "/${n}"`, `not ${path} in {"/1" "/2"}`];
    return { as: "skip", by: `R${n}`, id: `${n}`, where, scope, of: "all" };
  });
  const reasons = withHindrances([gain], [], skips).map(({ why }) => why);
  expect(reasons).toHaveLength(22);
  expect(reasons[2]).toBe('applies except where "R3" (undeclared) skips it: /3');
  expect(reasons.at(-1)).toBe("applies except where 3 more rules may skip it");
});
