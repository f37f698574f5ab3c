import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const OPEN = "https://logs.example/in?key=of-the-destination";
const BUCKET = "s3://shop-logs/http?region=eu-west-1";

const job = { id: 7, name: "siem", dataset: "http_requests", enabled: true, destination_conf: OPEN };

function fileOf(entry: string, service = ""): string {
  return `version: 1\n${service}zones:\n  shop.example.com:\n    logpush_jobs:\n      - ${entry}\n`;
}

const replaced = '{ name: siem, renamed_from: siem, dataset: dns_logs, destination_conf: "${secret:WHERE}" }';

async function worldWith(
  file: string,
  options: EmulatorOptions & { readonly jobs?: readonly object[] } = {},
) {
  const { jobs = [job], ...rest } = options;
  const zone = { logpush_jobs: jobs as readonly (typeof job)[] };
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": zone } }, ...rest });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": file });
  const env = { ...reaching(emulator), WHERE: OPEN, BUCKET };
  return {
    run: (...args: string[]) => zoneward(args, { cwd, env }),
    cwd,
    jobs: () =>
      (emulator.state().zones["shop.example.com"]?.logpush_jobs ?? []).map(({ id, dataset }) => [
        id,
        dataset,
      ]),
    writes: () => emulator.writes().map(({ method }) => method),
  };
}

describe("validate of a job", () => {
  const proven = "name: siem, dataset: http_requests";
  const rows: readonly [sentence: string, entry: string, code: number, said: string][] = [
    [
      "suggests the correct dataset",
      '{ name: siem, dataset: http-requests, destination_conf: "${secret:WHERE}" }',
      0,
      'Did you mean "http_requests"?',
    ],
    [
      "needs no proof for a bucket, because the job may be live",
      `{ ${proven}, destination_conf: "gs://logs/a" }`,
      0,
      "",
    ],
    [
      "accepts a proof that is not set here",
      `{ ${proven}, destination_conf: "\${secret:BUCKET}", ownership_challenge: "\${secret:PROOF}" }`,
      0,
      "",
    ],
    [
      "does not judge a destination that is not set here",
      `{ ${proven}, destination_conf: "\${secret:NOT_SET}" }`,
      0,
      "",
    ],
    [
      "needs no proof for a bucket with its keys",
      `{ ${proven}, destination_conf: "\${secret:BUCKET}&access-key-id=a&secret-access-key=b" }`,
      0,
      "",
    ],
    ["needs no proof for a web address", `{ ${proven}, destination_conf: "\${secret:WHERE}" }`, 0, ""],
    [
      "needs no proof for a pinned job, which is live",
      `{ ${proven}, id: 7, destination_conf: "\${secret:BUCKET}" }`,
      0,
      "",
    ],
  ];
  test.each(rows)("%s", async (_, entry, code, said) => {
    const { run } = await worldWith(fileOf(entry));
    const ran = await run("validate");
    expect(ran.code).toBe(code);
    expect(ran.out + ran.err).toContain(said);
    expect(ran.out + ran.err).not.toContain("shop-logs");
  });
});

describe("a job with a changed dataset", () => {
  test("is one change, and is created in its new form before the old one is deleted", async () => {
    const { run, jobs, writes } = await worldWith(fileOf(replaced));
    const planned = await run("plan");
    expect(planned.out).toContain('-/+ mixed  logpush_job "siem" 7');
    expect(planned.out).toContain("0 to create, 1 to update (1 replaced), 0 to delete");
    expect((await run("apply", "--yes")).code).toBe(0);
    expect(writes()).toEqual(["POST", "DELETE"]);
    expect(jobs().map(([, dataset]) => dataset)).toEqual(["dns_logs"]);
    expect((await run("plan", "--detailed-exitcode")).code).toBe(0);
  });

  test.each(["deletes", "weakens"])("is refused by `forbid: [%s]`", async (guardrail) => {
    const { run, writes } = await worldWith(fileOf(replaced, `guardrails: { forbid: [${guardrail}] }\n`));
    expect((await run("apply", "--yes")).code).toBe(3);
    expect(writes()).toEqual([]);
  });

  test("counts for max_deletes", async () => {
    const { run, writes } = await worldWith(fileOf(replaced, "guardrails: { max_deletes: 0 }\n"));
    expect((await run("apply", "--yes")).code).toBe(3);
    expect(writes()).toEqual([]);
  });

  test("is not replaced if the new job needs a proof", async () => {
    const { run, jobs, writes } = await worldWith(fileOf(replaced.replace("WHERE", "BUCKET")));
    const ran = await run("apply", "--yes");
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("Ownership proof missing");
    expect([jobs(), writes()]).toEqual([[[7, "http_requests"]], []]);
  });

  test("is kept if the service refuses the new one, and the message names the limit", async () => {
    const { run, jobs } = await worldWith(fileOf(replaced), { logpushJobLimit: 1 });
    const ran = await run("apply", "--yes");
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("service.limits.logpush_jobs");
    expect(ran.err).toContain("--allow replace_with_gap");
    expect(jobs()).toEqual([[7, "http_requests"]]);
  });

  test("is deleted first only if a limit leaves no room and --allow permits it", async () => {
    const limit = "service: { limits: { logpush_jobs: 1 } }\n";
    const { run, jobs, writes } = await worldWith(fileOf(replaced, limit), { logpushJobLimit: 1 });
    const refused = await run("apply", "--yes");
    expect(refused.code).toBe(3);
    expect(refused.err).toContain("replace_with_gap");
    expect(writes()).toEqual([]);
    expect((await run("apply", "--yes", "--allow", "replace_with_gap")).code).toBe(0);
    expect(writes()).toEqual(["DELETE", "POST"]);
    expect(jobs().map(([, dataset]) => dataset)).toEqual(["dns_logs"]);
  });

  const both = { jobs: [job, { ...job, id: 8, dataset: "dns_logs" }] };

  test("that exists in both forms is two jobs, of which the old one is undeclared", async () => {
    const { run, jobs, writes } = await worldWith(fileOf(replaced), both);
    const ran = await run("apply", "--yes");
    expect([ran.code, writes()]).toEqual([0, []]);
    expect(ran.out).toContain('"siem (http_requests)"');
    expect(jobs()).toHaveLength(2);
  });

  test("is the same job if it is the only one of its name and there is no base", async () => {
    const { run, jobs, writes } = await worldWith(fileOf(replaced.replace(" renamed_from: siem,", "")));
    expect([(await run("apply", "--yes")).code, writes()]).toEqual([0, ["POST", "DELETE"]]);
    expect(jobs().map(([, dataset]) => dataset)).toEqual(["dns_logs"]);
  });

  test("is another job if the base does not have it", async () => {
    const { run, cwd, jobs } = await worldWith(fileOf(replaced.replace(" renamed_from: siem,", "")));
    const base = await folderWith({
      "zoneward.yaml": fileOf("{ name: other, dataset: http_requests, ensure: absent }"),
    });
    const ran = await run("apply", "--yes", "--base", path.relative(cwd, base));
    expect(ran.code).toBe(0);
    expect(jobs().map(([, dataset]) => dataset)).toEqual(["http_requests", "dns_logs"]);
  });

  test("is the same job if the base has it with the other dataset only", async () => {
    const now = replaced.replace(" renamed_from: siem,", "");
    const { run, cwd, jobs, writes } = await worldWith(fileOf(now));
    const base = await folderWith({ "zoneward.yaml": fileOf(now.replace("dns_logs", "http_requests")) });
    const ran = await run("apply", "--yes", "--base", path.relative(cwd, base));
    expect([ran.code, writes()]).toEqual([0, ["POST", "DELETE"]]);
    expect(jobs().map(([, dataset]) => dataset)).toEqual(["dns_logs"]);
  });

  test("that exists in both forms is completed if the base has the old form", async () => {
    const { run, cwd, jobs } = await worldWith(fileOf(replaced), both);
    const base = await folderWith({
      "zoneward.yaml": fileOf(
        replaced.replace(" renamed_from: siem, dataset: dns_logs", " dataset: http_requests"),
      ),
    });
    const ran = await run("apply", "--yes", "--base", path.relative(cwd, base));
    expect(ran.code).toBe(0);
    expect(jobs()).toEqual([[8, "dns_logs"]]);
  });

  test("is restored with all its fields by a rollback before its replacement is deleted", async () => {
    const whole = {
      ...job,
      filter: '{"where":{"key":"Status","operator":"eq","value":500}}',
      unheard_of: [1],
    };
    const other = { ...job, id: 9, name: "other", unheard_of: [2] };
    const { run, jobs, writes } = await worldWith(fileOf(replaced), { jobs: [whole, other] });
    const applied = await run("apply", "--yes", "--format", "json");
    const { journal } = JSON.parse(applied.out);
    expect((await run("rollback", journal, "--yes")).code).toBe(0);
    expect(writes()).toEqual(["POST", "DELETE", "POST", "DELETE"]);
    expect(jobs().map(([, dataset]) => dataset)).toEqual(["http_requests", "http_requests"]);
    const live = await run("plan", "--format", "json");
    expect(JSON.parse(live.out).seen[0].state.dataset).toBe("http_requests");
  });
});
