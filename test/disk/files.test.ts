import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { isFolder, makeFolder } from "../../src/disk/files.js";
import { writeFiles } from "../../src/run/write-files.js";
import { folderWith } from "../support/cli.js";

test("makeFolder creates parent folders and accepts an existing folder", async () => {
  const cwd = await folderWith({});
  const place = path.join(cwd, "a/b/c");
  makeFolder(place);
  makeFolder(place);
  expect(isFolder(place)).toBe(true);
});

test("makeFolder reports a file or dangling link in the path, and follows a link to a folder", async () => {
  const cwd = await folderWith({});
  await writeFile(path.join(cwd, "file"), "");
  await symlink("nowhere", path.join(cwd, "link"));
  await mkdir(path.join(cwd, "folder"));
  await symlink("folder", path.join(cwd, "led"));
  expect(() => makeFolder(path.join(cwd, "file/a"))).toThrow(/EEXIST|ENOTDIR/);
  expect(() => makeFolder(path.join(cwd, "link/a"))).toThrow(/EEXIST|ENOENT/);
  makeFolder(path.join(cwd, "led/a"));
  expect(isFolder(path.join(cwd, "folder/a"))).toBe(true);
});

test.skipIf(!existsSync("/proc/self"))("makeFolder reports a failure instead of retrying forever", () => {
  expect(() => makeFolder("/proc/nothing-of-the-kind/a")).toThrow(/ENOENT|EACCES/);
});

test("writeFiles names the files that are already written when a later file cannot be written", async () => {
  const files = { "a.yaml": "a", "b.yaml": "b", "c.yaml": "edited meanwhile", "d.yaml": "d" };
  const cwd = await folderWith(files);
  const next = new Map(Object.keys(files).map((file) => [file, "next"]));
  const read = new Map([...Object.entries(files), ["c.yaml", "c"] as const]);
  const written = await writeFiles(next, read, cwd);
  expect(written.ok ? [] : written.problems.map(({ detail }) => detail)).toEqual([
    "c.yaml changed meanwhile. Run this again. Already written: a.yaml, b.yaml.",
  ]);
  expect(await Promise.all(Object.keys(files).map((file) => readFile(path.join(cwd, file), "utf8")))).toEqual(
    ["next", "next", "edited meanwhile", "d"],
  );
  const first = await writeFiles(new Map([["c.yaml", "next"]]), read, cwd);
  expect(first.ok ? [] : first.problems.map(({ detail }) => detail)).toEqual([
    "c.yaml changed meanwhile. Run this again.",
  ]);
});
