import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { pullRequest, type Step } from "../support/github-step.js";
import { endOfWaiting } from "../support/no-waiting.js";
import { CONFIG, IN_SYNC, start, switched, ZONE } from "./start.js";

/** A live policy with the name of the planned one. */
const THEIRS = {
  description: "New",
  action: "log",
  enabled: true,
  expression: "true",
  value: "img-src 'self'",
};

/** Plans a pull request, and keeps the plan file as an artifact would. */
async function reviewed(config = CONFIG) {
  const started = await start(config);
  const { workspace, base, step, emulator } = started;
  const { outputs } = await step();
  const file = path.join(workspace, "reviewed.json");
  await writeFile(file, await readFile(outputs["plan-file"] ?? "", "utf8"));
  const apply = (inputs: Readonly<Record<string, string>>, more: Partial<Step> = {}) =>
    step({
      event: "push",
      payload: { ref: "refs/heads/main" },
      inputs: { command: "apply", base, ...inputs },
      ...more,
    });
  return { ...started, emulator, apply, file, digest: outputs.digest ?? "" };
}

describe("apply", () => {
  test("by the built Action applies the reviewed plan and outputs the path of its journal", async () => {
    const { emulator, apply, file, digest } = await reviewed();
    const { code, outputs, summary, log, commands } = await apply({ "plan-file": file }, { built: true });
    expect(code, log).toBe(0);
    expect([summary, log, ...commands].filter((text) => /would|to create/.test(text))).toEqual([]);
    expect(emulator.writes()).toHaveLength(2);
    expect(outputs).toMatchObject({ "exit-code": "0", digest, changes: "true" });
    expect(await readFile(outputs.journal ?? "", "utf8")).toContain('"type":"end"');
    expect(summary).toContain("Applied: 2 calls done, 0 failed, 0 not started");
  });

  test("refuses a stale plan and names the object that moved", async () => {
    const { emulator, apply, file } = await reviewed();
    emulator.edit({ edit: "policy", zone: ZONE, add: THEIRS });
    const before = emulator.writes().length;
    const { code, outputs, summary, commands } = await apply({ "plan-file": file });
    expect(code).toBe(1);
    expect(emulator.writes()).toHaveLength(before);
    expect(outputs["exit-code"]).toBe("1");
    expect(summary).toContain("Not applied: nothing was written");
    expect(summary).toMatch(/policy "?New/);
    expect(commands).toContainEqual(expect.stringMatching(/^::error /));
  });

  test("applies a plan by its digest, planning again", async () => {
    const { emulator, apply, digest } = await reviewed();
    const { code } = await apply({ "plan-digest": digest });
    expect(code).toBe(0);
    expect(emulator.writes()).toHaveLength(2);
  });

  test("with the digest of an outdated plan shows the new plan and writes nothing", async () => {
    const { emulator, apply, digest } = await reviewed();
    emulator.edit(switched(true));
    const before = emulator.writes().length;
    const { code, outputs, summary } = await apply({ "plan-digest": digest });
    expect(code).toBe(1);
    expect(emulator.writes()).toHaveLength(before);
    expect(outputs.digest).not.toBe(digest);
    expect(summary).toContain(outputs.digest);
    expect(summary).toContain("give the reviewed plan as plan-file");
  });

  test("refuses a plan whose files changed since the review", async () => {
    const { emulator, apply, file, workspace } = await reviewed();
    await writeFile(path.join(workspace, "zoneward.yaml"), CONFIG.replace("'self'", "*"));
    const { code, summary } = await apply({ "plan-file": file });
    expect(code).toBe(1);
    expect(emulator.writes()).toEqual([]);
    expect(summary).toContain("Files changed since the plan");
  });

  test("refuses an edited plan file", async () => {
    const { emulator, apply, file } = await reviewed();
    await writeFile(file, (await readFile(file, "utf8")).replaceAll("'self'", "*"));
    const { code, summary } = await apply({ "plan-file": file });
    expect(code).toBe(1);
    expect(emulator.writes()).toEqual([]);
    expect(summary).toContain("edited");
  });

  test("reports effects from its own plan, whatever effects the plan file claims", async () => {
    const { apply, file } = await reviewed();
    const honest = JSON.parse(await readFile(file, "utf8"));
    const forged = {
      ...honest,
      changes: honest.changes.map((each: object) => ({ ...each, effect: "weakens", dimensions: [] })),
      summary: { ...honest.summary, effects: { ...honest.summary.effects, strengthens: 0, weakens: 7 } },
      guardrails: [{ name: "weakens", message: "forged", allowed: false }],
    };
    await writeFile(file, JSON.stringify(forged));
    const { code, outputs, summary, commands } = await apply({ "plan-file": file });
    expect(code, summary).toBe(0);
    expect(outputs).toMatchObject({ effect: "strengthens", weakens: "0" });
    expect([summary, ...commands].filter((text) => /weakens|forged/i.test(text))).toEqual([]);
  });

  test("reports only the rest of a partly applied plan", async () => {
    const { emulator, apply, file, digest } = await reviewed();
    emulator.edit(switched(true));
    const { code, outputs } = await apply({ "plan-file": file });
    expect([code, emulator.writes().length]).toEqual([0, 1]);
    expect(outputs).toMatchObject({ "to-create": "1", "to-update": "0" });
    expect(outputs.digest).not.toBe(digest);
  });

  test("accepts a digest in capitals", async () => {
    const { emulator, apply, digest } = await reviewed();
    const { code } = await apply({ "plan-digest": digest.toUpperCase() });
    expect([code, emulator.writes().length]).toEqual([0, 2]);
  });

  test("refuses a plan file that names other files than the approved plan", async () => {
    const { emulator, apply, file } = await reviewed();
    const honest = JSON.parse(await readFile(file, "utf8"));
    await writeFile(
      file,
      JSON.stringify({ ...honest, inputs: { ...honest.inputs, config: ["elsewhere.yaml"] } }),
    );
    const { code } = await apply({ "plan-file": file });
    expect([code, emulator.writes().length]).toEqual([1, 0]);
  });

  test("by the built Action ends after the running call when cancelled, and reports its progress", async () => {
    const { emulator, file, step, base } = await reviewed();
    emulator.arm({ schedule: [{ nth: 1, method: "write", fault: "drip", seconds: 1 }] });
    const cancelled = (async () => {
      while (emulator.writes().length === 0) await sleep(20);
    })();
    const { code, outputs, summary, commands } = await step({
      event: "push",
      payload: {},
      inputs: { command: "apply", base, "plan-file": file },
      built: true,
      cancelled,
    });
    expect([code, outputs["exit-code"], emulator.writes().length], summary).toEqual([1, "130", 1]);
    expect(summary).toContain("The run was cancelled: 1 call done, 0 failed, 1 not started");
    expect(commands).toContainEqual(expect.stringMatching(/^::error .*was cancelled/));
  });

  test("reports a cancellation even if the running call fails", async () => {
    const { emulator, file, step, base } = await reviewed();
    const faults = [1, 2, 3, 4].map((nth) => ({ fault: "503-before", method: "POST", nth }) as const);
    emulator.arm({ schedule: faults });
    const cancelled = (async () => {
      while (emulator.writes().length < 2) await sleep(20);
    })();
    const inputs = { command: "apply", base, "plan-file": file };
    const { outputs, summary } = await step({ event: "push", payload: {}, inputs, cancelled });
    expect(outputs["exit-code"], summary).toBe("130");
    expect(summary).toContain("The run was cancelled: 1 call done, 1 failed, 0 not started");
  });

  test("refuses a plan file with another digest than the approved one", async () => {
    const { emulator, apply, file } = await reviewed();
    const before = emulator.log.length;
    const { code, summary } = await apply({ "plan-file": file, "plan-digest": `sha256:${"0".repeat(64)}` });
    expect(code).toBe(1);
    expect(emulator.log).toHaveLength(before);
    expect(summary).toContain("Not the approved plan");
  });

  test("refuses to apply without a plan file or digest", async () => {
    const { emulator, apply } = await reviewed();
    const { code, summary } = await apply({});
    expect(code).toBe(1);
    expect(emulator.writes()).toEqual([]);
    expect(summary).toContain("plan-digest");
  });

  test("refuses a plan older than max-age", async () => {
    const { emulator, apply, file } = await reviewed();
    const { code, summary } = await apply({ "plan-file": file, "max-age": "0" });
    expect(code).toBe(1);
    expect(emulator.writes()).toEqual([]);
    expect(summary).toContain("max-age");
  });

  test("outputs the path of its journal even after a failed call", async () => {
    onTestFinished(endOfWaiting());
    const { emulator, apply, file } = await reviewed();
    emulator.arm({
      schedule: [1, 2, 3].map((nth) => ({ fault: "502-before", method: "POST", nth }) as const),
    });
    const { code, outputs } = await apply({ "plan-file": file });
    expect(code).toBe(1);
    expect(outputs.journal).toMatch(/\.zoneward\/journal\/.*\.jsonl$/);
  });

  test("lifts a guardrail for the plan with the given digest only", async () => {
    const config = `guardrails: { forbid: [service_off] }\n${IN_SYNC}`;
    const { emulator, apply, step, workspace } = await reviewed(config);
    emulator.edit(switched(true));
    const planned = await step();
    const file = path.join(workspace, "weakening.json");
    await writeFile(file, await readFile(planned.outputs["plan-file"] ?? "", "utf8"));
    const before = emulator.writes().length;
    const bare = await apply({ "plan-file": file });
    expect([bare.code, bare.outputs["exit-code"]]).toEqual([1, "3"]);
    expect(bare.summary).toMatch(/refused by guardrail/i);
    expect(bare.commands.filter((each) => each.startsWith("::error"))).toHaveLength(1);
    const other = await apply({ "plan-file": file, allow: `service_off@sha256:${"0".repeat(64)}` });
    expect([other.code, other.outputs["exit-code"]]).toEqual([1, "3"]);
    expect(emulator.writes()).toHaveLength(before);
    const lifted = await apply({ "plan-file": file, allow: `service_off@${planned.outputs.digest}` });
    expect([lifted.code, emulator.writes().length]).toEqual([0, before + 1]);
    expect(lifted.commands.filter((each) => each.startsWith("::error"))).toEqual([]);
    expect([lifted.summary, lifted.log].filter((text) => /refused by guardrail/i.test(text))).toEqual([]);
  });

  test("ignores fail-on guardrails of the pull request's plan", async () => {
    const { emulator, apply, step, workspace } = await reviewed(IN_SYNC);
    emulator.edit(switched(true));
    const planned = await step({ inputs: { "fail-on": "service_off" } });
    expect(planned.outputs["exit-code"]).toBe("3");
    const file = path.join(workspace, "flagged.json");
    await writeFile(file, await readFile(planned.outputs["plan-file"] ?? "", "utf8"));
    const { code, commands } = await apply({ "plan-file": file });
    expect([code, commands.filter((each) => each.startsWith("::error"))]).toEqual([0, []]);
  });
});

describe("apply is refused before any request", () => {
  const comment = { issue: { number: 7, pull_request: { url: "https://github.example" } } };
  const merging = { workflow_run: { event: "pull_request", id: 1 } };
  test.each<[event: string, payload: unknown, env: Record<string, string>]>([
    ["pull_request", pullRequest(7), {}],
    ["pull_request_target", pullRequest(7), {}],
    ["pull_request_review", pullRequest(7), {}],
    ["issue_comment", comment, {}],
    ["workflow_run", merging, {}],
    ["workflow_run", { workflow_run: { event: "issue_comment" } }, {}],
    ["workflow_run", { workflow_run: { event: "workflow_run" } }, {}],
    ["merge_group", {}, {}],
    ["workflow_dispatch", {}, { GITHUB_REF: "refs/pull/7/merge" }],
  ])("on %s", async (event, payload, env) => {
    const { emulator, file, step } = await reviewed();
    const before = emulator.log.length;
    const { code, outputs, commands } = await step({
      event,
      payload,
      env,
      inputs: { command: "apply", "plan-file": file },
    });
    expect([code, outputs["exit-code"]]).toEqual([1, "1"]);
    expect(emulator.log).toHaveLength(before);
    expect(commands).toContainEqual(expect.stringContaining("Pull requests are not applied"));
  });
});

test("apply runs on a comment on an issue, and after a workflow run started by a push", async () => {
  const { file, step, emulator, base } = await reviewed();
  const inputs = { command: "apply", base, "plan-file": file };
  const first = await step({ event: "issue_comment", payload: { issue: { number: 7 } }, inputs });
  expect([first.code, emulator.writes().length]).toEqual([0, 2]);
  const second = await step({ event: "workflow_run", payload: { workflow_run: { event: "push" } }, inputs });
  expect([second.code, emulator.writes().length]).toEqual([0, 2]);
});
