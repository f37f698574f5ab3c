import { execFileSync } from "node:child_process";
import { copyFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { startGitHub, WORKFLOW_AUTHOR } from "../support/github.js";
import { pullRequest, runStep, type Step } from "../support/github-step.js";
import { ZONE } from "./start.js";

const policy = (description: string) => ({
  description,
  action: "log" as const,
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
});

/** Files with these policies. */
function files(policies: readonly string[], guardrails = "guardrails: { forbid: [deletes, service_off] }\n") {
  const declared = policies.map((name) => JSON.stringify(policy(name))).join(", ");
  return `version: 1\n${guardrails}zones:\n  ${ZONE}:\n    policies: [${declared}]\n`;
}

const MAIN = files(["Ours"]);
const PROPOSED = files(["Ours", "New"]);

/** Files that claim another team's live policy and have no guardrails. */
const UNMERGED = files(["Ours", "Of another team"], "");

/** The ways in which GitHub can merge pull request 7. */
const WAYS = {
  "a merge commit": ["merge", "--quiet", "--no-ff", "-m", "merge", "topic"],
  "a squash": ["merge", "--quiet", "--squash", "topic"],
  "a rebase": ["cherry-pick", "main..topic"],
  "a fast-forward": ["merge", "--quiet", "--ff-only", "topic"],
} as const;

/** A repository with the planned pull request 7, and a service with an undeclared policy. */
async function repository(proposed: readonly string[] = [PROPOSED]) {
  const seed = {
    zones: { [ZONE]: { settings: { enabled: true }, policies: ["Ours", "Of another team"].map(policy) } },
  };
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const github = await startGitHub();
  const workspace = await folderWith({});
  const kept = await folderWith({});
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...who, ...args], { cwd: workspace, encoding: "utf8", stdio: "pipe" }).trim();
  const commit = async (name: string, text: string) => {
    await writeFile(path.join(workspace, name), text);
    git("add", name);
    git("commit", "--quiet", "--allow-empty", "-m", name);
    return git("rev-parse", "HEAD");
  };
  git("init", "--quiet", "--template=", "--initial-branch", "main");
  const main = await commit("zoneward.yaml", MAIN);
  git("checkout", "--quiet", "-b", "unmerged");
  const unmerged = await commit("zoneward.yaml", UNMERGED);
  git("checkout", "--quiet", "-b", "topic", "main");
  for (const text of proposed) await commit("zoneward.yaml", text);
  const head = git("rev-parse", "HEAD");

  const step = ({ env, ...more }: Partial<Step>) =>
    runStep({ workspace, github, ...more, env: { ...reaching(emulator), ...env } });
  /** Plans a pull request with the same head, and returns the plan file. */
  const planned = async (number: number, base: string, inputs: Step["inputs"] = {}) => {
    git("checkout", "--quiet", "--detach", base);
    git("merge", "--quiet", "--no-ff", "-X", "theirs", "-m", "merge", head);
    const { outputs, log } = await step({
      event: "pull_request",
      payload: pullRequest(number, { head, base }),
      inputs,
    });
    const file = path.join(kept, `plan-${number}-${base}.json`);
    await copyFile(outputs["plan-file"] || `there is no plan: ${log}`, file);
    return { file, digest: outputs.digest ?? "" };
  };
  const reviewed = await planned(7, main);
  /** Merges pull request 7. The returned function applies a plan file. */
  const merge = (way: keyof typeof WAYS = "a merge commit") => {
    git("checkout", "--quiet", "main");
    const before = git("rev-parse", "HEAD");
    git(...WAYS[way]);
    if (way === "a squash") git("commit", "--quiet", "-m", "squash");
    const after = git("rev-parse", "HEAD");
    github.git.merge(7, after);
    return (file: string, { env, ...more }: Partial<Step> = {}) =>
      step({
        event: "push",
        payload: { ref: "refs/heads/main", before, after },
        inputs: { command: "apply", "plan-file": file },
        ...more,
        env: { GITHUB_SHA: after, ...env },
      });
  };
  /** Overwrites the comment, as any user with push access can. */
  const overwritten = (digest: string) => {
    const own = github.comments.find(({ on }) => on === 7);
    if (own !== undefined) own.body = own.body.replaceAll(reviewed.digest, digest);
  };
  return { emulator, github, git, commit, main, unmerged, head, planned, reviewed, merge, overwritten, step };
}

describe("the reviewed plan file is applied after", () => {
  test.each(Object.keys(WAYS) as (keyof typeof WAYS)[])("%s", async (way) => {
    const { emulator, reviewed, merge } = await repository([files(["New"]), PROPOSED]);
    const { code, log, summary } = await merge(way)(reviewed.file);
    expect(code, `${log}${summary}`).toBe(0);
    expect(emulator.writes().map(({ method }) => method)).toEqual(["POST"]);
  });

  test("another merge that does not change the files", async () => {
    const { emulator, git, commit, reviewed, merge } = await repository();
    git("checkout", "--quiet", "main");
    await commit("README.md", "merged since the review");
    const { code, log, summary } = await merge()(reviewed.file);
    expect(code, `${log}${summary}`).toBe(0);
    expect(emulator.writes()).toHaveLength(1);
  });
});

describe("a plan file is refused", () => {
  test("if its base is a commit that was never merged", async () => {
    const { emulator, unmerged, planned, merge, overwritten } = await repository();
    const forged = await planned(9, unmerged);
    const apply = merge();
    const first = await apply(forged.file);
    expect([first.code, emulator.writes()]).toEqual([1, []]);
    expect(first.summary).toContain("The comment on the merged pull request 7 shows");
    overwritten(forged.digest);
    const second = await apply(forged.file);
    expect([second.code, emulator.writes()]).toEqual([1, []]);
    expect(second.summary).toContain("Base changed since the plan");
  });

  test("if it comes from another pull request with the same head and another base branch", async () => {
    const { emulator, github, unmerged, planned, merge } = await repository();
    const other = await planned(8, unmerged);
    expect(github.comments.map(({ on, author }) => [on, author])).toEqual([
      [7, WORKFLOW_AUTHOR],
      [8, WORKFLOW_AUTHOR],
    ]);
    const { code, summary } = await merge()(other.file);
    expect([code, emulator.writes()]).toEqual([1, []]);
    expect(summary).toContain(other.digest);
    expect(summary).toContain("The comment on the merged pull request 7 shows");
  });

  test("if its base is a commit of the merged pull request without guardrails", async () => {
    const { emulator, git, planned, merge, overwritten } = await repository([
      UNMERGED,
      files(["Ours", "New"], ""),
    ]);
    const apply = merge("a rebase");
    const first = git("rev-parse", "HEAD^");
    const forged = await planned(9, first);
    git("checkout", "--quiet", "main");
    overwritten(forged.digest);
    const { code, summary } = await apply(forged.file);
    expect([code, emulator.writes()]).toEqual([1, []]);
    expect(summary).toContain("Base changed since the plan");
  });

  test("if it has no base", async () => {
    const { emulator, reviewed, git, step, merge, overwritten } = await repository([files(["New"], "")]);
    git("checkout", "--quiet", "topic");
    const forged = await step({ event: "push", inputs: {} });
    overwritten(forged.outputs.digest ?? "");
    const kept = reviewed.file.replace(/plan-.*/, "forged.json");
    await copyFile(forged.outputs["plan-file"] ?? "", kept);
    const { code, summary } = await merge()(kept);
    expect([code, emulator.writes()]).toEqual([1, []]);
    expect(summary).toContain("Refused by guardrail deletes");
  });

  test("if the files of the branch changed since the review", async () => {
    const { emulator, git, commit, reviewed, merge } = await repository();
    git("checkout", "--quiet", "main");
    await commit("zoneward.yaml", MAIN.replace("deletes, ", ""));
    const { code, summary } = await merge()(reviewed.file);
    expect([code, emulator.writes()]).toEqual([1, []]);
    expect(summary).toContain("changed since");
  });

  test.each<[string, Partial<Step>, string]>([
    [
      "the event does not name the former commit of the branch",
      { event: "workflow_dispatch", payload: {} },
      "as the input base",
    ],
    ["the push rewrote the branch", { payload: { before: "unmerged" } }, "The push rewrote the branch"],
    [
      "the checkout lacks the former commit of the branch",
      { payload: { before: "d".repeat(40) } },
      "base_unread",
    ],
  ])("if %s", async (_, more, why) => {
    const { emulator, reviewed, unmerged, merge } = await repository();
    const payload = JSON.parse(JSON.stringify(more.payload ?? {}).replace("unmerged", unmerged));
    const { code, summary } = await merge()(reviewed.file, { ...more, payload });
    expect([code, emulator.writes()]).toEqual([1, []]);
    expect(summary).toContain(why);
  });

  test("if GitHub does not show a single review", async () => {
    const { emulator, github, reviewed, merge } = await repository();
    const apply = merge();
    const refused = async (why: string) => {
      const { code, summary } = await apply(reviewed.file);
      expect([code, emulator.writes()]).toEqual([1, []]);
      expect(summary).toContain(why);
    };
    github.fault = (_, at) => (at.startsWith("/commits/") ? { status: 403 } : null);
    await refused("permissions: pull-requests: read");
    github.fault = () => null;
    const [own] = github.comments.splice(0);
    await refused("Pull request 7 has no comment");
    github.write(7, "somebody", own?.body ?? "");
    await refused("Pull request 7 has no comment");
    const [pull] = github.git.pulls;
    github.git.merge(8, pull?.merged ?? "");
    await refused("pull requests 7, 8");
  });
});

test("a digest in the workflow replaces the review and the check of the base", async () => {
  const { emulator, github, reviewed, merge } = await repository();
  const apply = merge();
  github.comments.splice(0);
  const inputs = { command: "apply", "plan-file": reviewed.file, "plan-digest": reviewed.digest };
  const { code, log } = await apply(reviewed.file, { inputs, event: "workflow_dispatch", payload: {} });
  expect(code, log).toBe(0);
  expect(emulator.writes()).toHaveLength(1);
});

test("a plan without changes needs no comment", async () => {
  const { emulator, github, reviewed, merge } = await repository([`# reviewed\n${MAIN}`]);
  github.comments.splice(0);
  const { code, log } = await merge()(reviewed.file);
  expect([code, emulator.writes()], log).toEqual([0, []]);
});
