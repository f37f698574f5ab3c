import { readFileSync } from "node:fs";
import { type Expression, parseSync, Visitor } from "oxc-parser";
import { parseScenario } from "../support/scenario.js";

/**
 * The titles of the tests in a file: the title of a scenario; in TypeScript, the first argument of `test`, the first column of
 * tables, and `name` properties.
 *
 * @param file relative to the project's folder
 */
export function testNamesIn(file: string): ReadonlySet<string> {
  const text = readFileSync(file, "utf8");
  return new Set(file.endsWith(".txt") ? [parseScenario(text).title] : namesInSource(file, text));
}

function namesInSource(file: string, text: string): readonly string[] {
  const names: (string | null)[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: [first] }) =>
      void (calledOn(callee) === "test" && names.push(textOf(first))),
    ArrayExpression: ({ elements: [first] }) => void names.push(textOf(first)),
    Property: ({ key, value }) =>
      void (key.type === "Identifier" && key.name === "name" && names.push(textOf(value))),
  }).visit(parseSync(file, text).program);
  return names.filter((name) => name !== null);
}

/** The name of the called function, also of `test.each(…)(…)`: `test`. */
function calledOn(callee: Expression): string | null {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return calledOn(callee.object as Expression); // never `super` in a test
  return callee.type === "CallExpression" ? calledOn(callee.callee) : null;
}

function textOf(node: { readonly type: string } | null | undefined): string | null {
  return node?.type === "Literal" && "value" in node && typeof node.value === "string" ? node.value : null;
}
