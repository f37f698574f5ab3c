import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/cli.js";
import { type MarkdownFile, readDocuments, readMarkdown } from "../support/documents.js";

const documents = readDocuments();

describe("the documents", () => {
  test("include the README and the main reference pages", () => {
    expect(documents.map(({ file }) => file)).toEqual(
      expect.arrayContaining(["README.md", "docs/commands.md", "docs/file-format.md", "docs/safety.md"]),
    );
  });

  test.each(documents)("$file links only to existing files and headings", (document) => {
    const own = document.targets.filter((target) => !/^https?:/.test(target));
    expect(own.filter((target) => !leads(target, document))).toEqual([]);
  });
});

test.each(documents)("$file names only existing files of the project", ({ codes }) => {
  const paths = codes.filter((code) => /^(src|test|docs|schemas|examples|scripts)\/[\w./-]*$/.test(code));
  expect(paths.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});

test("docs/safety.md names only existing test files", () => {
  const { codes } = readMarkdown("docs/safety.md");
  const tests = codes.filter((code) => /^[\w/-]+(\.\w+)*\.(test\.ts|txt)$/.test(code));
  expect(tests.length).toBeGreaterThan(50);
  expect(tests.filter((file) => !existsSync(path.join(ROOT, "test", file)))).toEqual([]);
});

function leads(target: string, from: MarkdownFile): boolean {
  const [file = "", anchor] = target.split("#");
  const found = file === "" ? from.file : path.posix.join(path.posix.dirname(from.file), file);
  if (!existsSync(path.join(ROOT, found))) return false;
  return anchor === undefined || (found.endsWith(".md") && readMarkdown(found).anchors.has(anchor));
}
