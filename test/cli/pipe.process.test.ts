import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CLI, folderWith } from "../support/cli.js";

const LINE = JSON.stringify({
  ClientRequestHost: "shop.example.com",
  ClientRequestURI: "/",
  ClientIP: "192.0.2.7",
});

/** A run that waits for the lines of a named pipe, and the end of the pipe to write to. */
async function waiting() {
  const cwd = await folderWith({});
  const pipe = path.join(cwd, "lines");
  execFileSync("mkfifo", [pipe]);
  const child = spawn(
    process.execPath,
    [CLI, "expression", "match", "ip.src eq 192.0.2.7", "--requests", pipe],
    {
      cwd,
      env: { PATH: process.env.PATH ?? "" },
      stdio: "pipe",
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const ended = once(child, "close");
  const writer = await open(pipe, "w");
  return { child, ended, writer, out: () => out };
}

test("one signal ends a run that waits for a named pipe", async () => {
  const { child, ended, writer } = await waiting();
  onTestFinished(() => writer.close());
  child.kill("SIGTERM");
  expect(await ended).toEqual([130, null]);
});

test("reads the lines of a named pipe to its end", async () => {
  const { ended, writer, out } = await waiting();
  await writer.write(`${LINE}\n`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await writer.write(`${LINE}\n`);
  await writer.close();
  expect(await ended).toEqual([0, null]);
  expect(out()).toContain("2");
});
