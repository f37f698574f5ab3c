import { writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type PlanDocument, plan } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";

const CHECKOUT = {
  id: "9b1f0c6ab5e7441e8f0d7d2c4a91e001",
  description: "Checkout",
  action: "log",
  enabled: true,
  expression: 'starts_with(http.request.uri.path, "/checkout/")',
  value: "script-src 'self' https://cdn.example",
};

const DETECTED = {
  id: "1".repeat(32),
  url: "https://tag.example/t.js?v=1",
  first_page_url: "https://shop.example.com/checkout/cart",
  js_integrity_score: 90,
};

function event(url: string, page: string, day: string): object {
  return {
    Action: "log",
    CSPDirective: "script-src-elem",
    Host: "shop.example.com",
    PageURL: `https://shop.example.com${page}`,
    PolicyID: CHECKOUT.id,
    ResourceType: "script",
    Timestamp: `2026-11-${day}T10:00:00Z`,
    URL: url,
    URLHost: new URL(url).host,
  };
}

const EVENTS = [
  ...Array.from({ length: 1204 }, (_, index) =>
    event("https://js.payments.example/v3.js", "/checkout/pay?id=1", index === 0 ? "02" : "21"),
  ),
  event("https://js.payments.example/v3.js", "/about", "12"),
  event("https://tag.example/t.js?v=2", "/checkout/cart", "12"),
  event("https://cdn.example/a.js", "/checkout/cart", "12"),
  event("chrome-extension://abc/x.js", "/checkout/cart", "12"),
];

async function start(scripts = [DETECTED]) {
  const shop = { id: ID, settings: { enabled: true }, policies: [CHECKOUT], scripts };
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": shop } } });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1\nzones:\n  shop.example.com: { id: ${ID}, policies: [{ description: Checkout, action: allow }] }\n`,
    "events.log": EVENTS.map((each) => `${JSON.stringify(each)}\n`).join(""),
  });
  await writeFile(
    path.join(cwd, "events.gz"),
    gzipSync(EVENTS.map((each) => JSON.stringify(each)).join("\n")),
  );
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  const run = (args: readonly string[], input = "") =>
    zoneward(args, { cwd, env: reaching(emulator), input });
  return { emulator, cwd, options, run };
}

function scriptsOf(document: PlanDocument | null) {
  return document?.changes[0]?.impact?.scripts;
}

const PAYMENTS = {
  id: null,
  url: "https://js.payments.example/v3.js",
  malicious: null,
  page: "https://shop.example.com/checkout/pay",
  own: false,
  reports: { count: 1205, first: "2026-11-02T10:00:00Z", last: "2026-11-21T10:00:00Z" },
};

test("a plan tests reported loads like detected ones and marks them as reported", async () => {
  const { options, run } = await start();
  const { document } = await plan({ ...options, events: ["events.log"] });
  expect(scriptsOf(document)?.newly_blocked).toEqual([
    PAYMENTS,
    {
      id: DETECTED.id,
      url: DETECTED.url,
      malicious: false,
      page: DETECTED.first_page_url,
      own: false,
      reports: { count: 1, first: "2026-11-12T10:00:00Z", last: "2026-11-12T10:00:00Z" },
    },
  ]);
  const { out, err } = await run(["plan", "--events", "events.log"]);
  expect(out).toContain(
    "https://js.payments.example/v3.js on https://shop.example.com/checkout/pay (1,205 reports from all pages, 2026-11-02 to 2026-11-21, never detected)",
  );
  expect(out).toContain("(1 report from all pages, 2026-11-12");
  expect(`${out}${err}`).toContain(
    "1,207 reports of loads in 1 zone, 2026-11-02 to 2026-11-21. Ignored: 1 line of browser extensions.",
  );
});

test("a plan shows reports in every format", async () => {
  const { run } = await start();
  for (const format of ["markdown", "html", "text"]) {
    const { out } = await run(["plan", "--events", "events.log", "--format", format]);
    expect(out).toContain("1,205 reports from all pages, 2026-11-02 to 2026-11-21");
  }
});

test("a load that is only reported is never shown as running on the page", async () => {
  const { options, run } = await start();
  const { document } = await plan({ ...options, events: ["events.log"] });
  expect(document?.summary.impact?.scripts).toMatchObject({ tried: 3, newly_blocked: 2, only_reported: 2 });
  const { out } = await run(["plan", "--events", "events.log"]);
  expect(out).toContain("would block 2 of 3 scripts (2 only reported)");
  const { out: sarif } = await run(["plan", "--events", "events.log", "--format", "sarif"]);
  expect(sarif).toContain("(1,205 reports from all pages, 2026-11-02 to 2026-11-21, never detected)");
  expect(sarif).toContain("Pages load these today, or only reports say so.");
  const { document: bare } = await plan(options);
  expect(Object.keys(bare?.summary.impact?.scripts ?? {})).not.toContain("only_reported");
  const { out: none } = await run(["plan"]);
  expect(none).toContain("would block 1 of 1 script in use");
});

test("reports are not tested if detections are unreadable, because detected and reported loads cannot be told apart", async () => {
  const { emulator, options, run } = await start();
  emulator.arm({ rates: [{ fault: "redirect", path: "*/page_shield/scripts", chance: 1 }] });
  const { document } = await plan({ ...options, events: ["events.log"] });
  expect(document?.summary.impact).toMatchObject({
    scripts: { tried: 0, newly_blocked: 0 },
    unread: ["shop.example.com"],
  });
  const { out, err } = await run(["plan", "--events", "events.log"]);
  expect(`${out}${err}`).toContain("also for reported scripts");
});

test("reports are not tested for kinds of loads that the plan does not affect", async () => {
  const { cwd, options } = await start();
  const connection = { ...event("https://api.example/", "/checkout/pay", "12"), ResourceType: "connection" };
  await writeFile(path.join(cwd, "connections.log"), `${JSON.stringify(connection)}\n`);
  const { document } = await plan({ ...options, events: ["connections.log"] });
  expect(document?.summary.impact?.connections.tried).toBe(0);
});

test("compressed logs, standard input and repeated files give the same plan", async () => {
  const { options, run } = await start();
  const { document } = await plan({ ...options, events: ["events.log"] });
  const { document: compressed } = await plan({ ...options, events: ["events.gz"] });
  const lines = EVENTS.map((each) => `${JSON.stringify(each)}\n`).join("");
  const { out } = await run(["plan", "--format", "json", "--events", "-"], lines);
  const { out: reversed } = await run(
    ["plan", "--format", "json", "--events", "-"],
    lines.split("\n").reverse().join("\n"),
  );
  expect(compressed).toEqual(document);
  expect(JSON.parse(out)).toEqual(document);
  expect(reversed).toBe(out);
});

test("events do not change the digest, because only calls are approved", async () => {
  const { options } = await start();
  const [bare, told] = [await plan(options), await plan({ ...options, events: ["events.log"] })];
  expect(told.document?.digest).toBe(bare.document?.digest);
});

test("forged reports cannot get a source allowed or a page treated as known", async () => {
  const { options } = await start([]);
  const [bare, told] = [await plan(options), await plan({ ...options, events: ["events.log"] })];
  expect(scriptsOf(told.document)?.newly_blocked.map(({ url }) => url)).toEqual([
    "https://js.payments.example/v3.js",
    "https://tag.example/t.js",
  ]);
  expect(scriptsOf(told.document)?.newly_allowed).toEqual([]);
  expect(bare.document?.changes[0]?.impact?.unseen).toBe("nothing_seen");
  expect(told.document?.changes[0]?.impact?.unseen).toBe("nothing_seen");
});

test("unusable logs are an error, and no request is sent", async () => {
  const { emulator, run } = await start();
  for (const [args, code] of [
    [["--events", "nowhere"], "no_such_file"],
    [["--events", "events.log", "--no-impact"], "bad_flag"],
  ] as const) {
    const { code: exit, out } = await run(["plan", "--format", "json", ...args]);
    expect([exit, out]).toEqual([1, expect.stringContaining(code)]);
  }
  expect(emulator.log).toEqual([]);
});

test("a log without reports for these zones is a warning, because it does not prove that nothing was blocked", async () => {
  const { cwd, options } = await start();
  await writeFile(path.join(cwd, "other.log"), '{"ClientRequestHost":"shop.example.com"}\n');
  const { document } = await plan({ ...options, events: ["other.log"] });
  expect(document?.diagnostics.find(({ code }) => code === "reports_read")).toMatchObject({
    severity: "warning",
    message: expect.stringContaining("1 line of other datasets"),
  });
});
