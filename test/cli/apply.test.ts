import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type EmulatorOptions, type PlanDocument } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { endOfWaiting } from "../support/no-waiting.js";

beforeEach(() => endOfWaiting());

const CONFIG = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true, use_connection_url_path: true }
    policies:
      - { description: New, action: log, expression: "true", value: script-src 'self' }
  blog.example.com:
    settings: { enabled: true }
`;

async function start(options: EmulatorOptions = {}, config = CONFIG) {
  const seed = { zones: { "shop.example.com": {}, "blog.example.com": {} } };
  const emulator = await createEmulator({ seed, ...options });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": config });
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  return { emulator, cwd, run };
}

describe("apply", () => {
  test("without a terminal and without --yes writes nothing and exits with 1", async () => {
    const { emulator, run } = await start();
    const { code, err } = await run("apply");
    expect(code).toBe(1);
    expect(err).toContain("--yes");
    expect(emulator.writes()).toEqual([]);
  });

  test("with --yes applies, reports, and leaves nothing to plan", async () => {
    const { run } = await start();
    const { code, out } = await run("apply", "--yes");
    expect(out).toContain("Apply: 3 calls done, 0 failed, 0 not started; 2 zones as declared.");
    expect(out).toContain("  done  updated settings (blog.example.com)\n");
    expect(out).not.toContain("/zones/");
    expect(code).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).code).toBe(0);
  });

  test("prints its JSON report alone on stdout", async () => {
    const { run } = await start();
    const { out } = await run("apply", "--yes", "--format", "json");
    const report = JSON.parse(out);
    expect(report.summary).toEqual({
      done: 3,
      failed: 0,
      not_started: 0,
      zones_converged: 2,
      zones_failed: 0,
    });
    expect(
      report.outcomes.map(({ step, zone, status }: Record<string, unknown>) => [step, zone, status]),
    ).toEqual([
      [1, "shop.example.com", "done"],
      [2, "shop.example.com", "done"],
      [3, "blog.example.com", "done"],
    ]);
    expect(report.converged).toBe(true);
  });

  test("stops a zone at its failed call, continues with the others, and exits with 1", async () => {
    const { emulator, run } = await start({ policyLimit: 0 });
    const { code, out, err } = await run("apply", "--yes");
    expect(code).toBe(1);
    expect(out).toContain("Apply: 2 calls done, 1 failed, 0 not started; 1 of 2 zones as declared.");
    expect(out).toMatch(/ {2}failed {2}create policy ".*" \(shop\.example\.com\)\n/);
    expect(err).toContain("POST /zones/");
    expect(emulator.state().zones["blog.example.com"]?.settings?.enabled).toBe(true);
  });

  test.each<[string, EmulatorOptions, boolean]>([
    ["offers no rollback if the service refused its only call", { policyLimit: 0 }, false],
    [
      "offers a rollback if its only call may have had an effect",
      {
        faults: {
          schedule: [1, 2].map((nth) => ({ fault: "502-before" as const, method: "POST" as const, nth })),
        },
      },
      true,
    ],
  ])(
    "%s",
    async (_, options, isUndoable) => {
      const policy = "{ description: New, action: log, expression: \"true\", value: script-src 'self' }";
      const config = `version: 1\nzones:\n  shop.example.com:\n    policies: [${policy}]\n`;
      const { run } = await start(options, config);
      const { code, out, err } = await run("apply", "--yes");
      expect(code).toBe(1);
      expect(out).toContain("0 calls done, 1 failed");
      expect(err).toContain("Journal: ");
      expect(out.includes("To roll back:")).toBe(isUndoable);
    },
    30_000,
  );

  test("of a saved plan needs no --yes", async () => {
    const { run } = await start();
    await run("plan", "-o", "plan.json");
    expect((await run("apply", "plan.json")).code).toBe(0);
  });

  test("of a saved plan that is already applied succeeds and does nothing", async () => {
    const { emulator, run } = await start();
    await run("plan", "-o", "plan.json");
    await run("apply", "plan.json");
    const writes = emulator.writes().length;
    const again = await run("apply", "plan.json");
    expect(again.code).toBe(0);
    expect(again.out).toContain("Apply: already applied; 2 zones as declared.");
    expect(emulator.writes().length).toBe(writes);
  });

  test("of a saved plan with a base recognises its own changes after the first apply", async () => {
    const { emulator, cwd, run } = await start();
    await run("apply", "--yes");
    await mkdir(path.join(cwd, "before"));
    await writeFile(path.join(cwd, "before", "zoneward.yaml"), CONFIG);
    await writeFile(
      path.join(cwd, "zoneward.yaml"),
      CONFIG.replace("script-src 'self'", "script-src 'self' a.example").replace(
        "settings: { enabled: true }\n",
        "settings: { enabled: false }\n",
      ),
    );
    await run("plan", "--base", "before", "-o", "plan.json");
    await run("apply", "plan.json", "--base", "before");
    const writes = emulator.writes().length;
    const again = await run("apply", "plan.json", "--base", "before");
    expect(again.code).toBe(0);
    expect(again.out).toContain('= weakens (already applied)  policy "New"');
    expect(again.out).toContain("0 to delete, 2 already applied, ");
    expect(again.out).toContain("Apply: already applied; 2 zones as declared.");
    expect(again.out).not.toMatch(/outside the files|conflict/);
    expect(emulator.writes().length).toBe(writes);
  });

  test("refuses a plan file that calls its own changes already applied", async () => {
    const { cwd, run } = await start();
    await run("plan", "-o", "plan.json");
    const file = path.join(cwd, "plan.json");
    const document = JSON.parse(await readFile(file, "utf8"));
    for (const change of document.changes) Object.assign(change, { applied: true });
    await writeFile(file, JSON.stringify(document));
    for (const command of ["show", "apply"]) {
      const { code, err } = await run(command, "plan.json");
      expect([code, err]).toEqual([1, expect.stringContaining("Plan file was edited")]);
    }
  });

  test("of a saved plan refuses a zone with changed live state, names the change, and applies the others", async () => {
    const { emulator, cwd, run } = await start();
    await run("plan", "-o", "plan.json");
    const id = emulator.zones["shop.example.com"];
    await fetch(`${emulator.url}/zones/${id}/page_shield`, {
      method: "PUT",
      headers: { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" },
      body: JSON.stringify({ enabled: true }),
    });
    const { code, err } = await zoneward(["apply", "plan.json"], { cwd, env: reaching(emulator) });
    expect(code).toBe(1);
    expect(err).toContain("shop.example.com has changed: settings (enabled: false → true)");
    expect(emulator.state().zones["shop.example.com"]?.policies).toEqual([]);
    expect(emulator.state().zones["blog.example.com"]?.settings?.enabled).toBe(true);
  });

  test("of a saved plan refuses a zone with changed files", async () => {
    const { emulator, cwd, run } = await start();
    await run("plan", "-o", "plan.json");
    await writeFile(
      path.join(cwd, "zoneward.yaml"),
      CONFIG.replace("script-src 'self'", "script-src 'none'"),
    );
    const { code, err } = await run("apply", "plan.json");
    expect(code).toBe(1);
    expect(err).toContain("Files changed since the plan");
    expect(emulator.state().zones["shop.example.com"]?.settings?.enabled).toBe(false);
  });

  test("refuses an edited plan file completely", async () => {
    const { emulator, cwd, run } = await start();
    await run("plan", "-o", "plan.json");
    const file = path.join(cwd, "plan.json");
    const document = JSON.parse(await readFile(file, "utf8")) as PlanDocument;
    const edits: ((copy: PlanDocument) => void)[] = [
      (copy) => Object.assign(copy.calls[0] ?? {}, { path: "/zones/0/page_shield" }),
      (copy) => Object.assign(copy.calls[1]?.body ?? {}, { value: "script-src evil.example" }),
      (copy) => Object.assign(copy, { calls: copy.calls.slice(0, -1) }),
      (copy) => Object.assign(copy, { zones: copy.zones.slice(0, -1) }),
      (copy) => Object.assign(copy.zones[0] ?? {}, { digest: `sha256:${"0".repeat(64)}` }),
      (copy) => Object.assign(copy.seen[0] ?? {}, { state: null }),
      (copy) => Object.assign(copy, { digest: `sha256:${"0".repeat(64)}` }),
    ];
    for (const edit of edits) {
      const copy = structuredClone(document);
      edit(copy);
      await writeFile(file, JSON.stringify(copy));
      const { code, err } = await run("apply", "plan.json");
      expect([code, err]).toEqual([1, expect.stringContaining("Plan file was edited")]);
    }
    expect(emulator.writes()).toEqual([]);
  });

  test("refuses a plan file with edited shown changes", async () => {
    const { emulator, cwd, run } = await start();
    await run("plan", "-o", "plan.json");
    const file = path.join(cwd, "plan.json");
    const document = JSON.parse(await readFile(file, "utf8")) as PlanDocument;
    Object.assign(document.changes[1]?.fields.at(-1) ?? {}, { after: "script-src 'none'" });
    await writeFile(file, JSON.stringify(document));
    const { code, err } = await run("apply", "plan.json");
    expect([code, err]).toEqual([1, expect.stringContaining("Plan file was edited")]);
    expect(emulator.state().zones["shop.example.com"]?.policies).toEqual([]);
  });

  test("refuses a plan file with an edited selection of zones", async () => {
    const { cwd, run } = await start();
    await run("plan", "-o", "plan.json");
    const file = path.join(cwd, "plan.json");
    const document = JSON.parse(await readFile(file, "utf8")) as PlanDocument;
    Object.assign(document.inputs, { zones: ["blog.example.com"] });
    await writeFile(file, JSON.stringify(document));
    const { code, err } = await run("apply", "plan.json");
    expect([code, err]).toEqual([1, expect.stringContaining("Plan file was edited")]);
  });

  test("fails if the service accepts a call without storing it, and names the field", async () => {
    const id = "353c8d1a7323a8d9ca50e4ef0135e023";
    const forgetful = createServer((request, response) => {
      request.resume().on("end", () => {
        response.setHeader("content-type", "application/json");
        const isList = request.url?.includes("/zones?") === true;
        const result = isList ? [{ id, name: "shop.example.com" }] : { enabled: false };
        response.end(JSON.stringify({ success: true, errors: [], messages: [], result }));
      });
    });
    await new Promise<void>((resolve) => forgetful.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void forgetful.close());
    const { port } = forgetful.address() as AddressInfo; // The server listens on TCP, so its address is an object.
    const env = { CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_BASE_URL: `http://127.0.0.1:${port}/client/v4` };
    const config = `version: 1\nzones:\n  shop.example.com: { id: ${id}, settings: { enabled: true } }\n`;
    const cwd = await folderWith({ "zoneward.yaml": config });
    const { code, out, err } = await zoneward(["apply", "--yes"], { cwd, env });
    expect(code).toBe(1);
    expect(out).toContain("Apply: 1 call done, 0 failed, 0 not started; 0 of 1 zone as declared.");
    expect(err).toContain("settings of shop.example.com differs from the files: enabled is false, not true");
  });

  test("refuses two declared zones with the same zone id", async () => {
    const { emulator, cwd, run } = await start();
    const id = emulator.zones["blog.example.com"];
    const twins = `version: 1\nzones:\n  x.example.com: { id: "${id}", settings: { enabled: false } }\n  blog.example.com: { settings: { enabled: true } }\n`;
    await writeFile(path.join(cwd, "zoneward.yaml"), twins);
    const { code, err } = await run("apply", "--yes");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("x.example.com and blog.example.com all have the zone id"),
    ]);
    expect(emulator.writes()).toEqual([]);
  });

  test.each([
    ["is not JSON", "version: 1", "is not JSON"],
    ["is of another version", '{"format_version": "2"}', 'has format_version "2"'],
    ["is not a plan", '{"format_version": "1"}', "does not have the form of a plan"],
  ])("refuses a plan file that %s", async (_, text, expected) => {
    const { cwd, run } = await start();
    await writeFile(path.join(cwd, "plan.json"), text);
    const { code, err } = await run("apply", "plan.json");
    expect(code).toBe(1);
    expect(err).toContain(expected);
  });

  test("is refused by a guardrail with exit code 3 until the guardrail is lifted", async () => {
    const config = "version: 1\nzones:\n  shop.example.com: { policies: [], prune: [policies] }\n";
    const policies = [
      { description: "Last", action: "log", enabled: true, expression: "true", value: "script-src 'self'" },
    ];
    const { emulator, run } = await start({ seed: { zones: { "shop.example.com": { policies } } } }, config);
    expect((await run("plan")).code).toBe(0);
    const refused = await run("apply", "--yes");
    expect(refused.code).toBe(3);
    expect(refused.err).toContain("--allow prune_all");
    expect(emulator.writes()).toEqual([]);
    expect((await run("apply", "--yes", "--allow", "prune_all")).code).toBe(0);
    expect(emulator.state().zones["shop.example.com"]?.policies).toEqual([]);
  });
});

test.each([
  ["apply", "--allow", "nothing", "--format", "json"],
  ["rollback", "--format=json", "--alow", "x"],
  ["plan", "--format", "json", "too-much"],
  ["scripts", "list", "--format", "json", "--nothing"],
  ["csp", "check", "x", "--format", "json", "--nothing"],
])("an invalid command line with --format json is answered in JSON: %j", async (...args) => {
  const { code, out, err } = await zoneward(args);
  expect([code, err]).toEqual([1, ""]);
  expect(JSON.parse(out)).toMatchObject({ ok: false, problems: [{ code: "bad_command_line" }] });
});

test("an invalid command line is answered in text if its format is invalid or unsupported", async () => {
  for (const args of [
    ["apply", "--format", "jsn"],
    ["version", "--format", "json"],
  ]) {
    const { code, out, err } = await zoneward(args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("error: Invalid command line\n  ");
  }
});
