import { onTestFinished } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { startGitHub } from "../support/github.js";
import { pullRequest, runStep, type Step } from "../support/github-step.js";

export const ZONE = "shop.example.com";

/** Two changes: a new policy, and the service on. */
export const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: New, action: log, expression: "true", value: script-src 'self' }
`;

/** What an emulator starts with. */
export const IN_SYNC = `version: 1
zones:
  shop.example.com:
    settings: { enabled: false }
`;

/** A service, GitHub, a checkout with these files, and the step of a workflow; for a pull request when nothing else is said. */
export async function start(config = CONFIG) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: {} } } });
  onTestFinished(() => emulator.close());
  const github = await startGitHub();
  const workspace = await folderWith({ "zoneward.yaml": config });
  const step = ({ env, ...more }: Partial<Step> = {}) =>
    runStep({
      workspace,
      github,
      event: "pull_request",
      payload: pullRequest(7),
      ...more,
      env: { ...reaching(emulator), ...env },
    });
  return { emulator, github, workspace, step };
}

/** Somebody switches the service on, or off, in the dashboard. */
export function switched(enabled: boolean) {
  return { edit: "settings", zone: ZONE, set: { enabled } } as const;
}

/** Requests to GitHub that write. */
export function written(requests: readonly string[]): readonly string[] {
  return requests.filter((each) => !each.startsWith("GET ") && each !== "POST /graphql");
}
