import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const BUCKET = "s3://shop-logs/http?region=eu-west-1";
const FILE = `version: 1
zones:
  shop.example.com:
    logpush_jobs:
      - { name: siem, dataset: http_requests, destination_conf: "\${secret:BUCKET}", ownership_challenge: "\${secret:PROOF}" }
      - { name: twice, dataset: http_requests, destination_conf: "\${secret:BUCKET}", ownership_challenge: "\${secret:PROOF}" }
      - { name: twice, dataset: dns_logs, destination_conf: "\${secret:GONE}", ownership_challenge: "\${secret:PROOF}" }
`;

async function world() {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": FILE });
  const env = { ...reaching(emulator), BUCKET, PROOF: "some-token-of-the-bucket" };
  return { run: (...args: string[]) => zoneward(["logpush", ...args], { cwd, env }), emulator };
}

test("challenge says what it sends, and sends it only with a yes", async () => {
  const { run, emulator } = await world();
  const asked = await run("challenge", "siem");
  expect([asked.code, emulator.writes()]).toEqual([1, []]);
  expect(asked.out).toContain('/logpush/ownership {"destination_conf":"(sensitive)"}');
  const done = await run("challenge", "siem", "--yes");
  expect([done.code, emulator.writes().length]).toEqual([0, 1]);
  expect(done.out).toContain("The token is in ");
  expect(done.out + done.err).not.toContain("shop-logs");
});

test("check holds destination and token against the service", async () => {
  const { run } = await world();
  const good = await run("check", "siem");
  expect([good.code, good.out]).toEqual([0, expect.stringContaining("The token is good.")]);
  await run("challenge", "siem", "--yes");
  const bad = await run("check", "siem", "--format", "json");
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.out).calls.map(({ valid }: { valid: boolean }) => valid)).toEqual([true, false]);
});

test("a job has to be there, clear, and known", async () => {
  const { run, emulator } = await world();
  expect((await run("check", "twice")).err).toContain("--dataset");
  expect((await run("check", "none")).err).toContain("no log-push job");
  expect((await run("check", "twice", "--dataset", "dns_logs")).err).toContain("not set");
  expect((await run("chek", "siem")).err).toContain("Did you mean check?");
  expect(emulator.writes()).toEqual([]);
});
