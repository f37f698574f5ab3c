import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type PlanDocument } from "../../src/index.js";
import { folderWith, type Ran, reaching, zoneward } from "../support/cli.js";

const ENV = { A: "https://logs.corp.example/in", B: "https://logs.corp.example/in", KEY: "0123456789abcdef" };

const LIVE = { id: 7, name: "logs", dataset: "http_requests", destination_conf: "https://old.example/in" };

/** A zone with one job that has these fields. */
function jobOf(lines: string): string {
  return `version: 1\nzones:\n  shop.example.com:\n    logpush_jobs:\n      - name: logs\n        ${lines.trim().replaceAll("\n", "\n        ")}\n`;
}

async function repository(before: string) {
  const emulator = await createEmulator({
    seed: { zones: { "shop.example.com": { logpush_jobs: [LIVE] } } },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": jobOf(before) });
  const run = (...args: string[]): Promise<Ran> =>
    zoneward(args, { cwd, env: { ...ENV, ...reaching(emulator) } });
  const planned = async (...args: string[]): Promise<PlanDocument> => {
    const { code, out, err } = await run("plan", "--format", "json", ...args);
    expect(code, err).toBe(0);
    return JSON.parse(out);
  };
  const push = (lines: string) => writeFile(path.join(cwd, "zoneward.yaml"), jobOf(lines));
  return { emulator, run, planned, push };
}

/** An approved job, and the job after a later push. */
const REDIRECTED: readonly [what: string, approved: string, pushed: string, moved: string][] = [
  [
    "a destination written out",
    "destination_conf: https://logs.corp.example/in",
    "destination_conf: https://logs.evil.example/in",
    'logpush_job "logs", destination_conf, in the files: (sensitive) → (sensitive, changed)',
  ],
  [
    "text beside a reference",
    "destination_conf: https://logs.corp.example/in?header_Authorization=${secret:KEY}",
    "destination_conf: https://logs.evil.example/in?header_Authorization=${secret:KEY}",
    'logpush_job "logs", destination_conf, in the files: (sensitive) → (sensitive, changed)',
  ],
  [
    "the default of a reference",
    "destination_conf: ${secret:UNSET:-https://logs.corp.example/in}",
    "destination_conf: ${secret:UNSET:-https://logs.evil.example/in}",
    'logpush_job "logs", destination_conf, in the files: (sensitive) → (sensitive, changed)',
  ],
  [
    "a reference to another secret with the same value",
    "destination_conf: ${secret:A}",
    "destination_conf: ${secret:B}",
    'logpush_job "logs", destination_conf in the files: ${secret:A} → ${secret:B}',
  ],
  [
    "a reference to another variable with the same value",
    "destination_conf: ${env:A}",
    "destination_conf: ${env:B}",
    'logpush_job "logs", destination_conf in the files: ${env:A} → ${env:B}',
  ],
  [
    "text between two references",
    "destination_conf: ${secret:A}?one=${secret:KEY}",
    "destination_conf: ${secret:A}?two=${secret:KEY}",
    'logpush_job "logs", destination_conf, in the files: (sensitive) → (sensitive, changed)',
  ],
  [
    "the ownership proof",
    "destination_conf: ${secret:A}\nownership_challenge: one-token",
    "destination_conf: ${secret:A}\nownership_challenge: another-token",
    "ownership_challenge, in the files: (sensitive) → (sensitive, changed)",
  ],
  [
    "text around a reference in an extra field",
    "extra: { webhook: 'https://logs.corp.example/${secret:KEY}' }",
    "extra: { webhook: 'https://logs.evil.example/${secret:KEY}' }",
    'logpush_job "logs", extra.webhook, in the files: (sensitive) → (sensitive, changed)',
  ],
  [
    "a number beside a reference inside an extra field",
    "extra: { webhook: { to: ['${secret:KEY}', 1] } }",
    "extra: { webhook: { to: ['${secret:KEY}', 2] } }",
    'logpush_job "logs", extra.webhook, in the files: (sensitive) → (sensitive, changed)',
  ],
];

describe("apply refuses a saved plan", () => {
  test.each(REDIRECTED)("after a push that changes %s", async (_, approved, pushed, moved) => {
    const { emulator, run, planned, push } = await repository(approved);
    const before = await planned("-o", "plan.json");
    expect(before.summary.calls).toBe(1);
    expect(await planned()).toEqual(before);
    await push(pushed);
    const after = await planned();
    expect(after.digest).not.toBe(before.digest);
    expect(after.zones[0]?.digest).not.toBe(before.zones[0]?.digest);
    const applied = await run("apply", "plan.json");
    expect([applied.code, emulator.writes()]).toEqual([1, []]);
    expect(applied.err).toContain(moved);
    for (const text of [applied.out + applied.err, JSON.stringify([before, after])])
      expect(text).not.toMatch(/corp|evil|another-token|0123456789abcdef/);
    await push(approved);
    await run("apply", "plan.json");
    expect(emulator.writes()).toHaveLength(1);
  });
});

test("the digest covers a reference beside a secret whose name contains a dot", async () => {
  const extra = (name: string) => `extra: { hook.b: "\${secret:KEY}", hook: { b: "\${env:${name}}" } }`;
  const { planned, push } = await repository(extra("A"));
  const before = await planned();
  await push(extra("B"));
  expect((await planned()).digest).not.toBe(before.digest);
});

test("apply --digest refuses a plan with another digest before any request", async () => {
  const { emulator, run, planned } = await repository("enabled: true");
  const { digest } = await planned("-o", "plan.json");
  const requests = emulator.log.length;
  for (const [args, why] of [
    [["plan.json", "--digest", `sha256:${"0".repeat(64)}`], "Use the approved plan."],
    [["plan.json", "--digest", "latest"], "Pass the digest of a plan"],
    [["--digest", digest, "--yes"], "needs a saved plan"],
  ] as const) {
    const { code, err } = await run("apply", ...args);
    expect([code, err]).toEqual([1, expect.stringContaining(why)]);
  }
  expect(emulator.log).toHaveLength(requests);
  const { code, err } = await run(
    "apply",
    "plan.json",
    "--digest",
    digest.toUpperCase().replace("SHA", "sha"),
  );
  expect(code, err).toBe(0);
  expect(emulator.writes()).toHaveLength(1);
});

describe("a change of a destination shows references, never values", () => {
  const OLD = "https://old.example/in";

  test.each<[what: string, base: string, head: string, shown: string]>([
    ["both are references", "${secret:OLD}", "${secret:B}", "${secret:OLD} → ${secret:B}"],
    [
      "one is partly written out",
      "${secret:OLD}",
      "https://evil.example/in?k=${secret:KEY}",
      "${secret:OLD} → …${secret:KEY}",
    ],
    [
      "one is written out",
      "${secret:OLD}",
      "https://evil.example/in",
      "${secret:OLD} → (sensitive, changed)",
    ],
    ["the old one was written out", OLD, "${secret:B}", "(sensitive) → ${secret:B}"],
    ["the live one differs from the base", "${secret:A}", "${secret:KEPT}", "(sensitive) → ${secret:KEPT}"],
  ])("%s", async (_, base, head, shown) => {
    const emulator = await createEmulator({
      seed: { zones: { "shop.example.com": { logpush_jobs: [LIVE] } } },
    });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({ "zoneward.yaml": jobOf(`destination_conf: ${head}`) });
    await mkdir(path.join(cwd, "base"));
    await writeFile(path.join(cwd, "base", "zoneward.yaml"), jobOf(`destination_conf: ${base}`));
    const env = { ...ENV, OLD, KEPT: "https://kept.example/in", ...reaching(emulator) };
    const plan = async (format: string) => {
      const { code, out, err } = await zoneward(["plan", "--base", "base", "--format", format], { cwd, env });
      expect(code, err).toBe(0);
      expect(out + err).not.toMatch(/(?:old|evil|corp|kept)\.example/);
      return out;
    };
    expect(await plan("text")).toContain(`destination_conf: ${shown}`);
    const [before = "", after = ""] = shown.split(" → ");
    const markdown = await plan("markdown");
    expect(markdown).toContain(`-   ${before}\n`);
    expect(markdown).toContain(`+   ${after}\n`);
    expect(await plan("html")).toContain(`<del>${before}</del> → <ins>${after}</ins>`);
    const document: PlanDocument = JSON.parse(await plan("json"));
    const field = document.changes[0]?.fields.find(({ path: name }) => name === "destination_conf");
    expect(field?.written?.after).toBe(
      head.replace("https://evil.example/in", "(sensitive)").replace("?k=", ""),
    );
  });
});
