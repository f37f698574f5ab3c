import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type PlanDocument } from "../../src/index.js";
import { folderWith, type Ran, reaching, zoneward } from "../support/cli.js";
import { endOfWaiting } from "../support/no-waiting.js";

beforeEach(() => endOfWaiting());

/** All secrets here contain this word, and no other text does. */
const PLANTED = /planted/i;

const SECRETS = {
  BUCKET: "s3://logs/http?access-key-id=AKIAPLANTED&secret-access-key=planted%2Fbucket+key",
  OWNERSHIP: "planted-ownership",
  HEADER: 'planted "header" \\ key',
  FILTER: "planted-filter",
};

const CONFIG = `version: 1
zones:
  shop.example.com:
    logpush_jobs:
      - name: new
        dataset: http_requests
        destination_conf: \${secret:BUCKET}
        ownership_challenge: \${secret:OWNERSHIP}
        fields: [RayID]
        extra: { filter: '{"where":{"key":"\${secret:FILTER}"}}' }
      - name: moving
        destination_conf: "https://logs.example/in?header_Authorization=\${secret:OWNERSHIP}"
        extra: { something_new: { list: ["\${secret:HEADER}"] } }
      - name: written-out
        destination_conf: https://logs.example/in?header_Authorization=planted-in-the-file
        ownership_challenge: planted-in-the-file
        enabled: true
      - name: replaced
        dataset: dns_logs
        destination_conf: \${secret:NOT_SET:-https://planted-default.example/in}
      - { name: gone, ensure: absent }
    prune: [logpush_jobs]
`;

const LIVE = [
  { id: 1, name: "moving", destination_conf: "https://logs.example/in?header_Authorization=planted-live" },
  {
    id: 2,
    name: "written-out",
    destination_conf: "https://logs.example/in?header_Authorization=planted-old",
  },
  { id: 3, name: "replaced", destination_conf: "https://logs.example/in?planted=live" },
  { id: 4, name: "gone", destination_conf: "s3://planted/live", something_new: "https://planted@x.example" },
  { id: 5, name: "pruned", destination_conf: "s3://planted/live", filter: '{"where":{}}' },
  { id: 6, destination_conf: "s3://planted/live" },
];

/** Expects no secret in the output, nor in any file except the desired state. */
async function expectHidden(cwd: string, ...runs: readonly Ran[]): Promise<void> {
  for (const { out, err } of runs) expect(out + err).not.toMatch(PLANTED);
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of entries.filter((each) => each.isFile()))
    if (name !== "zoneward.yaml")
      expect(await readFile(path.join(parentPath, name), "utf8"), name).not.toMatch(PLANTED);
}

describe("no secret is in the output", () => {
  test("of plan, apply and their files, in any format", async () => {
    const seed = { zones: { "shop.example.com": { logpush_jobs: LIVE } } };
    const emulator = await createEmulator({ seed });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({ "zoneward.yaml": CONFIG.replace(/^ *extra: \{ something.*\n/m, "") });
    const run = (...args: string[]) => zoneward(args, { cwd, env: { ...SECRETS, ...reaching(emulator) } });
    const before = [
      await run("validate"),
      await run("plan"),
      await run("plan", "--verbose"),
      await run("plan", "--format", "json", "-o", "plan.json"),
    ];
    const document = JSON.parse(before.at(-1)?.out ?? "") as PlanDocument;
    expect(document.summary).toMatchObject({ create: 1, update: 3, delete: 3 });
    const after = [
      await run("apply", "plan.json", "--verbose"),
      await run("apply", "--yes", "--format", "json"),
    ];
    expect(after.map(({ code }) => code)).toEqual([0, 0]);
    const jobs = emulator.state().zones["shop.example.com"]?.logpush_jobs;
    expect(jobs?.map((job) => job.destination_conf).toSorted()).toEqual([
      "https://logs.example/in?header_Authorization=planted-in-the-file",
      "https://logs.example/in?header_Authorization=planted-ownership",
      "https://planted-default.example/in",
      SECRETS.BUCKET,
    ]);
    await expectHidden(cwd, ...before, ...after);
  });

  test("of an apply after the live state or the secret itself changed", async () => {
    const emulator = await createEmulator({
      seed: { zones: { "shop.example.com": { logpush_jobs: LIVE } } },
    });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({
      "zoneward.yaml": CONFIG.replace(/ {6}- name: new[\s\S]*?(?= {6}- name: moving)/, ""),
    });
    const env = { ...SECRETS, ...reaching(emulator) };
    await zoneward(["plan", "-o", "plan.json"], { cwd, env });
    const OWNERSHIP = "planted-live";
    const moved = await zoneward(["apply", "plan.json"], { cwd, env: { ...env, OWNERSHIP } });
    expect([moved.code, moved.err]).toEqual([
      1,
      expect.stringContaining("(other than declared) → (as declared)"),
    ]);
    expect(emulator.writes()).toEqual([]);
    const text = await readFile(path.join(cwd, "zoneward.yaml"), "utf8");
    await writeFile(path.join(cwd, "zoneward.yaml"), text.replace("planted-in-the-file", "planted-anew"));
    await expectHidden(cwd, moved, await zoneward(["plan", "--verbose"], { cwd, env }));
  });

  test.each<[string, (body: string) => string]>([
    ["as sent", (body) => body],
    ["inside JSON text", (body) => JSON.stringify(body)],
    ["decoded", (body) => decodeURIComponent(body)],
    ["encoded", (body) => encodeURIComponent(String(JSON.parse(body).destination_conf))],
    ["in base64", (body) => Buffer.from(String(JSON.parse(body).destination_conf)).toString("base64")],
    ["partly", (body) => /secret-access-key=([^"&]*)|Authorization=([^"&]*)/.exec(body)?.[0] ?? ""],
    ["for another live object", () => `cannot write to ${LIVE[0]?.destination_conf}: denied`],
    [
      "value by value",
      (body) =>
        Object.values(JSON.parse(body))
          .map((each) => JSON.stringify(each))
          .join(" "),
    ],
  ])("of an apply whose calls are refused with the secret, %s", async (_, said) => {
    const { cwd, run, sent } = await against((body) => refusal(said(body)));
    const runs = [await run("apply", "--yes", "--verbose"), await run("apply", "--yes", "--format", "json")];
    expect(runs.map(({ code, err, out }) => [code, /refused/.test(err + out)])).toEqual([
      [1, true],
      [1, true],
    ]);
    expect(sent.join()).toMatch(PLANTED);
    await expectHidden(cwd, ...runs);
  });

  test("of an apply with a call that is refused with all former requests", async () => {
    const { cwd, run, sent } = await against((body) =>
      body.includes("something_new") ? refusal(JSON.stringify(sent)) : TAKEN,
    );
    const ran = await run("apply", "--yes");
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("refused")]);
    expect(sent.join()).toContain("header");
    await expectHidden(cwd, ran);
  });

  test("of an apply whose calls are accepted and not stored", async () => {
    const { cwd, run } = await against(() => TAKEN);
    const ran = await run("apply", "--yes", "--verbose");
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringContaining("destination_conf is (other than declared), not (sensitive)"),
    ]);
    await expectHidden(cwd, ran);
  });

  test.each([
    ["is truncated", (whole: string) => whole.slice(0, 130)],
    ["has no envelope", (whole: string) => JSON.stringify(JSON.parse(whole).result)],
    ["is not JSON", (whole: string) => `<html>${whole.replaceAll('"', "")}`],
  ])("of a plan whose list of jobs %s", async (_, damage) => {
    const { cwd, run } = await against(() => ({ status: 500, body: {} }), damage);
    const ran = await run("plan", "--verbose");
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("/logpush/jobs returned HTTP 200")]);
    await expectHidden(cwd, ran);
  });

  test.each<[string, Reply]>([
    ["not stored", TAKEN],
    ["refused with the secret", refusal("cannot replace planted-auth by plain")],
  ])("of a change that removes a secret from a field and is %s", async (_, reply) => {
    const config = configOf(`logpush_jobs:
      - { name: moving, extra: { auth: plain, max_upload_records: 1000 } }`);
    const job = { ...LIVE[0], enabled: true, auth: "planted-auth", max_upload_records: 5000 };
    const { cwd, run } = await served({ config, read: () => answerWith([job]), reply: () => reply });
    const plans = [await run("plan", "--verbose"), await run("plan", "--format", "json", "-o", "plan.json")];
    expect(plans[0]?.out).toContain("max_upload_records: 5000 → 1000");
    expect(plans[0]?.out).toMatch(/auth: .*\(sensitive.* → plain/);
    const applied = [await run("apply", "plan.json", "--verbose"), await run("apply", "--yes")];
    expect(applied.map(({ code }) => code)).toEqual([1, 1]);
    await expectHidden(cwd, ...plans, ...applied);
  });

  test("of invalid files with a mistake at the secret", async () => {
    const wrong = [
      CONFIG.replace("destination_conf: ${secret:BUCKET}", "destination_conf: |\n          s3://planted"),
      CONFIG.replace("${secret:NOT_SET:-https", "${secret:NOT_SET:-\n          https"),
      CONFIG.replace("{ something_new", "${secret:HEADER}\n        x: { something_new"),
      CONFIG.replace("destination_conf: https", "destination-conf: https"),
      CONFIG.replace("destination_conf: https", "destination_conf: {https"),
    ];
    for (const config of wrong) {
      const cwd = await folderWith({ "zoneward.yaml": config });
      const runs = [["validate"], ["validate", "--format", "json"], ["plan"]].map((args) =>
        zoneward(args, { cwd, env: SECRETS }),
      );
      const ran = await Promise.all(runs);
      expect(ran.map(({ code }) => code)).toEqual([1, 1, 1]);
      await expectHidden(cwd, ...ran);
    }
  });
});

describe("live objects that look like references of a plan", () => {
  const [secret, same, made] = [{ $secret: "env:BUCKET" }, { $sensitive: "same" }, { $result: 1 }];
  const policy = { action: "log", enabled: true, expression: "true", value: "script-src 'self'" };
  const live: Readonly<Record<string, unknown>> = {
    policies: [
      { ...policy, id: "0b", description: "drifted", value: "img-src *", odd: [secret, same, made] },
    ],
    entrypoint: {
      id: "0d",
      phase: "http_log_custom_fields",
      rules: [
        { id: "0e", action: "of others", expression: "true", action_parameters: secret, ...same, ...made },
        { id: "0f", action: "log_custom_field", expression: "true", action_parameters: { odd: secret } },
      ],
    },
    jobs: [
      { id: 1, name: "odd", destination_conf: "s3://logs/a", frequency: secret, output_options: secret },
    ],
  };
  const config = configOf(`policies: [{ description: drifted, value: script-src 'self' }]
    custom_log_fields: { cookie_fields: [session] }
    logpush_jobs:
      - { name: odd, timestamps: unix, extra: { frequency: low } }
      - { name: new, dataset: http_requests, destination_conf: "\${secret:BUCKET}" }`);

  test("neither receive a secret nor hide drift", async () => {
    const { cwd, run, sent } = await served({
      config,
      read: (place) => answerWith(live[place]),
      reply: () => TAKEN,
    });
    const plans = [await run("plan", "--verbose"), await run("plan", "--format", "json", "-o", "plan.json")];
    expect(plans.map(({ code }) => code)).toEqual([0, 0]);
    const document = JSON.parse(plans[1]?.out ?? "") as PlanDocument;
    expect(document.changes.map(({ key, action }) => `${action} ${key}`).toSorted()).toEqual([
      "create new",
      "update custom_log_fields",
      "update drifted",
      "update odd",
    ]);
    const applied = await run("apply", "plan.json", "--verbose");
    expect([applied.code, applied.err]).toEqual([1, expect.stringContaining("differs from the files")]);
    expect(sent).toHaveLength(4);
    expect(sent.filter((body) => PLANTED.test(body)).map((body) => JSON.parse(body).name)).toEqual(["new"]);
    const bodies = sent.map((body) => JSON.parse(body));
    expect(bodies).toContainEqual({ ...policy, description: "drifted" });
    expect(bodies).toContainEqual({
      output_options: { ...secret, timestamp_format: "unix" },
      frequency: "low",
    });
    const rules = bodies.find((body) => "rules" in body)?.rules;
    expect(rules).toContainEqual(expect.objectContaining({ action_parameters: secret, ...same, ...made }));
    expect(rules).toContainEqual(
      expect.objectContaining({ action_parameters: { odd: secret, cookie_fields: [{ name: "session" }] } }),
    );
    await expectHidden(cwd, ...plans, applied);
  });

  test.each([{ value: secret }, { value: same }, { expression: made }])(
    "are refused as a policy's value: %j",
    async (odd) => {
      const read = (place: string) =>
        answerWith(
          place === "policies" ? [{ ...policy, id: "0a", description: "drifted", ...odd }] : live[place],
        );
      const { run, sent } = await served({ config, read, reply: () => TAKEN });
      const { code, err } = await run("apply", "--yes");
      expect([code, err]).toEqual([1, expect.stringContaining("which is not a string")]);
      expect(sent.filter((body) => body.includes("script-src"))).toEqual([]);
    },
  );
});

const ZONE_ID = "353c8d1a7323a8d9ca50e4ef0135e023";

/** A desired state of one zone with a pinned id. */
function configOf(sections: string): string {
  return `version: 1\nzones:\n  shop.example.com:\n    id: ${ZONE_ID}\n    ${sections}\n`;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const TAKEN: Reply = { status: 200, body: { success: true, errors: [], messages: [], result: { id: 9 } } };

function refusal(said: string): Reply {
  const errors = [{ code: 1002, message: `refused: ${said}` }];
  return { status: 400, body: { success: false, errors, messages: [], result: null } };
}

function answerWith(result: unknown): string {
  return JSON.stringify({ result, success: true, errors: [], messages: [] });
}

/** A service that lists the live jobs, and answers calls with this function. */
function against(reply: Served["reply"], damage = (whole: string) => whole) {
  const jobs = LIVE.slice(0, 2).map((job) => ({ ...job, enabled: true, dataset: "http_requests" }));
  const config = CONFIG.replace("  shop.example.com:", `  shop.example.com:\n    id: ${ZONE_ID}`);
  return served({ config, read: () => damage(answerWith(jobs)), reply });
}

const ZONES = answerWith([{ id: ZONE_ID, name: "shop.example.com" }]);

interface Served {
  readonly config: string;
  /** The answer to a read, by the last segment of its path. */
  read(place: string): string;
  /** The answer to any other call, by its body. */
  reply(body: string): Reply;
}

/** A folder with the configuration, and a service with these answers. */
async function served({ config, read, reply }: Served) {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      if (request.method === "GET") {
        const place = request.url?.split("/").at(-1) ?? "";
        response.writeHead(200).end(place.startsWith("zones?") ? ZONES : read(place));
        return;
      }
      sent.push(body);
      const answer = reply(body);
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // The server listens on TCP, so its address is an object.
  const cwd = await folderWith({ "zoneward.yaml": config });
  const env = {
    ...SECRETS,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
  };
  return { cwd, sent, run: (...args: string[]) => zoneward(args, { cwd, env }) };
}
