import { writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type DetectionSeed, type PlanDocument } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";

function policy(
  description: string,
  change: { readonly action?: string; readonly enabled?: boolean; readonly value?: string } = {},
) {
  return {
    id: description.charCodeAt(0).toString(16).repeat(16),
    description,
    action: "log",
    enabled: true,
    expression: 'starts_with(http.request.uri.path, "/checkout/")',
    value: "script-src 'self' https://cdn.example",
    ...change,
  };
}

function script(digit: number, url: string, change: Partial<DetectionSeed> = {}): DetectionSeed {
  return {
    id: String(digit).repeat(32),
    url,
    first_page_url: "https://shop.example.com/checkout/pay",
    js_integrity_score: 90,
    first_seen_at: "2026-10-01T00:00:00Z",
    last_seen_at: "2026-10-27T10:00:00Z",
    ...change,
  };
}

const GOOD = script(1, "https://cdn.example/a.js");

interface Story {
  readonly policies: readonly ReturnType<typeof policy>[];
  readonly scripts: readonly DetectionSeed[];
  readonly enabled?: boolean;
  readonly events?: readonly object[];
  /** How much of the packed log is there. Absent: the whole log, not packed. */
  readonly logBytes?: number;
  /** More top-level lines of the file. */
  readonly config?: string;
}

async function ready(
  { policies, scripts, enabled = true, events = [], logBytes, config = "" }: Story,
  ...flags: readonly string[]
) {
  const shop = { id: ID, settings: { enabled }, policies: [...policies], scripts };
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": shop } } });
  onTestFinished(() => emulator.close());
  const log = events.map((each) => `${JSON.stringify(each)}\n`).join("");
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1\nzones:\n  shop.example.com: { id: ${ID} }\n${config}`,
    "events.log": log,
  });
  if (logBytes !== undefined)
    await writeFile(path.join(cwd, "events.log"), gzipSync(log).subarray(0, logBytes));
  const said = await zoneward(["ready", ...flags], { cwd, env: reaching(emulator) });
  expect(emulator.log.filter(({ method }) => method !== "GET")).toEqual([]);
  return said;
}

function event(url: string, page = "/checkout/pay", Timestamp = "2026-11-12T10:00:00Z"): object {
  return {
    CSPDirective: "script-src-elem",
    PageURL: `https://shop.example.com${page}`,
    ResourceType: "script",
    Timestamp,
    URL: url,
  };
}

test("a policy with enough days of evidence that would block nothing is ready", async () => {
  const { code, out } = await ready({ policies: [policy("Checkout")], scripts: [GOOD] });
  expect([code, out]).toEqual([
    0,
    [
      "shop.example.com",
      '  "Checkout": ready to block',
      "    26 days of evidence, 2026-10-01 to 2026-10-27; 1 load on its pages",
      "",
    ].join("\n"),
  ]);
});

test("a policy that would block loads is not ready, and the report names the loads and their evidence", async () => {
  const evil = script(3, "https://evil.example/x.js", { js_integrity_score: 3 });
  const { out } = await ready(
    {
      policies: [policy("Checkout")],
      scripts: [GOOD, script(2, "https://tag.example/t.js"), evil],
      events: [event("https://js.payments.example/v3.js"), event("https://cdn.example/a.js")],
    },
    "--events",
    "events.log",
  );
  expect(out).toContain('"Checkout": not ready: would block 2 loads, and 1 malicious\n');
  expect(out).toContain(
    "would block https://js.payments.example/v3.js on https://shop.example.com/checkout/pay (1 report from all pages, 2026-11-12, never detected)",
  );
  expect(out).toContain("would block https://tag.example/t.js");
  expect(out).toContain("would block (malicious): https://evil.example/x.js");
});

test("a policy with too few days of evidence is not ready, and --evidence-days sets the number", async () => {
  const story = {
    policies: [policy("Checkout")],
    scripts: [script(1, "https://cdn.example/a.js", { first_seen_at: "2026-10-24T00:00:00Z" })],
  };
  expect((await ready(story)).out).toContain("not ready: 3 days of evidence, 7 needed");
  expect((await ready(story, "--evidence-days", "3")).out).toContain("ready to block");
  expect((await ready(story, "--evidence-days", "-1")).code).toBe(1);
});

test("the guardrails of the files can set the number of days", async () => {
  const story = {
    policies: [policy("Checkout")],
    scripts: [GOOD],
    config: "guardrails: { evidence_days: 40 }\n",
  };
  expect((await ready(story)).out).toContain("not ready: 26 days of evidence, 40 needed");
  expect((await ready(story, "--evidence-days", "20")).out).toContain("ready to block");
});

test("a report belongs to the zone that contains its page, even if only other zones are selected", async () => {
  const story = {
    policies: [policy("Checkout", { value: "script-src https://cdn.example" })],
    scripts: [GOOD],
    config: "  pay.shop.example.com: {}\n",
    events: [{ ...event("https://x.example/x.js"), PageURL: "https://pay.shop.example.com/checkout/pay" }],
  };
  const { out } = await ready(story, "shop.example.com", "--events", "events.log");
  expect(out).toContain("ready to block");
});

test("a log that is cut off makes no policy ready, as the rest may have loads that it would block", async () => {
  const known = Array.from({ length: 2_000 }, (_, n) => event("https://cdn.example/a.js", `/checkout/${n}`));
  const story = {
    policies: [policy("Checkout")],
    scripts: [GOOD],
    events: [...known, event("https://js.payments.example/v3.js")],
    logBytes: 2_000,
  };
  const { out, err } = await ready(story, "--events", "events.log");
  expect(err).toContain("events.log could not be read to its end");
  expect(out).toContain(
    '"Checkout": not ready: unexplained reports of loads in logs that are cut off (1 × ?)\n',
  );
});

test("forged reports make no policy ready, because only detections count as days of evidence", async () => {
  const events = [
    event("https://cdn.example/a.js", "/checkout/pay", "2026-01-01T00:00:00Z"),
    event("https://cdn.example/a.js", "/checkout/pay", "2026-11-20T00:00:00Z"),
  ];
  const elsewhere = script(1, "https://cdn.example/a.js", { first_page_url: "https://shop.example.com/" });
  const none = await ready({ policies: [policy("Checkout")], scripts: [], events }, "--events", "events.log");
  expect(none.out).toContain("no evidence: nothing seen on its pages");
  const other = await ready(
    { policies: [policy("Checkout")], scripts: [elsewhere], events },
    "--events",
    "events.log",
  );
  expect(other.out).not.toContain("ready to block");
});

test("a flood of forged reports makes no policy ready by pushing out others", async () => {
  const events = Array.from({ length: 31_000 }, (_, index) => event(`https://h${index}.cdn.example/a.js`));
  const { out } = await ready(
    {
      policies: [policy("Checkout", { value: "script-src https://cdn.example https://*.cdn.example" })],
      scripts: [GOOD],
      events,
    },
    "--events",
    "events.log",
  );
  expect(out).toContain('"Checkout": not ready: may block 1 load');
  expect(out).toContain("(loads beyond those that are kept)");
});

test("a policy is not ready while detection is off", async () => {
  const story = { policies: [policy("Checkout")], enabled: false };
  expect((await ready({ ...story, scripts: [] })).out).toContain("no evidence: detection is off");
  expect((await ready({ ...story, scripts: [GOOD] })).out).toContain("not ready: detection is off");
});

test("a load that another policy blocks already does not count, and blocking or disabled policies are left out", async () => {
  const { out } = await ready({
    policies: [
      policy("Checkout"),
      policy("Strict", { action: "allow", value: "script-src https://cdn.example" }),
      policy("Off", { enabled: false, value: "script-src 'none'" }),
    ],
    scripts: [GOOD, script(2, "https://tag.example/t.js")],
  });
  expect(out).toContain('"Checkout": ready to block');
  expect(out).not.toMatch(/"(Strict|Off)"/);
});

test("ready and a plan that makes the policy block name the same loads", async () => {
  const values = [
    "script-src 'self'",
    "script-src 'none'",
    "script-src *.example",
    "script-src https:",
    "img-src *",
  ];
  const urls = [
    "https://cdn.example/a.js",
    "https://tag.example/t.js",
    "http://old.example/o.js",
    "blob:",
    "data:,x",
  ];
  for (const value of values)
    for (const action of ["log", "allow"]) {
      const policies = [
        policy("Checkout", { value }),
        policy("Beside", { value: "script-src https:", action }),
      ];
      const shop = { id: ID, settings: { enabled: true }, policies };
      const scripts = urls.map((url, index) => script(index + 1, url));
      const emulator = await createEmulator({
        seed: { zones: { "shop.example.com": { ...shop, scripts } } },
      });
      onTestFinished(() => emulator.close());
      const cwd = await folderWith({
        "zoneward.yaml": `version: 1\nzones:\n  shop.example.com: { id: ${ID}, policies: [{ description: Checkout, action: allow }] }\n`,
        "events.log": `${JSON.stringify(event("https://new.example/n.js"))}\n${JSON.stringify(event("https://cdn.example/a.js"))}\n`,
      });
      const run = async (...args: string[]) =>
        JSON.parse(
          (
            await zoneward([...args, "--events", "events.log", "--format", "json"], {
              cwd,
              env: reaching(emulator),
            })
          ).out,
        );
      const plan: PlanDocument = await run("plan");
      const { zones } = await run("ready", "--policy", "Checkout");
      const { would_block, may_block, would_stop } = zones[0].objects[0];
      const planned = plan.changes[0]?.impact?.scripts;
      expect([...would_block, ...would_stop]).toEqual(planned?.newly_blocked ?? []);
      expect(may_block).toEqual(planned?.undecided ?? []);
    }
});

test("ready prints JSON and can be limited to some policies", async () => {
  const story = { policies: [policy("Checkout"), policy("Basket")], scripts: [GOOD] };
  const { out } = await ready(story, "shop.example.com", "--policy", "Check*", "--format", "json");
  expect(JSON.parse(out)).toMatchObject({
    format_version: "1",
    evidence_days: 7,
    zones: [
      {
        zone: "shop.example.com",
        status: "read",
        objects: [
          { name: "Checkout", verdict: "ready", days: 26, loads: 1, would_block: [], detecting: true },
        ],
      },
    ],
  });
});

test("an unknown policy name is an error that suggests the closest name", async () => {
  const story: Story = { policies: [policy("Checkout")], scripts: [GOOD] };
  const { code, err } = await ready(story, "--policy", "Chekout", "--policy", "Check*");
  expect(code).toBe(0);
  expect(err).toContain('"Chekout" is not a policy of the zone, live or declared. Did you mean "Checkout"?');
  const { err: silent } = await ready(story, "--policy", "Check*");
  expect(silent).not.toContain("is not a policy");
});

test("a policy that would make a test of the files fail is not ready", async () => {
  const page = "https://shop.example.com/checkout/pay";
  const config = `tests:
  - { name: Pay, page: "${page}", scripts: { allowed: ["https://js.payments.example/v3.js"] } }
  - { name: Fine, page: "${page}", scripts: { allowed: ["https://cdn.example/a.js"], blocked: [] } }
  - { name: Elsewhere, page: "https://shop.example.com/", scripts: { allowed: ["https://js.payments.example/v3.js"] } }
  - { name: Fails already, page: "${page}", scripts: { blocked: ["https://cdn.example/a.js"] } }
  - { request: { path: / }, managed_rulesets: { applies: ["Cloudflare OWASP Core Ruleset"] } }
`;
  const story = { policies: [policy("Checkout")], scripts: [GOOD], config };
  const { out } = await ready(story);
  expect(out).toContain('"Checkout": not ready: 1 test would fail\n');
  expect(out).toMatch(/^ {4}test "Pay" would fail: .*https:\/\/js\.payments\.example\/v3\.js/m);
  const { zones } = JSON.parse((await ready(story, "--format", "json")).out);
  expect(zones[0].objects[0]).toMatchObject({ verdict: "not_ready", failing_tests: [{ name: "Pay" }] });
});
