import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type EmulatorOptions, type FaultName, type JsonObject } from "../../src/index.js";
import { applyIn, quickFolder } from "./run.js";

const ZONE = "53".repeat(16);
const POLICIES = `/zones/${ZONE}/page_shield/policies`;
const CONFIG = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: One, action: log, expression: "true", value: script-src 'self' }
`;
const MANAGED = "version: 1\nzones:\n  shop.example.com: { managed_ruleset: {} }\n";

const ONE = {
  description: "One",
  action: "log",
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
};

async function begin(options: EmulatorOptions, config = CONFIG) {
  const seed = { zones: { "shop.example.com": { id: ZONE } } };
  const emulator = await createEmulator({ seed, now: () => new Date(0), ...options });
  onTestFinished(() => emulator.close());
  return { emulator, cwd: await quickFolder(config) };
}

describe("a call with an unknown outcome", () => {
  test("is not sent again if the new object exists", async () => {
    const { emulator, cwd } = await begin({
      faults: { schedule: [{ fault: "reset-after", method: "POST" }] },
    });
    const { report } = await applyIn(cwd, emulator);
    expect(report).toMatchObject({ converged: true, summary: { done: 1, failed: 0 } });
    expect(emulator.writes()).toHaveLength(1);
    const journal = await readFile(path.join(cwd, report?.journal ?? ""), "utf8");
    const said = journal
      .split("\n")
      .flatMap((row) => /"type":"(intent)|"status":"(\w+)"/.exec(row)?.slice(1).find(Boolean) ?? []);
    expect(said).toEqual(["intent", "unknown", "done"]);
  });

  test("is checked with growing pauses before it is sent again", async () => {
    const { emulator, cwd } = await begin({
      faults: { schedule: [{ fault: "500-before", method: "POST" }] },
    });
    const { report, slept } = await applyIn(cwd, emulator);
    expect(report?.converged).toBe(true);
    expect(emulator.writes()).toHaveLength(2);
    expect(slept).toEqual(Array.from({ length: 12 }, (_, index) => 150 * (index + 1)));
    expect(slept.reduce((sum, each) => sum + each)).toBeGreaterThan(10_000);
    expect(emulator.state().zones["shop.example.com"]?.policies).toHaveLength(1);
  });

  test.each([1, 4, 6, 12])("is not sent again if the new object shows after %i reads", async (reads) => {
    const zone = "shop.example.com";
    const { emulator, cwd } = await begin({
      faults: {
        schedule: [
          { fault: "reset-after", method: "POST" },
          // The list is read twice before the call.
          { after: { edit: "policy", zone, remove: true }, method: "POST" },
          { before: { edit: "policy", zone, add: ONE }, method: "GET", path: POLICIES, nth: 2 + reads + 1 },
        ],
      },
    });
    const { report } = await applyIn(cwd, emulator);
    expect(report).toMatchObject({ converged: true, summary: { done: 1, failed: 0 } });
    expect(emulator.writes()).toHaveLength(1);
  });

  test("that creates an object is sent at most twice", async () => {
    const schedule = [1, 2, 3].map((nth) => ({
      fault: "502-before" as const,
      method: "POST" as const,
      nth,
    }));
    const { emulator, cwd } = await begin({ faults: { schedule } });
    const { report } = await applyIn(cwd, emulator);
    expect(emulator.writes()).toHaveLength(2);
    expect(report?.summary).toMatchObject({ done: 0, failed: 1 });
    expect(report?.zones[0]?.problems[0]?.detail).toMatch(
      /The call was tried 2 times\. The effect of the call is unknown/,
    );
  });

  test("that updates an object is sent at most three times", async () => {
    const live = { ...ONE, action: "allow" };
    const schedule = [1, 2, 3, 4].map((nth) => ({ fault: "502-before", method: "PUT", nth }) as const);
    const { emulator, cwd } = await begin({
      seed: { zones: { "shop.example.com": { id: ZONE, policies: [live] } } },
      faults: { schedule },
    });
    const { report } = await applyIn(cwd, emulator);
    expect(emulator.writes()).toHaveLength(3);
    expect(report?.zones[0]?.problems[0]?.detail).toMatch(/The call was tried 3 times\. The effect/);
  });

  test("is not confirmed by another actor's object of the same name, and dependent calls are not sent", async () => {
    const zone = "shop.example.com";
    const weaker = { ...ONE, value: "script-src *" };
    const config = `${CONFIG}      - { description: Former, ensure: absent }\n`;
    const { emulator, cwd } = await begin(
      {
        seed: { zones: { [zone]: { id: ZONE, policies: [{ ...ONE, description: "Former" }] } } },
        faults: {
          schedule: [
            { fault: "reset-before", method: "POST" },
            { after: { edit: "policy", zone, add: weaker }, method: "POST" },
          ],
        },
      },
      config,
    );
    const { report } = await applyIn(cwd, emulator);
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["made_by_others"]);
    expect(report?.zones[0]?.problems[0]?.detail).toMatch(/\(value\)/);
    expect(emulator.writes().map(({ method }) => method)).toEqual(["POST"]);
    expect(emulator.state().zones[zone]?.policies).toHaveLength(2);
  });

  test.each<[string, object]>([
    ["added parentheses", { expression: '(http.host eq "shop.example.com")' }],
    ["a trailing semicolon", { value: "script-src 'self' a.example b.example;" }],
    ["sources in another order", { value: "script-src b.example 'self' a.example" }],
  ])("is confirmed by an object that the service wrote with %s", async (_, written) => {
    const zone = "shop.example.com";
    const wanted = {
      ...ONE,
      expression: 'http.host eq "shop.example.com"',
      value: "script-src 'self' a.example b.example",
    };
    const config = JSON.stringify({ version: 1, zones: { [zone]: { policies: [wanted] } } });
    const { emulator, cwd } = await begin(
      {
        faults: {
          schedule: [
            { fault: "reset-before", method: "POST" },
            { after: { edit: "policy", zone, add: { ...wanted, ...written } }, method: "POST" },
          ],
        },
      },
      config,
    );
    const { report } = await applyIn(cwd, emulator);
    expect(report?.zones[0]?.problems).toEqual([]);
    expect(report).toMatchObject({ converged: true, summary: { done: 1 } });
    expect(emulator.writes()).toHaveLength(1);
  });

  test("is confirmed by an update that the service spelled differently", async () => {
    const zone = "shop.example.com";
    const wanted = { ...ONE, value: "script-src 'self' a.example" };
    const config = JSON.stringify({ version: 1, zones: { [zone]: { policies: [wanted] } } });
    const { emulator, cwd } = await begin(
      {
        seed: { zones: { [zone]: { id: ZONE, policies: [ONE] } } },
        faults: {
          schedule: [
            { fault: "reset-before", method: "PUT" },
            {
              after: { edit: "policy", zone, set: { value: "script-src a.example 'self';" } },
              method: "PUT",
            },
          ],
        },
      },
      config,
    );
    const { report } = await applyIn(cwd, emulator);
    expect(report?.zones[0]?.problems).toEqual([]);
    expect(emulator.writes()).toHaveLength(1);
  });

  describe("with an ownership challenge for a job's destination", () => {
    const zone = "shop.example.com";
    const job = { id: 7, name: "j", dataset: "http_requests", enabled: true };
    const wanted = { name: "j", destination_conf: "s3://new/x?region=us", ownership_challenge: "a-token" };
    const config = JSON.stringify({ version: 1, zones: { [zone]: { logpush_jobs: [wanted] } } });
    const live = { ...job, destination_conf: "s3://old/x?region=us" };
    const seed = { zones: { [zone]: { id: ZONE, logpush_jobs: [live] } } };

    test.each<[string, FaultName, number]>([
      ["is not sent again if all visible fields match", "502-after", 1],
      ["is sent again if the job is unchanged", "502-before", 2],
    ])("%s", async (_, fault, times) => {
      const faults = { schedule: [{ fault, method: "PUT" as const }] };
      const { emulator, cwd } = await begin({ seed, faults }, config);
      const { report } = await applyIn(cwd, emulator);
      expect(report?.zones[0]?.problems).toEqual([]);
      expect(report).toMatchObject({ converged: true, summary: { done: 1 } });
      expect(emulator.writes()).toHaveLength(times);
    });
  });

  test("is not sent again if the service cannot list the objects, and the message refers to the dashboard", async () => {
    const config = `version: 1
guardrails: {}
zones:
  shop.example.com:
    logpush_jobs: [{ name: j, dataset: http_requests, destination_conf: "https://logs.example/in" }]
`;
    const { emulator, cwd } = await begin(
      { dialect: "interface", faults: { schedule: [{ fault: "reset-after", method: "POST" }] } },
      config,
    );
    const { report } = await applyIn(cwd, emulator);
    expect(emulator.writes()).toHaveLength(1);
    const [found] = report?.zones[0]?.problems ?? [];
    expect(found?.detail).toMatch(/so its effect is unknown\. Look in the dashboard\./);
    expect(found?.detail).not.toMatch(/[Tt]ry again|plan again/);
  });

  test("stops the zone if another actor creates a second matching object", async () => {
    const body = { ...ONE, value: "img-src 'none'" };
    const { emulator, cwd } = await begin({
      faults: {
        schedule: [
          { fault: "reset-after", method: "POST" },
          { after: { edit: "policy", zone: "shop.example.com", add: body }, method: "POST" },
        ],
      },
    });
    const { report } = await applyIn(cwd, emulator);
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["several_made"]);
    expect(emulator.state().zones["shop.example.com"]?.policies).toHaveLength(2);
  });

  test("that created a ruleset finds the ruleset and fills it", async () => {
    const { emulator, cwd } = await begin(
      { faults: { schedule: [{ fault: "hang-after", method: "POST" }] } },
      MANAGED,
    );
    const { report } = await applyIn(cwd, emulator, { timeoutMs: 200 });
    expect(report?.converged).toBe(true);
    expect(emulator.writes().map(({ method }) => method)).toEqual(["POST", "PUT"]);
    expect(emulator.state().zones["shop.example.com"]?.rulesets).toHaveLength(1);
  });
});

describe("after a zone's last call, apply", () => {
  test("looks again after 1, 2 and 4 seconds for a missing object, then reports it", async () => {
    const gone = { edit: "policy", zone: "shop.example.com", remove: true } as const;
    const { emulator, cwd } = await begin({ faults: { schedule: [{ after: gone, method: "POST" }] } });
    const { report, slept } = await applyIn(cwd, emulator);
    expect(slept).toEqual([1000, 2000, 4000]);
    expect(report).toMatchObject({ converged: false, summary: { done: 1, failed: 0 } });
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["not_converged"]);
  });

  test("waits for a change that shows late", async () => {
    const late = { edit: "policy", zone: "shop.example.com", set: { action: "allow" } } as const;
    const inTime = { ...late, set: { action: "log" } };
    const { emulator, cwd } = await begin({
      faults: {
        schedule: [
          { after: late, method: "POST" },
          { before: inTime, method: "GET", path: POLICIES, nth: 5 },
        ],
      },
    });
    const { report, slept } = await applyIn(cwd, emulator);
    expect([report?.converged, slept]).toEqual([true, [1000, 2000]]);
  });
});

describe("a change elsewhere in the zone between plan and write", () => {
  const other = {
    description: "Other",
    action: "log",
    enabled: true,
    expression: "true",
    value: "img-src 'self'",
  };
  const live = { zones: { "shop.example.com": { id: ZONE, policies: [other] } } };
  const zone = "shop.example.com";

  test.each([
    ["changed", { edit: "policy", zone, set: { enabled: false }, where: { description: "Other" } }],
    ["was deleted", { edit: "policy", zone, remove: true, where: { description: "Other" } }],
    ["was created", { edit: "policy", zone, add: { ...other, description: "New" } }],
  ] as const)("is a warning and blocks nothing when an object %s", async (how, before) => {
    const { emulator, cwd } = await begin({
      seed: live,
      faults: { schedule: [{ before, method: "GET", path: POLICIES, nth: 2 }] },
    });
    const { report } = await applyIn(cwd, emulator);
    expect(report?.converged).toBe(true);
    const problems = report?.zones[0]?.problems ?? [];
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([["moved_elsewhere", "warning"]]);
    expect(problems[0]?.detail).toContain(`policy "${how === "was created" ? "New" : "Other"}" ${how}`);
  });

  test("is a warning that names settings which the files declare", async () => {
    const before = { edit: "settings", zone, set: { enabled: false } } as const;
    const { emulator, cwd } = await begin(
      {
        seed: { zones: { [zone]: { id: ZONE, settings: { enabled: true } } } },
        faults: { schedule: [{ before, method: "GET", path: `/zones/${ZONE}/page_shield`, nth: 2 }] },
      },
      `${CONFIG}    settings: { enabled: true }\n`,
    );
    const { report } = await applyIn(cwd, emulator);
    const problems = report?.zones[0]?.problems ?? [];
    expect(problems.map(({ code }) => code)).toEqual(["moved_elsewhere", "not_converged"]);
    expect(problems[0]?.detail).toContain("since the plan was made: settings changed.");
  });

  test("is a warning that names a new object which the files prune", async () => {
    const before = { edit: "policy", zone, add: { ...other, description: "New" } } as const;
    const { emulator, cwd } = await begin(
      { faults: { schedule: [{ before, method: "GET", path: POLICIES, nth: 2 }] } },
      `${CONFIG}    prune: [policies]\n`,
    );
    const { report } = await applyIn(cwd, emulator);
    const problems = report?.zones[0]?.problems ?? [];
    expect(problems.map(({ code }) => code)).toEqual(["moved_elsewhere", "not_converged"]);
    expect(problems[0]?.detail).toContain('since the plan was made: policy "New" was created.');
  });

  const off = (category: string, enabled = false) => ({ categories: [{ category, enabled }] });
  test.each([
    [
      "appears",
      {},
      off("cve"),
      'rule "tag cve of Cloudflare OWASP Core Ruleset" changed (it is switched off by an undeclared override',
    ],
    ["disappears", off("cve"), off("cve", true), 'rule "tag cve of Cloudflare OWASP Core Ruleset" changed;'],
    [
      "appears in a second ruleset",
      {},
      off("php"),
      'rule "tag php of Cloudflare OWASP Core Ruleset" changed (it is switched off',
    ],
  ])("is a warning and blocks nothing when an undeclared override %s", async (_, before, now, expected) => {
    const phase = "http_request_firewall_managed";
    const executing = (id: string, overrides: JsonObject) => ({ action_parameters: { id, overrides } });
    const [core, other] = ["4814384a9e5d4991b9815dcfc25d2f1f", "efb7b8c949ac4650a09736fc376e9aee"];
    const rules = [executing(core, before), executing(other, off("php"))].map((rule, index) => ({
      ...rule,
      id: String(index).repeat(32),
      action: "execute",
      expression: "true",
    }));
    const schedule = [
      {
        before: { edit: "rule", zone, phase, set: executing(core, now), where: { id: "0".repeat(32) } },
        method: "GET",
        path: `/zones/${ZONE}/rulesets/phases/${phase}/entrypoint`,
        nth: 2,
      },
    ] as const;
    const seed = { zones: { [zone]: { id: ZONE, rulesets: [{ kind: "zone" as const, phase, rules }] } } };
    const config = `${CONFIG}    managed_rulesets: [{ ruleset: ${core} }, { ruleset: ${other} }]\n`;
    const { emulator, cwd } = await begin({ seed, faults: { schedule } }, config);
    const { report } = await applyIn(cwd, emulator);
    expect(report?.converged).toBe(true);
    expect(report?.zones[0]?.problems.map(({ code, detail }) => [code, detail])).toEqual([
      ["moved_elsewhere", expect.stringContaining(expected)],
    ]);
  });

  test("is a warning and blocks nothing when a custom rule now skips the managed rulesets", async () => {
    const phase = "http_request_firewall_custom";
    const add = {
      action: "skip",
      action_parameters: { phases: ["http_request_firewall_managed"] },
      expression: "true",
      description: "Office",
    };
    const schedule = [
      {
        before: { edit: "rule", zone, phase, add },
        method: "GET",
        path: `/zones/${ZONE}/rulesets/phases/${phase}/entrypoint`,
        nth: 2,
      },
    ] as const;
    const { emulator, cwd } = await begin({ faults: { schedule } }, MANAGED);
    const { report } = await applyIn(cwd, emulator);
    expect(report?.converged).toBe(true);
    expect(report?.zones[0]?.problems.map(({ code, detail }) => [code, detail])).toEqual([
      [
        "moved_elsewhere",
        expect.stringContaining(
          'rule "Office" was created (it skips the managed rulesets as a custom rule: every request)',
        ),
      ],
    ]);
  });

  test("is not overwritten, and is reported as not converged if the files declare the object", async () => {
    const config = `${CONFIG}      - { description: Other, action: log, enabled: true, expression: "true", value: img-src 'self' }\n`;
    const before = {
      edit: "policy",
      zone,
      set: { enabled: false },
      where: { description: "Other" },
    } as const;
    const { emulator, cwd } = await begin(
      { seed: live, faults: { schedule: [{ before, method: "GET", path: POLICIES, nth: 2 }] } },
      config,
    );
    const { report } = await applyIn(cwd, emulator);
    expect(emulator.writes().map(({ method }) => method)).toEqual(["POST"]);
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["moved_elsewhere", "not_converged"]);
  });
});

test("a stop signal lets the running call finish, sends no other call, and reports the remaining ones", async () => {
  const stop = new AbortController();
  const config = `${CONFIG}      - { description: Two, action: log, expression: "true", value: img-src 'self' }\n`;
  const { emulator, cwd } = await begin(
    { onRequest: ({ method }) => void (method === "POST" && stop.abort()) },
    config,
  );
  const { report } = await applyIn(cwd, emulator, { stop: stop.signal });
  expect(report).toMatchObject({ converged: false, summary: { done: 1, failed: 0, not_started: 1 } });
  const journal = await readFile(path.join(cwd, report?.journal ?? ""), "utf8");
  expect(JSON.parse(journal.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    type: "end",
    done: 1,
    failed: 0,
    not_started: 1,
    interrupted: true,
  });
  expect((await applyIn(cwd, emulator)).report?.converged).toBe(true);
  expect(emulator.state().zones["shop.example.com"]?.policies).toHaveLength(2);
});

describe("a stop signal", () => {
  const config = `${CONFIG}      - { description: Two, action: log, expression: "true", value: img-src 'self' }\n`;

  test("ends a pause that the service asked for, and no call is sent", async () => {
    const stop = new AbortController();
    const { emulator, cwd } = await begin(
      {
        faults: { schedule: [{ fault: "429-seconds", seconds: 120, method: "POST", nth: 2 }] },
        onRequest: ({ method, status }) => void (method === "POST" && status === 429 && stop.abort()),
      },
      config,
    );
    const { report, slept } = await applyIn(cwd, emulator, { stop: stop.signal });
    expect(report?.summary).toMatchObject({ done: 1, failed: 1 });
    expect(slept).toEqual([]);
    expect(emulator.writes()).toHaveLength(2);
  });

  test("ends a pause for the client's own budget, and no call is sent", async () => {
    const stop = new AbortController();
    const { emulator, cwd } = await begin({}, config);
    const { report } = await applyIn(cwd, emulator, {
      stop: stop.signal,
      rates: [{ requests: 1, perMs: 60_000 }],
      // The policies are read twice, then the first call waits for the budget.
      onSleep: () => emulator.log.filter((each) => each.path === POLICIES).length === 2 && stop.abort(),
    });
    expect(report?.summary).toMatchObject({ done: 0, failed: 0, not_started: 2 });
    expect(report?.outcomes[0]?.problem?.code).toBe("interrupted");
    expect(emulator.writes()).toEqual([]);
  });

  test("during an unknown outcome leads to one check and no second sending", async () => {
    const stop = new AbortController();
    const { emulator, cwd } = await begin(
      {
        faults: { schedule: [{ fault: "502-before", method: "POST" }] },
        onRequest: ({ method }) => void (method === "POST" && stop.abort()),
      },
      config,
    );
    const { report, slept } = await applyIn(cwd, emulator, { stop: stop.signal });
    expect(slept).toEqual([]);
    expect(report?.outcomes[0]?.problem?.detail).toContain("The effect of the call is unknown");
    expect(emulator.writes()).toHaveLength(1);
  });
});
