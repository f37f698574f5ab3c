import { expect, test } from "vitest";
import { desiredFrom } from "../../src/config/index.js";

function problemLines(service: string, expression: string): readonly string[] {
  const file = `version: 1
service: { ${service} }
zones:
  a.example:
    policies: [{ description: a, action: log, expression: '${expression}', value: "script-src 'self'" }]
`;
  const { problems } = desiredFrom([{ file: "a.yaml", text: file }], {}, "check");
  return problems.map(({ code, detail, at }) => `${at?.line}:${at?.column} ${code}: ${detail}`);
}

test("a field in extra_expression_fields has its given type", () => {
  expect(problemLines("extra_expression_fields: { cf.new.field: Bytes }", 'cf.new.field eq "x"')).toEqual([]);
  expect(problemLines("extra_expression_fields: { cf.new.map: Map<Int> }", 'cf.new.map["a"] gt 5')).toEqual(
    [],
  );
});

test("an unknown field is a warning with the line that would declare it", () => {
  expect(problemLines("", 'cf.new.field eq "x"')).toEqual([
    "5:60 expression_unknown_field: Field `cf.new.field` is unknown to this version. The expression is sent as written; its effect is unknown. To check its type, add: service: { extra_expression_fields: { cf.new.field: Bytes } }.",
  ]);
});

test("an unknown function is a warning, and a near miss of a known function an error", () => {
  expect(problemLines("", 'new_function(http.host) eq "x"').join("\n")).toMatch(
    /^5:\d+ expression_unknown_function: /,
  );
  expect(problemLines("", 'lowr(http.host) eq "x"').join("\n")).toMatch(/^5:\d+ expression_unknown_name: /);
});

test("a use that contradicts the given type is an error at the use", () => {
  const [found = ""] = problemLines("extra_expression_fields: { cf.new.field: Int }", 'cf.new.field eq "x"');
  expect(found).toMatch(/^5:\d+ expression_/);
});

test("an unknown type and an invalid name are reported at their places", () => {
  expect(problemLines("extra_expression_fields: { cf.new.field: Text }", "true")[0]).toMatch(
    /^2:53 wrong_value/,
  );
  expect(problemLines("extra_expression_fields: { new.: Bytes }", "true")).toEqual([
    '2:39 wrong_value: "new." is not a valid name here. Use words of letters, digits and underscores, with dots between them.',
  ]);
});
