import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { startGitHub } from "../support/github.js";
import { pullRequest, runStep, type Step } from "../support/github-step.js";

export const ZONE = "shop.example.com";

/** Two changes: a new policy, and the service switched on. */
export const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: New, action: log, expression: "true", value: script-src 'self' }
`;

/** The initial state of the emulator. */
export const IN_SYNC = `version: 1
zones:
  shop.example.com:
    settings: { enabled: false }
`;

/** The files of the target branch, where the zone does not exist yet. */
const BEFORE = "version: 1\nzones: {}\n";

/** A checkout of a pull request with these files, and its event. */
async function checkout(config: string, before: string) {
  const workspace = await folderWith({ "zoneward.yaml": before });
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...who, ...args], { cwd: workspace, encoding: "utf8" }).trim();
  git("init", "--quiet", "--template=", "--initial-branch", "main");
  git("add", "zoneward.yaml");
  git("commit", "--quiet", "-m", "before");
  const base = git("rev-parse", "HEAD");
  await writeFile(path.join(workspace, "zoneward.yaml"), config);
  git("commit", "--quiet", "--allow-empty", "-a", "-m", "files");
  const head = git("rev-parse", "HEAD");
  return { workspace, base, head, payload: pullRequest(7, { head, base }) };
}

/**
 * A service, GitHub, a checkout with these files, and a workflow step, by default for a pull request.
 *
 * @param before the files of the target branch
 */
export async function start(config = CONFIG, before = BEFORE) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: {} } } });
  onTestFinished(() => emulator.close());
  const github = await startGitHub();
  const { workspace, base, head, payload } = await checkout(config, before);
  github.git.push(head);
  const step = ({ env, ...more }: Partial<Step> = {}) =>
    runStep({
      workspace,
      github,
      event: "pull_request",
      payload,
      ...more,
      env: { ...reaching(emulator), ...env },
    });
  return { emulator, github, workspace, base: `git:${base}`, head, step };
}

/** Another user switches the service on or off in the dashboard. */
export function switched(enabled: boolean) {
  return { edit: "settings", zone: ZONE, set: { enabled } } as const;
}

/** Writing requests to GitHub. */
export function written(requests: readonly string[]): readonly string[] {
  return requests.filter((each) => !each.startsWith("GET ") && each !== "POST /graphql");
}
