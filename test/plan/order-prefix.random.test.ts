import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createEmulator, type Emulator, type PlanDocument, plan, type Seed } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { fc } from "../support/random.js";
import { overlapping } from "../support/random-protection.js";
import { blockedIn, stoppedIn } from "../support/stopped.js";

/**
 * Random live states against random files, call by call: what is stopped before the first call and after the last one
 * is stopped after each, and what none of them blocks is not blocked, unless the plan warns. What is stopped is told
 * from the emulator's state by the evaluators, which know nothing of how calls are ordered.
 */
const ZONE = "shop.example.com";

type Calls = PlanDocument["calls"];

const seen = { checked: 0, warned: 0, bridged: 0, blocking: 0 };

function prefixProperty(cwd: string, inOrder: (calls: Calls) => Calls) {
  return fc.asyncProperty(overlapping, async ({ live, zone }) => {
    const emulator = await createEmulator({
      seed: { zones: { [ZONE]: { id: "a".repeat(32), ...live } } } as Seed, // as the generators made it
    });
    try {
      await writeFile(
        path.join(cwd, "zoneward.yaml"),
        JSON.stringify({ version: 1, zones: { [ZONE]: zone } }),
      );
      const planned = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
      const { document } = planned;
      fc.pre(document !== null && document.calls.length > 1);
      if (document === null) return;
      const states = await statesAfter(emulator, inOrder(document.calls));
      const warns = (code: string) => document.diagnostics.some((each) => each.code === code);
      const [stopped, blocked] = [states.map(stoppedIn), states.map(blockedIn)];
      const [before, after] = [stopped[0], stopped.at(-1)];
      seen.checked += 1;
      seen.warned += warns("unsafe_order") ? 1 : 0;
      seen.blocking += warns("transient_block") ? 1 : 0;
      seen.bridged += withoutBridges(document.calls).length < document.calls.length ? 1 : 0;
      const kept = [...(before ?? [])].filter((each) => after?.has(each) === true);
      const allowed = new Set([...(blocked[0] ?? []), ...(blocked.at(-1) ?? [])]);
      for (const [index, now] of stopped.entries()) {
        const call = `after ${index} of ${document.calls.length} calls`;
        if (!warns("unsafe_order"))
          expect(
            kept.filter((each) => !now.has(each)),
            call,
          ).toEqual([]);
        if (!warns("transient_block"))
          expect(
            [...(blocked[index] ?? [])].filter((each) => !allowed.has(each)),
            call,
          ).toEqual([]);
      }
    } finally {
      await emulator.close();
    }
  });
}

/** The zone as it is before the first call and after each one. */
async function statesAfter(emulator: Emulator, calls: Calls): Promise<readonly Zone[]> {
  const states = [zoneIn(emulator)];
  const ids = new Map<number, string>();
  for (const { step, method, path: at, body } of calls) {
    const target = at.replace(/\{result:(\d+)\}/g, (_, made) => ids.get(Number(made)) ?? "unknown");
    const headers = { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" };
    const sent = body === null ? {} : { body: JSON.stringify(body, filled) };
    const answer = await fetch(`${emulator.url}${target}`, { method, headers, ...sent });
    expect(answer.ok, `${method} ${target}`).toBe(true);
    const text = await answer.text();
    ids.set(step, String(text === "" ? null : JSON.parse(text).result?.id));
    states.push(zoneIn(emulator));
  }
  return states;
}

type Zone = Parameters<typeof stoppedIn>[0];

function zoneIn(emulator: Emulator): Zone {
  return emulator.state().zones[ZONE] as Zone; // the zone that was seeded
}

/** All jobs have one destination. */
function filled(_: string, value: unknown): unknown {
  const isReference = typeof value === "object" && value !== null && "$secret" in value;
  return isReference ? "https://logs.example/in" : value;
}

/** Of several calls to one object, the last one is the change's own. */
function withoutBridges(calls: Calls): Calls {
  const isLast = (call: Calls[number], index: number) =>
    !calls.slice(index + 1).some((each) => each.path === call.path && each.method === call.method);
  return calls.filter((call, index) => call.method !== "PUT" || isLast(call, index));
}

test("after each call, what is stopped before and after is stopped, unless the plan warns", async () => {
  await fc.assert(
    prefixProperty(await folderWith({}), (calls) => calls),
    { numRuns: 300 },
  );
  expect(seen.checked).toBeGreaterThan(200);
  expect(seen.bridged).toBeGreaterThan(0);
  expect(seen.warned).toBeLessThan(seen.checked / 4);
}, 120_000);

const METHODS = ["POST", "PATCH", "PUT", "DELETE"];

test.each<[string, (calls: Calls) => Calls]>([
  [
    "in the order of the files",
    (calls) => calls.toSorted((a, b) => (a.changes[0] ?? 0) - (b.changes[0] ?? 0)),
  ],
  [
    "by creating, then updating, then deleting",
    (calls) => calls.toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method)),
  ],
  ["without the calls in between", (calls) => calls],
])(
  "the same does not hold %s",
  async (_, naive) => {
    const property = prefixProperty(await folderWith({}), (calls) => naive(withoutBridges(calls)));
    const { failed, counterexample } = await fc.check(property, { numRuns: 1_000, endOnFailure: true });
    expect({ failed, counterexample }).toEqual({ failed: true, counterexample: expect.anything() });
  },
  240_000,
);
