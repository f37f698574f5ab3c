import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";

const policy = (description: string) => ({
  description,
  action: "log",
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
});

/** Runs `adopt` on a live zone and the sections of its file. */
async function story(live: object, sections: string) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: live } } as Seed });
  onTestFinished(() => emulator.close());
  const head = `version: 1\nzones:\n  ${ZONE}:\n`;
  const cwd = await folderWith({ "zoneward.yaml": head + sections });
  const around = { cwd, env: reaching(emulator) };
  const { code, out, err } = await zoneward(["adopt"], around);
  expect(code, err).toBe(0);
  const text = await readFile(path.join(cwd, "zoneward.yaml"), "utf8");
  expect(text.startsWith(head)).toBe(true);
  const { code: drift } = await zoneward(["drift", "--detailed-exitcode"], around);
  return { out, text: text.slice(head.length), drift };
}

describe("adopt fills in an entry with `ensure: absent` whose object is live", () => {
  test("and keeps the entry's comments", async () => {
    const { text, drift } = await story(
      { policies: [policy("A"), policy("B")] },
      `    policies:
      # why B must go: ticket 12
      - description: B # reviewed by sec
        # no longer needed
        ensure: absent # until ticket 13

      # the other
      - description: A # ours
        action: log
`,
    );
    expect(text).toBe(`    policies:
      # why B must go: ticket 12
      - description: B # reviewed by sec
        action: log
        enabled: true
        expression: "true"
        value: script-src 'self'

      # the other
      - description: A # ours
        action: log
`);
    expect(drift).toBe(0);
  });

  test("and keeps its other fields, even if `ensure` comes first", async () => {
    const { text, drift } = await story(
      { policies: [{ ...policy("B: ${x}"), action: "allow" }] },
      `    policies:
      - ensure: absent
        description: "B: $\${x}" # quoted
        # what it did
        action: 'log' # as it was
        expression: 'true'
        value: # all
          # ours
          script-src: ["'self'"]
`,
    );
    expect(text).toBe(`    policies:
      - description: "B: $\${x}" # quoted
        # what it did
        action: 'allow' # as it was
        expression: 'true'
        value: # all
          # ours
          script-src: ["'self'"]
        enabled: true
`);
    expect(drift).toBe(0);
  });

  test.each([
    ["in a flow list", "[{ description: A, action: log }, { description: B, ensure: absent }, ] # all"],
    [
      "in a flow map",
      "\n      # about B\n      - { ensure: absent, description: 'B' } # b\n      - { description: A, action: log }",
    ],
  ])("%s", async (_, before) => {
    const { text, drift } = await story(
      { policies: [policy("A"), policy("B")] },
      `    policies: ${before}\n`,
    );
    const said = "action: log, enabled: true, expression: \"true\", value: script-src 'self' }";
    const after = before
      .replace("description: B, ensure: absent }", `description: B, ${said}`)
      .replace("ensure: absent, description: 'B' }", `description: 'B', ${said}`);
    expect(text).toBe(`    policies: ${after}\n`);
    expect(drift).toBe(0);
  });

  test("and matches the object by id among objects of the same name", async () => {
    const [one, two] = ["1".repeat(32), "2".repeat(32)];
    const { text, drift } = await story(
      {
        policies: [
          { id: one, ...policy("B") },
          { id: two, ...policy("B") },
        ],
      },
      `    policies:\n      - id: "${two}" # the second\n        description: B\n        ensure: absent\n`,
    );
    expect(text).toContain(
      `    policies:\n      - id: "${two}" # the second\n        description: B\n        action: log\n`,
    );
    expect(drift).toBe(2); // The first object is still undeclared.
  });

  test("for a whole section", async () => {
    const rule = {
      action: "log_custom_field",
      expression: "true",
      action_parameters: { request_fields: [{ name: "x-a" }] },
    };
    const { text, drift } = await story(
      { rulesets: [{ phase: "http_log_custom_fields", rules: [rule] }] },
      "    # no fields\n    custom_log_fields: # by contract\n      ensure: absent # c\n    settings: {}\n",
    );
    expect(text).toBe(
      "    # no fields\n    custom_log_fields: # by contract\n      request_fields: [x-a]\n    settings: {}\n",
    );
    expect(drift).toBe(0);
  });
});

test("adopt moves an entry with `ensure: absent` to the live position of its exception, with its comments", async () => {
  const skip = (description: string) => ({
    action: "skip",
    action_parameters: { ruleset: "current" },
    expression: "true",
    description,
    enabled: true,
  });
  const execute = {
    action: "execute",
    action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" },
    expression: "true",
    enabled: true,
  };
  const { text, drift } = await story(
    {
      rulesets: [
        {
          phase: "http_request_firewall_managed",
          rules: [...["gone", "a", "b", "last"].map(skip), execute],
        },
      ],
    },
    `    managed_exceptions:
      - description: a # one
        skip: all
      # about gone
      - description: gone # reviewed
        ensure: absent
      # about last
      - description: last # too
        ensure: absent
      - description: b # two
        skip: all
`,
  );
  const said = '        expression: "true"\n        skip: all\n        enabled: true\n';
  expect(text).toBe(`    managed_exceptions:
      # about gone
      - description: gone # reviewed
${said}      - description: a # one
        skip: all
      - description: b # two
        skip: all
      # about last
      - description: last # too
${said}`);
  expect(drift).toBe(0);
});

test("adopt declares what the live action of a rule has, and removes what it cannot have", async () => {
  const rule = (description: string, other: object) => ({
    description,
    expression: "true",
    enabled: true,
    ...other,
  });
  const { text, drift } = await story(
    {
      rulesets: [
        {
          phase: "http_request_firewall_custom",
          rules: [
            rule("Partner", { action: "block" }),
            rule("Old API", { action: "js_challenge" }),
            rule("Office", { action: "skip", action_parameters: { ruleset: "current" } }),
          ],
        },
      ],
    },
    `    custom_rules:
      - description: Partner # theirs
        action: skip
        skip: { phases: [http_ratelimit] }
      - description: Old API
        action: block
        response: { status_code: 410, content_type: text/plain, content: Gone }
      - description: Office
        action: block
`,
  );
  expect(text).toBe(`    custom_rules:
      - description: Partner # theirs
        action: block
      - description: Old API
        action: js_challenge
      - description: Office
        action: skip
        skip: { ruleset: current }
`);
  expect(drift).toBe(0);
});

test("adopt declares a rate limit that counts scores instead of requests, and the reverse", async () => {
  const rule = (description: string, counts: object) => ({
    description,
    expression: "true",
    enabled: true,
    action: "block",
    ratelimit: { characteristics: ["ip.src", "cf.colo.id"], period: 60, mitigation_timeout: 600, ...counts },
  });
  const { text, drift } = await story(
    {
      rulesets: [
        {
          phase: "http_ratelimit",
          rules: [
            rule("Logins", { score_per_period: 40, score_response_header_name: "x-score" }),
            rule("Searches", { requests_per_period: 10 }),
          ],
        },
      ],
    },
    `    rate_limits:
      - description: Logins # theirs
        requests_per_period: 100
        period: 60
      - description: Searches
        score_per_period: 40
        score_response_header_name: x-score
`,
  );
  expect(text).toBe(`    rate_limits:
      - description: Logins # theirs
        period: 60
        score_response_header_name: x-score
        score_per_period: 40
      - description: Searches
        requests_per_period: 10
`);
  expect(drift).toBe(0);
});
