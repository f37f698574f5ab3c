import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

interface Zone {
  readonly name: string;
  readonly id: string;
}

function fleet(length: number): readonly Zone[] {
  return Array.from({ length }, (_, n) => ({
    name: `shop-${n}.example.com`,
    id: n.toString(16).padStart(32, "0"),
  }));
}

/** Ten policies for each zone. The fourth one may allow more scripts. */
function declared(fleet: readonly Zone[], directives: string, more: string): string {
  const policies = Array.from({ length: 10 }, (_, n) => ({
    description: `Area ${n}`,
    action: n % 2 === 0 ? "log" : "allow",
    expression: `starts_with(http.request.uri.path, "/area-${n}/")`,
    value: `script-src 'self' cdn-${n}.example.net${n === 3 ? more : ""}${directives}`,
  }));
  const zones = Object.fromEntries(fleet.map(({ name, id }) => [name, { id, policies }]));
  return JSON.stringify({ version: 1, zones });
}

/**
 * Once: the list of zones. For each zone: its policies before the plan, before the first write and after the last; its
 * settings; the detections of each kind that the changes may affect; and the writes.
 */
test.each([
  ["that limit scripts", 12, "", 15, 6],
  ["that limit scripts and connections", 5, "; connect-src 'self' wss://live.example.net", 16, 6],
])(
  "policies %s are applied to %d zones without a request too many",
  async (_, size, directives, ten, one) => {
    const zones = fleet(size);
    const seed = { zones: Object.fromEntries(zones.map(({ name, id }) => [name, { id }])) };
    const emulator = await createEmulator({ seed });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({});
    const requestsOf = async (more: string) => {
      await writeFile(path.join(cwd, "zoneward.yaml"), declared(zones, directives, more));
      const before = emulator.log.length;
      const { report } = await apply({ cwd, environment: reaching(emulator), rateLimit: "off" });
      expect(report?.converged).toBe(true);
      return emulator.log.length - before;
    };
    expect(await requestsOf("")).toBe(1 + size * ten);
    expect(await requestsOf(" more.example.net")).toBe(1 + size * one);
  },
  60_000,
);
