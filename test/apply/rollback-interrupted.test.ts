import { expect, test } from "vitest";
import { createEmulator, type PolicySeed } from "../../src/index.js";
import { essenceOf } from "../support/essence.js";
import { applyIn, quickFolder, rollbackIn } from "./run.js";

const ZONE = "shop.example.com";
const CHECKOUT = 'starts_with(http.request.uri.path, "/checkout")';

const before = [
  blocking("One", `not ${CHECKOUT}`, "connect-src 'none'"),
  blocking("Two", CHECKOUT, "script-src 'none'"),
  blocking("Three", 'http.host eq "shop.example.com"', "script-src 'self'"),
];

test("a rollback stopped after any of its calls is finished by the next one, even during an intermediate call", async () => {
  const bridged: boolean[] = [];
  for (let calls = 1; calls <= 3; calls++) {
    const { state, goal, codes, between } = await takenBack(calls);
    expect(
      codes.filter((code) => code !== "unsafe_order"),
      `after ${calls}`,
    ).toEqual([]);
    expect(state, `after ${calls}`).toEqual(goal);
    bridged.push(between.includes(") or ("));
  }
  expect(bridged).toContain(true);
});

/**
 * Rolls back three policies that swap their places, so that no order of calls is safe. The rollback stops
 * after this many calls.
 */
async function takenBack(calls: number) {
  const stop = new AbortController();
  let writes: number | null = null;
  const emulator = await createEmulator({
    seed: { zones: { [ZONE]: { policies: before } } },
    onRequest: ({ method }) => {
      if (writes === null || method === "GET") return;
      writes += 1;
      if (writes === calls) stop.abort();
    },
  });
  try {
    const moved = before.map((each, index) => {
      const { expression, value } = before[(index + 1) % before.length] ?? each;
      return { ...each, expression, value };
    });
    const cwd = await quickFolder(JSON.stringify({ version: 1, zones: { [ZONE]: { policies: moved } } }));
    const goal = essenceOf(emulator.state());
    const journal = (await applyIn(cwd, emulator)).report?.journal ?? "";
    writes = 0;
    await rollbackIn(cwd, emulator, journal, { stop: stop.signal });
    const between = JSON.stringify(emulator.state());
    const { report, problems } = await rollbackIn(cwd, emulator, journal);
    const found = [...problems, ...(report?.zones ?? []).flatMap((zone) => zone.problems)];
    return { state: essenceOf(emulator.state()), goal, codes: found.map(({ code }) => code), between };
  } finally {
    await emulator.close();
  }
}

test("a rollback tells a remaining object from a deleted one of the same name", async () => {
  const twins = ["script-src 'self'", "script-src 'self'"].map((value) => blocking("Twin", "true", value));
  const emulator = await createEmulator({
    seed: { zones: { [ZONE]: { policies: twins } } },
    // The first deletion takes effect, but its answer and the check fail. The second deletion is not sent.
    faults: {
      schedule: [
        { method: "DELETE", fault: "truncated" },
        { method: "GET", path: "*/policies/*", fault: "redirect" },
      ],
    },
  });
  try {
    const zone = { policies: [], prune: ["policies"] };
    const cwd = await quickFolder(JSON.stringify({ version: 1, zones: { [ZONE]: zone } }));
    const { report } = await applyIn(cwd, emulator);
    expect(report?.summary).toMatchObject({ done: 0, failed: 1, not_started: 1 });
    expect(emulator.state().zones[ZONE]?.policies).toHaveLength(1);
    await rollbackIn(cwd, emulator, report?.journal ?? "");
    expect(emulator.state().zones[ZONE]?.policies?.map(({ description }) => description)).toEqual([
      "Twin",
      "Twin",
    ]);
  } finally {
    await emulator.close();
  }
});

function blocking(description: string, expression: string, value: string): PolicySeed {
  return { description, action: "allow", enabled: true, expression, value };
}
