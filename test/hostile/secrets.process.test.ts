import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type ZoneSeed } from "../../src/index.js";
import { start } from "../action/start.js";
import { folderWith, type Ran, reaching, zoneward } from "../support/cli.js";

/** The secret of the base. HTML, Markdown, JSON and URLs all escape some of its characters. */
const DESTINATION = "https://logs.corp.example/in?a=1&header_Authorization=Basic%20c2VjcmV0<'\"_*`";

const ENV = {
  LOGPUSH_DESTINATION: DESTINATION,
  STAGE: "staging",
  MIRROR: DESTINATION,
  AROUND: `before ${DESTINATION} after`,
};

const BASE = `version: 1
zones:
  shop.example.com:
    policies: []
    logpush_jobs:
      - { name: logs, dataset: http_requests, destination_conf: "\${secret:LOGPUSH_DESTINATION}" }
`;

/** The head of a pull request: the job is removed, and a policy has this description. */
function head(description: string): string {
  return `version: 1
zones:
  shop.example.com:
    policies:
      - { description: "${description}", action: log, expression: "true", value: "img-src 'self'" }
    logpush_jobs: []
`;
}

async function pullRequest(
  files: { readonly base: string; readonly head: string },
  live: ZoneSeed = {},
  variables: Readonly<Record<string, string>> = ENV,
) {
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": live } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": files.head });
  await mkdir(path.join(cwd, "base"));
  await writeFile(path.join(cwd, "base", "zoneward.yaml"), files.base);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
    zoneward(args, { cwd, env: { ...variables, ...reaching(emulator), ...env } });
  return { cwd, emulator, run };
}

/** Expects that no output and no file contains the secret, in any spelling. */
async function expectHidden(cwd: string, ...runs: readonly Ran[]): Promise<void> {
  const shown = /logs\.corp|c2VjcmV0|bG9ncy5jb3Jw|header_Auth/i;
  for (const { out, err } of runs) expect(out + err).not.toMatch(shown);
  for (const { name, parentPath } of await readdir(cwd, { recursive: true, withFileTypes: true })) {
    if (name.endsWith(".out")) expect(await readFile(path.join(parentPath, name), "utf8")).not.toMatch(shown);
  }
}

const FORMATS = ["text", "json", "markdown", "html", "sarif"];

describe("a change cannot read a secret of the base as a variable", () => {
  test.each([
    ["unchanged", "${env:LOGPUSH_DESTINATION}", "LOGPUSH_DESTINATION is a secret"],
    ["with a default", "${env:LOGPUSH_DESTINATION:-x}", "LOGPUSH_DESTINATION is a secret"],
    ["inside of a text", "a ${env:STAGE}${env:LOGPUSH_DESTINATION}", "LOGPUSH_DESTINATION is a secret"],
    ["in another letter case", "${env:Logpush_Destination:-x}", "Logpush_Destination is a secret"],
    ["in escapes of YAML", "\\x24{env:LOGPUSH_\\x44ESTINATION}", "LOGPUSH_DESTINATION is a secret"],
    ["under another name", "${env:MIRROR}", "The value of MIRROR contains a secret"],
    ["as a part of another variable", "${env:AROUND}", "The value of AROUND contains a secret"],
    [
      "as a default of another",
      "${env:NOT_SET:-${secret:LOGPUSH_DESTINATION}}",
      "A default cannot contain another",
    ],
    ["as a secret in a field that is shown", "${secret:LOGPUSH_DESTINATION}", "may hold a secret"],
  ])("%s", async (_, written, said) => {
    const { cwd, emulator, run } = await pullRequest({ base: BASE, head: head(written) });
    for (const format of ["text", "json"]) {
      const ran = await run(["plan", "--base", "base", "--format", format, "-o", "plan.out"]);
      expect([ran.code, ran.err + ran.out]).toEqual([1, expect.stringContaining(said)]);
      expect(ran.err + ran.out).toMatch(/zoneward\.yaml:5:|"line": 5/);
      await expectHidden(cwd, ran);
    }
    const applied = await run(["apply", "--yes", "--base", "base"]);
    expect([applied.code, emulator.writes()]).toEqual([1, []]);
    await expectHidden(
      cwd,
      applied,
      await run(["adopt", "--base", "base"]),
      await run(["drift", "--base", "base"]),
    );
  });

  test("and no source line shown for a failed call contains the secret", async () => {
    const commented = BASE.replace(
      "policies: []",
      `policies:\n      - { description: P, action: log, expression: "true", value: "img-src 'self'" } # ${DESTINATION}`,
    );
    const { cwd, emulator, run } = await pullRequest({ base: BASE, head: commented });
    const applied = await run(["apply", "--yes"]);
    expect([applied.code, applied.err]).toEqual([1, expect.stringContaining("Secret would be exposed")]);
    expect(emulator.writes()).toEqual([]);
    await expectHidden(cwd, applied);
  });

  test("even if the base is unusable or the run cannot start", async () => {
    const { cwd, run } = await pullRequest({
      base: `${BASE}unknown_key: 1\n`,
      head: head("${env:LOGPUSH_DESTINATION}"),
    });
    const plan = await run(["plan", "--base", "base"]);
    const keyless = await run(["plan", "--base", "base"], { CLOUDFLARE_API_TOKEN: "" });
    for (const ran of [plan, keyless])
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("LOGPUSH_DESTINATION is a secret")]);
    await expectHidden(cwd, plan, keyless);
  });

  test("even if only another file of the change has the secret", async () => {
    const { cwd, run } = await pullRequest({
      base: "version: 1\n",
      head: head("${env:LOGPUSH_DESTINATION}"),
    });
    await writeFile(path.join(cwd, "base", "other.yaml"), BASE.replace("shop.", "other."));
    const ran = await run(["validate", "-c", "zoneward.yaml", "-c", "base/other.yaml"]);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("LOGPUSH_DESTINATION is a secret")]);
    await expectHidden(cwd, ran);
  });

  test("nor one that ZONEWARD_SECRETS lists, without a base", async () => {
    const { cwd, run } = await pullRequest({ base: BASE, head: head("${env:LOGPUSH_DESTINATION}") });
    const env = { ZONEWARD_SECRETS: "LOGPUSH_DESTINATION" };
    const runs = [await run(["validate"], env), await run(["plan"], env)];
    for (const ran of runs)
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("LOGPUSH_DESTINATION is a secret")]);
    await expectHidden(cwd, ...runs);
  });

  test.each([
    ["unchanged", "${env:LOGPUSH_DESTINATION}"],
    ["with a default", "${env:LOGPUSH_DESTINATION:-https://other.example/in}"],
    ["in escapes of YAML", "\\x24{env:LOGPUSH_\\x44ESTINATION}"],
  ])("nor one that the change itself uses as a destination: %s", async (_, written) => {
    const base = BASE.replace("${secret:LOGPUSH_DESTINATION}", written);
    const { cwd, run } = await pullRequest({ base, head: head("${env:LOGPUSH_DESTINATION}") });
    for (const said of ["LOGPUSH_DESTINATION is a secret", "The value of MIRROR contains a secret"]) {
      const ran = await run(["plan", "--base", "base", "-o", "plan.out"]);
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining(said)]);
      await expectHidden(cwd, ran);
      await writeFile(path.join(cwd, "zoneward.yaml"), head("${env:MIRROR}"));
    }
    // In the destination, the secret is never shown.
    await writeFile(path.join(cwd, "zoneward.yaml"), base);
    const kept = await run(["plan", "--base", "base", "-o", "plan.out"]);
    expect(kept.code, kept.err).toBe(0);
    await expectHidden(cwd, kept);
  });

  test("its value is never printed or written, wherever it comes from", async () => {
    // The author may know the secret, or a live name may contain it.
    const { cwd, run } = await pullRequest({
      base: BASE,
      head: head(`see ${DESTINATION.replace(/["\\]/g, "\\$&")}`),
    });
    const runs: Ran[] = [];
    for (const format of FORMATS)
      runs.push(await run(["plan", "--base", "base", "--format", format, "-o", `${format}.out`]));
    expect(runs.map(({ code }) => code)).toEqual(FORMATS.map(() => 1));
    expect(runs[0]?.err).toContain("A secret of the files is in a field of shop.example.com");
    await expectHidden(cwd, ...runs);
  });

  test("even if the secret is so short that it could be part of other output", async () => {
    const short = { LOGPUSH_DESTINATION: "s3://l/x" };
    const { run } = await pullRequest({ base: BASE, head: head("see s3://l/x there") });
    for (const format of FORMATS) {
      const { out, err } = await run(["plan", "--base", "base", "--format", format], short);
      expect(out + err).not.toMatch(/s3:\/\/l\/x/);
      expect(out + err).toContain("redacted");
    }
  });
});

describe("a field that is secret in the base never shows its live value, if the change has", () => {
  const LIVE_FILTER = '{"where":{"key":"ClientIP","operator":"eq","value":"canary-of-live"}}';
  const job = (fields: object) => ({
    dataset: "http_requests",
    enabled: true,
    destination_conf: "s3://a/b",
    ...fields,
  });
  const live = [
    job({ id: 1, name: "logs", filter: LIVE_FILTER, note: { by: ["canary-of-live"] }, kind: "" }),
    job({ id: 2, name: "other", filter: LIVE_FILTER.replace("ClientIP", "RayID") }),
  ];
  const entry = (name: string, fields: string) => `{ name: ${name}, dataset: http_requests${fields} }`;
  const fileOf = (...jobs: readonly string[]) =>
    `version: 1\nzones:\n  shop.example.com:\n    logpush_jobs:\n${jobs.map((each) => `      - ${each}\n`).join("") || "      []\n"}`;
  const FILTER = ', extra: { filter: "${secret:FILTER}", note: { by: ["${secret:NOTE}"] } }';
  const NEW = ', destination_conf: "${secret:PLACE}", ownership_challenge: "${secret:PROOF}"';
  const LITERAL = `, extra: { filter: '{"where":{"key":"ClientIP","operator":"eq","value":"mine"}}', note: mine }`;
  const BASE_JOBS = fileOf(entry("logs", FILTER), entry("other", ""));

  const heads: readonly (readonly [sentence: string, base: string, head: string])[] = [
    ["a literal", BASE_JOBS, fileOf(entry("logs", LITERAL), entry("other", ""))],
    ["an empty text", BASE_JOBS, fileOf(entry("logs", ', extra: { filter: "" }'), entry("other", ""))],
    ["nothing", BASE_JOBS, fileOf(entry("logs", ", enabled: false"), entry("other", ""))],
    [
      "a literal beside others",
      BASE_JOBS,
      fileOf(entry("logs", LITERAL.replace("{ f", "{ max_upload_records: 9000, f"))),
    ],
    ["a secret of another name", BASE_JOBS, fileOf(entry("logs", FILTER.replace(":FILTER", ":OTHER")))],
    ["a literal in a renamed job", BASE_JOBS, fileOf(entry("new", `, renamed_from: logs${LITERAL}`))],
    ["a literal in a job by its id", BASE_JOBS, fileOf(entry("new", `, id: 1${LITERAL}`))],
    ["a literal in the other job", BASE_JOBS, fileOf(entry("other", LITERAL))],
    [
      "literals in jobs with each other's names",
      BASE_JOBS,
      fileOf(entry("other", `, id: 1${LITERAL}`), entry("logs", `, id: 2${LITERAL}`)),
    ],
    ["no job", BASE_JOBS, fileOf()],
    ["an absent job", BASE_JOBS, fileOf(entry("logs", ", ensure: absent"))],
    [
      "a literal in a job that replaces the old one",
      BASE_JOBS,
      fileOf(
        entry("logs", `${LITERAL}, destination_conf: s3://a/b, ownership_challenge: x, renamed_from: logs`),
      ).replace("http_requests", "dns_logs"),
    ],
    [
      "a literal, with the secret in a template of the base",
      `version: 1\ntemplates:\n  t: { logpush_jobs: [${entry("logs", FILTER)}] }\nzones:\n  shop.example.com: { extends: t }\n`,
      fileOf(entry("logs", LITERAL)),
    ],
    [
      "a literal, with text around the secret in the base",
      fileOf(entry("logs", `, extra: { filter: '{"where":{"key":"\${secret:FILTER}"}}' }`)),
      fileOf(entry("logs", LITERAL)),
    ],
    [
      "a literal, with a default in the base",
      fileOf(entry("logs", ', extra: { filter: "${secret:FILTER:-{}}" }')),
      fileOf(entry("logs", LITERAL)),
    ],
    [
      "a literal, with the secret in another job of the base",
      fileOf(entry("gone", FILTER)),
      fileOf(entry("logs", LITERAL)),
    ],
    ["a secret, with a literal in the base", fileOf(entry("logs", LITERAL)), fileOf(entry("logs", FILTER))],
    [
      "no change, for a job that was renamed outside",
      fileOf(entry("one", FILTER + NEW)),
      fileOf(entry("one", FILTER + NEW)),
    ],
  ];

  test.each(heads)("%s", async (_, base, text) => {
    const secrets: readonly Readonly<Record<string, string>>[] = [
      {},
      { FILTER: '{"where":{"key":"RayID","operator":"eq","value":"x"}}', NOTE: "another-value-of-it" },
      // With this value, the base is invalid.
      { FILTER: "no JSON at all" },
      { FILTER: LIVE_FILTER, NOTE: "canary-of-live" },
    ];
    for (const [round, env] of secrets.entries()) {
      const { cwd, run } = await pullRequest({ base, head: text }, { logpush_jobs: live }, env);
      const runs: Ran[] = [];
      for (const format of round === 0 ? [...FORMATS, "junit", "codequality"] : ["json"])
        runs.push(await run(["plan", "--base", "base", "--format", format]));
      runs.push(await run(["plan", "--base", "base", "-o", "plan.out"]));
      for (const command of [["drift"], ["adopt", "--dry-run"], ["adopt", "--new"]])
        runs.push(await run([...command, "--base", "base"]));
      runs.push(await run(["apply", "--yes", "--base", "base", "--format", "json"]));
      const journals = path.join(cwd, ".zoneward", "journal");
      const [journal] = await readdir(journals).catch(() => []);
      if (journal !== undefined) runs.push(await run(["rollback", path.join(journals, journal), "--yes"]));
      if (round === 0) expect(runs[0]?.code, runs[0]?.err).toBe(0);
      const told = runs.map(({ out, err }) => out + err);
      const files = await readdir(cwd, { recursive: true, withFileTypes: true });
      for (const { name, parentPath } of files.filter((each) => each.isFile()))
        told.push(await readFile(path.join(parentPath, name), "utf8"));
      for (const each of told) expect(each).not.toMatch(/canary-of-live/);
    }
  });
});

test("tests in a change cannot probe a secret filter bit by bit", async () => {
  const answersWith = async (host: string) => {
    const zone = (more: string) =>
      `version: 1\nzones:\n  shop.example.com:\n    custom_log_fields: { request_fields: [a] }\n    logpush_jobs:\n      - { name: logs, dataset: http_requests${more} }\n`;
    const base = zone(', extra: { filter: "${secret:FILTER}" }');
    const question = `    tests: [{ request: { host: shop.example.com, path: / }, does_not_log: { request_fields: [a] } }]\n`;
    const filter = `{"where":{"key":"ClientRequestHost","operator":"neq","value":"${host}"}}`;
    const live = {
      id: 1,
      name: "logs",
      dataset: "http_requests",
      enabled: true,
      destination_conf: "s3://a/b",
      filter,
    };
    const { cwd, run } = await pullRequest({ base, head: zone("") }, { logpush_jobs: [live] }, {});
    expect((await run(["apply", "--yes"])).code).toBe(0);
    await writeFile(path.join(cwd, "zoneward.yaml"), zone("") + question);
    const { out, err } = await run(["plan", "--base", "base"]);
    return out + err;
  };
  const [excluded, other] = [await answersWith("shop.example.com"), await answersWith("other.example.com")];
  expect(excluded).toContain("It fails now too");
  expect(excluded).toBe(other);
});

describe("a change cannot read a credential as a variable", () => {
  const HIDDEN = "hunter2-word";
  test.each([
    ["HTTPS_PROXY", `http://user:${HIDDEN}@proxy.corp.example:3128`, "The value of HTTPS_PROXY looks like"],
    [
      "CI_REPOSITORY_URL",
      `https://ci:${HIDDEN}@git.example/a.git`,
      "The value of CI_REPOSITORY_URL looks like",
    ],
    ["DB_PASS", HIDDEN, "names with PASS"],
    ["DATABASE_URL", HIDDEN, "names with DATABASE_URL"],
    ["DOCKER_AUTH_CONFIG", HIDDEN, "names with AUTH"],
    ["CI_JOB_JWT", HIDDEN, "names with JWT"],
  ])("%s", async (name, value, said) => {
    const vars = `    vars: { x: "\${env:${name}}" }\n    policies:`;
    const texts = [head(`\${env:${name}}`), head("${vars.x}").replace("    policies:", vars)];
    for (const text of texts) {
      const { cwd, emulator, run } = await pullRequest({ base: BASE, head: text });
      const commands = [
        ["validate", "--format", "json"],
        ...FORMATS.map((format) => ["plan", "--base", "base", "--format", format]),
        ["plan", "-o", "plan.out"],
        ["apply", "--yes"],
        ["drift"],
        ["adopt"],
      ];
      for (const command of commands) {
        const ran = await run(command, { [name]: value });
        expect([ran.code, ran.out + ran.err]).toEqual([1, expect.stringContaining(said)]);
        expect(ran.out + ran.err).not.toMatch(/hunter2/);
      }
      expect(await readdir(cwd)).not.toContain("plan.out");
      expect(emulator.writes()).toEqual([]);
    }
  });

  test("and such a variable in the base is unknown", async () => {
    const [base, after] = [head("${env:DB_PASS}"), head("a policy")];
    const { run } = await pullRequest({ base, head: after });
    for (const format of FORMATS) {
      const ran = await run(["plan", "--base", "base", "--format", format], { DB_PASS: HIDDEN });
      expect(ran.code, ran.err).toBe(0);
      expect(ran.out + ran.err).not.toMatch(/hunter2|base_unread/);
    }
  });
});

test("output is shown even if a destination contains common words", async () => {
  const job = `    logpush_jobs: [{ name: logs, dataset: http_requests, destination_conf: "\${secret:PLACE}" }]\n`;
  const base = `version: 1
guardrails: { forbid: [weakens, deletes] }
zones:
  shop.example.com:
${job}  site08.example.com:
${job}`;
  const after = base.replace(/^guardrails.*\n/m, "").replace(/ {2}site08.*$/s, "");
  const { run } = await pullRequest({ base, head: after });
  const PLACE =
    "s3://example/weakens/site08?region=deletes&access-key-id=longer&secret-access-key=forbidden&y=managed";
  const { code, out, err } = await run(["plan", "--base", "base"], { PLACE });
  expect(code, err).toBe(0);
  expect(out + err).not.toMatch(/redacted/);
  expect(out + err).toContain("no longer forbidden: weakens, deletes");
  expect(out + err).toContain("site08.example.com");
});

test("the Action masks the secrets of the base and never prints them", async () => {
  const asked = head("${env:LOGPUSH_DESTINATION}");
  const known = head(`see ${DESTINATION.replace(/["\\]/g, "\\$&")}`);
  for (const text of [asked, known]) {
    const { github, workspace, step } = await start(text);
    await mkdir(path.join(workspace, "base"));
    await writeFile(path.join(workspace, "base", "zoneward.yaml"), BASE);
    const inputs = { base: "base", "html-file": "plan.html", "sarif-file": "plan.sarif" };
    const { code, raw, summary, outputs } = await step({ inputs, env: ENV });
    expect(code).toBe(1);
    const mask = `::add-mask::${DESTINATION.replaceAll("%", "%25")}\n`;
    expect(raw).toContain(mask);
    const files = await Promise.all(
      ["plan.html", "plan.sarif"].map((file) => readFile(path.join(workspace, file), "utf8").catch(() => "")),
    );
    const said = [raw.replace(mask, ""), summary, JSON.stringify(outputs), ...files];
    for (const each of [...said, ...github.comments.map(({ body }) => body)])
      expect(each).not.toMatch(/logs\.corp|c2VjcmV0|header_Auth/i);
  }
});

test("a plan that contains a secret is not saved", async () => {
  const job = `    logpush_jobs: [{ name: logs, dataset: http_requests, destination_conf: "https://l.example/\${secret:STAGE}" }]\n`;
  const files = head("the staging policy").replace("    logpush_jobs: []\n", job);
  const { cwd, run } = await pullRequest({ base: BASE, head: files });
  const shown = await run(["plan", "-o", "plan.out"]);
  expect([shown.code, shown.err]).toEqual([1, expect.stringContaining("plan.out is not written")]);
  expect(await readdir(cwd)).not.toContain("plan.out");
  await writeFile(path.join(cwd, "zoneward.yaml"), files.replace("the staging policy", "the policy"));
  const saved = await run(["plan", "-o", "plan.out"]);
  expect(saved.code, saved.err).toBe(0);
  const applied = await run(["apply", "plan.out"]);
  expect(applied.code, applied.err).toBe(0);
});

describe("ZONEWARD_VARS and ZONEWARD_SECRETS", () => {
  const config = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: "\${env:STAGE}", action: log, expression: "true", value: "img-src 'self'" }
    logpush_jobs:
      - { name: logs, dataset: http_requests, destination_conf: "\${secret:LOGPUSH_DESTINATION}" }
`;

  test.each<[string, Readonly<Record<string, string>>, string | null]>([
    [
      "each list allows its own names",
      { ZONEWARD_VARS: "STAGE", ZONEWARD_SECRETS: "LOGPUSH_DESTINATION" },
      null,
    ],
    [
      "a name in ZONEWARD_SECRETS cannot be used as a variable",
      { ZONEWARD_VARS: "", ZONEWARD_SECRETS: "STAGE,LOGPUSH_DESTINATION" },
      "STAGE is a secret",
    ],
    [
      "a name in ZONEWARD_VARS cannot be used as a secret",
      { ZONEWARD_VARS: "STAGE,LOGPUSH_DESTINATION", ZONEWARD_SECRETS: "" },
      "ZONEWARD_SECRETS does not list LOGPUSH_DESTINATION",
    ],
    ["ZONEWARD_SECRETS alone does not limit variables", { ZONEWARD_SECRETS: "LOGPUSH_DESTINATION" }, null],
    ["ZONEWARD_VARS alone limits both", { ZONEWARD_VARS: "STAGE" }, "ZONEWARD_SECRETS is not set"],
    ["ZONEWARD_VARS alone can list both", { ZONEWARD_VARS: "STAGE,LOGPUSH_DESTINATION" }, null],
  ])("%s", async (_, lists, refusal) => {
    const { cwd, run } = await pullRequest({ base: BASE, head: config });
    const env = { ...lists, LOGPUSH_DESTINATION: "https://logs.corp.example/in" };
    const ran = await run(["plan"], env);
    expect(ran.code, ran.err).toBe(refusal === null ? 0 : 1);
    if (refusal !== null) expect(ran.err).toContain(refusal);
    await expectHidden(cwd, ran);
  });
});
