import { expect, test } from "vitest";
import { planSchema } from "../../src/plan/schema.js";
import { readMarkdown } from "../support/documents.js";

const schema = JSON.stringify(planSchema);
const { blocks } = readMarkdown("docs/plan-document.md");

test("the conftest examples use only fields of the plan document", () => {
  const asked = textsIn("rego").flatMap((text) =>
    [...text.matchAll(/\b(?:input|change|field|zone|problem)\.(\w+)/g)].map(([, name = ""]) => name),
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((name) => !schema.includes(`"${name}":`))).toEqual([]);
});

test("the jq examples use only fields of the plan document", () => {
  const programs = textsIn("sh").flatMap((text) => [...text.matchAll(/jq -r '([^']+)'/g)]);
  const asked = programs.flatMap(([, program = ""]) =>
    [...program.matchAll(/\.([a-z_]+)/g)].map(([, name = ""]) => name),
  );
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.filter((name) => !schema.includes(`"${name}":`))).toEqual([]);
});

function textsIn(language: string): readonly string[] {
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}
