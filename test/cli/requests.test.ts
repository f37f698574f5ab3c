import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type PlanDocument, plan } from "../../src/index.js";
import { planAnnotations } from "../../src/render/annotations.js";
import { planView } from "../../src/run/plan-formats.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { HOSTILE } from "../support/hostile.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";

const line = (uri: string, more: Readonly<Record<string, unknown>> = {}) =>
  `${JSON.stringify({ ClientRequestHost: "shop.example.com", ClientRequestURI: uri, ZoneName: "shop.example.com", ...more })}\n`;

const EVENT = `${JSON.stringify({ Action: "log", CSPDirective: "script-src", Host: "shop.example.com", PageURL: "x", PolicyID: "p" })}\n`;

const API = 'starts_with(http.request.uri.path, "/api/")';

test("expression match --requests counts matching requests by path", async () => {
  const cwd = await folderWith({ "a.log": line("/api/a") + line("/api/b") + line("/") + EVENT });
  const { code, out, err } = await zoneward(["expression", "match", API, "--requests", "."], { cwd });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toBe(`matches         2 of 3 lines (67 %)
             2  /api/*
does not match  1 of 3 lines (33 %)
             1  /
undecided       0 of 3 lines (0 %)
ignored: 1 line of other datasets
These are counts of lines. A job with a sample rate writes fewer lines than there were requests.
`);
});

test("reads plain and gzip files, folders, globs and standard input, even truncated ones", async () => {
  const members = Buffer.concat([gzipSync(line("/api/1")), gzipSync(line("/api/2"))]);
  const cut = gzipSync(
    Array.from({ length: 500 }, (_, n) => line(`/api/${n}${Math.sin(n)}`)).join(""),
  ).subarray(0, -100);
  const cwd = await folderWith({
    "broken.log": `{"ClientRequestURI":"/api/x\n[1]\n\n"text"\n${line("/api/4", { RayID: "x".repeat(2_000_000) })}${line("/api/5")}`,
  });
  await mkdir(path.join(cwd, "day/one"), { recursive: true });
  await writeFile(path.join(cwd, "day/b.log"), line("/api/3").trimEnd());
  await writeFile(path.join(cwd, "day/.hidden"), line("/api/hidden"));
  await writeFile(path.join(cwd, "day/one/a.log.gz"), members);
  await writeFile(path.join(cwd, "cut.log.gz"), cut);
  const counts = async (...paths: readonly string[]) => {
    const flags = paths.flatMap((each) => ["--requests", each]);
    const args = ["expression", "match", API, "--format", "json", ...flags];
    const { code, out, err } = await zoneward(args, { cwd, input: line("/api/in") });
    expect(code).toBe(0);
    const { matches, left_out } = JSON.parse(out);
    return [matches.lines, left_out.broken, err];
  };
  expect(await counts("day")).toEqual([3, 0, ""]);
  expect(await counts("day/*.log", "day/b.log", "./day/b.log")).toEqual([1, 0, ""]);
  expect(await counts("-")).toEqual([1, 0, ""]);
  expect(await counts("broken.log")).toEqual([1, 4, ""]);
  const [lines, , err] = await counts("cut.log.gz");
  expect(err).toContain("cut.log.gz could not be read to its end");
  expect(lines).toBeLessThan(500);
  expect(lines).toBeGreaterThan(0);
});

test("reports a wrong path before counting", async () => {
  const cwd = await folderWith({ "a.log": line("/") });
  const args = ["expression", "match", "ssl", "--requests"];
  const missing = await zoneward([...args, "none.log"], { cwd });
  expect([missing.code, missing.out]).toEqual([1, ""]);
  expect(missing.err).toContain("none.log does not exist.");
  const both = await zoneward(["expression", "match", "ssl", "https://a.example/", "--requests", "a.log"], {
    cwd,
  });
  expect(both.code).toBe(1);
  expect(both.err).toContain("one or the other");
});

test("--field sets a field that the lines lack", async () => {
  const cwd = await folderWith({ "a.log": line("/api/a") });
  const text = `${API} and not cf.client.bot`;
  const open = await zoneward(["expression", "match", text, "--requests", "a.log"], { cwd });
  expect(open.out).toContain("1 line lacks cf.client.bot. The dataset has no such field.\n");
  const said = await zoneward(
    ["expression", "match", text, "--requests", "a.log", "--field", "cf.client.bot=false"],
    { cwd },
  );
  expect(said.out).toContain("matches         1 of 1 line (100 %)");
});

/** A zone with a managed ruleset, an exception and a policy, and a change of each. */
async function started(logs: string, dialect: "service" | "interface" = "service") {
  const live = {
    policies: [
      {
        id: "1".repeat(32),
        description: "Pay",
        action: "log",
        enabled: true,
        expression: API,
        value: "script-src 'self'",
      },
      {
        id: "2".repeat(32),
        description: "Old",
        action: "log",
        enabled: true,
        expression: API,
        value: "script-src 'self'",
      },
    ],
  };
  const emulator = await createEmulator({
    dialect,
    seed: { zones: { "shop.example.com": { id: ID, ...live } } },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "a.log": logs,
    "zoneward.yaml": `version: 1
zones:
  shop.example.com:
    id: ${ID}
    policies:
      - { description: Pay, action: log, expression: 'http.request.uri.path eq "/search"', value: "script-src 'self'" }
      - { description: Api, renamed_from: Old, action: allow, expression: '${API}', value: "script-src 'self'" }
    managed_ruleset: { expression: '${API} or http.request.headers["x-key"][0] eq "k"' }
    managed_exceptions:
      - { description: Search, expression: 'http.request.uri.path eq "/search"', skip: all }
`,
  });
  const run = (...args: readonly string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  return { run, options: { cwd, environment: reaching(emulator), rateLimit: "off" } };
}

const LOGS = [
  ...Array.from({ length: 6 }, () => line("/api/a?b", { EdgeStartTimestamp: "1793836800000000000" })),
  ...Array.from({ length: 3 }, () => line("/search?q", { RequestHeaders: { "x-key": "a" } })),
  line("/open", { EdgeStartTimestamp: "2026-11-02T00:00:00Z" }),
  line("/host", {
    ZoneName: undefined,
    ClientRequestHost: "www.shop.example.com",
    RequestHeaders: { "x-key": "k" },
  }),
  line("/other", { ZoneName: "other.example.com" }),
  line("/nowhere", { ZoneName: undefined, ClientRequestHost: "example.com" }),
  EVENT,
  "{cut\n",
].join("");

const DIALECTS = ["service", "interface"] as const;

test.each(DIALECTS)(
  "plan shows the affected requests of each change in each format (%s)",
  async (dialect) => {
    const { run, options } = await started(LOGS, dialect);
    const { code, out } = await run("plan", "--requests", "a.log", "--format", "text");
    expect(code).toBe(0);
    expect(out).toContain(
      "applies to 64 % of requests (was 0 %, 1 of 11 lines undecided): + /api/* 6, + /host 1\n",
    );
    expect(out).toContain(
      '1 line lacks http.request.headers["x-key"]. To decide, declare custom_log_fields: { request_fields: ["x-key"] }',
    );
    expect(out).toContain("skips 27 % of requests (was 0 %): + /search 3\n");
    expect(out).toContain("applies to 27 % of requests (was 55 %): + /search 3, - /api/* 6\n");
    expect(out).toContain(
      "      now blocks on 55 % of requests, previously only reported (6 of 11 lines): /api/* 6\n",
    );
    const markdown = await run("plan", "--requests", "a.log", "--format", "markdown");
    expect(markdown.out).toContain("skips 27 % of requests (was 0 %): `+ /search` 3");
    const html = await run("plan", "--requests", "a.log", "--format", "html");
    expect(html.out).toContain("skips 27 % of requests (was 0 %): + /search 3");

    for (const format of ["sarif", "codequality"])
      expect((await run("plan", "--requests", "a.log", "--format", format)).out).toContain(
        "Requests: skips 27 % of requests (was 0 %): + /search 3.",
      );

    const { document } = await plan({ ...options, requests: ["a.log"] });
    expect(planAnnotations(planView(document as PlanDocument, "plan"))).toContain(
      "Requests: skips 27 %25 of requests (was 0 %25): + /search 3.",
    );
    expect(document?.request_lines).toEqual({
      lines: 11,
      first: "2026-11-02T00:00:00Z",
      last: "2026-11-05T00:00:00Z",
      other_zones: 2,
      other_datasets: 1,
      broken: 1,
    });
    expect(document?.diagnostics).toContainEqual(
      expect.objectContaining({
        code: "request_lines",
        severity: "note",
        message: expect.stringContaining(
          "11 lines of requests in zones of this plan, 2026-11-02 to 2026-11-05. Ignored: 2 lines of other zones or without a zone, 1 line of other datasets, 1 line not JSON or too long.",
        ),
      }),
    );
    const exception = document?.changes.find(({ kind }) => kind === "managed_exception");
    expect(exception?.request_lines).toEqual({
      does: "skips",
      lines: 11,
      before: 0,
      after: 3,
      more: { lines: 3, paths: [{ path: "/search", lines: 3 }], other_paths: 0 },
      fewer: { lines: 0, paths: [], other_paths: 0 },
      undecided: { lines: 0, untold: [] },
    });
  },
);

test("request lines do not change the digest, and a plan without them does not mention them", async () => {
  const { options } = await started(LOGS);
  const [plain, asked] = [await plan(options), await plan({ ...options, requests: ["a.log"] })];
  expect(JSON.stringify(plain.document)).not.toContain("request_lines");
  expect(asked.document?.digest).toBe(plain.document?.digest);
});

test("drift shows the requests affected by changes outside the files", async () => {
  const { run } = await started(LOGS);
  const { out } = await run("drift", "--requests", "a.log");
  expect(out).toContain("applies to 27 % of requests (was 55 %)");
  const sarif = await run("drift", "--requests", "a.log", "--format", "sarif");
  expect(sarif.out).toContain("Undoing the drift: applies to 27 % of requests (was 55 %)");
});

test("any text in a request line is escaped", async () => {
  const { run } = await started(
    Object.values(HOSTILE)
      .map((text) => line(`/${text}`) + line("/search", { [text]: text }))
      .join(""),
  );
  for (const format of ["text", "markdown", "html", "sarif", "codequality"]) {
    const { out } = await run("plan", "--requests", "a.log", "--format", format);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|<script/);
  }
});

test("every format says how many lines a rate limit would have limited, and a saved plan keeps it", async () => {
  const emulator = await createEmulator({
    dialect: "service",
    seed: { zones: { "shop.example.com": { id: ID } } },
  });
  onTestFinished(() => emulator.close());
  const hostile = 'http.request.headers["<script>alert(1)</script>"]';
  const logins = (second: number) =>
    line("/login", { EdgeStartTimestamp: 1793836800 + second, ClientIP: "192.0.2.1", EdgeColoCode: "FRA" });
  const limit = (description: string, by: string) =>
    `      - { description: ${description}, expression: 'http.request.uri.path eq "/login"', characteristics: [${JSON.stringify(by)}], period: 10, requests_per_period: 2, mitigation_timeout: 0, action: block }\n`;
  const cwd = await folderWith({
    "a.log": [0, 1, 2, 3].map(logins).join("") + line("/"),
    "zoneward.yaml": `version: 1\nzones:\n  shop.example.com:\n    rate_limits:\n${limit("Logins", "ip.src")}${limit("Odd", hostile)}`,
  });
  const run = (...args: readonly string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  for (const format of ["text", "markdown", "html", "sarif", "codequality"]) {
    const { out } = await run("plan", "--requests", "a.log", "--format", format);
    expect(out).toContain("would have limited 2 of 5 lines (was 0), counted by ip.src, cf.colo.id");
    expect(out).toMatch(
      /would have limited at most 2 of 5 lines \(was 0\), counted by cf.colo.id; lines lack `?http/,
    );
    if (format === "html") expect(out).not.toContain("<script>alert");
  }
  expect((await run("plan", "--requests", "a.log", "-o", "plan.json")).code).toBe(0);
  const saved = JSON.parse(await readFile(path.join(cwd, "plan.json"), "utf8")) as PlanDocument;
  expect(saved.changes[0]?.request_lines?.limited).toEqual({
    after: { lines: 2, by: ["ip.src", "cf.colo.id"], not_logged: [] },
  });
  const { code, out, err } = await run("apply", "plan.json", "--yes");
  expect(code, err).toBe(0);
  expect(out, "the digest does not cover the counts of a plan file").not.toContain("would have limited");
});
