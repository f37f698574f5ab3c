import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { canariesIn, canary } from "../support/canaries.js";
import { harmIn } from "../support/hostile.js";
import { start, ZONE } from "./start.js";

const TOKEN = canary("token");

test("masks secrets first, line by line, and shows them nowhere else", async () => {
  const { github, step } = await start();
  const key = canary("key");
  const { raw, summary, outputs } = await step({
    inputs: { "api-token": TOKEN, "html-file": "plan.html", "sarif-file": "plan.sarif" },
    env: { CLOUDFLARE_API_KEY: key, CLOUDFLARE_API_TOKEN: `${canary("one")}\n${canary("two")}` },
  });
  const lines = raw.split("\n");
  const masks = [TOKEN, canary("one"), canary("two"), key].map((each) => `::add-mask::${each}`);
  expect(
    lines
      .slice(0, 5)
      .filter((line) => masks.includes(line))
      .sort(),
  ).toEqual([...masks].sort());
  const rest = lines.filter((line) => !line.startsWith("::add-mask::")).join("\n");
  const all = [rest, summary, JSON.stringify(outputs), ...github.comments.map(({ body }) => body)];
  expect(all.flatMap(canariesIn)).toEqual([]);
});

test("the api-token input precedes the environment", async () => {
  const { emulator, step } = await start();
  const { code } = await step({
    inputs: { "api-token": emulator.token },
    env: { CLOUDFLARE_API_TOKEN: "another-token" },
  });
  expect(code).toBe(0);
});

test("a credential in the files is in no comment, summary, annotation or file", async () => {
  const { github, emulator, workspace, step } = await start();

  const config = `version: 1\nzones:\n  shop.example.com:\n    policies:\n      - { description: "${emulator.token}", action: log, expression: "true", value: script-src 'self' }\n`;
  await writeFile(path.join(workspace, "zoneward.yaml"), config);
  const { code, raw, summary } = await step({ inputs: { "sarif-file": "found.sarif" } });
  expect(code).toBe(1);
  const sarif = await readFile(path.join(workspace, "found.sarif"), "utf8");
  const said = [
    raw.replace(`::add-mask::${emulator.token}\n`, ""),
    summary,
    sarif,
    ...github.comments.map(({ body }) => body),
  ];
  expect(said.filter((text) => text.includes(emulator.token))).toEqual([]);
  expect(harmIn(summary, "programs")).toEqual([]);
});

test("a plan without the destination secret equals the plan with it, and only apply needs the secret", async () => {
  const config = `version: 1
zones:
  ${ZONE}:
    logpush_jobs:
      - { name: logs, dataset: http_requests, enabled: true, destination_conf: "\${secret:LOGS}", fields: [RayID] }
`;
  const LOGS = `https://logs.example.com/in?header_Authorization=${canary("bucket")}`;
  const { emulator, base, github, step } = await start(config);
  const planned = await step();
  expect(planned.code, planned.log).toBe(0);
  expect(github.comments[0]?.body).toContain("secrets_not_set");
  const push = { event: "push", payload: { ref: "refs/heads/main" } };
  const approved = { command: "apply", base, "plan-digest": planned.outputs.digest ?? "" };
  const without = await step({ ...push, inputs: approved, env: { LOGS: "" } });
  expect([without.code, emulator.writes()]).toEqual([1, []]);
  expect(without.summary).toContain("Not set in the environment: LOGS");
  const applied = await step({ ...push, inputs: approved, env: { LOGS } });
  expect([applied.code, emulator.writes().length], applied.log).toEqual([0, 1]);
  const shown = applied.raw.split("\n").filter((line) => !line.startsWith("::add-mask::"));
  expect([...shown, applied.summary].flatMap(canariesIn)).toEqual([]);
  const drift = await step({ event: "schedule", payload: {}, inputs: { command: "drift" } });
  expect([drift.code, drift.outputs.changes], drift.log).toEqual([0, "false"]);
});
