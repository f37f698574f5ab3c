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

/** Invalid files with a mistake in or near a secret. */
const wrong: readonly (readonly [name: string, content: string])[] = [
  ["a tab before the secret", job("\tx: 1", `destination_conf: ${URL}`)],
  ["a colon too many", job(`destination_conf: ${URL}: x`)],
  ["a missing colon", job(`destination_conf ${URL}`)],
  ["an unclosed quote", job(`destination_conf: "${URL}`, "fields: [RayID]")],
  ["an unclosed bracket", job(`destination_conf: [${URL}`, "fields: [RayID]")],
  ["a list in place of the secret", job(`destination_conf: [${URL}]`)],
  ["a map in place of the secret", job(`destination_conf: { ${canary("a")}: ${URL} }`)],
  ["a secret that is not a URL", job(`destination_conf: ${canary("a")}`)],
  ["a space in the secret", job(`destination_conf: ${URL} ${canary("a")}`)],
  ["a block", job("destination_conf: |", `  ${URL}`, "fields: RayID")],
  ["a folded block with other indentation", job("destination_conf: >-", `  ${URL}`, ` ${canary("a")}`)],
  ["an anchor and an alias", job(`destination_conf: &x ${URL}`, "ownership_challenge: *x", "fields: *x")],
  ["an anchor elsewhere", `x: &x ${URL}\n${job("destination_conf: *x", "nonsense: 1")}`],
  ["an alias without an anchor", job("destination_conf: *nowhere", `ownership_challenge: ${canary("a")} b`)],
  ["a tag", job(`destination_conf: !!int ${URL}`)],
  ["the key repeated", job(`destination_conf: ${URL}`, `destination_conf: ${URL}`)],
  ["a misspelt key", job(`destination_config: ${URL}`)],
  ["a key in capitals", job(`DESTINATION_CONF: ${URL}`)],
  ["a key with spaces", job(`destination conf: ${URL}`)],
  ["the secret as a default", job(`destination_conf: \${secret:NOT_SET:-${URL} x}`)],
  [
    "the secret as a default inside a default",
    job(`destination_conf: \${secret:NOT_SET:-\${env:X:-${canary("a")}}}`),
  ],
  ["the secret as a default in a wrong place", job(`fields: ["\${secret:X:-${canary("a")}}"]`)],
  ["an unclosed reference", job(`destination_conf: \${secret:NOT_SET:-${URL}`)],
  ["another kind of reference", job(`destination_conf: \${vault:${canary("a")}}`)],
  [
    "a secret from the environment with a space",
    job(`destination_conf: "\${secret:WHERE} \${secret:OTHER}"`),
  ],
  [
    "a challenge with invalid characters",
    job(`destination_conf: ${URL}`, `ownership_challenge: "${canary("a")} é"`),
  ],
  ["a field of extra outside of extra", job(`extra: { destination_conf: "${URL}" }`)],
  [
    "JSON",
    `{"version":1,"zones":{"shop.example.com":{"logpush_jobs":[{"name":"a","destination_conf":"${URL}","x":1}]}}}`,
  ],
  [
    "truncated JSON",
    `{"version":1,"zones":{"shop.example.com":{"logpush_jobs":[{"name":"a","destination_conf":"${URL}`,
  ],
  [
    "the secret at the wrong level",
    `version: 1\nzones:\n  shop.example.com:\n    destination_conf: ${URL}\n    logpush_jobs: []\n`,
  ],
  ["the secret at the top level", `version: 1\ndestination_conf: ${URL}\nzones: {}\n`],
  [
    "an unknown template",
    `version: 1\ntemplates: { t: { logpush_jobs: [{ name: a, destination_conf: "${URL}", y: 1 }] } }\nzones: {}\n`,
  ],
  ["the token as an unknown key's value", `version: 1\ntoken: ${TOKEN}\nzones: {}\n`],
  ["the token in a comment", `version: 1 # ${TOKEN}\nnonsense: 1\n`],
  [
    "the token in an expression",
    `version: 1\nzones:\n  shop.example.com:\n    policies:\n      - { description: a, action: log, expression: 'http.host eq "${TOKEN}" and', value: script-src x }\n`,
  ],
  ["the token as a zone name", `version: 1\nzones:\n  "${TOKEN}!":\n    settings: { enabled: 1 }\n`],
];

describe("problems of an invalid file show no secret", () => {
  test.each(wrong)("from %s", async (_, content) => {
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

  test("on the command line, as text or as JSON", async () => {
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

test("a credential in a file is reported at its line, and hides all other problems", async () => {
  const cwd = await folderWith({ "zoneward.yaml": `version: 1\nnonsense: 1\ntoken: ${TOKEN}\n` });
  const { ok, problems } = await validate({ cwd, environment: ENVIRONMENT });
  expect([ok, problems.map(({ code, at }) => [code, at?.line, at?.text])]).toEqual([
    false,
    [["credential_in_file", 3, ""]],
  ]);
});

test("a credential on the command line is never repeated", async () => {
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

describe("a secret in a live object that plans would show", () => {
  const policy = (description: string) => ({
    description,
    action: "log",
    enabled: true,
    expression: "true",
    value: "script-src 'self'",
  });

  test.each([
    ["the token in an undeclared policy", (token: string) => ({ policies: [policy(`a ${token}`)] })],
    [
      "the token in a changed policy",
      (token: string) => ({ policies: [{ ...policy("own"), expression: `http.host eq "${token}"` }] }),
    ],
    ["a destination in a policy", () => ({ policies: [policy(URL)] })],
  ])("fails its own zone only: %s", async (_, state) => {
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
