import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type DetectionSeed, type PolicySeed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";

const LIVE = {
  id: "9b1f0c6ab5e7441e8f0d7d2c4a91e001",
  description: "Checkout",
  action: "log",
  enabled: true,
  expression: 'starts_with(http.request.uri.path, "/checkout/")',
  value: "script-src https://cdn.example",
};

function script(url: string, days: number, page = "/checkout/pay"): DetectionSeed {
  return {
    id: "1".repeat(32),
    url,
    first_page_url: `https://shop.example.com${page}`,
    js_integrity_score: 90,
    first_seen_at: "2026-10-01T00:00:00Z",
    last_seen_at: new Date(Date.UTC(2026, 9, 1 + days)).toISOString(),
  };
}

const SEEN = script("https://cdn.example/a.js", 30);

const REPORT = {
  CSPDirective: "script-src",
  PageURL: "https://shop.example.com/checkout/pay",
  URL: "https://x.example/x.js",
};

interface Story {
  readonly scripts?: readonly DetectionSeed[];
  readonly live?: readonly PolicySeed[];
  readonly policies?: string;
  readonly guardrails?: string;
  readonly enabled?: boolean;
}

async function start({
  scripts = [SEEN],
  live = [LIVE],
  policies = "{ description: Checkout, action: allow }",
  guardrails = "{ forbid: [unproven] }",
  enabled = true,
}: Story) {
  const shop = { id: ID, settings: { enabled }, policies: [...live], scripts };
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": shop } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const write = (said: string, wanted = policies) =>
    writeFile(
      path.join(cwd, "zoneward.yaml"),
      `version: 1\nguardrails: ${said}\nzones:\n  shop.example.com: { id: ${ID}, policies: [${wanted}] }\n`,
    );
  await write(guardrails);
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  return { cwd, emulator, run, write };
}

/** The message of the guardrail; undefined: not refused. */
async function said(story: Story, ...flags: string[]): Promise<string | undefined> {
  const { run } = await start(story);
  const document = JSON.parse((await run("plan", "--format", "json", ...flags)).out);
  return document.guardrails.find(({ name }: { name: string }) => name === "unproven")?.message;
}

test("a policy may start blocking after enough days of evidence without a load that it would block", async () => {
  expect(await said({})).toBeUndefined();
  expect(await said({ guardrails: "{}", scripts: [] })).toBeUndefined();
});

test.each<[string, Story, string]>([
  [
    "days in the future",
    {
      scripts: [
        {
          ...script("https://cdn.example/a.js", 0),
          first_seen_at: new Date(Date.now() - 86_500_000).toISOString(),
          last_seen_at: "2099-01-01T00:00:00Z",
        },
      ],
    },
    "(1 day of evidence, 7 needed)",
  ],
  ["too few days", { scripts: [script("https://cdn.example/a.js", 3)] }, "(3 days of evidence, 7 needed)"],
  [
    "a longer period required",
    { guardrails: "{ forbid: [unproven], evidence_days: 31 }" },
    "(30 days of evidence, 31 needed)",
  ],
  [
    "a load that it would block",
    { scripts: [script("https://tag.example/t.js", 30)] },
    "(would block https://tag.example/t.js)",
  ],
  ["nothing seen", { scripts: [] }, "impact unknown; 0 days of evidence"],
  ["other pages seen", { scripts: [script("https://cdn.example/a.js", 30, "/")] }, "0 days of evidence"],
  ["detection off", { enabled: false }, "impact unknown"],
  [
    "a new policy that blocks",
    { policies: `{ description: New, action: allow, expression: "true", value: "script-src 'none'" }` },
    'policy "New" (would block https://cdn.example/a.js)',
  ],
])("refuses a policy that starts blocking: %s", async (_, story, why) => {
  expect(await said(story)).toContain(why);
});

const OTHER = { ...LIVE, id: "9b1f0c6ab5e7441e8f0d7d2c4a91e002", description: "Other", action: "allow" };
const CLEAR = {
  ...script("http://cdn.example:8080/a.js", 30),
  first_page_url: "http://shop.example.com/checkout/pay",
};

test.each<[string, Story, string]>([
  [
    "matched no page before",
    {
      live: [{ ...LIVE, action: "allow", expression: "false" }],
      policies: `{ description: Checkout, expression: "true", value: "script-src 'self'" }`,
    },
    "(would block https://cdn.example/a.js)",
  ],
  [
    "allowed every load before",
    {
      live: [{ ...LIVE, action: "allow", value: "upgrade-insecure-requests" }],
      scripts: [],
      policies: `{ description: Checkout, value: "upgrade-insecure-requests; script-src 'self'" }`,
    },
    "impact unknown; 0 days of evidence",
  ],
  [
    "allowed every load before and now upgrades loads that another policy blocks",
    {
      live: [
        { ...LIVE, action: "allow", expression: "false", value: "upgrade-insecure-requests" },
        { ...OTHER, value: "script-src http://cdn.example:8080" },
      ],
      scripts: [CLEAR],
      policies: `{ description: Checkout, expression: "true" }`,
    },
    "(would block http://cdn.example:8080/a.js)",
  ],
  [
    "only upgrades loads, and reported before",
    {
      live: [
        { ...LIVE, value: "script-src *; upgrade-insecure-requests" },
        { ...OTHER, value: "script-src http://cdn.example:8080" },
      ],
      scripts: [CLEAR],
    },
    "(would block http://cdn.example:8080/a.js)",
  ],
])("refuses a policy that starts blocking and %s", async (_, story, why) => {
  expect(await said(story)).toContain(why);
});

test("ignores a policy that keeps reporting or already blocks", async () => {
  expect(
    await said({ scripts: [], policies: "{ description: Checkout, value: 'script-src https:' }" }),
  ).toBeUndefined();
});

test("reports count against a policy and never for it", async () => {
  const { cwd, run } = await start({ guardrails: "{ forbid: [unproven] }" });
  await writeFile(path.join(cwd, "events.log"), JSON.stringify(REPORT));
  const { code, err } = await run("apply", "--yes", "--events", "events.log");
  expect([code, err]).toEqual([3, expect.stringContaining("would block https://x.example/x.js")]);
  expect((await run("apply", "--yes", "--no-impact")).err).toContain("detections were not read");
  expect((await run("apply", "--yes", "--allow", "unproven", "--events", "events.log")).code).toBe(0);
});

test("a policy's own reports count against it, even for loads that are neither scripts nor connections", async () => {
  const { cwd, run } = await start({});
  const on = "https://shop.example.com/checkout/pay";
  const own = { PageURL: on, PolicyID: LIVE.id };
  const events = [
    { ...own, CSPDirective: "script-src-elem", ResourceType: "script", URL: "inline" },
    { ...own, CSPDirective: "script-src-elem", ResourceType: "script", URL: "inline" },
    { ...own, CSPDirective: "script-src", ResourceType: "script", URL: "eval" },
    { ...own, CSPDirective: "img-src", ResourceType: "other", URL: "https://img.example/a.png" },
    { ...own, URL: "https://pay.example/3ds" },
    // Of another policy, and without a policy.
    { PageURL: on, PolicyID: "0".repeat(32), CSPDirective: "frame-src", URL: "https://f.example/" },
    { PageURL: on, PolicyID: "", CSPDirective: "style-src-attr", ResourceType: "other", URL: "inline" },
    { ...own, PolicyID: "no id\u001b[2J", CSPDirective: "img-src", URL: "https://img.example/a.png" },
  ];
  await writeFile(path.join(cwd, "events.log"), events.map((each) => JSON.stringify(each)).join("\n"));
  const told =
    "unexplained reports of code without a URL (2 × script-src-elem, 1 × script-src) and other loads (1 × ?, 1 × img-src)";
  const planned = JSON.parse((await run("plan", "--format", "json", "--events", "events.log")).out);
  expect(planned.guardrails).toMatchObject([{ name: "unproven", message: expect.stringContaining(told) }]);
  const { out: text, err } = await run(
    "plan",
    "--events",
    "events.log",
    "--fail-on",
    "blocks_active_scripts",
  );
  expect(err).toContain(
    `loads that reports do not name by URL: ${told.replace("unexplained reports of ", "")}.`,
  );
  expect(text).toContain(
    'apply would be refused by guardrail blocks_active_scripts: Reports from pages of shop.example.com show loads that may be blocked: policy "Checkout" code without a URL (2 × script-src-elem, 1 × script-src).',
  );
  const { out } = await run("ready", "--events", "events.log");
  expect(out).toContain(`"Checkout": not ready: ${told}\n`);
  const { zones } = JSON.parse((await run("ready", "--events", "events.log", "--format", "json")).out);
  expect(zones[0].objects[0]).toMatchObject({
    verdict: "not_ready",
    would_block: [],
    reported_besides: [{ what: "code", directive: "script-src-elem", count: 2 }, {}, {}, {}],
  });
});

test("a report without a URL or page is unexplained unless it names a policy or host of another zone", async () => {
  const { cwd, run } = await start({});
  const report = {
    CSPDirective: "script-src-elem",
    Host: "shop.example.com",
    PageURL: "https://shop.example.com/checkout/pay",
    PolicyID: LIVE.id,
    ResourceType: "script",
    URLHost: "js.payments.example",
  };
  const { PageURL, Host, ...homeless } = report;
  const foreign = [
    { ...homeless, PolicyID: "0".repeat(32) },
    { ...report, PageURL: "https://other.example/" },
  ];
  const read = async (events: readonly object[]) => {
    await writeFile(path.join(cwd, "events.log"), events.map((each) => JSON.stringify(each)).join("\n"));
    return (await run("ready", "--events", "events.log")).out;
  };
  expect(await read(foreign)).toContain('"Checkout": ready to block\n');
  const told = "unexplained reports of loads without a URL or page (2 × script-src-elem)";
  expect(await read([...foreign, report, homeless])).toContain(`"Checkout": not ready: ${told}\n`);
  const { code, out } = await run("plan", "--events", "events.log", "--fail-on", "unproven");
  expect([code, out]).toEqual([3, expect.stringContaining(told)]);
});

test("a report counts against each policy of the zone if the job does not log its policy", async () => {
  const { cwd, run } = await start({});
  const event = { PageURL: "https://shop.example.com/checkout/pay", CSPDirective: "script-src", URL: "eval" };
  await writeFile(path.join(cwd, "events.log"), JSON.stringify(event));
  const { out } = await run("ready", "--events", "events.log");
  expect(out).toContain('"Checkout": not ready: unexplained reports of code without a URL (1 ×');
});

test("a report of a script without a URL counts as a script that may be blocked", async () => {
  const { cwd, run } = await start({});
  const { URL: _, ...untold } = { ...REPORT, PolicyID: LIVE.id, URLHost: "x.example" };
  await writeFile(path.join(cwd, "events.log"), JSON.stringify(untold));
  const { code, out } = await run("plan", "--events", "events.log", "--fail-on", "blocks_active_scripts");
  expect([code, out]).toEqual([
    3,
    expect.stringMatching(/guardrail blocks_active_scripts: .*1 × script-src/),
  ]);
});

test("a saved plan that reports speak against cannot be applied without the reports", async () => {
  const { cwd, run, emulator } = await start({ guardrails: "{ forbid: [unproven, blocks_active_scripts] }" });
  await writeFile(path.join(cwd, "events.log"), JSON.stringify(REPORT));
  expect((await run("plan", "-o", "plan.json", "--events", "events.log")).out).toContain("unproven");
  const { code, err } = await run("apply", "plan.json");
  expect([code, err.match(/The saved plan says: /g)?.length]).toEqual([3, 2]);
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" as const };
  const saved = JSON.parse(await readFile(path.join(cwd, "plan.json"), "utf8"));
  expect(await apply({ ...options, plan: saved })).toMatchObject({ report: null });
  expect((await run("apply", "plan.json", "--events", "events.log")).err).not.toContain(
    "The saved plan says",
  );
  expect((await run("apply", "plan.json", "--allow", "unproven")).code).toBe(3);
  const lifted = await run("apply", "plan.json", "--allow", "unproven", "--allow", "blocks_active_scripts");
  expect(lifted.code).toBe(0);
});

test("--no-impact gives no evidence, and the stricter of two periods applies", async () => {
  expect(await said({}, "--no-impact")).toContain("detections were not read");
  const { cwd, run } = await start({ guardrails: "{ forbid: [unproven], evidence_days: 0 }" });
  await writeFile(path.join(cwd, "more.yaml"), "forbid: [unproven]\nevidence_days: 40\n");
  const { out } = await run("plan", "--format", "json", "--guardrails", "more.yaml");
  expect(out).toContain("30 days of evidence, 40 needed");
});

test("a change cannot lower the period that applies to itself", async () => {
  const { cwd, run, write } = await start({ scripts: [script("https://cdn.example/a.js", 3)] });
  const before = await folderWith({
    "zoneward.yaml": `version: 1\nguardrails: { forbid: [unproven] }\nzones:\n  shop.example.com: { id: ${ID}, policies: [{ description: Checkout, action: log }] }\n`,
  });
  await write("{ forbid: [unproven], evidence_days: 0 }");
  const { out } = await run("plan", "--format", "json", "--base", path.relative(cwd, before));
  expect(out).toContain("3 days of evidence, 7 needed");
  expect(out).toContain("evidence_days none → 0");
});
