import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createEmulator, type Seed } from "../../src/index.js";
import { GUARDRAILS } from "../../src/model/guardrails.js";
import { choices } from "../support/choices.js";
import { CLI, folderWith, ROOT, reaching, zoneward } from "../support/cli.js";

describe("the command line", () => {
  test("version prints the package's version", async () => {
    const { version } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
    expect(await zoneward(["version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
    expect((await zoneward(["--version"])).out).toBe(`${version}\n`);
  });

  test("help lists the commands, and the help of each command has flags and examples", async () => {
    const { out } = await zoneward(["--help"]);
    const names = [...out.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name ?? "");
    expect(names).toEqual([
      "demo",
      "export",
      "validate",
      "plan",
      "show",
      "apply",
      "drift",
      "adopt",
      "rollback",
      "scripts",
      "connections",
      "ready",
      "suggest",
      "csp",
      "expression",
      "logpush",
      "doctor",
      "permissions",
      "emulator",
      "schema",
      "completion",
      "version",
    ]);
    for (const name of names) {
      const help = await zoneward([name, "--help"]);
      expect(help.code).toBe(0);
      expect(help.out).toMatch(/Flags:[\s\S]+Examples:\n {2}(zoneward|source)/);
    }
  });

  test.each([
    [["paln"], "Unknown command paln. Did you mean plan?"],
    [["rollbak"], "Unknown command rollbak. Did you mean rollback?"],
    [["plan", "--confg", "x"], "Unknown flag --confg for zoneward plan. Did you mean --config?"],
    [["rollback", "--base", "x"], "Unknown flag --base for zoneward rollback."],
    [
      ["plan", "--max-bytes", "-1"],
      "--max-bytes needs a value, but -1 looks like a flag. To pass it as the value, write --max-bytes=-1.",
    ],
    [
      ["export", "-o", "-"],
      "--out needs a file name, and - is not one. For a file named -, write --out ./-.",
    ],
    [["plan", "--rate-limit=-1/5"], "--rate-limit takes REQUESTS/SECONDS"],
    [
      ["plan", "--format", "jsn"],
      "--format must be text, json, markdown, html, sarif, codequality or junit, not jsn. Did you mean json?",
    ],
    [["-c", "zoneward.yaml", "plan"], "The command comes before its flags."],
    [["plan", "a".repeat(40)], "Unexpected argument (hidden: it may be a credential)."],
    [["plan", "--zone"], "--zone needs a value: --zone NAME."],
    [["plan", "--detailed-exitcode=yes"], "--detailed-exitcode takes no value."],
    [["plan", "extra"], "Unexpected argument extra. zoneward plan takes no arguments."],
    [["apply", "--allow", "everything"], `--allow must be ${choices(GUARDRAILS)}, not everything.`],
    [["completion", "tcsh"], "Unknown shell tcsh: zoneward completion bash|zsh|fish."],
  ])("%j is refused on stderr with exit code 1", async (args, message) => {
    const { code, out, err } = await zoneward(args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
  });

  test("schema prints the published schemas", async () => {
    const published = await readFile(path.join(ROOT, "schemas/zoneward.schema.json"), "utf8");
    expect((await zoneward(["schema"])).out).toBe(published);
    for (const name of ["plan", "guardrails"]) {
      const other = await readFile(path.join(ROOT, `schemas/${name}.schema.json`), "utf8");
      expect((await zoneward(["schema", name])).out).toBe(other);
    }
  });

  test("demo runs the whole loop until a policy is ready to block", async () => {
    const { code, out } = await zoneward(["demo"]);
    expect(code).toBe(0);
    expect(out).toContain("5 to create, 6 to update, 2 to delete");
    expect(out).toContain("Apply: 15 calls done, 0 failed, 0 not started; 2 zones as declared.");
    expect(out).toContain("Plan: no changes");
    expect(out).toContain('"Storefront scripts": not ready: would block 3 loads');
    expect(out).toContain("written into examples/complete.yaml");
    expect(out).toContain("Valid: 2 zones, 2 tests.");
    expect(out).toContain('"Storefront scripts": ready to block');
    expect(out).toContain("↑ from reporting to blocking");
  });

  test("emulator prints its address as one line of JSON, and keeps its state in a file", async () => {
    const cwd = await folderWith({
      "zoneward.yaml": "version: 1\nzones: { example.com: { settings: { enabled: true } } }\n",
    });
    const start = async () => {
      const child = spawn(process.execPath, [CLI, "emulator", "--state", "state.json"], {
        cwd,
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      const [line] = await new Promise<string[]>((resolve) =>
        child.stdout.once("data", (data) => resolve(String(data).split("\n"))),
      );
      return { child, ready: JSON.parse(line ?? "") };
    };
    const first = await start();
    expect(Object.keys(first.ready)).toEqual(["url", "token", "email", "key", "account_id", "zones"]);
    const env = {
      CLOUDFLARE_EMAIL: first.ready.email,
      CLOUDFLARE_API_KEY: first.ready.key,
      CLOUDFLARE_BASE_URL: first.ready.url,
    };
    expect((await zoneward(["apply", "--yes"], { cwd, env })).code).toBe(0);
    first.child.kill("SIGTERM");
    expect(await new Promise((resolve) => first.child.once("close", resolve))).toBe(0);
    const second = await start();
    const again = await zoneward(["plan", "--detailed-exitcode"], {
      cwd,
      env: { ...env, CLOUDFLARE_BASE_URL: second.ready.url },
    });
    expect(again.code).toBe(0);
  });
});

describe("the examples", () => {
  test.each([
    ["minimal.yaml", /^$/],
    ["complete.yaml", /^$/],
    ["tests.yaml", /^\S+ warning: Policy blocks without a reporting period \[blocks_untried\]\n/],
  ])("%s is valid and can be planned", async (file, remarks) => {
    const seed = parse(await readFile(path.join(ROOT, "examples/complete.live.yaml"), "utf8")) as Seed;
    const emulator = await createEmulator({
      seed: { ...seed, zones: { ...seed.zones, "example.com": {} } },
    });
    onTestFinished(() => emulator.close());
    const config = ["-c", `examples/${file}`];
    expect((await zoneward(["validate", ...config])).code).toBe(0);
    const env = { ...reaching(emulator), LOGPUSH_DESTINATION: "https://logs.example/http_requests" };
    const planned = await zoneward(["plan", ...config, "--detailed-exitcode", "--quiet"], { env });
    expect([planned.code, planned.err]).toEqual([2, expect.stringMatching(remarks)]);
  });
});
