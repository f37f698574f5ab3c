import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keepCompiled } from "../../src/cli/compile-cache.js";

let home: string;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "zoneward-cache-"));
  await mkdir(path.join(home, "repository", ".git"), { recursive: true });
});

afterAll(() => rm(home, { recursive: true }));

/** Where Node is told to keep it. */
function kept(environment: Record<string, string>, known?: string): readonly string[] {
  const folders: string[] = [];
  const enableCompileCache = (folder: string) => folders.push(folder);
  keepCompiled(environment, { enableCompileCache, getCompileCacheDir: () => known });
  return folders;
}

test("what is compiled is kept in the user's cache folder", () => {
  expect(kept({ HOME: home })).toEqual([path.join(home, ".cache/zoneward")]);
  expect(kept({ HOME: "/nowhere", XDG_CACHE_HOME: home })).toEqual([path.join(home, "zoneward")]);
});

test("nowhere that a repository's files are, as it is run", () => {
  expect(kept({ HOME: path.join(home, "repository") })).toEqual([]);
  expect(kept({ HOME: path.join(home, "repository/below/it") })).toEqual([]);
  expect(kept({ XDG_CACHE_HOME: "cache", HOME: home })).toEqual([path.join(home, ".cache/zoneward")]);
  expect(kept({ HOME: "." })).toEqual([]);
  expect(kept({})).toEqual([]);
});

test("a cache that the environment names for all of Node is used as it is", () => {
  expect(kept({ HOME: home }, "/var/cache/node")).toEqual([]);
});

test("a Node that has none starts without", () => {
  expect(() => keepCompiled({ HOME: home }, {})).not.toThrow();
});
