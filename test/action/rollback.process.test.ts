import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { canariesIn, canary } from "../support/canaries.js";
import { pullRequest, type Step } from "../support/github-step.js";
import { endOfWaiting } from "../support/no-waiting.js";
import { CONFIG, start, switched, ZONE } from "./start.js";

/** Applies two changes, and keeps the journal as an artifact would. */
async function applied(config = CONFIG) {
  const started = await start(config);
  const { step, base, workspace, emulator } = started;
  const planned = await step();
  const inputs = { command: "apply", base, "plan-digest": planned.outputs.digest ?? "" };
  const { outputs, code } = await step({ event: "push", payload: {}, inputs });
  expect(code).toBe(0);
  const folder = path.join(workspace, "downloaded");
  await mkdir(folder);
  const file = path.join(folder, path.basename(outputs.journal ?? ""));
  await writeFile(file, await readFile(outputs.journal ?? "", "utf8"));
  const back = ({ inputs: given, ...more }: Partial<Step> = {}) =>
    step({
      event: "workflow_dispatch",
      payload: {},
      ...more,
      inputs: { command: "rollback", journal: "downloaded", ...given },
    });
  const writes = emulator.writes().length;
  return { ...started, back, file, folder, written: () => emulator.writes().length - writes };
}

describe("rollback", () => {
  test("by the built Action plans the rollback without a digest, and carries it out with the digest", async () => {
    const { back, written, github } = await applied();
    const planned = await back({ built: true });
    expect([planned.code, written()], planned.log).toEqual([0, 0]);
    expect(planned.outputs).toMatchObject({
      "exit-code": "0",
      changes: "true",
      "to-delete": "1",
      "to-update": "1",
      "plan-file": "",
      journal: "",
    });
    expect(planned.summary).toMatch(/^Rollback plan: 0 to recreate, 1 to revert, 1 to delete/m);
    expect(planned.summary).toContain(planned.outputs.digest);
    const taken = await back({ built: true, inputs: { "plan-digest": planned.outputs.digest ?? "" } });
    expect([taken.code, written()], taken.log).toEqual([0, 2]);
    expect(taken.summary).toMatch(/^### Rolled back: 2 calls done, 0 failed, 0 not started\n/);
    expect(await readFile(taken.outputs.journal ?? "", "utf8")).toContain('"type":"end"');
    const again = await back();
    expect(again.outputs.changes, again.log).toBe("false");
    expect(github.comments.map(({ body }) => body.split("\n")[0])).toEqual(["<!-- zoneward:default -->"]);
  });

  test("refuses another plan than the approved one", async () => {
    const { back, emulator, written } = await applied();
    const planned = await back();
    emulator.edit(switched(false));
    const before = written();
    const { code, summary, outputs } = await back({
      inputs: { "plan-digest": planned.outputs.digest ?? "" },
    });
    expect([code, written()]).toEqual([1, before]);
    expect(summary).toMatch(/^### Not rolled back: nothing was written\n/);
    expect(summary).toContain("was approved");
    expect(outputs.digest).not.toBe(planned.outputs.digest);
    expect(summary).toContain(outputs.digest);
  });

  test("reports guardrails and is never refused by them", async () => {
    const { back, written } = await applied(`guardrails: { forbid: [service_off] }\n${CONFIG}`);
    const planned = await back();
    expect([planned.code, planned.outputs.effect]).toEqual([0, "weakens"]);
    expect(planned.summary).toContain("service_off");
    expect(planned.summary).not.toContain("allow:");
    expect(planned.commands.filter((each) => each.startsWith("::error"))).toEqual([]);
    const taken = await back({ inputs: { "plan-digest": planned.outputs.digest ?? "" } });
    expect([taken.code, written()]).toEqual([0, 2]);
  });

  test("accepts a journal file, or a folder with exactly one journal", async () => {
    const { back, file, folder } = await applied();
    const named = await back({ inputs: { journal: file } });
    expect(named.outputs.changes).toBe("true");
    await writeFile(path.join(folder, "other.jsonl"), "");
    const { code, summary } = await back();
    expect(code).toBe(1);
    expect(summary).toContain("has 2 journals");
    expect(summary).toContain("downloaded/other.jsonl");
  });

  test.each<[string, (text: string) => string, string]>([
    [
      "was edited",
      (text) => text.replaceAll("shop.example.com", "mail.example.com"),
      "damaged or was edited",
    ],
    ["is something else", () => "{}\n", "Not a journal"],
  ])("refuses a journal that %s", async (_, edit, why) => {
    const { back, file, written, emulator } = await applied();
    await writeFile(file, edit(await readFile(file, "utf8")));
    const before = emulator.log.length;
    const { code, summary } = await back({ inputs: { "plan-digest": `sha256:${"0".repeat(64)}` } });
    expect([code, written(), emulator.log.length]).toEqual([1, 0, before]);
    expect(summary).toContain(why);
  });

  test("names an object that needs a missing secret, and plans the rest", async () => {
    const declared = `version: 1
zones:
  ${ZONE}:
    settings: { enabled: true }
    logpush_jobs:
      - { name: logs, dataset: http_requests, enabled: true, destination_conf: "\${secret:LOGS}", fields: [RayID] }
`;
    const without = declared
      .replace("enabled: true }", "enabled: false }")
      .replace(/- \{ name.*/, "- { name: logs, ensure: absent }");
    const env = { LOGS: `https://logs.example.com/in?header_Authorization=${canary("bucket")}` };
    const { step, workspace } = await start(declared);
    const push = { event: "push", payload: {}, env };
    const applyNow = async () => {
      const { outputs } = await step({ ...push, inputs: { command: "plan" } });
      return step({ ...push, inputs: { command: "apply", "plan-digest": outputs.digest ?? "" } });
    };
    await applyNow();
    await writeFile(path.join(workspace, "zoneward.yaml"), without);
    const { outputs } = await applyNow();
    await writeFile(path.join(workspace, "zoneward.yaml"), declared);
    const inputs = { command: "rollback", journal: outputs.journal ?? "" };
    const rest = await step({ ...push, env: { LOGS: "" }, inputs });
    expect([rest.code, rest.outputs["to-create"], rest.outputs["to-update"]], rest.log).toEqual([
      1,
      "0",
      "1",
    ]);
    expect(rest.outputs.changes).toBe("true");
    expect(rest.summary).toContain("logs");
    expect(rest.commands).toContainEqual(expect.stringMatching(/^::error /));
    const all = await step({ ...push, inputs });
    expect([all.code, all.outputs["to-create"], all.outputs["to-update"]], all.log).toEqual([0, "1", "1"]);
    expect(canariesIn(all.summary)).toEqual([]);
  });

  test("requires a journal", async () => {
    const { back, written } = await applied();
    const { code, summary } = await back({ inputs: { journal: "" } });
    expect([code, written()]).toEqual([1, 0]);
    expect(summary).toContain("as the input journal");
  });

  test("refuses a journal older than max-age", async () => {
    const { back } = await applied();
    const { code, summary } = await back({ inputs: { "max-age": "0" } });
    expect(code).toBe(1);
    expect(summary).toContain("leave the input max-age out");
  });

  test("asks for a new approval of the rest after a cancellation", async () => {
    const { back, emulator, written } = await applied();
    const planned = await back();
    emulator.arm({ schedule: [{ nth: 1, method: "write", fault: "drip", seconds: 2 }] });
    const cancelled = (async () => {
      while (written() === 0) await sleep(20);
      onTestFinished(endOfWaiting());
    })();
    const inputs = { "plan-digest": planned.outputs.digest ?? "" };
    const { outputs, summary } = await back({ inputs, cancelled });
    expect([outputs["exit-code"], written()], summary).toEqual(["130", 1]);
    expect(summary).toMatch(/^### Partly rolled back: 1 call done, 0 failed, 1 not started\n/);
    expect(summary).toContain("Plan the rollback again");
  });
});

describe("rollback and adopt are refused before any request", () => {
  const comment = { issue: { number: 7, pull_request: {} } };
  test.each<[event: string, payload: unknown, env: Record<string, string>]>([
    ["pull_request", pullRequest(7, { from: "stranger/zones.config" }), {}],
    ["pull_request_target", pullRequest(7), {}],
    ["issue_comment", comment, {}],
    ["workflow_run", { workflow_run: { event: "pull_request" } }, {}],
    ["merge_group", {}, {}],
    ["workflow_dispatch", {}, { GITHUB_REF: "refs/pull/7/merge" }],
  ])("on %s", async (event, payload, env) => {
    const { emulator, github, step } = await start();
    for (const command of ["rollback", "adopt"]) {
      const { code, commands } = await step({ event, payload, env, inputs: { command, journal: "a.jsonl" } });
      expect(code).toBe(1);
      expect(commands).toContainEqual(expect.stringMatching(/^::error title=No .*on a pull request::/));
    }
    expect([emulator.log, github.requests]).toEqual([[], []]);
  });
});
