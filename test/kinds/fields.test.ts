import { describe, expect, test } from "vitest";
import { diffFields } from "../../src/kinds/fields.js";
import { kinds } from "../../src/kinds/index.js";
import type { SealedObject } from "../../src/model/sealed.js";
import { fc } from "../support/random.js";

const fields = kinds.find((kind) => kind.name === "policy")?.fields ?? {};

/** Keys that identify an object or say what becomes of it, and an older spelling of other fields of a job. */
const WITHOUT_ROW = ["id", "renamed_from", "ensure", "until", "ruleset", "logpull_options"];

test.each(kinds)("every key of $section has a row in the table of fields", ({ schema, fields: rows }) => {
  const known = Object.entries(rows).flatMap(([field, { aliases = [] }]) => [field, ...aliases]);
  const keys = Object.keys(schema.properties ?? {}).filter((key) => !WITHOUT_ROW.includes(key));
  expect(known).toEqual(expect.arrayContaining(keys));
});

describe("diffFields", () => {
  test.each<[string, SealedObject | null, SealedObject | null, readonly string[]]>([
    ["an equal object has no changes", { a: 1, b: [1] }, { b: [1], a: 1 }, []],
    ["a field on only one side is a change", { a: 1 }, { b: 2 }, ["b", "a"]],
    ["a new object has all its fields", null, { a: 1, b: 2 }, ["a", "b"]],
    ["a deleted object has all its fields", { a: 1, b: 2 }, null, ["a", "b"]],
    ["a value with the same meaning is no change", { value: "img-src a b" }, { value: "IMG-SRC B a;" }, []],
    ["spaces in an expression are no change", { expression: "a  eq 1" }, { expression: "a eq 1" }, []],
    [
      "text in an expression is a change",
      { expression: 'a eq "b  c"' },
      { expression: 'a eq "b c"' },
      ["expression"],
    ],
  ])("%s", (_, before, after, expected) => {
    expect(diffFields(before, after, fields).map((change) => change.path)).toEqual(expected);
  });

  test("mirrors when before and after are swapped", () => {
    const object = fc.dictionary(
      fc.constantFrom("a", "b", "value"),
      fc.constantFrom("x", "img-src a", "img-src b a", "IMG-SRC A"),
    );
    fc.assert(
      fc.property(object, object, (a, b) => {
        const there = diffFields(a, b, fields);
        const back = diffFields(b, a, fields);
        const mirrored = back.map(({ path, before, after }) => [path, after, before]);
        expect(
          new Set(there.map(({ path, before, after }) => JSON.stringify([path, before, after]))),
        ).toEqual(new Set(mirrored.map((each) => JSON.stringify(each))));
      }),
    );
  });
});
