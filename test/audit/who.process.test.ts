import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type PlanDocument } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const DAY_MS = 86_400_000;

test("reads the audit log from the time of the base's commit", async () => {
  let now = new Date(Date.now() - 2 * DAY_MS);
  const emulator = await createEmulator({
    seed: { zones: { [ZONE]: { settings: { enabled: true } } } },
    now: () => now,
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1\nzones: { ${ZONE}: { settings: { enabled: true } } }\n`,
  });
  emulator.edit({ edit: "settings", zone: ZONE, set: { enabled: false }, by: "alice@example.com" });
  now = new Date();
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.com", ...args], { cwd });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "after the edit");
  const drift = async (...args: readonly string[]) => {
    const { out, err } = await zoneward(["drift", "--who", "--format", "json", ...args], {
      cwd,
      env: reaching(emulator),
    });
    return { found: (JSON.parse(out) as PlanDocument).changes[0]?.who?.found, err };
  };
  const since = await drift("--base", "git:HEAD");
  expect(since.found).toBe("none");
  expect(since.err).toMatch(/The audit log, read from \d{4}-.*Z on, has no entry for some changes\./);
  expect(await drift()).toMatchObject({ found: "named", err: "" });
});
