import { expect, test } from "vitest";
import { desiredFrom } from "../../src/config/index.js";

function told(service: string, expression: string): readonly string[] {
  const file = `version: 1
service: { ${service} }
zones:
  a.example:
    policies: [{ description: a, action: log, expression: '${expression}', value: "script-src 'self'" }]
`;
  const { problems } = desiredFrom([{ file: "a.yaml", text: file }], {}, "check");
  return problems.map(({ code, detail, at }) => `${at?.line}:${at?.column} ${code}: ${detail}`);
}

test("a field that the service has learnt is read with the type that the files give it", () => {
  expect(told("extra_expression_fields: { cf.new.field: Bytes }", 'cf.new.field eq "x"')).toEqual([]);
  expect(told("extra_expression_fields: { cf.new.map: Map<Int> }", 'cf.new.map["a"] gt 5')).toEqual([]);
});

test("an unknown field is a warning with the line that gives it a type", () => {
  expect(told("", 'cf.new.field eq "x"')).toEqual([
    "5:60 expression_unknown_field: Field `cf.new.field` is unknown to this version. The expression is sent as written; its effect is unknown. To check its type, add: service: { extra_expression_fields: { cf.new.field: Bytes } }.",
  ]);
});

test("an unknown function is a warning, and a near miss of a known one an error", () => {
  expect(told("", 'new_function(http.host) eq "x"').join("\n")).toMatch(
    /^5:\d+ expression_unknown_function: /,
  );
  expect(told("", 'lowr(http.host) eq "x"').join("\n")).toMatch(/^5:\d+ expression_unknown_name: /);
});

test("what the files give no type stays wrong where its use is", () => {
  const [found = ""] = told("extra_expression_fields: { cf.new.field: Int }", 'cf.new.field eq "x"');
  expect(found).toMatch(/^5:\d+ expression_/);
});

test("a type that there is not, and a name that is none, are told at their places", () => {
  expect(told("extra_expression_fields: { cf.new.field: Text }", "true")[0]).toMatch(/^2:53 wrong_value/);
  expect(told("extra_expression_fields: { new.: Bytes }", "true")).toEqual([
    '2:39 wrong_value: "new." is no name for this. Use words of letters, digits and underscores, with dots between them.',
  ]);
});
