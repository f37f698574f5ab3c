import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openRunner } from "../../src/action/runner.js";
import { folderWith } from "../support/cli.js";
import { logIn, outputsIn } from "../support/github-step.js";

async function open() {
  const folder = await folderWith({ output: "", summary: "" });
  const [output, summary] = [path.join(folder, "output"), path.join(folder, "summary")];
  let said = "";
  const runner = openRunner(
    { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
    (text) => {
      said += text;
    },
    (text) => text.replaceAll("secret", "[redacted]"),
  );
  return { runner, output, summary, said: () => said };
}

describe("the runner", () => {
  test("treats text as text, even if it looks like a command", async () => {
    const { runner, said } = await open();
    const text = "::error::forged\n  ::set-env name=PATH::x\n##[error]old\n::stop-commands::mine\n::mine::";
    runner.log(text);
    runner.command("::warning::ours");
    expect(logIn(said()).commands).toEqual(["::warning::ours"]);
    expect(logIn(said()).log.trimEnd()).toBe(text);
  });

  test("reads each output unchanged, even if it looks like a delimiter", async () => {
    const { runner, output } = await open();
    const values = { one: "a\nghadelimiter_x\ntwo<<EOF\nb\nEOF", two: "", three: "a=b<<c" };
    await runner.outputs(values);
    expect(outputsIn(await readFile(output, "utf8"))).toEqual(values);
  });

  test("never receives a secret", async () => {
    const { runner, output, summary, said } = await open();
    runner.log("a secret");
    runner.command("::error::a secret");
    await runner.outputs({ one: "a secret" });
    await runner.summary("a secret");
    const all = [said(), await readFile(output, "utf8"), await readFile(summary, "utf8")];
    expect(all.filter((text) => text.includes("secret"))).toEqual([]);
  });

  test("masks each line of a secret, except very short lines", async () => {
    const { runner, said } = await open();
    runner.mask(["one line\r\nand%another\n\nab"]);
    expect(said()).toBe("::add-mask::one line\n::add-mask::and%25another\n");
  });

  test("receives at most 1 MiB of summary", async () => {
    const { runner, summary } = await open();
    await runner.summary("a".repeat(700_000));
    await runner.summary("b".repeat(700_000));
    expect((await stat(summary)).size).toBe(700_001);
  });
});
