import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { WORKFLOW_AUTHOR } from "../support/github.js";
import { pullRequest, type Step } from "../support/github-step.js";
import { IN_SYNC, start, switched, written, ZONE } from "./start.js";

const POLICY = {
  description: "Theirs",
  action: "log",
  enabled: true,
  expression: "true",
  value: "img-src 'self'",
};
/** Pruning makes undeclared policies drift. */
const DECLARED = `${IN_SYNC}    policies: []\n    prune: [policies]\n`;

async function scheduled() {
  const started = await start(DECLARED);
  const look = (more: Partial<Step> = {}) =>
    started.step({
      event: "schedule",
      payload: { schedule: "17 5 * * *" },
      ...more,
      inputs: { command: "drift", issue: "auto", ...more.inputs },
    });
  return { ...started, look };
}

describe("drift", () => {
  test("opens one issue, updates the issue, and closes it when the drift is gone", async () => {
    const { emulator, github, look } = await scheduled();
    const calm = await look();
    expect([calm.code, calm.outputs.drift, github.issues]).toEqual([0, "false", []]);

    emulator.edit(switched(true));
    const opened = await look({ runNumber: 2 });
    expect([opened.code, opened.outputs.drift]).toEqual([0, "true"]);
    expect(github.issues).toMatchObject([
      {
        author: WORKFLOW_AUTHOR,
        state: "open",
        labels: ["zoneward-drift"],
        title: "Changes outside the files",
      },
    ]);
    const first = github.issues[0]?.body;
    expect(first).toMatch(/^<!-- zoneward:drift:default -->\n/);
    expect(first).toContain("settings");

    github.requests.length = 0;
    await look({ runNumber: 3 });
    expect(written(github.requests)).toEqual([]);

    emulator.edit({ edit: "settings", zone: "shop.example.com", set: { enabled: false } });
    await look({ runNumber: 4 });
    expect(github.issues).toMatchObject([{ state: "closed", state_reason: "completed" }]);
    expect(github.comments.map(({ body }) => body)).toEqual([
      expect.stringContaining("matches the files again"),
    ]);

    emulator.edit(switched(true));
    await look({ runNumber: 5 });
    expect(github.issues.map(({ state }) => state)).toEqual(["closed", "open"]);
  });

  test("lists policies that are ready to block if report logs are given", async () => {
    const { emulator, github, look, workspace } = await scheduled();
    emulator.edit({ edit: "policy", zone: ZONE, add: POLICY });
    const report = {
      CSPDirective: "script-src-elem",
      PageURL: `https://${ZONE}/`,
      PolicyID: "a",
      ResourceType: "script",
      Timestamp: "2026-11-20T10:00:00Z",
      URL: "https://cdn.example/a.js",
    };
    await writeFile(path.join(workspace, "events.log"), `${JSON.stringify(report)}\n`);
    await look({ inputs: { events: "events.log" } });
    expect(github.issues[0]?.body).toMatch(
      /#### Ready to block\?\n\n- `Theirs` in `shop\.example\.com`: no evidence: /,
    );
    await look({ runNumber: 2 });
    expect(github.issues[0]?.body).not.toContain("Ready to block");
  });

  test("updates its issue when the drift changes", async () => {
    const { emulator, github, look } = await scheduled();
    emulator.edit(switched(true));
    await look();
    const first = github.issues[0]?.body;
    emulator.edit({ edit: "policy", zone: ZONE, add: POLICY });
    const { outputs } = await look({ runNumber: 2, inputs: { config: "zoneward.yaml", zone: ZONE } });
    expect(outputs.drift).toBe("true");
    expect(github.issues).toHaveLength(1);
    expect(github.issues[0]?.body).not.toBe(first);
  });

  test("lists undeclared live objects in its issue", async () => {
    const { emulator, github, step } = await start(`${IN_SYNC}    policies: []\n`);
    emulator.edit({ edit: "policy", zone: ZONE, add: POLICY });
    const { outputs } = await step({
      event: "schedule",
      payload: { schedule: "17 5 * * *" },
      inputs: { command: "drift", issue: "auto" },
    });
    expect(outputs.drift).toBe("true");
    expect(github.issues).toMatchObject([{ state: "open" }]);
    expect(github.issues[0]?.body).toContain("reports loads outside img-src 'self', on every request");
  });

  test("leaves other authors' issues, pull requests and other labels alone", async () => {
    const { emulator, github, look } = await scheduled();
    const marker = "<!-- zoneward:drift:default -->\nours?";
    const labels = ["zoneward-drift"];
    github.issues.push(
      { number: 1, author: "mallory", title: "a", labels, isPull: false, body: marker, state: "open" },
      { number: 2, author: WORKFLOW_AUTHOR, title: "b", labels, isPull: true, body: marker, state: "open" },
      {
        number: 3,
        author: WORKFLOW_AUTHOR,
        title: "c",
        labels,
        isPull: false,
        body: "<!-- zoneward:drift:staging -->\n",
        state: "open",
      },
    );
    await look();
    emulator.edit(switched(true));
    await look({ runNumber: 2 });
    expect(github.issues.slice(0, 3)).toMatchObject([
      { body: marker, state: "open" },
      { body: marker, state: "open" },
      { state: "open" },
    ]);
    expect(github.issues).toHaveLength(4);
  });

  test("leaves its issue alone if the live state cannot be read", async () => {
    const { emulator, github, look } = await scheduled();
    emulator.edit(switched(true));
    await look();
    const { code } = await look({
      env: { CLOUDFLARE_API_TOKEN: "another-token-that-is-wrong" },
      runNumber: 2,
    });
    expect(code).toBe(1);
    expect(github.issues).toMatchObject([{ state: "open" }]);
  });

  test("fails if the issue cannot be written, because the drift would go unnoticed", async () => {
    const { emulator, github, look } = await scheduled();
    emulator.edit(switched(true));
    github.fault = (method, path) => (method === "POST" && path === "/issues" ? { status: 403 } : null);
    const { code, commands } = await look();
    expect(code).toBe(1);
    expect(commands).toContainEqual(expect.stringContaining("issues: write"));
  });

  test("leaves the issue of a later run alone, with a warning", async () => {
    const { emulator, github, look } = await scheduled();
    emulator.edit(switched(true));
    await look({ runNumber: 5 });
    const later = github.issues[0]?.body;
    emulator.edit({ edit: "policy", zone: ZONE, add: POLICY });
    const { code, commands } = await look({ runNumber: 4 });
    emulator.edit({ edit: "settings", zone: ZONE, set: { enabled: false } });
    await look({ runNumber: 3 });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("A later run wrote the drift issue"));
    expect(github.issues).toMatchObject([{ body: later, state: "open" }]);
  });

  test("finds its issue after its label was removed", async () => {
    const { emulator, github, look } = await scheduled();
    emulator.edit(switched(true));
    await look();
    for (const issue of github.issues) issue.labels = ["seen"];
    emulator.edit({ edit: "settings", zone: ZONE, set: { enabled: false } });
    await look({ runNumber: 2 });
    expect(github.issues).toMatchObject([{ state: "closed", labels: ["seen"] }]);
  });

  test("leaves its issue alone on a pull request with unmerged files, with a notice", async () => {
    const { emulator, github, look } = await scheduled();
    emulator.edit(switched(true));
    const { code, outputs, commands } = await look({ event: "pull_request", payload: pullRequest(7) });
    expect([code, outputs.drift]).toEqual([0, "true"]);
    expect(github.requests).toEqual([]);
    expect(commands).toContainEqual(expect.stringContaining("whose files are not merged"));
  });

  test("fails with exit code 1 and a reason if issues are disabled", async () => {
    const { emulator, github, look } = await scheduled();
    emulator.edit(switched(true));
    github.fault = (_, path) => (path === "/issues" ? { status: 410, message: "Issues are disabled" } : null);
    const { code, outputs, commands } = await look();
    expect([code, outputs["exit-code"]]).toEqual([1, "1"]);
    expect(commands).toContainEqual(expect.stringContaining("Issues are off for this repository"));
  });

  test("opens no issue with issue: off", async () => {
    const { emulator, github, look } = await scheduled();
    emulator.edit(switched(true));
    const { outputs } = await look({ inputs: { issue: "off" } });
    expect(outputs.drift).toBe("true");
    expect(github.requests).toEqual([]);
  });
});
