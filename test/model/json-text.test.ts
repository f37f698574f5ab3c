import { expect, test } from "vitest";
import { parseStrictly } from "../../src/model/json-text.js";

test.each([
  ["a key that stands in two maps", '{"a":{"b":1},"b":[{"a":1},{"a":2}]}'],
  ["keys and brackets inside of texts", String.raw`{"a":"{\"a\":1,\"a\":2}[[","b":"\\","c":": "}`],
  ["a text in place of a key", '["a","a",{"a":"a","b":"a"}]'],
  ["words that are keys of all objects elsewhere", '{"isPrototypeOf":["toString","\\u0061"]}'],
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
  ["a key that all objects have", '{"a":[{"valueOf":1}]}', "has a key that cannot be used, /a/0/valueOf"],
  ["such a key, spelled otherwise", '{"to\\u0053tring":1}', "has a key that cannot be used, /toString"],
  ["the key of the prototype", '{"a":{"__proto__":{}}}', "has a key that cannot be used, /a/__proto__"],
  ["the key of what made it", '{"constructor":{}}', "has a key that cannot be used, /constructor"],
  ["the key of a check", '{"hasOwnProperty":{}}', "has a key that cannot be used, /hasOwnProperty"],
  ["very many levels", `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`, "nested more than 100"],
])("%s is not", (_, text, reason) => {
  expect(parseStrictly(text)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
});
