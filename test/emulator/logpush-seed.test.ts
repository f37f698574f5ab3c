import { describe, expect, test } from "vitest";
import { checkSeed, type Seed } from "../../src/emulator/index.js";
import type { Json } from "../../src/model/json.js";
import { call, start } from "./call.js";
import { bare, bucket, idIn, jobs, logpush, open, seed, stored, withJobs } from "./logpush.js";

function jobsOf(state: Seed) {
  return state.zones["shop.example"]?.logpush_jobs;
}

describe("the log-push jobs of a seed", () => {
  test("come back unchanged, with unknown fields and odd values", async () => {
    const odd = { ...stored, kind: "odd", name: "two words", output_options: { sample_rate: 7, x: [1] } };
    expect(jobsOf((await start({ seed: withJobs(odd) })).state())).toEqual([odd]);
  });

  test("get defaults for missing fields", async () => {
    const state = (await start({ seed: withJobs({ id: bare.id, destination_conf: open }) })).state();
    expect(jobsOf(state)).toEqual([bare]);
  });

  test("lose their ownership challenge", async () => {
    const emulator = await start({ seed: withJobs({ ...bare, ownership_challenge: "token" }) });
    expect(jobsOf(emulator.state())).toEqual([bare]);
  });

  test("without ids get unique ids that are the same in every run", async () => {
    const one = { destination_conf: open };
    const first = jobsOf((await start({ seed: withJobs(one, one) })).state());
    const again = jobsOf((await start({ seed: withJobs(one, one) })).state());
    expect(again).toEqual(first);
    const id = first?.[0]?.id ?? 0;
    const ids = jobsOf((await start({ seed: withJobs(one, { ...one, id }) })).state())?.map((job) => job.id);
    expect(new Set(ids).size).toBe(2);
    expect(ids?.[1]).toBe(id);
  });

  test("leave no trace in the state of a zone without jobs", async () => {
    const { zones } = (await start({ seed: withJobs() })).state();
    expect(Object.keys(zones["shop.example"] ?? {}).filter((key) => key.startsWith("logpush"))).toEqual([]);
  });
});

describe("an emulator started from a state", () => {
  test("keeps the state and gives new jobs unused ids", async () => {
    const first = await start({ seed });
    const made = idIn((await call(first, "POST", jobs, { destination_conf: open })).body);
    const second = await start({ seed: first.state() });
    expect(second.state()).toEqual(first.state());
    const ids = [idIn((await call(second, "POST", jobs, { destination_conf: open })).body), made];
    expect(new Set([...ids, stored.id]).size).toBe(3);
    expect(jobsOf(second.state())).toHaveLength(3);
  });

  test("remembers the destinations with an ownership challenge", async () => {
    const first = await start({ seed });
    await call(first, "POST", `${logpush}/ownership`, { destination_conf: bucket });
    const second = await start({ seed: first.state() });
    const job = { destination_conf: bucket, ownership_challenge: "token" };
    expect((await call(second, "POST", jobs, job)).status).toBe(400);
  });
});

describe("an error in a seed", () => {
  const rows: readonly [
    what: string,
    zone: { readonly [section: string]: Json },
    places: readonly string[],
  ][] = [
    ["jobs as an object", { logpush_jobs: {} }, ["/logpush_jobs"]],
    ["a job that is text", { logpush_jobs: ["x"] }, ["/logpush_jobs/0"]],
    ["a job without a destination", { logpush_jobs: [{ name: "a" }] }, ["/logpush_jobs/0"]],
    [
      "several wrong fields",
      {
        logpush_jobs: [bare, { id: 0, destination_conf: "bucket", dataset: null, name: 7, enabled: "true" }],
      },
      ["id", "destination_conf", "dataset", "name", "enabled"].map((field) => `/logpush_jobs/1/${field}`),
    ],
    ["an id that is not a whole number", { logpush_jobs: [{ ...bare, id: 1.5 }] }, ["/logpush_jobs/0/id"]],
    ["an id as text", { logpush_jobs: [{ ...bare, id: "1" }] }, ["/logpush_jobs/0/id"]],
    ["two jobs with one id", { logpush_jobs: [bare, bare] }, ["/logpush_jobs/1/id"]],
    ["a remembered destination as text", { logpush_challenged: "x" }, ["/logpush_challenged"]],
    [
      "a remembered destination that is not a URL",
      { logpush_challenged: [bucket, 1] },
      ["/logpush_challenged/1"],
    ],
    ["fields that are not a list", { logpush_fields: { a: "RayID" } }, ["/logpush_fields/a"]],
    ["a field that is not a name", { logpush_fields: { a: [1] } }, ["/logpush_fields/a/0"]],
  ];
  test.each(rows)("is reported with its place: %s", (_, zone, places) => {
    const checked = checkSeed({ zones: { "a.example": zone } });
    const details = checked.ok ? [] : checked.problems.map((each) => each.detail);
    expect(details.map((detail) => detail.slice(0, detail.indexOf(": ")))).toEqual(
      places.map((at) => `At /zones/a.example${at}`),
    );
  });
});
