import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type RuleSeed, type Seed } from "../../src/index.js";
import { altering } from "../support/altering-service.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";
const SHOP = "shop.example.com";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORE = "6179ae15870a4bb7b2d480d4843b323c";

type Zone = NonNullable<Seed["zones"]>[string];

interface Story {
  readonly live: Omit<Zone, "id">;
  /** The zone in the files, and in the files before the change. */
  readonly zone: object;
  readonly base?: object;
  readonly forbid?: readonly string[];
}

/** A live zone, and the files before and after a change. */
async function start({ live, zone, base = zone, forbid = [] }: Story) {
  const emulator = await createEmulator({ seed: { zones: { [SHOP]: { id: ID, ...live } } } });
  onTestFinished(() => emulator.close());
  const file = (body: object) =>
    JSON.stringify({
      version: 1,
      service: LEARNT,
      guardrails: { forbid },
      zones: { [SHOP]: { id: ID, ...body } },
    });
  const cwd = await folderWith({ "zoneward.yaml": file(zone) });
  const before = await folderWith({});
  await writeFile(path.join(before, "zoneward.yaml"), file(base));
  const at =
    (environment: Readonly<Record<string, string>>) =>
    (...args: string[]) =>
      zoneward(args, { cwd, env: { ...environment, ...PLACES } });
  const run = at(reaching(emulator));
  /** The first change of a plan. */
  const change = async (...args: string[]) =>
    JSON.parse((await run("plan", "--format", "json", ...args)).out).changes[0];
  return { emulator, at, run, change, before };
}

/** Directives that the service may support later. */
const LEARNT = {
  extra_csp_directives: ["report-uri", "sandbox", "prefetch-src", "new-src", "require-trusted-types-for"],
};
const PLACES = { A: "https://logs.example/a", B: "https://logs.example/b" };

const policy = (more: object) => ({
  description: "One",
  action: "allow",
  enabled: true,
  expression: "true",
  value: "script-src 'self'",
  ...more,
});
const livePolicy = (more: object) => ({ id: "1".repeat(32), ...policy(more) });
const job = (more: object) => ({
  name: "logs",
  dataset: "http_requests",
  enabled: true,
  destination_conf: "${secret:A}",
  fields: ["RayID"],
  ...more,
});
const liveJob = (more: object) => ({
  id: 1,
  name: "logs",
  dataset: "http_requests",
  enabled: true,
  destination_conf: "https://logs.example/a",
  logpull_options: "fields=RayID",
  ...more,
});

describe("data sent to another destination", () => {
  const elsewhere: readonly (readonly [string, Story])[] = [
    [
      "records of a job",
      {
        live: { logpush_jobs: [liveJob({})] },
        zone: { logpush_jobs: [job({ destination_conf: "${secret:B}" })] },
      },
    ],
    [
      "reports of a policy",
      {
        live: { policies: [livePolicy({ value: "script-src 'self'; report-uri https://a.example" })] },
        zone: { policies: [policy({ value: "script-src 'self'; report-uri https://b.example" })] },
      },
    ],
    [
      "logged payloads",
      {
        live: { rulesets: [phase(executing({ matched_data: { public_key: "a" } }))] },
        zone: { managed_ruleset: { score_rule: SCORE, payload_logging: { public_key: "b" } } },
      },
    ],
  ];

  test.each(elsewhere)("has an unknown effect and is refused by two guardrails: %s", async (_, story) => {
    const { run, change, emulator } = await start({ ...story, forbid: ["weakens", "redirects"] });
    const found = await change();
    expect(found.effect).toBe("unknown");
    expect(JSON.stringify(found.dimensions)).toContain("sent elsewhere");
    const { code, err } = await run("apply", "--yes");
    expect(code).toBe(3);
    expect(err).toContain("guardrail redirects");
    expect(err).toContain("guardrail weakens");
    expect(emulator.writes()).toEqual([]);
  });

  test("is reported as drift if it was changed in the dashboard", async () => {
    const { run } = await start({
      live: { logpush_jobs: [liveJob({ destination_conf: "https://evil.example/" })] },
      zone: { logpush_jobs: [job({})] },
    });
    const { out } = await run("drift", "--format", "json");
    expect(JSON.parse(out).changes).toMatchObject([{ drift_effect: "unknown" }]);
    expect((await run("drift", "--fail-on", "redirects")).code).toBe(3);
  });

  test("is reported if it was changed in the dashboard while the files change something else", async () => {
    const { change, before } = await start({
      live: { logpush_jobs: [liveJob({ destination_conf: "https://evil.example/" })] },
      base: { logpush_jobs: [job({})] },
      zone: { logpush_jobs: [job({ destination_conf: "${secret:B}" })] },
    });
    expect(await change("--base", before)).toMatchObject({ effect: "unknown", drift_effect: "unknown" });
  });

  test("is reported for new objects, even disabled ones", async () => {
    for (const enabled of [true, false]) {
      const { run } = await start({
        live: {},
        zone: { logpush_jobs: [job({ enabled })] },
        forbid: ["redirects"],
      });
      expect((await run("apply", "--yes")).code).toBe(3);
    }
  });

  const evil = "https://evil.example/";
  const reporting = { value: `script-src 'self'; report-uri ${evil}`, enabled: false };
  const started: readonly (readonly [string, Story])[] = [
    [
      "records of a job",
      {
        live: { logpush_jobs: [liveJob({ enabled: false, destination_conf: evil })] },
        base: { logpush_jobs: [{ name: "logs", enabled: false }] },
        zone: { logpush_jobs: [{ name: "logs", enabled: true }] },
      },
    ],
    [
      "records of a live job that a change declares",
      {
        live: { logpush_jobs: [liveJob({ enabled: false })] },
        base: { logpush_jobs: [{ name: "logs", enabled: false }] },
        zone: { logpush_jobs: [job({})] },
      },
    ],
    [
      "reports of a policy",
      {
        live: { policies: [livePolicy(reporting)] },
        base: { policies: [{ description: "One", enabled: false }] },
        zone: { policies: [{ description: "One", enabled: true }] },
      },
    ],
    [
      "logged payloads",
      {
        live: { rulesets: [phase({ ...executing({ matched_data: { public_key: "a" } }), enabled: false })] },
        base: { managed_ruleset: { score_rule: SCORE, enabled: false } },
        zone: { managed_ruleset: { score_rule: SCORE, enabled: true } },
      },
    ],
  ];
  test.each(started)("is reported for an object that a change switches on: %s", async (_, story) => {
    const { run, change, before } = await start(story);
    expect(await change("--base", before)).toMatchObject({ effect: "unknown" });
    for (const guardrail of ["weakens", "redirects"])
      expect((await run("plan", "--base", before, "--fail-on", guardrail)).code).toBe(3);
  });

  test("is not reported if the base already declares the destination", async () => {
    const { run, change, before } = await start({
      live: { logpush_jobs: [liveJob({ enabled: false })] },
      base: { logpush_jobs: [job({ enabled: false })] },
      zone: { logpush_jobs: [job({})] },
    });
    expect(await change("--base", before)).toMatchObject({ effect: "strengthens" });
    expect((await run("plan", "--base", before, "--fail-on", "redirects")).code).toBe(0);
  });

  test("is reported as drift if it was switched on in the dashboard", async () => {
    const { run } = await start({
      live: { logpush_jobs: [liveJob({ destination_conf: evil })] },
      zone: { logpush_jobs: [{ name: "logs", enabled: false }] },
    });
    expect((await run("drift", "--fail-on", "redirects")).code).toBe(3);
  });

  test("is not reported if the destination stays or is removed", async () => {
    const same = await start({
      live: { logpush_jobs: [liveJob({ enabled: false })] },
      zone: { logpush_jobs: [job({})] },
      forbid: ["redirects"],
    });
    expect((await same.run("apply", "--yes")).code).toBe(0);
    const gone = await start({
      live: { logpush_jobs: [liveJob({})] },
      zone: { logpush_jobs: [{ name: "logs", ensure: "absent" }] },
      forbid: ["redirects"],
    });
    expect((await gone.run("apply", "--yes")).code).toBe(0);
  });
});

describe("options that change the records of a job", () => {
  const inOutput = { output_options: { field_names: ["RayID"] } };
  const output = (output_options: object) => ({ extra: { output_options } });
  const others: readonly (readonly [string, object, object])[] = [
    ["attacks alone", {}, { extra: { filter_attack_traffic: true } }],
    ["another kind of job", {}, { extra: { kind: "edge" } }],
    ["empty ones", inOutput, { extra: { output_options: { record_template: "{}" } } }],
    ["several in one", inOutput, { extra: { output_options: { merge_subrequests: true } } }],
    ["records with duplicate members", inOutput, output({ record_suffix: ',"RayID":"0"}\n' })],
    ["none", inOutput, output({ output_type: "none" })],
    ["columns without a separator", inOutput, output({ output_type: "csv", field_delimiter: "" })],
    ["lines without a separator", inOutput, output({ record_delimiter: "," })],
    ["a prefix of batches", inOutput, output({ batch_prefix: "[" })],
    ["an unknown option", inOutput, { extra: { output_options: { tee: "x" } } }],
    ["an unknown parameter", {}, { fields: undefined, logpull_options: "fields=RayID&tee=x" }],
    ["an unknown member", {}, { extra: { mirror: "https://evil.example" } }],
  ];

  test.each(others)("have an unknown effect: %s", async (_, live, declared) => {
    const { change, run } = await start({
      live: { logpush_jobs: [liveJob(live)] },
      zone: { logpush_jobs: [job(declared)] },
      forbid: ["weakens"],
    });
    const { effect, dimensions } = await change();
    expect([effect, dimensions]).toMatchObject([
      "unknown",
      [
        {
          dimension: "http_requests.options",
          effect: "unknown",
          why: expect.stringContaining("no other options → "),
        },
      ],
    ]);
    expect((await run("apply", "--yes")).code).toBe(3);
  });

  const transformers: readonly (readonly [string, NonNullable<Zone["logpush_jobs"]>, object])[] = [
    ["a new job", [], { transformer_id: 5 }],
    ["a transformer added to a job", [liveJob({})], { transformer_id: 5 }],
    ["another transformer", [liveJob({ transformer_id: 4 })], { transformer_id: 5 }],
  ];
  test.each(transformers)("have an unknown effect with a transformer: %s", async (_, live, extra) => {
    const { change, run } = await start({
      live: { logpush_jobs: live },
      zone: { logpush_jobs: [job({ extra })] },
      forbid: ["redirects"],
    });
    const { effect, dimensions } = await change();
    expect(effect).toBe("unknown");
    expect(JSON.stringify(dimensions)).toContain("transformer");
    const { code, err } = await run("apply", "--yes");
    expect(code).toBe(3);
    expect(err).toContain("transformer 5");
  });
  test.each(others)("have an unknown effect on a new job too: %s", async (_, __, declared) => {
    const { change } = await start({ live: {}, zone: { logpush_jobs: [job(declared)] } });
    expect(await change()).toMatchObject({ action: "create", effect: "unknown" });
  });

  const form: readonly (readonly [string, object])[] = [
    ["batch limits", { extra: { max_upload_records: 1000, frequency: "low" } }],
    ["the timestamp format", { timestamps: "rfc3339" }],
  ];
  test.each(form)("have no effect on protection: %s", async (_, declared) => {
    const { change } = await start({
      live: { logpush_jobs: [liveJob({})] },
      zone: { logpush_jobs: [job(declared)] },
    });
    expect((await change()).effect).toBe("neutral");
  });

  test("are reported as drift with an unknown effect", async () => {
    const { run } = await start({
      live: { logpush_jobs: [liveJob({ filter_attack_traffic: true })] },
      zone: { logpush_jobs: [job({ extra: { filter_attack_traffic: false } })] },
    });
    const { out } = await run("drift", "--format", "json");
    expect(JSON.parse(out).changes).toMatchObject([{ drift_effect: "unknown" }]);
  });
});

describe("custom log fields", () => {
  const ID_OF = { own: "a".repeat(32), other: "b".repeat(32) };
  const rule = (more: object) => ({
    id: ID_OF.own,
    action: "log_custom_field",
    expression: "true",
    enabled: true,
    description: "Custom log fields",
    action_parameters: { request_fields: [{ name: "x-forwarded-for" }] },
    ...more,
  });
  const other = rule({
    id: ID_OF.other,
    description: "Office",
    expression: 'http.request.uri.path eq "/pay"',
    action_parameters: { request_fields: [{ name: "x-office" }] },
  });
  const logging = (...rules: readonly ReturnType<typeof rule>[]) => ({
    rulesets: [{ id: "c".repeat(32), phase: "http_log_custom_fields", kind: "zone", name: "default", rules }],
  });
  const fields = { request_fields: ["x-forwarded-for"] };

  const credentials: readonly (readonly [string, object])[] = [
    ["authorization", { request_fields: ["x-forwarded-for", "authorization"] }],
    ["an API key", { transformed_request_fields: ["x-api-key"] }],
    [
      "Set-Cookie headers",
      { ...fields, response_fields: [{ name: "set-cookie", preserve_duplicates: true }] },
    ],
    ["a session cookie", { ...fields, cookie_fields: ["PHPSESSID"] }],
    ["a Cloudflare Access token", { ...fields, cookie_fields: ["CF_Authorization"] }],
  ];
  test.each(credentials)(
    "that carry credentials have an unknown effect and a warning: %s",
    async (_, declared) => {
      for (const live of [logging(rule({})), {}]) {
        const { change, run } = await start({
          live,
          zone: { custom_log_fields: declared },
          forbid: ["weakens"],
        });
        expect(await change()).toMatchObject({ effect: "unknown" });
        const { diagnostics } = JSON.parse((await run("plan", "--format", "json")).out);
        expect(diagnostics).toContainEqual(
          expect.objectContaining({ severity: "warning", code: "logs_credentials" }),
        );
        expect((await run("apply", "--yes")).code).toBe(3);
      }
    },
  );

  test("that were added in the dashboard are drift with an unknown effect", async () => {
    const action_parameters = { request_fields: [{ name: "x-forwarded-for" }, { name: "cookie" }] };
    const { run } = await start({
      live: logging(rule({ action_parameters })),
      zone: { custom_log_fields: fields },
    });
    expect(JSON.parse((await run("drift", "--format", "json")).out).changes).toMatchObject([
      { drift_effect: "unknown" },
    ]);
  });

  test("that carry no credentials strengthen", async () => {
    const { change } = await start({
      live: logging(rule({})),
      zone: { custom_log_fields: { request_fields: ["x-forwarded-for", "x-author", "sec-websocket-key"] } },
    });
    expect(await change()).toMatchObject({ effect: "strengthens" });
  });

  const waiting: readonly (readonly [string, object])[] = [
    ["switched off", { enabled: false }],
    ["for fewer requests", { expression: 'http.host eq "shop.example.com"' }],
  ];
  test.each(waiting)(
    "placed before a rule of others shadow it, with an unknown effect: %s",
    async (_, was) => {
      const { change, run } = await start({
        live: logging(rule(was), other),
        zone: { custom_log_fields: fields },
        forbid: ["weakens"],
      });
      const found = await change();
      expect(found.effect).toBe("unknown");
      expect(JSON.stringify(found.dimensions)).toContain('it decides before \\"Office\\"');
      expect((await run("apply", "--yes")).code).toBe(3);
    },
  );

  test("placed after a rule of others shadow nothing", async () => {
    const { change } = await start({
      live: logging(other, rule({ enabled: false })),
      zone: { custom_log_fields: fields },
    });
    expect(await change()).toMatchObject({ effect: "strengthens" });
  });
});

describe("a change of an object that was switched off in the dashboard", () => {
  const limit = { action: "block", expression: "true" };
  const counting = { characteristics: ["ip.src"], period: 60, requests_per_period: 100 };
  const inList = (name: string, ...rules: RuleSeed[]) => ({
    rulesets: [{ id: "c".repeat(32), phase: name, kind: "zone", name: "default", rules }],
  });
  const off = { description: "One", enabled: false };
  const scored = { score_rule: SCORE, action: "block", score_threshold: 25 };
  const narrow = 'http.request.uri.path eq "/a"';
  const hsts = { max_age: 31536000, include_subdomains: true };
  const weakened: readonly (readonly [string, Omit<Zone, "id">, object, object])[] = [
    [
      "a custom rule that only logs",
      inList("http_request_firewall_custom", { ...off, ...limit }),
      { custom_rules: [{ description: "One", ...limit }] },
      { custom_rules: [{ description: "One", ...limit, action: "log" }] },
    ],
    [
      "a rate limit that allows more requests",
      inList("http_ratelimit", {
        ...off,
        ...limit,
        ratelimit: { ...counting, characteristics: ["ip.src", "cf.colo.id"], mitigation_timeout: 60 },
      }),
      { rate_limits: [{ description: "One", ...limit, ...counting }] },
      { rate_limits: [{ description: "One", ...limit, ...counting, requests_per_period: 9999 }] },
    ],
    [
      "an exception for every request",
      inList(
        "http_request_firewall_managed",
        { ...off, action: "skip", expression: narrow, action_parameters: { ruleset: "current" } },
        executing({}),
      ),
      { managed_exceptions: [{ description: "One", expression: narrow, skip: "all" }] },
      { managed_exceptions: [{ description: "One", expression: "true", skip: "all" }] },
    ],
    [
      "a managed ruleset that only logs",
      { rulesets: [phase({ ...executing({}), enabled: false })] },
      { managed_ruleset: scored },
      { managed_ruleset: { ...scored, action: "log" } },
    ],
    [
      "a policy that allows more",
      { policies: [livePolicy({ enabled: false })] },
      { policies: [policy({ enabled: undefined })] },
      { policies: [policy({ enabled: undefined, value: "script-src *" })] },
    ],
    [
      "a job without a field",
      { logpush_jobs: [liveJob({ enabled: false })] },
      { logpush_jobs: [job({ enabled: undefined, fields: ["RayID"] })] },
      { logpush_jobs: [job({ enabled: undefined, fields: ["ClientIP"] })] },
    ],
    [
      "HSTS for a shorter time",
      {
        zone_settings: {
          values: { security_header: { strict_transport_security: { ...hsts, enabled: false } } },
        },
      },
      { zone_settings: { security_header: hsts } },
      { zone_settings: { security_header: { ...hsts, max_age: 1 } } },
    ],
  ];
  test.each(weakened)("is judged as if it were on: %s", async (_, live, base, zone) => {
    const { run, before } = await start({ live, base, zone, forbid: ["weakens"] });
    const { code, err } = await run("apply", "--yes", "--base", before);
    expect(err).toContain("guardrail weakens");
    expect(code).toBe(3);
  });

  const ONE = "1".repeat(32);
  const MANAGED = "efb7b8c949ac4650a09736fc376e9aee";
  const overridden = (id: string, overrides: object): Omit<Zone, "id"> => ({
    rulesets: [phase({ ...executing({}), action_parameters: { id, overrides } })],
  });
  const unscored = (more: object) => ({ managed_rulesets: [{ ruleset: MANAGED, ...more }] });
  const overrides: readonly (readonly [string, Omit<Zone, "id">, object, object])[] = [
    [
      "the threshold of a score without an action",
      overridden(CORE, { rules: [{ id: SCORE, enabled: false, score_threshold: 25 }] }),
      { managed_ruleset: { score_rule: SCORE, score_threshold: 25 } },
      { managed_ruleset: { score_rule: SCORE, score_threshold: 2500 } },
    ],
    [
      "the action of all rules",
      overridden(MANAGED, { enabled: false, action: "block" }),
      unscored({ action: "block" }),
      unscored({ action: "log" }),
    ],
    [
      "the action of one rule",
      overridden(MANAGED, { rules: [{ id: ONE, enabled: false, action: "block" }] }),
      unscored({ rules: { [ONE]: { action: "block" } } }),
      unscored({ rules: { [ONE]: { action: "log" } } }),
    ],
    [
      "the action of one tag",
      overridden(MANAGED, { categories: [{ category: "a", enabled: false, action: "block" }] }),
      unscored({ tags: { a: { action: "block" } } }),
      unscored({ tags: { a: { action: "log" } } }),
    ],
  ];
  test.each(overrides)("is judged without undeclared overrides: %s", async (_, live, base, zone) => {
    const { change, before } = await start({ live, base, zone });
    expect(await change("--base", before)).toMatchObject({ effect: "weakens" });
  });

  test("makes a rate limit before it unknown, as if it were on", async () => {
    const front = { ...limit, ...counting, description: "Front", action: "managed_challenge" };
    const own = { description: "One", ...limit, ...counting };
    const { change, before } = await start({
      live: inList("http_ratelimit", {
        ...off,
        ...limit,
        ratelimit: { ...counting, characteristics: ["ip.src", "cf.colo.id"], mitigation_timeout: 60 },
      }),
      base: { rate_limits: [own] },
      zone: { rate_limits: [front, own] },
    });
    expect(await change("--base", before)).toMatchObject({ key: "Front", effect: "unknown" });
  });

  test("is judged behind undeclared rules too", async () => {
    const [front, own] = [
      { action: "block", expression: "true" },
      { ...off, ...limit },
    ];
    const { change, before } = await start({
      live: inList("http_request_firewall_custom", front, own),
      base: { custom_rules: [{ description: "One", ...limit }] },
      zone: { custom_rules: [{ description: "One", ...limit, action: "log" }] },
    });
    expect(await change("--base", before)).toMatchObject({ effect: "weakens" });
  });

  test("has no effect if the files keep it off", async () => {
    const { change } = await start({
      live: { policies: [livePolicy({ enabled: false })] },
      zone: { policies: [policy({ enabled: false, value: "script-src *" })] },
    });
    expect(await change()).toMatchObject({ effect: "neutral" });
  });
});

describe("a directive whose effect is unknown to this version", () => {
  const script = {
    id: "5".repeat(32),
    url: "https://shop.example.com/a.js",
    first_page_url: "https://shop.example.com/blog",
  };
  const live = (value: string, more: object = {}) => ({
    settings: { enabled: true },
    policies: [livePolicy({ value, ...more })],
    scripts: [script],
  });
  const moves: readonly (readonly [string, string, string])[] = [
    ["sandbox added", "script-src 'self'", "script-src 'self'; sandbox"],
    ["sandbox removed", "script-src 'self'; sandbox", "script-src 'self'"],
    ["sandbox with less allowed", "script-src 'self'; sandbox allow-scripts", "script-src 'self'; sandbox"],
    ["prefetch-src", "script-src 'self'", "script-src 'self'; prefetch-src *"],
    ["an unknown directive", "script-src 'self'", "script-src 'self'; new-src *"],
    ["in capitals", "script-src 'self'", "script-src 'self'; SANDBOX"],
  ];
  test.each(moves)("makes effect and impact unknown: %s", async (_, before, after) => {
    const { change, run } = await start({
      live: live(before),
      zone: { policies: [policy({ value: after })] },
      forbid: ["weakens", "starts_blocking", "blocks_active_scripts"],
    });
    const found = await change();
    expect(found.effect).toBe("unknown");
    expect(found.dimensions[0].why).toMatch(/the effect of (sandbox|prefetch-src|new-src) is unknown/);
    expect(found.impact.scripts.undecided).toHaveLength(1);
    const { code, err } = await run("apply", "--yes");
    expect(code).toBe(3);
    for (const name of ["weakens", "starts_blocking", "blocks_active_scripts"])
      expect(err).toContain(`guardrail ${name}`);
  });

  test("counts as starting to block when it is first enforced", async () => {
    for (const value of ["sandbox", "new-src 'none'"]) {
      const { run } = await start({
        live: live(value, { action: "log" }),
        zone: { policies: [policy({ value })] },
        forbid: ["starts_blocking", "unproven"],
      });
      const { code, err } = await run("apply", "--yes");
      expect(code).toBe(3);
      expect(err).toContain("guardrail starts_blocking");
      expect(err).toContain("guardrail unproven");
    }
  });

  test("does not hide a loss, which is named beside it", async () => {
    const { change } = await start({
      live: live("script-src 'self'"),
      zone: { policies: [policy({ value: "script-src *; sandbox" })] },
    });
    const { dimensions } = await change();
    expect(dimensions[0].why).toContain("script-src also allows *");
  });

  test("does not matter if it is unchanged", async () => {
    const { change } = await start({
      live: live("script-src 'self'; sandbox"),
      zone: { policies: [policy({ value: "script-src 'none'; sandbox" })] },
    });
    expect(await change()).toMatchObject({ effect: "strengthens" });
  });
});

describe("requiring trusted types with a policy that evaluates strings", () => {
  const EVAL = "script-src 'self' 'trusted-types-eval'";
  const REQUIRED = "require-trusted-types-for 'script'";
  const other = (more: object) => policy({ description: "Two", value: REQUIRED, ...more });
  const liveOther = (more: object) => ({ ...other(more), id: "2".repeat(32) });
  const evaluating = livePolicy({ value: EVAL });
  const moves: readonly (readonly [string, Zone["policies"], readonly object[]])[] = [
    ["in the same policy", [evaluating], [policy({ value: `${EVAL}; ${REQUIRED}` })]],
    ["in another policy", [evaluating], [policy({ value: EVAL }), other({})]],
    ["in another undeclared policy", [evaluating], [other({})]],
    ["in a policy that only reported", [evaluating, liveOther({ action: "log" })], [other({})]],
    ["in a policy on other pages", [evaluating, liveOther({ expression: "ssl" })], [other({})]],
  ];
  test.each(moves)(
    "has an unknown effect, because it allows some strings again: %s",
    async (_, live, policies) => {
      const { run, change } = await start({ live: { policies: live ?? [] }, zone: { policies } });
      expect(await change()).toMatchObject({ effect: "unknown" });
      expect((await run("plan", "--fail-on", "weakens")).code).toBe(3);
    },
  );

  test("blocks strings again once removed", async () => {
    for (const gone of [{ ensure: "absent", description: "Two" }, other({ enabled: false })]) {
      const { run, change } = await start({
        live: { policies: [evaluating, liveOther({})] },
        zone: { policies: [policy({ value: EVAL }), gone] },
      });
      expect(await change()).toMatchObject({ effect: "unknown" });
      expect((await run("plan", "--fail-on", "starts_blocking")).code).toBe(3);
    }
  });

  test("comes after the change that stops a policy from evaluating strings", async () => {
    const { run } = await start({
      live: { policies: [evaluating] },
      zone: { policies: [policy({}), other({})] },
    });
    const { calls, diagnostics } = JSON.parse((await run("plan", "--format", "json")).out);
    expect(calls.map(({ method }: { method: string }) => method)).toEqual(["PUT", "POST"]);
    expect(diagnostics.map(({ code }: { code: string }) => code)).not.toContain("unsafe_order");
  });

  test("strengthens if no policy evaluates strings", async () => {
    const { change } = await start({
      live: { policies: [livePolicy({})] },
      zone: { policies: [policy({}), other({})] },
    });
    expect(await change()).toMatchObject({ effect: "strengthens" });
  });
});

describe("a live filter with duplicate keys", () => {
  const where = (key: string) => `"where":{"key":"${key}","operator":"eq","value":"1"}`;
  const declared = `{${where("ClientIP")}}`;
  const ambiguous: readonly (readonly [string, string])[] = [
    ["a duplicate key", `{${where("RayID")},${where("ClientIP")}}`],
    ["a duplicate key with an escape", `{"\\u0077here":{},${where("ClientIP")}}`],
    ["a nested duplicate key", declared.replace('"key"', '"key":"RayID","key"')],
  ];

  test.each(ambiguous)(
    "never equals the declared filter and has an unknown effect: %s",
    async (_, filter) => {
      const { change, run } = await start({
        live: { logpush_jobs: [liveJob({ filter })] },
        zone: { logpush_jobs: [job({ extra: { filter: declared } })] },
        forbid: ["weakens"],
      });
      expect(await change()).toMatchObject({
        effect: "unknown",
        fields: [{ path: "extra.filter", before: filter, after: declared }],
      });
      expect((await run("apply", "--yes")).code).toBe(3);
      expect(JSON.parse((await run("drift", "--format", "json")).out).changes).toMatchObject([
        { drift_effect: "unknown" },
      ]);
    },
  );

  test("can contain a number that JSON rounds to the declared one", async () => {
    const asked = (value: string) => `{"where":{"key":"ClientASN","operator":"eq","value":${value}}}`;
    const { change } = await start({
      live: { logpush_jobs: [liveJob({ filter: asked("9007199254740993") })] },
      zone: { logpush_jobs: [job({ extra: { filter: asked("9007199254740992") } })] },
    });
    expect(await change()).toMatchObject({ effect: "unknown" });
  });

  test("makes the effect of a new job unknown", async () => {
    const { change } = await start({
      live: {},
      zone: { logpush_jobs: [job({ extra: { filter: `{${where("RayID")},${where("ClientIP")}}` } })] },
    });
    expect(await change()).toMatchObject({ action: "create", effect: "unknown" });
  });
});

describe("a job id too large for an exact JSON number", () => {
  const beyond = (_: string, answer: string) => answer.replace(/"id":\s*1(?=[,}])/g, '"id":9007199254740993');

  test("is never used, because rounding can make it another job's id", async () => {
    const { emulator, at } = await start({
      live: { logpush_jobs: [liveJob({})] },
      zone: { logpush_jobs: [job({ fields: ["RayID", "ClientIP"] })] },
    });
    const { code, out } = await at(await altering(emulator, beyond))("plan", "--format", "json");
    expect(code).toBe(1);
    expect(JSON.parse(out).calls).toEqual([]);
    expect(out).toMatch(/the logpush job \\"logs\\" with an id beyond 9007199254740991, which is rounded/);
  });

  test("is used if the service sends it as text", async () => {
    const asText = (path: string, answer: string) => beyond(path, answer).replace("9007199254740993", '"$&"');
    const { emulator, at } = await start({
      live: { logpush_jobs: [liveJob({})] },
      zone: { logpush_jobs: [job({ fields: ["RayID", "ClientIP"] })] },
    });
    const { out } = await at(await altering(emulator, asText))("plan", "--format", "json");
    expect(JSON.parse(out).calls).toMatchObject([{ path: expect.stringMatching(/\/9007199254740993$/) }]);
  });
});

describe("an enforced frame-ancestors", () => {
  const framing = { value: "script-src 'self'; frame-ancestors *" };
  const stories: readonly (readonly [string, NonNullable<Zone["policies"]>, object])[] = [
    ["a new policy", [], framing],
    ["an added directive", [livePolicy({})], framing],
    ["from reporting to blocking", [livePolicy({ ...framing, action: "log" })], framing],
    ["a policy switched on", [livePolicy({ ...framing, enabled: false })], framing],
    ["a wider scope", [livePolicy({ ...framing, expression: 'http.host eq "shop.example.com"' })], framing],
  ];

  test.each(stories)("overrides X-Frame-Options, so its effect is unknown: %s", async (_, live, after) => {
    const { change, run } = await start({
      live: { policies: live },
      zone: { policies: [policy(after)] },
      forbid: ["weakens"],
    });
    const found = await change();
    expect(found.effect).toBe("unknown");
    expect(found.dimensions[0].why).toContain("X-Frame-Options");
    expect((await run("apply", "--yes")).code).toBe(3);
  });

  test("gives a warning if it allows any site", async () => {
    const { run } = await start({
      live: {},
      zone: { policies: [policy({ value: "frame-ancestors https:" })] },
    });
    for (const { out, err } of [await run("validate"), await run("csp", "check", "frame-ancestors *")])
      expect(out + err).toContain("lets any site frame the page");
  });
});

describe("impact without detections", () => {
  const script = {
    id: "5".repeat(32),
    url: "https://cdn.example/a.js",
    first_page_url: "https://shop.example.com/blog",
  };
  const stories: readonly (readonly [string, Story, string])[] = [
    [
      "detection is off",
      {
        live: { settings: { enabled: false }, policies: [livePolicy({ action: "log" })], scripts: [script] },
        zone: { policies: [policy({})] },
      },
      "detection was off: this list may be incomplete",
    ],
    [
      "nothing was seen",
      {
        live: { settings: { enabled: true }, policies: [livePolicy({ action: "log" })] },
        zone: { policies: [policy({})] },
      },
      "nothing detected here yet: impact unknown",
    ],
    [
      "nothing was seen on the policy's pages",
      {
        live: {
          settings: { enabled: true },
          policies: [livePolicy({ action: "log", expression: 'http.request.uri.path eq "/pay"' })],
          scripts: [script],
        },
        zone: { policies: [policy({ expression: 'http.request.uri.path eq "/pay"' })] },
      },
      "nothing detected here yet: impact unknown",
    ],
  ];

  test.each(stories)("is unknown in every format and refused: %s", async (_, story, words) => {
    const { run } = await start({ ...story, forbid: ["blocks_active_scripts"] });
    for (const format of ["text", "markdown", "html"]) {
      const { out } = await run("plan", "--format", format);
      expect(out).toContain(words);
      expect(out).not.toContain("none of the scripts");
    }
    expect((await run("apply", "--yes")).code).toBe(3);
    expect((await run("apply", "--yes", "--allow", "blocks_active_scripts")).code).toBe(0);
  });

  test("is known if a policy can only become looser", async () => {
    const { run } = await start({
      live: { settings: { enabled: false }, policies: [livePolicy({})] },
      zone: { policies: [policy({ action: "log" })] },
      forbid: ["blocks_active_scripts"],
    });
    expect((await run("apply", "--yes")).code).toBe(0);
  });
});

describe("a live policy without an enabled state", () => {
  const withoutFlag = (asked: string, answer: string) =>
    asked.endsWith("/policies") ? answer.replace(/"enabled":\s*"?(?:true|false)"?,?/g, "") : undefined;

  test("gets all fields, and starting to block has an unknown effect", async () => {
    const { emulator, at } = await start({
      live: { settings: { enabled: true }, policies: [livePolicy({ action: "log" })] },
      zone: { policies: [{ description: "One", action: "allow" }] },
      forbid: ["weakens", "starts_blocking"],
    });
    const run = at(await altering(emulator, withoutFlag));
    const { changes, calls } = JSON.parse((await run("plan", "--format", "json")).out);
    expect(changes).toMatchObject([
      { effect: "unknown", dimensions: [{ why: "its enabled state is unknown" }] },
    ]);
    expect(changes[0].fields).toContainEqual({
      path: "enabled",
      before: null,
      after: true,
      origin: "unknown",
    });
    expect(calls[0].body).toMatchObject({ enabled: true, action: "allow" });
    const { code, err } = await run("apply", "--yes");
    expect(code).toBe(3);
    expect(err).toContain("guardrail weakens");
    expect(err).toContain("guardrail starts_blocking");
  });

  test("has an unknown effect when deleted", async () => {
    const { emulator, at } = await start({
      live: { policies: [livePolicy({})] },
      zone: { policies: [{ description: "One", ensure: "absent" }] },
      forbid: ["weakens"],
    });
    const run = at(await altering(emulator, withoutFlag));
    const { changes } = JSON.parse((await run("plan", "--format", "json")).out);
    expect(changes).toMatchObject([{ action: "delete", effect: "unknown" }]);
    expect((await run("apply", "--yes")).code).toBe(3);
  });

  test("is left alone if nothing changes", async () => {
    const { emulator, at } = await start({
      live: { policies: [livePolicy({})] },
      zone: { policies: [{ description: "One", action: "allow" }] },
    });
    const run = at(await altering(emulator, withoutFlag));
    expect(JSON.parse((await run("plan", "--format", "json")).out).calls).toEqual([]);
  });
});

test("a live policy without a value is not treated as allowing everything", async () => {
  const { emulator, at } = await start({
    live: { policies: [livePolicy({ value: "script-src 'none'" })] },
    zone: { policies: [policy({ value: "script-src https:" })] },
  });
  const run = at(await altering(emulator, (_, answer) => answer.replace(/"value":\s*"[^"]*",?/g, "")));
  const { changes } = JSON.parse((await run("plan", "--format", "json")).out);
  expect(changes).toMatchObject([{ effect: "unknown", dimensions: [{ why: "its value is unknown" }] }]);
});

test("a live job without an enabled state is not treated as off", async () => {
  const { emulator, at } = await start({
    live: { logpush_jobs: [liveJob({})] },
    zone: { logpush_jobs: [{ name: "logs", destination_conf: "${secret:B}", dataset: "http_requests" }] },
  });
  const withoutFlag = (_: string, answer: string) => answer.replace(/"enabled":\s*(?:true|false),?/g, "");
  const run = at(await altering(emulator, withoutFlag));
  const { changes } = JSON.parse((await run("plan", "--format", "json")).out);
  expect(changes).toMatchObject([{ effect: "unknown" }]);
});

describe("after a skip rule of others", () => {
  const zone = { managed_ruleset: { score_rule: SCORE, score_threshold: 25 } };
  const plain = executing({ overrides: { rules: [{ id: SCORE, score_threshold: 40, action: "block" }] } });

  const whole: readonly (readonly [string, object])[] = [
    ["the rest of the rules", { ruleset: "current" }],
    ["the ruleset", { rulesets: [CORE] }],
    ["the phase", { phases: ["http_request_firewall_managed"] }],
    ["the threshold rule", { rules: { [CORE]: [SCORE] } }],
  ];
  test.each(whole)("for every request, a gain counts as none: %s", async (_, parameters) => {
    const { change } = await start({ live: { rulesets: [phase(skip(parameters), plain)] }, zone });
    const { effect, dimensions } = await change();
    expect(effect).toBe("neutral");
    expect(dimensions.at(-1).why).toBe('applies except where "Office" (undeclared) skips it: every request');
  });

  test("two rules that together skip every request remove a gain", async () => {
    const where = '(http.request.uri.path eq "/pay")';
    const parts = [where, `not ${where}`].map((expression, index) => ({
      ...skip({ ruleset: "current" }, expression),
      id: String(index).repeat(32),
    }));
    const { change } = await start({ live: { rulesets: [phase(...parts, plain)] }, zone });
    expect((await change()).effect).toBe("neutral");
  });

  test("for every request, a loss still counts, because the rule may be removed later", async () => {
    const { change } = await start({
      live: { rulesets: [phase(skip({ ruleset: "current" }), plain)] },
      zone: { managed_ruleset: { score_rule: SCORE, score_threshold: 60 } },
    });
    expect((await change()).effect).toBe("weakens");
  });

  test("for every request, every format names the skip", async () => {
    const { run } = await start({
      live: { rulesets: [phase(skip({ ruleset: "current" }))] },
      zone: { managed_ruleset: { ruleset: CORE, score_rule: SCORE } },
    });
    for (const format of ["text", "markdown", "html", "sarif"])
      expect((await run("plan", "--format", format)).out).toMatch(/\(undeclared\) skips it: every request/);
  });

  const others: readonly (readonly [string, readonly object[], string | null])[] = [
    [
      "some requests",
      [skip({ ruleset: "current" }, '(http.request.uri.path eq "/healthz")'), plain],
      "skips it: /healthz",
    ],
    [
      "single rules",
      [skip({ rules: { [CORE]: ["3".repeat(32)] } }), plain],
      "skips some of its rules: every request",
    ],
    ["products", [skip({ products: ["waf"] }), plain], "skips some of its rules: every request"],
    ["another ruleset", [skip({ rulesets: ["4".repeat(32)] }), plain], null],
    ["behind ours", [plain, skip({ ruleset: "current" })], null],
    ["switched off", [{ ...skip({ ruleset: "current" }), enabled: false }, plain], null],
  ];
  test.each(others)("a gain still counts and names the exception: %s", async (_, rules, words) => {
    const { change } = await start({ live: { rulesets: [phase(...rules)] }, zone });
    const { effect, dimensions } = await change();
    expect(effect).toBe("strengthens");
    const excepted = dimensions.filter(({ effect: each }: { effect: string }) => each === "neutral");
    expect(excepted.map(({ why }: { why: string }) => why)).toEqual(
      words === null ? [] : [expect.stringContaining(words)],
    );
  });
});

test("a ruleset that is switched off by its own overrides is reported by plan and drift", async () => {
  const { run } = await start({
    live: {
      rulesets: [
        phase(
          executing({
            overrides: { enabled: false, rules: [{ id: SCORE, score_threshold: 40, action: "block" }] },
          }),
        ),
      ],
    },
    zone: { managed_ruleset: { score_rule: SCORE, enabled: true, score_threshold: 40, action: "block" } },
  });
  for (const command of ["plan", "drift"])
    expect((await run(command)).err).toContain("Remove overrides.enabled: false from the live rule");
});

test("recording less of connection URLs weakens", async () => {
  const { change, run } = await start({
    live: { settings: { enabled: true, use_connection_url_path: true } },
    zone: { settings: { use_connection_url_path: false } },
    forbid: ["weakens"],
  });
  expect(await change()).toMatchObject({
    effect: "weakens",
    dimensions: [{ why: "detection in the paths of connections is switched off" }],
  });
  expect((await run("apply", "--yes")).code).toBe(3);
});

test("a change of a disabled object says so, and a lifted guardrail does not suggest lifting it", async () => {
  const { change, run } = await start({
    live: { policies: [livePolicy({ action: "log", enabled: false })] },
    zone: { policies: [{ description: "One", action: "allow" }] },
  });
  expect(await change()).toMatchObject({ effect: "neutral", dimensions: [{ why: "is switched off" }] });
  const forbidding = await start({
    live: { policies: [livePolicy({})] },
    zone: { policies: [{ description: "One", action: "log" }] },
    forbid: ["weakens"],
  });
  expect((await forbidding.run("plan")).out).toContain("pass --allow weakens");
  const { out } = await forbidding.run("plan", "--allow", "weakens");
  expect(out).toContain("lifted by --allow");
  expect(out).not.toContain("pass --allow");
  expect((await run("plan")).code).toBe(0);
});

/** A rule that executes the core ruleset. */
function executing(parameters: object) {
  return {
    id: "2".repeat(32),
    action: "execute",
    expression: "true",
    enabled: true,
    action_parameters: { id: CORE, ...parameters },
  };
}

function skip(parameters: object, expression = "true") {
  return {
    id: "6".repeat(32),
    description: "Office",
    action: "skip",
    expression,
    action_parameters: parameters,
    enabled: true,
  };
}

function phase(...rules: readonly object[]) {
  return {
    id: "7".repeat(32),
    name: "default",
    kind: "zone",
    phase: "http_request_firewall_managed",
    rules,
  } as NonNullable<Zone["rulesets"]>[number]; // the emulator checks it
}

describe("a page that a rule answers with", () => {
  const page = (content: string, content_type = "text/html") => ({ status_code: 403, content_type, content });
  const rule = (more: object) => ({
    description: "Stop",
    expression: 'http.host eq "a"',
    action: "block",
    ...more,
  });
  const limit = { characteristics: ["ip.src", "cf.colo.id"], period: 60, mitigation_timeout: 60 };
  const liveRule = (response: object, more: object = {}) => ({
    ...{ id: "2".repeat(32), ...rule(more), enabled: true },
    action_parameters: { response },
  });
  const listOf = (name: string, live: object) => ({
    rulesets: [{ id: "3".repeat(32), kind: "zone", phase: name, rules: [live] }],
  });
  const custom = listOf("http_request_firewall_custom", liveRule(page("Gone")));
  const limited = listOf(
    "http_ratelimit",
    liveRule(page("Slow down"), { ratelimit: { ...limit, requests_per_period: 10 } }),
  );
  const script = page("<script src=//evil.example></script>");

  test.each([
    ["a custom rule", custom, { custom_rules: [rule({ response: script })] }],
    [
      "a rate limit",
      limited,
      { rate_limits: [rule({ ...limit, requests_per_period: 10, response: script })] },
    ],
  ] as const)("has an unknown effect, because scripts run on it: %s", async (_, live, zone) => {
    const { change, run } = await start({ live: live as Story["live"], zone, forbid: ["weakens"] });
    const { effect, dimensions } = await change();
    expect([effect, dimensions.map(({ dimension }: { dimension: string }) => dimension)]).toEqual([
      "unknown",
      ["response"],
    ]);
    expect((await run("apply", "--yes")).code).toBe(3);
  });

  test.each([
    ["no effect as plain text", 403, "neutral"],
    ["an unknown effect if it is no error, because pages load it as a script", 200, "unknown"],
  ])("has %s", async (_, status_code, effect) => {
    const live = listOf(
      "http_request_firewall_custom",
      liveRule(page("Gone", "text/plain")),
    ) as Story["live"];
    const { change } = await start({
      live,
      zone: { custom_rules: [rule({ response: { ...page("Away", "text/plain"), status_code } })] },
    });
    expect((await change()).effect).toBe(effect);
  });
});

describe("a zone setting that looks stronger", () => {
  const settingsOf = (values: object) => ({ zone_settings: { values } }) as Story["live"];
  const strong = ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305"];
  const hsts = { max_age: 0, include_subdomains: false, preload: false, nosniff: false };
  test.each([
    [
      "only weak ciphers are kept",
      settingsOf({ ciphers: [...strong, "AES128-SHA"] }),
      { ciphers: ["AES128-SHA"] },
      "mixed",
    ],
    [
      "only ciphers without forward secrecy are kept",
      settingsOf({ ciphers: ["ECDHE-RSA-AES128-SHA256", "AES128-GCM-SHA256", "AES128-SHA"] }),
      { ciphers: ["AES128-SHA"] },
      "mixed",
    ],
    [
      "ciphers with only forward secrecy are removed with the weakest",
      settingsOf({ ciphers: [...strong, "ECDHE-RSA-AES128-SHA256", "AES128-GCM-SHA256", "AES128-SHA"] }),
      { ciphers: [...strong, "AES128-GCM-SHA256"] },
      "mixed",
    ],
    [
      "weak ciphers are removed",
      settingsOf({ ciphers: [...strong, "AES128-SHA"] }),
      { ciphers: strong },
      "strengthens",
    ],
    ["strong ciphers are removed", settingsOf({ ciphers: strong }), { ciphers: [strong[0]] }, "strengthens"],
    [
      "HSTS is switched on and forgotten",
      settingsOf({ security_header: { strict_transport_security: { enabled: false, ...hsts } } }),
      { security_header: { enabled: true } },
      "weakens",
    ],
    [
      "HSTS is switched on and remembered",
      settingsOf({ security_header: { strict_transport_security: { enabled: false, ...hsts } } }),
      { security_header: { enabled: true, max_age: 300 } },
      "strengthens",
    ],
  ] as const)("has the effect of what browsers do: %s", async (_, live, zone_settings, effect) => {
    const { change } = await start({ live, zone: { zone_settings } });
    expect((await change()).effect).toBe(effect);
  });
});

describe("a rate limit that moves in front of another has an unknown effect", () => {
  const limit = { characteristics: ["ip.src"], period: 60, requests_per_period: 10, mitigation_timeout: 60 };
  const entry = (description: string, action: string) => ({
    description,
    action,
    expression: "true",
    ...limit,
  });
  const live = (id: string, description: string, action: string, enabled = true) => {
    const ratelimit = { ...limit, characteristics: ["ip.src", "cf.colo.id"] };
    return { id: id.repeat(32), description, action, expression: "true", enabled, ratelimit };
  };
  const list = (rules: readonly ReturnType<typeof live>[]) => ({
    rulesets: [{ id: "3".repeat(32), kind: "zone", phase: "http_ratelimit", rules }],
  });

  test("by its position", async () => {
    const { change, run } = await start({
      live: list([live("2", "Block", "block"), live("4", "Challenge", "managed_challenge")]),
      zone: { rate_limits: [entry("Challenge", "managed_challenge"), entry("Block", "block")] },
      forbid: ["weakens"],
    });
    const { effect, dimensions } = await change();
    expect([effect, dimensions.map(({ dimension }: { dimension: string }) => dimension)]).toEqual([
      "unknown",
      ["position"],
    ]);
    expect((await run("apply", "--yes")).code).toBe(3);
  });

  test("by what it may hide there, if it was off", async () => {
    const names = ["Block", "Block more"];
    const { change } = await start({
      live: list([
        ...names.map((name, index) => live(String(index), name, "block")),
        live("4", "Challenge", "managed_challenge", false),
      ]),
      zone: {
        rate_limits: [
          { ...entry("Challenge", "managed_challenge"), enabled: true },
          ...names.map((name) => entry(name, "block")),
        ],
      },
      forbid: ["weakens"],
    });
    expect((await change()).effect).toBe("unknown");
  });
});
