import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type Dialect, type EmulatorOptions } from "../../src/index.js";
import { quickFolder } from "../apply/run.js";
import { reaching, zoneward } from "../support/cli.js";
import { endOfWaiting } from "../support/no-waiting.js";

const ZONES = ["a.example", "b.example", "c.example"];

async function start(options: EmulatorOptions, fields: string, dataset = "http_requests") {
  const zones = Object.fromEntries(ZONES.map((name) => [name, {}]));
  const emulator = await createEmulator({ seed: { zones }, ...options });
  onTestFinished(() => emulator.close());
  const cwd = await quickFolder(`version: 1
templates:
  logged:
    logpush_jobs:
      - { name: logs, dataset: ${dataset}, destination_conf: "\${secret:WHERE}", fields: [${fields}] }
zones:
${ZONES.map((name) => `  ${name}: { extends: [logged] }\n`).join("")}`);
  const env = { WHERE: "https://logs.example/in", ...reaching(emulator) };
  const fieldRequests = () => emulator.log.filter(({ path }) => path.endsWith("/fields")).length;
  return { emulator, fieldRequests, run: (...args: string[]) => zoneward(args, { cwd, env }) };
}

test.each<Dialect>(["service", "interface"])(
  "plan asks once per run for the fields of a dataset (%s)",
  async (dialect) => {
    const { fieldRequests, run } = await start({ dialect }, "RayID, ClientIP");
    const { code, out, err } = await run("plan");
    expect([code, fieldRequests()]).toEqual([0, 1]);
    expect(out + err).not.toContain("unknown field");
  },
);

test("drift and validate ask for no fields", async () => {
  const { fieldRequests, run } = await start({}, "RayId");
  const { code, out, err } = await run("validate");
  expect([code, out + err]).toEqual([0, expect.stringContaining('Did you mean "RayID"?')]);
  await run("drift");
  expect(fieldRequests()).toBe(0);
});

test.each(["success-false-before", "redirect", "truncated", "no-result"] as const)(
  "plan succeeds without the list of fields (%s)",
  async (fault) => {
    onTestFinished(endOfWaiting());
    const { run } = await start(
      { faults: { rates: [{ path: "*/logpush/datasets/*", chance: 1, fault }] } },
      "RayId",
    );
    const { code, out, err } = await run("plan");
    expect([code, out + err]).toEqual([0, expect.stringContaining('Unknown field "RayId" of http_requests')]);
  },
);

test("a field that the service refuses fails its section only", async () => {
  const emulator = await createEmulator({ seed: { zones: { "a.example": {} } } });
  onTestFinished(() => emulator.close());
  const cwd = await quickFolder(`version: 1
zones:
  a.example:
    settings: { enabled: true }
    logpush_jobs:
      - { name: logs, dataset: http_requests, destination_conf: "\${secret:WHERE}", fields: [NoSuchField] }
`);
  const env = { WHERE: "https://logs.example/in", ...reaching(emulator) };
  const planned = await zoneward(["plan", "--format", "json"], { cwd, env });
  expect(planned.code).toBe(1);
  expect(JSON.parse(planned.out)).toMatchObject({
    zones: [{ status: "partly" }],
    changes: [{ kind: "settings" }],
    diagnostics: [{ severity: "error", code: "unknown_log_field" }],
  });
  const applied = await zoneward(["apply", "--yes"], { cwd, env });
  expect([applied.code, emulator.writes().map(({ path }) => path.replace(/.*\//, ""))]).toEqual([
    1,
    ["page_shield"],
  ]);
  expect(applied.out + applied.err).toContain("NoSuchField");
});
