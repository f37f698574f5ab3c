import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createEmulator, plan, validate } from "../../src/index.js";
import { palette } from "../../src/render/palette.js";
import { problemsText } from "../../src/render/problems.js";
import { canariesIn, canary } from "../support/canaries.js";
import { folderWith, zoneward } from "../support/cli.js";

const URL = `s3://${canary("bucket")}/${canary("path")}?access-key-id=a&secret-access-key=${canary("key")}`;
const TOKEN = `cf-${canary("token")}`;

const ENVIRONMENT = { CLOUDFLARE_API_TOKEN: TOKEN, WHERE: URL, OTHER: canary("other") };

const job = (...lines: readonly string[]) =>
  `version: 1\nzones:\n  shop.example.com:\n    logpush_jobs:\n      - name: a\n        dataset: http_requests\n${lines.map((each) => `        ${each}\n`).join("")}`;

/** Files in each of which something is wrong, near a secret or in it. */
const wrong: readonly (readonly [name: string, content: string])[] = [
  ["a tab before it", job("\tx: 1", `destination_conf: ${URL}`)],
  ["a colon too much", job(`destination_conf: ${URL}: x`)],
  ["no colon", job(`destination_conf ${URL}`)],
  ["a quote that is not closed", job(`destination_conf: "${URL}`, "fields: [RayID]")],
  ["a bracket that is not closed", job(`destination_conf: [${URL}`, "fields: [RayID]")],
  ["a list in its place", job(`destination_conf: [${URL}]`)],
  ["a map in its place", job(`destination_conf: { ${canary("a")}: ${URL} }`)],
  ["no URL", job(`destination_conf: ${canary("a")}`)],
  ["a blank in it", job(`destination_conf: ${URL} ${canary("a")}`)],
  ["a block", job("destination_conf: |", `  ${URL}`, "fields: RayID")],
  ["a folded block that is indented otherwise", job("destination_conf: >-", `  ${URL}`, ` ${canary("a")}`)],
  ["an anchor and an alias", job(`destination_conf: &x ${URL}`, "ownership_challenge: *x", "fields: *x")],
  ["an anchor elsewhere", `x: &x ${URL}\n${job("destination_conf: *x", "nonsense: 1")}`],
  [
    "an alias of what is not there",
    job("destination_conf: *nowhere", `ownership_challenge: ${canary("a")} b`),
  ],
  ["a tag", job(`destination_conf: !!int ${URL}`)],
  ["the key twice", job(`destination_conf: ${URL}`, `destination_conf: ${URL}`)],
  ["a misspelt key", job(`destination_config: ${URL}`)],
  ["a key in capitals", job(`DESTINATION_CONF: ${URL}`)],
  ["a key with blanks", job(`destination conf: ${URL}`)],
  ["a default of a secret", job(`destination_conf: \${secret:NOT_SET:-${URL} x}`)],
  ["a default in a default", job(`destination_conf: \${secret:NOT_SET:-\${env:X:-${canary("a")}}}`)],
  ["a default where no secret belongs", job(`fields: ["\${secret:X:-${canary("a")}}"]`)],
  ["a reference that is not closed", job(`destination_conf: \${secret:NOT_SET:-${URL}`)],
  ["another kind of reference", job(`destination_conf: \${vault:${canary("a")}}`)],
  ["a secret of the environment with a blank", job(`destination_conf: "\${secret:WHERE} \${secret:OTHER}"`)],
  [
    "a challenge of other characters",
    job(`destination_conf: ${URL}`, `ownership_challenge: "${canary("a")} é"`),
  ],
  ["a field of extra that stands beside it", job(`extra: { destination_conf: "${URL}" }`)],
  [
    "JSON",
    `{"version":1,"zones":{"shop.example.com":{"logpush_jobs":[{"name":"a","destination_conf":"${URL}","x":1}]}}}`,
  ],
  [
    "JSON that is cut off",
    `{"version":1,"zones":{"shop.example.com":{"logpush_jobs":[{"name":"a","destination_conf":"${URL}`,
  ],
  [
    "the wrong level",
    `version: 1\nzones:\n  shop.example.com:\n    destination_conf: ${URL}\n    logpush_jobs: []\n`,
  ],
  ["the top level", `version: 1\ndestination_conf: ${URL}\nzones: {}\n`],
  [
    "a template that nobody has",
    `version: 1\ntemplates: { t: { logpush_jobs: [{ name: a, destination_conf: "${URL}", y: 1 }] } }\nzones: {}\n`,
  ],
  ["the token as a key of its own", `version: 1\ntoken: ${TOKEN}\nzones: {}\n`],
  ["the token in a comment", `version: 1 # ${TOKEN}\nnonsense: 1\n`],
  [
    "the token in an expression",
    `version: 1\nzones:\n  shop.example.com:\n    policies:\n      - { description: a, action: log, expression: 'http.host eq "${TOKEN}" and', value: script-src x }\n`,
  ],
  ["the token as a zone", `version: 1\nzones:\n  "${TOKEN}!":\n    settings: { enabled: 1 }\n`],
];

describe("a file that is wrong shows no secret", () => {
  test.each(wrong)("with %s", async (_, content) => {
    expect(canariesIn(content + ENVIRONMENT.WHERE).length).toBeGreaterThan(0);
    const cwd = await folderWith({ "zoneward.yaml": content });
    const checked = await validate({ cwd, environment: ENVIRONMENT });
    const planned = await plan({
      cwd,
      environment: { ...ENVIRONMENT, CLOUDFLARE_BASE_URL: "http://127.0.0.1:9" },
    });
    expect(checked.problems.length).toBeGreaterThan(0);
    expect(canariesIn(JSON.stringify([checked, planned]))).toEqual([]);
    expect(canariesIn(problemsText(checked.problems, palette(false)))).toEqual([]);
  });

  test("on the command line, as text and as JSON", async () => {
    for (const [, content] of wrong.filter((_, index) => index % 7 === 0)) {
      const cwd = await folderWith({ "zoneward.yaml": content });
      const run = (...args: string[]) => zoneward(args, { cwd, env: ENVIRONMENT });
      const ran = await Promise.all([
        run("validate"),
        run("validate", "--format", "json"),
        run("plan", "-v"),
      ]);
      for (const { out, err } of ran) expect(canariesIn(out + err)).toEqual([]);
    }
  });
});

test("a credential in a file is an error that says where, and nothing else is said of the file", async () => {
  const cwd = await folderWith({ "zoneward.yaml": `version: 1\nnonsense: 1\ntoken: ${TOKEN}\n` });
  const { ok, problems } = await validate({ cwd, environment: ENVIRONMENT });
  expect([ok, problems.map(({ code, at }) => [code, at?.line, at?.text])]).toEqual([
    false,
    [["credential_in_file", 3, ""]],
  ]);
});

test("a credential on the command line is not repeated", async () => {
  for (const args of [
    ["plan", TOKEN],
    [TOKEN],
    ["plan", "--zone", TOKEN],
    ["plan", "--format", TOKEN],
    ["csp", "check", TOKEN],
    ["apply", TOKEN],
    ["help", TOKEN],
    ["rollback", TOKEN],
  ]) {
    const cwd = await folderWith({
      "zoneward.yaml": "version: 1\nzones: { a.example: { settings: { enabled: true } } }\n",
    });
    const { out, err } = await zoneward(args, { cwd, env: ENVIRONMENT });
    expect([args[0], canariesIn(out + err)]).toEqual([args[0], []]);
    expect(out + err).not.toBe("");
  }
});

describe("a live object that has a secret where everybody sees it", () => {
  const policy = (description: string) => ({
    description,
    action: "log",
    enabled: true,
    expression: "true",
    value: "script-src 'self'",
  });

  test.each([
    [
      "the credential in a policy that no file declares",
      (token: string) => ({ policies: [policy(`a ${token}`)] }),
    ],
    [
      "the credential in a policy that changes",
      (token: string) => ({ policies: [{ ...policy("own"), expression: `http.host eq "${token}"` }] }),
    ],
    ["a secret of the files in a policy", () => ({ policies: [policy(URL)] })],
  ])("fails its zone alone: %s", async (_, state) => {
    const emulator = await createEmulator();
    const { token } = emulator;
    await emulator.close();
    const seed = { zones: { "a.example": state(token), "b.example": {} } };
    const again = await createEmulator({ seed });
    try {
      const body = `{ policies: [{ description: own, action: log, expression: "true", value: script-src 'none' }], logpush_jobs: [{ name: j, dataset: http_requests, destination_conf: "\${secret:WHERE}" }] }`;
      const cwd = await folderWith({
        "zoneward.yaml": `version: 1\nzones:\n  a.example: ${body}\n  b.example: ${body}\n`,
      });
      const env = { ...ENVIRONMENT, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_BASE_URL: again.url };
      const ran = await zoneward(["plan", "--format", "json", "-o", "plan.json"], { cwd, env });
      const text = ran.out + ran.err + (await readFile(path.join(cwd, "plan.json"), "utf8"));
      expect(JSON.parse(ran.out).zones.map(({ status }: { status: string }) => status)).toEqual([
        "failed",
        "planned",
      ]);
      expect(text).toContain("Secret would be exposed");
      expect(text).not.toContain(token);
      expect(canariesIn(text)).toEqual([]);
    } finally {
      await again.close();
    }
  });
});
