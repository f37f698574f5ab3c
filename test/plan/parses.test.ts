import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, plan } from "../../src/index.js";
import { callsWhile } from "../support/calls.js";
import { folderWith, reaching } from "../support/cli.js";

const CSP = { file: "csp/syntax.ts", name: "parse" };
const EXPRESSION = { file: "expression/parse/parse.ts", name: "parseText" };

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

/** The number of parses of a plan. Constant texts of the program are parsed before. */
async function parses(of: typeof CSP, zones: readonly string[], host: string): Promise<number> {
  await (await planOf(["warm.example.com"], "warm.example.com"))();
  return callsWhile(await planOf(zones, host), of.file, of.name);
}

const ZONE = ["a.example.com"];
const FLEET = [...ZONE, "b.example.com", "c.example.com"];

// The live value, the declared one, and the value of one directive in each, to see whether one of its sources is needed.
test("a plan of one policy parses each value once", async () => {
  expect(await parses(CSP, ZONE, "value.example.com")).toBe(4);
});

test("zones with the same value share its parse", async () => {
  expect(await parses(CSP, FLEET, "values.example.com")).toBe(4);
});

test("a plan parses an expression once, also for several zones", async () => {
  expect(await parses(EXPRESSION, ZONE, "expression.example.com")).toBe(1);
  expect(await parses(EXPRESSION, FLEET, "expressions.example.com")).toBe(1);
});

const MERGES = { file: "config/layers.ts", name: "mergeLayers" };

test("a plan merges the templates of each zone once", async () => {
  expect(await callsWhile(await planOf(ZONE, "merged.example.com"), MERGES.file, MERGES.name)).toBe(1);
  expect(await callsWhile(await planOf(FLEET, "merged.example.com"), MERGES.file, MERGES.name)).toBe(3);
});
