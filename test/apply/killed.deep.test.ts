import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { readJournal } from "../../src/plan/read-journal.js";
import { CLI, folderWith, reaching, zoneward } from "../support/cli.js";
import { difference, FORMER, inTurns, type Story, stories, usualIn } from "./stories.js";

const AT_ONCE = 3;

test.each(stories.map((story) => [story.title, story] as const))(
  "%s: the next apply finishes the work of a run killed at any write, before or after its effect",
  async (title, story) => {
    const usual = await undisturbed(story);
    const kills = Array.from({ length: usual.writes }, (_, index) => index + 1).flatMap((nth) =>
      (["before", "after"] as const).map((when) => ({ when, nth })),
    );
    const broken: string[] = [];
    await inTurns(AT_ONCE, kills, async ({ when, nth }) => {
      const wrong = await killed(story, when, nth, usual);
      if (wrong !== null) broken.push(`${when} write ${nth}: ${wrong}`);
    });
    console.log(`${title}: ${kills.length - broken.length} of ${kills.length} kills survived`);
    expect(broken).toEqual([]);
    expect(kills.length).toBeGreaterThan(6);
  },
  120_000,
);

type Usual = Awaited<ReturnType<typeof undisturbed>>;

async function undisturbed(story: Story) {
  const emulator = await createEmulator({ seed: story.seed, now: () => new Date(0) });
  const cwd = await folderWith({ "zoneward.yaml": story.config });
  const { code } = await zoneward(["apply", "--yes"], { cwd, env: reaching(emulator) });
  const usual = { writes: emulator.writes().length, ...usualIn(emulator.state()) };
  await emulator.close();
  expect(code).toBe(0);
  return usual;
}

/** @returns what is wrong after the next apply; null if nothing is */
async function killed(
  story: Story,
  when: "before" | "after",
  nth: number,
  usual: Usual,
): Promise<string | null> {
  let writes = 0;
  let kill = () => {};
  const emulator = await createEmulator({
    seed: story.seed,
    now: () => new Date(0),
    faults: { schedule: [{ fault: `hang-${when}`, method: "write", nth }] },
    onRequest: ({ method }) => {
      if (method === "GET") return;
      writes += 1;
      if (writes === nth) kill();
    },
  });
  const cwd = await folderWith({ "zoneward.yaml": story.config });
  try {
    const env = { PATH: process.env.PATH ?? "", ...reaching(emulator) };
    const child = spawn(process.execPath, [CLI, "apply", "--yes"], { cwd, env, stdio: "ignore" });
    kill = () => void child.kill("SIGKILL");
    const [, signal] = await once(child, "exit");
    if (signal !== "SIGKILL") return "it was not killed";
    const journal = await journalIn(cwd);
    if (!journal.ok) return "the journal cannot be read";
    const last = journal.value.zones[0]?.calls.at(-1);
    if (last?.intent.step !== nth || last.outcome !== null)
      return "the journal does not say what was under way";
    // Finishing does not depend on the journal. Of two jobs with one name, the base tells which one
    // remains.
    const isLost = nth % 2 === 0;
    await rm(path.join(cwd, isLost ? ".zoneward" : ".zoneward/journal/lock"), { recursive: true });
    let next = await zoneward(["apply", "--yes"], { cwd, env });
    if (isLost && next.code === 0 && difference(emulator.state(), usual) !== null) {
      const base = path.relative(cwd, await folderWith({ "zoneward.yaml": FORMER }));
      next = await zoneward(["apply", "--yes", "--base", base], { cwd, env });
    }
    if (next.code !== 0) return `the next apply exits with ${next.code}: ${next.err}`;
    return difference(emulator.state(), usual);
  } finally {
    await emulator.close();
  }
}

async function journalIn(cwd: string) {
  const folder = path.join(cwd, ".zoneward/journal");
  const [file = ""] = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  return readJournal(file, await readFile(path.join(folder, file), "utf8"));
}
