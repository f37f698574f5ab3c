import { execFileSync } from "node:child_process";
import { rm, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { reaching } from "../support/cli.js";
import { runStep } from "../support/github-step.js";
import { configOf, FORBIDS, folder, LIVE, repository, service, write } from "./repository.js";

/** Replaces the folder of the files by a link to a folder whose files forbid nothing. */
async function swapped() {
  const repo = await repository({ "infra/zoneward.yaml": configOf("allow", FORBIDS) });
  const base = repo.git("rev-parse", "HEAD");
  await repo.commitAll({ infra: "→ infra2", "infra2/zoneward.yaml": configOf("log") });
  return { ...repo, base };
}

describe("a change that replaces the folder of the files by a link", () => {
  test("is still subject to the guardrails of the base", async () => {
    const { top } = await swapped();
    const { emulator, run } = await service();
    const infra = path.join(top, "infra");
    for (const [cwd, PWD, ...named] of [
      [top, top, "-c", "infra"],
      [top, top, "-c", "infra/zoneward.yaml"],
      [top, top, "-c", "infra/*.yaml"],
      [top, top, "-c", path.join(infra, "zoneward.yaml")],
      [infra, infra],
    ] as const) {
      const ran = await run(cwd, ["apply", "--yes", "-q", ...named, "--base", "git:HEAD^"], { env: { PWD } });
      expect([named, ran.code, ran.err.includes("guardrail weakens")]).toEqual([named, 3, true]);
    }
    expect(emulator.writes()).toEqual([]);
  });

  test("is refused if the original spelling of the folder is unknown", async () => {
    const { top } = await swapped();
    const { emulator, runProcess } = await service();
    const ran = await runProcess(path.join(top, "infra"), ["apply", "--yes", "-q", "--base", "git:HEAD^"]);
    expect([ran.code, ran.err.includes("guardrail base_unread")]).toEqual([3, true]);
    expect(emulator.writes()).toEqual([]);
  });

  test("is still subject to the guardrails of the base in the Action", async () => {
    const { top, base } = await swapped();
    const { emulator } = await service();
    const { code, raw, outputs } = await runStep({
      workspace: top,
      inputs: {
        command: "plan",
        "working-directory": "infra",
        base: `git:${base}`,
        "fail-on": "base_unread",
      },
      env: reaching(emulator),
    });
    expect(raw).toContain("guardrail weakens");
    expect([code, outputs["exit-code"]]).toEqual([0, "0"]);
  });

  test("is refused if the link leads out of the repository", async () => {
    const outside = await folder();
    await write(outside, { "zoneward.yaml": configOf("log") });
    const { top } = await repository({ infra: `→ ${outside}` });
    const { emulator } = await service();
    const { code, raw } = await runStep({
      workspace: top,
      inputs: { command: "plan", "working-directory": "infra" },
      env: reaching(emulator),
    });
    expect(code).toBe(1);
    expect(raw).toContain("leads out of the repository");
  });
});

describe("a change that replaces the folder of the files by a submodule", () => {
  test("is compared with the base of the outer repository", async () => {
    const other = await repository({ "zoneward.yaml": configOf("log") });
    await other.commitAll({ "zoneward.yaml": `${configOf("log")}# again\n` });
    const { top, git } = await repository({ "infra/zoneward.yaml": configOf("allow", FORBIDS) });
    const base = git("rev-parse", "HEAD");
    git("rm", "-rq", "infra");
    addSubmodule(git, other.top, "infra");
    const { emulator, run } = await service();
    const infra = path.join(top, "infra");
    for (const named of ["HEAD^", base]) {
      for (const [cwd, ...config] of [[infra], [top, "-c", "infra"], [top, "-c", "*/*.yaml"]] as const) {
        const ran = await run(cwd, ["apply", "--yes", ...config, "--base", `git:${named}`]);
        expect([config, ran.code, ran.err.includes("guardrail weakens")]).toEqual([config, 3, true]);
      }
    }
    expect(emulator.writes()).toEqual([]);
    const { raw } = await runStep({
      workspace: top,
      inputs: { command: "plan", "working-directory": "infra", base: "git:HEAD^" },
      env: reaching(emulator),
    });
    expect(raw).toContain("guardrail weakens");
  });

  test("is refused if the base already has a submodule, whose content is unknown", async () => {
    const other = await repository({ "guards.yaml": `version: 1\n${FORBIDS}` });
    const { top, git, commitAll } = await repository({ "conf/zoneward.yaml": configOf("allow") });
    addSubmodule(git, other.top, "conf/shared");
    await other.commitAll({ "guards.yaml": "version: 1\n" });
    git("-C", "conf/shared", ...FROM_DISK, "pull", "-q");
    await commitAll({ "conf/zoneward.yaml": configOf("log") });
    const { emulator, run } = await service();
    for (const config of [["conf"], ["conf/**/*.yaml"], ["conf/zoneward.yaml", "conf/shared/guards.yaml"]]) {
      const named = config.flatMap((each) => ["-c", each]);
      const { code, out, err } = await run(top, ["apply", "--yes", ...named, "--base", "git:HEAD^"]);
      expect([config, code, err.includes("guardrail base_unread")]).toEqual([config, 3, true]);
      expect(out).toContain("it is a submodule");
    }
    expect(emulator.writes()).toEqual([]);
  });
});

const FROM_DISK = ["-c", "protocol.file.allow=always"];

function addSubmodule(git: (...args: string[]) => string, from: string, name: string) {
  git(...FROM_DISK, "submodule", "add", "-q", from, name);
  git("commit", "-q", "-m", "submodule");
}

describe("an unknown base", () => {
  test.each([
    ["a misspelt name", "git:mian"],
    ["an unknown commit", `git:${"0".repeat(40)}`],
    ["an empty name", "git:"],
    ["a name that looks like a flag of git", "git:--all"],
    ["a missing folder", "nowhere"],
    ["a folder without the files", "empty"],
    ["a commit from before the files", "git:first"],
    ["the parent of the first commit", "git:first^"],
  ])("%s makes apply refuse, even with --quiet, until base_unread is allowed", async (_, base) => {
    const repo = await repository({ "empty/.keep": "" });
    repo.git("tag", "first");
    await repo.commitAll({ "zoneward.yaml": configOf("log") });
    const { emulator, run } = await service();
    for (const more of [[], ["-q"], ["--format", "json"], ["--allow", "weakens"]]) {
      const ran = await run(repo.top, ["apply", "--yes", "--base", base, ...more]);
      expect([more, ran.code]).toEqual([more, 3]);
      expect(ran.out + ran.err).toContain("guardrail base_unread");
      expect(ran.out + ran.err).toMatch(/(warning:|!) Base (cannot be read|has none of the files)/);
      expect(ran.err).not.toContain("hint:");
    }
    expect(emulator.writes()).toEqual([]);
    const planned = await run(repo.top, ["plan", "-q", "--base", base]);
    expect([planned.code, planned.out.includes("refused by guardrail base_unread")]).toEqual([0, true]);
    const gated = await run(repo.top, ["plan", "--base", base, "--fail-on", "base_unread"]);
    expect(gated.code).toBe(3);
    const lifted = await run(repo.top, ["apply", "--yes", "-q", "--base", base, "--allow", "base_unread"]);
    expect([lifted.code, lifted.err.includes("base_unread is lifted")]).toEqual([0, true]);
    expect(emulator.writes().length).toBeGreaterThan(0);
  });

  test("includes one that a shallow clone does not have", async () => {
    const repo = await repository({ "zoneward.yaml": configOf("allow", FORBIDS) });
    const base = repo.git("rev-parse", "HEAD");
    await repo.commitAll({ "zoneward.yaml": configOf("log") });
    const clone = path.join(await folder(), "clone");
    execFileSync("git", ["clone", "-q", "--depth", "1", `file://${repo.top}`, clone], { stdio: "ignore" });
    const { emulator, run } = await service();
    const ran = await run(clone, ["apply", "--yes", "-q", "--base", `git:${base}`]);
    expect([ran.code, ran.err.includes("guardrail base_unread"), emulator.writes()]).toEqual([3, true, []]);
    expect((await run(repo.top, ["apply", "--yes", "--base", `git:${base}`])).err).toContain(
      "guardrail weakens",
    );
  });

  test("includes a name that a tag and a branch share", async () => {
    const repo = await repository({ "zoneward.yaml": configOf("allow", FORBIDS) });
    const short = repo.git("rev-parse", "--short=8", "HEAD");
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD");
    await repo.commitAll({ "zoneward.yaml": configOf("log") });
    for (const name of ["origin/main", short]) repo.git("tag", name);
    const { emulator, run } = await service();
    for (const name of ["origin/main", "origin/main~0", short]) {
      const { code, out } = await run(repo.top, ["apply", "--yes", "--base", `git:${name}`]);
      expect([name, code, out.includes("the name is ambiguous")]).toEqual([name, 3, true]);
    }
    const exact = await run(repo.top, ["apply", "--yes", "--base", "git:refs/remotes/origin/main"]);
    expect([exact.err.includes("guardrail weakens"), emulator.writes()]).toEqual([true, []]);
  });

  test.each([
    ["an encoding", 3, "*.yaml text working-tree-encoding=ASCII//TRANSLIT"],
    ["an odd spelling", 3, "# of the files\n\t*.yam[l]  working-tree-encoding=ASCII//TRANSLIT\r"],
    ["a macro", 3, "[attr]odd.c ident\n*.yaml odd.c"],
    ["a long file", 3, `#${"x".repeat(1024 * 1024)}`],
    ["attributes of other files", 0, "*.c ident\n*.ps1 working-tree-encoding=UTF-16\n*.yaml eol=lf -ident"],
  ])("includes one whose checkout may have another text than git: %s", async (_, refusal, attributes) => {
    // A checkout with the first attributes has straight quotes, and with them the guardrail.
    const policies = JSON.stringify(LIVE.policies?.map(({ id: _, ...policy }) => policy));
    const text = `{version: 1, zones: {shop.example.com: {policies: ${policies}, vars: {A: 'a\u2019}}}, guardrails: {forbid: [weakens]}, templates: {t: {vars: {B: \u2019b'}}}}`;
    const repo = await repository();
    const entry = (name: string, content: string) =>
      ({ mode: "100644", name, id: repo.blob(content) }) as const;
    const base = repo.commitTree(
      repo.tree([entry(".gitattributes", `${attributes}\n`), entry("zoneward.yaml", text)]),
    );
    await write(repo.top, { "zoneward.yaml": configOf("log") });
    const { emulator, run } = await service();
    const { code, err } = await run(repo.top, ["apply", "--yes", "--base", `git:${base}`]);
    expect([code, err.includes("guardrail base_unread")], err).toEqual([refusal, refusal === 3]);
    expect(emulator.writes()).toHaveLength(refusal === 3 ? 0 : 1);
  });

  test("includes one with a folder that a partial clone lacks", async () => {
    const files = { "conf/guards/g.yaml": `version: 1\n${FORBIDS}`, "conf/z.yaml": configOf("allow") };
    const { top, git, commitAll } = await repository(files);
    const folder = git("rev-parse", "HEAD:conf/guards");
    await commitAll({ "conf/guards/g.yaml": "version: 1\n", "conf/z.yaml": configOf("log") });
    await rm(path.join(top, ".git/objects", folder.slice(0, 2), folder.slice(2)));
    const { emulator, run } = await service();
    for (const named of ["conf", "conf/**/*.yaml", "**/*.yaml"]) {
      const { code, err } = await run(top, ["apply", "--yes", "-c", named, "--base", "git:HEAD^"]);
      expect([named, code, err.includes("guardrail base_unread")]).toEqual([named, 3, true]);
    }
    expect(emulator.writes()).toEqual([]);
  });

  test("still enforces the guardrails that can be read", async () => {
    const { top } = await repository({
      "conf/a.yaml": configOf("allow", FORBIDS),
      "conf/b.yaml": "→ /etc/hostname",
    });
    await write(top, { "conf/a.yaml": configOf("log"), "conf/b.yaml": "version: 1\n" });
    const { run } = await service();
    const { code, err } = await run(top, ["apply", "--yes", "-q", "-c", "conf", "--base", "git:HEAD"]);
    expect([code, err.includes("guardrail base_unread"), err.includes("guardrail weakens")]).toEqual([
      3,
      true,
      true,
    ]);
  });

  test("stops adopt, and makes drift warn and apply refuse", async () => {
    const { top } = await repository({ "zoneward.yaml": configOf("allow").replace("prune", "") });
    const { emulator, run } = await service({
      policies: [...(LIVE.policies ?? [])].map((each) => ({ ...each, action: "log" })),
    });
    const adopted = await run(top, ["adopt", "--base", "git:mian"]);
    expect([adopted.code, emulator.writes()]).toEqual([1, []]);
    const drift = await run(top, ["drift", "-q", "--base", "git:mian"]);
    expect(drift.err + drift.out).toContain("base_unread");
    await symlink("nowhere", path.join(top, "before"));
    expect((await run(top, ["apply", "--yes", "--base", "before"])).code).toBe(3);
  });
});
