import { expect, test } from "vitest";
import * as library from "../../src/index.js";
import { readMarkdown } from "../support/documents.js";

test("docs/library.md lists every export of the library and of its namespaces", () => {
  const names = Object.entries(library).flatMap(([name, value]) =>
    typeof value === "object" && !Array.isArray(value)
      ? Object.keys(value).map((inner) => `${name}.${inner}`)
      : [name],
  );
  expect(names.length).toBeGreaterThan(20);
  const { codes } = readMarkdown("docs/library.md");
  expect(names.filter((name) => !codes.includes(name))).toEqual([]);
});
