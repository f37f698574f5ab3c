import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { apply, createEmulator, type PlanOptions, plan, type Seed, type ZoneSeed } from "../../src/index.js";
import { folderWith, reaching } from "../support/cli.js";

const NAMES = ["a", "b", "c"].map((letter) => `${letter}.example.com`);

const live: ZoneSeed = {
  settings: { enabled: true },
  policies: [
    { description: "One", action: "log", enabled: true, expression: "true", value: "script-src 'self'" },
  ],
};

const SEED: Seed = {
  zones: Object.fromEntries(NAMES.map((name) => [name, { id: (name[0] ?? "").repeat(32), ...live }])),
};

async function folder(files: {
  readonly before: string;
  readonly now: string;
  readonly environment?: Readonly<Record<string, string>>;
}) {
  const emulator = await createEmulator({ seed: SEED });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": files.now });
  await mkdir(path.join(cwd, "before"));
  await writeFile(path.join(cwd, "before/zoneward.yaml"), files.before);
  const options: PlanOptions = {
    cwd,
    environment: { ...reaching(emulator), ...files.environment },
    rateLimit: "off",
    base: "before",
    changed: true,
  };
  return { emulator, options };
}

/** The planned zones, with variables that are written once for both sides. */
async function zonesOf(before: string, now: string, environment = {}) {
  const { options } = await folder({ before, now, environment });
  const { document, problems } = await plan(options);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return document?.zones.map(({ zone }) => zone[0]).join("");
}

const JOB = `{ name: logs, dataset: http_requests, destination_conf: 'https://logs.example/?key=#' }`;
const OF_JOB = "name: logs, dataset: http_requests, destination_conf: 'https://logs.example/x'";
const POLICY = `{ description: One, action: log, expression: "true", value: script-src 'self' }`;

function written(rest: { readonly [part: string]: string } = {}): string {
  const of = (name: string) => rest[name] ?? "{ extends: [t] }";
  const named = NAMES.map((name) => `  ${name}: ${of(name)}`);
  const template = rest.t ?? `{ policies: [${POLICY}] }`;
  return ["version: 1", rest.top ?? "", `templates:\n  t: ${template}`, "zones:", ...named, ""].join("\n");
}

describe("only zones whose final configuration changed are planned", () => {
  const cases: readonly [what: string, before: string, now: string, zones: string, environment?: object][] = [
    ["nothing changes", written(), written(), ""],
    [
      "another spelling of the YAML is no change",
      written(),
      written({ "a.example.com": `{ policies: [${POLICY}] } # by hand`, t: `{ policies: [ ${POLICY} ]}` }),
      "",
    ],
    [
      "another order or spacing in a value or an expression is no change",
      written({ t: `{ policies: [${POLICY.replace("'self'", "'self' a.example; img-src b.example")}] }` }),
      written({
        t: `{ policies: [${POLICY.replace('"true"', '" true"').replace("script-src 'self'", "{ img-src: [b.example], script-src: [a.example, \"'self'\"] }")}] }`,
      }),
      "",
    ],
    [
      "another order of a list without meaning is no change",
      written({ t: "{ managed_ruleset: { disabled_tags: [a, b] } }" }),
      written({ t: "{ managed_ruleset: { disabled_tags: [b, a] } }" }),
      "",
    ],
    ...(
      [
        [
          "managed_ruleset: { enabled: true }",
          "managed_ruleset: { enabled: true, payload_logging: { ensure: absent } }",
        ],
        [
          `logpush_jobs: [{ ${OF_JOB}, fields: [ClientIP, RayID], timestamps: rfc3339 }]`,
          `logpush_jobs: [{ ${OF_JOB}, logpull_options: "fields=ClientIP,RayID&timestamps=rfc3339" }]`,
        ],
        [
          `logpush_jobs: [{ ${OF_JOB}, logpull_options: "fields=ClientIP" }]`,
          `logpush_jobs: [{ ${OF_JOB}, logpull_options: "fields=ClientIP&sample=1" }]`,
        ],
        [
          `logpush_jobs: [{ ${OF_JOB}, extra: { output_options: { record_prefix: "" } } }]`,
          `logpush_jobs: [{ ${OF_JOB}, extra: { output_options: { output_type: ndjson, record_prefix: "" } } }]`,
        ],
        [
          "managed_ruleset: { disabled_tags: [{ tag: a, until: 2098-01-01 }, b] }",
          "managed_ruleset: { disabled_tags: [b, { tag: a, until: 2099-01-01 }] }",
        ],
      ] as const
    ).map(([before, now]): (typeof cases)[number] => [
      `an explicit default is a change: ${now}`,
      written({ t: `{ ${before} }` }),
      written({ t: `{ ${now} }` }),
      "abc",
    ]),
    [
      "another order is no change if only other texts come from variables",
      written({
        t: `{ policies: [${POLICY.replace("script-src 'self'", '"script-src a.example b.example"').replace('"true"', '"http.host eq \\"${zone}\\""')}] }`,
      }),
      written({
        t: `{ policies: [${POLICY.replace("script-src 'self'", "{ script-src: [b.example, a.example] }").replace('"true"', '"http.host eq \\"${zone}\\""')}] }`,
      }),
      "",
    ],
    [
      "a variable in place of its value is no change",
      written({ t: `{ policies: [${POLICY.replace("'self'", "a.example")}] }` }),
      written({
        t: `{ vars: { HOST: a.example }, policies: [${POLICY.replace("script-src 'self'", '"script-src ${vars.HOST}"')}] }`,
      }),
      "",
    ],
    [
      "another order is a change if a part comes from a variable",
      written({
        t: `{ policies: [${POLICY.replace("script-src 'self'", '"script-src a.example ${env:HOST}"')}] }`,
      }),
      written({
        t: `{ policies: [${POLICY.replace("script-src 'self'", '"script-src ${env:HOST} a.example"')}] }`,
      }),
      "abc",
      { HOST: "b.example" },
    ],
    [
      "an expiry date, which is never sent, is a change",
      written({ t: `{ policies: [${POLICY.replace("description", "until: 2098-01-01, description")}] }` }),
      written({ t: `{ policies: [${POLICY.replace("description", "until: 2099-01-01, description")}] }` }),
      "abc",
    ],
    [
      "a zone's own name as ${zone} is no change",
      written({ "a.example.com": `{ extends: [t], unmanaged: { policies: [a.example.com] } }` }),
      written({ "a.example.com": `{ extends: [t], unmanaged: { policies: ["\${zone}"] } }` }),
      "",
    ],
    ["a zone", written(), written({ "b.example.com": "{ extends: [t], settings: { enabled: true } }" }), "b"],
    ["a template", written(), written({ t: `{ policies: [${POLICY.replace("log", "allow")}] }` }), "abc"],
    [
      "a change of a template affects only zones that do not override it",
      written({ "c.example.com": `{ extends: [t], policies: [${POLICY}] }` }),
      written({
        "c.example.com": `{ extends: [t], policies: [${POLICY}] }`,
        t: `{ policies: [${POLICY.replace("log", "allow")}] }`,
      }),
      "ab",
    ],
    [
      "a changed variable affects the zones that use it",
      written({ t: `{ vars: { A: log }, policies: [${POLICY.replace("log", "'${vars.A}'")}] }` }),
      written({
        t: `{ vars: { A: log }, policies: [${POLICY.replace("log", "'${vars.A}'")}] }`,
        "b.example.com": "{ extends: [t], vars: { A: allow } }",
      }),
      "b",
    ],
    [
      "defaults",
      written({ top: "defaults: { settings: { enabled: true } }" }),
      written({
        top: "defaults: { settings: { enabled: false } }",
        "a.example.com": "{ extends: [t], settings: { enabled: true } }",
      }),
      "bc",
    ],
    [
      "another name of an environment variable is a change",
      written({ t: `{ policies: [${POLICY.replace("log", "'${env:ONE}'")}] }` }),
      written({
        t: `{ policies: [${POLICY.replace("log", "'${env:ONE}'")}] }`,
        "c.example.com": `{ policies: [${POLICY.replace("log", "'${env:TWO}'")}] }`,
      }),
      "c",
      { ONE: "log", TWO: "log" },
    ],
    [
      "a text that looks like a variable name is a change",
      written({ t: `{ logpush_jobs: [${JOB.replace("#", "${secret:NOT_SET}")}] }` }),
      written({
        t: `{ logpush_jobs: [${JOB.replace("#", "${secret:NOT_SET}")}] }`,
        "a.example.com": `{ logpush_jobs: [${JOB.replace("#", "$$${secret:NOT_SET}")}] }`,
        "b.example.com": `{ vars: { A: "$", B: "{secret:NOT_SET}" }, logpush_jobs: [${JOB.replace("#", "${vars.A}${vars.B}")}] }`,
      }),
      "ab",
    ],
    [
      "prune, optional and unmanaged are changes",
      written(),
      written({
        "a.example.com": "{ extends: [t], prune: [policies] }",
        "b.example.com": "{ extends: [t], optional: [policies] }",
        "c.example.com": "{ extends: [t], unmanaged: { policies: [Other] } }",
      }),
      "abc",
    ],
    ["an id", written(), written({ "b.example.com": `{ id: ${"b".repeat(32)}, extends: [t] }` }), "b"],
    ["a new zone", written().replace(/ {2}c.example.com.*\n/, ""), written(), "c"],
    [
      "guardrails and settings of the service change no zone",
      written(),
      written({ top: "guardrails: { max_changes: 5 }\nservice: { limits: { policies: 9 } }" }),
      "",
    ],
  ];
  test.each(cases)("%s", async (_, before, now, zones, environment) => {
    expect(await zonesOf(before, now, environment)).toBe(zones);
  });
});

const changedWith = (top: string) =>
  written({ top, "b.example.com": `{ extends: [t], policies: [${POLICY.replace("log", "allow")}] }` });

const CHANGED = changedWith("");

test("other zones are counted but not read, and the plan names its zones", async () => {
  const { emulator, options } = await folder({ before: written(), now: CHANGED });
  const { document } = await plan(options);
  expect(document?.summary).toMatchObject({ zones: 1, as_in_base: 2, update: 1 });
  expect(document?.inputs.changed).toBe(true);
  const paths = emulator.log.map(({ path: at }) => at);
  expect(paths.filter((at) => /\/zones\/(a|c)/.test(at))).toEqual([]);
  const named = await plan({ ...options, changed: false, zones: ["b.example.com"] });
  expect(named.document?.calls).toEqual(document?.calls);
  expect(named.document?.digest).not.toBe(document?.digest);
});

test("drift in an unchanged zone is left to zoneward drift", async () => {
  const { emulator, options } = await folder({ before: written(), now: CHANGED });
  emulator.edit({
    edit: "policy",
    zone: "a.example.com",
    where: { description: "One" },
    set: { action: "allow" },
  });
  const { document, report } = await apply(options);
  expect(document?.changes.map(({ zone }) => zone)).toEqual(["b.example.com"]);
  expect(report?.converged).toBe(true);
});

test("a saved plan is applied only to its zones", async () => {
  const { emulator, options } = await folder({ before: written(), now: CHANGED });
  const { document } = await plan(options);
  if (document === null) throw new Error("no plan");
  const { report } = await apply({ ...options, plan: document });
  expect(report).toMatchObject({ converged: true, summary: { done: 1 } });
  expect(emulator.writes()).toHaveLength(1);
});

test("shares are of all objects that the base declares, read or not", async () => {
  const top = "guardrails: { max_changed_share: 0.5 }";
  const { options } = await folder({
    before: written({ top }),
    now: changedWith(top),
  });
  expect((await plan(options)).document?.guardrails).toEqual([]);
  const alone = await plan({ ...options, changed: false, zones: ["b.example.com"] });
  expect(alone.document?.guardrails).toEqual([]);
  const top03 = "guardrails: { max_changed_share: 0.3 }";
  await writeFile(path.join(options.cwd ?? "", "zoneward.yaml"), changedWith(top03));
  for (const how of [{}, { changed: false, zones: ["b.example.com"] }, { changed: false }]) {
    const { document } = await plan({ ...options, ...how });
    expect(document?.guardrails.map(({ message }) => message)).toEqual([
      expect.stringContaining("change 1 object, and the base manages 3, a share of 0.334"),
    ]);
  }
});

test("declaring live objects does not reduce a share", async () => {
  const top = "guardrails: { max_changed_share: 0.3 }";
  const settings = `{ extends: [t], settings: { enabled: true } }`;
  const before = written({ top }).replace(/^ {2}c\.example\.com.*\n/m, "");
  const now = written({
    top,
    "a.example.com": settings,
    "b.example.com": `{ policies: [${POLICY.replace("log", "allow")}], settings: { enabled: true } }`,
    "c.example.com": settings,
  });
  const { options } = await folder({ before, now });
  for (const changed of [true, false]) {
    const { document } = await plan({ ...options, changed });
    expect(document?.guardrails.map(({ message }) => message)).toEqual([
      expect.stringContaining("change 5 objects, and the base manages 2, a share of 1"),
    ]);
  }
});

test("without a base the changed zones are unknown", async () => {
  const { emulator, options } = await folder({ before: written(), now: CHANGED });
  const { base: _, ...rest } = options;
  const { document, problems } = await plan(rest);
  expect(document).toBeNull();
  expect(problems.map(({ code }) => code)).toEqual(["no_base"]);
  expect(emulator.log).toEqual([]);
});

test("with an unreadable base all zones are planned", async () => {
  const { options } = await folder({ before: "version: 2\n", now: CHANGED });
  const { document, problems } = await plan(options);
  expect(document?.summary.zones).toBe(3);
  expect(document?.inputs.changed).toBeUndefined();
  expect(problems.map(({ code }) => code)).toContain("base_not_read");
});

test("a change of three zones among many costs as much as three zones", async () => {
  const names = Array.from({ length: 400 }, (_, index) => `shop-${index}.example.com`);
  const idOf = (index: number) => index.toString(16).padStart(32, "0");
  const emulator = await createEmulator({
    seed: { zones: Object.fromEntries(names.map((name, index) => [name, { id: idOf(index) }])) },
  });
  onTestFinished(() => emulator.close());
  const all = "settings: { enabled: true }, policies: [], logpush_jobs: []";
  const fileOf = (body: (index: number) => string) =>
    `version: 1\ntemplates: { t: { ${all} } }\nzones:\n${names.map((name, index) => `  ${name}: { extends: [t]${body(index)} }\n`).join("")}`;
  const change = (index: number) => (index % 150 === 7 ? ", settings: { enabled: false }" : "");
  const pinned = (index: number) => `, id: ${JSON.stringify(idOf(index))}`;
  const cwd = await folderWith({});
  await mkdir(path.join(cwd, "before"));
  const options = { cwd, environment: reaching(emulator), rateLimit: "off", base: "before", changed: true };
  const requestsOf = async (before: string, now: string) => {
    await writeFile(path.join(cwd, "before/zoneward.yaml"), before);
    await writeFile(path.join(cwd, "zoneward.yaml"), now);
    const sent = emulator.log.length;
    const { document } = await plan(options);
    expect(document?.summary).toMatchObject({ zones: 3, as_in_base: 397 });
    return emulator.log.length - sent;
  };
  // Three sections each, without ids.
  const withIds = await requestsOf(
    fileOf(pinned),
    fileOf((index) => pinned(index) + change(index)),
  );
  expect(withIds).toBe(9);
  // A lookup of each zone by name costs less than the pages of the list.
  const byName = await requestsOf(
    fileOf(() => ""),
    fileOf(change),
  );
  expect(byName).toBeLessThanOrEqual(9 + 4);
});
