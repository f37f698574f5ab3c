import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { adopt, createEmulator, type Edit, type PlanDocument, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { HOSTILE } from "../support/hostile.js";

const ZONE = "shop.example.com";

/** A file that was applied, followed by edits from outside. */
async function story(file: string, edits: readonly Edit[], env: Readonly<Record<string, string>> = {}) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: {} } } as Seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": file });
  const around = { cwd, env: { ...reaching(emulator), ...env } };
  const applied = await zoneward(["apply", "--yes", "-q"], around);
  expect(applied.code, applied.err).toBe(0);
  for (const edit of edits) for (const { status } of emulator.edit(edit)) expect(status).toBeLessThan(300);
  const writes = emulator.writes().length;
  const adopt = async (...args: string[]) => {
    const ran = await zoneward(["adopt", ...args], around);
    return { ...ran, text: await readFile(path.join(cwd, "zoneward.yaml"), "utf8") };
  };
  const drift = async () => (await zoneward(["drift", "--detailed-exitcode"], around)).code;
  return { emulator, cwd, adopt, drift, sent: () => emulator.writes().length - writes };
}

test("adopt never writes an argument into a file, even a file with that name", async () => {
  const file = `version: 1\nzones:\n  ${ZONE}:\n    settings: { enabled: false }\n`;
  const { emulator, cwd } = await story(file, [{ edit: "settings", zone: ZONE, set: { enabled: true } }]);
  await writeFile(path.join(cwd, "-"), file);
  const around = { cwd, env: reaching(emulator), input: file };
  const { code, err } = await zoneward(["adopt", "-c", "-"], around);
  expect([code, err]).toEqual([1, expect.stringContaining("No file to write into")]);
  expect(await readFile(path.join(cwd, "-"), "utf8")).toBe(file);
});

const policy = (description: string, set: object): Edit =>
  ({ edit: "policy", zone: ZONE, set, where: { description } }) as Edit;

const COMMENTED = `# Our zones
version: 1
templates:
  strict: # for all
    managed_ruleset: { paranoia_level: PL2 }
zones:
  # The shop
  shop.example.com: # live since 2019
    extends: [strict]
    settings: { enabled: true }   # aligned
    policies:
      # The checkout is ours.
      - description: Checkout   # a name
        action: log
        expression: 'http.host eq "shop.example.com"'
        value:
          # who may run
          script-src:
            - "'self'"
            # payments
            - js.payments.example # by contract
            - old.example
          img-src: ["'self'", a.example]

      # Goes
      # with this
      - { description: Old, action: log, expression: "true", value: "img-src 'self'" }
      - description: Folded
        action: "log"
        expression: "true"
        value: >-
          script-src 'self'
          cdn.example
      # The end of the list
    managed_ruleset:
      score_threshold: medium # as agreed
      action: block
      disabled_tags: [platform-drupal]
    custom_log_fields:
      request_fields: [x-a, x-b] # two
    prune: [policies]
# The foot
`;

test("adopt writes changes made outside the files back, and changes no other byte", async () => {
  const { adopt, drift, sent } = await story(COMMENTED, [
    policy("Checkout", {
      action: "allow",
      value: "script-src 'self' js.payments.example new.example; font-src b.example",
    }),
    { edit: "policy", zone: ZONE, remove: true, where: { description: "Old" } },
    policy("Folded", { value: "script-src 'self' other.example", enabled: true }),
    {
      edit: "policy",
      zone: ZONE,
      add: {
        description: "Made: by hand #1",
        action: "log",
        enabled: false,
        expression: 'http.host eq "a"',
        value: "img-src 'none'",
      },
    },
    {
      edit: "rule",
      zone: ZONE,
      phase: "http_request_firewall_managed",
      set: {
        action_parameters: {
          id: "4814384a9e5d4991b9815dcfc25d2f1f",
          overrides: {
            categories: [
              { category: "paranoia-level-4", enabled: false },
              { category: "platform-drupal", enabled: false },
              { category: "platform-wordpress", enabled: false },
            ],
            rules: [{ id: "6179ae15870a4bb7b2d480d4843b323c", score_threshold: 60, action: "log" }],
          },
        },
      },
    },
    {
      edit: "rule",
      zone: ZONE,
      phase: "http_log_custom_fields",
      set: { action_parameters: { request_fields: [{ name: "x-b" }, { name: "x-c" }] } },
    },
  ]);
  const { code, out, text } = await adopt();
  expect(out).toMatchInlineSnapshot(`
    "Without --base, edits of the files that were never applied count as drift too, and are overwritten.
    Adopted into zoneward.yaml:
      shop.example.com: policies "Checkout", action (mixed)
      shop.example.com: policies "Checkout", value (mixed)
      shop.example.com: policies "Old" (weakens): its entry is deleted
      shop.example.com: policies "Folded", value (mixed)
      shop.example.com: policies "Made: by hand #1" (neutral)
      shop.example.com: managed_ruleset, score_threshold (mixed)
      shop.example.com: managed_ruleset, action (mixed)
      shop.example.com: managed_ruleset, disabled_tags (mixed)
      shop.example.com: custom_log_fields, request_fields (mixed)
    Not adopted:
      shop.example.com: managed_ruleset, paranoia_level: A template or the defaults declare it (zoneward.yaml:5).
    9 changes adopted, 1 not adopted.
    "
  `);
  expect(code).toBe(0);
  expect(text).toMatchInlineSnapshot(`
    "# Our zones
    version: 1
    templates:
      strict: # for all
        managed_ruleset: { paranoia_level: PL2 }
    zones:
      # The shop
      shop.example.com: # live since 2019
        extends: [strict]
        settings: { enabled: true }   # aligned
        policies:
          # The checkout is ours.
          - description: Checkout   # a name
            action: allow
            expression: 'http.host eq "shop.example.com"'
            value:
              # who may run
              script-src:
                - "'self'"
                # payments
                - js.payments.example # by contract
                - new.example
              font-src: [b.example]

          - description: Folded
            action: "log"
            expression: "true"
            value: >-
              script-src 'self' other.example
          - description: "Made: by hand #1"
            action: log
            enabled: false
            expression: http.host eq "a"
            value: img-src 'none'
          # The end of the list
        managed_ruleset:
          score_threshold: low # as agreed
          action: log
          disabled_tags: [platform-drupal, platform-wordpress]
        custom_log_fields:
          request_fields: [x-b, x-c] # two
        prune: [policies]
    # The foot
    "
  `);
  expect(sent()).toBe(0);
  expect(await drift()).toBe(2);
});

const SKIPPING = `version: 1
zones:
  shop.example.com:
    managed_ruleset: { paranoia_level: PL1 }
    managed_exceptions:
      # The search has odd queries.
      - description: Search # ours
        skip: # agreed with its team
          # the first
          - Cloudflare Managed Ruleset
          - "4814384a9e5d4991b9815dcfc25d2f1f" # the second
        # where it is
        expression: http.request.uri.path eq "/search"
      - description: Hooks
        skip:
          # its rules
          4814384a9e5d4991b9815dcfc25d2f1f:
            - "11111111111111111111111111111111"
        expression: "true"
`;

test("adopt replaces a multi-line list of skipped rules by another form", async () => {
  const edit = (description: string, action_parameters: object): Edit =>
    ({
      edit: "rule",
      zone: ZONE,
      phase: "http_request_firewall_managed",
      where: { description },
      set: { action_parameters },
    }) as Edit;
  const { adopt, drift } = await story(SKIPPING, [
    edit("Search", { ruleset: "current" }),
    edit("Hooks", { rulesets: ["4814384a9e5d4991b9815dcfc25d2f1f"] }),
  ]);
  const { code, text, out } = await adopt();
  expect(code, out).toBe(0);
  const [search, hooks] = SKIPPING.split("      - description: Hooks");
  expect(text.startsWith(search?.replace(/skip: (# .*\n)(?: {10}.*\n)+/, "skip: all $1") ?? "")).toBe(true);
  expect(text).toContain(`      - description: Hooks
        skip: [`);
  expect(text.endsWith('        expression: "true"\n'), hooks).toBe(true);
  expect(await drift()).toBe(0);
});

test("adopt leaves and reports changes that it cannot write back", async () => {
  const file = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - description: Shared
        action: log
        expression: &e 'http.host eq "a"'
        value: &v img-src 'self'
      - description: Other
        action: log
        expression: *e
        value: "\${env:CSP}"
    logpush_jobs:
      - name: a
        dataset: http_requests
        destination_conf: \${secret:LOGS}
        fields: [RayID]
`;
  const env = { CSP: "script-src 'self'", LOGS: "https://logs.example/in" };
  const edits: readonly Edit[] = [
    policy("Shared", { expression: 'http.host eq "b"', value: "img-src b.example" }),
    policy("Other", { value: "script-src b.example" }),
    { edit: "logpush_job", zone: ZONE, set: { destination_conf: "https://other.example/in" } },
  ];
  const { adopt } = await story(file, edits, env);
  const { code, out, text } = await adopt();
  expect(code).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "Without --base, edits of the files that were never applied count as drift too, and are overwritten.
    Adopted into zoneward.yaml:
      shop.example.com: policies "Shared", value (mixed)
    Not adopted:
      shop.example.com: policies "Shared", expression: It uses an alias or an anchor, so an edit would change other places too.
      shop.example.com: policies "Other", value: It comes from the environment.
      shop.example.com: logpush_jobs "a", destination_conf: Sensitive value.
    1 change adopted, 3 not adopted.
    "
  `);
  expect(text).toBe(file.replace("&v img-src 'self'", "&v img-src b.example"));
});

test("adopt with a base takes only drift, and leaves conflicts with changed files", async () => {
  const file = (action: string) => `version: 1
zones:
  shop.example.com:
    policies:
      - { description: A, action: ${action}, expression: "true", value: "img-src 'self'" }
`;
  const { cwd, adopt } = await story(file("log"), [
    policy("A", { action: "allow", value: "img-src a.example" }),
  ]);
  const base = await folderWith({ "zoneward.yaml": file("log") });
  const changed = file("add_reporting_directives").replace("'self'", "b.example");
  await writeFile(path.join(cwd, "zoneward.yaml"), changed.replace("b.example", "'self'"));
  const { code, out, text } = await adopt("--base", base);
  expect(code).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "Adopted into zoneward.yaml:
      shop.example.com: policies "A", value (mixed)
    Not adopted:
      shop.example.com: policies "A", action: The files changed it too, since the base.
    1 change adopted, 1 not adopted.
    "
  `);
  expect(text).toBe(changed.replace("img-src b.example", "img-src a.example"));
});

test("adopt leaves the files alone if the base is unreadable", async () => {
  const file = "version: 1\nzones: { shop.example.com: { settings: { enabled: true } } }\n";
  const { adopt } = await story(file, [{ edit: "settings", zone: ZONE, set: { enabled: false } }]);
  const { code, out, err, text } = await adopt("--base", "nowhere");
  expect([code, out, text]).toEqual([1, "", file]);
  expect(err).toContain("Base cannot be read");
});

describe("adopt keeps the style of a file", () => {
  const edit: readonly Edit[] = [
    { edit: "settings", zone: ZONE, set: { enabled: false, use_connection_url_path: true } },
  ];

  test.each([
    [
      "CRLF line ends",
      "version: 1\r\nzones:\r\n  shop.example.com:\r\n    settings:\r\n      enabled: true # on\r\n",
    ],
    ["a byte-order mark", "\ufeffversion: 1\nzones:\n  shop.example.com:\n    settings: { enabled: true }\n"],
    [
      "a missing line end at the end",
      "version: 1\nzones: { shop.example.com: { settings: { enabled: true } } }",
    ],
    ["JSON", '{"version": 1, "zones": {"shop.example.com": {"settings": {"enabled": true}}}}\n'],
    [
      "tags and unusual spellings",
      "version: 1\nzones:\n  SHOP.example.com:\n    settings: { enabled: True, }\n",
    ],
    [
      "a former key name",
      "version: 1\nzones:\n  shop.example.com:\n    settings: { enabled: true, use_service_reporting_endpoint: false }\n",
    ],
  ])("%s", async (_, file) => {
    const { adopt, drift } = await story(file, edit);
    const { code, out, err, text } = await adopt();
    expect([code, out], err).toEqual([0, expect.stringContaining("1 change adopted.")]);
    expect(text).toBe(file.replace(/true/i, "false"));
    expect(await drift()).toBe(0);
  });

  test("does not write a file that matches the live state", async () => {
    const file = "version: 1\nzones: { shop.example.com: { settings: { enabled: true } } }\n";
    const { adopt } = await story(file, []);
    const { code, out, text } = await adopt();
    expect([code, out, text]).toEqual([0, "No changes to adopt.\n", file]);
  });
});

test("adopt refuses a file with several documents, and an invalid file", async () => {
  const file = "version: 1\nzones: { shop.example.com: { settings: { enabled: true } } }\n";
  const { cwd, adopt } = await story(file, [{ edit: "settings", zone: ZONE, set: { enabled: false } }]);
  for (const [text, message] of [
    [`${file}---\n${file}`, "Several YAML documents in one file"],
    [file.replace("true", "1"), "enabled"],
  ] as const) {
    await writeFile(path.join(cwd, "zoneward.yaml"), text);
    const ran = await adopt();
    expect([ran.code, ran.out, ran.text]).toEqual([1, "", text]);
    expect(ran.err).toContain(message);
  }
});

describe("adopt escapes or leaves hostile names of live objects", () => {
  test.each(Object.entries(HOSTILE).filter(([, text]) => text.length < 1_000 && text.trim() !== ""))(
    "%s",
    async (_, text) => {
      const file = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: A, action: log, expression: "true", value: img-src a.example }
    prune: [policies] # stays
`;
      const add = {
        description: text,
        action: "log",
        enabled: true,
        expression: "true",
        value: "img-src 'self'",
      };
      const { adopt, drift } = await story(file, [{ edit: "policy", zone: ZONE, add }]);
      const { code, text: edited, err } = await adopt();
      expect(code, err).toBe(0);
      expect(edited.replace(/\n {6}- (?!\{).*(\n {8}.*){4}/, "")).toBe(file);
      expect(edited).not.toBe(file);
      expect(await drift()).toBe(0);
    },
  );
});

test("adopt never writes or prints a secret, whatever changed outside", async () => {
  const file = `version: 1
zones:
  shop.example.com:
    policies: []
    logpush_jobs:
      - { name: a, dataset: http_requests, destination_conf: "\${secret:LOGS}", fields: [RayID], extra: { filter: "\${secret:FILTER}" } }
    prune: [policies, logpush_jobs]
`;
  const env = {
    LOGS: "https://logs.example/in?header_Authorization=abcdefgh0001",
    FILTER: '{"where":{"key":"abcdefgh0002"}}',
  };
  const job = {
    name: "made-by-hand",
    dataset: "http_requests",
    destination_conf: "https://other.example/in?header_Authorization=abcdefgh0003",
    output_options: { field_names: ["RayID"] },
  };
  const moved = {
    filter: '{"where":{"key":"abcdefgh0004"}}',
    destination_conf: "https://logs.example/in?header_Authorization=abcdefgh0005",
  };
  const edits: readonly Edit[] = [
    { edit: "logpush_job", zone: ZONE, set: moved },
    { edit: "logpush_job", zone: ZONE, add: job },
  ];
  const { adopt } = await story(file, edits, env);
  const { code, out, err, text } = await adopt();
  expect(code, err).toBe(0);
  expect(text + out + err).not.toMatch(/abcdefgh000/);
  expect(text).toContain("destination_conf: ${secret:SHOP_EXAMPLE_COM_MADE_BY_HAND}\n");
  expect(out).toContain("Set SHOP_EXAMPLE_COM_MADE_BY_HAND in the environment.");
  expect(out).toMatch(
    /logpush_jobs "a", destination_conf: Sensitive value\.\n.*logpush_jobs "a", extra\.filter: Sensitive value/,
  );
});

test("adopt refuses to write a secret that is the name of a live object", async () => {
  const file = `version: 1
zones:
  shop.example.com:
    policies: []
    logpush_jobs: [{ name: a, dataset: http_requests, destination_conf: "\${secret:LOGS}", fields: [RayID] }]
    prune: [policies]
`;
  const env = { LOGS: "https://logs.example/in?header_Authorization=abcdefgh0001" };
  const add = {
    description: env.LOGS,
    action: "log",
    enabled: true,
    expression: "true",
    value: "img-src 'self'",
  };
  const { adopt } = await story(file, [{ edit: "policy", zone: ZONE, add }], env);
  for (const only of [[], ["--only", "policy"]]) {
    const { code, out, err, text } = await adopt(...only);
    expect([code, out, text]).toEqual([1, "", file]);
    expect(err).toContain("Secret would be exposed");
    expect(err).not.toContain("abcdefgh0001");
  }
});

test.each(["https://logs.example/secret-of-the-files", "https://logs.example/x?k=it's-a-long'secret"])(
  "adopt refuses to write a secret that is part of a live policy: %s",
  async (secret) => {
    const file = `version: 1
zones:
  ${ZONE}:
    policies:
      - { description: M, action: log, expression: 'http.host eq "a.example"', value: { script-src: ["'self'"] } }
    logpush_jobs:
      - { name: logs, dataset: http_requests, destination_conf: "\${secret:PLACE}" }
`;
    const edit = policy("M", { expression: `http.request.full_uri eq "${secret}"` });
    const { adopt } = await story(file, [edit], { PLACE: secret });
    const { code, text, out, err } = await adopt();
    expect(code).toBe(1);
    expect(err).toContain("Secret would be exposed");
    expect(text).toBe(file);
    expect(out + err).not.toContain(secret);
  },
);

test("--format json reports each change, like the library", async () => {
  const file = `version: 1
templates: { all: { settings: { use_connection_url_path: false } } }
zones:
  shop.example.com:
    extends: [all]
    settings: { enabled: true }
`;
  const edits: readonly Edit[] = [
    { edit: "settings", zone: ZONE, set: { enabled: false, use_connection_url_path: true } },
  ];
  const { cwd, adopt } = await story(file, edits);
  const { code, out, err } = await adopt("--format", "json");
  expect([code, err]).toEqual([0, ""]);
  const setting = { zone: ZONE, section: "settings", key: "settings" };
  expect(JSON.parse(out)).toEqual({
    ok: true,
    adopted: [{ ...setting, field: "enabled", effect: "mixed" }],
    left: [{ ...setting, field: "use_connection_url_path", why: expect.stringContaining("A template") }],
    files: ["zoneward.yaml"],
    secrets: [],
    refused: [],
    problems: [],
  });
  await writeFile(path.join(cwd, "zoneward.yaml"), file.replace(ZONE, "nobody.example.com"));
  const refused = await adopt("--format", "json");
  expect([refused.code, refused.err]).toEqual([1, ""]);
  expect(JSON.parse(refused.out)).toMatchObject({ ok: false, problems: [{ code: "zone_not_found" }] });
});

test("adopt never writes unknown job options that no file has", async () => {
  const file = `version: 1
zones:
  shop.example.com:
    logpush_jobs:
      - { name: a, dataset: http_requests, destination_conf: "\${secret:LOGS}", logpull_options: "fields=RayID&note=ours" }
    prune: [logpush_jobs]
`;
  const job = { dataset: "http_requests", destination_conf: "https://other.example/in" };
  const edits: readonly Edit[] = [
    {
      edit: "logpush_job",
      zone: ZONE,
      set: { logpull_options: "https://SECRET-1/?note=theirs&token=SECRET-2&fields=RayID,ClientIP" },
    },
    {
      edit: "logpush_job",
      zone: ZONE,
      add: { ...job, name: "b", logpull_options: "fields=RayID&sample=0.5&token=SECRET-3" },
    },
  ];
  const { adopt, drift } = await story(file, edits, {
    LOGS: "https://logs.example/in",
    SHOP_EXAMPLE_COM_B: job.destination_conf,
  });
  const { code, out, err, text } = await adopt();
  expect(code, err).toBe(0);
  expect(text + out + err).not.toContain("SECRET-");
  expect(text).toContain('logpull_options: "note=theirs&fields=RayID,ClientIP"');
  expect(text).toContain("logpull_options: fields=RayID&sample=0.5");
  expect(await drift()).toBe(0);
});

test("export and adopt identify a job without a name by its id", async () => {
  const job = { dataset: "dns_logs", enabled: true, destination_conf: "https://logs.example/in" };
  const seed = { zones: { [ZONE]: { logpush_jobs: [{ id: 7, ...job }] } } };
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const file = `version: 1\nzones:\n  ${ZONE}:\n    logpush_jobs:\n      - { name: a, ensure: absent }\n`;
  const cwd = await folderWith({ "zoneward.yaml": file });
  const env = { ...reaching(emulator), SHOP_EXAMPLE_COM_7: job.destination_conf };
  const entry = `      - id: 7\n        dataset: dns_logs\n        enabled: true\n        destination_conf: \${secret:SHOP_EXAMPLE_COM_7}\n`;
  const exported = await zoneward(["export"], { cwd, env });
  expect(exported.out).toContain(`    logpush_jobs:\n${entry}`);
  const dry = await adopt({ cwd, environment: env, new: true, dryRun: true });
  expect(dry.adoption?.patch).toContain("+      - id: 7\n");
  const { code, out } = await zoneward(["adopt", "--new"], { cwd, env });
  expect([code, out]).toEqual([0, expect.stringContaining('logpush_jobs "7"')]);
  expect(await readFile(path.join(cwd, "zoneward.yaml"), "utf8")).toContain(`${file}${entry}`);
  expect((await zoneward(["drift", "--detailed-exitcode"], { cwd, env })).code).toBe(0);
});

describe("guardrails of adopt", () => {
  const guarded = (guardrails: string) => `version: 1
guardrails: ${guardrails}
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - { description: Weak, action: allow, expression: "true", value: "script-src 'self'" }
      - { description: Strong, action: allow, expression: "true", value: "img-src 'self' a.example" }
    managed_ruleset: { paranoia_level: PL1 }
`;
  const weaker = policy("Weak", { value: "script-src 'self' evil.example" });
  const stronger = policy("Strong", { value: "img-src 'self'" });

  test("refuse a weakening until the guardrail is lifted", async () => {
    const file = guarded("{ forbid: [weakens] }");
    const { adopt } = await story(file, [weaker, stronger]);
    const refused = await adopt();
    expect([refused.code, refused.text]).toEqual([3, file]);
    expect(refused.out).toMatchInlineSnapshot(`
      "Without --base, edits of the files that were never applied count as drift too: adopt would overwrite them.
      Would be adopted into zoneward.yaml:
        shop.example.com: policies "Weak", value (weakens)
        shop.example.com: policies "Strong", value (strengthens)
      2 changes would be adopted.
      "
    `);
    expect(refused.err).toMatchInlineSnapshot(`
      "error: Refused by guardrail weakens
        In shop.example.com, 1 change made outside the files weakens protection: policy "Weak" (script-src also allows evil.example). If this is intended, pass --allow weakens. The files are unchanged.

      "
    `);
    const asJson = await adopt("--format", "json");
    expect([asJson.code, asJson.text]).toEqual([3, file]);
    expect(JSON.parse(asJson.out)).toMatchObject({ ok: false, refused: [{ code: "weakens" }] });
    const dry = await adopt("--dry-run");
    expect([dry.code, dry.text]).toEqual([0, file]);
    expect(dry.out).toContain("+ ");
    expect(dry.err).toContain("warning: Adopt would be refused by guardrail weakens");
    const other = await adopt("--only", "policy/Strong");
    expect([other.code, other.err]).toEqual([0, ""]);
    expect(other.text).toContain("img-src 'self'\"");
    expect(other.text).not.toContain("evil.example");
    const lifted = await adopt("--allow", "weakens");
    expect(lifted.code, lifted.err).toBe(0);
    expect(lifted.text).toContain("evil.example");
  });

  test.each([
    ["weakens", "have an unknown effect"],
    ["redirects", "send logs elsewhere"],
  ])("refuse undeclared objects too: %s", async (name, does) => {
    const file = `version: 1\nguardrails: { forbid: [${name}] }\nzones:\n  ${ZONE}:\n    logpush_jobs: []\n    policies: []\n`;
    const job = {
      name: "theirs",
      dataset: "http_requests",
      destination_conf: "https://elsewhere.example/in",
    };
    const add = {
      description: "Good",
      action: "log",
      enabled: true,
      expression: "true",
      value: "img-src 'self'",
    };
    const { adopt } = await story(file, [
      { edit: "logpush_job", zone: ZONE, add: { ...job, enabled: true } },
      { edit: "policy", zone: ZONE, add },
    ]);
    const refused = await adopt("--new");
    expect([refused.code, refused.text]).toEqual([3, file]);
    expect(refused.err).toContain(`${ZONE} ${does}: logpush_job "theirs" (sends `);
    expect(refused.err).toContain(`pass --allow ${name}`);
    expect(refused.err).not.toContain("Good");
    const good = await adopt("--new", "--only", "policy");
    expect([good.code, good.err]).toEqual([0, ""]);
    const lifted = await adopt("--new", "--allow", name);
    expect(lifted.code, lifted.err).toBe(0);
    expect(lifted.text).toContain("theirs");
  });

  test.each([
    ["service_off", { edit: "settings", zone: ZONE, set: { enabled: false } }],
    ["deletes", { edit: "policy", zone: ZONE, remove: true, where: { description: "Weak" } }],
    ["max_changes", weaker],
  ] as const)("check what changed outside the files: %s", async (name, edit) => {
    const file = guarded(name === "max_changes" ? "{ max_changes: 0 }" : `{ forbid: [${name}] }`);
    const { adopt } = await story(guarded("{}"), [edit as Edit]);
    const guardrails = await folderWith({ "guardrails.yaml": file.split("\n")[1]?.slice(12) ?? "" });
    const refused = await adopt("--guardrails", path.join(guardrails, "guardrails.yaml"));
    expect(refused.code, refused.err).toBe(3);
    expect(refused.err).toContain(`Refused by guardrail ${name}`);
    expect(refused.text).toBe(guarded("{}"));
  });

  test("judge and report the deleted one of two jobs with the same name", async () => {
    const job = (dataset: string) =>
      `      - { name: a, dataset: ${dataset}, destination_conf: "https://logs.example/in", fields: [RayID] }\n`;
    const file = `version: 1\nguardrails: { forbid: [weakens] }\nzones:\n  ${ZONE}:\n    logpush_jobs:\n${job("http_requests")}${job("firewall_events")}`;
    const where = { name: "a", dataset: "http_requests" };
    const gone: Edit = { edit: "logpush_job", zone: ZONE, remove: true, where };
    const { adopt } = await story(file, [gone]);
    const refused = await adopt();
    expect([refused.code, refused.text]).toEqual([3, file]);
    expect(refused.out).toContain('logpush_jobs "a (http_requests)" (weakens): its entry would be deleted\n');
    expect(refused.err).toContain("Refused by guardrail weakens");
    const other = await adopt("--only", "logpush_job/a (firewall_events)");
    expect([other.code, other.out]).toEqual([0, "No changes to adopt.\n"]);
    const lifted = await adopt("--only", "logpush_job/a (http_requests)", "--allow", "weakens");
    expect(lifted.code, lifted.err).toBe(0);
    expect(lifted.out).toContain('"a (http_requests)" (weakens): its entry is deleted\n');
    expect(lifted.text).toBe(file.replace(job("http_requests"), ""));
  });

  test("ignore guardrails about applying and about drift", async () => {
    const { adopt } = await story(guarded("{}"), [weaker]);
    const names = ["drift", "conflict", "starts_blocking", "deletes"];
    const done = await adopt(...names.flatMap((name) => ["--fail-on", name]));
    expect(done.code, done.err).toBe(0);
    expect(done.text).toContain("evil.example");
    const asked = await adopt("--fail-on", "weakens");
    expect(asked.out).toContain("No changes to adopt.");
  });

  test("refuse an adopted weakening again in its review, as a change without a call", async () => {
    const { cwd, adopt, emulator } = await story(guarded("{ forbid: [weakens] }"), [weaker]);
    const before = await folderWith({ "zoneward.yaml": guarded("{ forbid: [weakens] }") });
    expect((await adopt("--allow", "weakens")).code).toBe(0);
    const review = ["plan", "--base", before, "--fail-on", "weakens", "--format", "json"];
    const { code, out } = await zoneward(review, { cwd, env: reaching(emulator) });
    const { changes, calls } = JSON.parse(out) as PlanDocument;
    expect(code).toBe(3);
    expect(calls).toEqual([]);
    expect(changes.map(({ taken_over, effect }) => [taken_over, effect])).toEqual([[true, "weakens"]]);
  });
});
