import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/api/client.js";
import { bodyOf } from "../../src/apply/send.js";
import { createEmulator, type Emulator } from "../../src/index.js";
import { referenceTo } from "../../src/match/seal.js";
import { withoutLiterals } from "../../src/model/reference.js";
import { pathOf } from "../../src/plan/digest.js";
import { runPlan } from "../../src/run/plan.js";
import { connection } from "../api/serve.js";
import { quickFolder } from "../apply/run.js";
import { some } from "../support/random.js";

/** Every kind with all of its fields, in the spellings that a file can have. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "policies, and values from variables": `settings: { enabled: true, use_cloudflare_reporting_endpoint: true }
policies:
  - { description: "\${env:STAGE_1} one", action: log, enabled: false, expression: 'http.host eq "a7.example"', value: "img-src a7.example \${env:HOST_1}" }
  - { description: two, action: allow, expression: "true", value: { script-src: ["'self'", "\${env:HOST_1}"], img-src: ["\${env:NONE:-b1.example}"] } }`,
  "a managed ruleset and custom log fields": `managed_ruleset: { enabled: true, paranoia_level: PL3, score_threshold: 41, action: log, expression: 'http.host eq "a1.example"', disabled_tags: [platform-x1], payload_logging: { public_key: "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=" } }
custom_log_fields: { request_fields: [x1], response_fields: [y1], cookie_fields: [{ name: z1 }] }`,
  "jobs with a destination written out, or in part": `logpush_jobs:
  - { name: a1, dataset: our_logs, enabled: true, destination_conf: "https://a1.example/in?header_X=1", fields: [RayID, ClientIP1], timestamps: unix }
  - { name: b1, dataset: our_requests, destination_conf: "https://b1.example/in?header_X=\${secret:KEY_1}", logpull_options: "fields=RayID1&timestamps=unix&sample=0.1" }
  - { name: c1, dataset: http_requests, destination_conf: "\${secret:UNSET_1:-https://c1.example}", ownership_challenge: token1 }`,
  "jobs with a destination from outside, and extra fields": `logpush_jobs:
  - { name: a1, dataset: http_requests, destination_conf: "\${secret:PLACE_1}", ownership_challenge: "\${secret:KEY_1}" }
  - { name: b1, dataset: http_requests, destination_conf: "\${env:SITE_1}/\${env:NONE_1:-d1}", extra: { max_upload_records: 1000, filter: '{"where":{"key":"\${env:HOST_1}"}}', output_options: { field_delimiter: "1" } } }
  - { name: c1, dataset: http_requests, destination_conf: "\${secret:PLACE_1}", extra: { hook1: { to: ["\${secret:KEY_1}", 1, true, "x1"] }, filter: '{"where":{"key":"\${secret:KEY_1}"}}' } }`,
};

/** Names that end in 1 have the same value as names that end in another digit. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries({
    STAGE: "dev",
    HOST: "host.example",
    KEY: "0123456789abcdef",
    PLACE: "https://logs.example/in",
    SITE: "https://site.example/in",
  }).flatMap(([name, value]) => [..."0123456789"].map((digit) => [`${name}_${digit}`, value])),
);

test.each(Object.entries(SPELLINGS))(
  "changing any character of %s gives another digest or the same calls",
  async (_, sections) => {
    const emulator = await createEmulator({ seed: { zones: { "shop.example.com": {} } } });
    onTestFinished(() => emulator.close());
    const cwd = await quickFolder("");
    const text = `version: 1\nzones:\n  shop.example.com:\n    ${sections.replaceAll("\n", "\n    ")}\n`;
    const approved = await planOf(text, cwd, emulator);
    expect(approved?.calls.length).toBeGreaterThan(0);
    const counts = { same: 0, other: 0 };
    for (const [at, char] of some([...[...text].entries()])) {
      const other = /\d/.test(char) ? String(9 - Number(char)) : char.replace(/[a-z]/, "q");
      if (other === char) continue;
      const pushed = await planOf(text.slice(0, at) + other + text.slice(at + 1), cwd, emulator);
      if (pushed === null) continue;
      if (pushed.digest !== approved?.digest) counts.other += 1;
      else {
        expect(pushed.calls, text.slice(at - 20, at + 20)).toEqual(approved?.calls);
        counts.same += 1;
      }
    }
    expect(counts.other).toBeGreaterThan(0);
    expect(counts.same).toBeLessThan(counts.other);
  },
  60_000,
);

/** The plan's digest and its calls with secrets filled in. Null: the files are invalid. */
async function planOf(text: string, cwd: string, emulator: Emulator) {
  await writeFile(path.join(cwd, "zoneward.yaml"), text);
  const { url, token } = emulator;
  const client = new Client(connection(url, { credential: { as: "token", token } }));
  const input = { config: [], zones: [], allow: [], cwd, environment: ENVIRONMENT };
  const planned = await runPlan(input, client, () => {});
  await client.close();
  if (!planned.ok) return null;
  const [zone] = planned.outcomes;
  if (zone?.ok !== true) return null;
  const { steps, secrets } = zone.plan;
  const calls = steps.map((step) => [step.method, pathOf(step.path), bodyOf(step, secrets.values)]);
  return { digest: planned.document.digest, calls };
}

test("no two places in files have the same reference, with any names", () => {
  const one = referenceTo(null, ["z.example", "logpush_job", "a", "extra.b/destination_conf"]);
  expect(referenceTo(null, ["z.example", "logpush_job", "a/extra.b", "destination_conf"])).not.toBe(one);
  expect(referenceTo(null, ["z.example", "logpush_job", "a~1extra.b", "destination_conf"])).not.toBe(one);
  expect(referenceTo("A", ["z.example"])).toBe("env:A");
});

test.each([
  ["https://logs.example/in", "(sensitive)"],
  ["${secret:A}", "${secret:A}"],
  ["${secret:A}${env:B}", "${secret:A}${env:B}"],
  ["s3://${env:BUCKET}/x?key=${secret:A}", "(sensitive)${env:BUCKET}(sensitive)${secret:A}"],
  ["${secret:A:-s3://x}", "${secret:A:-(sensitive)}"],
  ["${secret:A:-}", "${secret:A:-}"],
  ["$${secret:A}", "(sensitive)"],
  ["x$${y}${secret:A}", "(sensitive)${secret:A}"],
  ["", ""],
])("%s is shown as %s", (written, shown) => {
  expect(withoutLiterals(written)).toBe(shown);
});
