import { describe, expect, test } from "vitest";
import { equal } from "../../src/model/json.js";

const json = (text: string) => JSON.parse(text);

describe("two JSON values are equal", () => {
  test.each([
    ["with their keys in any order", '{"a":1,"b":[2,{"c":null}]}', '{"b":[2,{"c":null}],"a":1}'],
    [
      "with a key named like a method of every object",
      '{"isPrototypeOf":{"a":1}}',
      '{"isPrototypeOf":{"a":1}}',
    ],
    ["as strings", '"a"', '"a"'],
  ])("%s", (_, a, b) => {
    expect(equal(json(a), json(b))).toBe(true);
  });
});

describe("two JSON values differ", () => {
  test.each([
    ["in the order of a list", "[1,2]", "[2,1]"],
    ["in the length of a list", "[1]", "[1,2]"],
    ["if only one is a list", "{}", "[]"],
    ["if only one is null", "{}", "null"],
    ["if only one is a string", "1", '"1"'],
    ["in an additional key", '{"a":1}', '{"a":1,"b":2}'],
    ["if one key is named like a method of every object", '{"isPrototypeOf":{}}', '{"a":{}}'],
    ["if one object only inherits the key", '{"propertyIsEnumerable":1}', "{}"],
    ["in a deeply nested value", '{"a":[{"b":1}]}', '{"a":[{"b":2}]}'],
  ])("%s", (_, a, b) => {
    expect([equal(json(a), json(b)), equal(json(b), json(a))]).toEqual([false, false]);
  });
});
