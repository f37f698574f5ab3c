import { readFile } from "node:fs/promises";
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
