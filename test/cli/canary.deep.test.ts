import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { apply, plan, rollback } from "../../src/index.js";
import { canariesIn, canary } from "../support/canaries.js";
import { type Ran, zoneward } from "../support/cli.js";
import { type EchoingService, echoingService, type Failing } from "../support/echoing-service.js";
import { SPELLINGS } from "../support/spellings.js";

const ENVIRONMENT = {
  BUCKET: `s3://${canary("bucket")}/${canary("path")}?access-key-id=${canary("id")}&secret-access-key=${canary("key")}%2F${canary("k2")}+x`,
  OWNERSHIP: canary("ownership"),
  FILTER: canary("filter"),
  HEADER: `${canary("header")} "quoted" \\ <b> ä`,
};

const TOKEN = { CLOUDFLARE_API_TOKEN: canary("token") };
const KEY = { CLOUDFLARE_EMAIL: `${canary("mail")}@x.example`, CLOUDFLARE_API_KEY: canary("apikey") };

const ZONE_ID = "353c8d1a7323a8d9ca50e4ef0135e023";

const CONFIG = `version: 1
zones:
  shop.example.com:
    id: ${ZONE_ID}
    settings: { enabled: true }
    logpush_jobs:
      - name: new
        dataset: http_requests
        destination_conf: \${secret:BUCKET}
        ownership_challenge: \${secret:OWNERSHIP}
        fields: [RayID]
        extra: { filter: '{"where":{"key":"\${secret:FILTER}"}}' }
      - name: moving
        destination_conf: "https://${canary("user")}:${canary("pass")}@logs.example/${canary("place")}?header_Authorization=Basic%20\${secret:OWNERSHIP}"
      - name: written-out
        destination_conf: gs://${canary("literal")}/a?b=${canary("query")}
        ownership_challenge: ${canary("challenge")}
      - name: defaulted
        dataset: dns_logs
        destination_conf: \${secret:NOT_SET:-https://logs.example/${canary("default")}/in?sas=${canary("sas")}}
    prune: [logpush_jobs]
`;

/** The live destinations. The last one is undeclared. */
const LIVE = [
  ["moving", `https://logs.example/in?header_Authorization=Basic%20${canary("live")}`],
  ["written-out", `splunk://${canary("host")}:8088/x?header_Authorization=${canary("splunk")}`],
  ["foreign", `https://endpoint.example/receiver/v1/http/${canary("sumo")}aB3dE6gH9`],
] as const;

const SEED = {
  zones: {
    "shop.example.com": {
      id: ZONE_ID,
      logpush_jobs: LIVE.map(([name, destination_conf], index) => ({
        id: index + 1,
        name,
        destination_conf,
        error_message: `cannot write to ${destination_conf}`,
        last_error: null,
      })),
    },
  },
};

/** Live secrets that the service may put into its messages, as URLs or with their field name. */
const HELD = LIVE.flatMap(([, url]) => [url, `destination_conf: "${url}"`]);

interface World {
  readonly cwd: string;
  readonly service: EchoingService;
  readonly environment: Readonly<Record<string, string>>;
  run(...args: string[]): Promise<Ran>;
}

async function worldWith(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  credential: Readonly<Record<string, string>> = TOKEN,
): Promise<World> {
  const service = await echoingService(SEED, HELD);
  onTestFinished(() => service.close());
  const cwd = await mkdtemp(path.join(tmpdir(), "zoneward-canary-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(path.join(cwd, "zoneward.yaml"), CONFIG);
  const environment = { ...ENVIRONMENT, ...credential, CLOUDFLARE_BASE_URL: service.url };
  return { cwd, service, environment, run: (...args) => zoneward(args, { cwd, env: environment }) };
}

/** Expects no canary in the outputs, nor in any file except the desired state. */
async function expectNone(cwd: string, ...outputs: readonly unknown[]): Promise<void> {
  for (const output of outputs)
    expect(canariesIn(typeof output === "string" ? output : JSON.stringify(output))).toEqual([]);
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of entries.filter((each) => each.isFile() && each.name !== "zoneward.yaml"))
    expect([name, canariesIn(await readFile(path.join(parentPath, name), "utf8"))]).toEqual([name, []]);
}

test("the search finds a canary in every spelling, and none in other texts", () => {
  for (const [name, spelled] of SPELLINGS)
    for (const text of Object.values({ ...ENVIRONMENT, ...TOKEN, ...KEY }))
      expect([name, canariesIn(`{"a":"${spelled(text)}"}`).length > 0]).toEqual([name, true]);
  expect(canariesIn("GET /zones/353c8d1a7323a8d9ca50e4ef0135e023/logpush/jobs, [redacted]")).toEqual([]);
});

const json = { "content-type": "application/json" };

/** A refusal in which every text repeats the secrets. */
function refusal(status: number, headers: Readonly<Record<string, string>> = {}): Failing {
  return (response, said) => {
    const item = () => ({
      code: 1004,
      message: `bad ${said(420)}`,
      documentation_url: `https://docs.example/${said(60)}`,
      source: { pointer: `/${said(60)}` },
      error_chain: [{ code: 1, message: said(200) }],
    });
    const errors = Array.from({ length: 10 }, item);
    const body = JSON.stringify({ success: false, errors, messages: [item()], result: null });
    response.writeHead(status, { ...json, "cf-ray": asHeader(said(50)), ...headers }).end(body);
  };
}

function asHeader(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}

function saying(status: number, make: (said: (chars: number) => string) => string): Failing {
  return (response, said) => void response.writeHead(status, json).end(make(said));
}

const failures: readonly (readonly [name: string, failing: Failing])[] = [
  [
    "a redirect",
    (response, said) =>
      void response.writeHead(302, { location: `https://evil.example/${asHeader(said(150))}` }).end(),
  ],
  ["HTML", saying(200, (said) => `<html><p>${said(90)}</p></html>`)],
  ["HTML from a gateway", saying(403, (said) => `<html><p>${said(90)}</p></html>`)],
  ["truncated JSON", saying(200, (said) => `{"result":[{"destination_conf":"${said(80)}`)],
  ["JSON without an envelope", saying(200, (said) => JSON.stringify({ result: said(90) }))],
  ["no result", saying(200, (said) => JSON.stringify({ success: true, errors: [], messages: [said(90)] }))],
  ["a result with secrets", saying(200, (said) => JSON.stringify({ success: true, result: said(90) }))],
  [
    "objects with secrets",
    saying(200, (said) =>
      JSON.stringify({ success: true, result: [{ id: said(60), destination_conf: said(60) }] }),
    ),
  ],
  ["success: false with 200", refusal(200)],
  ...[400, 401, 403, 404, 405, 409, 422].map((status) => [String(status), refusal(status)] as const),
  ["429 for longer than the limit", refusal(429, { "retry-after": "3" })],
  ["500 for longer than the limit", refusal(500, { "retry-after": "3" })],
  ["a reset before the effect", (response) => void response.socket?.resetAndDestroy()],
  [
    "a reset after the effect",
    (response, _, after) => void after().then(() => response.socket?.resetAndDestroy()),
  ],
  ["silence", () => {}],
  [
    "a body that is cut off",
    (response, said) => {
      response.writeHead(200, { "content-length": "5000" });
      response.write(said(200), () => response.destroy());
    },
  ],
  [
    "a body that is too large",
    saying(200, (said) => `{"result":"${said(400)}${"x".repeat(17 * 1024 * 1024)}"}`),
  ],
  [
    "a response that is not HTTP",
    (response, said) => void response.socket?.end(`${asHeader(said(200))}\r\n\r\n`),
  ],
];

/** Long enough for a busy machine. Tests without an answer take this whole time. */
const TIMEOUT_SECONDS = 5;
const QUICK = ["--max-wait", "0", "--timeout", String(TIMEOUT_SECONDS), "--rate-limit", "off"];
const LIMITS = { maxWaitSeconds: 0, timeoutSeconds: TIMEOUT_SECONDS, rateLimit: "off" };
const MUTE = [
  "a reset before the effect",
  "a reset after the effect",
  "silence",
  "a body that is too large",
  "a body that is cut off",
];

describe.concurrent.each(failures)("no secret is shown if the service answers with %s", (name, failing) => {
  /** Without an echo from the service, the test could not fail. */
  const expectSaid = ({ said }: EchoingService) => {
    if (!MUTE.includes(name)) expect(canariesIn(said.join("\n")).length).toBeGreaterThan(0);
  };

  test("to reads", async (context) => {
    const { cwd, service, environment, run } = await worldWith(context);
    const options = { cwd, environment, ...LIMITS };
    const applied = await apply(options);
    expect(applied.report?.converged).toBe(true);
    service.fail(failing, "reads");
    const outputs = await Promise.all([
      run("plan", "-v", ...QUICK),
      run("scripts", "list", "-v", "--zone", "shop.example.com", ...QUICK),
      plan({ ...options, environment: { ...environment, ...TOKEN } }),
      apply(options),
      rollback(applied.report?.journal ?? "", options),
    ]);
    expectSaid(service);
    await expectNone(cwd, applied, ...outputs);
  }, 120_000);

  test("to writes", async (context) => {
    const { cwd, service, environment, run } = await worldWith(context, KEY);
    const options = { cwd, environment, ...LIMITS };
    service.fail(failing, "writes");
    const refused = await run("apply", "--yes", "-v", ...QUICK);
    // An apply finds out that the write took effect.
    expect(refused.code === 0).toBe(name === "a reset after the effect");
    expectSaid(service);
    service.fail(null, "writes");
    const applied = await apply(options);
    service.fail(failing, "writes");
    const back = await rollback(applied.report?.journal ?? "", options);
    await expectNone(cwd, refused, applied, back);
  }, 120_000);

  test("to reads after a write", async (context) => {
    const { cwd, service, environment } = await worldWith(context);
    service.fail(failing, "reads after a write");
    const applied = await apply({ cwd, environment, ...LIMITS });
    expectSaid(service);
    await expectNone(cwd, applied);
  }, 120_000);
});
