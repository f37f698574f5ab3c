import { expect, test } from "vitest";
import { parseStrictly } from "../../src/model/json-text.js";

test.each([
  ["the same key in two maps", '{"a":{"b":1},"b":[{"a":1},{"a":2}]}'],
  ["keys and brackets inside strings", String.raw`{"a":"{\"a\":1,\"a\":2}[[","b":"\\","c":": "}`],
  ["a string that equals a key", '["a","a",{"a":"a","b":"a"}]'],
  ["strings named like methods of every object", '{"isPrototypeOf":["toString","\\u0061"]}'],
  ["a bare value", "1"],
  ["100 levels", `${"[".repeat(100)}${"]".repeat(100)}`],
])("accepts %s", (_, text) => {
  expect(parseStrictly(text)).toEqual({ ok: true, value: JSON.parse(text) });
});

test.each([
  ["text that is not JSON", "{", "is not JSON"],
  ["a repeated key", '{"a":1,"b":{"c":1,"c":1}}', 'has the key "c" twice in one map'],
  ["a repeated key with an escape", '{"ab" : 1,"a\\u0062": 2}', 'has the key "ab" twice'],
  ["101 levels", `${"[".repeat(101)}${"]".repeat(101)}`, "nested more than 100 levels deep"],
  [
    "a key named like a method of every object",
    '{"a":[{"valueOf":1}]}',
    "has a key that cannot be used, /a/0/valueOf",
  ],
  ["a method name with an escape", '{"to\\u0053tring":1}', "has a key that cannot be used, /toString"],
  ["the prototype key", '{"a":{"__proto__":{}}}', "has a key that cannot be used, /a/__proto__"],
  ["the constructor key", '{"constructor":{}}', "has a key that cannot be used, /constructor"],
  ["the hasOwnProperty key", '{"hasOwnProperty":{}}', "has a key that cannot be used, /hasOwnProperty"],
  ["50,000 levels", `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`, "nested more than 100"],
])("refuses %s", (_, text, reason) => {
  expect(parseStrictly(text)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
});
