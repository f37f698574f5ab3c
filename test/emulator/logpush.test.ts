import { describe, expect, test } from "vitest";
import type { Dialect } from "../../src/emulator/index.js";
import { isObject, type Json } from "../../src/model/json.js";
import { answered, call, start, zoneId } from "./call.js";
import {
  bare,
  bucket,
  idIn,
  jobId,
  jobs,
  logpush,
  lost,
  oneJob,
  open,
  refused,
  resultOf,
  seed,
  stored,
  withJobs,
  wrong,
} from "./logpush.js";

type Fields = { readonly [field: string]: Json };

/** The default output options of a job. */
const filled = {
  "CVE-2021-44228": false,
  batch_prefix: "",
  batch_suffix: "",
  field_delimiter: ",",
  field_names: [],
  output_type: "ndjson",
  record_delimiter: "",
  record_prefix: "{",
  record_suffix: "}\n",
  record_template: "",
  sample_rate: 1,
  timestamp_format: "unixnano",
};

describe("reading log-push jobs", () => {
  test("a job has its defaults and its unknown fields", async () => {
    const emulator = await start({ seed });
    expect((await call(emulator, "GET", oneJob)).body).toEqual(answered(stored));
  });

  test("the list is not paged, is in order of creation, and has no result_info", async () => {
    const many = Array.from({ length: 25 }, (_, index) => ({ ...bare, id: 100 - index }));
    const emulator = await start({ seed: withJobs(...many) });
    expect((await call(emulator, "GET", jobs)).body).toEqual(answered(many));
  });

  test("a dataset describes its fields, including those of custom log fields", async () => {
    const emulator = await start({ seed });
    const { body } = await call(emulator, "GET", `${logpush}/datasets/http_requests/fields`);
    expect(body).toMatchObject({
      result: {
        RequestHeaders: expect.any(String),
        ResponseHeaders: expect.any(String),
        Cookies: expect.any(String),
      },
    });
  });

  test("a seed can replace a dataset's fields in a zone, and the state keeps them", async () => {
    const logpush_fields = { http_requests: ["RayID", "NewSignal"], gateway_dns: ["Whatever"] };
    const emulator = await start({ seed: { zones: { "shop.example": { id: zoneId, logpush_fields } } } });
    for (const [dataset, names] of Object.entries(logpush_fields)) {
      const { body } = await call(emulator, "GET", `${logpush}/datasets/${dataset}/fields`);
      expect(Object.keys(resultOf(body) ?? {})).toEqual(names);
    }
    expect(emulator.state().zones["shop.example"]).toMatchObject({ logpush_fields });
  });

  test("an unknown dataset is refused", async () => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "GET", `${logpush}/datasets/constructor/fields`);
    expect([reply.status, reply.body]).toEqual([400, refused({ message: "unknown dataset" })]);
  });

  test.each(["4712", "0", "04711", "4711.0", "-1", "x", "__proto__", "99999999999999999999"])(
    "a job with the id %s is a 404 for every method",
    async (id) => {
      const emulator = await start({ seed });
      for (const method of ["GET", "PUT", "DELETE"]) {
        const reply = await call(emulator, method, `${jobs}/${id}`, method === "PUT" ? {} : undefined);
        expect([reply.status, reply.body]).toEqual([404, refused({ message: "job not found" })]);
      }
    },
  );

  test("a job of one zone is not found in another", async () => {
    const zone = { logpush_jobs: [{ destination_conf: open }] };
    const emulator = await start({ seed: { zones: { "a.example": zone, "b.example": zone } } });
    const path = (name: string) => `/zones/${emulator.zones[name]}/logpush/jobs`;
    const id = emulator.state().zones["a.example"]?.logpush_jobs?.[0]?.id;
    expect((await call(emulator, "GET", `${path("a.example")}/${id}`)).status).toBe(200);
    expect((await call(emulator, "GET", `${path("b.example")}/${id}`)).status).toBe(404);
  });
});

describe("creating a log-push job", () => {
  test("needs only a destination; the answer has an id and the defaults", async () => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "POST", jobs, { destination_conf: open });
    const id = idIn(reply.body);
    expect([reply.status, reply.body]).toEqual([200, answered({ ...bare, id: id ?? null })]);
    expect((await call(emulator, "GET", jobs)).body).toEqual(
      answered([stored, resultOf(reply.body) ?? null]),
    );
  });

  test("answers with keys in another order than in the request", async () => {
    const emulator = await start({ seed });
    const body = { name: "a", destination_conf: open, dataset: "dns_logs", enabled: true };
    const made = resultOf((await call(emulator, "POST", jobs, body)).body) ?? null;
    expect(made).toMatchObject(body);
    const keys = Object.keys(isObject(made) ? made : {}).filter((key) => key in body);
    expect(keys).not.toEqual(Object.keys(body));
  });

  const shown: readonly [what: string, sent: Fields, got: Fields][] = [
    ["another dataset", { dataset: "firewall_events" }, { dataset: "firewall_events" }],
    ["null for fields with a default", { dataset: null, frequency: null, kind: null }, {}],
    ["null for fields without a default", { name: null, logpull_options: null, output_options: null }, {}],
    ["the kind edge", { kind: "edge" }, { kind: "edge" }],
    ["an empty kind", { kind: "" }, { kind: "" }],
    ["a low frequency", { frequency: "low" }, { frequency: "low" }],
    [
      "limits of batches",
      { max_upload_bytes: 5_000_000, max_upload_records: 0 },
      { max_upload_bytes: 5_000_000, max_upload_records: 0 },
    ],
    ["the longest batch", { max_upload_interval_seconds: 300 }, { max_upload_interval_seconds: 300 }],
    ["a name with every kind of allowed character", { name: "Az-0.9" }, { name: "Az-0.9" }],
    ["an empty name", { name: "" }, { name: "" }],
    ["a filter", { filter: '{"where":{}}' }, { filter: '{"where":{}}' }],
    ["filter_attack_traffic", { filter_attack_traffic: true }, { filter_attack_traffic: true }],
    [
      "logpull options",
      { logpull_options: "fields=A,B&sample=0.5" },
      { logpull_options: "fields=A,B&sample=0.5" },
    ],
    ["empty output options", { output_options: {} }, { output_options: {} }],
    [
      "some output options",
      { output_options: { field_names: ["B", "A"], sample_rate: 0.1, "CVE-2021-44228": true } },
      { output_options: { field_names: ["B", "A"], sample_rate: 0.1, "CVE-2021-44228": true } },
    ],
    [
      "output options that are null",
      { output_options: { record_prefix: null, field_names: null, output_type: null, sample_rate: 1 } },
      { output_options: { sample_rate: 1 } },
    ],
    [
      "both styles of options",
      { logpull_options: "fields=A", output_options: { field_names: ["B"] } },
      { logpull_options: "fields=A", output_options: { field_names: ["B"] } },
    ],
    ["an unneeded ownership challenge", { ownership_challenge: "token" }, {}],
  ];
  test.each(shown)("with %s returns the full job, in the answer and later", async (_, sent, got) => {
    const emulator = await start({ seed: withJobs() });
    const { body } = await call(emulator, "POST", jobs, { destination_conf: open, ...sent });
    const job = { ...bare, ...got, id: idIn(body) ?? null };
    expect(body).toEqual(answered(job));
    expect((await call(emulator, "GET", `${jobs}/${String(job.id)}`)).body).toEqual(answered(job));
  });

  test("accepts a second job with the same name and destination", async () => {
    const emulator = await start({ seed });
    const body = { destination_conf: open, name: stored.name };
    expect((await call(emulator, "POST", jobs, body)).status).toBe(200);
  });

  test("without a destination is refused", async () => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "POST", jobs, { name: "a" });
    const error = wrong("destination_conf", "destination_conf is required");
    expect([reply.status, reply.body]).toEqual([400, refused(error)]);
  });

  test("gives ids that are unique and the same in every run", async () => {
    const run = async () => {
      const emulator = await start({ seed });
      const ids = [];
      for (let n = 0; n < 3; n += 1) {
        await call(emulator, "POST", jobs, {});
        const id = idIn((await call(emulator, "POST", jobs, { destination_conf: open })).body);
        ids.push(id);
        await call(emulator, "DELETE", `${jobs}/${String(id)}`);
      }
      return ids;
    };
    const ids = await run();
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => Number.isSafeInteger(id) && Number(id) > 0)).toBe(true);
    expect(await run()).toEqual(ids);
  });
});

describe("the limit of log-push jobs", () => {
  const tooMany = (dataset: string) =>
    refused({
      code: 1004,
      message: `creating a new job (for ${dataset} dataset) is not allowed: exceeded max jobs allowed`,
    });

  test("refuses one more job until one is deleted", async () => {
    const emulator = await start({ seed, logpushJobLimit: 1 });
    const first = await call(emulator, "POST", jobs, { destination_conf: open });
    expect([first.status, first.body]).toEqual([403, tooMany("http_requests")]);
    const second = await call(emulator, "POST", jobs, { destination_conf: open, dataset: "dns_logs" });
    expect([second.status, second.body]).toEqual([403, tooMany("dns_logs")]);
    await call(emulator, "DELETE", oneJob);
    expect((await call(emulator, "POST", jobs, { destination_conf: open })).status).toBe(200);
  });

  test("of 0 forbids all jobs", async () => {
    const emulator = await start({ logpushJobLimit: 0 });
    const path = `/zones/${emulator.zones["example.com"]}/logpush/jobs`;
    expect((await call(emulator, "POST", path, { destination_conf: open })).status).toBe(403);
  });

  test.each([null, undefined])("does not apply when it is %s", async (logpushJobLimit) => {
    const emulator = await start({ seed, ...(logpushJobLimit === undefined ? {} : { logpushJobLimit }) });
    for (let n = 0; n < 5; n += 1) {
      expect((await call(emulator, "POST", jobs, { destination_conf: open })).status).toBe(200);
    }
  });

  test("uses up no id for a refused job", async () => {
    const [refusing, other] = [await start({ seed, logpushJobLimit: 1 }), await start({ seed })];
    await call(refusing, "POST", jobs, { destination_conf: open });
    const ids = [];
    for (const emulator of [refusing, other]) {
      await call(emulator, "DELETE", oneJob);
      ids.push(idIn((await call(emulator, "POST", jobs, { destination_conf: open })).body));
    }
    expect(ids[0]).toBe(ids[1]);
  });
});

describe("updating a log-push job", () => {
  const rows: readonly [what: string, sent: Fields, changed: Fields][] = [
    ["nothing", {}, {}],
    ["one field", { enabled: false }, { enabled: false }],
    ["another name", { name: "renamed" }, { name: "renamed" }],
    ["the job's own dataset and kind", { dataset: "http_requests", kind: "" }, {}],
    ["null for the name", { name: null }, { name: null }],
    ["null for a field with a default", { frequency: null }, { frequency: "high" }],
    [
      "another destination that needs no challenge",
      { destination_conf: `${open}&x=1` },
      { destination_conf: `${open}&x=1` },
    ],
    ["the other style of options", { output_options: {} }, { output_options: {} }],
    ["null for fields that cannot change", { dataset: null, kind: null }, {}],
    ["null for logpull options", { logpull_options: null }, { logpull_options: null }],
  ];
  test.each(rows)("with %s leaves all other fields unchanged", async (_, sent, changed) => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "PUT", oneJob, sent);
    expect([reply.status, reply.body]).toEqual([200, answered({ ...stored, ...changed })]);
    expect((await call(emulator, "GET", oneJob)).body).toEqual(answered({ ...stored, ...changed }));
  });

  test("replaces all output options, so missing ones are removed", async () => {
    const output_options = { ...filled, field_names: ["RayID"], "CVE-2021-44228": true, unheard_of: 1 };
    const emulator = await start({ seed: withJobs({ ...stored, output_options }) });
    const sent = { output_options: { field_names: ["ClientIP"] } };
    expect(resultOf((await call(emulator, "PUT", oneJob, sent)).body)).toEqual({
      ...stored,
      output_options: { field_names: ["ClientIP"] },
    });
  });

  const given: readonly [what: string, sent: Fields, got: Fields][] = [
    ["none", {}, filled],
    ["null", { output_type: null, sample_rate: null }, filled],
    [
      "some",
      { field_names: ["B", "A"], sample_rate: 0.1 },
      { ...filled, field_names: ["B", "A"], sample_rate: 0.1 },
    ],
    [
      "the type CSV, with its own defaults",
      { output_type: "csv", field_delimiter: "\t" },
      { ...filled, output_type: "csv", field_delimiter: "\t", record_prefix: "", record_suffix: "\n" },
    ],
  ];
  test.each(given)("completes output options with logpushOutputFilled, given %s", async (_, sent, got) => {
    const emulator = await start({ seed, logpushOutputFilled: true });
    const made = await call(emulator, "POST", jobs, { destination_conf: open, output_options: sent });
    expect(resultOf(made.body)).toMatchObject({ output_options: got });
    const updated = await call(emulator, "PUT", oneJob, { output_options: sent });
    expect(resultOf(updated.body)).toEqual({ ...stored, output_options: got });
  });

  test("accepts unchanged values from a seed that would be refused as new", async () => {
    const odd = {
      ...bare,
      name: "a name",
      logpull_options: "sample=7",
      max_upload_bytes: 1,
      output_options: { ...filled, "CVE-2021-4428": true, timestamp_format: "swatch" },
      note: "kept",
    };
    const emulator = await start({ seed: withJobs(odd) });
    const { id: _, last_complete: __, last_error: ___, error_message: ____, ...sent } = odd;
    const reply = await call(emulator, "PUT", oneJob, { ...sent, enabled: true });
    expect([reply.status, reply.body]).toEqual([200, answered({ ...odd, enabled: true })]);
  });

  test.each([
    ["dataset", "dns_logs"],
    ["kind", "edge"],
  ])("cannot change its %s to %j", async (field, value) => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "PUT", oneJob, { enabled: false, [field]: value });
    expect([reply.status, reply.body]).toEqual([400, refused(wrong(field, `${field} cannot be changed`))]);
    expect(emulator.state().zones["shop.example"]?.logpush_jobs).toEqual([stored]);
  });

  test.each(["id", "last_complete", "last_error", "error_message"] as const)(
    "refuses %s, even unchanged",
    async (field) => {
      const emulator = await start({ seed });
      const reply = await call(emulator, "PUT", oneJob, { [field]: stored[field] });
      expect([reply.status, reply.body]).toEqual([400, refused(wrong(field, "unknown field"))]);
    },
  );
});

describe("deleting a log-push job", () => {
  test("answers 200 with the id, and 404 the second time", async () => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "DELETE", oneJob);
    expect([reply.status, reply.body]).toEqual([200, answered({ id: jobId })]);
    expect((await call(emulator, "DELETE", oneJob)).status).toBe(404);
    expect((await call(emulator, "GET", jobs)).body).toEqual(answered([]));
  });
});

describe("a refused body", () => {
  const url = "must be a URL of up to 4096 characters";
  const name = "must be up to 512 letters, digits, hyphens and dots, or null";
  const long = `https://a.example/${"x".repeat(4096)}`;
  const rows: readonly [field: string, value: Json, message: string][] = [
    ["colour", "red", "unknown field"],
    ["constructor", {}, "unknown field"],
    ["destination_conf", "my-bucket", url],
    ["destination_conf", "mailto:a@b.example", url],
    ["destination_conf", null, url],
    ["destination_conf", long, url],
    ["enabled", "true", "must be true or false"],
    ["enabled", null, "must be true or false"],
    ["filter", "where", "must be JSON as a string, or null"],
    ["filter", {}, "must be JSON as a string, or null"],
    ["filter_attack_traffic", null, "must be true or false"],
    ["frequency", "medium", "must be high, low or null"],
    ["logpull_options", 1, "must be a string of up to 4096 characters, or null"],
    ["logpull_options", "x".repeat(4097), "must be a string of up to 4096 characters, or null"],
    ["logpull_options", "fields=A,,B", "fields must be names of fields with commas between them"],
    ["max_upload_bytes", 4_999_999, "must be a whole number from 5000000 to 1000000000, 0 or null"],
    ["max_upload_interval_seconds", 301, "must be a whole number from 30 to 300, 0 or null"],
    ["max_upload_records", 1000.5, "must be a whole number from 1000 to 1000000, 0 or null"],
    ["max_upload_records", "1000", "must be a whole number from 1000 to 1000000, 0 or null"],
    ["name", "two words", name],
    ["name", "under_score", name],
    ["name", "x".repeat(513), name],
    ["name", 7, name],
    ["output_options", [], "must be an object or null"],
    ["ownership_challenge", "a b", "must be a token of up to 4096 characters"],
    ["ownership_challenge", null, "must be a token of up to 4096 characters"],
  ];
  test.each(rows)("with %s = %j changes nothing, in POST and in PUT", async (field, value, message) => {
    await expectRefusal({ [field]: value }, wrong(field, message));
  });

  const options: readonly [option: string, value: Json, message: string][] = [
    ["CVE-2021-4428", true, "unknown field"],
    ["CVE-2021-44228", "true", "must be true or false"],
    ["batch_prefix", 1, "must be a string"],
    ["field_names", "RayID", "must be a list of strings"],
    ["field_names", [1], "must be a list of strings"],
    ["merge_subrequests", 1, "must be true or false"],
    ["output_type", "xml", "must be one of ndjson, csv"],
    ["sample_rate", 0, "must be greater than 0 and at most 1"],
    ["sample_rate", 1.1, "must be greater than 0 and at most 1"],
    ["timestamp_format", "iso", "must be one of unixnano, unix, rfc3339, rfc3339ms, rfc3339ns"],
  ];
  test.each(options)(
    "with the output option %s = %j gets an error that points to the option",
    async (option, value, message) => {
      const error = wrong(`output_options/${option}`, message);
      await expectRefusal({ output_options: { [option]: value } }, error);
    },
  );

  test("includes one with an unknown dataset or kind, in POST", async () => {
    const emulator = await start({ seed });
    for (const [field, value] of [
      ["dataset", "no/dataset"],
      ["dataset", ""],
      ["kind", "cloud"],
    ] as const) {
      const { status } = await call(emulator, "POST", jobs, { destination_conf: open, [field]: value });
      expect(status).toBe(400);
    }
  });

  test("gets all of its errors at once", async () => {
    const emulator = await start({ seed });
    const body = { name: "a b", colour: "red", output_options: { x: 1, sample_rate: 2 } };
    expect((await call(emulator, "POST", jobs, body)).body).toMatchObject({ errors: [{}, {}, {}, {}, {}] });
  });

  async function expectRefusal(fields: Fields, error: Json): Promise<void> {
    const emulator = await start({ seed });
    for (const [method, path] of [
      ["POST", jobs],
      ["PUT", oneJob],
    ] as const) {
      const body = { ...(method === "POST" ? { destination_conf: open } : {}), ...fields };
      const reply = await call(emulator, method, path, body);
      expect([method, reply.status, reply.body]).toEqual([method, 400, refused(error)]);
    }
    expect(emulator.state().zones["shop.example"]?.logpush_jobs).toEqual([stored]);
  }
});

describe("log-push requests other than creating a job", () => {
  type Options = { readonly dialect?: Dialect; readonly logpushCreationOnly?: boolean };
  const rows: readonly [sentence: string, options: Options, list: number, rest: number][] = [
    ["do not exist in the interface dialect", { dialect: "interface" }, 405, 404],
    ["exist in the service dialect", { dialect: "service" }, 200, 200],
    ["can be removed from the service dialect by option", { logpushCreationOnly: true }, 405, 404],
    [
      "can be added to the interface dialect by option",
      { dialect: "interface", logpushCreationOnly: false },
      200,
      200,
    ],
  ];
  const others: readonly [method: string, path: string, body?: Json][] = [
    ["GET", oneJob],
    ["PUT", oneJob, { enabled: false }],
    ["POST", `${logpush}/ownership`, { destination_conf: bucket }],
    ["POST", `${logpush}/ownership/validate`, { destination_conf: bucket, ownership_challenge: "x" }],
    ["POST", `${logpush}/validate/destination`, { destination_conf: lost }],
    ["DELETE", oneJob],
  ];

  test.each(rows)("%s", async (_, options, list, rest) => {
    const emulator = await start({ seed, ...options });
    expect((await call(emulator, "GET", jobs)).status).toBe(list);
    for (const [method, path, body] of others) {
      const { status } = await call(emulator, method, path, body);
      expect([method, path, status]).toEqual([method, path, rest]);
    }
    const fields = await call(emulator, "GET", `${logpush}/datasets/http_requests/fields`);
    expect(fields.status, "the fields of a dataset are listed in any case").toBe(200);
    const left = emulator.state().zones["shop.example"]?.logpush_jobs ?? [];
    expect(left).toHaveLength(rest === 404 ? 1 : 0);
  });

  test("are not needed to create a job", async () => {
    const emulator = await start({ seed: withJobs(), dialect: "interface" });
    const body = { destination_conf: open, name: "a", dataset: "http_requests", logpull_options: "fields=A" };
    const reply = await call(emulator, "POST", jobs, body);
    expect([reply.status, resultOf(reply.body)]).toMatchObject([200, body]);
    expect(emulator.state().zones["shop.example"]?.logpush_jobs).toEqual([resultOf(reply.body)]);
  });

  test("leave the creation in an unknown zone a 404", async () => {
    const emulator = await start({ seed, dialect: "interface" });
    const path = jobs.replace(zoneId, "99999999999999999999999999999999");
    expect((await call(emulator, "POST", path, { destination_conf: open })).status).toBe(404);
  });
});
