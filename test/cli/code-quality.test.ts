import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { itIs } from "../support/clock.js";

const ZONE = "shop.example.com";
const policy = (name: string) =>
  `      - { description: ${name}, action: allow, expression: "true", value: "script-src 'self' 'unsafe-inline'" }\n`;
const FILES = `version: 1\nzones:\n  ${ZONE}:\n    policies:\n${policy("One")}${policy("Two")}`;

interface Issue {
  readonly check_name: string;
  readonly fingerprint: string;
  readonly location: object;
}

/**
 * Checks the fields that GitLab requires:
 * https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
 */
function checkIssues(text: string): readonly Issue[] {
  const issues: readonly Issue[] = JSON.parse(text);
  for (const issue of issues)
    expect(issue).toEqual({
      description: expect.stringMatching(/./),
      check_name: expect.stringMatching(/^[a-z]+\/\w+$/),
      fingerprint: expect.stringMatching(/./),
      severity: expect.stringMatching(/^(info|minor|major|critical|blocker)$/),
      location: { path: expect.stringMatching(/./), lines: { begin: expect.any(Number) } },
    });
  expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(issues.length);
  return issues;
}

test("validate reports problems as issues at their lines, without accepted warnings", async () => {
  const comment = "      # zoneward: accept csp_unsafe_inline until 2026-12-31: why\n";
  itIs("2026-11-24");
  const cwd = await folderWith({
    "zoneward.yaml": FILES.replace(policy("Two"), `${comment}${policy("Two")}`),
  });
  const { code, out } = await zoneward(["validate", "--format", "codequality"], { cwd });
  expect(code).toBe(0);
  expect(checkIssues(out)).toMatchObject([
    {
      check_name: "problem/csp_unsafe_inline",
      severity: "major",
      location: { path: "zoneward.yaml", lines: { begin: 5 } },
    },
  ]);
  const wrong = await folderWith({ "zoneward.yaml": "version: 2\n" });
  const refused = await zoneward(["validate", "--format", "codequality"], { cwd: wrong });
  expect(checkIssues(refused.out)).toMatchObject([{ severity: "critical" }]);
});

test("plan writes its findings into a file, and overwrites its own file", async () => {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: {} } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": FILES });
  const run = () => zoneward(["plan", "--format", "codequality=q.json"], { cwd, env: reaching(emulator) });
  expect((await run()).code).toBe(0);
  const issues = checkIssues(await readFile(path.join(cwd, "q.json"), "utf8"));
  expect(issues.map(({ check_name }) => check_name)).toContain("problem/csp_unsafe_inline");
  expect((await run()).code).toBe(0);
});

test("plan reports the errors as issues if it cannot plan", async () => {
  const cwd = await folderWith({ "zoneward.yaml": "version: 2\n" });
  const { code, out } = await zoneward(["plan", "--format", "codequality"], { cwd, env: {} });
  expect(code).toBe(1);
  expect(checkIssues(out).length).toBeGreaterThan(0);
});
