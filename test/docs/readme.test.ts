import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT, zoneward } from "../support/cli.js";

test("the README shows the exact output of the demo", async () => {
  const readme = await readFile(path.join(ROOT, "README.md"), "utf8");
  const [, shown = ""] = /```\n([\s\S]*?)```/.exec(readme) ?? [];
  const { code, out } = await zoneward(["demo"]);
  expect(code).toBe(0);
  const said = out.split("\n");
  const lines = shown.trimEnd().split("\n");
  let at = 0;
  for (const line of lines) {
    at = said.indexOf(line, at);
    expect(at, line).toBeGreaterThanOrEqual(0);
  }
  expect(lines.length).toBeGreaterThan(4);
});

test("the pages of docs/ together have at most 150,000 bytes", async () => {
  const folder = path.join(ROOT, "docs");
  const pages = (await readdir(folder)).filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(pages.map((name) => readFile(path.join(folder, name))));
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.reduce((bytes, text) => bytes + text.length, 0)).toBeLessThanOrEqual(150_000);
});
