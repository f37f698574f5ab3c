import { describe, expect, test } from "vitest";
import { readInputs, TABLE } from "../../src/action/inputs.js";
import { folderWith } from "../support/cli.js";
import { startGitHub } from "../support/github.js";
import { runStep } from "../support/github-step.js";
import { start } from "./start.js";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

const INPUTS = Object.fromEntries(Object.values(TABLE).map(({ name, byDefault }) => [name, byDefault]));

function given(inputs: Readonly<Record<string, string>>) {
  return readInputs(
    Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
  );
}

describe("inputs", () => {
  test("have the defaults of action.yml", () => {
    expect(given({})).toEqual(given(INPUTS));
    expect(given({})).toMatchObject({
      ok: true,
      value: { command: "plan", comment: "auto", label: "default", maxBytes: 60_000 },
    });
  });

  test("with several values have one value per line", () => {
    const read = given({
      config: "a.yaml\r\n\n  zones/ \nb c.yaml",
      zone: "shop.*",
      "fail-on": "weakens\ndeletes",
    });
    expect(read).toMatchObject({
      ok: true,
      value: { config: ["a.yaml", "zones/", "b c.yaml"], zones: ["shop.*"], failOn: ["weakens", "deletes"] },
    });
  });

  test("may lift a guardrail for one plan", () => {
    expect(given({ allow: `weakens@${DIGEST}` })).toMatchObject({
      ok: true,
      value: { allow: [{ guardrail: "weakens", digest: DIGEST }] },
    });
  });

  test("accept digests in capitals", () => {
    const capitals = DIGEST.toUpperCase();
    expect(given({ "plan-digest": capitals, allow: `weakens@${capitals}` })).toMatchObject({
      ok: true,
      value: { planDigest: DIGEST, allow: [{ guardrail: "weakens", digest: DIGEST }] },
    });
  });

  test.each<[command: string, inputs: Readonly<Record<string, string>>, named: string]>([
    ["plan", { issue: "auto" }, "issue"],
    ["plan", { "plan-digest": DIGEST }, "plan-digest"],
    ["validate", { issue: "auto" }, "issue"],
    ["plan", { journal: "a.jsonl" }, "journal"],
    ["drift", { "plan-digest": DIGEST }, "plan-digest"],
  ])("that %s does not use (%j) cause a notice", async (command, inputs, named) => {
    const { step } = await start();
    const { code, commands, summary } = await step({ inputs: { command, ...inputs } });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining(`The input ${named} has no effect on`));
    expect(summary).toContain("has no effect on the command");
  });

  test.each<[name: string, value: string, said: string]>([
    ["command", "aply", "Did you mean apply?"],
    ["command", "Plan", "validate, plan, apply, drift, rollback, adopt"],
    ["comment", "always", "always-new"],
    ["issue", "on", "auto, off"],
    ["annotations", "yes", "true, false"],
    ["annotations", "TRUE", "true, false"],
    ["label", "a--b", "single dashes"],
    ["label", "a -->", "single dashes"],
    ["label", "-a", "single dashes"],
    ["label", "x".repeat(65), "up to 64"],
    ["allow", "weakens", "it names no plan"],
    ["allow", "weakens@sha256:12", "it names no plan"],
    ["allow", `weaken@${DIGEST}`, "it is not a guardrail"],
    ["fail-on", "weaken", "it takes guardrails"],
    ["plan-digest", DIGEST.slice(0, -1), "64 hex digits"],
    ["plan-digest", DIGEST.replace("a", "g"), "64 hex digits"],
    ["max-bytes", "65001", "from 2000 to 65000"],
    ["max-bytes", "1e4", "from 2000 to 65000"],
    ["max-age", "-1", "minutes"],
    ["max-age", "soon", "minutes"],
  ])("refuse %s: %j", (name, value, said) => {
    const read = given({ [name]: value });
    expect(read.ok).toBe(false);
    expect(read.ok ? [] : read.problems.map(({ detail }) => detail)).toEqual([expect.stringContaining(said)]);
  });

  test("are all checked before any other work", async () => {
    const github = await startGitHub();
    const workspace = await folderWith({});
    const inputs = { command: "deploy", label: "a b", annotations: "yes" };
    const { code, commands, outputs, summary } = await runStep({ workspace, github, inputs });
    expect([code, outputs]).toEqual([1, { "exit-code": "1" }]);
    expect(commands.filter((each) => each.startsWith("::error "))).toHaveLength(3);
    for (const name of Object.keys(inputs)) expect(summary).toContain(name);
    expect(github.requests).toEqual([]);
  });

  test("may not name a missing folder", async () => {
    const workspace = await folderWith({});
    const { code, summary } = await runStep({ workspace, inputs: { "working-directory": "infra" } });
    expect(code).toBe(1);
    expect(summary).toContain("Check out the repository");
  });

  test("are useless without a readable event file, which is an error", async () => {
    const workspace = await folderWith({ "event.json": "{" });
    const { code, summary } = await runStep({
      workspace,
      env: { GITHUB_EVENT_PATH: `${workspace}/event.json` },
    });
    expect(code).toBe(1);
    expect(summary).toContain("GITHUB_EVENT_PATH");
  });
});
