import { describe, expect, onTestFinished, test } from "vitest";
import type { Connection } from "../../src/api/connect.js";
import type { FaultName } from "../../src/emulator/faults/table.js";
import { createEmulator, type Faults, type Seed } from "../../src/index.js";
import { applyIn, quickFolder, rollbackIn } from "./run.js";

const ZONE = "shop.example.com";
const WAF = "http_request_firewall_managed";
const LISTS = "*/rulesets/*";

const theirs = { action: "skip", action_parameters: { ruleset: "current" }, expression: "true" };

/** A list that already has a rule, so that a new rule replaces the whole list. */
const withList: Seed = {
  zones: { [ZONE]: { rulesets: [{ phase: WAF, rules: [{ ...theirs, description: "Theirs" }] }] } },
};

test("reads a list again before its replacement is retried after a pause", async () => {
  const { report, calls } = await applied(withList, "managed_ruleset: { action: log }", {
    schedule: [{ method: "PUT", path: LISTS, fault: "429-seconds", seconds: 60 }],
  });
  expect(report?.converged).toBe(true);
  const ofList = calls.filter((call) => call.includes("/rulesets/") && !call.includes("firewall_custom"));
  expect(ofList.slice(-5, -1)).toEqual([
    expect.stringContaining("GET"),
    expect.stringMatching(/^PUT .* 429$/),
    expect.stringContaining("GET"),
    expect.stringMatching(/^PUT .* 200$/),
  ]);
});

test("keeps a rule that another actor adds during a pause before a retry", async () => {
  const add = { ...theirs, description: "Added meanwhile" };
  const { report, calls, rules } = await applied(withList, "managed_ruleset: { action: log }", {
    schedule: [
      { method: "PUT", path: LISTS, fault: "429-seconds", seconds: 60 },
      { method: "PUT", path: LISTS, after: { edit: "rule", zone: ZONE, phase: WAF, add } },
    ],
  });
  expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["stale_live"]);
  expect(calls.filter((call) => call.startsWith("PUT"))).toHaveLength(1);
  expect(rules).toEqual(["Theirs", "Added meanwhile"]);
});

test("keeps a rule that another actor adds while the apply waits for its budget", async () => {
  const add = { ...theirs, description: "Added meanwhile" };
  const slept = new AbortController();
  const { report, calls, rules } = await applied(
    withList,
    "managed_ruleset: { action: log }",
    {
      schedule: [
        {
          method: "GET",
          path: "*managed/entrypoint",
          nth: 3,
          before: { edit: "rule", zone: ZONE, phase: WAF, add },
        },
      ],
    },
    { rates: [{ requests: 2, perMs: 60_000 }], onSleep: () => slept.abort() },
  );
  expect(slept.signal.aborted).toBe(true);
  expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["stale_live"]);
  expect(calls.filter((call) => call.startsWith("PUT"))).toEqual([]);
  expect(rules).toEqual(["Theirs", "Added meanwhile"]);
});

test.each([2, 3, 5, 960])(
  "never waits between the read of a list and its replacement with a budget of %i requests",
  async (requests) => {
    const { report, order } = await applied(
      withList,
      "managed_ruleset: { action: log }",
      {},
      { rates: [{ requests, perMs: 60_000 }] },
    );
    expect(report?.converged).toBe(true);
    const put = order.findIndex((each) => each.startsWith("PUT"));
    expect(order[put - 1]).toMatch(/^GET .*entrypoint 200$/);
  },
);

test("waits between read and replacement with a budget of one request, and still applies", async () => {
  const rates = [{ requests: 1, perMs: 1000 }];
  const { report, order } = await applied(withList, "managed_ruleset: { action: log }", {}, { rates });
  expect(report?.converged).toBe(true);
  const put = order.findIndex((each) => each.startsWith("PUT"));
  expect(order.slice(put - 2, put)).toEqual([expect.stringMatching(/^GET .*entrypoint 200$/), "slept"]);
});

describe("another actor's change between two sendings of a call", () => {
  const policy = {
    description: "One",
    action: "log",
    enabled: true,
    expression: "true",
    value: "img-src 'self'",
  };
  const wanted = "policies: [{ description: One, action: allow, expression: 'true', value: img-src 'self' }]";
  const policies: Seed = { zones: { [ZONE]: { policies: [policy] } } };
  const set = { value: "img-src 'none'" };
  const edited = { edit: "policy", zone: ZONE, set } as const;

  test.each<[string, FaultName]>([
    ["was rate limited", "429-seconds"],
    ["got no answer", "reset-before"],
  ])("is kept in a policy whose update %s", async (_, fault) => {
    const { report, state } = await applied(policies, wanted, {
      schedule: [
        { method: "PUT", fault },
        { method: "PUT", after: edited },
      ],
    });
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["stale_live"]);
    expect(state.policies).toMatchObject([{ ...policy, ...set }]);
  });

  test("is kept in a policy whose deletion got no answer", async () => {
    const { report, state } = await applied(policies, "policies: [{ description: One, ensure: absent }]", {
      schedule: [
        { method: "DELETE", fault: "reset-before" },
        { method: "DELETE", after: edited },
      ],
    });
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["stale_live"]);
    expect(state.policies).toMatchObject([{ ...policy, ...set }]);
  });

  test.each<[string, FaultName]>([
    ["was rate limited", "429-seconds"],
    ["got no answer", "reset-before"],
  ])("is kept in a rule whose update %s", async (_, fault) => {
    const overrides = { rules: [{ id: "a9".repeat(16), enabled: false }] };
    const core = {
      action: "execute",
      expression: "true",
      description: "Core",
      action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f", version: "latest" },
    };
    const live: Seed = { zones: { [ZONE]: { rulesets: [{ phase: WAF, rules: [core] }] } } };
    const action_parameters = { ...core.action_parameters, overrides };
    const after = { edit: "rule", zone: ZONE, phase: WAF, set: { action_parameters } } as const;
    const { report, state } = await applied(live, "managed_ruleset: { paranoia_level: PL1 }", {
      schedule: [
        { method: "PATCH", fault },
        { method: "PATCH", after },
      ],
    });
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["stale_live"]);
    expect(state.rulesets?.[0]?.rules?.[0]?.action_parameters).toEqual(action_parameters);
  });

  test("blocks nothing if it is unrelated to the call", async () => {
    const other = {
      description: "Other",
      action: "log",
      enabled: true,
      expression: "true",
      value: "img-src *",
    };
    const { report } = await applied(policies, wanted, {
      schedule: [
        { method: "PUT", fault: "reset-before" },
        { method: "PUT", after: { edit: "policy", zone: ZONE, add: other } },
      ],
    });
    expect(report).toMatchObject({ converged: true, summary: { done: 1 } });
  });
});

test("a rollback keeps another actor's change made while its call waits", async () => {
  const policy = {
    description: "One",
    action: "log",
    enabled: true,
    expression: "true",
    value: "img-src 'self'",
  };
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: { policies: [policy] } } } });
  onTestFinished(() => emulator.close());
  const section =
    "policies: [{ description: One, action: log, expression: 'true', value: img-src a.example }]";
  const cwd = await quickFolder(`version: 1\nzones:\n  ${ZONE}:\n    ${section}\n`);
  const { report } = await applyIn(cwd, emulator);
  const set = { value: "img-src 'none'" };
  emulator.arm({
    schedule: [
      { method: "PUT", fault: "429-seconds" },
      { method: "PUT", after: { edit: "policy", zone: ZONE, set } },
    ],
  });
  const back = await rollbackIn(cwd, emulator, report?.journal ?? "");
  expect(back.report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["stale_live"]);
  expect(emulator.state().zones[ZONE]?.policies).toMatchObject([{ ...policy, ...set }]);
});

test("reports that an earlier attempt of a failed call may have taken effect", async () => {
  const policy = { action: "log", enabled: true, expression: "true", value: "script-src 'self'" };
  const { report } = await applied(
    { zones: { [ZONE]: { policies: [{ description: "Old", ...policy }] } } },
    "policies: [{ description: Old, ensure: absent }]",
    {
      schedule: [
        { method: "DELETE", fault: "reset-before" },
        { method: "DELETE", fault: "redirect", nth: 2 },
      ],
    },
  );
  const [outcome] = report?.outcomes ?? [];
  expect(outcome?.status).toBe("failed");
  expect(outcome?.problem?.detail).toMatch(
    /The call was tried 2 times\. An earlier attempt got no clear answer \(connection broke [a-z ]+\)\.$/,
  );
});

test("sends a call that is always rate limited six times", async () => {
  const { report, calls } = await applied(withList, "managed_ruleset: { action: log }", {
    rates: [{ method: "write", fault: "429-seconds", chance: 1 }],
  });
  expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["rate_limited"]);
  expect(report?.outcomes[0]?.problem?.detail).toContain("The call was tried 6 times");
  expect(calls.filter((call) => call.startsWith("PUT"))).toHaveLength(6);
});

test("does not create a second object if another actor creates the same one during a pause", async () => {
  const policy = {
    description: "One",
    action: "log",
    enabled: true,
    expression: "true",
    value: "img-src 'self'",
  };
  const { report, state, calls } = await applied(
    { zones: { [ZONE]: {} } },
    "policies: [{ description: One, action: log, expression: 'true', value: img-src 'self' }]",
    {
      schedule: [
        { method: "POST", fault: "429-seconds", seconds: 60 },
        { method: "POST", after: { edit: "policy", zone: ZONE, add: policy } },
      ],
    },
  );
  expect(report?.converged).toBe(true);
  expect(calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
  expect(state.policies).toHaveLength(1);
});

interface Circumstances {
  readonly rates?: Connection["rates"];
  readonly onSleep?: () => void;
}

async function applied(
  seed: Seed,
  section: string,
  faults: Faults,
  { rates = [], onSleep }: Circumstances = {},
) {
  const order: string[] = [];
  const emulator = await createEmulator({
    seed,
    faults,
    onRequest: ({ method, path, status }) => void order.push(`${method} ${path} ${status}`),
  });
  try {
    const cwd = await quickFolder(`version: 1\nzones:\n  ${ZONE}:\n    ${section}\n`);
    const asleep = () => {
      order.push("slept");
      onSleep?.();
    };
    const { report } = await applyIn(cwd, emulator, { rates, onSleep: asleep });
    const state = emulator.state().zones[ZONE] ?? {};
    const { rulesets = [] } = state;
    return {
      report,
      state,
      order,
      calls: emulator.log.map(({ method, path, status }) => `${method} ${path} ${status}`),
      rules: rulesets.flatMap(({ rules = [] }) => rules.map(({ description }) => description)),
    };
  } finally {
    await emulator.close();
  }
}
