import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { pullRequest, runStep } from "../support/github-step.js";
import { configOf, folder, repository, service, write } from "./repository.js";

const SECRET = "machine api.example login me password hunter2hunter2";

/** Runs that must be refused. None of their outputs may contain the secret. */
async function refusedOf(top: string, args: readonly string[], cwd = top) {
  const { run } = await service();
  for (const command of [["validate"], ["validate", "--format", "sarif"], ["plan", "--format", "json"]]) {
    const { code, out, err } = await run(cwd, [...command, ...args]);
    expect([command, code]).toEqual([command, 1]);
    expect(out + err).not.toContain("hunter2");
    expect(out + err).toMatch(/link_elsewhere|not_a_file|not followed|Not a file|"level": "error"/);
  }
}

describe("a config file", () => {
  test.each(["conf/a.yaml", "conf/deep/a.yaml"])(
    "that is a link out of the repository is not shown: %s",
    async (name) => {
      const outside = await folder();
      await write(outside, { netrc: SECRET });
      const { top } = await repository({ [name]: `→ ${outside}/netrc`, "conf/fine.yaml": "version: 1\n" });
      for (const named of ["conf", name, "conf/**/*.yaml"]) await refusedOf(top, ["-c", named]);
      await write(top, { [name]: `→ ${"../".repeat(12)}${outside}/netrc` });
      await refusedOf(top, ["-c", path.join(top, "conf")]);
    },
  );

  test("that is a link into .git is not shown", async () => {
    const { top, git } = await repository({
      "a.yaml": "→ .git/config",
      "b.yaml": "→ folder/../.GIT/config",
      "folder/c.yaml": "→ ../link/config",
      link: "→ .git",
    });
    git("config", "http.extraheader", SECRET);
    for (const named of ["a.yaml", "b.yaml", "folder", "link/config", ".git/config"])
      await refusedOf(top, ["-c", named]);
  });

  test("that is a link out of its folder is not shown outside of a repository", async () => {
    const outside = await folder();
    await write(outside, { netrc: SECRET });
    const top = await folder();
    await write(top, { "conf/a.yaml": `→ ${outside}/netrc`, "zoneward.yaml": `→ ${outside}/netrc` });
    await refusedOf(top, []);
    await refusedOf(top, ["-c", "conf"]);
  });

  test("that is a link to an untracked file is not shown", async () => {
    const { top } = await repository({
      "conf/zoneward.yaml": configOf("allow"),
      "conf/a.yaml": "→ ../.netrc",
      "conf/b.yaml": "→ ../left/kube",
      "conf/c.yaml": "→ d/kube",
      "conf/d": "→ ../left",
    });
    await write(top, { ".netrc": `${SECRET}\n`, "left/kube": `version: ${SECRET}\n` });
    for (const named of ["a", "b", "c"]) await refusedOf(top, ["-c", `conf/${named}.yaml`]);
    await refusedOf(top, ["-c", "conf"]);
    await refusedOf(top, ["-c", "conf/*.yaml"]);
    await refusedOf(top, ["-c", "conf/zoneward.yaml", "-c", "conf/d/kube"]);
  });

  test("that is a device, a pipe or endless is refused at once", async () => {
    const { top } = await repository({ "zero.yaml": "→ /dev/zero" });
    execFileSync("mkfifo", [path.join(top, "pipe.yaml")]);
    await write(top, { "conf/a.yaml": "→ ../pipe.yaml" });
    for (const named of ["zero.yaml", "pipe.yaml", "conf", "*.yaml", "/dev/zero"])
      await refusedOf(top, ["-c", named]);
  }, 60_000);

  test("may be a link within the repository", async () => {
    const { top } = await repository({
      "shared/a.yaml": configOf("allow"),
      "prod/a.yaml": "→ ../shared/a.yaml",
      "zoneward.yaml": "→ prod/a.yaml",
    });
    await symlink(path.join(top, "shared/a.yaml"), path.join(top, "whole.yaml"));
    const { run } = await service();
    for (const named of ["prod", "zoneward.yaml", "prod/*.yaml", "whole.yaml"])
      expect((await run(top, ["validate", "-c", named])).err).toBe("");
  });

  test("behind a link out of the named folder is reported by plan and validate", async () => {
    const { top } = await repository({
      "shared/a.yaml": configOf("allow"),
      "zones/a.yaml": "→ ../shared/a.yaml",
      "hop/zones": "→ ../zones",
      "inside/b.yaml": configOf("allow"),
      "inside/a.yml": "→ b.yaml",
      "detour/b.yml/a.yaml": configOf("allow"),
      "detour/a.yaml": "→ ../shared/hop.yaml",
      "shared/hop.yaml": "→ ../detour/b.yml/a.yaml",
    });
    const { run } = await service();
    const toldOf = async (named: string) => {
      const { out } = await run(top, ["plan", "-c", named, "--format", "json"]);
      const plan = JSON.parse(out) as PlanDocument; // checked by the schema
      const told = plan.diagnostics.filter(({ code }) => code === "link_leaves_config");
      return told.map(({ message }) => /The link .*?(?=, outside)/.exec(message)?.[0]);
    };
    expect(await toldOf("zones")).toEqual(['The link "zones/a.yaml" leads to "shared/a.yaml"']);
    expect(await toldOf("zones/*")).toEqual(['The link "zones/a.yaml" leads to "shared/a.yaml"']);
    expect(await toldOf("hop/zones")).toEqual(['The link "hop/zones" leads to "shared/a.yaml"']);
    expect(await toldOf("detour/a.yaml")).toEqual([
      'The link "detour/a.yaml" leads to "detour/b.yml/a.yaml"',
    ]);
    expect(await toldOf("inside/b.yaml")).toEqual([]);
    const filesOf = async (named: string, cwd = top) =>
      JSON.parse((await run(cwd, ["validate", "-c", named, "--format", "json"])).out).files;
    expect(await filesOf("hop/zones")).toEqual([
      "hop/zones/a.yaml",
      "hop/zones",
      "zones/a.yaml",
      "shared/a.yaml",
    ]);
    expect(await filesOf("inside")).toEqual(["inside/a.yml", "inside/b.yaml"]);
    expect(await filesOf("../zones", path.join(top, "inside"))).toEqual([
      "../zones/a.yaml",
      "../shared/a.yaml",
    ]);
    expect(await filesOf("detour/a.yaml")).toEqual([
      "detour/a.yaml",
      "shared/hop.yaml",
      "detour/b.yml/a.yaml",
    ]);
  });

  test("of a fork that is a link out is not shown in the log, annotations or summary", async () => {
    const outside = await folder();
    await write(outside, { netrc: SECRET });
    const { top } = await repository({ "zoneward.yaml": `→ ${outside}/netrc`, "more.yaml": "→ .git/config" });
    for (const config of ["", "more.yaml", "*.yaml"]) {
      const { code, raw, summary } = await runStep({
        workspace: top,
        event: "pull_request",
        payload: pullRequest(7, { from: "stranger/fork" }),
        inputs: { command: "validate", ...(config === "" ? {} : { config }) },
      });
      expect([config, code]).toEqual([config, 1]);
      expect(raw + summary).not.toMatch(/hunter2|repositoryformatversion/);
      expect(raw).toContain("not followed");
    }
  });
});

test.each([
  ["--guardrails", (file: string) => ["plan", "--guardrails", file]],
  ["a plan", (file: string) => ["apply", file]],
  ["a journal", (file: string) => ["rollback", "--yes", file]],
])(
  "%s is not read if it is a link out, a device or a pipe",
  async (_, args) => {
    const outside = await folder();
    await write(outside, { netrc: SECRET });
    const { top } = await repository({
      "zoneward.yaml": configOf("allow"),
      out: `→ ${outside}/netrc`,
      zero: "→ /dev/zero",
      away: `→ ${outside}`,
    });
    execFileSync("mkfifo", [path.join(top, "pipe")]);
    const { run } = await service();
    for (const file of ["out", "zero", "pipe", "away/netrc", "/dev/zero", "."]) {
      const { code, out, err } = await run(top, args(file));
      expect([file, code]).toEqual([file, 1]);
      expect(out + err).not.toContain("hunter2");
    }
  },
  60_000,
);

describe("a file to write", () => {
  const victim = async () => {
    const outside = await folder();
    await write(outside, { bashrc: "echo mine\n" });
    return outside;
  };
  const commands = [
    ["plan", (file: string) => ["plan", "-o", file]],
    ["export", (file: string) => ["export", "-o", file]],
  ] as const;

  test.each(commands)("by %s is not written through a link", async (_, args) => {
    const outside = await victim();
    const { top } = await repository({
      "zoneward.yaml": configOf("log"),
      "out.partial": `→ ${outside}/bashrc`,
      out: `→ ${outside}/bashrc`,
      dangling: `→ ${outside}/new`,
      away: `→ ${outside}`,
      hooks: "→ .git/hooks",
      "fine.partial": `→ ${outside}/bashrc`,
    });
    const { run } = await service();
    for (const file of ["out", "dangling", "away/new", "hooks/post-checkout", ".git/config2"]) {
      const { code, err } = await run(top, args(file));
      expect([file, code, err.includes("Cannot write")]).toEqual([file, 1, true]);
    }
    expect((await run(top, args("fine"))).code).toBe(0);
    expect((await lstat(path.join(top, "fine"))).isFile()).toBe(true);
    expect(await readFile(path.join(outside, "bashrc"), "utf8")).toBe("echo mine\n");
    expect([await readdir(outside), existsSync(path.join(top, ".git/hooks/post-checkout"))]).toEqual([
      ["bashrc"],
      false,
    ]);
    expect((await readdir(top)).filter((each) => each.startsWith(".zoneward-"))).toEqual([]);
  });

  test.runIf(existsSync("/dev/shm"))("is not written through another user's link below /dev", async () => {
    const outside = await victim();
    const link = `/dev/shm/zoneward-${crypto.randomUUID()}`;
    await symlink(path.join(outside, "new"), link);
    onTestFinished(() => rm(link));
    const { top } = await repository({ "zoneward.yaml": configOf("log") });
    const { run } = await service();
    for (const [, args] of commands) {
      const { code, err } = await run(top, args(link));
      expect([code, err.includes(`${link} is a link`), await readdir(outside)]).toEqual([
        1,
        true,
        ["bashrc"],
      ]);
    }
  });

  test("by adopt is not written through a link or out of the repository", async () => {
    const outside = await victim();
    const { top } = await repository({
      "zoneward.yaml": configOf("log"),
      "zoneward.yaml.partial": `→ ${outside}/bashrc`,
    });
    const { run } = await service();
    const adopted = await run(top, ["adopt"]);
    expect([adopted.code, adopted.err]).toEqual([0, expect.any(String)]);
    expect(await readFile(path.join(top, "zoneward.yaml"), "utf8")).toBe(configOf("allow"));
    expect(await readFile(path.join(outside, "bashrc"), "utf8")).toBe("echo mine\n");
    await write(outside, { "zoneward.yaml": configOf("log") });
    await write(top, { "zoneward.yaml": `→ ${outside}/zoneward.yaml` });
    expect((await run(top, ["adopt"])).code).toBe(1);
    expect(await readFile(path.join(outside, "zoneward.yaml"), "utf8")).toBe(configOf("log"));
  });

  test("by the Action is not written through a link", async () => {
    const outside = await victim();
    const names = ["plan.json", "page.html", "found.sarif"];
    const links = names.flatMap((name) => [
      [name, `→ ${outside}/${name}`],
      [`next-${name}.partial`, `→ ${outside}/bashrc`],
    ]);
    const { top } = await repository({ "zoneward.yaml": configOf("log"), ...Object.fromEntries(links) });
    const { emulator } = await service();
    const files = (before: string) => ({
      "plan-file": `${before}plan.json`,
      "html-file": `${before}page.html`,
      "sarif-file": `${before}found.sarif`,
    });
    const env = reaching(emulator);
    const refused = await runStep({ workspace: top, inputs: { command: "plan", ...files("") }, env });
    expect(refused.code).toBe(1);
    const done = await runStep({ workspace: top, inputs: { command: "plan", ...files("next-") }, env });
    expect(done.code).toBe(0);
    expect(await readdir(outside)).toEqual(["bashrc"]);
    expect(await readFile(path.join(outside, "bashrc"), "utf8")).toBe("echo mine\n");
  });
});

describe("files in git in the place of run files", () => {
  const live = { policies: [] };
  const applied = async (
    content: Readonly<Record<string, string>>,
    more: (top: string) => Promise<void> = async () => {},
  ) => {
    const { top } = await repository({ "zoneward.yaml": configOf("log"), ...content });
    await more(top);
    const { emulator, run } = await service(live);
    return { top, emulator, ...(await run(top, ["apply", "--yes", "-q"])) };
  };

  test.each([
    [
      "a lock",
      JSON.stringify({ pid: 1, host: "elsewhere", space: "", token: "x", since: "2026-01-01T00:00:00Z" }),
    ],
    ["an empty lock", "\u0000"],
    ["a lock that is a link to a device", "→ /dev/zero"],
    ["a lock that is a dangling link", "→ nowhere"],
    ["an endless lock", "x".repeat(1_000_000)],
  ])("%s does not stop apply and gives a warning", async (_, lock) => {
    const { code, err, emulator, top } = await applied({ ".zoneward/journal/lock": lock });
    expect([code, emulator.writes().length > 0]).toEqual([0, true]);
    expect(err).toContain("git rm -r --cached .zoneward");
    expect(existsSync(path.join(top, ".zoneward/journal/lock"))).toBe(false);
  });

  test("a folder in place of the lock does not stop apply", async () => {
    const { code, err } = await applied({ ".zoneward/journal/lock/x": "y" });
    expect([code, err.includes("git rm -r --cached .zoneward")]).toEqual([0, true]);
  });

  test("a lock of an active run holds, even if git tracks it", async () => {
    const lock = { pid: 1, host: "elsewhere", space: "", token: "x", since: "2026-01-01T00:00:00Z" };
    const { code, emulator } = await applied({ ".zoneward/journal/lock": "{}" }, async (top) => {
      await writeFile(path.join(top, ".zoneward/journal/lock"), JSON.stringify(lock));
      await utimes(path.join(top, ".zoneward/journal/lock"), new Date(), new Date());
    });
    expect([code, emulator.writes()]).toEqual([1, []]);
  });

  test.each([".zoneward", ".zoneward/journal"])(
    "nothing is written through %s if it is a link",
    async (name) => {
      const outside = await folder();
      const { code, err, emulator } = await applied({ [name]: `→ ${outside}` });
      expect([code, emulator.writes(), await readdir(outside)]).toEqual([1, [], []]);
      expect(err).toContain("is not a folder, or is a link");
    },
  );

  test("nothing is written through a link in place of a run file", async () => {
    const outside = await folder();
    const { code } = await applied({ ".zoneward/journal/.gitignore": `→ ${outside}/new` });
    expect([code, await readdir(outside)]).toEqual([0, []]);
  });
});

describe("a journal of a run that was replacing a live job", () => {
  const job = { name: "siem", enabled: true, destination_conf: "https://logs.example/in" };
  const old = { ...job, id: 7, dataset: "http_requests" };
  const file = `version: 1
zones:
  shop.example.com:
    logpush_jobs:
      - { name: siem, dataset: dns_logs, destination_conf: "\${secret:WHERE}" }
`;
  const env = { WHERE: job.destination_conf };

  /** From another folder, whose run really replaced the job. */
  async function forged() {
    const { top } = await repository({ "zoneward.yaml": file });
    const { emulator, run } = await service({ logpush_jobs: [old] });
    expect((await run(top, ["apply", "--yes"], { env })).code).toBe(0);
    const jobs = emulator.state().zones["shop.example.com"]?.logpush_jobs ?? [];
    const names = await readdir(path.join(top, ".zoneward/journal"));
    const [name = ""] = names.filter((each) => each.endsWith(".jsonl"));
    const journal = await readFile(path.join(top, ".zoneward/journal", name), "utf8");
    return { live: { logpush_jobs: [old, ...jobs] }, name, journal };
  }

  test("deletes nothing if git tracks the journal or if it is behind a link", async () => {
    const { live, name, journal } = await forged();
    const inPlace = `.zoneward/journal/${name}`;
    for (const content of [
      { [inPlace]: journal },
      { ".zoneward/journal": "→ ../forged", [`forged/${name}`]: journal },
      { ".zoneward": "→ forged", [`forged/journal/${name}`]: journal },
    ]) {
      const { top } = await repository({ "zoneward.yaml": file, ...content });
      const { emulator, run } = await service(live);
      const { code } = await run(top, ["apply", "--yes"], { env });
      expect([code, emulator.writes()]).toEqual([0, []]);
    }
    const { top } = await repository({ "zoneward.yaml": file });
    await write(top, { [inPlace]: journal });
    const { emulator, run } = await service(live);
    const { code } = await run(top, ["apply", "--yes"], { env });
    expect([code, emulator.writes().map(({ method }) => method)]).toEqual([0, ["DELETE"]]);
  });
});
