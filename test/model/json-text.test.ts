import { expect, test } from "vitest";
import { parseStrictly } from "../../src/model/json-text.js";

test.each([
  ["a key that stands in two maps", '{"a":{"b":1},"b":[{"a":1},{"a":2}]}'],
  ["keys and brackets inside of texts", String.raw`{"a":"{\"a\":1,\"a\":2}[[","b":"\\","c":": "}`],
  ["a text in place of a key", '["a","a",{"a":"a","b":"a"}]'],
  ["a bare value", "1"],
  ["a hundred levels", `${"[".repeat(100)}${"]".repeat(100)}`],
])("%s is read", (_, text) => {
  expect(parseStrictly(text)).toEqual({ ok: true, value: JSON.parse(text) });
});

test.each([
  ["what is not JSON", "{", "is not JSON"],
  ["a key that stands twice", '{"a":1,"b":{"c":1,"c":1}}', 'has the key "c" twice in one map'],
  ["a key that stands twice, spelled otherwise", '{"ab" : 1,"a\\u0062": 2}', 'has the key "ab" twice'],
  ["too many levels", `${"[".repeat(101)}${"]".repeat(101)}`, "nested more than 100 levels deep"],
  ["very many levels", `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`, "nested more than 100"],
])("%s is not", (_, text, reason) => {
  expect(parseStrictly(text)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
});
