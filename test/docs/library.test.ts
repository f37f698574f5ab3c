import { describe, expect, test } from "vitest";
import * as library from "../../src/index.js";
import { readMarkdown } from "../support/documents.js";

describe("docs/library.md", () => {
  const document = readMarkdown("docs/library.md");

  test("explains every value that the library exports, those of its namespaces included", () => {
    const names = Object.entries(library).flatMap(([name, value]) =>
      typeof value === "object" && !Array.isArray(value)
        ? Object.keys(value).map((inner) => `${name}.${inner}`)
        : [name],
    );
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !document.anchors.has(name.toLowerCase().replaceAll(".", "")))).toEqual([]);
  });

  test("explains every option", () => {
    const options = document.blocks.filter(({ text }) => /^interface \w+Options\b/.test(text));
    expect(options.length).toBeGreaterThan(4);
    const silent = options.flatMap(({ text }) => {
      const lines = text.split("\n");
      return lines.filter((line, at) => line.startsWith("  readonly ") && !lines[at - 1]?.endsWith("*/"));
    });
    expect(silent).toEqual([]);
  });
});
