import { describe, expect, test } from "vitest";
import { progressOn } from "../../src/cli/progress.js";

/** A run whose requests are counted by hand, with 960 allowed in five minutes. */
function begun({ interactive = true, isLimited = true } = {}) {
  const lines: string[] = [];
  const run = { sent: 0, left: 960, nowMs: 0 };
  const rate = { requests: 960, perMs: 300_000 };
  const out = {
    interactive,
    status: (line: string) => void lines.push(line),
    err: (text: string) => void lines.push(text),
  };
  const budget = () => (isLimited ? { sent: run.sent, left: run.left, rate } : null);
  return { lines, run, ...progressOn(out, false, budget, () => run.nowMs) };
}

describe("progress", () => {
  test("shows zones done and requests left under the rate limit", () => {
    const { lines, run, progress } = begun();
    progress(0, 300, "reading");
    Object.assign(run, { sent: 602, left: 358 });
    progress(120, 300, "reading");
    progress(300, 300, "reading");
    expect(lines).toEqual([
      "reading: 0 of 300 zones, 960 requests left under the rate limit",
      "reading: 120 of 300 zones, 358 requests left under the rate limit",
      "",
    ]);
  });

  test("shows only zones without a limit", () => {
    const { lines, progress } = begun({ isLimited: false });
    progress(1, 2, "applying");
    expect(lines).toEqual(["applying: 1 of 2 zones"]);
  });

  test.each([
    // 1,000 zones need 6,000 requests. Once 960 are sent, 5,040 are left: 280 s, then five windows more.
    [160, 1000, "about 30 min to go"],
    [160, 320, "about 10 min to go"],
    [160, 200, "about 5 min to go"],
  ])("estimates the end once it waits for the limit, after %d of %d zones", (done, of, end) => {
    const { lines, run, progress, onPause } = begun();
    run.sent = 40; // of the plan before
    progress(0, of, "applying");
    Object.assign(run, { sent: 1000, left: 0 });
    progress(done, of, "applying");
    onPause(900, "spent");
    onPause(280_000, "spent");
    Object.assign(run, { sent: 1001, left: 959 });
    progress(done, of, "applying");
    expect(lines.slice(1)).toEqual([
      `applying: ${done} of ${of} zones, 0 requests left under the rate limit`,
      `applying: ${done} of ${of} zones, ${end}, waiting 280 s: the request limit is used up`,
      expect.stringMatching(/ zones, about \d+ min to go, 959 requests left under the rate limit$/),
    ]);
  });

  test("keeps the zones in a pause that the service asks for, without an estimate", () => {
    const { lines, progress, onPause } = begun();
    progress(1, 2, "reading");
    onPause(12_000, "refused");
    expect(lines.at(-1)).toBe("reading: 1 of 2 zones, waiting 12 s: rate limited by the service");
  });

  test("is a line every ten seconds without a terminal", () => {
    const { lines, run, progress } = begun({ interactive: false });
    for (let second = 0; second < 25; second += 1) {
      run.nowMs = second * 1000;
      progress(second, 100, "reading");
    }
    expect(lines).toEqual([
      "reading: 10 of 100 zones, 960 requests left under the rate limit\n",
      "reading: 20 of 100 zones, 960 requests left under the rate limit\n",
    ]);
  });
});
