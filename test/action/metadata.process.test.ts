import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { parseAction } from "@actions/workflow-parser/actions/action-parser";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { TABLE } from "../../src/action/inputs.js";
import { OUTPUTS } from "../../src/action/outcome.js";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { startGitHub } from "../support/github.js";
import { pullRequest, runStep } from "../support/github-step.js";
import { ZONE } from "./start.js";

const INPUTS = {
  ...Object.fromEntries(Object.values(TABLE).map(({ name, byDefault }) => [name, byDefault])),
  "api-token": "",
  "github-token": "${{ github.token }}",
};

const text = readFileSync("action.yml", "utf8");
const action = parse(text) as {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
  readonly runs: { readonly using: string; readonly main: string };
}; // The first test below checks this shape.

describe("action.yml", () => {
  test("is valid for GitHub", () => {
    const { context } = parseAction({ name: "action.yml", content: text }, new NoOperationTraceWriter());
    expect(context.errors.getErrors()).toEqual([]);
  });

  test("has a description and the default of each input that the code reads", () => {
    const defaults = Object.fromEntries(
      Object.entries(action.inputs).map(([name, each]) => [name, each.default]),
    );
    expect(defaults).toEqual(INPUTS);
    expect(Object.values(action.inputs).filter(({ description }) => description === "")).toEqual([]);
  });

  test("lists the outputs that the code sets", () => {
    expect(Object.keys(action.outputs)).toEqual([...OUTPUTS]);
  });

  test("runs the committed bundle with Node 24", () => {
    expect(action.runs).toEqual({ using: "node24", main: "dist/action/index.mjs" });
    expect(readFileSync(action.runs.main, "utf8")).not.toContain("sourceMappingURL");
  });
});

const examples = readdirSync("examples/github").map((name) => `examples/github/${name}`);

describe.each(examples)("%s", (file) => {
  const content = readFileSync(file, "utf8");
  const workflow = parse(content) as Workflow; // The first test below checks this shape.
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("is a valid workflow for GitHub", async () => {
    const { context, value } = parseWorkflow({ name: file, content }, new NoOperationTraceWriter());
    if (value === undefined) throw new Error("the workflow is unreadable");
    await convertWorkflowTemplate(context, value);
    expect(context.errors.getErrors()).toEqual([]);
  });

  test("uses only existing inputs and outputs of the action", () => {
    const own = steps.filter(({ uses }) => uses?.startsWith("zoneward/zoneward@"));
    expect(own).not.toEqual([]);
    const used = own.flatMap((step) => Object.keys(step.with ?? {}));
    expect(used.filter((name) => !(name in INPUTS))).toEqual([]);
    const ids = own.map(({ id }) => id);
    const taken = [...content.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)].filter(([, id]) =>
      ids.includes(id),
    );
    expect(taken.filter(([, , name]) => !(OUTPUTS as readonly string[]).includes(name ?? ""))).toEqual([]);
  });

  test("pins other actions to a commit, with the version in a comment", () => {
    const others = content.match(/uses: (?!zoneward\/).*/g) ?? [];
    expect(others.filter((each) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each))).toEqual([]);
  });

  test("declares its permissions, timeouts and concurrency group", () => {
    expect(workflow.permissions?.contents).toBe(file.endsWith("adopt.yml") ? "write" : "read");
    expect(workflow.concurrency).toMatchObject({ group: expect.any(String) });
    for (const job of Object.values(workflow.jobs))
      expect(job["timeout-minutes"]).toEqual(expect.any(Number));
  });

  test("starts with its file name", () => {
    expect(content.split("\n", 1)[0]).toBe(`# .github/workflows/${path.basename(file)}`);
  });

  test("gives the writing token only to approved jobs", () => {
    for (const job of Object.values(workflow.jobs)) {
      const tokens = job.steps.map((step) => step.env?.CLOUDFLARE_API_TOKEN ?? null);
      const mayWrite = job.environment === "production";
      const usual = `\${{ secrets.CLOUDFLARE_API_TOKEN${mayWrite ? "" : "_READ"} }}`;
      expect(tokens.filter((token) => token !== null && token !== usual)).toEqual([]);
    }
  });

  test("never puts expressions into shell scripts", () => {
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });
});

describe("the example for pull requests", () => {
  const text = readFileSync("examples/github/zoneward-pull-request.yml", "utf8");
  const { jobs, on } = parse(text) as Workflow; // Checked above.
  const steps = jobs.plan?.steps ?? [];

  test("runs on every pull request, so that it can be a required check", () => {
    expect(on).toEqual({ pull_request: null, merge_group: null });
    expect(jobs.plan).not.toHaveProperty("if");
    const [checkout, plan, upload, ...others] = steps;
    expect(checkout).not.toHaveProperty("if");
    expect(plan?.if).toBe("github.event_name == 'pull_request'");
    // Without a plan there is no file to upload.
    expect(upload?.if).toBe("always() && steps.plan.outputs.plan-file != ''");
    expect(upload?.with?.name).toBe("zoneward-plan-${{ github.event.pull_request.number }}");
    expect(others).toEqual([]);
  });

  const zone = (enabled: boolean) =>
    `version: 1\nzones: { ${ZONE}: { settings: { enabled: ${enabled} } } }\n`;

  test.each<[changed: string, text: string, says: string | null]>([
    ["README.md", "after", null],
    ["zones/a.yaml", `# after\n${zone(true)}`, null],
    ["shared/b.yaml", zone(true), "settings in `shop.example.com`"],
  ])("reads only zones that a pull request changes, also behind a link: %s", async (file, text, says) => {
    const emulator = await createEmulator({ seed: { zones: { [ZONE]: {}, "a.example.com": {} } } });
    onTestFinished(() => emulator.close());
    const workspace = await folderWith({ "README.md": "before" });
    await Promise.all(["zones", "shared"].map((name) => mkdir(path.join(workspace, name))));
    await writeFile(path.join(workspace, "zones/a.yaml"), zone(true).replace(ZONE, "a.example.com"));
    await writeFile(path.join(workspace, "shared/b.yaml"), zone(false));
    await symlink("../shared/b.yaml", path.join(workspace, "zones/b.yaml"));
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
        cwd: workspace,
        encoding: "utf8",
      }).trim();
    git("init", "--quiet", "--initial-branch", "main");
    git("add", ".");
    git("commit", "--quiet", "-m", "before");
    const base = git("rev-parse", "HEAD");
    git("checkout", "--quiet", "-b", "topic");
    await writeFile(
      path.join(workspace, file),
      file === "zones/a.yaml" ? text.replace(ZONE, "a.example.com") : text,
    );
    git("commit", "--quiet", "-am", "after");
    const head = git("rev-parse", "HEAD");
    git("checkout", "--quiet", "--detach", base);
    git("merge", "--quiet", "--no-ff", "-m", "merge", "topic");
    // Drift in the other zone must not show.
    emulator.edit({ edit: "settings", zone: "a.example.com", set: { enabled: false } });
    const github = await startGitHub();
    const given = Object.entries(steps.find(({ id }) => id === "plan")?.with ?? {});
    const { code, log, outputs, summary } = await runStep({
      workspace,
      github,
      event: "pull_request",
      payload: pullRequest(7, { head, base }),
      env: reaching(emulator),
      inputs: Object.fromEntries(given.map(([name, value]) => [name, name === "allow" ? "" : String(value)])),
    });
    expect(code, log).toBe(0);
    expect(outputs.changes).toBe(String(says !== null));
    expect(summary).toContain("Link leads out of the named files");
    expect(github.comments).toHaveLength(says === null ? 0 : 1);
    expect(github.comments[0]?.body ?? "").toContain(says ?? "");
    expect(emulator.log.some(({ path: at }) => at.includes("/page_shield"))).toBe(says !== null);
  });
});

const APPLY = "examples/github/zoneward-apply.yml";

describe("the example for applying", () => {
  const { jobs, concurrency } = parse(readFileSync(APPLY, "utf8")) as Workflow; // Checked above.

  test("waits for an approval, is never cancelled, and always keeps its journal", () => {
    expect(concurrency).toMatchObject({ "cancel-in-progress": false });
    for (const job of [jobs.apply, jobs["apply-now"]]) {
      expect(job).toMatchObject({ environment: "production" });
      expect(job?.steps.at(-1)).toMatchObject({ if: "always()", with: { "include-hidden-files": true } });
    }
  });

  test("has the guardrails of the pull request example, and lifts them with the same variable", () => {
    const planning = parse(readFileSync("examples/github/zoneward-pull-request.yml", "utf8")) as Workflow; // Checked above.
    const given = [planning.jobs, jobs]
      .flatMap((each) => Object.values(each))
      .flatMap(({ steps }) => steps)
      .filter(({ uses }) => uses?.startsWith("zoneward/"))
      .map((step) => [step.with?.["fail-on"], step.with?.allow]);
    expect(given).toHaveLength(4);
    expect(new Set(given.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  const HEAD = "1".repeat(40);
  const MERGED = "f".repeat(40);
  const pull = {
    number: 7,
    merged_at: "2026-11-21",
    merge_commit_sha: MERGED,
    head: { sha: HEAD, repo: { full_name: "acme/zones" } },
  };
  const runs = { workflow_runs: [{ id: 30 }, { id: 20, conclusion: "failure" }] };
  const kept = { artifacts: [{ id: 1, expired: false }] };
  const none = { artifacts: [] };

  /** Runs the step that finds the plan, with these answers of `gh`. */
  async function found(said: Readonly<Record<string, unknown>>) {
    const bin = await folderWith({ "said.json": JSON.stringify(said), output: "", gh: GH });
    await chmod(path.join(bin, "gh"), 0o755);
    const script = jobs.apply?.steps.find(({ id }) => id === "reviewed")?.run ?? "";
    const ran = spawnSync("bash", ["-eo", "pipefail", "-c", script], {
      encoding: "utf8",
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        GITHUB_REPOSITORY: "acme/zones",
        GITHUB_SHA: MERGED,
        GITHUB_OUTPUT: path.join(bin, "output"),
      },
    });
    return { ...ran, output: readFileSync(path.join(bin, "output"), "utf8") };
  }

  const hasJq = spawnSync("jq", ["--version"]).status === 0;
  describe.skipIf(!hasJq)("finds the plan of the merged pull request", () => {
    test("from a failed run", async () => {
      const { status, output, stdout } = await found({ pulls: [pull], runs, 30: none, 20: kept });
      expect([status, output], stdout).toEqual([0, "run=20\nartifact=zoneward-plan-7\n"]);
    });

    test("but not from another pull request", async () => {
      const other = { ...pull, number: 8, merge_commit_sha: "e".repeat(40) };
      const { output } = await found({ pulls: [other, pull], runs, 30: kept, 20: kept });
      expect(output).toBe("run=30\nartifact=zoneward-plan-7\n");
      const { status, stdout } = await found({ pulls: [other], runs, 30: kept, 20: kept });
      expect([status, stdout]).toEqual([1, expect.stringContaining("No merged pull request made")]);
    });

    test.each([
      ["was pushed without a pull request", [], none, "No merged pull request made"],
      ["has no plan", [pull], none, "or the artifact expired"],
      ["has an expired plan", [pull], { artifacts: [{ id: 1, expired: true }] }, "or the artifact expired"],
      [
        "came from a fork",
        [{ ...pull, head: { ...pull.head, repo: { full_name: "stranger/zones" } } }],
        none,
        "came from a fork",
      ],
      ["came from a deleted fork", [{ ...pull, head: { sha: HEAD, repo: null } }], none, "from a fork"],
    ])("and explains how to continue if the commit %s", async (_, pulls, artifacts, why) => {
      const { status, output, stdout } = await found({ pulls, runs, 30: artifacts, 20: artifacts });
      expect([status, output]).toEqual([1, ""]);
      expect(stdout).toContain(why);
      expect(stdout).toContain("start this workflow by hand");
    });
  });
});

describe("the example for rolling back", () => {
  const { jobs, concurrency } = parse(
    readFileSync("examples/github/zoneward-rollback.yml", "utf8"),
  ) as Workflow; // Checked above.

  test("never runs beside an apply, and carries out the approved plan from the same journal", () => {
    const applying = parse(readFileSync(APPLY, "utf8")) as Workflow; // Checked above.
    expect(concurrency).toEqual(applying.concurrency);
    const [planned, taken] = [jobs.plan, jobs.rollback].map((job) => ({
      environment: job?.environment,
      download: job?.steps.find(({ uses }) => uses?.startsWith("actions/download-artifact@"))?.with,
      given: job?.steps.find(({ uses }) => uses?.startsWith("zoneward/"))?.with,
    }));
    expect(planned?.environment).toBeUndefined();
    expect(taken?.environment).toBe("production");
    expect(taken?.download).toEqual(planned?.download);
    expect(taken?.given).toEqual({
      ...planned?.given,
      "plan-digest": "${{ needs.plan.outputs.digest }}",
    });
    const kept = applying.jobs.apply?.steps.at(-1)?.with?.name;
    expect(kept).toBe("zoneward-journal-${{ github.run_attempt }}");
    expect(planned?.download?.name).toBe("zoneward-journal-${{ inputs.attempt }}");
  });
});

/** A fake `gh api PATH --jq FILTER` with answers from a file. */
const GH = `#!/bin/bash
set -eo pipefail
case "$2" in
  */commits/*/pulls) key=pulls ;;
  */workflows/zoneward-pull-request.yml/runs?*head_sha=${"1".repeat(40)}*) key=runs ;;
  */runs/*/artifacts?name=zoneward-plan-7) key=\${2#*/actions/runs/}; key=\${key%%/*} ;;
  *) exit 1 ;;
esac
jq ".[\\"$key\\"]" "$(dirname "$0")/said.json" | jq -r "$4"
`;

interface Workflow {
  readonly on?: unknown;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly "timeout-minutes"?: number;
        readonly environment?: string;
        readonly steps: readonly {
          readonly id?: string;
          readonly if?: string;
          readonly uses?: string;
          readonly run?: string;
          readonly env?: Readonly<Record<string, string>>;
          readonly with?: Readonly<Record<string, unknown>>;
        }[];
      }
    >
  >;
}
