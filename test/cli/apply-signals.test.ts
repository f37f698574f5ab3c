import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { CLI, folderWith, reaching, zoneward } from "../support/cli.js";

const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: New, action: log, expression: "true", value: script-src 'self' }
`;

/** Runs apply, and signals it while its first write is being answered, slowly or never, so many times. */
async function interrupted(signal: "SIGINT" | "SIGTERM", times: number, fault: "drip" | "hang-after") {
  let first = () => {};
  const emulator = await createEmulator({
    seed: { zones: { "shop.example.com": {} } },
    faults: { schedule: [{ fault, method: "write", ...(fault === "drip" ? { seconds: 2 } : {}) }] },
    onRequest: ({ method }) => {
      if (method !== "GET") first();
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": CONFIG });
  const env = { PATH: process.env.PATH ?? "", ...reaching(emulator) };
  const child = spawn(process.execPath, [CLI, "apply", "--yes", "--format", "json"], {
    cwd,
    env,
    stdio: "pipe",
  });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    if (times > 1 && err.includes("Stopping")) child.kill(signal);
  });
  first = () => {
    first = () => {};
    child.kill(signal);
  };
  const [code, by] = await once(child, "close");
  return { emulator, cwd, env, out, err, code, by };
}

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s lets the call in flight end, says what is left and how to go on, and exits with 130",
  async (signal) => {
    const { emulator, cwd, env, out, err, code } = await interrupted(signal, 1, "drip");
    expect(code).toBe(130);
    const report = JSON.parse(out);
    expect(report.summary).toMatchObject({ done: 1, failed: 0, not_started: 1 });
    expect(report.journal).toMatch(/^\.zoneward\/journal\/.*\.jsonl$/);
    expect(err).toContain(`Journal: ${report.journal}`);
    expect(err).toContain("1 call done, 1 not started");
    expect(err).toContain("Run zoneward apply again");
    expect((await zoneward(["apply", "--yes"], { cwd, env })).code).toBe(0);
    expect(emulator.writes()).toHaveLength(2);
  },
);

test("a second signal ends the program at once", async () => {
  const startedMs = Date.now();
  const { by } = await interrupted("SIGINT", 2, "hang-after");
  expect(by).toBe("SIGINT");
  expect(Date.now() - startedMs).toBeLessThan(15_000);
});
