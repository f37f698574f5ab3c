import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, plan } from "../../src/index.js";
import { callsWhile } from "../support/calls.js";
import { folderWith, reaching } from "../support/cli.js";

const COUNTED = {
  values: ["csp/syntax.ts", "parse"],
  expressions: ["expression/parse/parse.ts", "parseText"],
  merges: ["config/layers.ts", "mergeLayers"],
} as const;

/** A plan that changes one policy in each zone. The hosts are unique to each test, so no parse is shared between tests. */
async function planOf(zones: readonly string[], host: string): Promise<() => Promise<unknown>> {
  const policyWith = (value: string) => ({
    policies: [
      { description: "P", action: "allow", expression: `http.host eq "${host}"`, value, enabled: true },
    ],
  });
  const all = <T>(of: T) => Object.fromEntries(zones.map((zone) => [zone, of]));
  const live = policyWith(`script-src 'self' ${host}; img-src 'self'`);
  const emulator = await createEmulator({ seed: { zones: all({ settings: { enabled: true }, ...live }) } });
  onTestFinished(() => emulator.close());
  const declared = policyWith(`script-src 'self' cdn.${host}; img-src 'self'`);
  const cwd = await folderWith({});
  await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones: all(declared) }));
  return async () => {
    const { document, problems } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
    expect(problems).toEqual([]);
    expect(document?.changes).toHaveLength(zones.length);
  };
}

// The live value, the declared one, and the value of one directive in each, to see whether one of its sources is needed.
const VALUES = 4;

test.each([[["a.example.com"]], [["a.example.com", "b.example.com", "c.example.com"]]])(
  "a plan parses each value and expression once for all zones, and merges each zone once: %j",
  async (zones) => {
    // Constant texts of the program are parsed before.
    await (await planOf(["warm.example.com"], "warm.example.com"))();
    const calls = await callsWhile(await planOf(zones, `of-${zones.length}.example.com`), COUNTED);
    expect(calls).toEqual({ values: VALUES, expressions: 1, merges: zones.length });
  },
);
