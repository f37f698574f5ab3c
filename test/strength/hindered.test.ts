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
