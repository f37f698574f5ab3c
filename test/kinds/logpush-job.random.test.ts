import { describe, expect, test } from "vitest";
import { jobOf, settled } from "../../src/emulator/resources/logpush/job.js";
import type { Ref } from "../../src/model/item.js";
import { isObject, type Json, type JsonObject } from "../../src/model/json.js";
import type { Step, ZonePlan } from "../../src/model/plan.js";
import { isDeleting } from "../../src/plan/guardrails/index.js";
import { effectOf } from "../../src/strength/index.js";
import { fc, runs } from "../support/random.js";
import { type LiveJobs, planJobs, planned } from "./logpush-plan.js";

const DESTINATION = "https://logs.example/a?region=eu-west-1";
const live = { id: 1, name: "a", dataset: "http_requests", enabled: true, destination_conf: DESTINATION };

describe("a declared job", () => {
  const same: readonly [sentence: string, declared: JsonObject, job: JsonObject][] = [
    ["is the same in any order of fields", { fields: ["A", "B"] }, { logpull_options: "fields=B,A" }],
    ["is the same in either style", { fields: ["A"] }, { output_options: { field_names: ["A"] } }],
    [
      "is the same in the older style",
      { logpull_options: "fields=A" },
      { output_options: { field_names: ["A"] } },
    ],
    [
      "uses output_options if the live job has both styles",
      { fields: ["A"] },
      { output_options: { field_names: ["A"] }, logpull_options: "fields=B" },
    ],
    ["has timestamps in nanoseconds by default", { timestamps: "unixnano" }, { logpull_options: null }],
    [
      "is read from a full URL",
      { fields: ["A"] },
      { logpull_options: "https://a.example/x?count=1&fields=A" },
    ],
    ["is read from encoded parameters", { fields: ["A", "B"] }, { logpull_options: "fields=A%2CB" }],
    [
      "uses the first of two parameters with one name",
      { fields: ["A"] },
      { logpull_options: "fields=A&fields=B" },
    ],
    ["logs all requests by default", { extra: { output_options: { sample_rate: 1 } } }, {}],
    ["may have flags as text", { enabled: true }, { enabled: "true" }],
    [
      "has the dataset http_requests if the live job has none",
      { dataset: "http_requests" },
      { dataset: null },
    ],
    [
      "has the defaults of CSV if the live job writes CSV",
      { extra: { output_options: { record_prefix: "", record_suffix: "\n", field_delimiter: "," } } },
      { output_options: { output_type: "csv" } },
    ],
    [
      "recognizes an option by its misspelt name",
      { extra: { output_options: { "CVE-2021-44228": true } } },
      { output_options: { "CVE-2021-4428": true } },
    ],
    ["accepts three spellings of no filter", { extra: { filter: "" } }, { filter: null }],
    ["accepts three spellings of no limit", { extra: { max_upload_bytes: 0 } }, { max_upload_bytes: null }],
    [
      "may have parameters that output_options cannot express",
      { logpull_options: "fields=A&count=5" },
      { output_options: { field_names: ["A"] } },
    ],
    ["keeps undeclared parameters", { logpull_options: "fields=A" }, { logpull_options: "count=5&fields=A" }],
  ];
  test.each(same)("%s", async (_, declared, job) => {
    const { changes } = await planned([{ name: "a", ...declared }], [{ ...live, ...job }]);
    expect(changes).toEqual([]);
  });

  const bodies: readonly [sentence: string, declared: JsonObject, job: JsonObject, body: JsonObject][] = [
    [
      "changes parameters in place and appends new ones",
      { fields: ["A"], timestamps: "unix", extra: { output_options: { sample_rate: 0.5 } } },
      { logpull_options: "https://a.example/x?count=a%20b&fields=B&flag" },
      { logpull_options: "https://a.example/x?count=a%20b&fields=A&flag&timestamps=unix&sample=0.5" },
    ],
    [
      "sends all output_options to change one",
      { timestamps: "unix" },
      {
        output_options: {
          field_names: ["A"],
          unheard_of: { a: 1 },
          "CVE-2021-4428": true,
          record_prefix: null,
        },
      },
      {
        output_options: {
          field_names: ["A"],
          unheard_of: { a: 1 },
          "CVE-2021-44228": true,
          record_prefix: null,
          timestamp_format: "unix",
        },
      },
    ],
    [
      "switches to output_options if only they can express it",
      { extra: { output_options: { batch_prefix: "<" } } },
      { logpull_options: "count=1&fields=A&sample=0.5" },
      { output_options: { field_names: ["A"], sample_rate: 0.5, batch_prefix: "<" } },
    ],
    [
      "with the whole text drops parameters that the text lacks",
      { logpull_options: "fields=A" },
      { logpull_options: "fields=A&sample=0.5&timestamps=unix&count=1&CVE-2021-44228=true" },
      { logpull_options: "fields=A&sample=1&timestamps=unixnano&count=1&CVE-2021-44228=false" },
    ],
    [
      "without fields in its text leaves them to the service",
      { logpull_options: "timestamps=unix" },
      { logpull_options: "fields=A" },
      { logpull_options: "timestamps=unix" },
    ],
    [
      "sends the defaults of another type that the live job lacks",
      { extra: { output_options: { output_type: "csv", record_prefix: "{" } } },
      { output_options: { field_names: ["A"] } },
      {
        output_options: {
          field_names: ["A"],
          output_type: "csv",
          record_prefix: "{",
          record_suffix: "\n",
        },
      },
    ],
    ["writes flags in the live form", { enabled: false }, { enabled: "true" }, { enabled: "false" }],
    ["sends a changed name", { renamed_from: "a", name: "b" }, {}, { name: "b" }],
    [
      "sends the ownership challenge only with a new destination",
      { destination_conf: "https://logs.example/b", ownership_challenge: "token", enabled: false },
      {},
      {
        enabled: false,
        destination_conf: { $secret: "file:a.example/logpush_job/a/destination_conf" },
        ownership_challenge: { $secret: "file:a.example/logpush_job/a/ownership_challenge" },
      },
    ],
    [
      "sends no ownership challenge if the destination stays",
      { destination_conf: DESTINATION, ownership_challenge: "token", enabled: false },
      {},
      { enabled: false },
    ],
    [
      "sends extra fields as declared",
      { extra: { filter: '{"where":{}}', something_new: [{ a: 1 }] } },
      { filter: "", something_new: null },
      { filter: '{"where":{}}', something_new: [{ a: 1 }] },
    ],
  ];
  test.each(bodies)("%s", async (_, declared, job, body) => {
    const { steps } = await planned([{ name: "a", ...declared }], [{ ...live, ...job }]);
    expect(steps.map((step) => [step.method, step.body])).toEqual([["PUT", body]]);
  });

  test("never fills a secret into a live value that looks like a reference", async () => {
    const odd = { $secret: "env:HOME" };
    const job = {
      ...live,
      kind: odd,
      output_options: { ...odd, field_names: [odd] },
      filter: { $sensitive: "same" },
    };
    const declared = {
      name: "a",
      dataset: "dns_logs",
      destination_conf: "https://logs.example/b",
      extra: { filter: "{}" },
    };
    const { steps } = await planned([declared], [job]);
    expect(steps[0]?.body).toEqual({
      name: "a",
      destination_conf: { $secret: "file:a.example/logpush_job/a/destination_conf" },
      dataset: "dns_logs",
      enabled: true,
      filter: "{}",
    });
    const { steps: changed } = await planned([{ name: "a", timestamps: "unix" }], [job]);
    const output_options = { ...odd, field_names: [odd], timestamp_format: "unix" };
    expect(changed[0]).toMatchObject({ body: { output_options }, secretFields: [] });
  });

  test("is compared independently of other declared jobs", async () => {
    const jobs = [live, { ...live, id: 2, name: "b" }];
    const one = { name: "a", enabled: false };
    const [alone, together] = await Promise.all([
      planned([one], jobs),
      planned([one, { name: "b", extra: { output_options: { batch_prefix: "<" } } }], jobs),
    ]);
    expect(alone.live.seen).toHaveLength(1);
    expect(together.live.seen).toContainEqual(alone.live.seen[0]);
  });

  test("never shows the live value of an extra field that may be secret", async () => {
    const declared = { auth: "x", max_upload_bytes: 0 };
    const job = { ...live, auth: "PLANTED", max_upload_bytes: 5_000_000 };
    const {
      changes,
      live: { seen },
    } = await planned([{ name: "a", extra: declared }], [job]);
    expect(changes.map(({ fields }) => fields)).toEqual([
      [
        { path: "extra.max_upload_bytes", before: 5_000_000, after: 0 },
        { path: "extra.auth", before: { $sensitive: "different" }, after: "x" },
      ],
    ]);
    expect(JSON.stringify(seen)).not.toContain("PLANTED");
    expect((await planned([{ name: "a", extra: declared }], [{ ...live, auth: "x" }])).changes).toEqual([]);
  });
});

describe("a job whose dataset changes", () => {
  const fromFile: readonly [sentence: string, declared: JsonObject, job: JsonObject][] = [
    ["options in either style", {}, { logpull_options: "count=1&fields=A&sample=0.5" }],
    ["style of options", { fields: ["A"] }, { output_options: { field_names: ["B"] } }],
    ["parameters", { logpull_options: "tag=x&fields=A" }, { output_options: { field_names: ["A"] } }],
    ["defaults", { logpull_options: "fields=A" }, { logpull_options: "fields=A&sample=0.5" }],
    ["order of fields", { fields: ["A", "B"] }, { logpull_options: "fields=B,A" }],
    [
      "type of output",
      { extra: { output_options: { output_type: "csv" } } },
      { output_options: { output_type: "ndjson", field_names: ["A"] } },
    ],
    ["filter and limits", {}, { filter: '{"where":{}}', max_upload_bytes: 5_000_000, frequency: "low" }],
    ["enabled state", {}, { enabled: false }],
    ["form of flags", { enabled: true }, { enabled: "true" }],
  ];
  test.each(fromFile)("is created from the file alone, without its old %s", async (_, declared, job) => {
    const wanted = { name: "a", dataset: "dns_logs", destination_conf: DESTINATION, ...declared };
    const [replaced, created] = await Promise.all([
      planned([{ ...wanted, renamed_from: "a" }], [{ ...live, ...job }]),
      planned([wanted], []),
    ]);
    expect(callsOf(replaced)).toEqual(["POST", "DELETE 1"]);
    expect(replaced.steps[0]?.body).toEqual(created.steps[0]?.body);
  });

  const elsewhere = { dataset: "dns_logs", destination_conf: DESTINATION };

  test("is one change that shows what is logged before and after, and also counts as a delete", async () => {
    const {
      changes,
      live: { seen },
    } = await planned([{ name: "a", renamed_from: "a", ...elsewhere }], [live]);
    expect(changes).toMatchObject([
      { action: "update", replaces: true, ref: { key: "a", id: "1" }, was: null },
    ]);
    expect(changes[0]?.fields.map(({ path }) => path)).toEqual(["dataset"]);
    expect(changes[0]?.shifts.map(({ dimension, way }) => [dimension, way])).toEqual([
      ["http_requests.logged", "weaker"],
      ["dns_logs.logged", "stronger"],
    ]);
    expect(changes.map(isDeleting)).toEqual([true]);
    expect(seen.map(({ ref }) => ref.id)).toEqual(["1"]);
  });

  test("is created before the old one is deleted, even with other changes", async () => {
    const declared = [
      { name: "c", ...elsewhere },
      { name: "gone", ensure: "absent" },
      { name: "b", renamed_from: "a", ...elsewhere },
    ];
    const { steps } = await planned(declared, [{ ...live, id: 2, name: "gone" }, live]);
    expect(steps.map(({ method, path, body }) => [method, path.at(-1), nameIn(body)])).toEqual([
      ["POST", "jobs", "b"],
      ["POST", "jobs", "c"],
      ["DELETE", "2", undefined],
      ["DELETE", "1", undefined],
    ]);
    expect(steps.at(-1)?.needs).toEqual([1]);
  });

  const jobs = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...live, id: index + 1, name: `a${index + 1}` }));
  const rooms: readonly [sentence: string, declared: readonly JsonObject[], calls: readonly string[]][] = [
    ["room for one more", [{ name: "a1", renamed_from: "a1", ...elsewhere }], ["POST", "DELETE 1"]],
    [
      "room for one at a time",
      [
        { name: "new", ...elsewhere },
        { name: "a1", renamed_from: "a1", ...elsewhere },
      ],
      ["POST", "DELETE 1", "POST"],
    ],
    [
      "room for one at a time and several replaced jobs",
      [
        { name: "a1", renamed_from: "a1", ...elsewhere },
        { name: "a2", renamed_from: "a2", ...elsewhere },
      ],
      ["POST", "DELETE 1", "POST", "DELETE 2"],
    ],
  ];
  test.each(rooms)("with %s never exceeds the limit and leaves no gap", async (_, declared, calls) => {
    const plan = await planned(declared, jobs(3));
    expect(callsOf(plan)).toEqual(calls);
    expect(plan.meaning.breaches).toEqual([]);
  });

  test("uses the room of a job deleted in the same change", async () => {
    const declared = [
      { name: "a2", ensure: "absent" },
      { name: "a1", renamed_from: "a1", ...elsewhere },
    ];
    const plan = await planned(declared, jobs(4));
    expect(callsOf(plan)).toEqual(["DELETE 2", "POST", "DELETE 1"]);
    expect(plan.meaning.breaches).toEqual([]);
  });

  test("without room is deleted first, and a guardrail names the limit", async () => {
    const plan = await planned([{ name: "a1", renamed_from: "a1", ...elsewhere }], jobs(4));
    expect(callsOf(plan)).toEqual(["DELETE 1", "POST"]);
    expect(plan.meaning.breaches).toMatchObject([
      { guardrail: "replace_with_gap", message: expect.stringContaining("service.limits.logpush_jobs") },
    ]);
  });

  const twice = [live, { ...live, id: 2, dataset: "dns_logs", enabled: true }];

  test("counts as two jobs if both versions are live and no journal explains them", async () => {
    const plan = await planned([{ name: "a", renamed_from: "a", ...elsewhere }], twice);
    expect([plan.steps, plan.live.unmanaged.map(({ ref }) => ref.key)]).toEqual([[], ["a (http_requests)"]]);
  });

  test("loses only its old version if an interrupted apply left both live", async () => {
    const replacing = { hasReplaced: (before: Ref, after: Ref) => before.id === "1" && after.id === "2" };
    const [whole, rest] = await Promise.all([
      planned([{ name: "a", renamed_from: "a", ...elsewhere }], [live]),
      planned([{ name: "a", renamed_from: "a", ...elsewhere }], twice, replacing),
    ]);
    expect(callsOf(rest)).toEqual(["DELETE 1"]);
    expect(rest.problems.map(({ code }) => code)).toEqual(["half_replaced"]);
    expect(rest.changes).toEqual(whole.changes);
    expect(rest.live.seen).toEqual(whole.live.seen);
  });

  test("is ambiguous if two versions are live in other datasets than the declared one", async () => {
    const replacing = { hasReplaced: () => true };
    const declared = [{ name: "a", renamed_from: "a", dataset: "audit_logs", destination_conf: DESTINATION }];
    const plan = await planJobs(declared, twice, replacing);
    expect(plan).toMatchObject({ ok: false, problems: [{ code: "ambiguous_name" }] });
  });

  function callsOf({ steps }: ZonePlan): readonly string[] {
    return steps.map(({ method, path }) => (method === "POST" ? method : `${method} ${String(path.at(-1))}`));
  }

  function nameIn(body: unknown) {
    return isObject(body) ? body.name : undefined;
  }
});

describe("random declared and live jobs", () => {
  const names = fc.uniqueArray(fc.constantFrom("ClientIP", "RayID", "Cookies", "RequestHeaders"), {
    minLength: 1,
  });
  const timestamps = fc.constantFrom("unixnano", "unix", "rfc3339", "rfc3339ns");
  const rate = fc.constantFrom(1, 0.5, 0.25);
  const output = fc.record(
    {
      output_type: fc.constantFrom("ndjson", "csv"),
      record_prefix: fc.constantFrom("", "{", "<"),
      batch_suffix: fc.constantFrom("", ">"),
      sample_rate: rate,
      "CVE-2021-44228": fc.boolean(),
      merge_subrequests: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const logpull = fc
    .record(
      { fields: names, timestamps, sample: rate, "CVE-2021-44228": fc.boolean(), count: fc.nat(3) },
      { requiredKeys: [] },
    )
    .filter((each) => Object.keys(each).length > 0)
    .map((each) =>
      Object.entries(each)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join("&"),
    );
  const extra = fc.record(
    {
      filter: fc.constantFrom("", '{"where":{"a":1,"b":2}}', '{ "where": {"b":2,"a":1} }'),
      frequency: fc.constantFrom("high", "low"),
      max_upload_records: fc.constantFrom(0, 1000),
    },
    { requiredKeys: [] },
  );
  const optional = { requiredKeys: [] };
  const options = fc.oneof(
    fc.record({ logpull_options: logpull, extra }, optional),
    fc
      .tuple(fc.record({ fields: names, timestamps }, optional), extra, fc.option(output))
      .map(([own, more, out]) => ({
        ...own,
        extra: out === null ? more : { ...more, output_options: out },
      })),
  );
  const declaredJob = fc
    .tuple(
      options,
      fc.record({ enabled: fc.boolean(), dataset: fc.constantFrom("http_requests", "dns_logs") }, optional),
    )
    .map(
      ([some, more]): JsonObject =>
        ({
          name: "a",
          destination_conf: "https://logs.example/b",
          dataset: "http_requests",
          ...more,
          ...some,
        }) as JsonObject,
    );
  const liveJob = fc
    .tuple(
      fc.record({ enabled: fc.boolean(), logpull_options: fc.option(logpull) }),
      fc.option(
        fc
          .tuple(output, names, timestamps)
          .map(([some, field_names, timestamp_format]) => ({ ...some, field_names, timestamp_format })),
      ),
      extra,
    )
    .map(([own, output_options, more]): JsonObject => ({ ...own, ...more, output_options }) as JsonObject);

  test("converge in one round of calls and keep undeclared fields", async () => {
    await fc.assert(
      fc.asyncProperty(declaredJob, fc.option(liveJob), fc.boolean(), async (declared, fields, fills) => {
        const before = fields === null ? [] : [jobOf(1, { ...live, ...settled(fields, fills) })];
        const carriedOut = carryingOut(fills);
        const {
          steps,
          changes,
          live: { seen },
        } = await planned([declared], before);
        const after = steps.reduce(carriedOut, before);
        const told = changes.map(({ before: _, inBase: _inBase, after: _after, ...rest }) => rest);
        const shown = [told, seen, steps.map(({ body }) => body)];
        expect(JSON.stringify(shown)).not.toContain("logs.example");
        expect((await planned([declared], after)).changes).toEqual([]);
        const isReplaced = steps.some(({ method }) => method === "DELETE");
        const { steps: fromNothing } = await planned([declared], []);
        if (isReplaced) expect(after).toEqual(fromNothing.reduce(carriedOut, []));
        for (const [name, value] of Object.entries(isReplaced ? {} : (before[0] ?? {})))
          if (!isDeclared(declared, name))
            expect([name, after[0]?.[name] || null]).toEqual([name, value || null]);
      }),
      { numRuns: runs(1_000) },
    );
  });

  /** The emulated effect of a call. All secrets are the declared destination. */
  function carryingOut(fills: boolean) {
    return (jobs: readonly JsonObject[], { method, path, body: given }: Step): readonly JsonObject[] => {
      const at = jobs.findIndex(({ id }) => String(id) === path.at(-1));
      if (method === "DELETE") return jobs.toSpliced(at, 1);
      const body = settled(JSON.parse(JSON.stringify(given ?? {})), fills);
      const destination_conf = isObject(body.destination_conf) ? "https://logs.example/b" : DESTINATION;
      const sent = { ...body, ...("destination_conf" in body ? { destination_conf } : {}) };
      const job = jobOf(Number(jobs[at]?.id ?? 2), { destination_conf, ...jobs[at], ...sent });
      return at < 0 ? [...jobs, job] : jobs.with(at, job);
    };
  }

  function isDeclared(declared: JsonObject, name: string): boolean {
    const isOption = ["logpull_options", "output_options"].includes(name);
    const extra: Json = declared.extra ?? {};
    return isOption || name === "id" || name in declared || (isObject(extra) && name in extra);
  }
});

describe("the list of jobs", () => {
  const missing: readonly [why: string, list: LiveJobs][] = [
    ["method_not_allowed", { failsWith: "method_not_allowed", settingsFailWith: "not_found" }],
    ["not_found for an existing zone", { failsWith: "not_found" }],
    ["no_route for an existing zone", { failsWith: "no_route" }],
    ["not_found for a zone without permission", { failsWith: "not_found", settingsFailWith: "unauthorized" }],
  ];
  test.each(missing)(
    "that the service lacks (%s) allows only creating, with a guardrail",
    async (_, list) => {
      const declared = { name: "a", dataset: "http_requests", destination_conf: DESTINATION };
      const plan = await planned([declared], list);
      expect(plan.changes.map(({ action, ref }) => [action, ref.key])).toEqual([["create", "a"]]);
      expect(plan.steps[0]?.findCreated).toBeNull();
      expect(plan.live.unlisted).toEqual(["logpush_job"]);
      expect(plan.meaning.breaches.map(({ guardrail }) => guardrail)).toEqual(["create_unlisted"]);
      expect(plan.problems.map((each) => each.code)).toEqual(["unlisted"]);
    },
  );

  test.each(["not_found", "no_route"])("of an unknown zone fails (%s)", async (code) => {
    const plan = await planJobs([{ name: "a" }], { failsWith: code, settingsFailWith: "no_route" });
    expect(plan).toMatchObject({ ok: false, problems: [{ code }] });
  });

  test.each(["unauthorized", "server_error", "not_json"])(
    "that cannot be read (%s) does not count as empty",
    async (code) => {
      const plan = await planJobs([{ name: "a", enabled: true }], { failsWith: code });
      expect(plan).toMatchObject({ ok: false, problems: [{ code }] });
    },
  );

  test.each<[Json]>([[{ name: "a" }], [{ id: "../x" }], [{ id: null }], ["a"], [{ id: {} }]])(
    "with a job without a valid id (%j) is refused",
    async (job) => {
      expect(await planJobs([], [live, job])).toMatchObject({
        ok: false,
        problems: [{ code: "unexpected_answer" }],
      });
    },
  );

  test.each<[Json]>([[1001], ["1001"]])("with two jobs with one id is refused (1001 and %j)", async (id) => {
    const plan = await planJobs(
      [],
      [
        { ...live, id: 1001 },
        { ...live, id, name: "b" },
      ],
    );
    expect(plan).toMatchObject({
      ok: false,
      problems: [
        {
          detail: expect.stringContaining('two objects with the id 1001; the second is the logpush job "b"'),
        },
      ],
    });
  });

  test("may contain null, and ids as text", async () => {
    const { steps } = await planned([{ name: "a", enabled: false }], [null, { ...live, id: "12" }]);
    expect(steps.map(({ path }) => path.join("/"))).toEqual(["zones/0a/logpush/jobs/12"]);
  });
});

describe("undeclared output options of a live job", () => {
  const output = { field_names: ["A"], record_template: "{{.A}}", output_type: "csv" };
  const kept: readonly [sentence: string, declared: JsonObject, options: JsonObject, told: string | null][] =
    [
      [
        "are reported beside logpull_options",
        { logpull_options: "fields=A" },
        output,
        "output_type, record_template",
      ],
      ["are reported if they affect fields", { fields: ["A"] }, output, "record_template"],
      ["are not reported for a job without declared fields", { enabled: true }, output, null],
      [
        "are not reported if they are defaults",
        { logpull_options: "fields=A" },
        { field_names: ["A"] },
        null,
      ],
      [
        "are not reported if they are declared",
        { fields: ["A"], extra: { output_options: { record_template: "{{.A}}" } } },
        output,
        null,
      ],
    ];
  test.each(kept)("%s", async (_, declared, options, names) => {
    const { problems } = await planned([{ name: "a", ...declared }], [{ ...live, output_options: options }]);
    const told = problems.filter(({ code }) => code === "output_options_kept");
    expect(told.map(({ detail }) => detail.includes(`remove them: ${names}.`))).toEqual(
      names === null ? [] : [true],
    );
  });
});

describe("the effect of a change of a job", () => {
  const effects: readonly [sentence: string, declared: JsonObject, job: JsonObject, effect: string][] = [
    [
      "strengthens with an added field",
      { fields: ["A", "B"] },
      { logpull_options: "fields=A" },
      "strengthens",
    ],
    ["weakens with a removed field", { fields: ["A"] }, { logpull_options: "fields=A,B" }, "weakens"],
    [
      "is unknown with an added field that a live template may not write",
      { fields: ["A", "B"] },
      { output_options: { field_names: ["A"], record_template: "{{.A}}" } },
      "unknown",
    ],
    [
      "weakens with a removed field, even with a template",
      { fields: ["A"] },
      { output_options: { field_names: ["A", "B"], record_template: "{{.A}}" } },
      "weakens",
    ],
    ["is mixed with other fields", { fields: ["B"] }, { logpull_options: "fields=A" }, "mixed"],
    ["weakens when the job is switched off", { enabled: false }, {}, "weakens"],
    [
      "strengthens when the job is switched on",
      { enabled: true, destination_conf: DESTINATION },
      { enabled: false },
      "strengthens",
    ],
    [
      "is unknown when the job is switched on with an undeclared destination",
      { enabled: true },
      { enabled: false },
      "unknown",
    ],
    [
      "is neutral while the files keep the job off",
      { enabled: false, fields: ["A"] },
      { enabled: false, logpull_options: "fields=B" },
      "neutral",
    ],
    ["weakens with a lower sample rate", { extra: { output_options: { sample_rate: 0.1 } } }, {}, "weakens"],
    ["weakens with a filter", { extra: { filter: '{"where":{}}' } }, { filter: "" }, "weakens"],
    ["is unknown with another filter", { extra: { filter: "{}" } }, { filter: '{"where":{}}' }, "unknown"],
    ["is unknown with another destination", { destination_conf: "https://logs.example/b" }, {}, "unknown"],
    ["is neutral with another timestamp format", { timestamps: "unix" }, {}, "neutral"],
  ];
  test.each(effects)("%s", async (_, declared, job, effect) => {
    const { changes } = await planned([{ name: "a", ...declared }], [{ ...live, ...job }]);
    expect(changes.map(({ shifts }) => effectOf(shifts))).toEqual([effect]);
  });

  test("is shown as a share of requests", async () => {
    const why = async (sample_rate: Json, declared: Json) => {
      const own = { name: "a", extra: { output_options: { sample_rate: declared } } };
      const { changes } = await planned([own], [{ ...live, output_options: { sample_rate } }]);
      return changes.flatMap(({ shifts }) => shifts.map(({ way, why: words }) => `${way}: ${words}`));
    };
    expect(await why(1, 0.07)).toEqual(["weaker: 100 % of requests logged → 7 % of requests logged"]);
    expect(await why(0.5, 1)).toEqual(["stronger: 50 % of requests logged → 100 % of requests logged"]);
    expect(await why("half", 1)).toEqual(['unknown: a sample rate of "half" → 100 % of requests logged']);
  });

  test("strengthens with a new job and weakens without an old one", async () => {
    const declared = { dataset: "http_requests", destination_conf: DESTINATION, extra: { filter: "{}" } };
    const { changes } = await planned(
      [
        { name: "b", ...declared },
        { name: "a", ensure: "absent" },
      ],
      [live],
    );
    expect(changes.map(({ shifts }) => effectOf(shifts))).toEqual(["strengthens", "weakens"]);
  });
});
