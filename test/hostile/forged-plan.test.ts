import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const shop = (csp: string) => `version: 1
zones:
  shop.example.com:
    policies: [{ description: Checkout, action: allow, expression: "true", value: "${csp}" }]
`;
const FORBIDDING = "version: 1\nguardrails: { forbid: [weakens, blocks_active_scripts] }\n";

type Editable = { inputs: { config: string[]; guardrails?: string }; guardrails: object[]; digest: string };

/** A plan of a weaker policy, which the base's guardrails refuse, and what an apply of an edited file says. */
async function planned(args: readonly string[], files: Readonly<Record<string, string>>) {
  const live = {
    description: "Checkout",
    action: "allow",
    enabled: true,
    expression: "true",
    value: "script-src 'self'",
  };
  const emulator = await createEmulator({
    seed: { zones: { "shop.example.com": { policies: [live] } } },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.join(cwd, path.dirname(name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  }
  const env = reaching(emulator);
  await zoneward(["plan", ...args, "-o", "plan.json"], { cwd, env });
  const document: Editable = JSON.parse(await readFile(path.join(cwd, "plan.json"), "utf8"));
  const applied = async (edit: (plan: Editable) => void) => {
    const forged = structuredClone(document);
    edit(forged);
    await writeFile(path.join(cwd, "forged.json"), JSON.stringify(forged));
    const base = args.includes("--base") ? ["--base", "before"] : [];
    const flags = [...base, "--digest", document.digest, "--yes"];
    const { code, err } = await zoneward(["apply", "forged.json", ...flags], { cwd, env });
    expect(emulator.writes()).toEqual([]);
    return { code, err };
  };
  return applied;
}

test("a plan file that names fewer files than the approved plan is refused", async () => {
  const files = {
    "zones/guardrails.yaml": FORBIDDING,
    "zones/shop.yaml": shop("script-src *"),
    "before/zones/guardrails.yaml": FORBIDDING,
    "before/zones/shop.yaml": shop("script-src 'self'"),
  };
  const applied = await planned(["-c", "zones", "--base", "before"], files);
  expect((await applied(() => {})).code).toBe(3);
  const forged = await applied((plan) => {
    plan.inputs.config = ["zones/shop.yaml"];
    plan.guardrails = [];
  });
  expect(forged).toEqual({ code: 1, err: expect.stringContaining("Plan file was edited") });
});

test("a plan file that no longer names the file of guardrails is refused", async () => {
  const files = { "guardrails.yaml": "forbid: [weakens]\n", "zoneward.yaml": shop("script-src *") };
  const applied = await planned(["--guardrails", "guardrails.yaml"], files);
  expect((await applied(() => {})).code).toBe(3);
  const forged = await applied((plan) => {
    delete plan.inputs.guardrails;
    plan.guardrails = [];
  });
  expect(forged).toEqual({ code: 1, err: expect.stringContaining("Plan file was edited") });
});
