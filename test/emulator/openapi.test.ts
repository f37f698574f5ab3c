import { describe, expect, test } from "vitest";
import type { Json } from "../../src/model/json.js";
import { checkRequest, checkResponse, openapiAvailable } from "../support/openapi.js";
import { call, detectionId, newPolicy, policyId, seed, send, shield, start } from "./call.js";
import * as logpush from "./logpush.js";
import {
  accountRulesets,
  execute,
  executeId,
  fieldsEntryPoint,
  logFields,
  newFields,
  none,
  owaspId,
  sent,
  skip,
  storedWaf,
  waf,
  wafEntryPoint,
  without,
  zoneRulesets,
} from "./rulesets.js";

describe.skipIf(!openapiAvailable)("in the dialect of the service", () => {
  const { phase } = storedWaf;
  const accountEntryPoint = `${accountRulesets}/phases/${phase}/entrypoint`;
  const policies = `${shield}/policies`;
  const requests: readonly [what: string, method: string, path: string, body?: Json][] = [
    ["a list of zones", "GET", "/zones"],
    ["a page of zones", "GET", "/zones?page=1&per_page=5&name=shop.example"],
    ["a refused page of zones", "GET", "/zones?per_page=1"],
    ["the settings", "GET", shield],
    ["an update of the settings", "PUT", shield, { enabled: false, use_connection_url_path: true }],
    ["a refused update of the settings", "PUT", shield, { enabled: 1 }],
    ["the settings of an unknown zone", "GET", `/zones/${none}/page_shield`],
    ["the settings of an invalid zone id", "GET", "/zones/x/page_shield"],
    ["a list of policies", "GET", policies],
    ["a policy", "GET", `${policies}/${policyId}`],
    ["an unknown policy", "GET", `${policies}/${none}`],
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
    ["an update of an unknown policy", "PUT", `${policies}/${none}`, {}],
    ["an update with a body that is not an object", "PUT", `${policies}/${policyId}`, []],
    ["a list of scripts", "GET", `${shield}/scripts`],
    ["a page of scripts", "GET", `${shield}/scripts?page=1&per_page=100&hosts=*shop*&status=active,inactive`],
    ["a list of scripts with duplicates", "GET", `${shield}/scripts?exclude_duplicates=false`],
    ["a refused list of scripts", "GET", `${shield}/scripts?status=old`],
    ["a script", "GET", `${shield}/scripts/${detectionId}`],
    ["an unknown script", "GET", `${shield}/scripts/${none}`],
    ["a list of connections", "GET", `${shield}/connections?exclude_cdn_cgi=false`],
    ["a connection", "GET", `${shield}/connections/${detectionId}`],
    ["an unknown connection", "GET", `${shield}/connections/${none}`],
    ["a list of log-push jobs", "GET", logpush.jobs],
    ["the fields of a dataset", "GET", `${logpush.logpush}/datasets/http_requests/fields`],
    ["the fields of an unknown dataset", "GET", `${logpush.logpush}/datasets/none/fields`],
    ["a log-push job", "GET", logpush.oneJob],
    ["an unknown log-push job", "GET", `${logpush.jobs}/1`],
    ["a creation of a log-push job", "POST", logpush.jobs, { destination_conf: logpush.open, name: "a" }],
    ["a refused creation of a log-push job", "POST", logpush.jobs, { name: "a b", colour: "red" }],
    ["a creation of a job without its challenge", "POST", logpush.jobs, { destination_conf: logpush.bucket }],
    [
      "a creation of a job for an unresolvable destination",
      "POST",
      logpush.jobs,
      { destination_conf: logpush.lost },
    ],
    ["a log-push job beyond the limit", "POST", logpush.jobs, { destination_conf: logpush.open }],
    ["an update of a log-push job", "PUT", logpush.oneJob, { enabled: false, output_options: {} }],
    ["another", "PUT", logpush.oneJob, { kind: "", frequency: "low", max_upload_bytes: 0, filter: "" }],
    ["a refused update of a log-push job", "PUT", logpush.oneJob, { dataset: "dns_logs" }],
    ["an update of an unknown log-push job", "PUT", `${logpush.jobs}/1`, {}],
    ["a challenge", "POST", `${logpush.logpush}/ownership`, { destination_conf: logpush.bucket }],
    [
      "a challenge for an unresolvable destination",
      "POST",
      `${logpush.logpush}/ownership`,
      { destination_conf: logpush.lost },
    ],
    ["a refused challenge", "POST", `${logpush.logpush}/ownership`, {}],
    [
      "a check of a challenge",
      "POST",
      `${logpush.logpush}/ownership/validate`,
      { destination_conf: logpush.bucket, ownership_challenge: "token" },
    ],
    ["a deletion of a log-push job", "DELETE", logpush.oneJob],
    ["a second deletion of a log-push job", "DELETE", logpush.oneJob],
    ["a list of a zone's rulesets", "GET", zoneRulesets],
    ["a list of an account's rulesets", "GET", accountRulesets],
    ["the rulesets of an unknown account", "GET", `/accounts/${none}/rulesets`],
    ["a managed ruleset", "GET", `${accountRulesets}/${owaspId}`],
    ["a managed ruleset in a zone", "GET", `${zoneRulesets}/${owaspId}`],
    ["a ruleset", "GET", waf],
    ["an entry point", "GET", wafEntryPoint],
    ["a missing entry point", "GET", fieldsEntryPoint],
    ["the entry point of an unknown phase", "GET", `${zoneRulesets}/phases/x/entrypoint`],
    ["a creation of a ruleset", "POST", zoneRulesets, { ...newFields, rules: [logFields] }],
    ["a refused creation of a ruleset", "POST", zoneRulesets, { ...newFields, rules: [{}] }],
    ["an update of a ruleset", "PUT", waf, { rules: storedWaf.rules.map(sent) }],
    ["a refused update of a ruleset", "PUT", waf, { name: "x", rules: ["x", { action: "block" }] }],
    ["a new rule", "POST", `${waf}/rules`, { ...without(sent(skip), "id", "ref"), position: { index: 1 } }],
    ["a refused rule", "POST", `${waf}/rules`, { action: "skip", position: {} }],
    ["an update of a rule", "PATCH", `${waf}/rules/${executeId}`, { ...sent(execute), enabled: false }],
    ["a partial update of a rule", "PATCH", `${waf}/rules/${executeId}`, { enabled: false }],
    ["an update of an unknown rule", "PATCH", `${waf}/rules/${none}`, {}],
    ["a deletion of a rule", "DELETE", `${waf}/rules/${executeId}`],
    ["an update of an entry point", "PUT", fieldsEntryPoint, { rules: [] }],
    ["a refused update of an entry point", "PUT", fieldsEntryPoint, { kind: "zone", rules: [] }],
    ["an entry point of an account", "GET", accountEntryPoint],
    ["an update of an account's ruleset", "PUT", `${accountRulesets}/${owaspId}`, { rules: [] }],
    ["a deletion of a ruleset", "DELETE", waf],
    ["a second deletion of a ruleset", "DELETE", waf],
    ["a deletion", "DELETE", `${policies}/${policyId}`],
    ["a second deletion of a policy", "DELETE", `${policies}/${policyId}`],
  ];

  test("every answer conforms to the published OpenAPI document", async () => {
    const shop = { ...seed.zones["shop.example"], logpush_jobs: [logpush.stored], rulesets: [storedWaf] };
    const zones = { "shop.example": shop };
    const emulator = await start({ seed: { ...seed, zones }, policyLimit: 2, logpushJobLimit: 2 });
    for (const [what, method, path, body] of requests) {
      const { status, body: answer } = await call(emulator, method, path, body);
      expect([what, status, checkResponse(method, path, status, answer)]).toEqual([what, status, []]);
      const denied = await send(emulator, method, path, {}, null);
      expect([what, checkResponse(method, path, denied.status, denied.body)]).toEqual([what, []]);
    }
    const statuses = new Set(emulator.log.map((each) => each.status));
    expect([...statuses].sort()).toEqual([200, 204, 400, 403, 404, 405]);
  });
});

describe.skipIf(!openapiAvailable)("the check of answers against the OpenAPI document", () => {
  test("finds the differences of the interface dialect", async () => {
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

  test("finds an unexpected body and an unknown operation", () => {
    expect(checkResponse("DELETE", `${shield}/policies/${policyId}`, 204, {})).toHaveLength(1);
    expect(checkResponse("PATCH", shield, 200, {})).toEqual([
      `PATCH ${shield}: the document has no such operation`,
    ]);
    expect(checkResponse("GET", "/zones/x/y/z", 404, null)).toHaveLength(1);
  });

  test("finds null instead of a list, except for the messages of failures", () => {
    const failure = { result: null, success: false, errors: [{ message: "no" }], messages: null };
    expect(checkResponse("GET", shield, 403, failure)).toEqual([]);
    expect(checkResponse("GET", shield, 403, { ...failure, errors: null })).toHaveLength(1);
  });
});

describe.skipIf(!openapiAvailable)("the check of requests against the OpenAPI document", () => {
  const oneRule = `${waf}/rules/${executeId}`;
  const rows: readonly [
    sentence: string,
    method: string,
    path: string,
    body: Json | null,
    findings: number,
  ][] = [
    ["accepts a page of zones", "GET", "/zones?page=2&per_page=50&account.id=x", null, 0],
    ["finds a page that is too large", "GET", "/zones?per_page=51", null, 1],
    ["finds a page that is not a number", "GET", "/zones?page=two", null, 1],
    ["finds an undocumented parameter", "GET", `${shield}/policies?page=2`, null, 1],
    ["finds an identifier that is too long", "GET", `/zones/${"1".repeat(33)}/page_shield`, null, 1],
    ["accepts a partial update of the settings", "PUT", shield, { enabled: true }, 0],
    ["finds an unknown setting", "PUT", shield, { use_service_reporting_endpoint: true }, 1],
    ["finds a missing body", "PUT", shield, null, 1],
    ["finds an undocumented body", "DELETE", `${shield}/policies/${policyId}`, {}, 1],
    ["accepts the creation of a policy", "POST", `${shield}/policies`, newPolicy, 0],
    ["finds missing fields in the creation of a policy", "POST", `${shield}/policies`, { value: "x" }, 4],
    ["finds an unknown field of a policy", "POST", `${shield}/policies`, { ...newPolicy, id: policyId }, 1],
    [
      "accepts filters of scripts",
      "GET",
      `${shield}/scripts?page=all&hosts=a,b&exclude_cdn_cgi=true`,
      null,
      0,
    ],
    ["finds an unknown order", "GET", `${shield}/connections?order_by=url`, null, 1],
    [
      "finds a filter for connections that only scripts have",
      "GET",
      `${shield}/connections?exclude_duplicates=true`,
      null,
      1,
    ],
    [
      "accepts the creation of a log-push job",
      "POST",
      logpush.jobs,
      { destination_conf: logpush.open, name: "a", kind: "", max_upload_bytes: 0, filter: "{}" },
      0,
    ],
    [
      "accepts the output options of the official TypeScript SDK",
      "PUT",
      logpush.oneJob,
      { name: "a", output_options: { "CVE-2021-44228": true, timestamp_format: "rfc3339ms" } },
      0,
    ],
    ["finds a log-push job without a destination", "POST", logpush.jobs, { name: "a" }, 1],
    ["finds a dataset in an update of a log-push job", "PUT", logpush.oneJob, { dataset: "dns_logs" }, 1],
    ["finds an upload size that is too small", "PUT", logpush.oneJob, { max_upload_bytes: 1 }, 3],
    ["finds an invalid id of a log-push job", "GET", `${logpush.jobs}/0`, null, 1],
    ["accepts the deletion of a log-push job", "DELETE", logpush.oneJob, null, 0],
    ["accepts the creation of a ruleset", "POST", zoneRulesets, { ...newFields, rules: [logFields] }, 0],
    ["accepts the creation of a ruleset without rules", "POST", zoneRulesets, newFields, 0],
    ["finds a ruleset without a phase", "POST", zoneRulesets, without(newFields, "phase"), 1],
    ["finds a field that a ruleset has only in answers", "PUT", waf, { rules: [], version: "1" }, 1],
    [
      "accepts a stored rule without the fields that only the service sets",
      "PUT",
      waf,
      { rules: [sent(execute)] },
      0,
    ],
    ["accepts a rule with its position", "PATCH", oneRule, { ...sent(skip), position: { after: "" } }, 0],
    ["finds text for a boolean", "PUT", `${shield}/policies/${policyId}`, { enabled: "true" }, 1],
  ];
  test.each(rows)("%s", (_, method, path, body, count) => {
    expect(checkRequest(method, path, body)).toHaveLength(count);
  });

  test("finds a position with two forms", () => {
    const body = { ...sent(skip), position: { after: "", index: 1 } };
    const finding = `PATCH ${oneRule}: /position must NOT have more than 1 properties`;
    expect(checkRequest("PATCH", oneRule, body)).toContain(finding);
  });
});
