import { readFile, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type PlanDocument } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
`;
const MINUTE_MS = 60_000;

async function start() {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": CONFIG });
  const file = path.join(cwd, "plan.json");
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  return { emulator, cwd, file, run };
}

function writtenAgo(file: string, minutes: number): Promise<void> {
  const then = new Date(Date.now() - minutes * MINUTE_MS);
  return utimes(file, then, then);
}

test("a saved plan older than --max-age is refused before any request", async () => {
  const { emulator, file, run } = await start();
  await run("plan", "-o", "plan.json");
  await writtenAgo(file, 61);
  const requests = emulator.log.length;
  const { code, err } = await run("apply", "plan.json", "--max-age", "60");
  expect([code, err]).toEqual([
    1,
    expect.stringContaining("plan.json was written 61 minutes ago, and --max-age is 60."),
  ]);
  expect(emulator.log).toHaveLength(requests);
});

test("a newer saved plan is applied, and any saved plan without --max-age", async () => {
  const { emulator, file, run } = await start();
  await run("plan", "-o", "plan.json");
  await writtenAgo(file, 59);
  expect((await run("apply", "plan.json", "--max-age", "60")).code).toBe(0);
  expect(emulator.writes()).toHaveLength(1);
  await writtenAgo(file, 600_000);
  expect((await run("apply", "plan.json")).code).toBe(0);
});

test("a plan made with --max-age expires, wherever its file comes from", async () => {
  const { emulator, file, cwd, run } = await start();
  const before = Date.now();
  await run("plan", "-o", "plan.json", "--max-age", "90");
  const document = JSON.parse(await readFile(file, "utf8")) as PlanDocument;
  const until = Date.parse(document.expires_at ?? "");
  expect(until).toBeGreaterThanOrEqual(before + 90 * MINUTE_MS);
  expect(until).toBeLessThanOrEqual(Date.now() + 90 * MINUTE_MS);
  expect((await run("show", "plan.json")).out).toContain(
    `. It can be applied until ${document.expires_at}.\n`,
  );
  const over = { ...document, expires_at: "2026-01-01T00:00:00.000Z" };
  await writeFile(file, JSON.stringify(over));
  const late = await run("apply", "plan.json");
  expect([late.code, late.err]).toEqual([1, expect.stringContaining("until 2026-01-01T00:00:00.000Z")]);
  const options = { cwd, environment: reaching(emulator), plan: over };
  expect((await apply(options)).problems).toMatchObject([{ code: "too_old" }]);
  expect(emulator.writes()).toEqual([]);
  expect((await apply({ ...options, plan: document })).report?.converged).toBe(true);
});

test("two equal plans without --max-age have the same bytes", async () => {
  const { cwd, run } = await start();
  await run("plan", "-o", "one.json");
  await run("plan", "-o", "two.json");
  const read = (name: string) => readFile(path.join(cwd, name), "utf8");
  expect(await read("two.json")).toBe(await read("one.json"));
});

test("a journal older than --max-age is refused", async () => {
  const { emulator, cwd, run } = await start();
  const { err } = await run("apply", "--yes");
  const journal = /Journal: (\S+)/.exec(err)?.[1] ?? "";
  await writtenAgo(path.join(cwd, journal), 5);
  const late = await run("rollback", journal, "--yes", "--max-age", "4");
  expect([late.code, late.err]).toEqual([1, expect.stringContaining("--max-age is 4")]);
  expect(late.err).toContain("leave --max-age out");
  expect(late.err).not.toContain("Make a new one");
  expect(emulator.writes()).toHaveLength(1);
  expect((await run("rollback", journal, "--yes", "--max-age", "60")).code).toBe(0);
});

test.each([
  ["apply", "-1"],
  ["plan", "soon"],
  ["rollback", ""],
])("%s refuses --max-age %j", async (command, minutes) => {
  const { emulator, run } = await start();
  const { code, err } = await run(command, "--max-age", minutes);
  expect([code, err]).toEqual([1, expect.stringContaining("--max-age")]);
  expect(emulator.log).toEqual([]);
});
