import { describe, expect, test } from "vitest";
import type { Json } from "../../src/model/json.js";
import { checkRequest, checkResponse, openapiAvailable } from "../support/openapi.js";
import { call, newPolicy, policyId, seed, send, shield, start } from "./call.js";

describe.skipIf(!openapiAvailable)("in the dialect of the service", () => {
  const none = "99999999999999999999999999999999";
  const policies = `${shield}/policies`;
  const requests: readonly [what: string, method: string, path: string, body?: Json][] = [
    ["a list of zones", "GET", "/zones"],
    ["a page of zones", "GET", "/zones?page=1&per_page=5&name=shop.example"],
    ["a refused page of zones", "GET", "/zones?per_page=1"],
    ["the settings", "GET", shield],
    ["an update of the settings", "PUT", shield, { enabled: false, use_connection_url_path: true }],
    ["a refused update of the settings", "PUT", shield, { enabled: 1 }],
    ["the settings of no zone", "GET", `/zones/${none}/page_shield`],
    ["the settings of what is no id", "GET", "/zones/x/page_shield"],
    ["a list of policies", "GET", policies],
    ["a policy", "GET", `${policies}/${policyId}`],
    ["no policy", "GET", `${policies}/${none}`],
    ["a creation", "POST", policies, newPolicy],
    ["a refused creation", "POST", policies, { value: "x", expression: "", colour: "red" }],
    ["a creation beyond the limit", "POST", policies, newPolicy],
    ["an update", "PUT", `${policies}/${policyId}`, { action: "log", enabled: false }],
    [
      "an update to the newest action",
      "PUT",
      `${policies}/${policyId}`,
      { action: "add_reporting_directives" },
    ],
    ["a refused update", "PUT", `${policies}/${policyId}`, { enabled: "true" }],
    ["an update of no policy", "PUT", `${policies}/${none}`, {}],
    ["an update with a body that is no object", "PUT", `${policies}/${policyId}`, []],
    ["a deletion", "DELETE", `${policies}/${policyId}`],
    ["a deletion of no policy", "DELETE", `${policies}/${policyId}`],
  ];

  test("every answer is as the published OpenAPI document has it", async () => {
    const emulator = await start({ seed, policyLimit: 2 });
    for (const [what, method, path, body] of requests) {
      const { status, body: answer } = await call(emulator, method, path, body);
      expect([what, status, checkResponse(method, path, status, answer)]).toEqual([what, status, []]);
      const denied = await send(emulator, method, path, {}, null);
      expect([what, checkResponse(method, path, denied.status, denied.body)]).toEqual([what, []]);
    }
    const statuses = new Set(emulator.log.map((each) => each.status));
    expect([...statuses].sort()).toEqual([200, 204, 400, 403, 404]);
  });
});

describe.skipIf(!openapiAvailable)("the check of answers", () => {
  test("finds what the dialect of the interface does otherwise", async () => {
    const emulator = await start({ seed, dialect: "interface" });
    const findings = [];
    for (const [method, path, body] of [
      ["GET", shield, undefined],
      ["PUT", shield, { enabled: true }],
      ["GET", `${shield}/policies`, undefined],
      ["GET", `${shield}/policies/${policyId}`, undefined],
      ["DELETE", `${shield}/policies/${policyId}`, undefined],
    ] as const) {
      const reply = await call(emulator, method, path, body);
      findings.push(checkResponse(method, path, reply.status, reply.body).map((each) => each.split(": ")[1]));
    }
    const missing = (name: string) => `/result must have required property '${name}'`;
    expect(findings).toEqual([
      [missing("use_cloudflare_reporting_endpoint")],
      [missing("use_cloudflare_reporting_endpoint"), missing("use_connection_url_path")],
      ["the body must have required property 'result_info'", "/result/0/enabled must be boolean"],
      ["/result/enabled must be boolean"],
      ["the status 200 is not documented"],
    ]);
  });

  test("finds a body where there should be none, and an operation that does not exist", () => {
    expect(checkResponse("DELETE", `${shield}/policies/${policyId}`, 204, {})).toHaveLength(1);
    expect(checkResponse("PATCH", shield, 200, {})).toEqual([
      `PATCH ${shield}: the document has no such operation`,
    ]);
    expect(checkResponse("GET", "/zones/x/y/z", 404, null)).toHaveLength(1);
  });

  test("finds null where the document has a list, except for the messages of failures", () => {
    const failure = { result: null, success: false, errors: [{ message: "no" }], messages: null };
    expect(checkResponse("GET", shield, 403, failure)).toEqual([]);
    expect(checkResponse("GET", shield, 403, { ...failure, errors: null })).toHaveLength(1);
  });
});

describe.skipIf(!openapiAvailable)("the check of requests", () => {
  const rows: readonly [
    sentence: string,
    method: string,
    path: string,
    body: Json | null,
    findings: number,
  ][] = [
    ["accepts a page of zones", "GET", "/zones?page=2&per_page=50&account.id=x", null, 0],
    ["finds a page that is too large", "GET", "/zones?per_page=51", null, 1],
    ["finds a page that is no number", "GET", "/zones?page=two", null, 1],
    ["finds a parameter that is not documented", "GET", `${shield}/policies?page=2`, null, 1],
    ["finds an identifier that is too long", "GET", `/zones/${"1".repeat(33)}/page_shield`, null, 1],
    ["accepts a partial update of the settings", "PUT", shield, { enabled: true }, 0],
    ["finds a setting that does not exist", "PUT", shield, { use_service_reporting_endpoint: true }, 1],
    ["finds a missing body", "PUT", shield, null, 1],
    ["finds a body where none is documented", "DELETE", `${shield}/policies/${policyId}`, {}, 1],
    ["accepts the creation of a policy", "POST", `${shield}/policies`, newPolicy, 0],
    ["finds what the creation of a policy lacks", "POST", `${shield}/policies`, { value: "x" }, 4],
    ["finds a field that a policy has not", "POST", `${shield}/policies`, { ...newPolicy, id: policyId }, 1],
    ["finds text for a boolean", "PUT", `${shield}/policies/${policyId}`, { enabled: "true" }, 1],
  ];
  test.each(rows)("%s", (_, method, path, body, count) => {
    expect(checkRequest(method, path, body)).toHaveLength(count);
  });
});
