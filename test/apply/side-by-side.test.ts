import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type Emulator, rollback } from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { quickFolder } from "./run.js";

const NAMES = ["a", "b", "c", "d", "e", "f"].map((letter) => `${letter}.example.com`);

const CONFIG = JSON.stringify({
  version: 1,
  templates: {
    all: {
      settings: { enabled: true },
      policies: ["One", "Two", "Three"].map((description) => ({
        description,
        action: "log",
        expression: "true",
        value: `script-src 'self' ${description.toLowerCase()}.example`,
      })),
    },
  },
  zones: Object.fromEntries(NAMES.map((name) => [name, { extends: ["all"] }])),
});

async function begin(onWrite: (count: number) => void = () => {}) {
  let writes = 0;
  const emulator = await createEmulator({
    now: () => new Date(0),
    seed: { zones: Object.fromEntries(NAMES.map((name) => [name, { id: `${name[0]}`.repeat(32) }])) },
    onRequest: ({ method }) => {
      if (method !== "GET") onWrite(++writes);
    },
  });
  onTestFinished(() => emulator.close());
  const options = { cwd: await quickFolder(CONFIG), environment: reaching(emulator), rateLimit: "off" };
  return { emulator, options };
}

/** The zone of each write, in the order of arrival. */
function zonesOf(emulator: Emulator): string {
  return emulator
    .writes()
    .map(({ path: at }) => at.split("/")[2]?.[0])
    .join("");
}

test("applies as many zones at a time as the concurrency allows, in the order of the plan", async () => {
  const four = await begin();
  const told: string[] = [];
  const onProgress = (done: number, of: number, doing: string) => told.push(`${doing} ${done}/${of}`);
  const { report } = await apply({ ...four.options, onProgress });
  expect(report).toMatchObject({ converged: true, summary: { done: 24, not_started: 0 } });
  const came = zonesOf(four.emulator);
  expect(came).toHaveLength(24);
  expect([...new Set(came.slice(0, 4))].toSorted()).toEqual(["a", "b", "c", "d"]);
  expect(told.filter((each) => each.startsWith("applying"))).toEqual(
    Array.from({ length: 7 }, (_, done) => `applying ${done}/6`),
  );
  const one = await begin();
  await apply({ ...one.options, concurrency: 1 });
  expect(zonesOf(one.emulator)).toBe("aaaabbbbccccddddeeeeffff");
});

test("writes one journal for all zones, which leads back from a stop at any call", async () => {
  const controller = new AbortController();
  const { emulator, options } = await begin((count) => {
    if (count === 10) controller.abort();
  });
  const before = emulator.state();
  const { report } = await apply({ ...options, signal: controller.signal });
  expect(report?.summary.done).toBeGreaterThanOrEqual(10);
  expect(report?.summary.done).toBeLessThanOrEqual(19);
  const journal = await readFile(path.join(options.cwd, report?.journal ?? ""), "utf8");
  const begun = [...journal.matchAll(/"type":"intent","zone":"(.)/g)].map(([, zone]) => zone);
  expect(begun.join("")).not.toBe(begun.toSorted().join(""));
  const back = await rollback(report?.journal ?? "", { ...options, allow: ["prune_all"] });
  expect(back.report?.converged).toBe(true);
  expect(emulator.state().zones).toEqual(before.zones);
});
