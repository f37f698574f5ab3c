import { describe, expect, test } from "vitest";
import { equal } from "../../src/model/json.js";

const json = (text: string) => JSON.parse(text);

describe("two values of JSON are the same", () => {
  test.each([
    ["in whatever order keys stand", '{"a":1,"b":[2,{"c":null}]}', '{"b":[2,{"c":null}],"a":1}'],
    ["with keys that every object seems to have", '{"isPrototypeOf":{"a":1}}', '{"isPrototypeOf":{"a":1}}'],
    ["as texts", '"a"', '"a"'],
  ])("%s", (_, a, b) => {
    expect(equal(json(a), json(b))).toBe(true);
  });
});

describe("two values of JSON are differs per zone", () => {
  test.each([
    ["with another order in a list", "[1,2]", "[2,1]"],
    ["with a longer list", "[1]", "[1,2]"],
    ["where one is a list", "{}", "[]"],
    ["where one is null", "{}", "null"],
    ["where one is a text", "1", '"1"'],
    ["with a key more", '{"a":1}', '{"a":1,"b":2}'],
    ["where a key is there in name only", '{"isPrototypeOf":{}}', '{"a":{}}'],
    ["where all objects have what one has", '{"propertyIsEnumerable":1}', "{}"],
    ["with another deep inside", '{"a":[{"b":1}]}', '{"a":[{"b":2}]}'],
  ])("%s", (_, a, b) => {
    expect([equal(json(a), json(b)), equal(json(b), json(a))]).toEqual([false, false]);
  });
});
