import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { CLI, folderWith, reaching, zoneward } from "../support/cli.js";

const zone = (name: string) => `version: 1\nzones:\n  ${name}:\n    settings: { enabled: true }\n`;

/** Files in their own folders. */
async function folder(files: Readonly<Record<string, string>>) {
  const cwd = await folderWith({});
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(cwd, file)), { recursive: true });
    await writeFile(path.join(cwd, file), text);
  }
  return cwd;
}

const A_AND_B = { "zones/a.yaml": zone("a.example"), "zones/b.yaml": zone("b.example") };

test("reads the folder zones by default if zoneward.yaml is missing", async () => {
  const cwd = await folder(A_AND_B);
  expect((await zoneward(["validate"], { cwd })).out).toBe("Valid: 2 zones.\n");
  await writeFile(path.join(cwd, "zoneward.yaml"), zone("c.example"));
  expect((await zoneward(["validate"], { cwd })).out).toBe("Valid: 1 zone.\n");
  const empty = await zoneward(["validate"], { cwd: await folder({}) });
  expect(empty.err).toContain("zoneward.yaml does not exist.");
});

test("reads the files of ZONEWARD_CONFIG if there is no -c", async () => {
  const cwd = await folder({ ...A_AND_B, "zoneward.yaml": zone("c.example") });
  const env = { ZONEWARD_CONFIG: "zones" };
  expect((await zoneward(["validate"], { cwd, env })).out).toBe("Valid: 2 zones.\n");
  expect((await zoneward(["validate", "-c", "zoneward.yaml"], { cwd, env })).out).toBe("Valid: 1 zone.\n");
  expect((await zoneward(["validate"], { cwd, env: { ZONEWARD_CONFIG: "" } })).out).toBe("Valid: 1 zone.\n");
  expect((await zoneward(["validate"], { cwd, env: { ZONEWARD_CONFIG: "zone" } })).err).toContain(
    "zone does not exist. Check the path. It is relative to the folder that zoneward runs in. The environment variable ZONEWARD_CONFIG names it.",
  );
});

test("accepts several files after one -c if the command has no operands", async () => {
  const cwd = await folder(A_AND_B);
  const files = Object.keys(A_AND_B);
  expect((await zoneward(["validate", "-c", ...files, "-q"], { cwd })).code).toBe(0);
  expect((await zoneward(["validate", "-c", ...files], { cwd })).out).toBe("Valid: 2 zones.\n");
  expect((await zoneward(["validate", ...files], { cwd })).err).toContain("-c zones/a.yaml");
  expect((await zoneward(["apply", "-c", files[0] ?? "", "plan.json"], { cwd })).err).toContain("plan.json");
});

test("a saved plan records its files, and finds its base although one file became a folder", async () => {
  const emulator = await createEmulator({ seed: { zones: { "a.example": {}, "b.example": {} } } });
  onTestFinished(() => emulator.close());
  const cwd = await folder({
    "zoneward.yaml": `${zone("a.example")}  b.example:\n    settings: { enabled: true }\n`,
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "one file");
  await mkdir(path.join(cwd, "zones"));
  await writeFile(path.join(cwd, "zones/a.yaml"), zone("a.example"));
  await rename(path.join(cwd, "zoneward.yaml"), path.join(cwd, "old.yaml"));
  await writeFile(path.join(cwd, "zones/b.yaml"), zone("b.example"));
  git("add", "zones");
  const env = reaching(emulator);
  const plan = await zoneward(["plan", "--base", "git:HEAD", "--format", "json", "-o", "plan.json"], {
    cwd,
    env,
  });
  const document = JSON.parse(plan.out);
  expect(document.inputs.config).toEqual(["zones"]);
  expect(document.summary.origins).toMatchObject({ drift: 2, declared: 0 });
  const applied = await zoneward(["apply", "plan.json", "--allow", "drift"], {
    cwd,
    env: { ...env, ZONEWARD_CONFIG: "elsewhere" },
  });
  expect(applied).toMatchObject({ code: 0 });
});

test.skipIf(process.platform === "win32")(
  "a deleted working folder is reported without a stack trace",
  async () => {
    const cwd = await folderWith({});
    const script = `mkdir inner && cd inner && rmdir ../inner && "${process.execPath}" "${CLI}" validate`;
    const { status, stderr } = spawnSync("sh", ["-c", script], { cwd, encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      "zoneward: error: The folder that this was started in is gone. Change to one that is there.\n",
    ]);
  },
);
