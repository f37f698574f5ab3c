import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createEmulator, type Seed, validate } from "../../src/index.js";
import { without } from "../../src/model/json.js";
import { altering } from "../support/altering-service.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { HOSTILE, harmIn } from "../support/hostile.js";
import { refusing, serving } from "../support/hostile-service.js";
import { emptyZone, hostileState, ZONE_ID } from "../support/hostile-state.js";
import { some } from "../support/random.js";
import { IN_EVERY_ZONE, onlySections } from "../support/sections.js";

const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORING = "6179ae15870a4bb7b2d480d4843b323c";

/** Objects that are rare in usual files. */
const odd: Seed = {
  zones: {
    "shop.example.com": {
      settings: { enabled: true },
      policies: [
        {
          description: "Twin",
          action: "log",
          enabled: true,
          expression: "true",
          value: "script-src 'self'",
          id: "a".repeat(31) + "1",
        },
        {
          description: "Twin",
          action: "allow",
          enabled: true,
          expression: "true",
          value: "script-src a.example",
          id: "a".repeat(31) + "2",
        },
        {
          description: "New",
          action: "log",
          enabled: true,
          expression: "true",
          value: "trusted-types a",
          id: "a".repeat(31) + "3",
        },
        {
          description: "Long",
          action: "log",
          enabled: true,
          expression: "true",
          value: `img-src ${"a.example ".repeat(700)}`,
        },
        {
          description: "Costs ${env:HOME} $${x}",
          action: "log",
          enabled: true,
          expression: "true",
          value: "img-src 'self'",
        },
      ],
      rulesets: [
        {
          phase: "http_request_firewall_managed",
          rules: [
            {
              id: "f".repeat(32),
              action: "execute",
              expression: "true",
              description: "Others\n# use",
              action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" },
            },
            {
              action: "execute",
              expression: "true",
              enabled: true,
              action_parameters: {
                id: CORE,
                overrides: {
                  categories: [
                    { category: "paranoia-level-3", enabled: false },
                    { category: "platform-drupal", enabled: false },
                  ],
                  rules: [
                    { id: SCORING, score_threshold: 25, action: "managed_challenge" },
                    { id: "1".repeat(32), action: "log" },
                    { id: "2".repeat(32), enabled: false },
                  ],
                },
              },
            },
          ],
        },
        {
          phase: "http_log_custom_fields",
          rules: [
            {
              action: "log_custom_field",
              expression: "true",
              enabled: false,
              action_parameters: { cookie_fields: [{ name: "a" }] },
            },
          ],
        },
      ],
      logpush_jobs: [
        {
          name: "logs",
          dataset: "http_requests",
          enabled: true,
          destination_conf: "https://logs.example/in?header_Authorization=abcdefghijklmnop",
          output_options: { field_names: ["RayID"], timestamp_format: "rfc3339", sample_rate: 0.5 },
          max_upload_records: 1000,
        },
        {
          name: "logs",
          dataset: "firewall_events",
          destination_conf: "https://logs.example/other",
          logpull_options: "fields=RayID",
        },
        {
          name: "old",
          dataset: "http_requests",
          destination_conf: "https://logs.example/old",
          logpull_options: "fields=RayID,ClientIP&sample=0.1",
        },
      ],
    },
    "blog.example.com": { settings: { enabled: false } },
  },
};

async function start(seed: Seed = odd) {
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  return { emulator, cwd, run };
}

const SECRETS = {
  SHOP_EXAMPLE_COM_LOGS: "https://logs.example/in?header_Authorization=abcdefghijklmnop",
  SHOP_EXAMPLE_COM_LOGS_2: "https://logs.example/other",
  SHOP_EXAMPLE_COM_OLD: "https://logs.example/old",
};

test("export writes all that a file can express, and comments on the rest", async () => {
  const { run, cwd, emulator } = await start();
  const { code, out, err } = await run("export", "shop.example.com");
  expect([code, err]).toEqual([
    0,
    [
      `Exported 1 zone with ${9 + IN_EVERY_ZONE.length} objects. Set SHOP_EXAMPLE_COM_LOGS, SHOP_EXAMPLE_COM_LOGS_2, SHOP_EXAMPLE_COM_OLD in the environment before apply. Without them, plan does not compare the destinations.`,
      "Left out, so not managed:",
      '  shop.example.com, policy "Twin": 1 more of the name "Twin", which must be unique: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2.',
      '  shop.example.com, managed_ruleset "Cloudflare OWASP Core Ruleset": paranoia_level, which is "custom: 3 off, 4 on".',
      "  shop.example.com: custom_log_fields. Declaring it would change its enabled.",
      "",
    ].join("\n"),
  ]);
  const shown = onlySections(out, "settings", "policies", "managed_rulesets", "logpush_jobs", "zone_settings")
    .replace(/(?: a\.example){600,}/, " …")
    .replace(/sha256:\w{64}/, "sha256:…");
  expect(shown).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=https://raw.githubusercontent.com/zoneward/zoneward/v0.1.0/schemas/zoneward.schema.json
    # Made by zoneward export. The next export overwrites this file, unless you edit it (sha256:…).
    # Secrets to set in the environment (log destinations):
    #   SHOP_EXAMPLE_COM_LOGS
    #   SHOP_EXAMPLE_COM_LOGS_2
    #   SHOP_EXAMPLE_COM_OLD
    version: 1
    service:
      limits:
        policy_value_chars: 7007
      extra_csp_directives: [trusted-types]
    zones:
      # Not managed: custom_log_fields. Declaring it would change its enabled.
      shop.example.com:
        settings:
          enabled: true
          use_cloudflare_reporting_endpoint: false
          use_connection_url_path: false
        policies:
          # Not managed: 1 more of the name "Twin", which must be unique: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2.
          - id: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1
            description: Twin
            action: log
            enabled: true
            expression: "true"
            value: script-src 'self'
          - description: New
            action: log
            enabled: true
            expression: "true"
            value: trusted-types a
          - description: Long
            action: log
            enabled: true
            expression: "true"
            value: "img-src … "
          - description: Costs $\${env:HOME} $$\${x}
            action: log
            enabled: true
            expression: "true"
            value: img-src 'self'
        managed_rulesets:
          - ruleset: Cloudflare Managed Ruleset
            enabled: true
            expression: "true"
            action: default
            disabled_tags: []
            disabled_rules: []
          # Not managed: paranoia_level, which is "custom: 3 off, 4 on".
          - ruleset: Cloudflare OWASP Core Ruleset
            enabled: true
            expression: "true"
            score_threshold: 25
            action: managed_challenge
            disabled_tags: [platform-drupal]
            rules:
              "11111111111111111111111111111111":
                action: log
              "22222222222222222222222222222222":
                enabled: false
        logpush_jobs:
          - name: logs
            dataset: http_requests
            enabled: true
            destination_conf: \${secret:SHOP_EXAMPLE_COM_LOGS}
            fields: [RayID]
            timestamps: rfc3339
            extra:
              max_upload_records: 1000
              output_options:
                sample_rate: 0.5
          - name: logs
            dataset: firewall_events
            enabled: false
            destination_conf: \${secret:SHOP_EXAMPLE_COM_LOGS_2}
            fields: [RayID]
            timestamps: unixnano
          - name: old
            dataset: http_requests
            enabled: false
            destination_conf: \${secret:SHOP_EXAMPLE_COM_OLD}
            logpull_options: fields=RayID,ClientIP&sample=0.1
        zone_settings:
          ssl: full
          min_tls_version: "1.0"
          tls_1_3: on
          ciphers: []
          0rtt: off
          always_use_https: off
          automatic_https_rewrites: on
          opportunistic_encryption: on
          tls_client_auth: off
          browser_check: on
          challenge_ttl: 1800
          hotlink_protection: off
          email_obfuscation: on
          security_level: medium
          security_header:
            enabled: false
            max_age: 0
            include_subdomains: false
            preload: false
            nosniff: false
        # Live objects that this export acknowledges: plan and drift do not count them. Remove each name that should not be here.
        unmanaged:
          policies: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2]
    "
  `);
  expect(emulator.writes()).toEqual([]);
  await writeFile(path.join(cwd, "zoneward.yaml"), out);
  const env = { ...reaching(emulator), ...SECRETS };
  const planned = await zoneward(["plan", "--format", "json"], { cwd, env });
  expect(JSON.parse(planned.out).summary).toMatchObject({
    zones: 1,
    calls: 0,
    unchanged: 9 + IN_EVERY_ZONE.length,
  });
});

test("export raises limits for long expressions and many custom log fields", async () => {
  const names = Array.from({ length: 45 }, (_, index) => ({ name: `x-${index}` }));
  const hosts = Array.from({ length: 200 }, (_, index) => `"host-${index}.shop.example.com"`);
  const expression = `http.host in {${hosts.join(" ")}}`;
  const { run, cwd } = await start({
    zones: {
      "shop.example.com": {
        policies: [{ description: "A", action: "log", enabled: true, expression, value: "img-src 'self'" }],
        rulesets: [
          {
            phase: "http_log_custom_fields",
            rules: [
              {
                action: "log_custom_field",
                expression: "true",
                action_parameters: { request_fields: names },
              },
            ],
          },
        ],
      },
    },
  });
  const { code, out } = await run("export", "-q");
  expect([code, parse(out).service]).toEqual([
    0,
    { limits: { expression_chars: expression.length, custom_log_fields: 45 } },
  ]);
  await writeFile(path.join(cwd, "zoneward.yaml"), out);
  expect((await run("plan", "--detailed-exitcode")).code).toBe(0);
});

test("export takes all zones by default, or those that match the patterns", async () => {
  const { run } = await start();
  const zonesOf = async (...args: string[]) => Object.keys(parse((await run("export", ...args)).out).zones);
  expect(await zonesOf()).toEqual(["blog.example.com", "shop.example.com"]);
  expect(await zonesOf("--zone", "b*")).toEqual(["blog.example.com"]);
  expect(await zonesOf("shop.example.com", "blog.example.com")).toEqual([
    "shop.example.com",
    "blog.example.com",
  ]);
});

test.each([
  [["nobody.example.com"], "nobody.example.com is not visible to this token."],
  [["n*"], "n* is not visible to this token."],
  [["not a name"], "not a name is not a zone name."],
])("%j is refused, and nothing is exported", async (args, message) => {
  const { run } = await start();
  const { code, out, err } = await run("export", ...args);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(message);
});

describe("export -o", () => {
  test("writes the file, and overwrites its own export", async () => {
    const { run, cwd, emulator } = await start();
    expect((await run("export", "-o", "zones.yaml", "-q")).code).toBe(0);
    const first = await readFile(path.join(cwd, "zones.yaml"), "utf8");
    emulator.edit({ edit: "settings", zone: "blog.example.com", set: { enabled: true } });
    const { code, out, err } = await run("export", "-o", "zones.yaml");
    expect([code, out]).toEqual([0, ""]);
    expect(err).toContain(`Exported 2 zones with ${9 + 2 * IN_EVERY_ZONE.length} objects into zones.yaml.`);
    const second = await readFile(path.join(cwd, "zones.yaml"), "utf8");
    expect(second.length).toBe(first.length - 1);
    expect(await readdir(cwd)).toEqual(["zones.yaml"]);
  });

  test.each<[string, (text: string) => string]>([
    ["a value", (text) => text.replace("action: log", "action: allow")],
    ["a comment", (text) => text.replace("version: 1", "# ours\nversion: 1")],
    ["an added line at the end", (text) => `${text}# ours\n`],
    ["the first line", (text) => text.split("\n").toSpliced(1, 1).join("\n")],
    ["the line for editors", (text) => text.split("\n").toSpliced(0, 1).join("\n")],
    ["line ends", (text) => text.replaceAll("\n", "\r\n")],
    ["all of it", () => "version: 1\nzones: {}\n"],
  ])("keeps an export with %s edited", async (_, edit) => {
    const { run, cwd } = await start();
    await run("export", "-o", "zones.yaml");
    const text = await readFile(path.join(cwd, "zones.yaml"), "utf8");
    const edited = edit(text);
    expect(edited).not.toBe(text);
    await writeFile(path.join(cwd, "zones.yaml"), edited);
    const { code, err } = await run("export", "-o", "zones.yaml");
    expect(code).toBe(1);
    expect(err).toContain("zones.yaml exists and is not an unedited export. Name another file.");
    expect(await readFile(path.join(cwd, "zones.yaml"), "utf8")).toBe(edited);
  });
});

test("export leaves out an unreadable section, with a comment in the file and exit code 1", async () => {
  const readable = { ...emptyZone(ZONE_ID), "/zones": [{ id: ZONE_ID, name: "shop.example.com" }] };
  const state = without(readable, [`/zones/${ZONE_ID}/page_shield/policies`]);
  const { env } = await serving(state, refusing("no", 403));
  const cwd = await folderWith({});
  const { code, out, err } = await zoneward(["export"], { cwd, env });
  expect(code).toBe(1);
  expect(err).toContain("shop.example.com, policies:");
  expect(err).toContain("the permission group Page Shield Read.");
  expect(out).toMatch(
    / {2}# Not managed: policies could not be read\. .*permission group Page Shield Read\. /,
  );
  expect(parse(out).zones["shop.example.com"]).not.toHaveProperty("policies");
  const whole = await serving(readable, refusing("no", 403));
  expect((await zoneward(["export", "-o", "zoneward.yaml"], { cwd, env: whole.env })).code).toBe(0);
  const before = await readFile(path.join(cwd, "zoneward.yaml"), "utf8");
  const over = await zoneward(["export", "-o", "zoneward.yaml"], { cwd, env });
  expect(over.code).toBe(1);
  expect(over.err).toContain("zoneward.yaml exists and is not a file that an incomplete export may replace.");
  expect(await readFile(path.join(cwd, "zoneward.yaml"), "utf8")).toBe(before);
});

test("export names the scoring rule in the file if the account is unreadable, so that plan needs no account", async () => {
  const zone = `/zones/${ZONE_ID}`;
  const rule = { action: "execute", expression: "true", enabled: true, action_parameters: { id: CORE } };
  const state = {
    "/zones": [{ id: ZONE_ID, name: "shop.example.com", account: { id: "a".repeat(32) } }],
    ...emptyZone(ZONE_ID),
    [`${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`]: {
      id: "0c",
      rules: [{ id: "0d", ...rule }],
    },
  };
  const { env, paths } = await serving(state, refusing("no", 403));
  const cwd = await folderWith({});
  expect((await zoneward(["export", "-o", "zoneward.yaml"], { cwd, env })).code).toBe(0);
  const text = await readFile(path.join(cwd, "zoneward.yaml"), "utf8");
  expect(parse(text).zones["shop.example.com"].managed_ruleset).toMatchObject({ score_rule: SCORING });
  paths.length = 0;
  const planned = await zoneward(["plan", "--detailed-exitcode"], { cwd, env });
  expect(planned.code).toBe(0);
  // The plan still asks for the account's rules, and a note says that they are not visible.
  expect(paths.filter((each) => each.includes("/accounts/"))).toHaveLength(1);
  expect(planned.err).toContain("The account's rules are not visible");
});

test("export names unknown job options in comments without their values", async () => {
  const job = { dataset: "http_requests", destination_conf: "https://logs.example/in" };
  const { run, cwd, emulator } = await start({
    zones: {
      "shop.example.com": {
        logpush_jobs: [
          {
            ...job,
            name: "output",
            output_options: { field_names: ["RayID"], batch_prefix: "[", hec_token: "SECRET-1" },
          },
          {
            ...job,
            name: "text",
            logpull_options: "https://SECRET-2/?fields=RayID&token=SECRET-3&sample=0.1",
          },
          { ...job, name: "bare", logpull_options: "fields=RayID&timestamps=rfc3339&token=SECRET-4" },
        ],
      },
    },
  });
  const { code, out, err } = await run("export");
  expect(code, err).toBe(0);
  expect(out + err).not.toContain("SECRET-");
  const shown = onlySections(out, "logpush_jobs");
  expect(shown.slice(shown.indexOf("    logpush_jobs:"))).toMatchInlineSnapshot(`
    "    logpush_jobs:
          # Not managed: output_options.hec_token.
          - name: output
            dataset: http_requests
            enabled: false
            destination_conf: \${secret:SHOP_EXAMPLE_COM_OUTPUT}
            fields: [RayID]
            timestamps: unixnano
            extra:
              output_options:
                batch_prefix: "["
          # Not managed: logpull_options.token.
          - name: text
            dataset: http_requests
            enabled: false
            destination_conf: \${secret:SHOP_EXAMPLE_COM_TEXT}
            logpull_options: fields=RayID&sample=0.1
          # Not managed: logpull_options.token.
          - name: bare
            dataset: http_requests
            enabled: false
            destination_conf: \${secret:SHOP_EXAMPLE_COM_BARE}
            fields: [RayID]
            timestamps: rfc3339
    "
  `);
  await writeFile(path.join(cwd, "zoneward.yaml"), out);
  const secrets = ["OUTPUT", "TEXT", "BARE"].map((name) => [
    `SHOP_EXAMPLE_COM_${name}`,
    job.destination_conf,
  ]);
  const env = { ...reaching(emulator), ...Object.fromEntries(secrets) };
  expect((await zoneward(["plan", "--detailed-exitcode"], { cwd, env })).code).toBe(0);
});

test("export comments on job options of another type, and leaves out a zone without a name", async () => {
  const job = { dataset: "http_requests", enabled: true, destination_conf: "https://a.example/x" };
  const { emulator } = await start({ zones: { "shop.example.com": {} } });
  const listing = (text: string, result: (zones: readonly object[]) => readonly object[]) => {
    const { result: listed, ...rest } = JSON.parse(text);
    return JSON.stringify({ ...rest, result: result(listed), result_info: null });
  };
  const env = await altering(emulator, (at, text) => {
    if (/^\/zones\?/.test(at))
      return listing(text, (zones) => [...zones, { id: "f".repeat(32), name: null, status: "active" }]);
    if (!at.endsWith("/logpush/jobs")) return undefined;
    return listing(text, () => [
      { ...job, id: 1, name: "j", output_options: { field_names: "ClientIP", timestamp_format: "rfc3339" } },
      { ...job, id: 2, name: "k", logpull_options: 5 },
    ]);
  });
  const { code, out, err } = await zoneward(["export"], { cwd: await folderWith({}), env });
  expect(code).toBe(1);
  expect(err).toContain(`The zone ${"f".repeat(32)} is left out. It has no name.`);
  expect(out.split("\n").filter((line) => line.includes("Not managed: o"))).toEqual([
    "      # Not managed: output_options.field_names.",
  ]);
  expect(out).toContain("# Not managed: logpull_options.");
});

test("export comments once on a value that no file can express", async () => {
  const notesOf = async (value: string) => {
    const policy = { description: "A", action: "log", enabled: true, expression: "true", value };
    const { run } = await start({ zones: { "shop.example.com": { policies: [policy] } } });
    const { out } = await run("export", "-q");
    return out.split("\n").filter((line) => line.includes("Not managed:"));
  };
  expect(await notesOf("script-src 'self'; script-src a.example")).toMatchInlineSnapshot(`
    [
      "      # Not managed: value. Browsers use the first \`script-src\` and ignore this one. Put all sources into one directive.",
    ]
  `);
  expect(await notesOf("")).toMatchInlineSnapshot(`
    [
      "      # Not managed: value. The value has no directive. Write at least one, such as \`script-src 'self'\`.",
    ]
  `);
});

test("export refuses to write a file that is too large", async () => {
  const zones = ["a", "b"].map((name) => ({ id: name.repeat(32), name: `${name}.example.com` }));
  const policies = Array.from({ length: 9 }, (_, index) => ({
    id: `${index}`.repeat(32),
    description: `${index} ${"x".repeat(1024 * 1024)}`,
    action: "log",
    enabled: true,
    expression: "true",
    value: "img-src 'self'",
  }));
  const state = Object.fromEntries(
    zones.flatMap(({ id }) =>
      Object.entries({ ...emptyZone(id), [`/zones/${id}/page_shield/policies`]: policies }),
    ),
  );
  const { env } = await serving({ "/zones": zones, ...state }, refusing("no", 403));
  const cwd = await folderWith({});
  const run = (...args: string[]) => zoneward(["export", ...args], { cwd, env });
  const { code, out, err } = await run("-o", "zoneward.yaml");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("Export too large for one file");
  expect(err).toContain("Export fewer zones at a time");
  expect(await readdir(cwd)).toEqual([]);
  expect((await run("--zone", "a.*", "-o", "zoneward.yaml")).code).toBe(0);
  expect((await validate({ cwd, environment: {} })).ok).toBe(true);
});

test("export never writes a secret that is the name of a live object", async () => {
  const secret = "https://logs.example/in?header_Authorization=abcdefghijklmnop";
  const { run } = await start({
    zones: {
      "shop.example.com": {
        policies: [
          { description: secret, action: "log", enabled: true, expression: "true", value: "img-src 'self'" },
        ],
        logpush_jobs: [{ name: "a", dataset: "http_requests", destination_conf: secret }],
      },
    },
  });
  const { out, err } = await run("export");
  expect(out + err).not.toContain("abcdefghijklmnop");
});

/** Texts of one kind each. Very long texts are limited to a few, because they are slow. */
const texts = some(
  Object.entries(HOSTILE).filter(
    ([name, text]) => text.length < 1_000 || ["a long word", "long lines", "long harm"].includes(name),
  ),
);

describe("export of hostile live objects is escaped, valid, and plans to nothing", () => {
  test.each(texts)(
    "%s",
    async (_, text) => {
      const { env } = await serving(hostileState(text));
      const cwd = await folderWith({});
      const { code, out, err } = await zoneward(["export", "shop.example.com"], { cwd, env });
      expect([code, harmIn(out, "programs"), harmIn(err, "people")], err).toEqual([0, [], []]);
      await writeFile(path.join(cwd, "zoneward.yaml"), out);
      const { problems } = await validate({ cwd, environment: {} });
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      const jobs = hostileState(text)[`/zones/${ZONE_ID}/logpush/jobs`] as { destination_conf: string }[]; // The fixture above has this shape.
      const names = [...out.matchAll(/destination_conf: \$\{secret:(\w+)\}/g)].map(([, name]) =>
        String(name),
      );
      const known = jobs.map(({ destination_conf: destination }) => destination);
      const secrets = Object.fromEntries(names.map((name, index) => [name, known[index] ?? ""]));
      const planned = await zoneward(["plan", "--format", "json"], { cwd, env: { ...env, ...secrets } });
      expect(JSON.parse(planned.out).changes, planned.err).toEqual([]);
    },
    60_000,
  );
});
