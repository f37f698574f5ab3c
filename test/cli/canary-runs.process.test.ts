import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { canariesIn, canary } from "../support/canaries.js";
import { CLI, folderWith, reaching, zoneward } from "../support/cli.js";
import { endOfWaiting } from "../support/no-waiting.js";

const SECRETS = {
  BUCKET: `s3://${canary("bucket")}/${canary("path")}?secret-access-key=${canary("key")}`,
  OWNERSHIP: canary("ownership"),
};

const CONFIG = `version: 1
zones:
  a.example:
    settings: { enabled: true }
    logpush_jobs:
      - { name: one, dataset: http_requests, destination_conf: "\${secret:BUCKET}", ownership_challenge: "\${secret:OWNERSHIP}" }
      - { name: two, destination_conf: "https://logs.example/in?header_Authorization=\${secret:OWNERSHIP}" }
      - { name: three, ensure: absent }
`;

const SEED = {
  zones: {
    "a.example": {
      logpush_jobs: ["two", "three"].map((name) => ({
        name,
        destination_conf: `https://logs.example/in?header_Authorization=${canary("live")}`,
        error_message: `cannot write to https://logs.example/in?header_Authorization=${canary("live")}`,
      })),
    },
  },
};

/** The contents of all files in the folder except the user's own. */
async function textsIn(cwd: string, own: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile() && !own.includes(each.name));
  return Promise.all(files.map(({ name, parentPath }) => readFile(path.join(parentPath, name), "utf8")));
}

async function expectNone(cwd: string, own: readonly string[], ...outputs: readonly string[]): Promise<void> {
  for (const text of [...outputs, ...(await textsIn(cwd, own))]) expect(canariesIn(text)).toEqual([]);
}

function collected(child: ChildProcess): () => string {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => (text += part));
  child.stderr?.setEncoding("utf8").on("data", (part: string) => (text += part));
  return () => text;
}

describe("no secret is in the output or files", () => {
  test("of plan, apply and rollback in every format", async () => {
    const emulator = await createEmulator({ seed: SEED });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({ "zoneward.yaml": CONFIG });
    const run = (...args: string[]) => zoneward(args, { cwd, env: { ...SECRETS, ...reaching(emulator) } });
    const runs = [
      await run("plan", "-v"),
      await run("plan", "--format", "json", "-o", "plan.json"),
      await run("apply", "plan.json", "-v"),
    ];
    const [journal = ""] = (await readdir(path.join(cwd, ".zoneward/journal"))).filter((each) =>
      each.endsWith("l"),
    );
    runs.push(
      await run("rollback", `.zoneward/journal/${journal}`, "--yes", "-v"),
      await run("apply", "--yes", "--format", "json"),
      await run("rollback", `.zoneward/journal/${journal}`, "--yes", "--format", "json"),
      await run("connections", "list", "-v"),
      await run("completion", "bash"),
      await run("apply", "--help"),
    );
    expect(runs.slice(0, 3).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(canariesIn(JSON.stringify(emulator.state())).length).toBeGreaterThan(0);
    await expectNone(cwd, ["zoneward.yaml"], ...runs.map(({ out, err }) => out + err));
  });

  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
    "of an apply that %s ends during a call",
    async (signal) => {
      const emulator = await createEmulator({
        seed: SEED,
        faults: { schedule: [{ method: "write", nth: 2, fault: "drip", seconds: 4 }] },
      });
      onTestFinished(() => emulator.close());
      const cwd = await folderWith({ "zoneward.yaml": CONFIG });
      const env = { PATH: process.env.PATH ?? "", ...SECRETS, ...reaching(emulator) };
      const child = spawn(process.execPath, [CLI, "apply", "--yes", "-v"], { cwd, env });
      const said = collected(child);
      await expect.poll(() => emulator.writes().length, { timeout: 15_000 }).toBe(2);
      child.kill(signal);
      if (signal !== "SIGKILL") {
        await expect.poll(said, { timeout: 15_000 }).toContain("Stopping");
        onTestFinished(endOfWaiting());
      }
      await once(child, "close");
      const left = await textsIn(cwd, ["zoneward.yaml", ".gitignore"]);
      expect(left.join("")).toContain('"intent"');
      expect(JSON.stringify(emulator.writes())).toContain(canary("ownership"));
      await expectNone(cwd, ["zoneward.yaml"], said());
    },
  );

  test("of the emulator, except its state", async () => {
    const cwd = await folderWith({
      "zoneward.yaml": CONFIG,
      "seed.json": JSON.stringify(SEED),
    });
    const flags = ["--seed", "seed.json", "--log", "log.jsonl", "--state", "state.json"];
    const faults = ["--fault", "2 GET *jobs: truncated", "--fault", "1 write *jobs: 500-after"];
    const child = spawn(process.execPath, [CLI, "emulator", ...flags, ...faults], { cwd });
    onTestFinished(() => void child.kill());
    const said = collected(child);
    await expect.poll(said, { timeout: 15_000 }).toContain("\n");
    const { url, token } = JSON.parse(said().split("\n")[0] ?? "");
    const env = { ...SECRETS, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_BASE_URL: url };
    await zoneward(["plan"], { cwd, env });
    const ran = await zoneward(["apply", "--yes", "-v"], { cwd, env });
    const log = await readFile(path.join(cwd, "log.jsonl"), "utf8");
    expect(log).toContain('"destination_conf":"[redacted]"');
    expect(canariesIn(await readFile(path.join(cwd, "state.json"), "utf8")).length).toBeGreaterThan(0);
    await expectNone(cwd, ["zoneward.yaml", "seed.json", "state.json"], said(), ran.out + ran.err);
  });

  test("of the emulator with an invalid seed, state or fault", async () => {
    const url = SECRETS.BUCKET;
    const bad = [
      `zones: { a.example: { logpush_jobs: [{ destination_conf: "${url}", id: x }] } }`,
      `zones: { a.example: { logpush_jobs: [{ destination_conf: ["${url}"] }] } }`,
      `zones:\n  a.example:\n    logpush_jobs:\n      - destination_conf: "${url}\n`,
      `zones:\n  a.example:\n   logpush_jobs: destination_conf: ${url}\n`,
      `{"zones":{"a.example":{"logpush_jobs":[{"destination_conf":"${url}"`,
    ];
    for (const text of bad) {
      const cwd = await folderWith({ "bad.yaml": text });
      for (const flag of ["--seed", "--state", "--faults"]) {
        const { out, err } = await zoneward(["emulator", flag, "bad.yaml"], { cwd });
        expect([flag, canariesIn(out + err)]).toEqual([flag, []]);
        expect(out + err).not.toBe("");
      }
      await writeFile(path.join(cwd, "bad.yaml"), "");
    }
  });
});
