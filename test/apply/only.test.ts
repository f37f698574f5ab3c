import { describe, expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type Dialect, drift, plan, type Seed } from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { quickFolder } from "./run.js";

const NAME = "shop.example.com";

const live = (description: string) => ({
  description,
  action: "log" as const,
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
});

const SEED: Seed = {
  zones: {
    [NAME]: {
      id: "1".repeat(32),
      settings: { enabled: false },
      policies: [live("Checkout"), live("Login"), live("Somebody's")],
    },
  },
};

const policy = (name: string) =>
  `{ description: ${name}, action: allow, expression: "true", value: script-src 'self' }`;

const CONFIG = `version: 1
zones:
  ${NAME}:
    settings: { enabled: true }
    policies: [${policy("Checkout")}, ${policy("Login")}, ${policy("Checkout new")}]
    managed_exceptions:
      - { description: x, expression: 'http.host eq "a"', skip: all }
      - { description: y, expression: 'http.host eq "b"', skip: all }
    managed_ruleset: {}
`;

async function start(config = CONFIG, dialect: Dialect = "service") {
  const emulator = await createEmulator({ seed: SEED, dialect });
  onTestFinished(() => emulator.close());
  const cwd = await quickFolder(config);
  return { emulator, options: { cwd, environment: reaching(emulator), rateLimit: "off" } };
}

const named = (
  document: { readonly changes: readonly { readonly kind: string; readonly key: string }[] } | null,
) => document?.changes.map(({ kind, key }) => `${kind}/${key}`);

describe.each(["service", "interface"] as const)("in the dialect %s", (dialect) => {
  test.each([
    [["policy"], ["policy/Checkout", "policy/Login", "policy/Checkout new"]],
    [["policy/Checkout*"], ["policy/Checkout", "policy/Checkout new"]],
    [
      ["policy/Login", "settings"],
      ["settings/settings", "policy/Login"],
    ],
    [["managed_*"], ["managed_ruleset/managed_ruleset", "managed_exception/x", "managed_exception/y"]],
  ])("--only %j limits a plan and its apply", async (only, changes) => {
    const { emulator, options } = await start(CONFIG, dialect);
    const whole = await plan(options);
    const { document, problems } = await plan({ ...options, only });
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(named(document)?.toSorted()).toEqual(changes.toSorted());
    expect(document?.inputs.only).toEqual(only);
    expect(document?.digest).not.toBe(whole.document?.digest);
    if (document === null) throw new Error("expected a plan");
    const { report } = await apply({ ...options, only, plan: document });
    expect(report).toMatchObject({ converged: true });
    expect(emulator.writes().length).toBe(document.calls.length);
    const rest = await apply(options);
    expect(rest.report?.converged).toBe(true);
    expect((await plan(options)).document?.calls).toEqual([]);
    const all = await createEmulator({ seed: SEED, dialect });
    onTestFinished(() => all.close());
    await apply({ ...options, environment: reaching(all) });
    expect(all.writes().length).toBeLessThanOrEqual(emulator.writes().length);
  });
});

test("objects that are left out are neither pruned nor reported", async () => {
  const { options } = await start(CONFIG.replace("    policies:", "    prune: [policies]\n    policies:"));
  expect(named((await plan({ ...options, only: ["policy/Check*"] })).document)).toEqual([
    "policy/Checkout",
    "policy/Checkout new",
  ]);
  expect(named((await plan({ ...options, only: ["policy/Some*"] })).document)).toEqual(["policy/Somebody's"]);
  const { document } = await drift({ ...options, only: ["settings"] });
  expect(named(document)).toEqual(["settings/settings"]);
  expect(document?.unmanaged).toEqual([]);
});

describe("--only limits what is read", () => {
  const REST = `    custom_log_fields: { request_fields: [a] }
    logpush_jobs:
      - { name: requests, dataset: http_requests, destination_conf: s3://bucket/a?region=eu, fields: [ClientIP, RequestHeaders] }
`;
  const sections = ["page_shield", "page_shield/policies", "rulesets", "logpush/jobs"];
  const read = (log: readonly { readonly path: string }[]) => {
    const paths = log.map((each) => each.path.replace(/\?.*/, ""));
    return sections.filter((each) =>
      paths.some((one) => new RegExp(`^/zones/[0-9a-f]{32}/${each}$`).test(one)),
    );
  };

  test.each([
    [["policy/Checkout"], ["page_shield", "page_shield/policies"]],
    [["settings"], ["page_shield", "page_shield/policies"]],
    [["managed_exception/x"], ["rulesets"]],
    [["logpush_job"], ["rulesets", "logpush/jobs"]],
    [
      ["settings", "logpush_job"],
      ["page_shield", "page_shield/policies", "rulesets", "logpush/jobs"],
    ],
  ])("to the sections needed for %j", async (only, paths) => {
    const { emulator, options } = await start(CONFIG + REST);
    for (const run of [plan, drift]) {
      const before = emulator.log.length;
      await run({ ...options, only });
      expect(read(emulator.log.slice(before))).toEqual(paths);
    }
  });

  test("to the accounts needed for the picked objects", async () => {
    const id = "1".repeat(32);
    const other = `  other.example.com: { policies: [] }\n`;
    const rules = `managed_exceptions: [{ description: x, expression: 'http.host eq "a"', skip: [Account's own] }]`;
    const config = `version: 1\nzones:\n  ${NAME}: { id: "${id}", policies: [], ${rules} }\n${other}`;
    const pages = async (only: readonly string[]) => {
      const zones = { ...SEED.zones, "other.example.com": {} };
      const emulator = await createEmulator({ seed: { zones } });
      onTestFinished(() => emulator.close());
      const options = { cwd: await quickFolder(config), environment: reaching(emulator), rateLimit: "off" };
      await plan({ ...options, only });
      return emulator.log.filter(({ path }) => path.startsWith("/zones?")).map(({ path }) => path);
    };
    expect(await pages(["policy"])).toEqual([expect.stringContaining("name=other.example.com")]);
    expect(await pages(["managed_exception"])).not.toEqual(await pages(["policy"]));
  });

  test("but not for a zone with tests, which cover the whole zone", async () => {
    const tested = `    tests: [{ page: "https://${NAME}/", scripts: { allowed: ["https://${NAME}/a.js"] } }]\n`;
    const { emulator, options } = await start(CONFIG + REST + tested);
    const { document } = await plan({ ...options, only: ["logpush_job"] });
    expect(document?.zones[0]?.tests?.map(({ failures }) => failures)).toEqual([[]]);
    expect(read(emulator.log)).toEqual(sections);
  });
});

test("a section that is left out may be unreadable, unless a picked object depends on it", async () => {
  const emulator = await createEmulator({ seed: SEED, without: ["Zone WAF Read"] });
  onTestFinished(() => emulator.close());
  const options = { cwd: await quickFolder(CONFIG), environment: reaching(emulator), rateLimit: "off" };
  expect((await plan(options)).document?.zones[0]?.status).toBe("partly");
  const { document, problems } = await plan({ ...options, only: ["policy"] });
  expect(document?.zones[0]).toMatchObject({ status: "planned" });
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const blind = await createEmulator({
    seed: SEED,
    faults: {
      rates: [{ chance: 1, method: "GET", path: "*/page_shield", fault: "success-false-before" }],
    },
  });
  onTestFinished(() => blind.close());
  const held = await plan({ ...options, environment: reaching(blind), only: ["policy"] });
  expect(held.document?.zones[0]?.status).toBe("partly");
  expect(held.document?.zones[0]?.not_planned?.map(({ section }) => section)).toEqual([
    "settings",
    "policies",
  ]);
  expect(held.problems.map(({ code }) => code)).toEqual(["api_error", "held_back"]);
  expect(held.document?.changes).toEqual([]);
});

test("an unknown kind is an error and an unknown name a warning, both with a suggestion", async () => {
  const { emulator, options } = await start();
  for (const [only, meant] of [
    ["polices/x", "policy"],
    ["managed_rulesetz", "managed_ruleset"],
  ]) {
    const { document, problems } = await plan({ ...options, only: [only ?? ""] });
    expect(document).toBeNull();
    expect(problems).toEqual([
      expect.objectContaining({
        code: "no_such_kind",
        detail: expect.stringContaining(`Did you mean ${meant}?`),
      }),
    ]);
  }
  expect(emulator.log).toEqual([]);
  const { document, problems } = await plan({ ...options, only: ["policy/Chekout", "settings"] });
  expect(named(document)).toEqual(["settings/settings"]);
  expect(problems.filter(({ code }) => code === "picks_nothing")).toEqual([
    expect.objectContaining({
      severity: "warning",
      detail: expect.stringContaining("Did you mean policy/Checkout?"),
    }),
  ]);
});

test("the name of a section in the files is accepted as its kind", async () => {
  const { options } = await start();
  const by = async (...only: string[]) => named((await plan({ ...options, only })).document);
  expect(await by("policies")).toEqual(await by("policy"));
  expect(await by("policies/Checkout")).toEqual(["policy/Checkout"]);
});

describe("objects picked from a saved plan", () => {
  test("are applied first, and the rest later with the same plan", async () => {
    const { emulator, options } = await start();
    const { document: saved } = await plan(options);
    if (saved === null) throw new Error("expected a plan");
    const first = await apply({ ...options, plan: saved, only: ["policy/Checkout*"] });
    expect(first.report).toMatchObject({ converged: true, summary: { done: 2 } });
    expect(first.document?.inputs).toMatchObject({ only: ["policy/Checkout*"], part_of: saved.digest });
    const rest = await apply({ ...options, plan: saved });
    expect(rest.report).toMatchObject({ converged: true });
    expect(emulator.writes()).toHaveLength(saved.calls.length);
  });

  test("are refused if one call changes them together with others, and the problem names those", async () => {
    const { emulator, options } = await start();
    const { document: saved } = await plan(options);
    if (saved === null) throw new Error("expected a plan");
    const { report } = await apply({ ...options, plan: saved, only: ["managed_exception/x"] });
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["not_alone"]);
    expect(report?.zones[0]?.problems[0]?.detail).toContain("managed_exception/y");
    expect(emulator.writes()).toEqual([]);
  });

  test("are stale if another object of the zone has moved", async () => {
    const { emulator, options } = await start();
    const { document: saved } = await plan(options);
    if (saved === null) throw new Error("expected a plan");
    emulator.edit({ edit: "policy", zone: NAME, where: { description: "Login" }, set: { enabled: false } });
    const { report } = await apply({ ...options, plan: saved, only: ["policy/Checkout"] });
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["stale_live"]);
    expect(emulator.writes()).toEqual([]);
  });

  test("do not change what guardrails count, which is the whole plan", async () => {
    for (const [limit, isWithin] of [
      [6, false],
      [7, true],
    ] as const) {
      const { options } = await start(`${CONFIG}guardrails: { max_changes: ${limit} }\n`);
      const { document: saved } = await plan(options);
      if (saved === null) throw new Error("expected a plan");
      expect(saved.changes).toHaveLength(7);
      const { report } = await apply({ ...options, plan: saved, only: ["settings"] });
      expect(report === null).toBe(!isWithin);
    }
  });
});

test("a share counts all declared objects", async () => {
  const { options } = await start(`${CONFIG}guardrails: { max_changed_share: 0.1 }\n`);
  const { document } = await plan({ ...options, only: ["settings"] });
  expect(document?.guardrails.map(({ message }) => message)).toEqual([
    expect.stringContaining("1 of 7 objects"),
  ]);
});
