import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, drift, plan, type ZoneSeed } from "../../src/index.js";
import { quickFolder } from "../apply/run.js";

const ZONE = "shop.example.com";
const ID = "53".repeat(16);
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const [ONE, TWO] = ["1".repeat(32), "2".repeat(32)];

const text = { action: "log", expression: "true", value: "script-src 'self'" };
const job = { name: "J", dataset: "http_requests", destination_conf: "https://logs.example/x" };

/** A managed rule that was loosened outside. */
const loosened = {
  rulesets: [
    {
      phase: "http_request_firewall_managed",
      rules: [
        {
          id: ONE,
          action: "execute",
          expression: "true",
          action_parameters: {
            id: CORE,
            overrides: {
              categories: [2, 3, 4].map((n) => ({ category: `paranoia-level-${n}`, enabled: false })),
            },
          },
        },
      ],
    },
  ],
};

/**
 * How the entries of the base and of the files are matched: [the behaviour, the base, the files, the live state, the changes
 * of a plan, the changes of drift].
 */
test.each<[string, object, object, ZoneSeed, readonly string[], readonly string[]]>([
  [
    "naming the default ruleset hides no drift",
    { managed_ruleset: { paranoia_level: "PL2" } },
    { managed_ruleset: { ruleset: "Cloudflare OWASP Core Ruleset", paranoia_level: "PL2" } },
    loosened,
    ["update managed_ruleset: paranoia_level drift"],
    ["update managed_ruleset: paranoia_level drift"],
  ],
  [
    "custom log fields with a formerly empty list are the same object",
    { custom_log_fields: { request_fields: ["x-one"], cookie_fields: [] } },
    { custom_log_fields: { request_fields: ["x-one"], cookie_fields: ["sid"] } },
    {
      rulesets: [
        {
          phase: "http_log_custom_fields",
          rules: [
            {
              id: ONE,
              action: "log_custom_field",
              expression: "true",
              action_parameters: { request_fields: [{ name: "x-one" }, { name: "x-two" }] },
            },
          ],
        },
      ],
    },
    ["update custom_log_fields: request_fields drift, cookie_fields declared"],
    ["update custom_log_fields: request_fields drift"],
  ],
  [
    "two ids under one name are two objects",
    { policies: [{ id: ONE, description: "A", ...text }] },
    { policies: [{ id: TWO, description: "A", ...text }] },
    {
      policies: [
        { id: ONE, enabled: true, description: "A", ...text },
        { id: TWO, enabled: true, description: "B", ...text, value: "img-src 'self'" },
      ],
    },
    [
      "update A: description declared, value declared",
      "delete A: description declared, action declared, enabled declared, expression declared, value declared",
      "create A: action conflict, enabled conflict, expression conflict, description conflict, value conflict",
    ],
    [],
  ],
  [
    "a job that is replaced for a new dataset still shows its drift",
    { logpush_jobs: [{ ...job, enabled: true }] },
    { logpush_jobs: [{ ...job, enabled: true, dataset: "dns_logs" }] },
    { logpush_jobs: [{ id: 1, ...job, enabled: false }] },
    ["update J: dataset declared, enabled drift"],
    [],
  ],
  [
    "an explicit default equals the implicit one",
    { policies: [{ description: "A", ...text, enabled: true }] },
    { policies: [{ description: "A", ...text }] },
    { policies: [] },
    ["create A: description drift, action drift, expression drift, value drift, enabled drift"],
    ["create A: description drift, action drift, expression drift, value drift, enabled drift"],
  ],
  [
    "an object removed from the files is not drift, even if it was changed outside",
    { policies: [{ description: "A", ...text }] },
    { policies: [] },
    { policies: [{ id: ONE, enabled: true, description: "A", ...text, action: "allow" }] },
    [
      "delete A: description declared, action conflict, enabled declared, expression declared, value declared",
    ],
    [],
  ],
])("%s", async (_, base, files, live, changes, drifted) => {
  const { options } = await start(base, files, live, "service");
  expect(await said(plan, options)).toEqual(changes);
  expect(await said(drift, options)).toEqual(drifted);
});

test("jobs that cannot be listed have an unknown origin", async () => {
  const { options } = await start(
    { logpush_jobs: [job, { ...job, name: "Gone" }] },
    { logpush_jobs: [job] },
    {},
    "interface",
  );
  const { document } = await plan(options);
  expect(document?.changes.map(({ key, origin }) => `${key} ${origin}`)).toEqual([
    "J unknown",
    "Gone unknown",
  ]);
  expect(document?.diagnostics.map(({ code }) => code)).toContain("not_deleted");
  expect(await said(drift, options)).toEqual([]);
});

test("a zone with another name and the same id is the same zone", async () => {
  const { options, cwd } = await start(
    {
      id: ID,
      policies: [
        { description: "A", ...text },
        { description: "B", ...text },
      ],
    },
    { id: ID, policies: [{ description: "A", ...text }] },
    {
      policies: ["A", "B"].map((description, n) => ({
        id: `${n + 1}`.repeat(32),
        enabled: true,
        description,
        ...text,
      })),
    },
    "service",
  );
  const before = path.join(cwd, "before/zoneward.yaml");
  await writeFile(
    before,
    JSON.stringify({
      version: 1,
      zones: {
        "old.example.com": {
          id: ID,
          policies: [
            { description: "A", ...text },
            { description: "B", ...text },
          ],
        },
      },
    }),
  );
  const { document } = await plan(options);
  expect(document?.changes.map(({ action, key }) => `${action} ${key}`)).toEqual(["delete B"]);
  expect(document?.diagnostics.map(({ code }) => code)).toEqual([]);
});

test("a zone that only the base declares can be selected", async () => {
  const { options, cwd } = await start({}, {}, {}, "service");
  await writeFile(
    path.join(cwd, "before/zoneward.yaml"),
    JSON.stringify({
      version: 1,
      zones: { [ZONE]: {}, "gone.example.com": { settings: { enabled: true } } },
    }),
  );
  const { document, problems } = await plan({ ...options, zones: ["gone.example.com"] });
  expect(problems.map(({ code }) => code)).toEqual(["no_longer_managed"]);
  expect(document?.zones).toEqual([]);
  const other = await plan({ ...options, zones: ["other.example.com"] });
  expect(other.problems.map(({ code }) => code)).toEqual(["no_such_zone"]);
});

test("the effect of drift is the effect of the outside change", async () => {
  const body = { managed_ruleset: { paranoia_level: "PL2" } };
  const { options } = await start(body, body, loosened, "service");
  const names = async (failOn: string) =>
    (await drift({ ...options, failOn: [failOn] })).document?.guardrails.map(
      ({ name, message }) => `${name}: ${message}`,
    );
  expect(await names("weakens")).toEqual([
    expect.stringMatching(
      /^weakens: In shop.example.com, \d changes? made outside the files weakens? protection/,
    ),
  ]);
  expect((await plan({ ...options, failOn: ["weakens"] })).document?.guardrails).toEqual([]);
});

test("the library refuses an unknown guardrail too", async () => {
  const { options } = await start({}, {}, {}, "service");
  const { document, problems } = await plan({ ...options, failOn: ["weaken"] });
  expect(document).toBeNull();
  expect(problems.map(({ detail }) => detail)).toEqual(["weaken is not a guardrail. Did you mean weakens?"]);
});

async function start(base: object, files: object, live: ZoneSeed, dialect: "service" | "interface") {
  const fileOf = (body: object) => JSON.stringify({ version: 1, zones: { [ZONE]: body } });
  const cwd = await quickFolder(fileOf(files));
  await mkdir(path.join(cwd, "before"));
  await writeFile(path.join(cwd, "before/zoneward.yaml"), fileOf(base));
  const emulator = await createEmulator({ dialect, seed: { zones: { [ZONE]: { id: ID, ...live } } } });
  onTestFinished(() => emulator.close());
  const environment = { CLOUDFLARE_API_TOKEN: emulator.token };
  return { cwd, options: { cwd, base: "before", baseUrl: emulator.url, environment, rateLimit: "off" } };
}

/** Each change with the origins of its declarable fields. */
async function said(run: typeof plan, options: Parameters<typeof plan>[0]): Promise<readonly string[]> {
  const { document, problems } = await run(options);
  if (document === null) throw new Error(JSON.stringify(problems));
  return document.changes.map(({ action, key, fields }) => {
    const own = fields.filter(
      ({ path: field }) => !/^(output_options|fields|timestamps|sample_rate|CVE)/.test(field),
    );
    return `${action} ${key}: ${own.map(({ path: field, origin }) => `${field} ${origin}`).join(", ")}`;
  });
}

test("a replaced job loses a field that the files no longer have", async () => {
  const live = { logpush_jobs: [{ ...job, enabled: false }] };
  const before = { logpush_jobs: [{ ...job, enabled: false }] };
  const { options } = await start(
    before,
    { logpush_jobs: [{ ...job, dataset: "firewall_events" }] },
    live,
    "service",
  );
  const codes = (await plan(options)).document?.diagnostics.map(({ code }) => code);
  expect(codes).toContain("replaced");
  expect(codes).not.toContain("no_longer_managed");
});
