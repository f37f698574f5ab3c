import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { createEmulator, type Seed, type ZoneSeed } from "../../src/index.js";
import type { JsonObject } from "../../src/model/json.js";
import { applyIn, quickFolder, rollbackIn } from "./run.js";

const ZONE = "shop.example.com";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";

function seedOf(zone: ZoneSeed): Seed {
  return { zones: { [ZONE]: { id: "53".repeat(16), ...zone } } };
}

function fileOf(zone: object): string {
  return stringify({ version: 1, zones: { [ZONE]: zone } });
}

interface Story {
  readonly live: ZoneSeed;
  readonly file: object;
  /** What another actor changes after the apply. */
  readonly since?: (zone: ZoneSeed) => ZoneSeed;
  /** The file at the time of the rollback. By default it declares only settings. */
  readonly fileThen?: object;
}

/** Applies, lets another actor change the zone, and rolls back. */
async function wentBack({ live, file, since = (zone) => zone, fileThen = { settings: {} } }: Story) {
  const first = await createEmulator({ seed: seedOf(live), now: () => new Date(0) });
  const cwd = await quickFolder(fileOf(file));
  const { report: applied } = await applyIn(cwd, first);
  expect(applied?.converged).toBe(true);
  const after = first.state().zones[ZONE] ?? {};
  await first.close();
  const emulator = await createEmulator({ seed: seedOf(since(after)), now: () => new Date(0) });
  onTestFinished(() => emulator.close());
  await writeFile(path.join(cwd, "zoneward.yaml"), fileOf(fileThen));
  const { report, problems, document } = await rollbackIn(cwd, emulator, applied?.journal ?? "");
  return {
    zone: emulator.state().zones[ZONE] ?? {},
    report,
    codes: problems.map(({ code }) => code),
    details: problems.map(({ detail }) => detail),
    changes: document?.changes.map(({ action, key }) => `${action} ${key}`),
    effects: document?.changes.flatMap(({ key, dimensions }) =>
      dimensions.map(({ effect, why }) => `${key} ${effect}: ${why}`),
    ),
    writes: emulator.writes().map(({ method }) => method),
    bodies: emulator.writes().map(({ body }) => body),
  };
}

function policy(description: string, other: object = {}) {
  return { description, action: "log", expression: "true", value: "script-src 'self'", ...other };
}

function livePolicy(digit: string, description: string, other: object = {}) {
  return { id: digit.repeat(32), enabled: true, ...policy(description, other) };
}

type PolicySeed = NonNullable<ZoneSeed["policies"]>[number];

function withPolicies(change: (each: PolicySeed) => readonly PolicySeed[]) {
  return (zone: ZoneSeed): ZoneSeed => ({ ...zone, policies: (zone.policies ?? []).flatMap(change) });
}

test("a rollback restores two objects with the same name", async () => {
  const reporting = { action: "add_reporting_directives", expression: 'http.host eq "shop.example.com"' };
  const pages = 'starts_with(http.request.uri.path, "/c")';
  const live = [
    livePolicy("1", "Other", { ...reporting, value: "img-src *.example.org" }),
    livePolicy("2", "Twice", { ...reporting, expression: pages, value: "script-src https:" }),
    livePolicy("3", "Twice", { expression: pages, value: "script-src https:" }),
  ];
  const file = { policies: [{ description: "Other" }], prune: ["policies"] };
  const { report, zone, changes } = await wentBack({ live: { policies: live }, file });
  expect([report?.converged, changes]).toEqual([true, ["create Twice", "create Twice"]]);
  const actions = zone.policies?.map(({ description, action }) => `${description} ${action}`).sort();
  expect(actions).toEqual(["Other add_reporting_directives", "Twice add_reporting_directives", "Twice log"]);
});

const limit = { characteristics: ["ip.src"], period: 60, requests_per_period: 10 };

test("a created rate limit is deleted, although nothing shows its unset fields", async () => {
  const file = { rate_limits: [{ description: "Logins", expression: "true", action: "block", ...limit }] };
  const { changes, codes, report } = await wentBack({ live: {}, file });
  expect([changes, codes, report?.converged]).toEqual([["delete Logins"], [], true]);
});

test("a rule gets back what its new action cannot have", async () => {
  const response = { status_code: 403, content_type: "text/plain", content: "No" };
  const rule = { id: "c".repeat(32), description: "Old API", expression: "true", enabled: true };
  const blocking = { ...rule, action: "block", action_parameters: { response } };
  const { changes, codes, zone } = await wentBack({
    live: { rulesets: [{ phase: "http_request_firewall_custom", rules: [blocking] }] },
    file: { custom_rules: [{ description: "Old API", action: "managed_challenge" }] },
  });
  expect([changes, codes]).toEqual([["update Old API"], []]);
  expect(zone.rulesets?.[0]?.rules).toMatchObject([blocking]);
});

test("a rate limit that the apply created and another actor changed stays", async () => {
  const file = { rate_limits: [{ description: "Logins", expression: "true", action: "block", ...limit }] };
  const { codes, details } = await wentBack({
    live: {},
    file,
    since: ({ rulesets = [], ...zone }) => ({
      ...zone,
      rulesets: rulesets.map(({ rules = [], ...list }) => ({
        ...list,
        rules: rules.map((rule) => ({
          ...rule,
          ratelimit: { ...limit, characteristics: ["cf.colo.id", "ip.src"], requests_to_origin: true },
        })),
      })),
    }),
  });
  expect(codes).toContain("changed_since");
  expect(details[0]).toContain("requests_to_origin is true, and was created with false");
});

describe("a restored rate limit is judged by the rules behind its former place", () => {
  const rule = (description: string, action: string) => ({
    description,
    action,
    expression: "true",
    enabled: true,
    ratelimit: { ...limit, characteristics: ["ip.src", "cf.colo.id"], mitigation_timeout: 600 },
  });
  const went = (names: Readonly<Record<string, string>>, file: readonly object[]) =>
    wentBack({
      live: {
        rulesets: [
          {
            phase: "http_ratelimit",
            rules: Object.entries(names).map(([name, action]) => rule(name, action)),
          },
        ],
      },
      file: { rate_limits: file },
    });

  test("where it moves back", async () => {
    const { effects } = await went({ Soft: "js_challenge", Hard: "block" }, [
      { description: "Hard" },
      { description: "Soft", action: "log" },
    ]);
    expect(effects).toEqual([
      'Soft unknown: log → js_challenge; clients that it stops may no longer meet "Hard"',
      "Soft unknown: the order decides which rate limit acts on a client that exceeds several",
    ]);
  });

  test("where its neighbours were deleted with it", async () => {
    const gone = ["One", "Soft", "Two"].map((description) => ({ description, ensure: "absent" }));
    const names = { One: "log", Soft: "js_challenge", Two: "log", Hard: "block" };
    const { effects, zone } = await went(names, gone);
    expect(zone.rulesets?.[0]?.rules?.map(({ description }) => description)).toEqual(Object.keys(names));
    expect(effects).toEqual([
      "One strengthens: now limited: every request",
      'Soft unknown: now limited: every request; clients that it stops may no longer meet "Hard"',
      "Two strengthens: now limited: every request",
    ]);
  });
});

describe("later changes of another actor", () => {
  test("keep a changed field and name it, while other fields are restored", async () => {
    const { zone, report, codes, details } = await wentBack({
      live: { policies: [livePolicy("a", "One", { enabled: false })] },
      file: { policies: [policy("One", { enabled: true, value: "img-src 'self'" })] },
      since: withPolicies((each) => [{ ...each, value: "media-src 'none'" }]),
    });
    expect(zone.policies?.[0]).toMatchObject({ enabled: false, value: "media-src 'none'" });
    expect(report?.converged).toBe(true);
    expect(codes).toEqual(["changed_since"]);
    expect(details[0]).toContain(`value is "media-src 'none'", and was "script-src 'self'"`);
  });

  test("keep a field that the apply did not touch, and name it even if no call is left", async () => {
    const { zone, report, codes, details, writes } = await wentBack({
      live: { settings: { enabled: false }, policies: [livePolicy("a", "One")] },
      file: { settings: { enabled: true }, policies: [policy("One", { value: "img-src 'self'" })] },
      since: (now) => ({
        ...now,
        settings: { ...now.settings, enabled: true, use_connection_url_path: true },
        policies: [livePolicy("a", "One", { enabled: false })],
      }),
    });
    expect(zone.settings).toMatchObject({ enabled: false, use_connection_url_path: true });
    expect(zone.policies?.[0]).toMatchObject({ enabled: false, value: "script-src 'self'" });
    expect([codes, writes]).toEqual([["changed_since", "changed_since"], ["PUT"]]);
    expect(details[0]).toContain("use_connection_url_path is true, and was false before the apply");
    expect(details[1]).toContain("enabled is false, and was true before the apply");
    expect(report?.converged).toBe(true);
  });

  test("are an error if the restored value would start to block under a later action", async () => {
    const { zone, report, codes, details } = await wentBack({
      live: { policies: [livePolicy("a", "One")] },
      file: { policies: [policy("One", { value: "img-src 'self'" })] },
      since: withPolicies((each) => [{ ...each, action: "allow" }]),
    });
    expect(zone.policies?.[0]).toMatchObject({ action: "allow", value: "script-src 'self'" });
    expect(codes).toEqual(["changed_since", "blocks_anew"]);
    expect(details[0]).toContain('action is "allow", and was "log" before the apply');
    expect(details[1]).toContain('With value as before the apply and the later action "allow"');
    expect(report?.converged).toBe(false);
  });

  test("keep an object that the apply created and the other actor changed", async () => {
    const { zone, codes, changes, details } = await wentBack({
      live: {},
      file: { policies: [policy("One"), policy("Two")] },
      since: withPolicies((each) => [each.description === "One" ? { ...each, action: "allow" } : each]),
    });
    expect(zone.policies?.map(({ description }) => description)).toEqual(["One"]);
    expect(codes).toEqual(["changed_since"]);
    expect(details[0]).toContain('action is "allow", and was created with "log"');
    expect(changes).toEqual(["delete Two"]);
  });

  test("keep an object deleted that the apply changed and the other actor deleted", async () => {
    const { zone, codes, writes } = await wentBack({
      live: { policies: [livePolicy("a", "One")] },
      file: { policies: [policy("One", { value: "img-src 'self'" })] },
      since: withPolicies(() => []),
    });
    expect(zone.policies ?? []).toEqual([]);
    expect(codes).toEqual(["gone_since"]);
    expect(writes).toEqual([]);
  });

  test("keep an object that was created again under its name", async () => {
    const { zone, codes, writes } = await wentBack({
      live: { policies: [livePolicy("a", "One")] },
      file: { policies: [{ description: "One", ensure: "absent" }] },
      since: (zone) => ({ ...zone, policies: [livePolicy("b", "One", { action: "allow" })] }),
    });
    expect(zone.policies).toHaveLength(1);
    expect(codes).toEqual(["there_again"]);
    expect(writes).toEqual([]);
  });

  test("need no rollback for an object that the apply created and the other actor deleted", async () => {
    const { codes, writes } = await wentBack({
      live: {},
      file: { policies: [policy("One")] },
      since: withPolicies(() => []),
    });
    expect(codes).toEqual([]);
    expect(writes).toEqual([]);
  });

  test("keep an override of another tag beside a restored level", async () => {
    const override = { category: "platform-drupal", action: "log" };
    const rule = {
      id: "c".repeat(32),
      action: "execute",
      expression: "true",
      action_parameters: { id: CORE },
    };
    const { zone } = await wentBack({
      live: { rulesets: [{ phase: "http_request_firewall_managed", rules: [rule] }] },
      file: { managed_ruleset: { paranoia_level: "PL2" } },
      since: (now) =>
        JSON.parse(
          JSON.stringify(now).replace('"categories":[', `"categories":[${JSON.stringify(override)},`),
        ),
    });
    expect(zone.rulesets?.[0]?.rules?.[0]?.action_parameters).toMatchObject({
      overrides: { categories: [override] },
    });
  });
});

test("a rollback names an undeclared rule once, although objects of two kinds in its list go back", async () => {
  const skip = (description: string) => ({
    action: "skip",
    description,
    expression: "true",
    action_parameters: { ruleset: "current" },
  });
  const core = { action: "execute", expression: "true", action_parameters: { id: CORE } };
  const rules = [skip("ours"), core, skip("changed"), skip("gone")];
  const { codes, details } = await wentBack({
    live: { rulesets: [{ phase: "http_request_firewall_managed", rules }] },
    file: {
      managed_ruleset: { paranoia_level: "PL2" },
      managed_exceptions: [{ description: "ours", expression: "false" }],
    },
    since: ({ rulesets = [], ...zone }) => ({
      ...zone,
      rulesets: rulesets.map((list) => ({
        ...list,
        rules: (list.rules ?? []).flatMap((rule) =>
          rule.description === "gone" ? [] : { ...rule, enabled: rule.description !== "changed" },
        ),
      })),
    }),
  });
  expect(codes).toEqual(["others_moved", "others_moved"]);
  expect(details.filter((each) => each.includes('"changed"'))).toHaveLength(1);
  expect(details.filter((each) => each.includes('"gone"'))).toHaveLength(1);
});

describe("settings that were never set", () => {
  const file = { settings: { enabled: true, use_connection_url_path: false } };

  test("are restored to the service's defaults without warnings", async () => {
    const { zone, report, codes } = await wentBack({ live: { settings: null }, file });
    expect(codes).toEqual([]);
    expect(report?.zones[0]?.problems).toEqual([]);
    expect(report?.converged).toBe(true);
    expect(zone.settings).toMatchObject({ enabled: false, use_connection_url_path: false });
  });

  test("are restored in all fields that the apply set", async () => {
    const on = { enabled: true, use_connection_url_path: true, use_cloudflare_reporting_endpoint: true };
    const { zone, report, codes } = await wentBack({ live: { settings: null }, file: { settings: on } });
    expect(codes).toEqual([]);
    expect(report?.converged).toBe(true);
    expect(zone.settings).toMatchObject(Object.fromEntries(Object.keys(on).map((field) => [field, false])));
  });

  test.each([
    [
      "are restored except for a later change, which is named",
      { use_connection_url_path: true },
      ["changed_since"],
    ],
    [
      "are restored except for the reporting endpoint, which the service may choose",
      { use_cloudflare_reporting_endpoint: true },
      [],
    ],
  ])("%s", async (_, set, expected) => {
    const since = (zone: ZoneSeed) => ({ ...zone, settings: { ...zone.settings, ...set } });
    const live = { settings: null };
    const { zone, codes } = await wentBack({ live, file: { settings: { enabled: true } }, since });
    expect(codes).toEqual(expected);
    expect(zone.settings).toMatchObject({ enabled: false, ...set });
  });
});

test("a part of the security header that was absent before stays, and a message names it", async () => {
  const valuesOf = (header: JsonObject) => ({ security_header: { strict_transport_security: header } });
  const { bodies, details } = await wentBack({
    live: { zone_settings: { values: valuesOf({ enabled: true, max_age: 100 }) } },
    file: { zone_settings: { security_header: { max_age: 5, preload: true } } },
  });
  const header = { enabled: true, max_age: 100, preload: true };
  expect(bodies).toEqual([{ value: { strict_transport_security: header } }]);
  expect(details).toEqual([expect.stringMatching(/^security_header\.preload of .* cannot be restored/)]);
});

describe("a rollback restores forms that files cannot express", () => {
  const custom = [
    { category: "paranoia-level-2", enabled: false },
    { category: "paranoia-level-3", enabled: true },
  ];
  test("a custom combination of levels", async () => {
    const parameters = { id: CORE, overrides: { categories: custom } };
    const rule = { id: "c".repeat(32), action: "execute", expression: "true", action_parameters: parameters };
    const { zone } = await wentBack({
      live: { rulesets: [{ phase: "http_request_firewall_managed", rules: [rule] }] },
      file: { managed_ruleset: { paranoia_level: "PL1", action: "log" } },
    });
    expect(zone.rulesets?.[0]?.rules?.[0]?.action_parameters).toMatchObject(parameters);
  });

  test("a disabled log field rule for some requests, at its place among others", async () => {
    const rule = (digit: string, other: object) => ({
      id: digit.repeat(32),
      action: "log",
      expression: "true",
      ...other,
    });
    const fields = rule("2", {
      action: "log_custom_field",
      enabled: false,
      action_parameters: { cookie_fields: [{ name: "c" }] },
    });
    const { zone } = await wentBack({
      live: {
        rulesets: [{ phase: "http_log_custom_fields", rules: [rule("1", {}), fields, rule("3", {})] }],
      },
      file: { custom_log_fields: { ensure: "absent" } },
    });
    const rules = zone.rulesets?.[0]?.rules ?? [];
    expect(rules.map(({ action }) => action)).toEqual(["log", "log_custom_field", "log"]);
    expect(rules[1]).toMatchObject({
      enabled: false,
      action_parameters: { cookie_fields: [{ name: "c" }] },
    });
  });
});

describe("a log-push job", () => {
  const job = {
    id: 7,
    name: "j",
    dataset: "http_requests",
    enabled: true,
    destination_conf: "https://a.example/old",
    filter: '{"where":{"key":"Status","operator":"eq","value":500}}',
  };
  const gone = { logpush_jobs: [{ name: "j", ensure: "absent" }], settings: { enabled: true } };

  test("is created again with the destination from the files", async () => {
    const { zone, report, codes } = await wentBack({
      live: { logpush_jobs: [job] },
      file: gone,
      fileThen: {
        logpush_jobs: [{ name: "j", destination_conf: job.destination_conf, extra: { filter: job.filter } }],
      },
    });
    const { id: _, ...rest } = job;
    expect(zone.logpush_jobs).toEqual([expect.objectContaining(rest)]);
    expect(zone.settings?.enabled).toBe(false);
    expect(codes).toEqual([]);
    expect(report?.converged).toBe(true);
  });

  test("gets no field from the files that it did not have", async () => {
    const { zone } = await wentBack({
      live: { logpush_jobs: [{ ...job, filter: "" }] },
      file: gone,
      fileThen: {
        logpush_jobs: [{ name: "j", destination_conf: job.destination_conf, extra: { filter: job.filter } }],
      },
    });
    expect(zone.logpush_jobs?.[0]?.filter ?? "").toBe("");
  });

  test("takes its destination from an entry that renames it", async () => {
    const to = (name: string, destination: string) => ({ name, destination_conf: destination });
    const { zone, codes } = await wentBack({
      live: { logpush_jobs: [job] },
      file: { logpush_jobs: [to("j", "https://a.example/new")] },
      fileThen: { logpush_jobs: [{ ...to("k", job.destination_conf), renamed_from: "j" }] },
    });
    expect(zone.logpush_jobs).toMatchObject([{ name: "j", destination_conf: job.destination_conf }]);
    expect(codes).toEqual(["secret_assumed"]);
  });

  const whole = {
    ...job,
    unheard_of: { a: [1, "x"] },
    newer: "a text",
    max_upload_bytes: 5_000_000,
    output_options: { field_names: ["RayID"], newer_option: "abc" },
  };
  const other = {
    id: 9,
    name: "other",
    destination_conf: "https://a.example/o",
    unheard_of: 1,
    newer: "",
    output_options: { newer_option: "" },
  };
  const from = { logpush_jobs: [{ name: "j", destination_conf: job.destination_conf }] };
  const ways: readonly [what: string, zone: object][] = [
    ["deleted", gone],
    ["replaced", { logpush_jobs: [{ ...from.logpush_jobs[0], dataset: "dns_logs" }] }],
    [
      "replaced and renamed",
      { logpush_jobs: [{ ...from.logpush_jobs[0], dataset: "dns_logs", name: "k", renamed_from: "j" }] },
    ],
  ];
  test.each(ways)("that was %s gets back all its fields, even unknown ones", async (_, file) => {
    const { zone, report, codes } = await wentBack({
      live: { logpush_jobs: [whole, other] },
      file,
      fileThen: from,
    });
    const { id: _id, ...rest } = whole;
    expect(codes).toEqual([]);
    expect(zone.logpush_jobs?.map(({ name }) => name)).toEqual(["other", "j"]);
    expect(zone.logpush_jobs?.[1]).toMatchObject(rest);
    expect(report?.converged).toBe(true);
  });

  test("that was replaced is created before its replacement is deleted", async () => {
    const replaced = { logpush_jobs: [{ ...from.logpush_jobs[0], dataset: "dns_logs" }] };
    const { changes, writes } = await wentBack({
      live: { logpush_jobs: [whole, other] },
      file: replaced,
      fileThen: from,
    });
    expect([changes, writes]).toEqual([["update j"], ["POST", "DELETE"]]);
  });

  test("with a secret-looking field is not created without that field", async () => {
    const secretive = { ...job, api_token: "of-the-destination", header: "Authorization: Bearer 0123456789" };
    const { codes, details } = await wentBack({
      live: { logpush_jobs: [secretive] },
      file: gone,
      fileThen: from,
    });
    expect(codes).toEqual(["not_undone"]);
    expect(details[0]).toContain("the former api_token and header of");
  });

  test("without a known destination is named and not created, and all else is restored", async () => {
    const { zone, report, codes, details } = await wentBack({ live: { logpush_jobs: [job] }, file: gone });
    expect(zone.logpush_jobs ?? []).toEqual([]);
    expect(zone.settings?.enabled).toBe(false);
    expect(codes).toEqual(["not_undone"]);
    expect(details[0]).toContain('the former destination_conf of logpush_job "j" in shop.example.com');
    expect(report?.converged).toBe(false);
    expect(report?.zones[0]?.problems.map(({ code }) => code)).toEqual(["not_undone"]);
  });

  test("gets its former destination back if the files give it", async () => {
    const to = (destination: string) => ({ logpush_jobs: [{ name: "j", destination_conf: destination }] });
    const changed = { live: { logpush_jobs: [job] }, file: to("https://a.example/new") };
    const given = await wentBack({ ...changed, fileThen: to(job.destination_conf) });
    expect(given.zone.logpush_jobs?.[0]?.destination_conf).toBe(job.destination_conf);
    expect(given.codes).toEqual(["secret_assumed"]);
    const same = await wentBack({ ...changed, fileThen: changed.file });
    expect(same.zone.logpush_jobs?.[0]?.destination_conf).toBe("https://a.example/new");
    expect(same.codes).toEqual(["not_undone"]);
  });

  describe("with an ownership challenge", () => {
    const to = (destination: string, challenge: string) => ({
      name: "j",
      destination_conf: destination,
      ownership_challenge: challenge,
    });
    const changed = { ...to("https://a.example/new", "of-the-new"), enabled: false };
    const story = { live: { logpush_jobs: [job] }, file: { logpush_jobs: [changed] } };

    test("gets no challenge while the destination stays", async () => {
      const { codes, details, bodies } = await wentBack({ ...story, fileThen: story.file });
      expect(codes).toEqual(["not_undone"]);
      expect(details[0]).toContain("the former destination_conf of");
      expect(bodies).toEqual([{ enabled: true }]);
    });

    test("gets the challenge of its former destination", async () => {
      const former = to(job.destination_conf, "of-the-old");
      const { codes, details, bodies } = await wentBack({ ...story, fileThen: { logpush_jobs: [former] } });
      expect(codes).toEqual(["secret_assumed"]);
      expect(details[0]).not.toContain("ownership_challenge");
      const { destination_conf, ownership_challenge } = former;
      expect(bodies).toEqual([{ enabled: true, destination_conf, ownership_challenge }]);
    });
  });

  describe("that was replaced by one with another destination", () => {
    const to = (dataset: string, destination: string) => ({
      logpush_jobs: [{ name: "j", dataset, destination_conf: destination }],
    });
    const story = { live: { logpush_jobs: [job] }, file: to("dns_logs", "https://a.example/new") };
    const datasets = ({ zone }: Awaited<ReturnType<typeof wentBack>>) =>
      zone.logpush_jobs?.map(({ dataset, destination_conf }) => [dataset, destination_conf]);

    test("is named and not created with the new destination", async () => {
      const same = await wentBack({ ...story, fileThen: story.file });
      expect(datasets(same)).toEqual([["dns_logs", "https://a.example/new"]]);
      expect(same.codes).toEqual(["not_undone"]);
      expect(same.details[0]).toContain('the former destination_conf of logpush_job "j" in shop.example.com');
      expect(same.report?.converged).toBe(false);
    });

    test("is created with the former destination if the files give it", async () => {
      const given = await wentBack({ ...story, fileThen: to("http_requests", job.destination_conf) });
      expect(datasets(given)).toEqual([["http_requests", job.destination_conf]]);
      expect(given.codes).toEqual(["secret_assumed"]);
    });
  });

  describe("that had no options", () => {
    const file = { logpush_jobs: [{ name: "j", fields: ["RayID"], timestamps: "rfc3339" }] };

    test.each<[string, object, object]>([
      [
        "output_options",
        { output_options: {} },
        { output_options: { field_names: [], timestamp_format: "unixnano" } },
      ],
      ["logpull_options", {}, { logpull_options: "timestamps=unixnano" }],
    ])("gets the defaults of what the apply wrote as %s", async (_, options, body) => {
      const { bodies, codes, report } = await wentBack({
        live: { logpush_jobs: [{ ...job, ...options }] },
        file: { logpush_jobs: [{ ...file.logpush_jobs[0], enabled: false }] },
      });
      expect(bodies).toEqual([{ enabled: true, ...body }]);
      expect([codes, report?.converged]).toEqual([[], true]);
    });

    test("and had no filter loses the filter of the apply", async () => {
      const { filter, ...unfiltered } = job;
      const { bodies, codes } = await wentBack({
        live: { logpush_jobs: [unfiltered] },
        file: { logpush_jobs: [{ name: "j", extra: { filter } }] },
      });
      expect([bodies, codes]).toEqual([[{ filter: "" }], []]);
    });
  });

  test("gets its options back in the style that the apply switched to", async () => {
    const { bodies, codes, report } = await wentBack({
      live: { logpush_jobs: [{ ...job, logpull_options: "fields=RayID&sample=0.5" }] },
      file: {
        logpush_jobs: [{ name: "j", extra: { output_options: { sample_rate: 1, record_prefix: "<" } } }],
      },
    });
    expect(bodies).toEqual([
      { output_options: { field_names: ["RayID"], sample_rate: 0.5, record_prefix: "{" } },
    ]);
    expect([codes, report?.converged]).toEqual([[], true]);
  });

  test("keeps a parameter that only the former style can have from the plan, and a message names it", async () => {
    const logpull_options = "fields=RayID&token=VALUE";
    const { bodies, codes, details, report } = await wentBack({
      live: { logpush_jobs: [{ ...job, logpull_options }] },
      file: { logpush_jobs: [{ name: "j", extra: { output_options: { record_prefix: "<" } } }] },
    });
    expect(JSON.stringify([bodies, details, report])).not.toContain("VALUE");
    expect(bodies).toEqual([{ output_options: { field_names: ["RayID"], record_prefix: "{" } }]);
    expect(codes).toContain("not_undone");
    expect(details).toContainEqual(expect.stringContaining("logpull_options.token"));
  });

  test("keeps its replacement if it cannot be created again", async () => {
    const { zone, codes } = await wentBack({
      live: { logpush_jobs: [job] },
      file: { logpush_jobs: [{ name: "j", dataset: "dns_logs", destination_conf: "https://a.example/new" }] },
    });
    expect(zone.logpush_jobs?.map(({ dataset }) => dataset)).toEqual(["dns_logs"]);
    expect(codes).toEqual(["not_undone"]);
  });
});

test("a rollback restores an override that enables a tag and sets its action", async () => {
  const tag = { category: "platform-drupal", action: "log", enabled: true };
  const parameters = { id: CORE, overrides: { categories: [tag] } };
  const rule = { id: "c".repeat(32), expression: "true", action: "execute", action_parameters: parameters };
  const { zone, codes } = await wentBack({
    live: { rulesets: [{ phase: "http_request_firewall_managed", rules: [rule] }] },
    file: { managed_ruleset: { disabled_tags: ["platform-drupal"] } },
  });
  expect(zone.rulesets?.[0]?.rules?.[0]).toMatchObject({ action_parameters: parameters });
  expect(codes).toEqual([]);
});

describe("a rollback restores the order of exceptions", () => {
  const skip = (description: string) => ({
    action: "skip",
    description,
    expression: "true",
    enabled: true,
    action_parameters: { ruleset: "current" },
  });
  const core = { action: "execute", expression: "true", action_parameters: { id: CORE } };
  const rulesOf = ({ rulesets = [] }: ZoneSeed) =>
    rulesets.flatMap(({ rules = [] }) => rules.map(({ description, action }) => description || action));
  const live: ZoneSeed = {
    rulesets: [
      { phase: "http_request_firewall_managed", rules: [skip("a"), skip("b"), skip("c"), skip("d"), core] },
    ],
  };
  const exception = (description: string) => ({ description, expression: "true", skip: "all" });

  test.each<[string, object]>([
    ["all reversed", { managed_exceptions: ["d", "c", "b", "a"].map(exception) }],
    ["some reversed around a foreign one", { managed_exceptions: ["d", "b", "a"].map(exception) }],
    [
      "some deleted and some reversed",
      { managed_exceptions: [exception("c"), { description: "b", ensure: "absent" }, exception("a")] },
    ],
    [
      "deleted together with the ruleset that they precede",
      {
        managed_ruleset: { ensure: "absent" },
        managed_exceptions: [{ description: "a", ensure: "absent" }, exception("d"), exception("b")],
      },
    ],
  ])("%s", async (_, file) => {
    const { zone, report, changes } = await wentBack({ live, file });
    expect(report?.zones.flatMap(({ problems }) => problems)).toEqual([]);
    expect(changes?.length).toBeGreaterThan(1);
    expect(rulesOf(zone)).toEqual(["a", "b", "c", "d", "execute"]);
  });

  const named = (description: string) => ({ description });
  test.each<[string, readonly string[], readonly object[]]>([
    ["two moved together", ["execute", "a", "b"], [named("a"), named("b")]],
    ["two around a foreign one", ["execute", "a", "x", "b"], [named("a"), named("b")]],
    ["two after a foreign one", ["execute", "x", "a", "b"], [named("a"), named("b")]],
    [
      "one whose neighbours were deleted",
      ["execute", "a", "b", "c"],
      [named("b"), { ...named("a"), ensure: "absent" }, { ...named("c"), ensure: "absent" }],
    ],
    ["two swapped among others", ["c", "d", "a", "b"], ["a", "b", "c", "d"].map(named)],
  ])("%s", async (_, order, exceptions) => {
    const rules = order.map((name) => (name === "execute" ? core : skip(name)));
    const { zone, report, codes } = await wentBack({
      live: { rulesets: [{ phase: "http_request_firewall_managed", rules }] },
      file: { managed_exceptions: exceptions },
    });
    expect(rulesOf(zone)).toEqual(order);
    expect(report?.converged).toBe(true);
    expect(codes).toEqual([]);
  });

  test("deleted together with the ruleset between them, without warnings about foreign rules", async () => {
    const rules = [skip("a"), core, skip("b")];
    const { zone, codes } = await wentBack({
      live: { rulesets: [{ phase: "http_request_firewall_managed", rules }] },
      file: {
        managed_ruleset: { ensure: "absent" },
        managed_exceptions: ["a", "b"].map((each) => ({ ...named(each), ensure: "absent" })),
      },
    });
    expect(rulesOf(zone)).toEqual(["a", "execute", "b"]);
    expect(codes).toEqual([]);
  });

  test("already restored by another actor, without a call", async () => {
    const rules = [core, skip("a"), skip("b")];
    const phase = "http_request_firewall_managed";
    const { zone, codes, writes } = await wentBack({
      live: { rulesets: [{ phase, rules }] },
      file: { managed_exceptions: [named("a"), named("b")] },
      since: (now) => {
        const [a, b, last] = now.rulesets?.[0]?.rules ?? [];
        return { ...now, rulesets: [{ phase, rules: [last, a, b].flatMap((rule) => rule ?? []) }] };
      },
    });
    expect(rulesOf(zone)).toEqual(["execute", "a", "b"]);
    expect([codes, writes]).toEqual([[], []]);
  });
});

test("a rollback can be rolled back and repeated", async () => {
  const emulator = await createEmulator({ seed: seedOf({ policies: [livePolicy("a", "One")] }) });
  onTestFinished(() => emulator.close());
  const cwd = await quickFolder(fileOf({ policies: [policy("One", { action: "allow" }), policy("Two")] }));
  const applied = await applyIn(cwd, emulator);
  const state = () =>
    emulator.state().zones[ZONE]?.policies?.map((each) => `${each.description} ${each.action}`);
  expect(state()).toEqual(["One allow", "Two log"]);
  const back = await rollbackIn(cwd, emulator, applied.report?.journal ?? "");
  expect(state()).toEqual(["One log"]);
  const again = await rollbackIn(cwd, emulator, applied.report?.journal ?? "");
  expect(again.report).toMatchObject({ outcomes: [], converged: true });
  await rollbackIn(cwd, emulator, back.report?.journal ?? "");
  expect(state()).toEqual(["One allow", "Two log"]);
});
