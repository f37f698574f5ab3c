import { randomUUID } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Script } from "node:vm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { cacheFolder, loaderOf } from "../../src/cli/compile-cache.js";

let home: string;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "zoneward-cache-"));
  await mkdir(path.join(home, "repository", ".git"), { recursive: true });
  await mkdir(path.join(home, "program/cli"), { recursive: true });
  await mkdir(path.join(home, "program/chunks"));
  await writeFile(
    path.join(home, "program/cli/plan.js"),
    'const { twice } = require("../chunks/twice.js");\nmodule.exports = { four: twice(2), separator: require("node:path").posix.sep, here: __dirname };',
  );
  await writeFile(path.join(home, "program/chunks/twice.js"), "exports.twice = (n) => 2 * n;");
});

afterAll(() => rm(home, { recursive: true }));

describe("what is compiled is kept", () => {
  test("in the user's cache folder", () => {
    expect(cacheFolder({ HOME: home })).toBe(path.join(home, ".cache/zoneward"));
    expect(cacheFolder({ HOME: "/nowhere", XDG_CACHE_HOME: home })).toBe(path.join(home, "zoneward"));
  });

  test("nowhere that a repository's files are, as it is run", () => {
    expect(cacheFolder({ HOME: path.join(home, "repository") })).toBeNull();
    expect(cacheFolder({ HOME: path.join(home, "repository/below/it") })).toBeNull();
    expect(cacheFolder({ XDG_CACHE_HOME: "cache", HOME: home })).toBe(path.join(home, ".cache/zoneward"));
    expect(cacheFolder({ HOME: "." })).toBeNull();
    expect(cacheFolder({})).toBeNull();
  });

  test("not where Node's own is turned off", () => {
    expect(cacheFolder({ HOME: home, NODE_DISABLE_COMPILE_CACHE: "1" })).toBeNull();
  });
});

describe("a program", () => {
  const loadedAs = () => ({ four: 4, separator: "/", here: path.join(home, "program/cli") });

  /** Starts it once. */
  function start(cache: string | null, build = "one") {
    const { load, keep } = loaderOf({ folder: path.join(home, "program"), build }, cache, () => {});
    const loaded = load("cli/plan.js");
    expect(load("cli/plan.js")).toBe(loaded);
    keep();
    return loaded;
  }

  /** What is kept in a folder: what is written anew is another file. */
  async function keptIn(cache: string): Promise<readonly number[]> {
    const names = await readdir(cache);
    return Promise.all(names.map(async (name) => (await stat(path.join(cache, name))).ino));
  }

  const fresh = () => path.join(home, randomUUID());

  test("is compiled once, and loaded from what is kept", async () => {
    const cache = fresh();
    expect(start(cache)).toEqual(loadedAs());
    const kept = await keptIn(cache);
    expect(kept).toHaveLength(1);
    expect(start(cache)).toEqual(loadedAs());
    expect(await keptIn(cache)).toEqual(kept);
  });

  test("has flags set between what Node has itself and its own files, and after both where nothing is kept", () => {
    const cache = fresh();
    const builtIn = vi.spyOn(process, "getBuiltinModule");
    const compiled = vi.spyOn(Script.prototype, "runInThisContext");
    const done: object[] = [];
    for (let starts = 0; starts < 2; starts++) {
      const { load, keep } = loaderOf({ folder: path.join(home, "program"), build: "one" }, cache, () => {
        done.push({ asked: builtIn.mock.calls.map(([name]) => name), run: compiled.mock.calls.length });
      });
      builtIn.mockClear();
      compiled.mockClear();
      load("cli/plan.js");
      load("chunks/twice.js");
      keep();
    }
    vi.restoreAllMocks();
    expect(done).toEqual([
      { asked: ["node:path"], run: 2 },
      { asked: ["node:path"], run: 0 },
    ]);
  });

  test("is compiled anew where what is kept is of another build", async () => {
    const cache = fresh();
    start(cache);
    const kept = await keptIn(cache);
    expect(start(cache, "another")).toEqual(loadedAs());
    expect(await keptIn(cache)).not.toEqual(kept);
  });

  test("is compiled anew where what is kept is damaged", async () => {
    const cache = fresh();
    start(cache);
    const [name = ""] = await readdir(cache);
    const whole = await readFile(path.join(cache, name));
    const flipped = Buffer.from(whole);
    for (let at = 100; at < flipped.length; at += 7) flipped[at] = ~(flipped[at] ?? 0);
    for (const damaged of ["", "no code", flipped, whole.subarray(0, -100), Buffer.alloc(whole.length)]) {
      await writeFile(path.join(cache, name), damaged);
      const kept = await keptIn(cache);
      expect(start(cache)).toEqual(loadedAs());
      expect(await keptIn(cache)).not.toEqual(kept);
    }
  });

  test("is kept for nobody else, and where nobody else can write", async () => {
    const cache = fresh();
    start(cache);
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
    const open = fresh();
    await mkdir(open);
    await chmod(open, 0o777);
    expect(start(open)).toEqual(loadedAs());
    expect(await readdir(open)).toEqual([]);
    const [elsewhere, link] = [fresh(), fresh()];
    await mkdir(elsewhere);
    await symlink(elsewhere, link);
    expect(start(link)).toEqual(loadedAs());
    expect(await readdir(elsewhere)).toEqual([]);
  });

  test("nothing of it is read where others can write", async () => {
    const cache = fresh();
    start(cache);
    await chmod(cache, 0o777);
    const kept = await keptIn(cache);
    const [name = ""] = await readdir(cache);
    await writeFile(path.join(cache, name), "no code");
    expect(start(cache)).toEqual(loadedAs());
    expect(await keptIn(cache)).toEqual(kept);
  });

  test("nothing is read of a file that is a link, or that others can write", async () => {
    for (const spoil of [
      async (file: string) => {
        await rename(file, `${file}-elsewhere`);
        await symlink(`${file}-elsewhere`, file);
      },
      (file: string) => chmod(file, 0o666),
    ]) {
      const cache = fresh();
      start(cache);
      const file = path.join(cache, (await readdir(cache))[0] ?? "");
      await spoil(file);
      expect(start(cache)).toEqual(loadedAs());
      // Written anew, it is our own again.
      const info = await lstat(file);
      expect([info.isFile(), info.mode & 0o777]).toEqual([true, 0o600]);
    }
  });

  test("starts without where there is no folder, or it cannot be made", async () => {
    expect(start(null)).toEqual(loadedAs());
    const file = fresh();
    await writeFile(file, "");
    expect(start(path.join(file, "below"))).toEqual(loadedAs());
  });
});
