import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.js";
import { findingsOf, type Part } from "./zone-states.js";

const jobs = (...normals: readonly JsonObject[]): Part => ({
  kind: "logpush_job",
  objects: normals.map((normal, index) => ({ normal, at: ["logpush_jobs", index], was: null })),
  gone: null,
});
const logFields = (normal: JsonObject): Part => ({
  kind: "custom_log_fields",
  objects: [
    { normal: { enabled: true, expression: "true", ...normal }, at: ["custom_log_fields"], was: null },
  ],
  gone: null,
});
const removed: Part = { kind: "custom_log_fields", objects: [], gone: null };
const job = (fields: readonly string[], more: JsonObject = {}): JsonObject => ({
  ...{ name: "requests", dataset: "http_requests", enabled: true, fields: ["ClientIP", ...fields] },
  ...more,
});
const foreign = (normal: JsonObject): Part => ({
  kind: "logpush_job",
  objects: [{ normal, at: null, was: null }],
  gone: null,
});

function warnings(...parts: readonly Part[]): readonly string[] {
  return findingsOf(...parts).map(({ severity, code, path }) => `${severity} ${code} ${path.join("/")}`);
}

describe("a job that asks for custom log fields", () => {
  const missing = "warning custom_fields_missing logpush_jobs/0/fields";

  test.each<[string, readonly Part[], readonly string[]]>([
    ["is fine where they are configured", [jobs(job(["Cookies"])), logFields({ cookie_fields: ["a"] })], []],
    [
      "is fine whichever form of a header is configured",
      [
        jobs(job(["RequestHeaders", "ResponseHeaders"])),
        logFields({ transformed_request_fields: ["a"], raw_response_fields: [{ name: "b" }] }),
      ],
      [],
    ],
    [
      "is warned of where others are configured",
      [jobs(job(["Cookies", "RequestHeaders"])), logFields({ request_fields: ["a"] })],
      [missing],
    ],
    [
      "is warned of where the list is empty",
      [jobs(job(["Cookies"])), logFields({ cookie_fields: [] })],
      [missing],
    ],
    ["is warned of where the rule is removed", [jobs(job(["Cookies"])), removed], [missing]],
    ["is warned of where the zone does not manage them", [jobs(job(["ResponseHeaders"]))], [missing]],
    [
      "is warned of when it is switched off too",
      [jobs(job(["Cookies"], { enabled: false })), removed],
      [missing],
    ],
    [
      "is warned of when it has the dataset by default",
      [jobs({ name: "a", fields: ["Cookies"] })],
      [missing],
    ],
    [
      "is warned of once, whatever it asks for",
      [jobs(job(["Cookies", "RequestHeaders", "ResponseHeaders"]))],
      [missing],
    ],
    [
      "is warned of alone",
      [jobs(job([]), job(["Cookies"]))],
      ["warning custom_fields_missing logpush_jobs/1/fields"],
    ],
    ["is fine in another dataset", [jobs(job(["Cookies"], { dataset: "firewall_events" })), removed], []],
    [
      "is shown at the section where no file declares it",
      [foreign(job(["Cookies"])), removed],
      ["warning custom_fields_missing logpush_jobs"],
    ],
    ["is nobody's business where neither is declared", [foreign(job(["Cookies"]))], []],
  ])("%s", (_, parts, expected) => {
    expect(warnings(...parts)).toEqual(expected);
  });

  test("is named with what it lacks and where that goes", () => {
    const [managed] = findingsOf(jobs(job(["Cookies", "RequestHeaders"])), removed);
    expect(managed?.detail).toBe(
      'The job "requests" logs RequestHeaders and Cookies, and custom_log_fields names nothing for it. Add names to request_fields or transformed_request_fields; cookie_fields, or remove RequestHeaders and Cookies from the job.',
    );
    const [unmanaged] = findingsOf(jobs(job(["Cookies"])));
    expect(unmanaged?.detail).toBe(
      'The job "requests" logs Cookies, which has only custom log fields, and the files do not manage custom_log_fields. Declare them (cookie_fields), or check that they are set elsewhere.',
    );
  });
});

describe("custom log fields", () => {
  const all = logFields({
    request_fields: ["a"],
    response_fields: ["b"],
    raw_response_fields: ["c"],
    cookie_fields: [],
  });
  const unused = (list: string) => `warning custom_fields_unused custom_log_fields/${list}`;

  test.each<[string, readonly Part[], readonly string[]]>([
    ["are fine where a job logs them", [all, jobs(job(["ResponseHeaders", "RequestHeaders"]))], []],
    ["are fine where two jobs log them", [all, jobs(job(["RequestHeaders"]), job(["ResponseHeaders"]))], []],
    [
      "are fine where a job that no file declares logs them",
      [all, foreign(job(["RequestHeaders", "ResponseHeaders"]))],
      [],
    ],
    [
      "are warned of where the job that would log them is switched off",
      [logFields({ cookie_fields: ["a"] }), jobs(job(["Cookies"], { enabled: false }))],
      [unused("cookie_fields")],
    ],
    [
      "are warned of list by list where no job logs them",
      [all, jobs(job(["RequestHeaders"]))],
      [unused("response_fields"), unused("raw_response_fields")],
    ],
    [
      "are warned of where there is no job",
      [logFields({ cookie_fields: ["a"] }), jobs()],
      [unused("cookie_fields")],
    ],
    [
      "are warned of where only another dataset has such fields",
      [logFields({ cookie_fields: ["a"] }), jobs(job(["Cookies"], { dataset: "dns_logs" }))],
      [unused("cookie_fields")],
    ],
    ["are not judged where the zone does not manage jobs", [all], []],
    ["are not judged where it is unknown what a job asks for", [all, jobs({ name: "a" }, job([]))], []],
  ])("%s", (_, parts, expected) => {
    expect(warnings(...parts)).toEqual(expected);
  });
});
