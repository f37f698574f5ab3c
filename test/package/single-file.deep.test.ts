import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { folderWith, ROOT } from "../support/cli.js";
import { NODE_24 } from "../support/github-step.js";

const run = promisify(execFile);
const isThere = existsSync(NODE_24);
if (!isThere) console.warn(`SKIPPED: the single executable file; there is no ${NODE_24}`);

const CONFIG = "version: 1\nzones: { example.com: { settings: { enabled: true } } }\n";

describe.skipIf(!isThere)("the single executable file, where no other program is found", () => {
  let program: string;

  beforeAll(async () => {
    const { stdout } = await run(NODE_24, ["scripts/single-file.mjs"], { cwd: ROOT });
    program = stdout.trim();
  }, 120_000);

  /** In a folder without the project, and by default with an empty path. */
  const zoneward = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    run(program, args, { cwd, env: { PATH: "", ...env } });

  test("is named for its platform, as the release names it", () => {
    expect(path.basename(program)).toBe("zoneward-linux-x64");
  });

  test("says its version", async () => {
    const { version } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
    expect(await zoneward(await folderWith({}), ["version"])).toEqual({ stdout: `${version}\n`, stderr: "" });
  });

  test("runs the demo", async () => {
    const { stdout } = await zoneward(await folderWith({}), ["demo"]);
    expect(stdout).toContain("Apply: 15 calls done, 0 failed, 0 not started; 2 zones as declared.");
    expect(stdout).toContain("Nothing was kept.");
  });

  /** An emulator of the program's own, and the environment that leads to it. */
  async function startEmulator() {
    const process = spawn(program, ["emulator"], { env: { PATH: "" }, stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void process.kill("SIGKILL"));
    const [ready] = await once(createInterface(process.stdout), "line");
    const { token, url } = JSON.parse(ready);
    return { process, env: { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_BASE_URL: url } };
  }

  test("validates, plans and applies against its own emulator", async () => {
    const cwd = await folderWith({ "zoneward.yaml": CONFIG });
    const emulator = await startEmulator();
    expect(await zoneward(cwd, ["validate", "-c", "*.yaml"])).toEqual({
      stdout: "Valid: 1 zone.\n",
      stderr: "",
    });
    const planned = await zoneward(cwd, ["plan", "--format", "json"], emulator.env);
    expect(JSON.parse(planned.stdout)).toMatchObject({ summary: { zones: 1, update: 1, calls: 1 } });
    const applied = await zoneward(cwd, ["apply", "--yes"], emulator.env);
    expect(applied.stdout).toContain("Apply: 1 call done, 0 failed, 0 not started; 1 zone as declared.");
    const again = await zoneward(cwd, ["plan"], emulator.env);
    expect(again.stdout).toContain("Plan: no changes");
    emulator.process.kill("SIGTERM");
    expect(await once(emulator.process, "exit")).toEqual([0, null]);
  });

  test("starts git where there is one", async () => {
    const cwd = await folderWith({ "zoneward.yaml": CONFIG });
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    const git = (...args: readonly string[]) => execFileSync("git", [...author, ...args], { cwd });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
    const { env } = await startEmulator();
    const plan = ["plan", "--base", "git:HEAD", "--format", "json"];
    const withGit = await zoneward(cwd, plan, { ...env, PATH: process.env.PATH });
    expect(JSON.parse(withGit.stdout)).toMatchObject({ base: expect.stringMatching(/^git:[0-9a-f]{40}$/) });
    const withoutGit = await zoneward(cwd, plan, env);
    expect(withoutGit.stderr).toContain("git is not installed");
  });
});
