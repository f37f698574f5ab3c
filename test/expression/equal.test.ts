import { describe, expect, test } from "vitest";
import { equal } from "../../src/expression/spelling/canonical.js";
import { pairs } from "./published.js";

test.skipIf(pairs.length === 0).each(pairs)(
  "$a and $b are equal exactly when the engine reads them alike ($relation)",
  ({ a, b, same_engine_ast }) => {
    expect(equal(a, b)).toBe(same_engine_ast);
  },
);

describe("equal", () => {
  test.each([
    ["ssl ==", " ssl  == "],
    ["ip.src in {10.0.0.0/32}", "ip.src in {10}"],
    ['http.host eq "\\x41"', 'http.host eq r#"A"#'],
    ['any(http.request.headers.names[*] eq "a")', 'any ((http.request.headers.names[*] == "a"))'],
  ])("is true of %s and %s", (one, other) => {
    expect(equal(one, other)).toBe(true);
  });

  test.each([
    ["ssl ==", "ssl = ="],
    ["ssl", "ssl =="],
    ["ip.src in {10.0.0.0/24}", "ip.src in {10.0.0.0..10.0.0.255}"],
    ['http.host eq "ab"', "http.host eq 61:62"],
    [
      'any(starts_with(http.request.headers.names[*], "a"))',
      'any((starts_with(http.request.headers.names[*], "a")))',
    ],
  ])("is false of %s and %s", (one, other) => {
    expect(equal(one, other)).toBe(false);
  });
});
