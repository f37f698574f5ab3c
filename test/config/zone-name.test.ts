import { expect, test } from "vitest";
import { zoneName } from "../../src/config/zone.js";

const names: readonly [sentence: string, written: string, name: string | null][] = [
  ["keeps a name", "shop.example.com", "shop.example.com"],
  ["ignores letter case", "Shop.EXAMPLE.com", "shop.example.com"],
  ["ignores a dot at the end", "example.com.", "example.com"],
  ["refuses two dots at the end", "example.com..", null],
  ["converts other letters to punycode", "Bücher.example", "xn--bcher-kva.example"],
  ["treats composed and decomposed letters alike", "bu\u0308cher.example", "xn--bcher-kva.example"],
  ["converts wide letters and dots to plain ones", "ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"],
  ["keeps punycode", "xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["refuses punycode with other letters", "xn--é.example", null],
  ["accepts underscores and digits", "_dmarc.1.example", "_dmarc.1.example"],
  ["refuses a single label", "localhost", null],
  ["refuses an empty name", "", null],
  ["refuses an IP address", "127.0.0.1", null],
  ["refuses an IP address in other forms", "0x7f.1", null],
  ["refuses a wildcard", "*.example.com", null],
  ["refuses a URL", "https://example.com", null],
  ["refuses a path after the name", "example.com/x", null],
  ["refuses a port after the name", "example.com:443", null],
  ["refuses a user before the name", "a@example.com", null],
  ["refuses a tab in the name", "exam\tple.com", null],
  ["refuses spaces around the name", " example.com", null],
  ["does not decode percent signs", "a%2eexample", null],
  ["refuses a hyphen at the start of a label", "-a.example", null],
  ["accepts a label of 63 characters", `${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
  ["refuses a label of 64 characters", `${"a".repeat(64)}.example`, null],
  ["accepts 253 characters", `${"a.".repeat(126)}a`, `${"a.".repeat(126)}a`],
  ["refuses 255 characters", `${"a.".repeat(127)}a`, null],
];

test.each(names)("%s", (_, written, name) => {
  expect(zoneName(written)).toBe(name);
});
