import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type EmulatorOptions, type Faults, plan } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

const CONFIG = `version: 1
zones:
  shop.example.com:
    logpush_jobs:
      - { name: a, dataset: http_requests, destination_conf: "\${secret:WHERE}", fields: [RayID] }
`;

async function start(options: EmulatorOptions, config = CONFIG) {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } }, ...options });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": config });
  const environment = { WHERE: "https://logs.example/in", ...reaching(emulator) };
  return { emulator, run: (...allow: string[]) => apply({ cwd, environment, allow, rateLimit: "off" }) };
}

test.each<[string, EmulatorOptions]>([
  ["with the interface dialect", { dialect: "interface" }],
  ["that only offers creation", { logpushCreationOnly: true }],
])("a service %s needs --allow create_unlisted to create a job", async (_, options) => {
  const { emulator, run } = await start(options);
  const refused = await run();
  expect([refused.report, emulator.writes()]).toEqual([null, []]);
  const { report } = await run("create_unlisted");
  expect(report).toMatchObject({ converged: true, summary: { done: 1, failed: 0 } });
  const jobs = emulator.state().zones["shop.example.com"]?.logpush_jobs;
  expect(jobs).toMatchObject([{ name: "a", enabled: true, logpull_options: "fields=RayID" }]);
});

test("if jobs cannot be listed, a failed apply warns that the next one would create its new jobs again", async () => {
  const second = CONFIG.slice(CONFIG.indexOf("      - ")).replace("name: a", "name: b");
  const faults: Faults = { schedule: [{ method: "POST", nth: 2, fault: "500-before" }] };
  const { emulator, run } = await start({ logpushCreationOnly: true, faults }, CONFIG + second);
  const { report } = await run("create_unlisted");
  expect(report?.summary).toMatchObject({ done: 1, failed: 1, not_started: 0 });
  expect(emulator.state().zones["shop.example.com"]?.logpush_jobs).toHaveLength(1);
  const unseen = report?.zones[0]?.problems.filter(({ code }) => code === "not_read_back");
  expect(unseen).toMatchObject([
    { severity: "warning", detail: expect.stringContaining("Remove it from the file") },
  ]);
});

test.each([false, true])(
  "output options are as declared after apply, with or without defaults from the service (%s)",
  async (logpushOutputFilled) => {
    const emulator = await createEmulator({
      seed: { zones: { "shop.example.com": {} } },
      logpushOutputFilled,
    });
    onTestFinished(() => emulator.close());
    const environment = { WHERE: "https://logs.example/in", ...reaching(emulator) };
    const steps = [
      "{ output_type: csv }",
      '{ output_type: ndjson, batch_prefix: "<" }',
      "{ sample_rate: 0.5 }",
    ];
    for (const options of steps) {
      const config = CONFIG.replace(
        "fields: [RayID]",
        `fields: [RayID], extra: { output_options: ${options} }`,
      );
      const cwd = await folderWith({ "zoneward.yaml": config });
      const { report } = await apply({ cwd, environment, rateLimit: "off" });
      expect(report?.converged).toBe(true);
      const { document } = await plan({ cwd, environment, rateLimit: "off" });
      expect(document?.calls).toEqual([]);
    }
    expect(emulator.writes().map(({ method }) => method)).toEqual(["POST", "PUT", "PUT"]);
  },
);

test("an unknown zone id is not treated as a service without a list", async () => {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
  onTestFinished(() => emulator.close());
  const id = "353c8d1a7323a8d9ca50e4ef0135e023";
  const cwd = await folderWith({
    "zoneward.yaml": CONFIG.replace("    logpush", `    id: ${id}\n    logpush`),
  });
  const environment = { WHERE: "https://logs.example/in", ...reaching(emulator) };
  const { document, problems } = await plan({ cwd, environment, rateLimit: "off" });
  expect(document?.zones).toMatchObject([{ status: "failed" }]);
  expect(problems.map(({ code, detail }) => [code, detail.includes(`/zones/${id}/logpush/jobs`)])).toEqual([
    ["no_route", true],
  ]);
});

test("at the limit of jobs, the service's reason is shown and nothing else is done", async () => {
  const { emulator, run } = await start({ logpushJobLimit: 0 });
  const { report, problems } = await run();
  expect(report).toMatchObject({ converged: false, summary: { done: 0, failed: 1 } });
  expect(problems.map(({ detail }) => detail).join()).toContain("exceeded max jobs allowed");
  expect(emulator.state().zones["shop.example.com"]?.logpush_jobs).toBeUndefined();
});
