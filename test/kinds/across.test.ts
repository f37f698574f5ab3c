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

describe("a job that logs custom log fields", () => {
  const missing = "warning custom_fields_missing logpush_jobs/0/fields";

  test.each<[string, readonly Part[], readonly string[]]>([
    ["is fine if they are configured", [jobs(job(["Cookies"])), logFields({ cookie_fields: ["a"] })], []],
    [
      "is fine with either form of a header configured",
      [
        jobs(job(["RequestHeaders", "ResponseHeaders"])),
        logFields({ transformed_request_fields: ["a"], raw_response_fields: [{ name: "b" }] }),
      ],
      [],
    ],
    [
      "causes a warning if others are configured",
      [jobs(job(["Cookies", "RequestHeaders"])), logFields({ request_fields: ["a"] })],
      [missing],
    ],
    [
      "causes a warning if the list is empty",
      [jobs(job(["Cookies"])), logFields({ cookie_fields: [] })],
      [missing],
    ],
    ["causes a warning if the rule is removed", [jobs(job(["Cookies"])), removed], [missing]],
    ["causes a warning if the zone does not declare them", [jobs(job(["ResponseHeaders"]))], [missing]],
    [
      "causes a warning even if it is switched off",
      [jobs(job(["Cookies"], { enabled: false })), removed],
      [missing],
    ],
    ["causes a warning with the default dataset", [jobs({ name: "a", fields: ["Cookies"] })], [missing]],
    ["causes only one warning", [jobs(job(["Cookies", "RequestHeaders", "ResponseHeaders"]))], [missing]],
    [
      "causes no warning for other jobs",
      [jobs(job([]), job(["Cookies"]))],
      ["warning custom_fields_missing logpush_jobs/1/fields"],
    ],
    ["is fine in another dataset", [jobs(job(["Cookies"], { dataset: "firewall_events" })), removed], []],
    [
      "is reported at the section if it is undeclared",
      [foreign(job(["Cookies"])), removed],
      ["warning custom_fields_missing logpush_jobs"],
    ],
    ["causes no warning if neither is declared", [foreign(job(["Cookies"]))], []],
  ])("%s", (_, parts, expected) => {
    expect(warnings(...parts)).toEqual(expected);
  });

  test("gets a warning that names the missing fields and where to add them", () => {
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
    ["are fine if a job logs them", [all, jobs(job(["ResponseHeaders", "RequestHeaders"]))], []],
    ["are fine if two jobs log them", [all, jobs(job(["RequestHeaders"]), job(["ResponseHeaders"]))], []],
    [
      "are fine if an undeclared job logs them",
      [all, foreign(job(["RequestHeaders", "ResponseHeaders"]))],
      [],
    ],
    [
      "cause a warning if the job that logs them is switched off",
      [logFields({ cookie_fields: ["a"] }), jobs(job(["Cookies"], { enabled: false }))],
      [unused("cookie_fields")],
    ],
    [
      "cause a warning for each list that no job logs",
      [all, jobs(job(["RequestHeaders"]))],
      [unused("response_fields"), unused("raw_response_fields")],
    ],
    [
      "cause a warning if there is no job",
      [logFields({ cookie_fields: ["a"] }), jobs()],
      [unused("cookie_fields")],
    ],
    [
      "cause a warning if only a job of another dataset logs such fields",
      [logFields({ cookie_fields: ["a"] }), jobs(job(["Cookies"], { dataset: "dns_logs" }))],
      [unused("cookie_fields")],
    ],
    ["cause no warning if the zone does not declare jobs", [all], []],
    ["cause no warning if the fields of a job are unknown", [all, jobs({ name: "a" }, job([]))], []],
  ])("%s", (_, parts, expected) => {
    expect(warnings(...parts)).toEqual(expected);
  });
});
