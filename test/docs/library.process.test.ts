import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import * as library from "../../src/index.js";
import { folderWith, ROOT } from "../support/cli.js";
import { readMarkdown } from "../support/documents.js";

const run = promisify(execFile);

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

  test("has only examples that run as they stand, against the package that is built", async () => {
    const programs = document.blocks.filter(({ text }) => / from "zoneward["/]/.test(text));
    expect(programs.length).toBeGreaterThan(0);
    for (const { text } of programs) {
      const folder = await folderWith({ "package.json": '{ "type": "module" }' });
      await mkdir(path.join(folder, "node_modules"));
      await symlink(ROOT, path.join(folder, "node_modules/zoneward"));
      await writeFile(path.join(folder, "example.js"), text);
      await run(process.execPath, ["example.js"], { cwd: folder, env: { PATH: process.env.PATH } });
    }
  });

  test("has examples that are typed as they stand", async () => {
    const examples = document.blocks.filter(({ text }) => / from "zoneward["/]/.test(text));
    const folder = await folderWith({
      "package.json": '{ "type": "module" }',
      ...Object.fromEntries(examples.map(({ text }, index) => [`example-${index}.ts`, text])),
    });
    await mkdir(path.join(folder, "node_modules"));
    await symlink(ROOT, path.join(folder, "node_modules/zoneward"));
    const { compilerOptions } = JSON.parse(await readFile(path.join(ROOT, "tsconfig.json"), "utf8"));
    const options = { ...compilerOptions, typeRoots: [path.join(ROOT, "node_modules/@types")] };
    await writeFile(
      path.join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, include: ["*.ts"] }),
    );
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
    await expect(run(process.execPath, [tsc, "-p", folder])).resolves.toMatchObject({ stdout: "" });
  });
});
