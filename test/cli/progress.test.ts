import { describe, expect, test } from "vitest";
import { progressOn } from "../../src/cli/progress.js";

function begun(interactive = true) {
  const lines: string[] = [];
  const run = { nowMs: 0 };
  const out = {
    interactive,
    status: (line: string) => void lines.push(line),
    err: (text: string) => void lines.push(text),
  };
  return { lines, run, ...progressOn(out, false, () => run.nowMs) };
}

describe("progress", () => {
  test("shows zones done until all are done", () => {
    const { lines, progress } = begun();
    for (const done of [0, 120, 300]) progress(done, 300, "reading");
    expect(lines).toEqual(["reading: 0 of 300 zones", "reading: 120 of 300 zones", ""]);
  });

  test("keeps the zones in a pause", () => {
    const { lines, progress, onPause } = begun();
    progress(1, 2, "reading");
    onPause(12_000, "refused");
    onPause(900, "spent");
    expect(lines.at(-1)).toBe("reading: 1 of 2 zones, waiting 12 s: rate limited by the service");
  });

  test("is a line every ten seconds without a terminal", () => {
    const { lines, run, progress } = begun(false);
    for (let second = 0; second < 25; second += 1) {
      run.nowMs = second * 1000;
      progress(second, 100, "reading");
    }
    expect(lines).toEqual(["reading: 10 of 100 zones\n", "reading: 20 of 100 zones\n"]);
  });
});
