import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CLI, folderWith, zoneward } from "../support/cli.js";

/** Prints its arguments instead of running the program, except when completion asks for names. */
const PRINTING = `zoneward() { if [ "$2" = names ]; then "${process.execPath}" "${CLI}" "$@"; else printf "<%s>" "$@"; echo; fi; }`;

/** Shells without user configuration. */
const SHELLS = [
  ["bash", "bash --norc --noprofile -i", PRINTING],
  ["zsh", "zsh -f -i", `autoload -U compinit && compinit -u -D; ${PRINTING}`],
  [
    "fish",
    "fish --private --no-config -i",
    `function zoneward; if test "$argv[2]" = names; "${process.execPath}" "${CLI}" $argv; else; printf "<%s>" $argv; echo; end; end`,
  ],
] as const;

const FILE = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: Checkout scripts, action: log, expression: "true", value: script-src 'self' }
      - { description: "Bad $(touch run)", action: log, expression: "true", value: script-src 'self' }
`;

/** Typed lines, with ⇥ for the Tab key, and the resulting arguments. */
const TYPED = [
  ["zoneward pla⇥--detailed⇥", "<plan><--detailed-exitcode>"],
  ["zoneward plan --format ht⇥", "<plan><--format><html>"],
  ["zoneward plan --format=ht⇥", "<plan><--format=html>"],
  ["zoneward scripts sh⇥", "<scripts><show>"],
  ["zoneward completion ba⇥", "<completion><bash>"],
  ["zoneward show my⇥", "<show><my plan.json>"],
  ["zoneward plan -o my⇥", "<plan><-o><my plan.json>"],
  ["zoneward ado⇥", "<adopt>"], // The folder adopt must not be completed here.
  ["zoneward plan -c other.yaml --zone sh⇥", "<plan><-c><other.yaml><--zone><shop.example.com>"],
  ["zoneward plan -c other.yaml --only pol⇥/Ch⇥", "<plan><-c><other.yaml><--only><policy/Checkout scripts>"],
  ["zoneward ready -c other.yaml --policy Ch⇥", "<ready><-c><other.yaml><--policy><Checkout scripts>"],
  ["zoneward ready -c other.yaml --policy Ba⇥", "<ready><-c><other.yaml><--policy><Bad $(touch run)>"], // The command inside must not run.
] as const;

describe.each(SHELLS)("completion in %s", (name, start, program) => {
  const isThere = [name, "script"].every((each) => spawnSync(each, ["--version"]).status === 0);
  if (!isThere) console.warn(`SKIPPED: completion in ${name}, because ${name} or script is missing`);

  test.skipIf(!isThere)("completes what is typed", async () => {
    const cwd = await folderWith({
      "my plan.json": "{}",
      "other.yaml": FILE,
      script: (await zoneward(["completion", name])).out,
    });
    await mkdir(path.join(cwd, "adopt"));
    await writeFile(path.join(cwd, "start"), `${program}\nsource ./script\n`);
    const typed = TYPED.map(([line]) => line.replaceAll("⇥", "\t"));
    const shown = await typedInto(start, [". ./start", ...typed, "exit"], cwd);
    const printed = shown.split("\n").filter((line) => line.startsWith("<"));
    expect(printed, shown).toEqual(TYPED.map(([, given]) => given));
    expect(existsSync(path.join(cwd, "run"))).toBe(false);
  });
});

/** The terminal output of a shell without its escape sequences. */
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

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|\(B|[=>])/g;
