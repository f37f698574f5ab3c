import { expect, test } from "vitest";
import { folderWith } from "../support/cli.js";
import { fixedSample, runs, untilMet } from "../support/random.js";
import { overlapping } from "../support/random-protection.js";
import { plannedIn, prefixProperty } from "./order-prefix.js";

test("after each call, everything stopped before and after the run is stopped, unless the plan warns", async () => {
  const cwd = await folderWith({});
  const withCallsBetween = (met: (shape: string) => void) =>
    prefixProperty(
      cwd,
      (calls) => calls,
      () => met("calls in between"),
    );
  await untilMet({ "calls in between": 1 }, withCallsBetween, runs(300));
});

test("few plans warn about their order", async () => {
  const cwd = await folderWith({});
  const warned: boolean[] = [];
  for (const each of fixedSample(overlapping, runs(300))) {
    const { document, emulator } = await plannedIn(cwd, each);
    await emulator.close();
    if ((document?.calls.length ?? 0) > 1)
      warned.push(document?.diagnostics.some(({ code }) => code === "unsafe_order") === true);
  }
  expect(warned.filter(Boolean).length).toBeLessThan(warned.length / 4);
});
