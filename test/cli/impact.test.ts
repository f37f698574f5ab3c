import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  apply,
  createEmulator,
  type DetectionSeed,
  type PlanDocument,
  plan,
  rollback,
} from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { HOSTILE } from "../support/hostile.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";
const id = (digit: number) => String(digit).repeat(32);

const good: DetectionSeed = {
  id: id(1),
  url: "https://cdn.example/a.js",
  first_page_url: "shop.example.com/cart",
  js_integrity_score: 90,
};
const evil: DetectionSeed = {
  id: id(2),
  url: "https://evil.example/x.js",
  first_page_url: "https://shop.example.com/cart",
  js_integrity_score: 3,
};
const rare: DetectionSeed = { id: id(3), url: "https://rare.example/r.js", status: "infrequent" };
const gone: DetectionSeed = { id: id(4), url: "https://gone.example/g.js", status: "inactive" };
const own: DetectionSeed = {
  id: id(5),
  url: "https://shop.example.com/cdn-cgi/beacon.js",
  js_integrity_score: 90,
};
const socket: DetectionSeed = { id: id(6), url: "wss://chat.example/", domain_reported_malicious: false };

const policy = (description: string, value: string, action = "allow") => ({
  id: description.charCodeAt(0).toString(16).repeat(16),
  description,
  action,
  enabled: true,
  expression: "true",
  value,
});

interface Story {
  readonly scripts?: readonly DetectionSeed[];
  readonly connections?: readonly DetectionSeed[];
  readonly live?: readonly ReturnType<typeof policy>[];
  /** The policies in the file. */
  readonly policies: string;
  readonly head?: string;
  /** The lists that cannot be read. */
  readonly faulty?: readonly string[];
}

async function start({ scripts = [], connections = [], live = [], policies, head = "", faulty = [] }: Story) {
  const shop = { id: ID, settings: { enabled: true }, policies: [...live], scripts, connections };
  const emulator = await createEmulator({
    seed: { zones: { "shop.example.com": shop } },
    faults: { rates: faulty.map((list) => ({ path: `*/${list}`, chance: 1, fault: "redirect" as const })) },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const write = (entries: string) =>
    writeFile(
      path.join(cwd, "zoneward.yaml"),
      `version: 1\n${head}zones:\n  shop.example.com: { id: ${ID}, policies: [${entries}] }\n`,
    );
  await write(policies);
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  const reads = () => emulator.log.filter(({ path: asked }) => /\/(scripts|connections)\?/.test(asked));
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  return { emulator, cwd, write, options, reads, run };
}

async function planned(story: Story) {
  const started = await start(story);
  const { document, problems } = await plan(started.options);
  if (document === null) throw new Error(JSON.stringify(problems));
  return { ...started, document, problems };
}

const LOG_TO_ALLOW = "{ description: One, action: allow }";
const ONE = policy("One", "script-src 'self'; connect-src 'self'", "log");

const none = { newly_blocked: [], newly_reported: [], newly_allowed: [], undecided: [] };
const entry = (seed: DetectionSeed, malicious: boolean | null, page: string | null = null) => ({
  id: seed.id,
  url: seed.url,
  malicious,
  page,
  own: seed === own,
});

describe("a plan that changes policies", () => {
  test("lists the current loads that each change would block, and their sums", async () => {
    const { document, problems } = await planned({
      scripts: [good, evil, rare, gone, own],
      connections: [socket],
      live: [ONE],
      policies: LOG_TO_ALLOW,
    });
    expect(problems.filter(({ code }) => code === "impact_not_known")).toEqual([]);
    const blocked = [
      entry(evil, true, "https://shop.example.com/cart"),
      entry(good, false, "shop.example.com/cart"),
      entry(rare, null),
    ];
    expect(document.changes[0]?.impact).toEqual({
      scripts: { ...none, newly_blocked: blocked },
      connections: { ...none, newly_blocked: [entry(socket, false)] },
    });
    const sums = { newly_reported: 0, newly_allowed: 0, undecided: 0, malicious_allowed: 0 };
    expect(document.summary.impact).toEqual({
      scripts: { tried: 4, newly_blocked: 3, ...sums },
      connections: { tried: 1, newly_blocked: 1, ...sums },
      unread: [],
    });
  });

  test("treats the service's own scripts like other scripts, and marks them", async () => {
    const { document } = await planned({
      scripts: [own],
      live: [ONE],
      policies: "{ description: One, action: allow, value: script-src cdn.example }",
    });
    expect(document.changes[0]?.impact?.scripts?.newly_blocked).toEqual([entry(own, false)]);
  });

  test("counts malicious loads that would be allowed", async () => {
    const { document } = await planned({
      scripts: [good, evil],
      live: [policy("One", "script-src 'self'")],
      policies: "{ description: One, ensure: absent }",
    });
    expect(document.summary.impact?.scripts).toMatchObject({ newly_allowed: 2, malicious_allowed: 1 });
  });

  test("takes the threshold for malicious scripts from the files", async () => {
    const { document } = await planned({
      scripts: [good],
      live: [ONE],
      policies: LOG_TO_ALLOW,
      head: "service: { limits: { malicious_score_below: 95 } }\n",
    });
    expect(document.changes[0]?.impact?.scripts?.newly_blocked).toMatchObject([{ malicious: true }]);
  });

  test("considers the zone's other policies, declared or not", async () => {
    const { document } = await planned({
      scripts: [good],
      live: [ONE, policy("Two", "script-src 'self'")],
      policies: LOG_TO_ALLOW,
    });
    expect(document.changes[0]?.impact?.scripts).toEqual(none);
  });

  test("reads all pages of both lists and the detection setting, and counts these requests", async () => {
    const many = Array.from({ length: 230 }, (_, n) => ({ url: `https://cdn.example/${n}.js` }));
    const { document, reads, emulator } = await planned({
      scripts: many,
      live: [ONE],
      policies: LOG_TO_ALLOW,
    });
    expect(document.summary.impact?.scripts).toMatchObject({ tried: 230, newly_blocked: 230 });
    expect(reads()).toHaveLength(3 + 1);
    expect(document.summary.requests).toBe(emulator.log.length);
    expect(document.zones[0]?.requests).toBe(1 + 3 + 1 + 1);
  });

  test("has the same digest whatever was detected", async () => {
    const story = { live: [ONE], policies: LOG_TO_ALLOW };
    const [bare, full] = [await planned(story), await planned({ ...story, scripts: [good, evil] })];
    expect(full.document.digest).toBe(bare.document.digest);
  });

  test("accepts any text in a detection", async () => {
    const hostile = Object.values(HOSTILE).map((text, n) => ({
      id: n.toString(16).padStart(32, "0"),
      url: text,
      host: text,
      first_page_url: text,
    }));
    const { document } = await planned({
      scripts: [...hostile, { url: `https://cdn.example/${"a".repeat(100_000)}` }],
      connections: hostile,
      live: [ONE],
      policies: LOG_TO_ALLOW,
    });
    const { scripts, connections } = document.summary.impact ?? {};
    expect([scripts?.tried, connections?.tried]).toEqual([hostile.length + 1, hostile.length]);
    expect(JSON.stringify(document.changes[0]?.impact).length).toBeLessThan(200_000);
  });
});

describe("plan does not read detections", () => {
  test.each([
    ["if nothing changes", "{ description: One, action: log }"],
    [
      "if only disabled policies change",
      "{ description: One, action: log }, { description: New, action: allow, enabled: false, expression: 'true', value: script-src 'none' }",
    ],
    ["if a policy is only renamed", "{ description: Uno, renamed_from: One, action: log }"],
  ])("%s", async (_, policies) => {
    const { document, reads } = await planned({ scripts: [good], live: [ONE], policies });
    expect([document.summary.impact, reads()]).toEqual([null, []]);
  });

  test("again during apply", async () => {
    const { options, reads } = await start({ scripts: [good], live: [ONE], policies: LOG_TO_ALLOW });
    const { report } = await apply(options);
    expect([report?.converged, reads().length]).toEqual([true, 2]);
  });
});

describe("reading detections", () => {
  const forbidding = "guardrails: { forbid: [blocks_active_scripts, allows_malicious] }\n";
  test("is skipped with --no-impact, so impact is unknown and guardrails refuse", async () => {
    const { options, reads, run } = await start({
      scripts: [good],
      live: [ONE],
      policies: LOG_TO_ALLOW,
      head: forbidding,
    });
    const { document, problems } = await plan({ ...options, noImpact: true });
    expect(reads()).toEqual([]);
    expect(problems.map(({ code, severity }) => `${severity} ${code}`)).toContain("note impact_not_asked");
    expect(document?.summary.impact).toMatchObject({ unread: ["shop.example.com"] });
    expect(document?.guardrails.map(({ name }) => name)).toEqual([
      "blocks_active_scripts",
      "allows_malicious",
    ]);
    const { out } = await run("plan", "--no-impact");
    expect(out).toContain("evidence for shop.example.com was not read in full");
    expect(reads()).toEqual([]);
  });

  test("is repeated for a saved plan only if a guardrail needs it", async () => {
    const free = await start({ scripts: [good], live: [ONE], policies: LOG_TO_ALLOW });
    await free.run("plan", "-o", "plan.json");
    const before = free.reads().length;
    expect((await free.run("apply", "plan.json")).code).toBe(0);
    expect(free.reads()).toHaveLength(before);
    const bound = await start({ scripts: [], live: [ONE], policies: LOG_TO_ALLOW, head: forbidding });
    await bound.run("plan", "-o", "plan.json");
    const read = bound.reads().length;
    await bound.run("apply", "plan.json");
    expect(bound.reads().length).toBeGreaterThan(read);
  });
});

describe("unreadable detections", () => {
  const head = "guardrails: { forbid: [blocks_active_scripts, allows_malicious] }\n";

  test("leave the plan valid with a warning, and guardrails that need them refuse", async () => {
    const { document, problems } = await planned({
      live: [ONE],
      policies: LOG_TO_ALLOW,
      head,
      faulty: ["scripts", "connections"],
    });
    expect(problems.filter(({ code }) => code === "impact_not_known")).toHaveLength(2);
    expect(document.changes.map(({ impact }) => impact)).toEqual([undefined]);
    expect(document.zones[0]).toMatchObject({ status: "planned", requests: 4 });
    expect(document.guardrails.map(({ name }) => name)).toEqual([
      "blocks_active_scripts",
      "allows_malicious",
    ]);
  });

  test("of one kind do not affect the other kind", async () => {
    const { document, problems } = await planned({
      scripts: [good],
      live: [ONE],
      policies: LOG_TO_ALLOW,
      head,
      faulty: ["connections"],
    });
    const [problem, ...others] = problems.filter(({ code }) => code === "impact_not_known");
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      severity: "warning",
      detail: expect.stringMatching(/^The detected connections of shop\.example\.com could not be read, so /),
    });
    expect(document.summary.impact).toMatchObject({
      scripts: { tried: 1, newly_blocked: 1 },
      connections: { tried: 0 },
      unread: ["shop.example.com"],
    });
    const [change] = document.changes;
    expect(Object.keys(change?.impact ?? {})).toEqual(["scripts"]);
    expect(document.guardrails.map(({ name }) => name)).toEqual([
      "blocks_active_scripts",
      "allows_malicious",
    ]);
  });
});

test("a list that the change cannot affect is neither read nor missed", async () => {
  const { document, problems, reads } = await planned({
    scripts: [good],
    live: [policy("One", "script-src 'self'", "log")],
    policies: LOG_TO_ALLOW,
    head: "guardrails: { forbid: [allows_malicious] }\n",
    faulty: ["connections"],
  });
  expect(problems.filter(({ code }) => code === "impact_not_known")).toEqual([]);
  expect(reads()).toHaveLength(1);
  expect(document.summary.impact).toMatchObject({ connections: { tried: 0 }, unread: [] });
  expect(document.guardrails).toEqual([]);
});

test.each([
  ["is deleted", "{ description: One, ensure: absent }"],
  ["is changed to log", "{ description: One, action: log }"],
  ["gets another value", "{ description: One, value: script-src *  }"],
])("guardrails refuse if a policy with an unknown action %s", async (_, policies) => {
  const { document } = await planned({
    live: [policy("One", "script-src 'self'", "frob")],
    policies,
    head: "guardrails: { forbid: [blocks_active_scripts, allows_malicious] }\n",
  });
  expect(document.guardrails.map(({ name }) => name)).toEqual(["blocks_active_scripts", "allows_malicious"]);
});

test("the plan of a rollback shows its impact", async () => {
  const { options, cwd } = await start({
    scripts: [good],
    live: [policy("One", "script-src 'self'")],
    policies: "{ description: One, action: log }",
  });
  const { report } = await apply(options);
  const { document } = await rollback(path.join(cwd, report?.journal ?? ""), { ...options });
  expect(document?.summary.impact?.scripts).toMatchObject({ tried: 1, newly_blocked: 1 });
});

describe("--fail-on", () => {
  const story = { scripts: [good], live: [ONE], policies: LOG_TO_ALLOW };

  test.each([
    ["starts_blocking", "shop.example.com would block more"],
    ["blocks_active_scripts", "1 would be blocked: https://cdn.example/a.js"],
  ])("%s makes plan exit with 3 and still write the plan", async (name, text) => {
    const { run, cwd } = await start(story);
    const { code, out, err } = await run("plan", "--fail-on", name, "--detailed-exitcode", "-o", "plan.json");
    expect(code).toBe(3);
    expect(out).toContain(`guardrail ${name}: `);
    expect(err).toContain(`error: Refused by guardrail ${name}\n`);
    expect(err).toContain(text);
    const document = JSON.parse(await readFile(path.join(cwd, "plan.json"), "utf8")) as PlanDocument; // plan -o writes this shape.
    expect(document.guardrails).toMatchObject([{ name, allowed: false }]);
  });

  test.each([
    ["if the guardrail accepts the plan", ["--fail-on", "weakens"]],
    ["if --allow lifts the guardrail", ["--fail-on", "starts_blocking", "--allow", "starts_blocking"]],
  ])("does not affect plan %s", async (_, flags) => {
    const { run } = await start(story);
    expect((await run("plan", ...flags)).code).toBe(0);
  });

  const upgrading = "script-src 'self'; upgrade-insecure-requests";
  test.each([
    ["accepts added upgrades of insecure loads, which block nothing", "script-src 'self'", upgrading, 0],
    ["refuses removed upgrades, after which insecure loads are refused", upgrading, "script-src 'self'", 3],
  ])("starts_blocking %s", async (_, before, after, code) => {
    const insecure = { ...good, url: "http://shop.example.com/old.js" };
    const { run } = await start({
      scripts: [insecure],
      live: [policy("One", before)],
      policies: `{ description: One, value: "${after}" }`,
    });
    const { code: found, out } = await run("plan", "--fail-on", "starts_blocking");
    expect({ code: found, out }).toMatchObject({ code, out: expect.stringContaining("mixed") });
  });

  test("with a guardrail without a number is refused before any request", async () => {
    const { run, emulator } = await start(story);
    const { code, err } = await run("plan", "--fail-on", "max_changes");
    expect([code, err, emulator.log]).toEqual([
      1,
      expect.stringContaining("Guardrail max_changes has no number"),
      [],
    ]);
  });

  test("with a guardrail that has a number makes plan exit with 3", async () => {
    const { run } = await start({ ...story, head: "guardrails: { max_changes: 0 }\n" });
    expect((await run("plan")).code).toBe(0);
    expect((await run("plan", "--fail-on", "max_changes")).code).toBe(3);
  });

  test("makes apply write nothing", async () => {
    const { run, emulator } = await start(story);
    expect((await run("apply", "--yes", "--fail-on", "starts_blocking")).code).toBe(3);
    expect(emulator.writes()).toEqual([]);
  });

  test("does not replace an error's exit code", async () => {
    const { run, cwd } = await start(story);
    const file = path.join(cwd, "zoneward.yaml");
    await writeFile(file, `${await readFile(file, "utf8")}  gone.example.com: { policies: [] }\n`);
    expect((await run("plan", "--fail-on", "starts_blocking")).code).toBe(1);
  });

  test("refuses unknown guardrails", async () => {
    const { run } = await start(story);
    const { code, err } = await run("plan", "--fail-on", "block_active_scripts");
    expect([code, err]).toEqual([1, expect.stringContaining("Did you mean blocks_active_scripts?")]);
  });
});
