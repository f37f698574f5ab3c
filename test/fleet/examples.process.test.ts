import { execFile, execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createEmulator, type PlanDocument } from "../../src/index.js";
import { CLI, folderWith, ROOT, reaching } from "../support/cli.js";
import { GITHUB_TOKEN, REPOSITORY, startGitHub } from "../support/github.js";
import { type FleetWorkflow, KUBERNETES, MATRIX, type Manifest, podOf, type Step } from "./examples.js";

const NAMES = Array.from({ length: 12 }, (_, index) => `zone-${index}.example.com`);

const config = (enabled: boolean) =>
  `version: 1\ntemplates: { t: { settings: { enabled: ${enabled} } } }\nzones:\n${NAMES.map((name) => `  ${name}: { extends: [t] }\n`).join("")}`;

const live = (enabled: boolean) =>
  createEmulator({
    seed: { zones: Object.fromEntries(NAMES.map((name) => [name, { settings: { enabled } }])) },
  });

const run = promisify(execFile);

/** What `npm pack` made, at an address. */
const PACKAGE = "https://packages.example.com/zoneward-0.1.0.tgz";

test("the matrix plans, says one thing on the pull request, and applies what was said, in four processes", async () => {
  const emulator = await live(false);
  onTestFinished(() => emulator.close());
  const github = await startGitHub();
  const { jobs, env } = parse(await readFile(path.join(ROOT, MATRIX), "utf8")) as FleetWorkflow; // of its own test
  const bin = await folderWith({ npm: NPM, gh: GH });
  for (const name of ["npm", "gh"]) await chmod(path.join(bin, name), 0o755);
  const repository = await repositoryWith(config(false), config(true));
  const outputs = path.join(await folderWith({}), "outputs");
  let digest = "";
  let base = "git:HEAD^";
  let zonewardPackage = PACKAGE;
  /** @param files what artifacts of the run bring, by where they are laid: in the job's folder, or in the runner's own */
  const job = async (name: string, files: Readonly<Record<string, string>>, shard: number | null) => {
    const cwd = await folderWith({});
    if (name !== "merge") execFileSync("git", ["clone", "-q", repository, "."], { cwd });
    // What npm would do that is started for this folder.
    await writeFile(path.join(cwd, ".npmrc"), "script-shell=./of-the-branch.sh\n");
    const temporary = await folderWith({});
    const paths = path.join(temporary, "paths");
    await writeFile(paths, "");
    for (const [to, file] of Object.entries(files)) {
      const target = path.join(to.startsWith("plans/") ? temporary : cwd, to);
      await mkdir(path.dirname(target), { recursive: true });
      await copyFile(file, target);
    }
    for (const step of jobs[name]?.steps ?? [])
      if (step.run !== undefined) await carriedOut(step, { cwd, temporary, paths }, shard);
    return { cwd, temporary };
  };
  const carriedOut = async (
    { run: script = "", env: own = {} }: Step,
    { cwd, temporary, paths }: Readonly<Record<"cwd" | "temporary" | "paths", string>>,
    shard: number | null,
  ) =>
    run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
      cwd,
      env: {
        PATH: `${(await readFile(paths, "utf8")).trim()}:${bin}:${process.env.PATH}`,
        RUNNER_TEMP: temporary,
        GITHUB_PATH: paths,
        ...env,
        BASE: base,
        ZONEWARD: zonewardPackage,
        ...reaching(emulator),
        CLOUDFLARE_API_TOKEN: "",
        GITHUB_REPOSITORY: REPOSITORY,
        GITHUB_API_URL: github.url,
        GITHUB_STEP_SUMMARY: path.join(cwd, "summary"),
        GITHUB_OUTPUT: outputs,
        ...Object.fromEntries(
          Object.entries(own).map(([name, value]) => [name, filledIn(value, emulator.token, shard, digest)]),
        ),
      },
    });

  const shards = jobs.plan?.strategy?.matrix.shard ?? [];
  zonewardPackage = "";
  await expect(job("plan", {}, 1)).rejects.toThrow("set the variable ZONEWARD_PACKAGE");
  zonewardPackage = PACKAGE;
  const planned = await Promise.all(shards.map((shard) => job("plan", {}, shard)));
  const plans = Object.fromEntries(
    planned.map(({ temporary }, index) => {
      const file = `plan-${shards[index]}.json`;
      return [`plans/zoneward-${file.slice(0, -5)}/${file}`, path.join(temporary, file)];
    }),
  );
  // What else an artifact may bring is not merged, and what a shard has not left is not replaced by it.
  const [first = "", ...rest] = Object.keys(plans);
  const committed = path.join(repository, "plan-1.json");
  const strange = { "plan-1.json": committed, "plans/zoneward-plan-5/plan-5.json": committed };
  const missing = { ...strange, ...Object.fromEntries(rest.map((each) => [each, plans[each] ?? ""])) };
  await expect(job("merge", missing, null)).rejects.toThrow(first);
  const { cwd: merging } = await job("merge", { ...strange, ...plans }, null);
  const [comment, ...others] = github.comments;
  expect(others).toEqual([]);
  expect(comment?.on).toBe(7);
  expect(comment?.body).toContain("12 zones");
  const merged = path.join(merging, "merged.json");
  const document = JSON.parse(await readFile(merged, "utf8")) as PlanDocument;
  expect(comment?.body).toContain(document.digest);
  expect(document).toMatchObject({ summary: { zones: 12, calls: 12 }, base: expect.stringMatching(/^git:/) });
  expect(emulator.writes()).toEqual([]);
  // What another plan than the approved one would do is not done.
  digest = `sha256:${"0".repeat(64)}`;
  await expect(job("apply", { "merged.json": merged }, 1)).rejects.toThrow(
    "it is not the plan that was approved",
  );
  expect(emulator.writes()).toEqual([]);
  base = "git:HEAD";
  digest = /^digest=(.*)$/m.exec(await readFile(outputs, "utf8"))?.[1] ?? "";
  // The file does not choose the base.
  await expect(job("apply", { "merged.json": merged }, 1)).rejects.toThrow("The base moved");
  expect(emulator.writes()).toEqual([]);
  base = "git:HEAD^";
  const applied = await Promise.all(shards.map((shard) => job("apply", { "merged.json": merged }, shard)));
  expect(emulator.writes()).toHaveLength(12);
  const journals = await Promise.all(
    applied.map(({ cwd }) => readdir(path.join(cwd, ".zoneward/journal")).catch(() => [])),
  );
  expect(journals.flat().filter((name) => name.endsWith(".jsonl"))).toHaveLength(4);
}, 60_000);

test("the Jobs of Kubernetes plan, merge and apply, and the CronJob fails once something has drifted", async () => {
  const emulator = await live(false);
  onTestFinished(() => emulator.close());
  const folder = await folderWith({ "zoneward.yaml": config(true) });
  const manifests = parseAllDocuments(await readFile(path.join(ROOT, KUBERNETES), "utf8"));
  const all = manifests.map((each) => each.toJS() as Manifest);
  const codes = async (name: string) => {
    const manifest = all.find(({ metadata }) => metadata.name === name);
    if (manifest === undefined) throw new Error(`there is no ${name}`);
    const { completions = 1 } = manifest.spec.jobTemplate?.spec ?? manifest.spec;
    return Promise.all(
      Array.from({ length: completions }, async (_, index) => {
        const cwd = path.join(folder, `${name}-${index}`);
        await mkdir(cwd, { recursive: true });
        const args = (podOf(manifest)?.containers[0]?.args ?? []).map((each) =>
          each
            .replace("$(JOB_COMPLETION_INDEX)", String(index))
            .replace(/(^|=)\/(?:files|plans)\//, `$1${folder}/`),
        );
        const env = { ...reaching(emulator), JOB_COMPLETION_INDEX: String(index) };
        return run(process.execPath, [CLI, ...args], { cwd, env }).then(
          () => 0,
          ({ code }: { code: number }) => code,
        );
      }),
    );
  };
  expect(await codes("zoneward-plan")).toEqual([0, 0, 0, 0]);
  expect(await codes("zoneward-merge")).toEqual([0]);
  expect(emulator.writes()).toEqual([]);
  expect(await codes("zoneward-apply")).toEqual([0, 0, 0, 0]);
  expect(emulator.writes()).toHaveLength(12);
  expect(await codes("zoneward-drift")).toEqual([0, 0, 0, 0]);
  await writeFile(path.join(folder, "zoneward.yaml"), config(false));
  expect(new Set(await codes("zoneward-drift"))).toEqual(new Set([2]));
}, 60_000);

test("no manifest has a key that Kubernetes does not know, which its schema lets pass", async () => {
  const folder = await mkdtemp(path.join(ROOT, "node_modules/.manifests-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const manifests = parseAllDocuments(await readFile(path.join(ROOT, KUBERNETES), "utf8"));
  const typed = manifests.map((each, index) => {
    const manifest = each.toJS() as Manifest;
    return `export const m${index}: I${manifest.kind} = ${JSON.stringify(manifest)};\n`;
  });
  const imports =
    'import type { ICronJob, IJob } from "kubernetes-models/batch/v1";\nimport type { IPersistentVolumeClaim } from "kubernetes-models/v1";\n';
  const compiled = async (text: string) => {
    const file = path.join(folder, "manifests.mts");
    await writeFile(file, `${imports}${text}`);
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", "--module", "nodenext"];
    return run(process.execPath, [tsc, ...flags, file]).then(
      () => "",
      ({ stdout }: { stdout: string }) => stdout,
    );
  };
  expect(await compiled(typed.join(""))).toBe("");
  expect(await compiled(typed.join("").replaceAll('"completionMode"', '"completionsMode"'))).toContain(
    "completionsMode",
  );
}, 60_000);

function filledIn(value: string, token: string, shard: number | null, digest: string): string {
  return value
    .replace("${{ needs.merge.outputs.digest }}", digest)
    .replace("${{ matrix.shard }}", String(shard))
    .replace(/\$\{\{ secrets\.CLOUDFLARE_API_TOKEN(_READ)? \}\}/, token)
    .replace("${{ github.event.pull_request.number }}", "7")
    .replace("${{ github.token }}", GITHUB_TOKEN);
}

/** Two commits: before the change, and with it. */
async function repositoryWith(...texts: readonly string[]): Promise<string> {
  const cwd = await folderWith({});
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@example.com", ...args], { cwd });
  git("init", "-q", "-b", "main");
  for (const text of texts) {
    await writeFile(path.join(cwd, "zoneward.yaml"), text);
    await writeFile(path.join(cwd, "plan-1.json"), "what somebody has proposed");
    git("add", ".");
    git("commit", "-q", "-m", "m");
  }
  return cwd;
}

/** `npm install --prefix FOLDER … PACKAGE`, of what is built here; not where it would do what a branch says. */
const NPM = `#!/bin/bash
[ "$1" = install ] && [ "$2" = --prefix ] && [ "\${@: -1}" = ${PACKAGE} ] && [ ! -e "$3/.npmrc" ] || exit 64
mkdir -p "$3/node_modules/.bin" && cd "$3/node_modules/.bin" || exit 64
printf '%s\n' '#!/bin/bash' 'exec ${JSON.stringify(process.execPath)} ${JSON.stringify(CLI)} "$@"' > zoneward && chmod +x zoneward
`;

/** `gh pr comment NUMBER --repo REPOSITORY --edit-last --create-if-none --body-file FILE`, where there is none yet. */
const GH = `#!${process.execPath}
const { readFileSync } = require("node:fs");
const [, , group, verb, number, ...rest] = process.argv;
const options = ["--repo", process.env.GITHUB_REPOSITORY, "--edit-last", "--create-if-none", "--body-file", "comment.md"];
if (group !== "pr" || verb !== "comment" || rest.join() !== options.join()) process.exit(64);
fetch(process.env.GITHUB_API_URL + "/repos/" + process.env.GITHUB_REPOSITORY + "/issues/" + number + "/comments", {
  method: "POST",
  headers: { authorization: "Bearer " + process.env.GH_TOKEN, "x-github-api-version": "2022-11-28" },
  body: JSON.stringify({ body: readFileSync("comment.md", "utf8") }),
}).then(({ status }) => process.exit(status === 201 ? 0 : 1));
`;
