import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { parseAction } from "@actions/workflow-parser/actions/action-parser";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { INPUTS } from "../../src/action/inputs.js";
import { OUTPUTS } from "../../src/action/outcome.js";
import { folderWith } from "../support/cli.js";

const text = readFileSync("action.yml", "utf8");
const action = parse(text) as {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
  readonly runs: { readonly using: string; readonly main: string };
}; // the form that the first test checks

describe("action.yml", () => {
  test("is what GitHub takes", () => {
    const { context } = parseAction({ name: "action.yml", content: text }, new NoOperationTraceWriter());
    expect(context.errors.getErrors()).toEqual([]);
  });

  test("has the inputs that the code reads, with the same defaults, and says what each is for", () => {
    const defaults = Object.fromEntries(
      Object.entries(action.inputs).map(([name, each]) => [name, each.default]),
    );
    expect(defaults).toEqual({ ...INPUTS, "github-token": "${{ github.token }}" });
    expect(Object.values(action.inputs).filter(({ description }) => description === "")).toEqual([]);
  });

  test("has the outputs that the code sets", () => {
    expect(Object.keys(action.outputs)).toEqual([...OUTPUTS]);
  });

  test("runs the committed bundle, on the Node that runners have", () => {
    expect(action.runs).toEqual({ using: "node24", main: "dist/action/index.mjs" });
    expect(readFileSync(action.runs.main, "utf8")).not.toContain("sourceMappingURL");
  });
});

const examples = readdirSync("examples/github").map((name) => `examples/github/${name}`);

describe.each(examples)("%s", (file) => {
  const content = readFileSync(file, "utf8");
  const workflow = parse(content) as Workflow; // the form that the first test checks
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("is a workflow as GitHub takes it", async () => {
    const { context, value } = parseWorkflow({ name: file, content }, new NoOperationTraceWriter());
    if (value === undefined) throw new Error("it cannot be read");
    await convertWorkflowTemplate(context, value);
    expect(context.errors.getErrors()).toEqual([]);
  });

  test("gives the action inputs that it has, and takes outputs that it has", () => {
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

  test("names the actions of others by commit and version", () => {
    const others = content.match(/uses: (?!zoneward\/).*/g) ?? [];
    expect(others.filter((each) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each))).toEqual([]);
  });

  test("says which permissions it needs, when it gives up, and what it does not run beside", () => {
    expect(workflow.permissions?.contents).toBe(file.endsWith("adopt.yml") ? "write" : "read");
    expect(workflow.concurrency).toMatchObject({ group: expect.any(String) });
    for (const job of Object.values(workflow.jobs))
      expect(job["timeout-minutes"]).toEqual(expect.any(Number));
  });

  test("is named as the file that it is to be", () => {
    expect(content.split("\n", 1)[0]).toBe(`# .github/workflows/${path.basename(file)}`);
  });

  test("has the token that writes only behind the approval", () => {
    for (const job of Object.values(workflow.jobs)) {
      const tokens = job.steps.map((step) => step.env?.CLOUDFLARE_API_TOKEN ?? null);
      const mayWrite = job.environment === "production";
      const usual = `\${{ secrets.CLOUDFLARE_API_TOKEN${mayWrite ? "" : "_READ"} }}`;
      expect(tokens.filter((token) => token !== null && token !== usual)).toEqual([]);
    }
  });

  test("puts nothing that others write into a shell", () => {
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });
});

describe("the example that plans", () => {
  const text = readFileSync("examples/github/zoneward-pull-request.yml", "utf8");
  const { jobs, on } = parse(text) as Workflow; // as above
  const steps = jobs.plan?.steps ?? [];

  test("runs on every pull request, so that as a required check it hangs none", () => {
    expect(on).toEqual({ pull_request: null, merge_group: null });
    expect(jobs.plan).not.toHaveProperty("if");
    const [checkout, files, plan, upload, ...others] = steps;
    expect([checkout?.if, files?.if]).toEqual([undefined, "github.event_name == 'pull_request'"]);
    expect(plan?.if).toBe("steps.files.outputs.changed == 'true'");
    // What was not planned has no file.
    expect(upload?.if).toBe("always() && steps.plan.outputs.plan-file != ''");
    expect(others).toEqual([]);
  });

  test.each<[changed: string, isPlanned: boolean]>([
    ["zoneward.yaml", true],
    ["zones/a/b.yaml", true],
    [".github/workflows/zoneward-apply.yml", true],
    [".github/workflows/tests.yml", false],
    ["src/zones/a.yaml", false],
    ["README.md", false],
  ])("looks whether the files are changed: %s, planned: %s", async (changed, isPlanned) => {
    const folder = await folderWith({ other: "before" });
    await mkdir(path.dirname(path.join(folder, changed)), { recursive: true });
    await writeFile(path.join(folder, changed), "before");
    const git = gitIn(folder);
    git("init", "--quiet", "--initial-branch", "main");
    git("add", ".");
    git("commit", "--quiet", "-m", "before");
    git("checkout", "--quiet", "-b", "topic");
    await writeFile(path.join(folder, changed), "after");
    git("commit", "--quiet", "-am", "after");
    git("checkout", "--quiet", "main");
    await writeFile(path.join(folder, "other"), "after");
    git("commit", "--quiet", "-am", "somebody else");
    git("merge", "--quiet", "--no-ff", "-m", "merge", "topic");
    expect(changedIn(folder)).toBe(isPlanned ? "changed=true\n" : "");
  });

  test("plans where git cannot tell whether they are", async () => {
    expect(changedIn(await folderWith({}))).toBe("changed=true\n");
  });

  function changedIn(cwd: string): string {
    const output = path.join(cwd, ".output");
    writeFileSync(output, "");
    const script = steps.find(({ id }) => id === "files")?.run ?? "exit 1";
    const env = { PATH: process.env.PATH, GITHUB_OUTPUT: output, GIT_CEILING_DIRECTORIES: path.dirname(cwd) };
    const { status, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", script], {
      cwd,
      env,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    return readFileSync(output, "utf8");
  }

  function gitIn(cwd: string) {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    return (...args: readonly string[]) => execFileSync("git", [...who, ...args], { cwd });
  }
});

const APPLY = "examples/github/zoneward-apply.yml";

describe("the example that applies", () => {
  const { jobs, concurrency } = parse(readFileSync(APPLY, "utf8")) as Workflow; // as above

  test("waits for an approval, is never cancelled, and keeps its journal whatever happens", () => {
    expect(concurrency).toMatchObject({ "cancel-in-progress": false });
    for (const job of [jobs.apply, jobs["apply-now"]]) {
      expect(job).toMatchObject({ environment: "production" });
      expect(job?.steps.at(-1)).toMatchObject({ if: "always()", with: { "include-hidden-files": true } });
    }
  });

  test("has the guardrails of the one that plans, and lifts them by the same variable", () => {
    const planning = parse(readFileSync("examples/github/zoneward-pull-request.yml", "utf8")) as Workflow; // as above
    const given = [planning.jobs, jobs]
      .flatMap((each) => Object.values(each))
      .flatMap(({ steps }) => steps)
      .filter(({ uses }) => uses?.startsWith("zoneward/"))
      .map((step) => [step.with?.["fail-on"], step.with?.allow]);
    expect(given).toHaveLength(4);
    expect(new Set(given.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  const HEAD = "1".repeat(40);
  const pull = { number: 7, merged_at: "2026-11-21", head: { sha: HEAD, repo: { full_name: "acme/zones" } } };
  const runs = { workflow_runs: [{ id: 30 }, { id: 20, conclusion: "failure" }] };
  const kept = { artifacts: [{ id: 1, expired: false }] };
  const none = { artifacts: [] };

  /** Runs the step that looks for the plan, against what `gh` would say. */
  async function found(said: Readonly<Record<string, unknown>>) {
    const bin = await folderWith({ "said.json": JSON.stringify(said), output: "", gh: GH });
    await chmod(path.join(bin, "gh"), 0o755);
    const script = jobs.apply?.steps.find(({ id }) => id === "reviewed")?.run ?? "";
    const ran = spawnSync("bash", ["-eo", "pipefail", "-c", script], {
      encoding: "utf8",
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        GITHUB_REPOSITORY: "acme/zones",
        GITHUB_SHA: "f".repeat(40),
        GITHUB_OUTPUT: path.join(bin, "output"),
      },
    });
    return { ...ran, output: readFileSync(path.join(bin, "output"), "utf8") };
  }

  const hasJq = spawnSync("jq", ["--version"]).status === 0;
  describe.skipIf(!hasJq)("looks for the plan of what was merged, and", () => {
    test("finds that of a run that failed", async () => {
      const { status, output, stdout } = await found({ pulls: [pull], runs, 30: none, 20: kept });
      expect([status, output], stdout).toEqual([0, "run=20\n"]);
    });

    test.each([
      ["was pushed past pull requests", [], none, "No pull request was merged"],
      ["has left none", [pull], none, "or it has expired"],
      ["has one that expired", [pull], { artifacts: [{ id: 1, expired: true }] }, "or it has expired"],
      [
        "came from a fork",
        [{ ...pull, head: { ...pull.head, repo: { full_name: "stranger/zones" } } }],
        none,
        "came from a fork",
      ],
      ["came from a fork that is gone", [{ ...pull, head: { sha: HEAD, repo: null } }], none, "from a fork"],
    ])("says how to go on where what was merged %s", async (_, pulls, artifacts, why) => {
      const { status, output, stdout } = await found({ pulls, runs, 30: artifacts, 20: artifacts });
      expect([status, output]).toEqual([1, ""]);
      expect(stdout).toContain(why);
      expect(stdout).toContain("start this workflow by hand");
    });
  });
});

describe("the example that goes back", () => {
  const { jobs, concurrency } = parse(
    readFileSync("examples/github/zoneward-rollback.yml", "utf8"),
  ) as Workflow; // as above

  test("is never beside an apply, and carries out what was planned and approved, from the same journal", () => {
    const applying = parse(readFileSync(APPLY, "utf8")) as Workflow; // as above
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

/** `gh api PATH --jq FILTER`, with what is said to it in a file. */
const GH = `#!/bin/bash
set -eo pipefail
case "$2" in
  */commits/*/pulls) key=pulls ;;
  */workflows/zoneward-pull-request.yml/runs?*head_sha=${"1".repeat(40)}*) key=runs ;;
  */runs/*/artifacts?*) key=\${2#*/actions/runs/}; key=\${key%%/*} ;;
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
