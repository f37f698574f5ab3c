import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { oneAtATime } from "../../src/apply/lock.js";
import { apply, createEmulator, rollback } from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { quickFolder } from "./run.js";

const FOLDER = ".zoneward/journal";
const LOCK = `${FOLDER}/lock`;

/** A lock that another run has taken over. */
const THEIRS = JSON.stringify({ pid: 1, host: "another", space: "", token: "theirs" });

/** A lock as a run writes it, taken from one. */
async function lockOf(cwd: string) {
  const took = await oneAtATime(cwd, () => readFile(path.join(cwd, LOCK), "utf8"));
  if (!took.ok) throw new Error("it is free");
  return JSON.parse(took.value);
}

async function folderWithLock(change: object) {
  const cwd = await quickFolder("");
  const lock = { ...(await lockOf(cwd)), ...change };
  await writeFile(path.join(cwd, LOCK), JSON.stringify(lock));
  return cwd;
}

const work = async () => "done";

/** The number of a process that is there no more. */
async function deadPid() {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid;
}

test("a lock says who has it, and is gone when the work is done or has failed", async () => {
  const cwd = await quickFolder("");
  expect(await lockOf(cwd)).toMatchObject({ pid: process.pid, host: hostname() });
  const failing = oneAtATime(cwd, () => Promise.reject(new Error("it went wrong")));
  await expect(failing).rejects.toThrow("it went wrong");
  expect(await readdir(path.join(cwd, FOLDER))).toEqual([".gitignore"]);
});

test("of two runs at once one is refused, and told who is at work and what to do", async () => {
  const cwd = await quickFolder("");
  const second = await oneAtATime(cwd, () => oneAtATime(cwd, work));
  const inner = second.ok ? second.value : second;
  expect(inner).toMatchObject({ ok: false, problems: [{ code: "locked" }] });
  const detail = inner.ok ? "" : inner.problems[0]?.detail;
  expect(detail).toContain(`Process ${process.pid} on "${hostname()}"`);
  expect(detail).toContain(`delete ${LOCK}`);
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
});

test("a run whose lock another one has taken over meanwhile knows it before its next call", async () => {
  const cwd = await quickFolder("");
  const told = await oneAtATime(cwd, async (lost) => {
    const before = lost();
    await writeFile(path.join(cwd, LOCK), THEIRS);
    return [before, lost()?.code];
  });
  expect(told).toEqual({ ok: true, value: [null, "lock_lost"] });
  expect(await readFile(path.join(cwd, LOCK), "utf8")).toBe(THEIRS);
});

test("a run that has lost its lock sends nothing more, and says why", async () => {
  const policies = ["A", "B", "C"].map(
    (name) => `{ description: ${name}, action: log, expression: "true", value: "img-src 'self'" }`,
  );
  const cwd = await quickFolder(
    `version: 1\nzones:\n  shop.example.com: { policies: [${policies.join(", ")}] }\n`,
  );
  const emulator = await createEmulator({
    seed: { zones: { "shop.example.com": {} } },
    onRequest({ method }) {
      if (method === "POST") writeFileSync(path.join(cwd, LOCK), THEIRS);
    },
  });
  onTestFinished(() => emulator.close());
  const { report } = await apply({ cwd, environment: reaching(emulator), rateLimit: "off" });
  expect(report?.outcomes.map(({ status, problem }) => [status, problem?.code])).toEqual([
    ["done", undefined],
    ["not_started", "lock_lost"],
    ["not_started", undefined],
  ]);
  expect(emulator.writes()).toHaveLength(1);
  expect(await readFile(path.join(cwd, LOCK), "utf8")).toBe(THEIRS);
});

test("many runs at once never work at the same time", async () => {
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

test.each<[string, () => Promise<object>]>([
  ["a process that is dead", async () => ({ pid: await deadPid() })],
  ["an earlier process with the same number", async () => ({ token: "other" })],
])("the lock of %s is taken over at once", async (_, change) => {
  const cwd = await folderWithLock(await change());
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
  expect(await readdir(path.join(cwd, FOLDER))).toEqual([".gitignore"]);
});

test.each<[string, object]>([
  ["another host", { host: "elsewhere", pid: 1 }],
  ["another container of the same name", { space: "pid:[1]", pid: 1 }],
  ["nobody that it names", { pid: "x" }],
  ["a living process that has the number of a dead one", { pid: process.ppid }],
])("the lock of %s holds until nobody has touched it for two minutes", async (_, change) => {
  const cwd = await folderWithLock(change);
  expect(await oneAtATime(cwd, work)).toMatchObject({ ok: false, problems: [{ code: "locked" }] });
  const before = new Date(Date.now() - 121_000);
  await utimes(path.join(cwd, LOCK), before, before);
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
});

test.each(["", "{", "garbage"])(
  "of a lock that says %j nobody claims that a run is at work",
  async (text) => {
    const cwd = await folderWithLock({});
    await writeFile(path.join(cwd, LOCK), text);
    const refused = await oneAtATime(cwd, work);
    const [why] = refused.ok ? [] : refused.problems;
    expect(why?.summary).toBe("A lock that cannot be read is in this folder");
    expect(why?.detail).toContain(`Wait two minutes, or delete the file`);
    const before = new Date(Date.now() - 121_000);
    await utimes(path.join(cwd, LOCK), before, before);
    expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
  },
);

test.skipIf(process.getuid?.() === 0)("where no lock can be made, the work goes on without", async () => {
  const cwd = await quickFolder("");
  await mkdir(path.join(cwd, FOLDER), { recursive: true });
  await chmod(path.join(cwd, FOLDER), 0o500);
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
  await chmod(path.join(cwd, FOLDER), 0o700);
});

test("where a file is in the place of the folder, the work goes on without", async () => {
  const cwd = await quickFolder("");
  await writeFile(path.join(cwd, ".zoneward"), "a file is in the way");
  expect(await oneAtATime(cwd, work)).toEqual({ ok: true, value: "done" });
});

test("apply and rollback are refused while another run is at work, unless there is nothing to do", async () => {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
  onTestFinished(() => emulator.close());
  const file = JSON.stringify({ version: 1, zones: { "shop.example.com": { settings: { enabled: true } } } });
  const cwd = await quickFolder(file);
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
  const options = { cwd, environment };
  const busy = async (run: () => ReturnType<typeof apply>) => {
    const ran = await oneAtATime(cwd, run);
    if (!ran.ok) throw new Error("it is free");
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
