import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const BUCKET = "s3://shop-logs/http?region=eu-west-1";
const FILE = `version: 1
zones:
  shop.example.com:
    logpush_jobs:
      - { name: siem, dataset: http_requests, destination_conf: "\${secret:BUCKET}", ownership_challenge: "\${secret:PROOF}" }
      - { name: bare, dataset: http_requests, destination_conf: "\${secret:BUCKET}" }
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

test("challenge shows the call first, and sends it with --yes only", async () => {
  const { run, emulator } = await world();
  const asked = await run("challenge", "siem");
  expect([asked.code, emulator.writes()]).toEqual([1, []]);
  expect(asked.out).toContain('/logpush/ownership {"destination_conf":"(sensitive)"}');
  const done = await run("challenge", "siem", "--yes");
  expect([done.code, emulator.writes().length]).toEqual([0, 1]);
  expect(done.out).toContain("The token is in ");
  expect(done.out + done.err).not.toContain("shop-logs");
});

test("check verifies the destination and the token", async () => {
  const { run } = await world();
  const good = await run("check", "siem");
  expect([good.code, good.out]).toEqual([0, expect.stringContaining("The token is good.")]);
  await run("challenge", "siem", "--yes");
  const bad = await run("check", "siem", "--format", "json");
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.out).calls.map(({ valid }: { valid: boolean }) => valid)).toEqual([true, false]);
});

test("check warns if a destination needs an ownership proof and none is declared", async () => {
  const { run } = await world();
  const { code, out, err } = await run("check", "bare");
  expect([code, out]).toEqual([0, expect.stringContaining("The destination is good.")]);
  expect(err).toContain("warning: Ownership proof missing");
  expect(err).toContain("so only its destination was checked");
});

test("challenge and check refuse missing, ambiguous and unset jobs", async () => {
  const { run, emulator } = await world();
  expect((await run("check", "twice")).err).toContain("--dataset");
  expect((await run("check", "none")).err).toContain("no log-push job");
  expect((await run("check", "twice", "--dataset", "dns_logs")).err).toContain("not set");
  expect((await run("chek", "siem")).err).toContain("Did you mean check?");
  expect(emulator.writes()).toEqual([]);
});

const MINE = "s3://mine/logs?region=eu-west-1";
const JOB = "name: siem, dataset: http_requests";
const DECLARED = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    logpush_jobs:
      - { ${JOB}, destination_conf: "\${secret:BUCKET}" }
`;

/** A zone whose job was redirected and whose service was switched off from outside. */
async function hijacked(file: string) {
  const job = { id: 1, name: "siem", dataset: "http_requests", enabled: true };
  const live = { ...job, destination_conf: "s3://of-a-stranger/logs?region=eu-west-1" };
  const zone = { settings: { enabled: false }, logpush_jobs: [live] };
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": zone } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ [file]: DECLARED });
  const env = { ...reaching(emulator), BUCKET: MINE };
  const destination = () => emulator.state().zones["shop.example.com"]?.logpush_jobs?.[0]?.destination_conf;
  return { emulator, cwd, env, destination };
}

test.each([
  ["zoneward.yaml", []],
  ["prod it.yaml", ["-c", "prod it.yaml"]],
])("drift shows the three commands that restore a redirected destination, for %j", async (file, config) => {
  const { cwd, env, destination } = await hijacked(file);
  const drift = await zoneward(["drift", ...config], { cwd, env });
  expect(drift.out).toContain("A log-push job without an ownership proof stays unchanged");
  expect([drift.code, drift.err]).toEqual([0, expect.stringContaining("warning: Ownership proof missing")]);
  const [challenge = "", set = "", reference = "", last = ""] = [...drift.err.matchAll(/`([^`]*)`/g)].map(
    ([, ticked]) => ticked,
  );
  const wordsOf = (command: string) =>
    [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word).slice(1);
  const challenged = await zoneward(wordsOf(challenge), { cwd, env });
  const [token = ""] = /ownership-challenge-\w+/.exec(challenged.out) ?? [];
  const [, name = ""] = /^export (\w+)=TOKEN$/.exec(set) ?? [];
  await writeFile(path.join(cwd, file), DECLARED.replace(JOB, `${JOB}, ${reference.replace(": ", ': "')}"`));
  const applied = await zoneward([...wordsOf(last), "--yes"], { cwd, env: { ...env, [name]: token } });
  expect([applied.code, destination()]).toEqual([0, MINE]);
});

test("plan and apply report a missing proof alike, and leave the job alone", async () => {
  const { cwd, env, destination, emulator } = await hijacked("zoneward.yaml");
  const drift = await zoneward(["drift", "--format", "json"], { cwd, env });
  const planned = await zoneward(["plan", "--format", "json"], { cwd, env });
  const messageIn = (out: string) =>
    JSON.parse(out).diagnostics.find(({ code }: { code: string }) => code === "challenge_missing").message;
  expect([planned.code, messageIn(planned.out)]).toEqual([1, messageIn(drift.out)]);
  const applied = await zoneward(["apply", "--yes"], { cwd, env });
  expect([applied.code, destination()]).toEqual([1, "s3://of-a-stranger/logs?region=eu-west-1"]);
  expect(applied.err).toContain(messageIn(planned.out).split(". ")[1]);
  expect(emulator.writes().map(({ path: at }) => at)).toEqual([expect.stringMatching(/page_shield$/)]);
});

test.each(["markdown", "html", "text"])("drift in %s reports a missing proof", async (format) => {
  const { cwd, env } = await hijacked("zoneward.yaml");
  const { out, err } = await zoneward(["drift", "--format", format], { cwd, env });
  expect(format === "text" ? err : out).toContain(
    "zoneward logpush challenge siem --dataset http_requests --zone shop.example.com --yes",
  );
});

test("applying a drift plan without a proof writes nothing", async () => {
  const { cwd, env, emulator } = await hijacked("zoneward.yaml");
  await zoneward(["drift", "-o", "drift.json"], { cwd, env });
  const applied = await zoneward(["apply", "drift.json"], { cwd, env });
  expect([applied.code, applied.err]).toEqual([
    1,
    expect.stringContaining('logpush_jobs "siem" cannot be planned now'),
  ]);
  expect(emulator.writes().filter(({ path: at }) => at.includes("logpush"))).toEqual([]);
});
