import { execFile, execFileSync, spawnSync } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createEmulator, type Emulator, type PlanDocument } from "../../src/index.js";
import { folderWith, ROOT, reaching, zoneward } from "../support/cli.js";
import { startGitHub } from "../support/github.js";
import { pullRequest, runStep, type Stepped } from "../support/github-step.js";
import { type FleetWorkflow, KUBERNETES, MATRIX, type Manifest, podOf } from "./examples.js";

const run = promisify(execFile);

const TEAMS = ["team-a", "team-b"];

function namesOf(team: string): readonly string[] {
  return [1, 2, 3].map((index) => `zone-${index}.${team}.example`);
}

function filesOf(team: string, enabled: boolean): string {
  const zones = namesOf(team).map((name) => `  ${name}: { extends: [t] }\n`);
  return `version: 1\ntemplates: { t: { settings: { enabled: ${enabled} } } }\nzones:\n${zones.join("")}`;
}

/** The account of a team. The tokens of other teams cannot see its zones. */
async function accountOf(team: string): Promise<Emulator> {
  const zones = namesOf(team).map((name) => [name, { settings: { enabled: false } }]);
  const emulator = await createEmulator({ seed: { zones: Object.fromEntries(zones) } });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** The value of an expression between `${{` and `}}` in the workflow, for a job of the team. */
type Facts = Readonly<Record<string, string>>;

describe("the matrix of GitHub Actions", () => {
  /** A repository with pull request 7, which changes the files of the first team. */
  async function fleet() {
    const { jobs } = parse(await readFile(path.join(ROOT, MATRIX), "utf8")) as FleetWorkflow; // examples.test.ts checks the form
    const accounts = new Map(
      await Promise.all(TEAMS.map(async (team) => [team, await accountOf(team)] as const)),
    );
    const accountFor = (team: string) => {
      const account = accounts.get(team);
      if (account === undefined) throw new Error(`no account for ${team}`);
      return account;
    };
    const github = await startGitHub();
    const workspace = await folderWith({});
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.com", ...args], {
        cwd: workspace,
        encoding: "utf8",
      }).trim();
    git("init", "-q", "-b", "main");
    const commit = async (message: string) => {
      git("add", ".");
      git("commit", "-q", "-m", message);
      return git("rev-parse", "HEAD");
    };
    for (const team of TEAMS) {
      await mkdir(path.join(workspace, "zones", team), { recursive: true });
      await writeFile(path.join(workspace, "zones", team, "zones.yaml"), filesOf(team, false));
    }
    const before = await commit("before");
    git("checkout", "-q", "-b", "topic");
    await writeFile(path.join(workspace, "zones/team-a/zones.yaml"), filesOf("team-a", true));
    const head = await commit("topic");
    git("checkout", "-q", "main");
    git("merge", "-q", "--no-ff", "-m", "merge", "topic");
    const after = git("rev-parse", "HEAD");

    /** Runs the step of the Action in a team's job. */
    const step = (job: string, team: string, event: "pull_request" | "push", facts: Facts = {}) => {
      const own = jobs[job]?.steps.find(({ uses }) => uses?.startsWith("zoneward/"));
      const all: Facts = {
        "matrix.team": team,
        "runner.temp": path.join(workspace, "../nowhere"),
        "github.event_name == 'push' && format('git:{0}', github.event.before) || inputs.base":
          event === "push" ? `git:${before}` : "",
        "github.event_name == 'workflow_dispatch' && 'false' || 'true'": "true",
        "vars.ZONEWARD_ALLOW": "",
        ...facts,
      };
      const inputs = Object.entries(own?.with ?? {}).map(([name, value]) => [name, filled(`${value}`, all)]);
      return runStep({
        workspace,
        github,
        event,
        payload:
          event === "push"
            ? { ref: "refs/heads/main", before, after }
            : pullRequest(7, { head, base: before }),
        env: { GITHUB_SHA: after, ...reaching(accountFor(team)) },
        inputs: Object.fromEntries(inputs),
      });
    };
    const merge = () => github.git.merge(7, after);
    return { jobs, accountFor, github, step, merge };
  }

  test("plans each team with its own token and outputs the plan of each team with changes", async () => {
    const { accountFor, github, step } = await fleet();
    const planned = await Promise.all(
      TEAMS.map(async (team) => {
        const to = path.join(await folderWith({}), "zoneward-plan.json");
        return step("plan", team, "pull_request", { "runner.temp": path.dirname(to) });
      }),
    );
    expect(planned.map(({ code, outputs }) => [code, outputs.changes])).toEqual([
      [0, "true"],
      [0, "false"],
    ]);
    expect(github.comments.map(({ on }) => on)).toEqual([7]);
    expect(github.comments[0]?.body).toContain(planned[0]?.outputs.digest);
    expect(github.comments[0]?.body).toContain("3 zones");
    expect(accountFor("team-b").log.some(({ path: at }) => at.includes("/page_shield"))).toBe(false);
  });

  const hasJq = spawnSync("jq", ["--version"]).status === 0;
  test.skipIf(!hasJq)(
    "asks only the reviewers of teams with changes, and applies the plan that they reviewed",
    async () => {
      const { jobs, accountFor, github, step, merge } = await fleet();
      merge();
      const folder = await folderWith({});
      const plan = (team: string): Promise<Stepped> => step("plan", team, "push", { "runner.temp": folder });
      const planned = await plan("team-a");
      expect([planned.code, planned.outputs.changes], planned.log).toEqual([0, "true"]);
      expect((await plan("team-b")).outputs.changes).toBe("false");

      const names = ["zoneward-journal-team-b-1", "zoneward-plan-team-a"];
      const { teams } = await inShell(jobs.teams?.steps[0]?.run, { gh: `printf '%s\\n' ${names.join(" ")}` });
      expect(JSON.parse(teams ?? "")).toEqual(["team-a"]);
      expect((await inShell(jobs.teams?.steps[0]?.run, { gh: ":" })).teams).toBe("[]");

      await mkdir(path.join(folder, "planned"));
      const handedOver = path.join(folder, "planned/zoneward-plan.json");
      await plan("team-a");
      await copyFile(path.join(folder, "zoneward-plan.json"), handedOver);
      const reading = jobs.apply?.steps.find(({ id }) => id === "planned")?.run;
      const { digest = "" } = await inShell(reading, {}, folder);
      expect(digest).toBe(planned.outputs.digest);
      const apply = (approved: string) =>
        step("apply", "team-a", "push", { "runner.temp": folder, "steps.planned.outputs.digest": approved });
      const other = await apply(`sha256:${"0".repeat(64)}`);
      expect([other.code, accountFor("team-a").writes()]).toEqual([1, []]);
      const applied = await apply(digest);
      expect(applied.code, applied.log).toBe(0);
      expect(accountFor("team-a").writes()).toHaveLength(3);
      expect(accountFor("team-b").writes()).toEqual([]);
      expect(github.comments.map(({ on, body }) => [on, body.includes("applied:team-a")])).toEqual([
        [7, true],
      ]);
    },
  );
});

/** The outputs that a step writes to GITHUB_OUTPUT. */
async function inShell(
  script: string | undefined,
  programs: Readonly<Record<string, string>>,
  temporary = "",
) {
  const bin = await folderWith(
    Object.fromEntries(Object.entries(programs).map(([name, text]) => [name, `#!/bin/bash\n${text}\n`])),
  );
  for (const name of Object.keys(programs)) await chmod(path.join(bin, name), 0o755);
  const output = path.join(await folderWith({ output: "" }), "output");
  await run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script ?? "exit 64"], {
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      RUNNER_TEMP: temporary,
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: "acme/zones",
      GITHUB_RUN_ID: "1",
    },
  });
  const lines = (await readFile(output, "utf8")).trim().split("\n");
  return Object.fromEntries(lines.map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
}

function filled(value: string, facts: Facts): string {
  return value.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const fact = facts[expression];
    if (fact === undefined) throw new Error(`no value for ${expression}`);
    return fact;
  });
}

test("the Kubernetes Jobs plan a team and apply the reviewed plan, and the CronJob fails on drift", async () => {
  const text = await readFile(path.join(ROOT, KUBERNETES), "utf8");
  const tried = TEAMS.map(async (team) => {
    const account = await accountOf(team);
    const folder = await folderWith({});
    const files = await mounted(folder, filesOf(team, true));
    const ofTeam = parseAllDocuments(text.replaceAll("team-a", team)).map((each) => each.toJS() as Manifest);
    const code = async (step: string, env: Readonly<Record<string, string>> = {}) => {
      const manifest = ofTeam.find(({ metadata }) => metadata.name === `zoneward-${team}-${step}`);
      const [container] = (manifest === undefined ? null : podOf(manifest))?.containers ?? [];
      const args = container?.args.map((each) =>
        each
          .replace(/\$\((\w+)\)/g, (_, name: string) => env[name] ?? "")
          .replace(/(^|=)\/(?=files|plans\/)/, `$1${folder}/`),
      );
      return (await zoneward(args ?? [], { cwd: folder, env: { ...reaching(account), ...env } })).code;
    };
    expect(await code("plan")).toBe(0);
    expect(account.writes()).toEqual([]);
    const plan = JSON.parse(await readFile(path.join(folder, "plans/plan.json"), "utf8")) as PlanDocument;
    expect(await code("apply", { DIGEST: plan.digest })).toBe(0);
    expect(account.writes()).toHaveLength(3);
    expect((await readdir(path.join(folder, ".zoneward/journal"))).filter(isJournal)).toHaveLength(1);
    expect(await code("drift")).toBe(0);
    await writeFile(files, filesOf(team, false));
    expect(await code("drift")).toBe(2);
  });
  await Promise.all(tried);
}, 60_000);

function isJournal(name: string): boolean {
  return name.endsWith(".jsonl");
}

/** A ConfigMap as mounted in a volume: each file is a link into a hidden folder, to which a hidden link points. */
async function mounted(folder: string, text: string): Promise<string> {
  for (const name of ["plans", "files/..2026_11_21"])
    await mkdir(path.join(folder, name), { recursive: true });
  const file = path.join(folder, "files/..2026_11_21/zones.yaml");
  await writeFile(file, text);
  await symlink("..2026_11_21", path.join(folder, "files/..data"));
  await symlink("..data/zones.yaml", path.join(folder, "files/zones.yaml"));
  return file;
}

test("the manifests have no unknown keys, which the published schema would allow", async () => {
  const folder = await mkdtemp(path.join(ROOT, "node_modules/.manifests-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const manifests = parseAllDocuments(await readFile(path.join(ROOT, KUBERNETES), "utf8"));
  const typed = manifests.map((each, index) => {
    const manifest = each.toJS() as Manifest;
    return `export const m${index}: I${manifest.kind} = ${JSON.stringify(manifest)};\n`;
  });
  const imports =
    'import type { ICronJob, IJob } from "kubernetes-models/batch/v1";\nimport type { IPersistentVolumeClaim } from "kubernetes-models/v1";\n';
  const [manifest, misspelt] = ["manifests.mts", "misspelt.mts"].map((name) => path.join(folder, name)) as [
    string,
    string,
  ]; // one for each name
  const text = `${imports}${typed.join("")}`;
  await writeFile(manifest, text);
  await writeFile(misspelt, text.replaceAll('"backoffLimit"', '"backofLimit"'));
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", "--module", "nodenext"];
  const { stdout } = await run(process.execPath, [tsc, ...flags, manifest, misspelt], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  const errors = stdout.split("\n").filter((line) => / error TS\d+: /.test(line));
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.filter((line) => !/^misspelt\.mts.*backofLimit/.test(line))).toEqual([]);
}, 60_000);
