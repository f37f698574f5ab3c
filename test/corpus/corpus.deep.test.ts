import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { endOfWaiting } from "../support/no-waiting.js";
import { drawnStories } from "./drawn.js";
import { type Recorded, record, type Story } from "./record.js";
import { writtenStories } from "./written.js";

/**
 * What the program does, recorded: plans, applies, rollbacks, drift and adoptions of all kinds in both dialects, with
 * the calls in their order. `records/` has, for each command, its exit code, the codes of its problems, digests, the
 * calls, and hashes of the document, the journal and the state. What people read of it is held by the scenarios and by tests.
 * Moving code changes none of them. UPDATE_CORPUS=1 records anew: read the difference before you keep it.
 * CORPUS_FULL names a folder that gets everything the hashes are of, a file a command, to be compared with another's.
 */
const FOLDER = path.join(import.meta.dirname, "records");
const updating = process.env.UPDATE_CORPUS === "1";

const groups: ReadonlyMap<string, readonly Story[]> = new Map([
  ...(await writtenStories()),
  ...(await drawnStories()),
]);

let wait: () => void;
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 1, 12) });
  wait = endOfWaiting();
});
afterAll(() => {
  wait();
  vi.useRealTimers();
});

test.each([...groups])(
  "%s is as recorded",
  async (name, stories) => {
    const recorded: Recorded[] = [];
    for (const story of stories) recorded.push(...(await record(story)));
    const file = path.join(FOLDER, `${name}.txt`);
    const text = recorded.map((each) => each.done).join("\n");
    await keepFull(name, recorded);
    if (updating) {
      await writeFile(file, text);
      return;
    }
    expect(text).toBe(await readFile(file, "utf8"));
  },
  300_000,
);

test("there is no record of what is not told any more", async () => {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith(".txt"));
  expect(files.sort()).toEqual([...groups.keys()].map((name) => `${name}.txt`).sort());
});

async function keepFull(group: string, recorded: readonly Recorded[]): Promise<void> {
  const folder = process.env.CORPUS_FULL;
  if (folder === undefined) return;
  await mkdir(path.join(folder, group), { recursive: true });
  for (const { name, whole } of recorded) await writeFile(path.join(folder, group, `${name}.txt`), whole);
}
