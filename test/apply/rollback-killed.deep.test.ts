import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../src/index.js";
import { CLI, folderWith, reaching, zoneward } from "../support/cli.js";
import { essenceOf } from "../support/essence.js";
import { FORMER, inTurns, type Story, stories } from "./stories.js";

const AT_ONCE = 3;

/** No journal has destinations, so the rollback cannot tell that the killed run has restored this one. */
const UNSURE = "error: Secret may not be restored";

test.each(stories.map((story) => [story.title, story] as const))(
  "%s: the same command finishes a rollback killed at any write, before or after its effect",
  async (title, story) => {
    const { applied, writes } = await undisturbed(story);
    const kills = Array.from({ length: writes }, (_, index) => applied + index + 1).flatMap((nth) =>
      (["before", "after"] as const).map((when) => ({ when, nth })),
    );
    const broken: string[] = [];
    await inTurns(AT_ONCE, kills, async ({ when, nth }) => {
      const wrong = await killed(story, when, nth);
      if (wrong !== null) broken.push(`${when} write ${nth - applied}: ${wrong}`);
    });
    console.log(`${title}: ${kills.length - broken.length} of ${kills.length} kills of a rollback survived`);
    expect(broken).toEqual([]);
    expect(kills.length).toBeGreaterThan(5);
  },
  120_000,
);

/** The number of writes of the apply, and of the rollback. */
async function undisturbed(story: Story) {
  const { emulator, rollback } = await appliedStory(story);
  const applied = emulator.writes().length;
  const { code, err } = await rollback();
  const writes = emulator.writes().length - applied;
  await emulator.close();
  expect([code, err]).toEqual([0, expect.any(String)]);
  return { applied, writes };
}

/** @returns what is wrong after the next rollback; null if nothing is */
async function killed(story: Story, when: "before" | "after", nth: number): Promise<string | null> {
  let writes = 0;
  let kill = () => {};
  const { emulator, before, cwd, env, journal, rollback } = await appliedStory(story, {
    faults: { schedule: [{ fault: `hang-${when}`, method: "write", nth }] },
    onRequest: ({ method }) => {
      if (method === "GET") return;
      writes += 1;
      if (writes === nth) kill();
    },
  });
  try {
    const child = spawn(process.execPath, [CLI, "rollback", journal, "--yes"], { cwd, env, stdio: "ignore" });
    kill = () => void child.kill("SIGKILL");
    const [, signal] = await once(child, "exit");
    if (signal !== "SIGKILL") return "it was not killed";
    await rm(path.join(cwd, ".zoneward/journal/lock"));
    const next = await rollback();
    const errors = next.err.match(/^error: .*/gm) ?? [];
    if (next.code !== 0 && String(errors) !== UNSURE)
      return `the next rollback exits with ${next.code}: ${next.err}`;
    const isBack = JSON.stringify(essenceOf(emulator.state())) === JSON.stringify(before);
    return isBack ? null : "the zone is not as before";
  } finally {
    await emulator.close();
  }
}

async function appliedStory(story: Story, options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ seed: story.seed, now: () => new Date(0), ...options });
  const before = essenceOf(emulator.state());
  const cwd = await folderWith({ "zoneward.yaml": story.config });
  const env = { PATH: process.env.PATH ?? "", ...reaching(emulator) };
  const { err } = await zoneward(["apply", "--yes"], { cwd, env });
  const journal = /Journal: (\S+)/.exec(err)?.[1] ?? "";
  await writeFile(path.join(cwd, "zoneward.yaml"), FORMER);
  const rollback = () => zoneward(["rollback", journal, "--yes"], { cwd, env });
  return { emulator, before, cwd, env, journal, rollback };
}
