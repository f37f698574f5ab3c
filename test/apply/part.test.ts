import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type Dialect, plan, render, type Seed } from "../../src/index.js";
import { reaching } from "../support/cli.js";
import { quickFolder } from "./run.js";

const NAMES = ["shop.example.com", "shop.example.net", "blog.example.com"];

const SEED: Seed = {
  zones: Object.fromEntries(
    NAMES.map((name, index) => [
      name,
      {
        id: String(index + 1).repeat(32),
        settings: { enabled: true },
        policies: [
          {
            description: "Old",
            action: "log",
            enabled: true,
            expression: "true",
            value: "script-src 'self'",
          },
        ],
      },
    ]),
  ),
};

function config(top = "", action = "allow"): string {
  const policy = (name: string) =>
    `{ description: ${name}, action: ${action}, expression: "true", value: script-src 'self' }`;
  const zones = NAMES.map((name) => `  ${name}: { extends: [t] }`);
  return [
    "version: 1",
    top,
    `templates: { t: { policies: [${policy("Old")}, ${policy("New")}] } }`,
    "zones:",
    ...zones,
    "",
  ].join("\n");
}

async function start(top?: string, dialect: Dialect = "service") {
  const emulator = await createEmulator({ seed: SEED, dialect });
  onTestFinished(() => emulator.close());
  const cwd = await quickFolder(config(top));
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  const { document } = await plan(options);
  if (document === null) throw new Error("expected a plan");
  return { emulator, cwd, options, saved: document };
}

const written = (emulator: { writes(): readonly { readonly path: string }[] }) =>
  emulator.writes().map(({ path: at }) => at.split("/")[2]?.[0]);

describe.each(["service", "interface"] as const)("a saved plan in the dialect %s", (dialect) => {
  test("is applied to some zones first, and to the rest later", async () => {
    const { emulator, options, saved } = await start("", dialect);
    const first = await apply({ ...options, plan: saved, zones: ["shop.*"] });
    expect(first.report).toMatchObject({ converged: true, summary: { done: 4 } });
    expect(first.document?.summary).toMatchObject({ zones: 2, left_out: 1 });
    expect(first.document?.inputs).toMatchObject({ zones: ["shop.*"], part_of: saved.digest });
    expect(new Set(written(emulator))).toEqual(new Set(["1", "2"]));
    const rest = await apply({ ...options, plan: saved });
    expect(rest.report).toMatchObject({ converged: true, summary: { done: 2 } });
    expect(rest.document?.inputs.part_of).toBeUndefined();
    expect((await plan(options)).document?.calls).toEqual([]);
  });
});

test("zones that are left out are not read", async () => {
  const { emulator, options, saved } = await start();
  const before = emulator.log.length;
  await apply({ ...options, plan: saved, zones: ["blog.example.com"] });
  const paths = emulator.log.slice(before).map(({ path: at }) => at);
  expect(paths.filter((at) => /\/zones\/[12]/.test(at))).toEqual([]);
});

test("a zone name outside the plan is refused without a request", async () => {
  const { emulator, cwd, options } = await start();
  const { document: narrow } = await plan({ ...options, zones: ["shop.*"] });
  if (narrow === null) throw new Error("expected a plan");
  const before = emulator.log.length;
  for (const zones of [["blog.example.com"], ["shop.example.com", "b*"]]) {
    const { report, problems } = await apply({ ...options, plan: narrow, zones });
    expect(report).toBeNull();
    expect(problems.map(({ code }) => code)).toEqual(["no_such_zone"]);
  }
  expect(emulator.log).toHaveLength(before);
  await writeFile(path.join(cwd, "zoneward.yaml"), config());
  const whole = await apply({ ...options, plan: narrow, zones: ["*"] });
  expect(whole.report).toMatchObject({ converged: true, summary: { done: 4 } });
  expect(new Set(written(emulator))).toEqual(new Set(["1", "2"]));
});

test("a zone with a stale plan is refused, and the other zones are applied", async () => {
  const { emulator, options, saved } = await start();
  emulator.edit({
    edit: "policy",
    zone: "shop.example.net",
    where: { description: "Old" },
    set: { enabled: false },
  });
  const { report } = await apply({ ...options, plan: saved, zones: ["shop.*"] });
  expect(report?.zones.map(({ zone, problems }) => [zone, problems.map(({ code }) => code)])).toEqual([
    ["shop.example.com", []],
    ["shop.example.net", ["stale_live"]],
  ]);
  expect(new Set(written(emulator))).toEqual(new Set(["1"]));
});

describe("guardrails count the whole plan", () => {
  test.each([
    ["max_changes", 5, false],
    ["max_changes", 6, true],
    ["max_changed_share", 0.9, false],
    ["max_changed_share", 1, true],
  ])("%s: %d", async (name, limit, isWithin) => {
    const { emulator, options, saved } = await start(`guardrails: { ${name}: ${limit} }`);
    const { report, document } = await apply({ ...options, plan: saved, zones: ["blog.example.com"] });
    expect(saved.guardrails.map((each) => each.name)).toEqual(isWithin ? [] : [name]);
    expect(document?.guardrails.map(({ message }) => message)).toEqual(
      saved.guardrails.map(({ message }) => message),
    );
    expect(report === null).toBe(!isWithin);
    expect(emulator.writes()).toHaveLength(isWithin ? 2 : 0);
  });
});

test("guardrails count the deleted objects of the whole plan", async () => {
  const { emulator, cwd, options } = await start();
  const zones = Object.fromEntries(
    NAMES.map((name) => [name, { policies: [{ description: "Old", ensure: "absent" }] }]),
  );
  const guardrails = { max_changes: 2, max_deletes: 2, max_changed_share: 0.9 };
  await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, guardrails, zones }));
  const { document: saved } = await plan(options);
  if (saved === null) throw new Error("expected a plan");
  for (const narrowed of [{ zones: ["shop.*"] }, { only: ["policy/New"] }]) {
    const { document } = await apply({ ...options, plan: saved, ...narrowed });
    expect(document?.guardrails.map(({ message }) => message)).toEqual([
      expect.stringContaining("The run would change 3 objects;"),
      expect.stringContaining("The run would delete 3 objects;"),
      expect.stringContaining("The run would change 3 of 3 objects in the files, a share of 1;"),
    ]);
  }
  expect(emulator.writes()).toEqual([]);
});

test("guardrails count the whole plan even if the files have only the picked zones left", async () => {
  const { emulator, cwd, options, saved } = await start();
  const text = config("guardrails: { max_changes: 5 }").replace(/ {2}shop.*\n/g, "");
  await writeFile(path.join(cwd, "zoneward.yaml"), text);
  const { document } = await apply({ ...options, plan: saved, zones: ["blog.example.com"] });
  expect(document?.guardrails.map(({ message }) => message)).toEqual([
    expect.stringContaining("The run would change 6 objects;"),
  ]);
  expect(emulator.writes()).toEqual([]);
});

test("guardrails count an object once that is partly taken over and also changes, in any part of the plan", async () => {
  const policy = (action: string, value: string) =>
    `policies: [{ description: Old, action: ${action}, expression: "true", value: script-src ${value} }]`;
  const files = (first: string, other: string) =>
    `version: 1\nguardrails: { max_changes: 2 }\nzones: { shop.example.com: { ${first} }, blog.example.com: { ${other} } }`;
  const { emulator, cwd, options } = await start();
  await writeFile(
    path.join(cwd, "zoneward.yaml"),
    files(policy("log", "a.example"), policy("log", "b.example")),
  );
  await mkdir(path.join(cwd, "before"));
  const before = files(policy("log", "'self'"), policy("allow", "'self'"));
  await writeFile(path.join(cwd, "before/zoneward.yaml"), before);
  const based = { ...options, base: "before" };
  const { document: saved } = await plan(based);
  if (saved === null) throw new Error("expected a plan");
  expect(saved.changes.map(({ zone, taken_over }) => [zone, taken_over])).toEqual([
    ["shop.example.com", undefined],
    ["blog.example.com", undefined],
    ["blog.example.com", true],
  ]);
  expect(saved.guardrails).toEqual([]);
  const { report, document } = await apply({ ...based, plan: saved, zones: ["shop.example.com"] });
  expect([document?.guardrails, report?.converged, emulator.writes().length]).toEqual([[], true, 1]);
});

test("a plan of some zones records its zones in the digest", async () => {
  const { options, saved } = await start();
  const all = await plan({ ...options, zones: ["*"] });
  expect(all.document?.calls).toEqual(saved.calls);
  expect(all.document?.digest).not.toBe(saved.digest);
  expect(all.document?.summary.left_out).toBe(0);
});

test("a zone of the plan that could not be planned counts as unknown, whichever zones are picked", async () => {
  const emulator = await createEmulator({
    seed: SEED,
    faults: {
      rates: [{ chance: 1, method: "GET", path: `*/${"3".repeat(32)}/*`, fault: "success-false-before" }],
    },
  });
  onTestFinished(() => emulator.close());
  const cwd = await quickFolder(config("guardrails: { max_changes: 9 }"));
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" };
  const { document: saved } = await plan(options);
  if (saved === null) throw new Error("expected a plan");
  expect(saved.zones.map(({ status }) => status)).toEqual(["planned", "planned", "failed"]);
  const { report, document } = await apply({ ...options, plan: saved, zones: ["shop.*"] });
  expect(report).toBeNull();
  expect(document?.guardrails.map(({ message }) => message)).toEqual([
    expect.stringMatching(/blog\.example\.com could not be planned\. Fix that and plan again/),
  ]);
  const lifted = await apply({ ...options, plan: saved, zones: ["shop.*"], allow: ["max_changes"] });
  expect(lifted.report).toMatchObject({ converged: true, summary: { done: 4 } });
});

test.each(["markdown", "html", "sarif"] as const)(
  "%s shows which zones and objects are left out",
  async (format) => {
    const { options } = await start();
    const { document } = await plan({ ...options, zones: ["shop.*"], only: ["policy/N*"] });
    if (document === null) throw new Error("expected a plan");
    const told =
      /Only (<code>|`)?policy\/N\*(<\/code>|`)? in (<code>|`)?shop\.\*(<\/code>|`)?; 1 other zone left out\./;
    const shown = render[format](document);
    expect(shown).toMatch(told);
    expect(render[format]((await start()).saved)).not.toContain("left out");
  },
);

test("the rest of a plan accepts a list of log fields that the first part has emptied", async () => {
  const fields = { request_fields: [{ name: "y" }], response_fields: [{ name: "a" }] };
  const rule = { action: "log_custom_field", expression: "true", action_parameters: fields };
  const zone = {
    id: "1".repeat(32),
    settings: { enabled: false },
    rulesets: [{ phase: "http_log_custom_fields", rules: [{ id: "2".repeat(32), enabled: true, ...rule }] }],
  };
  const emulator = await createEmulator({ seed: { zones: { "shop.example.com": zone } } });
  onTestFinished(() => emulator.close());
  const wanted = { settings: { enabled: true }, custom_log_fields: { response_fields: [] } };
  const cwd = await quickFolder(JSON.stringify({ version: 1, zones: { "shop.example.com": wanted } }));
  const options = { cwd, environment: reaching(emulator), rateLimit: "off" as const };
  const { document } = await plan(options);
  if (document === null) throw new Error("expected a plan");
  for (const only of ["custom_log_fields", "settings"]) {
    const { report, problems } = await apply({ ...options, plan: document, only: [only] });
    expect([only, problems, report?.summary.done]).toEqual([only, [], 1]);
  }
  expect((await plan(options)).document?.calls).toEqual([]);
});

test("the rest of a plan is applied although guardrails would forbid taking over the first part", async () => {
  const { emulator, cwd, options } = await start("guardrails: { forbid: [conflict, unmanaged] }");
  await mkdir(path.join(cwd, "before"));
  const before = config("", "log").replace(/, \{ description: New[^}]*\}/, "");
  await writeFile(path.join(cwd, "before/zoneward.yaml"), before);
  const based = { ...options, base: "before" };
  const { document: saved } = await plan(based);
  if (saved === null) throw new Error("expected a plan");
  const first = await apply({ ...based, plan: saved, zones: ["shop.example.com"] });
  expect(first.report?.converged).toBe(true);
  const again = (await plan(based)).document;
  expect(again?.summary.taken_over).toBe(2);
  expect(again?.guardrails.map(({ name }) => name)).toEqual(["conflict", "unmanaged"]);
  const rest = await apply({ ...based, plan: saved });
  expect([rest.report?.converged, emulator.writes().length]).toEqual([true, saved.calls.length]);
});
