import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { createEmulator, type Emulator, type PlanDocument, plan, type Seed } from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { fc } from "../support/random.js";
import { overlapping } from "../support/random-protection.js";
import { blockedIn, stoppedIn } from "../support/stopped.js";

const ZONE = "shop.example.com";

export type Calls = PlanDocument["calls"];

/**
 * Random live states and random files, call by call. Loads that are stopped before the first call and after the last one are
 * stopped after each call, and loads that neither end blocks are never blocked, unless the plan warns. The check uses the
 * evaluators on the emulator's state, which know nothing about the order of calls.
 *
 * @param inOrder the calls as they are sent, made from the plan's calls
 * @param met called for each plan with intermediate calls
 */
export function prefixProperty(cwd: string, inOrder: (calls: Calls) => Calls, met: () => void = () => {}) {
  return fc.asyncProperty(overlapping, async (each) => {
    const { document, emulator } = await plannedIn(cwd, each);
    try {
      fc.pre(document !== null && document.calls.length > 1);
      if (document === null) return;
      const states = await statesAfter(emulator, inOrder(document.calls));
      const warns = (code: string) => document.diagnostics.some((one) => one.code === code);
      const [stopped, blocked] = [states.map(stoppedIn), states.map(blockedIn)];
      const [before, after] = [stopped[0], stopped.at(-1)];
      if (withoutBridges(document.calls).length < document.calls.length) met();
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

/** The plan of a case, and an emulator with its zone. */
export async function plannedIn(cwd: string, { live, zone }: Case) {
  const emulator = await createEmulator({
    seed: { zones: { [ZONE]: { id: "a".repeat(32), ...live } } } as Seed, // as the generators made it
  });
  await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones: { [ZONE]: zone } }));
  const { document } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
  return { document, emulator };
}

type Case = typeof overlapping extends fc.Arbitrary<infer Of> ? Of : never;

/** The state of the zone before the first call and after each one. */
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
  return emulator.state().zones[ZONE] as Zone; // the seeded zone
}

/** All jobs share one destination. */
function filled(_: string, value: unknown): unknown {
  const isReference = typeof value === "object" && value !== null && "$secret" in value;
  return isReference ? "https://logs.example/in" : value;
}

/** Of several calls to one object, the last one belongs to the change itself. */
export function withoutBridges(calls: Calls): Calls {
  const isLast = (call: Calls[number], index: number) =>
    !calls.slice(index + 1).some((each) => each.path === call.path && each.method === call.method);
  return calls.filter((call, index) => call.method !== "PUT" || isLast(call, index));
}
