import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { CLI, folderWith, reaching, zoneward } from "../support/cli.js";
import { endOfWaiting } from "../support/no-waiting.js";

const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: New, action: log, expression: "true", value: script-src 'self' }
`;

/**
 * Runs apply and sends it the signal this many times during the answer to its first write. A slow answer ends soon after the
 * program has said that it stops.
 */
async function interrupted(
  signal: NodeJS.Signals,
  times: number,
  fault: "drip" | "hang-after",
  as: "--yes" | "plan.json" = "--yes",
) {
  let first = () => {};
  const emulator = await createEmulator({
    seed: { zones: { "shop.example.com": {} } },
    faults: { schedule: [{ fault, method: "write", ...(fault === "drip" ? { seconds: 4 } : {}) }] },
    onRequest: ({ method }) => {
      if (method !== "GET") first();
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": CONFIG });
  const env = { PATH: process.env.PATH ?? "", ...reaching(emulator) };
  if (as === "plan.json") await zoneward(["plan", "-o", as], { cwd, env });
  const child = spawn(process.execPath, [CLI, "apply", as, "--format", "json"], {
    cwd,
    env,
    stdio: "pipe",
  });
  let [out, err] = ["", ""];
  let waiting = () => {};
  onTestFinished(() => waiting());
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    const before = err;
    err += text;
    if (before.includes("Stopping") || !err.includes("Stopping")) return;
    if (times > 1) child.kill(signal);
    else waiting = endOfWaiting();
  });
  first = () => {
    first = () => {};
    child.kill(signal);
  };
  const [code, by] = await once(child, "close");
  return { emulator, cwd, env, out, err, code, by };
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s lets the running call finish, reports what remains, and exits with 130",
  async (signal) => {
    const { emulator, cwd, env, out, err, code } = await interrupted(signal, 1, "drip");
    expect(code).toBe(130);
    const report = JSON.parse(out);
    expect(report.summary).toMatchObject({ done: 1, failed: 0, not_started: 1 });
    expect(report.journal).toMatch(/^\.zoneward\/journal\/.*\.jsonl$/);
    const journal = await readFile(path.join(cwd, report.journal), "utf8");
    expect(journal).toContain('{"type":"end","done":1,"failed":0,"not_started":1,"interrupted":true');
    expect(err).toContain(`Journal: ${report.journal}`);
    expect(err).toContain("1 call done, 1 not started");
    expect(err).toContain("Run zoneward apply again");
    expect((await zoneward(["apply", "--yes"], { cwd, env })).code).toBe(0);
    expect(emulator.writes()).toHaveLength(2);
  },
);

test("a saved plan that a signal stopped can be applied again", async () => {
  const { emulator, cwd, env, code, err } = await interrupted("SIGINT", 1, "drip", "plan.json");
  expect(code).toBe(130);
  expect(err).toContain("Apply the same plan again: it sends only the remaining calls");
  expect((await zoneward(["apply", "plan.json"], { cwd, env })).code).toBe(0);
  expect(emulator.writes()).toHaveLength(2);
});

test("a second signal ends the program at once, and says what may be unfinished", async () => {
  const { by, err } = await interrupted("SIGINT", 2, "hang-after");
  expect(by).toBe("SIGINT");
  expect(err).toMatch(
    /\nStopped at once\. The calls in flight may or may not have taken effect\. Delete \.zoneward\/journal\/lock, then run zoneward apply again: it sends only the remaining calls\.\n$/,
  );
});

/** Runs a command and sends it a signal while it waits for an endless answer to a read. */
async function stoppedWhileReading(signal: NodeJS.Signals, args: readonly string[]) {
  let asked = () => {};
  const emulator = await createEmulator({
    seed: { zones: { "shop.example.com": {} } },
    faults: { schedule: [{ fault: "drip", method: "GET", seconds: 600 }] },
    onRequest: () => asked(),
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": CONFIG });
  const env = { PATH: process.env.PATH ?? "", ...reaching(emulator) };
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: "pipe" });
  asked = () => void child.kill(signal);
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const [code] = await once(child, "close");
  return { emulator, out, err, code };
}

test.each<[NodeJS.Signals, readonly string[]]>([
  ["SIGINT", ["apply", "--yes"]],
  ["SIGTERM", ["apply", "--format", "json"]],
  ["SIGHUP", ["apply", "--yes", "--format", "json"]],
  ["SIGTERM", ["plan"]],
  ["SIGINT", ["plan", "--format", "json"]],
])(
  "%s to %j during planning ends the command at once with 130, in the requested format",
  async (signal, args) => {
    const { code, out, err, emulator } = await stoppedWhileReading(signal, args);
    expect(code).toBe(130);
    if (args.includes("json"))
      expect(JSON.parse(out)).toMatchObject({ ok: false, problems: [{ code: "interrupted" }] });
    else expect([out, err]).toEqual(["", expect.stringContaining("error: Interrupted")]);
    expect(emulator.writes()).toEqual([]);
  },
);
