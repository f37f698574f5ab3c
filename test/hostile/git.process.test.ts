import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { reaching } from "../support/cli.js";
import { runStep } from "../support/github-step.js";
import { type Content, configOf, FORBIDS, folder, repository, service, write } from "./repository.js";

/** A repository, and a marker file that exists once its configured programs ran. */
function gitConfig(marker: string): string {
  return `[core]
	repositoryformatversion = 1
	sshCommand = touch ${marker}; false
	gitProxy = touch ${marker}
	fsmonitor = touch ${marker}
	hooksPath = .
	pager = touch ${marker}
	alternateRefsCommand = touch ${marker}
[alias]
	rev-parse = !touch ${marker}
[credential]
	helper = !touch ${marker}
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[extensions]
	partialClone = origin
[remote "origin"]
	url = ext::sh -c "touch% ${marker}"
	promisor = true
	partialclonefilter = blob:none
	fetch = +refs/heads/*:refs/remotes/origin/*
[remote "other"]
	url = ssh://git@example.invalid/x.git
	promisor = true
`;
}

/** A folder that git would take for a bare repository. */
function likeBare(marker: string): Content {
  return {
    "infra/HEAD": "ref: refs/heads/main\n",
    "infra/config": gitConfig(marker).replace("[core]", "[core]\n\tbare = true"),
    "infra/objects/.keep": "",
    "infra/refs/.keep": "",
  };
}

describe("a config folder that looks like a bare repository", () => {
  const attack = async () => {
    const marker = path.join(await folder(), "ran");
    const repo = await repository({ "infra/zoneward.yaml": configOf("allow", FORBIDS) });
    const base = repo.git("rev-parse", "HEAD");
    await repo.commitAll({ ...likeBare(marker), "infra/zoneward.yaml": configOf("log") });
    return { marker, base, ...repo };
  };

  test("runs nothing that it configures, and the guardrails of the base hold", async () => {
    const { marker, base, top } = await attack();
    const { emulator, run } = await service();
    for (const ref of [base, "HEAD^", "main~1", "0".repeat(40)]) {
      const { code } = await run(path.join(top, "infra"), ["apply", "--yes", "--base", `git:${ref}`]);
      expect([ref, code, existsSync(marker)]).toEqual([ref, 3, false]);
    }
    expect(emulator.writes()).toEqual([]);
  });

  test("is not a repository for the Action below the root either", async () => {
    const { marker, base, top } = await attack();
    const { emulator } = await service();
    const { code, outputs, raw } = await runStep({
      workspace: top,
      inputs: { command: "plan", "working-directory": "infra", base: `git:${base}`, "fail-on": "weakens" },
      env: reaching(emulator),
    });
    expect([code, outputs["exit-code"], existsSync(marker)]).toEqual([1, "3", false]);
    expect(raw).toContain("guardrail weakens");
  });
});

describe("running git", () => {
  test("runs no configured programs and fetches no missing objects", async () => {
    const marker = path.join(await folder(), "ran");
    const { top, git, commitAll } = await repository({ "zoneward.yaml": configOf("allow", FORBIDS) });
    const { run, emulator } = await service();
    const blob = git("rev-parse", "HEAD:zoneward.yaml");
    await commitAll({ "zoneward.yaml": configOf("log") });
    await writeFile(path.join(top, ".git/config"), gitConfig(marker));
    const held = await run(top, ["apply", "--yes", "--base", "git:HEAD^"]);
    expect([held.code, held.err.includes("guardrail weakens")]).toEqual([3, true]);
    await rm(path.join(top, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
    const lacking = await run(top, ["apply", "--yes", "--base", "git:HEAD^"]);
    expect([lacking.code, lacking.err.includes("guardrail base_unread")]).toEqual([3, true]);
    expect([existsSync(marker), emulator.writes()]).toEqual([false, []]);
  });

  test("runs no configured program to check the signature of the base", async () => {
    const outside = await folder();
    const [marker, program] = [path.join(outside, "ran"), path.join(outside, "gpg")];
    await writeFile(program, `#!/bin/sh\ntouch ${marker}\n`);
    await chmod(program, 0o755);
    const { top, git, signed } = await repository({ "zoneward.yaml": configOf("log") });
    git("config", "log.showSignature", "true");
    git("config", "gpg.program", program);
    const { run } = await service();
    const { code } = await run(top, ["drift", "--who", "--base", `git:${signed()}`]);
    expect([code, existsSync(marker)]).toEqual([0, false]);
  });

  test("never uses a git from the config folder, even if it is in PATH", async () => {
    const marker = path.join(await folder(), "ran");
    const { top } = await repository({
      "zoneward.yaml": configOf("allow"),
      git: `#!/bin/sh\necho ran > ${marker}\nenv >> ${marker}\n`,
      "bin/git": `#!/bin/sh\necho ran > ${marker}\n`,
      tools: "→ bin",
    });
    await chmod(path.join(top, "git"), 0o755);
    await chmod(path.join(top, "bin/git"), 0o755);
    const outside = await folder();
    await symlink(path.join(top, "bin"), path.join(outside, "bin"));
    const { run } = await service();
    const PATH = [
      "",
      ".",
      "bin",
      top,
      path.join(top, "tools"),
      path.join(outside, "bin"),
      process.env.PATH,
    ].join(":");
    const { code, err } = await run(top, ["plan", "--base", "git:HEAD"], { env: { PATH } });
    expect([code, err, existsSync(marker)]).toEqual([0, "", false]);
    const inner = path.join(top, "checkout");
    execFileSync("git", ["clone", "-q", top, inner], { stdio: "ignore" });
    const within = await run(inner, ["plan", "--base", "git:HEAD"], { env: { PATH } });
    expect([within.code, within.err, existsSync(marker)]).toEqual([0, "", false]);
  });

  test("passes neither the credential nor GIT_ variables to git", async () => {
    const outside = await folder();
    const said = path.join(outside, "environment");
    await writeFile(
      path.join(outside, "git"),
      `#!/bin/sh\nenv >> ${said}\nPATH=/usr/bin:/bin exec git "$@"\n`,
    );
    await chmod(path.join(outside, "git"), 0o755);
    const { top } = await repository({ "zoneward.yaml": configOf("allow") });
    const other = await repository({ "zoneward.yaml": configOf("log", FORBIDS) });
    const { emulator, runProcess } = await service();
    const env = {
      PATH: `${outside}:${process.env.PATH}`,
      HOME: "/home/somebody",
      GIT_DIR: path.join(other.top, ".git"),
      GIT_SSH_COMMAND: "false",
      GIT_TRACE: path.join(outside, "trace"),
      SOME_PASSWORD: "hunter2",
    };
    const { code, err } = await runProcess(top, ["plan", "--base", "git:HEAD"], { env });
    expect([code, err]).toEqual([0, ""]);
    const names = (await readFile(said, "utf8")).split("\n").map((line) => line.split("=")[0]);
    expect(names).not.toContain("CLOUDFLARE_API_TOKEN");
    expect(await readFile(said, "utf8")).not.toContain(emulator.token);
    for (const name of ["HOME", "GIT_DIR", "GIT_SSH_COMMAND", "GIT_TRACE", "SOME_PASSWORD"])
      expect(names).not.toContain(name);
    expect(existsSync(path.join(outside, "trace"))).toBe(false);
  });

  test("reads a base from within a worktree", async () => {
    const { top, git } = await repository({ "infra/zoneward.yaml": configOf("allow", FORBIDS) });
    const { run } = await service();
    for (const [branch, around] of [["change", await folder()] as const, ["inside", top] as const]) {
      const tree = path.join(around, "tree");
      git("worktree", "add", "-q", "-b", branch, tree);
      await writeFile(path.join(tree, "infra/zoneward.yaml"), configOf("log"));
      const { code, err } = await run(path.join(tree, "infra"), ["apply", "--yes", "--base", "git:main"]);
      expect([code, err.includes("guardrail weakens")]).toEqual([3, true]);
    }
    expect((await run(top, ["plan", "-c", "infra", "--base", "git:change"])).err).toBe("");
  });

  test("refuses a .git that is a link or an invalid file", async () => {
    const real = await repository({ "zoneward.yaml": configOf("allow", FORBIDS) });
    const { run } = await service();
    for (const git of [`→ ${real.top}/.git`, "gitdir: nowhere\n", "gitdir: .\n", "x".repeat(100_000)]) {
      const top = await folder();
      await write(top, { ".git": git, "zoneward.yaml": configOf("log") });
      const { code, out } = await run(top, ["apply", "--yes", "--base", "git:HEAD"]);
      expect([code, out.includes("neither a git folder nor a file that names one")]).toEqual([3, true]);
    }
  });
});

describe("a commit that git itself would refuse", () => {
  const config = configOf("allow", FORBIDS);

  test.each(["..", ".", "", ".git", ".GIT", ".g\u200cit", "a/b", "../../evil.yaml"])(
    "is not a base if a file in it is named %j",
    async (name) => {
      const { top, blob, tree, commitTree } = await repository({ "zoneward.yaml": configOf("log") });
      const outside = path.join(top, "../evil.yaml");
      const id = blob(config);
      const commit = commitTree(
        tree([
          {
            mode: name === ".." ? "40000" : "100644",
            name,
            id: name === ".." ? tree([{ mode: "100644", name: "evil.yaml", id }]) : id,
          },
          { mode: "100644", name: "zoneward.yaml", id },
        ]),
      );
      const { run, emulator } = await service();
      for (const named of ["zoneward.yaml", "."]) {
        const { code, err } = await run(top, ["apply", "--yes", "-c", named, "--base", `git:${commit}`]);
        expect([code, err.includes("guardrail base_unread")]).toEqual([3, true]);
      }
      expect([existsSync(outside), emulator.writes()]).toEqual([false, []]);
    },
  );

  test("is not a base if two entries have one name", async () => {
    const { top, blob, tree, commitTree } = await repository({ "a/zoneward.yaml": configOf("log") });
    const outside = await folder();
    const id = blob(config);
    const inside = tree([{ mode: "100644", name: "zoneward.yaml", id }]);
    const { run } = await service();
    for (const entries of [
      [
        { mode: "120000", name: "a", id: blob(outside) },
        { mode: "40000", name: "a", id: inside },
      ],
      [
        { mode: "40000", name: "a", id: inside },
        { mode: "40000", name: "a", id: tree([]) },
      ],
    ] as const) {
      const commit = commitTree(tree(entries));
      const { code, err } = await run(top, ["apply", "--yes", "-c", "a", "--base", `git:${commit}`]);
      expect([code, err.includes("guardrail base_unread")]).toEqual([3, true]);
      expect(existsSync(path.join(outside, "zoneward.yaml"))).toBe(false);
    }
  });

  test("is not a base if its links form a cycle, lead out or are invalid", async () => {
    const { top, blob, tree, commitTree } = await repository({ "zoneward.yaml": configOf("log") });
    const { run } = await service();
    for (const target of [
      "zoneward.yaml",
      "/etc/hostname",
      "../x.yaml",
      ".git/config",
      "a\0b",
      "x/".repeat(9_000),
    ]) {
      const commit = commitTree(tree([{ mode: "120000", name: "zoneward.yaml", id: blob(target) }]));
      const { code, err } = await run(top, ["apply", "--yes", "--base", `git:${commit}`]);
      expect([target, code, err.includes("guardrail base_unread")]).toEqual([target, 3, true]);
    }
  });
});
