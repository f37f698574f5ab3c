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

test("of a field that nobody knows, the message has the way to say what it is", () => {
  expect(told("", 'cf.new.field eq "x"').join("\n")).toContain(
    "say so with its type, as it is used here: service: { extra_expression_fields: { cf.new.field: Bytes } }.",
  );
});

test("what the files give no type stays wrong where its use is", () => {
  const [found = ""] = told("extra_expression_fields: { cf.new.field: Int }", 'cf.new.field eq "x"');
  expect(found).toMatch(/^5:\d+ expression_/);
});

test("a type that there is not, and a name that is none, are told at their places", () => {
  expect(told("extra_expression_fields: { cf.new.field: Text }", "true")[0]).toMatch(/^2:53 wrong_value/);
  expect(told("extra_expression_fields: { new: Bytes }", "true")).toEqual([
    '2:39 wrong_value: "new" is no name that can be used here: it has words of letters, digits and underscores, with dots between them.',
  ]);
});
