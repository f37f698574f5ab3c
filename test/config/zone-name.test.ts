import { expect, test } from "vitest";
import { zoneName } from "../../src/config/zone.js";

const names: readonly [sentence: string, written: string, name: string | null][] = [
  ["a name stays as it is", "shop.example.com", "shop.example.com"],
  ["letter case does not count", "Shop.EXAMPLE.com", "shop.example.com"],
  ["a dot at the end does not count", "example.com.", "example.com"],
  ["two dots at the end are no name", "example.com..", null],
  ["letters beyond ASCII become punycode", "Bücher.example", "xn--bcher-kva.example"],
  ["composed and decomposed letters are the same", "bu\u0308cher.example", "xn--bcher-kva.example"],
  ["wide letters and dots are the plain ones", "ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"],
  ["punycode stays", "xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["punycode has no letters beyond ASCII", "xn--é.example", null],
  ["underscores and digits are fine", "_dmarc.1.example", "_dmarc.1.example"],
  ["a label alone is no name", "localhost", null],
  ["nothing is no name", "", null],
  ["an address is no name", "127.0.0.1", null],
  ["an address in other forms is no name", "0x7f.1", null],
  ["a wildcard is no name", "*.example.com", null],
  ["a URL is no name", "https://example.com", null],
  ["a path after it is not dropped", "example.com/x", null],
  ["a port after it is not dropped", "example.com:443", null],
  ["a user before it is not dropped", "a@example.com", null],
  ["a tab in it is not dropped", "exam\tple.com", null],
  ["blanks around it are not dropped", " example.com", null],
  ["percent signs are not decoded", "a%2eexample", null],
  ["hyphens do not begin a label", "-a.example", null],
  ["a label of 63 characters is fine", `${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
  ["a label of 64 characters is not", `${"a".repeat(64)}.example`, null],
  ["253 characters are fine", `${"a.".repeat(126)}a`, `${"a.".repeat(126)}a`],
  ["255 characters are not", `${"a.".repeat(127)}a`, null],
];

test.each(names)("%s", (_, written, name) => {
  expect(zoneName(written)).toBe(name);
});
