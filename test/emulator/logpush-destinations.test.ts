import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/emulator/index.js";
import { isObject, type Json } from "../../src/model/json.js";
import { answered, call, start } from "./call.js";
import {
  bare,
  bucket,
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

const dnsError = "error validating destination: error writing object: DNSError";
const missing = wrong("ownership_challenge", "ownership_challenge is required for this destination");
const mismatch = wrong("ownership_challenge", "ownership_challenge is not that of this destination");

describe("an ownership challenge", () => {
  const rows: readonly [destination: string, verb: "needs" | "does without"][] = [
    ["s3://my-bucket/logs?region=us-west-2", "needs"],
    ["s3://my-bucket/{DATE}?region=us-west-2&sse=AES256", "needs"],
    ["s3://my-bucket/logs?region=us-west-2&access-key-id=A&secret-access-key=B", "does without"],
    ["gs://my-bucket/logs", "needs"],
    ["azure://account.blob.core.windows.net/logs?sv=1&sig=2", "needs"],
    ["sumo://collectors.example.com/receiver/v1/http/code", "needs"],
    ["https://logs.example.com/in", "does without"],
    ["r2://my-bucket/logs?account-id=A&access-key-id=B&secret-access-key=C", "does without"],
    ["datadog://intake.example.com/api/v2/logs?header_DD-API-KEY=A", "does without"],
    ["splunk://splunk.example.com:8088/services/collector/raw?channel=A", "does without"],
    ["newrelic://log-api.example.com/log/v1?Api-Key=A", "does without"],
  ];
  test.each(rows)("for a job: %s %s it", async (destination_conf, verb) => {
    const isNeeded = verb === "needs";
    const emulator = await start({ seed });
    const without = await call(emulator, "POST", jobs, { destination_conf });
    const empty = await call(emulator, "PUT", oneJob, { destination_conf, ownership_challenge: "" });
    const given = await call(emulator, "POST", jobs, { destination_conf, ownership_challenge: "token" });
    const statuses = [without.status, empty.status, given.status];
    expect(statuses).toEqual(isNeeded ? [400, 400, 200] : [200, 200, 200]);
    if (isNeeded) expect([without.body, empty.body]).toEqual([refused(missing), refused(missing)]);
    const { body } = await call(emulator, "POST", `${logpush}/ownership`, { destination_conf });
    expect(body).toMatchObject({
      result: isNeeded
        ? { valid: true, message: "", filename: expect.stringMatching(/ownership-challenge-\w+\.txt$/) }
        : { valid: true, message: "this destination needs no ownership challenge", filename: "" },
    });
  });

  test("is not needed for an update that keeps the destination", async () => {
    const emulator = await start({ seed: withJobs({ ...stored, destination_conf: bucket }) });
    expect((await call(emulator, "PUT", oneJob, { enabled: false })).status).toBe(200);
    expect((await call(emulator, "PUT", oneJob, { destination_conf: bucket })).status).toBe(200);
  });

  test("is a file below the destination's path whose name is the token", async () => {
    const emulator = await start({ seed });
    const [folder, sub, name, ...rest] = (await fileFor(emulator, bucket)).split("/");
    expect([folder, sub, rest]).toEqual(["logs", "web", []]);
    expect(name).toMatch(/^ownership-challenge-[0-9a-f]{32}\.txt$/);
    expect(await fileFor(emulator, "gs://my-bucket")).toMatch(/^ownership-challenge-/);
  });

  test("is the same in every run and differs per zone and destination", async () => {
    const zones = { ...seed.zones, "b.example": {} };
    const [emulator, again] = [await start({ seed: { zones } }), await start({ seed: { zones } })];
    const other = `/zones/${emulator.zones["b.example"]}/logpush`;
    const files = [
      await fileFor(emulator, bucket),
      await fileFor(emulator, `${bucket}&sse=AES256`),
      await fileFor(emulator, bucket, other),
    ];
    expect(new Set(files).size).toBe(3);
    expect(await fileFor(again, bucket)).toBe(files[0]);
  });

  const job = { destination_conf: bucket, name: "a" };

  test("once requested, holds the only valid token for the destination", async () => {
    const emulator = await start({ seed });
    const token = tokenIn(await fileFor(emulator, bucket));
    const other = tokenIn(await fileFor(emulator, "gs://other/logs"));
    for (const ownership_challenge of ["token", other]) {
      for (const [method, path] of [
        ["POST", jobs],
        ["PUT", oneJob],
      ] as const) {
        const reply = await call(emulator, method, path, { ...job, ownership_challenge });
        expect([reply.status, reply.body]).toEqual([400, refused(mismatch)]);
      }
    }
    const moved = await call(emulator, "PUT", oneJob, { ...job, ownership_challenge: token });
    expect([moved.status, resultOf(moved.body)]).toMatchObject([200, job]);
    expect((await call(emulator, "POST", jobs, { ...job, ownership_challenge: token })).status).toBe(200);
  });

  test("requested for one destination does not affect others", async () => {
    const emulator = await start({ seed });
    await fileFor(emulator, bucket);
    const other = { destination_conf: `${bucket}&sse=AES256`, ownership_challenge: "token" };
    expect((await call(emulator, "POST", jobs, other)).status).toBe(200);
  });

  test("is never shown after it was accepted", async () => {
    const emulator = await start({ seed });
    const ownership_challenge = tokenIn(await fileFor(emulator, bucket));
    const made = await call(emulator, "POST", jobs, { ...job, ownership_challenge });
    await call(emulator, "PUT", oneJob, { ...job, ownership_challenge });
    const seen = JSON.stringify([made.body, (await call(emulator, "GET", jobs)).body, emulator.state()]);
    expect(seen).not.toContain(ownership_challenge);
    expect(seen).not.toContain("ownership_challenge");
  });

  const validated: readonly [asked: boolean, token: "the right one" | "x" | "", valid: boolean][] = [
    [true, "the right one", true],
    [true, "x", false],
    [true, "", false],
    [false, "x", true],
    [false, "", false],
  ];
  test.each(validated)("requested: %j, then sent as %j, is valid: %j", async (asked, token, valid) => {
    const emulator = await start({ seed });
    const right = asked ? tokenIn(await fileFor(emulator, bucket)) : "";
    const ownership_challenge = token === "the right one" ? right : token;
    const body = { destination_conf: bucket, ownership_challenge };
    const reply = await call(emulator, "POST", `${logpush}/ownership/validate`, body);
    expect([reply.status, reply.body]).toEqual([200, answered({ valid })]);
  });
});

describe("a destination that cannot be resolved", () => {
  test.each([lost, "s3://bucket.invalid/a", "https://LOGS.INVALID./in", "splunk://a.b.invalid:8088/x"])(
    "%s is refused by every request that writes it",
    async (destination_conf) => {
      const emulator = await start({ seed: withJobs({ ...bare, destination_conf }) });
      const requests = [
        ["POST", jobs, { destination_conf, ownership_challenge: "token" }],
        ["PUT", oneJob, { destination_conf }],
        ["PUT", oneJob, { destination_conf, enabled: true }],
      ] as const;
      for (const [method, path, body] of requests) {
        const reply = await call(emulator, method, path, body);
        expect([reply.status, reply.body]).toEqual([400, refused({ code: 1002, message: dnsError })]);
      }
      expect(emulator.state().zones["shop.example"]?.logpush_jobs).toEqual([{ ...bare, destination_conf }]);
    },
  );

  test("does not matter to an update without destination_conf", async () => {
    const emulator = await start({ seed: withJobs({ ...bare, destination_conf: lost }) });
    expect((await call(emulator, "PUT", oneJob, { enabled: true })).status).toBe(200);
  });

  test("gets no ownership challenge", async () => {
    const emulator = await start({ seed });
    const body = { destination_conf: "gs://bucket.invalid/a" };
    const reply = await call(emulator, "POST", `${logpush}/ownership`, body);
    expect(reply.body).toEqual(answered({ filename: "", valid: false, message: dnsError }));
    expect(emulator.state().zones["shop.example"]?.logpush_challenged).toBe(undefined);
  });

  test("is recognized only by the top-level domain invalid", async () => {
    const emulator = await start({ seed });
    const destination_conf = "https://invalid.example.com/x.invalid?y=.invalid";
    expect((await call(emulator, "POST", jobs, { destination_conf })).status).toBe(200);
  });
});

describe("a question", () => {
  const rows: readonly [path: string, body: Json, result: Json][] = [
    ["validate/destination", { destination_conf: open }, { valid: true, message: "" }],
    ["validate/destination", { destination_conf: lost }, { valid: false, message: dnsError }],
  ];
  test.each(rows)("%s with %j is answered with %j", async (path, body, result) => {
    const emulator = await start({ seed });
    const before = emulator.state();
    const reply = await call(emulator, "POST", `${logpush}/${path}`, body);
    expect([reply.status, reply.body]).toEqual([200, answered(result)]);
    expect(emulator.state()).toEqual(before);
  });

  test.each([
    ["ownership", {}, wrong("destination_conf", "destination_conf is required")],
    ["ownership", { destination_conf: open, name: "a" }, wrong("name", "unknown field")],
    [
      "ownership/validate",
      { destination_conf: bucket },
      wrong("ownership_challenge", "ownership_challenge is required"),
    ],
    [
      "validate/destination",
      { destination_conf: 1 },
      wrong("destination_conf", "must be a URL of up to 4096 characters"),
    ],
  ])("%s with %j is refused", async (path, body, error) => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "POST", `${logpush}/${path}`, body);
    expect([reply.status, reply.body]).toEqual([400, refused(error)]);
  });
});

async function fileFor(emulator: Emulator, destination_conf: string, under = logpush): Promise<string> {
  const { body } = await call(emulator, "POST", `${under}/ownership`, { destination_conf });
  const result = resultOf(body);
  return isObject(result) && typeof result.filename === "string" ? result.filename : "";
}

function tokenIn(file: string): string {
  return file.replace(/^.*\//, "").replace(/\.txt$/, "");
}
