import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { oneAtATime } from "../../src/apply/lock.js";
import { apply, createEmulator, rollback } from "../../src/index.js";
import { quickFolder } from "./run.js";

const FOLDER = ".zoneward/journal";
const LOCK = `${FOLDER}/lock`;

/** The content of a lock, copied during a run. */
async function lockOf(cwd: string) {
  const took = await oneAtATime(cwd, () => readFile(path.join(cwd, LOCK), "utf8"));
  if (!took.ok) throw new Error("the lock must be free");
  return JSON.parse(took.value);
}

const work = async () => "done";

test("a lock names its process, and is removed when the work ends or fails", async () => {
  const cwd = await quickFolder("");
  expect(await lockOf(cwd)).toMatchObject({ pid: process.pid, host: hostname() });
  const failing = oneAtATime(cwd, () => Promise.reject(new Error("it went wrong")));
  await expect(failing).rejects.toThrow("it went wrong");
  expect(await readdir(path.join(cwd, FOLDER))).toEqual([".gitignore"]);
});

test("the second of two runs is refused, and learns which process is running", async () => {
  const cwd = await quickFolder("");
  const second = await oneAtATime(cwd, () => oneAtATime(cwd, work));
  const inner = second.ok ? second.value : second;
  expect(inner).toMatchObject({ ok: false, problems: [{ code: "locked" }] });
  const detail = inner.ok ? "" : inner.problems[0]?.detail;
  expect(detail).toMatch(
    new RegExp(
      `^Process ${process.pid} on "${hostname()}" has been applying or rolling back in this folder since "20\\d\\d-.*\\(${LOCK}\\)\\.`,
    ),
  );
  expect(detail).toMatch(/Nothing was written\.$/);
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
});

test.each([
  '{"pid":4,"host":"elsewhere","since":"2026-01-01T00:00:00Z"}',
  "",
  "{",
  '["\\u001b"]',
  "[".repeat(9999),
])("the lock of a killed run stays until it is deleted: %j", async (left) => {
  const cwd = await quickFolder("");
  await lockOf(cwd);
  await writeFile(path.join(cwd, LOCK), left);
  for (let tries = 0; tries < 2; tries++)
    expect(await oneAtATime(cwd, work)).toMatchObject({ ok: false, problems: [{ code: "locked" }] });
  expect(await readFile(path.join(cwd, LOCK), "utf8")).toBe(left);
  await rm(path.join(cwd, LOCK));
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
});

test("the lock of a process that no longer runs on this machine says so", async () => {
  const cwd = await quickFolder("");
  await lockOf(cwd);
  const { pid } = spawnSync(process.execPath, ["--version"]);
  await writeFile(path.join(cwd, LOCK), JSON.stringify({ pid, host: hostname(), since: "2026-01-01" }));
  const ran = await oneAtATime(cwd, work);
  const detail = ran.ok ? "" : ran.problems[0]?.detail;
  expect(detail).toContain("is no longer running. Delete the file, and run this again.");
});

test("20 parallel runs never work at the same time", async () => {
  const cwd = await quickFolder("");
  let [atOnce, most, refused] = [0, 0, 0];
  let goOn = () => {};
  const allOthersRefused = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const runs = Array.from({ length: 20 }, async () => {
    const ran = await oneAtATime(cwd, async () => {
      most = Math.max(most, ++atOnce);
      await allOthersRefused;
      atOnce--;
    });
    if (!ran.ok && ++refused === 19) goOn();
    return ran;
  });
  const done = (await Promise.all(runs)).filter(({ ok }) => ok);
  expect([most, done.length]).toEqual([1, 1]);
});

test.skipIf(process.getuid?.() === 0)("the work runs without a lock if the folder is read-only", async () => {
  const cwd = await quickFolder("");
  await mkdir(path.join(cwd, FOLDER), { recursive: true });
  await chmod(path.join(cwd, FOLDER), 0o500);
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
  await chmod(path.join(cwd, FOLDER), 0o700);
});

test("the work runs without a lock if a file is in the place of the folder", async () => {
  const cwd = await quickFolder("");
  await writeFile(path.join(cwd, ".zoneward"), "a file is in the way");
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
});

test("apply and rollback are refused during another run, unless they have nothing to do", async () => {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
  onTestFinished(() => emulator.close());
  const file = JSON.stringify({ version: 1, zones: { "shop.example.com": { settings: { enabled: true } } } });
  const cwd = await quickFolder(file);
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
  const options = { cwd, environment };
  const busy = async (run: () => ReturnType<typeof apply>) => {
    const ran = await oneAtATime(cwd, run);
    if (!ran.ok) throw new Error("the lock must be free");
    return ran.value;
  };
  const refused = await busy(() => apply(options));
  expect([refused.report, refused.problems.map(({ code }) => code)]).toEqual([null, ["locked"]]);
  expect(emulator.writes()).toEqual([]);
  const { report } = await apply(options);
  expect((await busy(() => apply(options))).report?.converged).toBe(true);
  const back = await busy(() => rollback(report?.journal ?? "", options));
  expect([back.report, back.problems.map(({ code }) => code)]).toEqual([null, ["locked"]]);
  expect(emulator.writes()).toHaveLength(1);
});
