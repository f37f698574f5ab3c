import { chmod, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { WORKFLOW_AUTHOR } from "../support/github.js";
import type { Step } from "../support/github-step.js";
import { HOSTILE, harmIn } from "../support/hostile.js";
import { rendered } from "../support/markdown.js";
import { IN_SYNC, start, switched, written, ZONE } from "./start.js";

const BRANCH = "zoneward/adopt";
const WITH_IT = IN_SYNC.replace("enabled: false", "enabled: true");

async function scheduled(config = IN_SYNC) {
  const started = await start(config);
  const { workspace } = started;
  const adopt = async ({ inputs, ...more }: Partial<Step> = {}) => {
    // Each run has a fresh checkout.
    await writeFile(path.join(workspace, "zoneward.yaml"), config);
    return started.step({
      event: "schedule",
      payload: { schedule: "17 5 * * *" },
      ...more,
      inputs: { command: "adopt", ...inputs },
    });
  };
  return { ...started, adopt };
}

test("adopt by the built Action proposes changed files in one commit on the checked-out commit", async () => {
  const { emulator, github, adopt, head } = await scheduled();
  emulator.edit(switched(true));
  const { code, outputs, summary, log } = await adopt({ built: true });
  expect([code, outputs["exit-code"], outputs.drift], log).toEqual([0, "0", "true"]);
  expect(outputs["pull-request-url"]).toBe("https://github.example/pull/500");
  expect(github.git.pulls).toMatchObject([
    {
      author: WORKFLOW_AUTHOR,
      title: "Adopt changes made outside the files",
      head: BRANCH,
      base: "main",
    },
  ]);
  const commit = github.git.commits.get(github.git.branches.get(BRANCH) ?? "");
  expect(commit?.parents).toEqual([head]);
  expect(github.git.filesOf(BRANCH)).toEqual([
    { path: "zoneward.yaml", mode: "100644", type: "blob", content: WITH_IT },
  ]);
  const body = github.git.pulls[0]?.body ?? "";
  expect(body).toMatch(
    /^<!-- zoneward:adopt:default -->\n<!-- zoneward-run: \{.*"tip":"[0-9a-f]{40}"\} -->\n/,
  );
  expect(body).toContain("Merge this to take the changes into the files; nothing is sent to the service.");
  expect(body).toContain("- `shop.example.com`: `settings`, `enabled` (strengthens)");
  expect(body).toContain(outputs.digest);
  expect(summary).toContain("### 1 change made outside the files, written into the files");
  expect(emulator.writes().filter(({ method }) => method !== "PUT")).toEqual([]);
});

describe("the pull request of adopt", () => {
  test("stays unchanged while the drift is the same, and is updated when the drift changes", async () => {
    const { emulator, github, adopt } = await scheduled(
      `${IN_SYNC}    policies: []\n    prune: [policies]\n`,
    );
    emulator.edit(switched(true));
    await adopt();
    const first = github.git.branches.get(BRANCH);
    github.requests.length = 0;
    const same = await adopt({ runNumber: 2 });
    expect(same.outputs["pull-request-url"]).toContain("/pull/500");
    // Adopt creates the tree only to compare it. That changes nothing.
    expect(written(github.requests)).toEqual(["POST /git/trees"]);
    emulator.edit({
      edit: "policy",
      zone: ZONE,
      add: {
        description: "Theirs",
        action: "log",
        enabled: true,
        expression: "true",
        value: "img-src 'self'",
      },
    });
    await adopt({ runNumber: 3 });
    expect(github.git.pulls).toHaveLength(1);
    expect(github.git.branches.get(BRANCH)).not.toBe(first);
    expect(github.git.pulls[0]?.body).toContain("Theirs");
    expect(github.git.filesOf(BRANCH)[0]?.content).toContain("Theirs");
  });

  test("is closed with a comment when the live state matches the files again", async () => {
    const { emulator, github, adopt } = await scheduled();
    const calm = await adopt();
    expect([calm.code, calm.outputs.drift, github.git.pulls, written(github.requests)]).toEqual([
      0,
      "false",
      [],
      [],
    ]);
    expect(calm.summary).toContain("Nothing to write into the files");
    expect(calm.log).toContain("No drift.");
    emulator.edit(switched(true));
    await adopt({ runNumber: 2 });
    emulator.edit(switched(false));
    const { outputs, log } = await adopt({ runNumber: 3 });
    expect(outputs["pull-request-url"], log).toBe("");
    expect(log).toContain("Pull request, closed: https://github.example/pull/500");
    expect(github.git.pulls).toMatchObject([{ state: "closed" }]);
    expect(github.comments.map(({ on, body }) => [on, body])).toEqual([
      [500, "The live state matches the files. Nothing is left to adopt."],
    ]);
    emulator.edit(switched(true));
    await adopt({ runNumber: 4 });
    expect(github.git.pulls.map(({ state }) => state)).toEqual(["closed", "open"]);
  });

  test("has its own branch for each label", async () => {
    const { emulator, github, adopt } = await scheduled();
    emulator.edit(switched(true));
    await adopt({ inputs: { label: "v1.prod" } });
    await adopt();
    expect([...github.git.branches.keys()]).toEqual(["zoneward/adopt-v1_prod", BRANCH]);
    expect(github.git.pulls.map(({ title }) => title)).toEqual([
      "Adopt changes made outside the files (v1.prod)",
      "Adopt changes made outside the files",
    ]);
  });

  test("never overwrites another author's branch, even behind a pull request with the marker", async () => {
    const { emulator, github, adopt, head } = await scheduled();
    emulator.edit(switched(true));
    github.git.branches.set(BRANCH, head);
    const marker = `<!-- zoneward:adopt:default -->\n<!-- zoneward-run: ${JSON.stringify({ commit: head, run: 1, attempt: 1, digest: null, tip: head })} -->\n`;
    github.git.merge(3, head);
    const [forged] = github.git.pulls.splice(0);
    if (forged === undefined) throw new Error("expected the commit");
    github.git.pulls.push({ ...forged, author: "mallory", head: BRANCH, state: "open", body: marker });
    github.git.pulls.push({
      ...forged,
      from: "acme/fork",
      author: WORKFLOW_AUTHOR,
      head: BRANCH,
      body: marker,
    });
    const { code, commands } = await adopt();
    expect(code).toBe(1);
    expect(commands).toContainEqual(expect.stringMatching(/^::error .*is left alone\. Merge or close/));
    expect(github.git.branches.get(BRANCH)).toBe(head);
    expect(written(github.requests)).toEqual([]);
  });

  test("is left alone after another author pushed to its branch", async () => {
    const { emulator, github, adopt } = await scheduled();
    emulator.edit(switched(true));
    await adopt();
    const theirs = github.git.push("a".repeat(40));
    github.git.branches.set(BRANCH, theirs);
    const { code, outputs } = await adopt({ runNumber: 2 });
    expect([code, outputs["exit-code"]]).toEqual([1, "1"]);
    expect(github.git.branches.get(BRANCH)).toBe(theirs);
  });

  test("of a later run is left alone", async () => {
    const { emulator, github, adopt } = await scheduled();
    emulator.edit(switched(true));
    await adopt({ runNumber: 5 });
    emulator.edit(switched(false));
    const { code, commands } = await adopt({ runNumber: 4 });
    expect(code).toBe(0);
    expect(commands).toContainEqual(expect.stringContaining("A later run wrote the pull request"));
    expect(github.git.pulls).toMatchObject([{ state: "open" }]);
  });

  test.each<[string, "open" | "closed"]>([
    ["is reopened", "closed"],
    ["is updated", "open"],
  ])("%s by the next run if the previous one could only push the branch", async (_, state) => {
    const { emulator, github, adopt } = await scheduled();
    emulator.edit(switched(true));
    await adopt();
    for (const pull of github.git.pulls) pull.state = state;
    const former = github.git.branches.get(BRANCH);
    // The checked-out commit differs on GitHub, so the branch has to move.
    const made = github.git.commits.get(former ?? "");
    if (made === undefined) throw new Error("expected the commit");
    github.git.commits.set(former ?? "", { ...made, parents: ["a".repeat(40)] });
    github.fault = (method, at) => (method !== "GET" && at.startsWith("/pulls") ? { status: 403 } : null);
    expect((await adopt({ runNumber: 2, env: { GITHUB_SHA: "e".repeat(40) } })).code).toBe(1);
    expect(github.git.branches.get(BRANCH)).toBe(former);
    github.fault = () => null;
    const { code, log } = await adopt({ runNumber: 3, env: { GITHUB_SHA: "e".repeat(40) } });
    expect(code, log).toBe(0);
    expect(github.git.branches.get(BRANCH)).not.toBe(former);
    expect(github.git.pulls.filter((each) => each.state === "open")).toHaveLength(1);
  });

  test("is created once even if the answer to the first request is lost", async () => {
    const { emulator, github, adopt } = await scheduled();
    emulator.edit(switched(true));
    let lost = 0;
    github.fault = (method, at) => (method === "POST" && at === "/pulls" && lost++ === 0 ? "lost" : null);
    const { code } = await adopt();
    expect([code, github.git.pulls.length]).toEqual([0, 1]);
  });
});

describe("adopt", () => {
  test.each(["HTML", "Markdown", "a command on a line of its own", "a heap of marks"])(
    "escapes hostile names: %s",
    async (name) => {
      const { emulator, github, adopt } = await scheduled(
        `${IN_SYNC}    policies: []\n    prune: [policies]\n`,
      );
      const description = HOSTILE[name] ?? "";
      const value = "img-src 'self'";
      const add = { description, action: "log", enabled: true, expression: "true", value } as const;
      emulator.edit({ edit: "policy", zone: ZONE, add });
      const { code, log, summary, commands } = await adopt();
      expect([code, github.git.pulls.length], log).toEqual([0, 1]);
      expect(harmIn(log, "people")).toEqual([]);
      expect(commands.filter((each) => !/^::(add-mask::|error |warning |notice )/.test(each))).toEqual([]);
      for (const markdown of [summary, github.git.pulls[0]?.body ?? ""]) {
        expect(harmIn(markdown, "programs")).toEqual([]);
        expect(rendered(markdown).words).not.toMatch(/@team|#1\b/);
      }
    },
  );

  test.each<[what: string, path: string, message: string | undefined, said: string]>([
    ["contents: write", "/git/trees", undefined, "permissions: contents: write"],
    ["pull-requests: write", "/pulls", undefined, "permissions: pull-requests: write"],
    [
      "the setting of the repository",
      "/pulls",
      "GitHub Actions is not permitted to create or approve pull requests.",
      'Tick "Allow GitHub Actions to create and approve pull requests" under Settings → Actions → General',
    ],
  ])("names the missing permission (%s) and leaves no branch behind", async (_, at, message, said) => {
    const { emulator, github, adopt } = await scheduled();
    emulator.edit(switched(true));
    github.fault = (method, called) =>
      method === "POST" && called === at
        ? { status: 403, ...(message === undefined ? {} : { message }) }
        : null;
    const { code, commands, log } = await adopt();
    expect(code).toBe(1);
    expect(log).toContain(said);
    expect(commands).toContainEqual(expect.stringMatching(/^::error title=Adoption not proposed/));
    expect([...github.git.branches]).toEqual([]);
    github.fault = () => null;
    expect((await adopt({ runNumber: 2 })).outputs["pull-request-url"]).toContain("/pull/");
  });

  test("proposes nothing that a guardrail forbids, unless the guardrail is lifted for this drift", async () => {
    const config = `guardrails: { forbid: [weakens] }\n${WITH_IT}`;
    const { emulator, github, adopt, workspace } = await scheduled(config);
    emulator.edit(switched(false));
    const refused = await adopt();
    expect([refused.code, refused.outputs["exit-code"], written(github.requests)]).toEqual([1, "3", []]);
    expect(refused.commands).toContainEqual(expect.stringMatching(/^::error .*weakens/));
    expect(refused.summary).toContain(`weakens@${refused.outputs.digest}`);
    expect(await readFile(path.join(workspace, "zoneward.yaml"), "utf8")).toBe(config);
    const other = await adopt({ inputs: { allow: `weakens@sha256:${"0".repeat(64)}` } });
    expect([other.code, github.git.pulls]).toEqual([1, []]);
    const lifted = await adopt({ inputs: { allow: `weakens@${refused.outputs.digest}` } });
    expect([lifted.code, github.git.pulls.length], lifted.log).toEqual([0, 1]);
    expect(github.git.pulls[0]?.body).toContain("(weakens)");
  });

  test("names the author of a change, by user name in private repositories only", async () => {
    const { emulator, github, adopt } = await scheduled();
    emulator.edit({ ...switched(true), by: "alice@example.com" });
    await adopt({ inputs: { who: "true" } });
    expect(github.git.pulls[0]?.body).toContain("a user in the dashboard");
    expect(github.git.pulls[0]?.body).not.toContain("alice");
    await adopt({ inputs: { who: "true" }, payload: { repository: { private: true } }, runNumber: 2 });
    expect(github.git.pulls[0]?.body.replaceAll("`", "")).toContain("by alice@example.com in the dashboard");
  });

  test("commits the file behind a link, and keeps its executable bit", async () => {
    const { emulator, github, workspace, step } = await start();
    await writeFile(path.join(workspace, "zoneward.yaml"), IN_SYNC);
    await chmod(path.join(workspace, "zoneward.yaml"), 0o755);
    await symlink("zoneward.yaml", path.join(workspace, "linked.yaml"));
    emulator.edit(switched(true));
    const inputs = { command: "adopt", config: "linked.yaml" };
    const { code, log } = await step({ event: "schedule", payload: {}, inputs });
    expect(code, log).toBe(0);
    expect(github.git.filesOf(BRANCH)).toMatchObject([{ path: "zoneward.yaml", mode: "100755" }]);
  });

  test.each<[string, Partial<Step>, string]>([
    ["of a file that git does not track", { inputs: { config: "new.yaml" } }, "git does not track"],
    ["for a tag", { env: { GITHUB_REF: "refs/tags/v1" } }, "adopt on a branch"],
  ])("makes no proposal %s", async (_, step, said) => {
    const { emulator, github, workspace, adopt } = await scheduled();
    await writeFile(path.join(workspace, "new.yaml"), IN_SYNC);
    emulator.edit(switched(true));
    const { code, log } = await adopt(step);
    expect([code, written(github.requests)]).toEqual([1, []]);
    expect(log).toContain(said);
  });

  test("makes no proposal on a commit that GitHub does not have", async () => {
    const { emulator, github, adopt, head } = await scheduled();
    github.git.commits.delete(head);
    emulator.edit(switched(true));
    const { code, log } = await adopt();
    expect([code, written(github.requests)]).toEqual([1, []]);
    expect(log).toContain("Push it first");
  });

  test("creates no tree if GitHub does not return the tree of the commit", async () => {
    const { emulator, github, adopt, head } = await scheduled();
    github.git.commits.set(head, { message: "files", tree: "odd", parents: [] });
    emulator.edit(switched(true));
    const { code, log } = await adopt();
    expect([code, written(github.requests)]).toEqual([1, []]);
    expect(log).toContain("unknown answer");
  });

  test("leaves its pull request alone if the live state cannot be read", async () => {
    const { emulator, github, adopt } = await scheduled();
    emulator.edit(switched(true));
    await adopt();
    const { code } = await adopt({
      env: { CLOUDFLARE_API_TOKEN: "another-token-that-is-wrong" },
      runNumber: 2,
    });
    expect(code).toBe(1);
    expect(github.git.pulls).toMatchObject([{ state: "open" }]);
  });
});
