import { spawn, spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, zoneward } from "../support/cli.js";

/** Shells as people start them, with nothing of somebody's own, and what stands for the program: it says what it is given. */
const SHELLS = [
  ["bash", "bash --norc --noprofile -i", 'zoneward() { printf "<%s>" "$@"; echo; }'],
  ["zsh", "zsh -f -i", 'autoload -U compinit && compinit -u -D; zoneward() { printf "<%s>" "$@"; echo; }'],
  ["fish", "fish --private --no-config -i", 'function zoneward; printf "<%s>" $argv; echo; end'],
] as const;

/** What is typed, where ⇥ asks to go on, and what the program is given. */
const TYPED = [
  ["zoneward pla⇥--detailed⇥", "<plan><--detailed-exitcode>"],
  ["zoneward plan --format ht⇥", "<plan><--format><html>"],
  ["zoneward plan --format=ht⇥", "<plan><--format=html>"],
  ["zoneward scripts sh⇥", "<scripts><show>"],
  ["zoneward completion ba⇥", "<completion><bash>"],
  ["zoneward show my⇥", "<show><my plan.json>"],
  ["zoneward plan -o my⇥", "<plan><-o><my plan.json>"],
  ["zoneward ado⇥", "<adopt>"], // and not the folder of that name
] as const;

describe.each(SHELLS)("in %s", (name, start, program) => {
  const isThere = [name, "script"].every((each) => spawnSync(each, ["--version"]).status === 0);
  if (!isThere)
    console.warn(`SKIPPED: what is typed in ${name} is completed; there is no ${name}, or no script`);

  test.skipIf(!isThere).each(TYPED)("%s gives %s", async (typed, given) => {
    const cwd = await folderWith({
      "my plan.json": "{}",
      script: (await zoneward(["completion", name])).out,
    });
    await mkdir(path.join(cwd, "adopt"));
    await writeFile(path.join(cwd, "start"), `${program}\nsource ./script\n`);
    expect(await typedInto(start, [". ./start", typed.replaceAll("⇥", "\t"), "exit"], cwd)).toContain(given);
  });
});

/** What a terminal shows of a shell in it, without its escapes. */
function typedInto(start: string, lines: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH ?? "", HOME: cwd, TERM: "xterm", LANG: "C.UTF-8" };
    const shell = spawn("script", ["-qefc", start, "/dev/null"], { cwd, env });
    let shown = "";
    shell.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
    shell.on("error", reject);
    shell.on("close", () => resolve(shown.replace(ESCAPES, "").replaceAll("\r", "")));
    shell.stdin.write(lines.map((line) => `${line}\n`).join(""));
  });
}

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[=>])/g;
