import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { pullRequest } from "../support/github-step.js";
import { CONFIG, IN_SYNC, start, switched, ZONE } from "./start.js";

const FROM_FORK = pullRequest(7, { from: "stranger/zones.config" });
const NO_TOKEN = { CLOUDFLARE_API_TOKEN: "", CLOUDFLARE_API_KEY: "" };

describe("a pull request without a token", () => {
  test("from a fork is checked offline, with a notice", async () => {
    const { emulator, github, step } = await start();
    const { code, outputs, summary, commands } = await step({ payload: FROM_FORK, env: NO_TOKEN });
    expect(code).toBe(0);
    expect(emulator.log).toEqual([]);
    expect(github.requests).toEqual([]);
    expect(outputs).toMatchObject({ "exit-code": "0", "plan-file": "" });
    expect(outputs.changes).toBeUndefined();
    expect(summary).toContain("pull requests from forks");
    expect(summary).toContain("The files are valid");
    expect(commands).toContainEqual(expect.stringContaining("pull requests from forks"));
  });

  test("from a fork fails if the files are invalid", async () => {
    const { step } = await start("version: 1\nzones: { shop.example.com: { setings: {} } }\n");
    const { code, commands, summary } = await step({ payload: FROM_FORK, env: NO_TOKEN });
    expect(code).toBe(1);
    expect(commands).toContainEqual(expect.stringMatching(/^::error file=zoneward\.yaml,line=2,/));
    expect(summary).toContain("setings");
  });

  test("from a deleted fork is treated like one from a fork", async () => {
    const { step } = await start();
    const payload = pullRequest(7);
    const gone = {
      ...payload,
      pull_request: { ...payload.pull_request, head: { sha: "1".repeat(40), repo: null } },
    };
    expect((await step({ payload: gone, env: NO_TOKEN })).code).toBe(0);
  });

  test("from the repository itself is an error", async () => {
    const { step } = await start();
    const { code, summary } = await step({ env: NO_TOKEN });
    expect(code).toBe(1);
    expect(summary).toContain("CLOUDFLARE_API_TOKEN");
  });
});

test("checks a Dependabot pull request offline if no token is available, with a notice", async () => {
  const { emulator, step } = await start();
  const { code, summary } = await step({ env: { ...NO_TOKEN, GITHUB_ACTOR: "dependabot[bot]" } });
  expect(code).toBe(0);
  expect(emulator.log).toEqual([]);
  expect(summary).toContain("runs of Dependabot");
  expect(summary).toContain("The files are valid");
});

test("checks the files for a drift run on a fork's pull request without a token", async () => {
  const { emulator, github, step } = await start();
  const inputs = { command: "drift", issue: "auto" };
  const { code, summary } = await step({ payload: FROM_FORK, env: NO_TOKEN, inputs });
  expect(code).toBe(0);
  expect(emulator.log).toEqual([]);
  expect(github.requests).toEqual([]);
  expect(summary).toContain("pull requests from forks");
});

describe("files from a stranger never meet secrets", () => {
  const merging = { workflow_run: { event: "pull_request" } };
  const comment = { issue: { number: 7, pull_request: {} } };
  test.each<[event: string, payload: unknown]>([
    ["pull_request_target", FROM_FORK],
    ["pull_request_target", pullRequest(7)],
    ["workflow_run", merging],
    ["workflow_run", { workflow_run: { event: "issue_comment" } }],
    ["workflow_run", { workflow_run: { event: "workflow_run" } }],
    ["issue_comment", comment],
  ])("plan and drift are refused on %s", async (event, payload) => {
    const { emulator, github, step } = await start();
    for (const command of ["plan", "drift"]) {
      const { code, commands } = await step({ event, payload, inputs: { command } });
      expect(code).toBe(1);
      expect(commands).toContainEqual(expect.stringContaining("Secrets refused"));
    }
    expect(emulator.log).toEqual([]);
    expect(github.requests).toEqual([]);
  });

  test("validate runs on pull_request_target", async () => {
    const { emulator, step } = await start();
    const { code } = await step({
      event: "pull_request_target",
      payload: FROM_FORK,
      inputs: { command: "validate" },
    });
    expect(code).toBe(0);
    expect(emulator.log).toEqual([]);
  });

  test.each(["INPUT_MINE", "ACTIONS_RUNTIME_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"])(
    "files cannot read %s from the environment",
    async (name) => {
      const secret = "value-of-the-run-itself";
      const { github, step } = await start(CONFIG.replace("New", `"\${env:${name}}"`));
      const { code, raw, summary } = await step({ env: { [name]: secret } });
      expect(code).toBe(1);
      expect(summary).toContain(name);
      expect(
        [
          raw.replace(`::add-mask::${secret}\n`, ""),
          summary,
          ...github.comments.map(({ body }) => body),
        ].join(""),
      ).not.toContain(secret);
    },
  );
});

describe("the base of a pull request", () => {
  test("is the first parent of GitHub's merge commit, so that drift is separated from declared changes", async () => {
    const { emulator, workspace, github, step } = await start(IN_SYNC);
    const git = gitIn(workspace);
    await git("init", "--quiet", "--initial-branch", "main");
    await commit(git);
    const base = await git("rev-parse", "HEAD");
    await git("checkout", "--quiet", "-b", "topic");
    await writeFile(path.join(workspace, "zoneward.yaml"), `${IN_SYNC}    policies: []\n`);
    await commit(git);
    const head = await git("rev-parse", "HEAD");
    await git("checkout", "--quiet", "main");
    await git("merge", "--quiet", "--no-ff", "-m", "merge", "topic");
    emulator.edit(switched(true));
    const { outputs, log } = await step({ payload: pullRequest(7, { head, base: "9".repeat(40) }) });
    expect(outputs.drift, log).toBe("true");
    expect(github.comments[0]?.body).not.toContain("The checkout does not have");
    const plan = JSON.parse(await readFile(outputs["plan-file"] ?? "", "utf8"));
    expect(plan.base).toBe(`git:${base}`);
  });

  test("is the point where the branches parted if the head itself is checked out", async () => {
    const { workspace, step } = await start(IN_SYNC);
    const git = gitIn(workspace);
    await git("init", "--quiet", "--initial-branch", "main");
    await commit(git);
    const base = await git("rev-parse", "HEAD");
    await writeFile(path.join(workspace, "zoneward.yaml"), CONFIG);
    await commit(git);
    const head = await git("rev-parse", "HEAD");
    const { outputs, commands } = await step({ payload: pullRequest(7, { head, base }) });
    expect(commands.join("\n")).not.toContain("The checkout does not have");
    const plan = JSON.parse(await readFile(outputs["plan-file"] ?? "", "utf8"));
    expect(plan.base).toBe(`git:${base}`);
  });

  test("limits a plan of many zones to the changed ones", async () => {
    const others = Array.from({ length: 51 }, (_, n) => `  shop-${n}.example.com: { settings: {} }\n`).join(
      "",
    );
    const { emulator, workspace, github, step } = await start(`${IN_SYNC}${others}`);
    const git = gitIn(workspace);
    const base = await git("rev-parse", "HEAD");
    await writeFile(path.join(workspace, "zoneward.yaml"), `${CONFIG}${others}`);
    await commit(git);
    const payload = pullRequest(7, { head: await git("rev-parse", "HEAD"), base });
    const { outputs, log } = await step({ payload });
    const plan = JSON.parse(await readFile(outputs["plan-file"] ?? "", "utf8"));
    expect(plan.summary, log).toMatchObject({ zones: 1, as_in_base: 51 });
    expect(outputs).toMatchObject({ "exit-code": "0", drift: "" });
    expect(github.comments[0]?.body).toContain("51 zones as in the base, not read");
    expect(emulator.log.filter(({ path: at }) => at.includes("shop-"))).toEqual([]);
    const all = await step({ payload, inputs: { changed: "false" } });
    const whole = JSON.parse(await readFile(all.outputs["plan-file"] ?? "", "utf8"));
    expect(whole.summary.zones).toBe(52);
  });

  test("is warned about before any other warning if it is missing", async () => {
    const { emulator, workspace, step } = await start(IN_SYNC);
    const policies = Array.from({ length: 12 }, (_, n) => ({
      description: `Theirs ${n}`,
      action: "allow",
      enabled: true,
      expression: `http.host eq "h${n}.example.com"`,
      value: "img-src 'self'",
    }));
    for (const add of policies) emulator.edit({ edit: "policy", zone: ZONE, add });
    await writeFile(
      path.join(workspace, "zoneward.yaml"),
      `${IN_SYNC}    policies: [{ description: Mine, action: log, expression: "true", value: img-src 'self' }]\n    prune: [policies]\n`,
    );
    const { commands } = await step({ payload: pullRequest(7) });
    const warnings = commands.filter((each) => each.startsWith("::warning"));
    expect(warnings).toHaveLength(10);
    expect(warnings[0]).toContain("fetch-depth");
  });

  test("causes a warning with advice if the checkout lacks it", async () => {
    const { step } = await start();
    const { code, commands, summary } = await step({ payload: pullRequest(7) });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("fetch-depth"));
    expect(commands).toContainEqual(expect.stringContaining("guardrail base_unread"));
    expect(summary).toContain("fetch-depth");
  });
});

describe("a cancelled run", () => {
  test("ends at once if it has written nothing, and says so", async () => {
    let cancel = () => {};
    const cancelled = new Promise<void>((resolve) => {
      cancel = resolve;
    });
    const silent = createServer(() => cancel());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo; // The server listens on TCP, so its address is an object.
    const { step } = await start();
    const env = { CLOUDFLARE_BASE_URL: `http://127.0.0.1:${port}/client/v4` };
    const { code, outputs, summary } = await step({ env, cancelled });
    expect([code, outputs["exit-code"]]).toEqual([1, "130"]);
    expect(summary).toContain("stopped before it wrote");
  });
});

function gitIn(cwd: string) {
  const env = {
    PATH: process.env.PATH ?? "",
    GIT_CONFIG_GLOBAL: "/dev/null",
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) => [
        [`GIT_${who}_NAME`, "a"],
        [`GIT_${who}_EMAIL`, "a@example.com"],
      ]),
    ),
  };
  return async (...args: readonly string[]) =>
    (await promisify(execFile)("git", args, { cwd, env })).stdout.trim();
}

async function commit(git: ReturnType<typeof gitIn>): Promise<void> {
  await git("add", "zoneward.yaml");
  await git("commit", "--quiet", "--allow-empty", "-m", "files");
}
