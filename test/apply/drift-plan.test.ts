import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, drift, type PlanDocument, plan, type Seed } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

const SEED: Seed = {
  zones: {
    "a.example.com": {
      id: "a".repeat(32),
      settings: { enabled: true },
      policies: [
        { description: "One", action: "log", enabled: true, expression: "true", value: "script-src 'self'" },
      ],
    },
  },
};

/** The live policy blocks more than the one in this file, so going back to the file weakens protection. */
const FILE = `version: 1
guardrails: { forbid: [weakens] }
zones:
  a.example.com:
    policies: [{ description: One, action: log, expression: "true", value: "script-src 'self' cdn.example" }]
`;

async function drifted() {
  const emulator = await createEmulator({ seed: SEED });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": FILE });
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" } as const;
  const { document } = await drift(options);
  if (document === null) throw new Error("expected a plan");
  return { emulator, options, document };
}

test("a drift plan passes guardrails as drift, and is checked against them when applied", async () => {
  const { emulator, options, document } = await drifted();
  expect(document.inputs.about).toBe("drift");
  expect(document.guardrails).toEqual([]);
  const { document: refused, report } = await apply({ ...options, plan: document });
  expect(report).toBeNull();
  expect(refused?.guardrails.map(({ name }) => name)).toEqual(["weakens"]);
  expect(emulator.writes()).toEqual([]);
  const allowed = await apply({ ...options, plan: document, allow: ["weakens"] });
  expect(allowed.report).toMatchObject({ converged: true, summary: { done: 1 } });
});

test("a plan whose drift marker was added or removed is refused as edited", async () => {
  const { options, document } = await drifted();
  const { about: _, ...inputs } = document.inputs;
  const { document: planned } = await plan(options);
  if (planned === null) throw new Error("expected a plan");
  const edited: readonly PlanDocument[] = [
    { ...document, inputs },
    { ...planned, inputs: { ...planned.inputs, about: "drift" } },
  ];
  for (const each of edited) {
    const { problems } = await apply({ ...options, plan: each, allow: ["weakens"] });
    expect(problems.map(({ code }) => code)).toEqual(["plan_edited"]);
  }
});
