import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createEmulator, type Seed } from "../../src/index.js";
import { essenceOf } from "../support/essence.js";
import { applyIn, quickFolder, rollbackIn } from "./run.js";
import { FORMER, type Story, stories } from "./stories.js";

test.each(stories.map((story) => [story.title, story] as const))(
  "%s: a journal that ends at any line leads back to the former state",
  async (_, story) => {
    const { states, lines } = await appliedStory(story);
    const cuts = lines.flatMap((line, index) => killsAt(lines.slice(0, index + 1), line, states));
    const before = essenceOf(states[0] ?? { zones: {} });
    for (const { text, state, what } of cuts) {
      const emulator = await createEmulator({ seed: state, now: () => new Date(0) });
      const cwd = await quickFolder(FORMER);
      await writeFile(path.join(cwd, "cut.jsonl"), text);
      const { report, problems } = await rollbackIn(cwd, emulator, "cut.jsonl");
      expect(
        problems.filter(({ severity }) => severity === "error"),
        what,
      ).toEqual([]);
      expect(
        report?.zones.flatMap((zone) => zone.problems),
        what,
      ).toEqual([]);
      expect(essenceOf(emulator.state()), what).toEqual(before);
      await emulator.close();
    }
    expect(cuts.length).toBeGreaterThan(15);
  },
  120_000,
);

/** The states of the service, the first before any write, then one after each write. */
async function appliedStory({ seed, config }: Story) {
  const states: Seed[] = [];
  let snap = () => {};
  const emulator = await createEmulator({
    seed,
    now: () => new Date(0),
    onRequest: ({ method }) => {
      if (method !== "GET") snap();
    },
  });
  snap = () => void states.push(emulator.state());
  snap();
  const cwd = await quickFolder(config);
  const { report } = await applyIn(cwd, emulator);
  await emulator.close();
  const text = await readFile(path.join(cwd, report?.journal ?? ""), "utf8");
  return { states, lines: text.trimEnd().split("\n") };
}

/**
 * For a last line that announces a call, the call may or may not have taken effect. The next line may be
 * incomplete.
 */
function killsAt(kept: readonly string[], last: string, states: readonly Seed[]) {
  const sent = kept.filter((line) => line.startsWith('{"type":"intent"')).length;
  const isOpen = last.startsWith('{"type":"intent"');
  return (isOpen ? [sent - 1, sent] : [sent]).flatMap((effects) =>
    ["", '{"type":"outc'].flatMap((begun) => {
      const state = states[effects];
      const what = `cut after line ${kept.length}, ${effects} writes had effect`;
      return state === undefined ? [] : [{ text: `${kept.join("\n")}\n${begun}`, state, what }];
    }),
  );
}
