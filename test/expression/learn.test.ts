import { expect, test } from "vitest";
import { review } from "../../src/expression/check/check.js";
import { learntFields } from "../../src/expression/check/learn.js";
import { coverage, witness } from "../../src/expression/coverage/coverage.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";

test.each([
  ['cf.new.field eq "x"', { "cf.new.field": "Bytes" }],
  ["cf.new.field gt 5", { "cf.new.field": "Int" }],
  ["cf.new.field in {192.0.2.0/24}", { "cf.new.field": "Ip" }],
  ["not cf.new.field", { "cf.new.field": "Bool" }],
  ['cf.new.map["a"] eq "x"', { "cf.new.map": "Map<Bytes>" }],
  ['any(cf.new.map["a"][*] contains "x")', { "cf.new.map": "Map<Array<Bytes>>" }],
  ["cf.new.list[0] eq 1", { "cf.new.list": "Array<Int>" }],
  ['lower(cf.new.field) eq "x"', { "cf.new.field": "Bytes" }],
  ['http.host eq "a" and (cf.a.b eq 1 or cf.c.d)', { "cf.a.b": "Int", "cf.c.d": "Bool" }],
])("learns the field types of %s", (text, fields) => {
  expect(learntFields([text])).toEqual(fields);
  expect(review(text, { extra: fields }).filter(({ severity }) => severity === "error")).toEqual([]);
});

test("learns the type of a field without a dot", () => {
  expect(learntFields(["newfield gt 5"])).toEqual({ newfield: "Int" });
});

test.each(["__proto__", "constructor", "prototype", "toString"])(
  "learns no type for %s, which files may not use as a key",
  (name) => {
    expect(learntFields([name])).toEqual({});
  },
);

test("learns a type that fits all texts, in any order", () => {
  const texts = ['any(cf.new.field[*] eq "x")', 'cf.new.field["a"] eq "x"'];
  for (const all of [texts, texts.toReversed()])
    expect(learntFields(all)).toEqual({ "cf.new.field": "Map<Bytes>" });
});

test("skips an expression that is invalid with any type, and still learns from the others", () => {
  const wrong = [
    "cf.new.field eq",
    "new_function(http.host)",
    'cf.a.b eq "x" and cf.a.b eq 1',
    "",
    "192.0.2.1",
  ];
  expect(learntFields(wrong)).toEqual({});
  expect(learntFields([...wrong, "cf.new.field eq 1"])).toEqual({ "cf.new.field": "Int" });
  expect(learntFields(['cf.new.field eq "x"'], { "cf.new.field": "Int" })).toEqual({});
});

test("gives up on a text with very many unknown fields", () => {
  const many = Array.from({ length: 200 }, (_, index) => `cf.x.f${index} in $list`).join(" and ");
  expect(learntFields([`${many} and nothing(`])).toEqual({});
});

test("leaves every comparison with an unknown field undecided", () => {
  for (const text of [
    'cf.new.field eq "x"',
    'http.host eq "a" or cf.new.field eq "x"',
    "not cf.new.field",
    "any(cf.new.map[*])",
    'new_function(http.host) eq "x"',
    "http.host contains http.referer",
    "newfield eq 1.5",
    "newfn({1 2})",
    "has_key(http.request.headers, http.host)",
  ]) {
    for (const other of ["true", "false", 'http.host eq "a"', 'cf.new.other eq "x"']) {
      expect([text, other, coverage(text, other)]).toEqual([text, other, "unknown"]);
      expect(coverage(other, text)).toBe("unknown");
      expect(witness(text, other)).toBeNull();
    }
    // A known side of `or` decides, whatever the unknown field holds.
    const known = text.includes(" or ") ? true : "unknown";
    const request = {
      "http.host": "a",
      "http.request.headers": { a: ["x"] },
      "cf.new.field": "x",
      newfield: 1,
    };
    expect(evaluate(text, request)).toBe(known);
    // Equal texts match the same requests.
    expect(coverage(text, ` ${text} `)).toBe("equal");
  }
});
