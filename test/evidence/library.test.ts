import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, ready, suggest } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

const ZONE = "shop.example.com";
const POLICY = {
  description: "Shop",
  action: "log",
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
};

async function story() {
  const scripts = [
    {
      url: "https://cdn.example/a.js",
      first_seen_at: "2026-11-01T00:00:00Z",
      last_seen_at: "2026-11-20T00:00:00Z",
    },
  ];
  const emulator = await createEmulator({
    seed: { zones: { [ZONE]: { settings: { enabled: true }, policies: [POLICY], scripts } } },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1\nzones:\n  ${ZONE}:\n    policies:\n      - ${JSON.stringify(POLICY)}\n`,
  });
  return { emulator, options: { cwd, environment: reaching(emulator) } };
}

test("the library reports which policies are ready and suggests missing sources", async () => {
  const { emulator, options } = await story();
  const { report, problems } = await ready({ ...options, policies: ["Sh*"], evidenceDays: 7 });
  expect(problems).toEqual([]);
  expect(report?.zones).toMatchObject([
    {
      zone: ZONE,
      found: {
        value: [{ name: "Shop", verdict: "not_ready", would_block: [{ url: "https://cdn.example/a.js" }] }],
      },
    },
  ]);
  const suggested = await suggest({ ...options, by: "path" });
  expect(suggested.report?.zones[0]?.found).toMatchObject({
    value: [{ name: "Shop", proposed: "script-src 'self' https://cdn.example/a.js" }],
  });
  await suggest({ ...options, write: true });
  expect(await readFile(path.join(options.cwd, "zoneward.yaml"), "utf8")).toContain(
    "script-src 'self' https://cdn.example\"",
  );
  expect(emulator.writes()).toEqual([]);
});

test("an unreadable log gives no report and an error", async () => {
  const { options } = await story();
  const cwd = await folderWith({ "zoneward.yaml": "version: 2\n" });
  expect(await ready({ ...options, cwd })).toMatchObject({ report: null, problems: [{ severity: "error" }] });
});
